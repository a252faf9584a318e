//! Alternatives that one member tells apart: its value says which of them to check.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::rules::{Name, ObjectRules};
use super::{Mixed, Node, OBJECT, Target};

/// So many tags are found by looking at each.
const FEW: usize = 12;
/// So many members are looked at one by one before the map is asked.
const FIRST: usize = 8;

/// Objects that all have a member whose texts belong to one alternative each.
#[derive(Debug)]
pub(super) struct Tagged {
    /// The name of that member.
    name: Name,
    branches: Vec<(Name, Target)>,
    /// The places of many branches by tag.
    index: HashMap<Box<str>, usize>,
}

impl Tagged {
    /// None for a node that is anything else, or more. Whatever no branch claims conforms to none of them, and
    /// what one claims conforms to no other, so that "any" and "exactly one" are the same here.
    pub(super) fn read(node: &Node, nodes: &[Node]) -> Option<Self> {
        let Node::Mixed(node) = node else { return None };
        let targets = alternatives(node)?;
        let rules: Vec<&ObjectRules> = targets
            .iter()
            .map(|target| match nodes.get(target.node) {
                Some(Node::Object(rules)) => Some(rules),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let (first, _) = rules.split_first()?;
        first.members.iter().find_map(|member| {
            let mut branches = Vec::new();
            for (target, rules) in targets.iter().zip(&rules) {
                let tags = tags(rules, member.name.as_str(), nodes)?;
                branches.extend(tags.iter().map(|tag| (tag.clone(), *target)));
            }
            Self::of(member.name.clone(), branches)
        })
    }

    fn of(name: Name, branches: Vec<(Name, Target)>) -> Option<Self> {
        let mut places: HashMap<Box<str>, usize> = HashMap::new();
        for (at, (tag, _)) in branches.iter().enumerate() {
            if places.insert(tag.as_str().into(), at).is_some() {
                return None;
            }
        }
        let index = if branches.len() > FEW { places } else { HashMap::new() };
        Some(Self { name, branches, index })
    }

    /// The alternative that an object claims to be.
    #[inline]
    pub(super) fn branch(&self, members: &Map<String, Value>) -> Option<Target> {
        let among_first = members.iter().take(FIRST).find(|(key, _)| self.name.is(key));
        let tag = match among_first {
            Some((_, tag)) => tag,
            None if members.len() > FIRST => members.get(self.name.as_str())?,
            None => return None,
        };
        self.with_tag(tag.as_str()?)
    }

    /// Whether a member of this name tells the alternatives apart.
    #[inline]
    pub(super) fn is_tag(&self, name: &str) -> bool {
        self.name.is(name)
    }

    /// The alternative with this tag.
    #[inline]
    pub(super) fn with_tag(&self, tag: &str) -> Option<Target> {
        let at = match self.index.is_empty() {
            true => self.branches.iter().position(|(known, _)| known.is(tag))?,
            false => *self.index.get(tag)?,
        };
        self.branches.get(at).map(|(_, target)| *target)
    }
}

/// The branches of a node that has nothing else to say about objects.
fn alternatives(node: &Mixed) -> Option<&[Target]> {
    let combined = node.combined.as_ref()?;
    let is_alone = node.choices.is_none()
        && node.object.is_none()
        && node.unknown & node.kinds == 0
        && node.kinds & OBJECT != 0
        && combined.all.is_empty()
        && combined.not.is_none()
        && combined.condition.is_none();
    match (is_alone, combined.any.as_slice(), combined.one.as_slice()) {
        (true, targets, []) | (true, [], targets) if targets.len() > 1 => Some(targets),
        _ => None,
    }
}

/// The texts that a required member can be.
fn tags<'a>(rules: &ObjectRules, name: &str, nodes: &'a [Node]) -> Option<&'a [Name]> {
    let member = rules.members.iter().find(|member| member.is_required && member.name.is(name))?;
    match nodes.get(member.target.node)? {
        Node::Texts(texts) => Some(texts.names()),
        _ => None,
    }
}
