//! Which definitions keep a name: those inside themselves and those used more than once.

use std::collections::{HashMap, HashSet};

use super::algebra::{intersection, is_closed_to_others, union};
use super::{Definition, Model, Rest, Type};
use crate::loss::{Action, Losses, Severity};

/// A definition nested deeper than this keeps its name, so that nothing nests without end.
const INLINE_DEPTH: usize = 24;

/// Puts definitions that are used once where they are used.
pub(super) fn settle(root: usize, mut definitions: Vec<Definition>, mut losses: Losses) -> Model {
    break_empty_cycles(&mut definitions, &mut losses);
    let order = post_order(root, &definitions);
    let recursive = recursive(&definitions);
    let mut uses: HashMap<usize, usize> = HashMap::new();
    for at in &order {
        for name in definitions[*at].kind.names() {
            *uses.entry(name).or_default() += 1;
        }
    }
    let mut inlined: HashMap<usize, Type> = HashMap::new();
    for at in &order {
        if joins_closed(&definitions[*at].kind, &definitions) {
            report_closed(&definitions[*at].pointer, &mut losses);
        }
        let kind = std::mem::replace(&mut definitions[*at].kind, Type::Unknown);
        let kind = substitute(kind, &inlined);
        let used_once = uses.get(at).copied().unwrap_or(0) <= 1;
        let is_short = used_once || is_simple(&kind);
        if is_short && !recursive.contains(at) && kind.depth() <= INLINE_DEPTH {
            inlined.insert(*at, kind.clone());
        }
        definitions[*at].kind = kind;
    }
    let root_doc = definitions.get(root).map(|root| root.doc.clone()).unwrap_or_default();
    let root_kind = match inlined.get(&root) {
        Some(kind) => kind.clone(),
        None if recursive.contains(&root) || uses.contains_key(&root) => Type::Named(root),
        None => definitions.get(root).map_or(Type::Unknown, |root| root.kind.clone()),
    };
    let (root_kind, definitions) = keep_used(root_kind, definitions);
    Model { root: root_kind, doc: root_doc, definitions, losses: losses.finish() }
}

fn substitute(kind: Type, inlined: &HashMap<usize, Type>) -> Type {
    match kind {
        Type::Named(name) => inlined.get(&name).cloned().unwrap_or(Type::Named(name)),
        kind => kind.map(&mut |part| substitute(part, inlined)),
    }
}

/// Whether an object that allows no other keys is joined with one that names some, by reference.
fn joins_closed(kind: &Type, definitions: &[Definition]) -> bool {
    let resolved = |kind: &'_ Type| match kind {
        Type::Named(name) => definitions.get(*name).map_or(Type::Unknown, |known| known.kind.clone()),
        kind => kind.clone(),
    };
    let of_this = match kind {
        Type::Intersection(members) => {
            let members: Vec<Type> = members.iter().map(resolved).collect();
            is_closed_to_others(&members.iter().collect::<Vec<_>>())
        }
        _ => false,
    };
    of_this || kind.parts().into_iter().any(|part| joins_closed(part, definitions))
}

/// An object that names no more keys than it allows is rarely meant where others name some.
pub(super) fn report_closed(pointer: &str, losses: &mut Losses) {
    let reason = "one part allows no keys but its own, and others name some; the type shows all of them";
    losses
        .add(pointer, "additionalProperties", (Action::Widened, Severity::Warn), reason)
        .fix("leave it to `unevaluatedProperties` beside the parts");
}

/// Types that are no longer than a name.
fn is_simple(kind: &Type) -> bool {
    match kind {
        Type::Array(item) => is_simple(item),
        Type::Object(object) => object.fields.is_empty() && !matches!(object.rest, Rest::Of(_)),
        Type::Tuple { .. } | Type::Union(_) | Type::Intersection(_) | Type::Named(_) => false,
        _ => true,
    }
}

/// A definition that is nothing but itself says nothing, and no language accepts it.
fn break_empty_cycles(definitions: &mut [Definition], losses: &mut Losses) {
    let edges: Vec<Vec<usize>> = definitions.iter().map(|definition| unguarded(&definition.kind)).collect();
    let cycles = members_of_cycles(&edges);
    for at in cycles.iter().copied().collect::<std::collections::BTreeSet<_>>() {
        let pointer = definitions[at].pointer.clone();
        let kind = std::mem::replace(&mut definitions[at].kind, Type::Unknown);
        definitions[at].kind = without(kind, at, &cycles);
        let reason = "the schema refers to itself without saying anything in between";
        losses.add(&pointer, "$ref", (Action::Widened, Severity::Warn), reason).fix("remove the reference");
    }
}

