//! Types cut at a depth, for budgets.

use std::collections::{HashMap, VecDeque};

use super::settle::keep_used;
use super::{Definition, Model, Type};

/// The model with everything deeper than `depth` levels of objects and arrays left out.
pub(in crate::declare) fn cut(model: &Model, depth: usize) -> Model {
    let mut levels: HashMap<usize, usize> = HashMap::new();
    let mut open: VecDeque<(usize, usize)> = named_at(&model.root, 0).into();
    while let Some((name, level)) = open.pop_front() {
        if level < depth && levels.get(&name).is_none_or(|known| level < *known) {
            levels.insert(name, level);
            open.extend(named_at(&model.definitions[name].kind, level));
        }
    }
    let definitions: Vec<Definition> = model
        .definitions
        .iter()
        .enumerate()
        .map(|(at, definition)| {
            let left = levels.get(&at).map_or(0, |level| depth - level);
            Definition { kind: shallow(definition.kind.clone(), left), ..definition.clone() }
        })
        .collect();
    let (root, definitions) = keep_used(shallow(model.root.clone(), depth), definitions);
    Model { root, definitions, ..model.clone() }
}

/// Definitions named in a type, and on which level.
fn named_at(kind: &Type, level: usize) -> Vec<(usize, usize)> {
    let inner = match kind {
        Type::Named(name) => return vec![(*name, level)],
        Type::Object(_) | Type::Array(_) | Type::Tuple { .. } => level + 1,
        _ => level,
    };
    kind.parts().into_iter().flat_map(|part| named_at(part, inner)).collect()
}

fn shallow(kind: Type, left: usize) -> Type {
    let is_level = matches!(kind, Type::Object(_) | Type::Array(_) | Type::Tuple { .. });
    match kind {
        Type::Named(_) if left == 0 => Type::Cut,
        _ if is_level && left == 0 => Type::Cut,
        kind if is_level => kind.map(&mut |part| shallow(part, left - 1)),
        kind => kind.map(&mut |part| shallow(part, left)),
    }
}
