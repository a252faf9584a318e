//! Object types that stand in several places get a name.

use std::collections::{BTreeMap, HashMap};

use super::{Definition, Doc, Model, Type};

/// Fields from which on an object is longer than a name.
const FIELDS: usize = 2;

/// The model with repeated object types named.
pub(crate) fn collapse(model: &Model) -> Model {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for kind in model.definitions.iter().map(|definition| &definition.kind).chain([&model.root]) {
        count(kind, &mut seen);
    }
    let mut collapsed = model.clone();
    let mut names: HashMap<String, usize> = HashMap::new();
    for (key, _) in seen.into_iter().filter(|(_, times)| *times > 1) {
        names.insert(key, collapsed.definitions.len());
        collapsed.definitions.push(Definition {
            wanted: None,
            pointer: String::new(),
            kind: Type::Unknown,
            doc: Doc::default(),
        });
    }
    if names.is_empty() {
        return collapsed;
    }
    let mut found: HashMap<usize, Type> = HashMap::new();
    let old = model.definitions.len();
    for definition in &mut collapsed.definitions[..old] {
        let kind = std::mem::replace(&mut definition.kind, Type::Unknown);
        definition.kind = named(kind, &names, &mut found);
    }
    collapsed.root = named(collapsed.root, &names, &mut found);
    for (at, kind) in found {
        let title = match &kind {
            Type::Object(object) => object.title.clone(),
            _ => None,
        };
        let definition = &mut collapsed.definitions[at];
        definition.wanted = Some(title.unwrap_or_else(|| "Part".to_owned()));
        definition.kind = kind;
    }
    collapsed
}

fn is_long(kind: &Type) -> bool {
    matches!(kind, Type::Object(object) if object.fields.len() >= FIELDS)
}

fn key(kind: &Type) -> String {
    format!("{kind:?}")
}

fn count(kind: &Type, seen: &mut BTreeMap<String, usize>) {
    if is_long(kind) {
        let times = seen.entry(key(kind)).or_default();
        *times += 1;
        if *times > 1 {
            // What is inside is counted where it stood first.
            return;
        }
    }
    kind.parts().into_iter().for_each(|part| count(part, seen));
}

fn named(kind: Type, names: &HashMap<String, usize>, found: &mut HashMap<usize, Type>) -> Type {
    let name = if is_long(&kind) { names.get(&key(&kind)).copied() } else { None };
    let kind = kind.map(&mut |part| named(part, names, found));
    match name {
        Some(name) => {
            found.entry(name).or_insert(kind);
            Type::Named(name)
        }
        None => kind,
    }
}
