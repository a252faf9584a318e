//! Every node in the form that is checked fastest.

use super::rules::{Choices, NumberRules, ObjectRules};
use super::tagged::Tagged;
use super::text;
use super::{ALL, ARRAY, Kinds, Mixed, NUMBER, Node, OBJECT, SCALARS, STRING, Shortcut, Target, WHOLE};

impl Shortcut {
    /// Tells every target what its node accepts freely, and puts every node into its form.
    pub(super) fn assemble(mut nodes: Vec<Mixed>, mut root: Target) -> Self {
        fold_kinds(&mut nodes);
        let facts: Vec<(Kinds, Kinds)> = nodes.iter().map(|node| (node.free(), node.kinds)).collect();
        let targets = nodes.iter_mut().flat_map(Mixed::targets).chain([&mut root]);
        for target in targets {
            (target.free, target.kinds) = facts.get(target.node).copied().unwrap_or((0, ALL));
        }
        nodes.iter_mut().for_each(Mixed::relax);
        let mut nodes: Vec<Node> = nodes.into_iter().map(Mixed::into_node).collect();
        let tagged: Vec<(usize, Tagged)> = nodes
            .iter()
            .enumerate()
            .filter_map(|(at, node)| Some((at, Tagged::read(node, &nodes)?)))
            .collect();
        for (at, tagged) in tagged {
            nodes[at] = Node::Tagged(tagged);
        }
        let reads_text = nodes.iter().all(text::is_certain);
        Self { nodes, root, reads_text }
    }
}

/// Alternatives that say nothing but which kinds they admit are one set of kinds.
fn fold_kinds(nodes: &mut [Mixed]) {
    let plain: Vec<Option<Kinds>> = nodes.iter().map(|node| node.is_plain().then_some(node.kinds)).collect();
    for node in nodes {
        let Some(combined) = &mut node.combined else { continue };
        let mut kinds = combined.any.iter().map(|target| plain.get(target.node).copied().flatten());
        let Some(kinds) = kinds.try_fold(0, |all, kinds| Some(all | kinds?)) else { continue };
        if !combined.any.is_empty() {
            node.kinds &= kinds;
            combined.any.clear();
        }
        if combined.is_empty() {
            node.combined = None;
        }
    }
}

impl Mixed {
    /// Of branches for different kinds no value fits two, so that one of them is any of them.
    fn relax(&mut self) {
        let Some(combined) = &mut self.combined else { return };
        let mut seen = 0;
        let is_apart = combined.one.iter().all(|branch| {
            let is_new = seen & branch.kinds == 0;
            seen |= branch.kinds;
            is_new
        });
        if is_apart && combined.any.is_empty() {
            combined.any = std::mem::take(&mut combined.one);
        }
    }

    /// Whether it says nothing but which kinds it admits.
    fn is_plain(&self) -> bool {
        let is_silent = self.unknown == 0 && self.choices.is_none() && self.combined.is_none();
        is_silent
            && self.number.is_none()
            && self.text.is_none()
            && self.array.is_none()
            && self.object.is_none()
    }

    /// Kinds of values without values inside that are accepted whatever they are.
    fn free(&self) -> Kinds {
        if self.choices.is_some() || self.combined.is_some() {
            return 0;
        }
        let mut free = self.kinds & SCALARS & !self.unknown;
        if self.text.is_some() {
            free &= !STRING;
        }
        if self.number.is_some() {
            free &= !NUMBER;
        }
        free
    }

    fn targets(&mut self) -> impl Iterator<Item = &mut Target> {
        let array = self.array.iter_mut().flat_map(|rules| rules.prefix.iter_mut().chain([&mut rules.rest]));
        let object = self.object.iter_mut().flat_map(ObjectRules::targets);
        let combined = self.combined.iter_mut().flat_map(|combined| {
            let condition = combined.condition.iter_mut();
            let condition = condition.flat_map(|it| [&mut it.test, &mut it.then, &mut it.otherwise]);
            let lists = combined.all.iter_mut().chain(&mut combined.any).chain(&mut combined.one);
            lists.chain(&mut combined.not).chain(condition)
        });
        array.chain(object).chain(combined)
    }

    fn into_node(self) -> Node {
        let is_simple = self.combined.is_none() && self.unknown & self.kinds == 0;
        match self {
            Self { kinds: OBJECT, object: Some(rules), choices: None, .. } if is_simple => {
                Node::Object(rules)
            }
            Self { kinds: ARRAY, array: Some(rules), choices: None, .. } if is_simple => Node::Array(rules),
            Self { kinds: STRING, text: Some(rules), choices: None, .. } if is_simple => Node::Text(rules),
            Self { kinds: kinds @ (WHOLE | NUMBER), number: Some(rules), choices: None, .. } if is_simple => {
                Node::Number(NumberRules { is_whole: kinds == WHOLE, ..rules })
            }
            Self { kinds, text: None, choices: Some(Choices { kinds: STRING, texts, .. }), .. }
                if is_simple && kinds & STRING != 0 =>
            {
                Node::Texts(texts)
            }
            other => Node::Mixed(Box::new(other)),
        }
    }
}