/// Definitions named outside of objects and arrays.
fn unguarded(kind: &Type) -> Vec<usize> {
    match kind {
        Type::Named(name) => vec![*name],
        Type::Union(members) | Type::Intersection(members) => members.iter().flat_map(unguarded).collect(),
        _ => Vec::new(),
    }
}

/// The kind of definition `own` without the definitions that are nothing but one another. A union says the same
/// without its own definition; what another one adds to it is not known.
fn without(kind: Type, own: usize, cycles: &HashSet<usize>) -> Type {
    match kind {
        Type::Named(name) if cycles.contains(&name) => Type::Unknown,
        Type::Union(members) => {
            let members: Vec<Type> =
                members.into_iter().filter(|member| *member != Type::Named(own)).collect();
            match members.is_empty() {
                true => Type::Unknown,
                false => union(members.into_iter().map(|member| without(member, own, cycles)).collect()),
            }
        }
        Type::Intersection(members) => {
            intersection(members.into_iter().map(|member| without(member, own, cycles)).collect())
        }
        kind => kind,
    }
}

/// Definitions that are part of themselves.
fn recursive(definitions: &[Definition]) -> HashSet<usize> {
    let edges: Vec<Vec<usize>> = definitions.iter().map(|definition| definition.kind.names()).collect();
    members_of_cycles(&edges)
}

/// Everything that can be reached from itself: what is left when what no cycle passes through is taken away, from
/// both ends. A way between two cycles stays too, which costs a name and no more.
fn members_of_cycles(edges: &[Vec<usize>]) -> HashSet<usize> {
    let backwards = reversed(edges);
    let mut left: HashSet<usize> = (0..edges.len()).collect();
    for (forth, back) in [(edges, backwards.as_slice()), (backwards.as_slice(), edges)] {
        let mut degree: Vec<usize> =
            forth.iter().map(|next| next.iter().filter(|next| left.contains(next)).count()).collect();
        let mut open: Vec<usize> = left.iter().copied().filter(|at| degree[*at] == 0).collect();
        while let Some(at) = open.pop() {
            left.remove(&at);
            for previous in &back[at] {
                if left.contains(previous) {
                    degree[*previous] = degree[*previous].saturating_sub(1);
                    if degree[*previous] == 0 {
                        open.push(*previous);
                    }
                }
            }
        }
    }
    left
}

fn reversed(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut reversed = vec![Vec::new(); edges.len()];
    for (from, next) in edges.iter().enumerate() {
        for to in next {
            reversed[*to].push(from);
        }
    }
    reversed
}

/// Definitions that the root needs, each after those it names, cycles apart.
fn post_order(root: usize, definitions: &[Definition]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = HashSet::from([root]);
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    if let Some(definition) = definitions.get(root) {
        open.push((root, definition.kind.names()));
    }
    while let Some((at, names)) = open.last_mut() {
        match names.pop() {
            Some(name) if seen.insert(name) => open.push((name, definitions[name].kind.names())),
            Some(_) => {}
            None => {
                order.push(*at);
                open.pop();
            }
        }
    }
    order
}

/// Drops the definitions that nothing names any more and numbers the rest anew.
pub(super) fn keep_used(root: Type, definitions: Vec<Definition>) -> (Type, Vec<Definition>) {
    let mut used: HashSet<usize> = HashSet::new();
    let mut open = root.names();
    while let Some(name) = open.pop() {
        if used.insert(name) {
            open.extend(definitions[name].kind.names());
        }
    }
    let mut kept: Vec<(usize, Definition)> =
        definitions.into_iter().enumerate().filter(|(at, _)| used.contains(at)).collect();
    kept.sort_by(|(_, a), (_, b)| a.pointer.cmp(&b.pointer));
    let numbers: HashMap<usize, usize> = kept.iter().enumerate().map(|(new, (old, _))| (*old, new)).collect();
    let definitions = kept
        .into_iter()
        .map(|(_, definition)| Definition { kind: renumber(definition.kind, &numbers), ..definition })
        .collect();
    (renumber(root, &numbers), definitions)
}

fn renumber(kind: Type, numbers: &HashMap<usize, usize>) -> Type {
    match kind {
        Type::Named(name) => numbers.get(&name).map_or(Type::Unknown, |name| Type::Named(*name)),
        kind => kind.map(&mut |part| renumber(part, numbers)),
    }
}
