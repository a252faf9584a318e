//! Types cut at a depth, for budgets.

use std::collections::{HashMap, VecDeque};

use super::settle::keep_used;
use super::{Definition, Model, ObjectField, ObjectType, Rest, Type};

/// The model with everything deeper than `depth` levels of objects and arrays left out.
pub(crate) fn cut(model: &Model, depth: usize) -> Model {
    cut_keeping(model, depth, 0)
}

/// Cuts like [`cut`], and keeps the first `kept` fields of every object just below the last level.
pub(crate) fn cut_keeping(model: &Model, depth: usize, kept: usize) -> Model {
    let cutter = Cutter { definitions: &model.definitions, kept };
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
            Definition { kind: cutter.shallow(definition.kind.clone(), left), ..definition.clone() }
        })
        .collect();
    let (root, definitions) = keep_used(cutter.shallow(model.root.clone(), depth), definitions);
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

/// Leaves out what is below a level.
struct Cutter<'a> {
    definitions: &'a [Definition],
    kept: usize,
}

impl Cutter<'_> {
    fn shallow(&self, kind: Type, left: usize) -> Type {
        let is_level = matches!(kind, Type::Object(_) | Type::Array(_) | Type::Tuple { .. });
        match kind {
            kind if left == 0 && (is_level || matches!(kind, Type::Named(_))) => self.start_of(kind),
            kind if is_level => kind.map(&mut |part| self.shallow(part, left - 1)),
            kind => kind.map(&mut |part| self.shallow(part, left)),
        }
    }

    /// What stays of a type below the last level.
    fn start_of(&self, kind: Type) -> Type {
        let bare = Cutter { definitions: self.definitions, kept: 0 };
        match kind {
            _ if self.kept == 0 => Type::Cut,
            Type::Object(object) if !object.fields.is_empty() => {
                Type::Object(bare.some_fields(object, self.kept))
            }
            Type::Array(item) => Type::Array(Box::new(match *item {
                Type::Object(object) if !object.fields.is_empty() => {
                    Type::Object(bare.some_fields(object, self.kept))
                }
                Type::Named(name) => self.start_of_named(name),
                item => bare.shallow(item, 0),
            })),
            Type::Named(name) => self.start_of_named(name),
            _ => Type::Cut,
        }
    }

    /// The first fields of a definition. One that is not an object could lead to others, and in a circle.
    fn start_of_named(&self, name: usize) -> Type {
        let bare = Cutter { definitions: self.definitions, kept: 0 };
        match self.definitions.get(name).map(|definition| &definition.kind) {
            Some(Type::Object(object)) if !object.fields.is_empty() => {
                Type::Object(bare.some_fields(object.clone(), self.kept))
            }
            _ => Type::Cut,
        }
    }

    /// The first fields, those that are always there before the others, and how many there are more.
    fn some_fields(&self, object: ObjectType, count: usize) -> ObjectType {
        let mut fields = object.fields;
        let more = fields.len().saturating_sub(count);
        fields.sort_by_key(|field| !field.required);
        fields.truncate(count);
        fields.sort_by(|a, b| a.key.cmp(&b.key));
        let fields =
            fields.into_iter().map(|field| ObjectField { kind: self.shallow(field.kind, 0), ..field });
        let rest = match object.rest {
            _ if more > 0 => Rest::LeftOut(more),
            Rest::Of(_) => Rest::Open,
            rest => rest,
        };
        ObjectType { fields: fields.collect(), rest, title: object.title }
    }
}
