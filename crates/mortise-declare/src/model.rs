//! A schema as types: what both languages are written from.
//!
//! Every value of the schema is a value of its type. What a type can't say makes it wider, and is
//! a [`Loss`].

mod algebra;
mod array;
mod collapse;
mod doc;
mod literal;
mod object;
mod read;
mod settle;
mod shorten;
mod variants;

use serde_json::Value;

use super::loss::{Loss, SchemaSide};

pub(super) use algebra::{intersection, union};
pub(super) use collapse::collapse;
pub(super) use doc::{Doc, INTEGER};
pub(super) use shorten::{cut, cut_keeping};
pub(super) use variants::name_variants;

/// The types of one schema.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Model {
    /// The type of the whole.
    pub(super) root: Type,
    /// What is said about the whole.
    pub(super) doc: Doc,
    /// Types with a name, in the order in which they were met.
    pub(super) definitions: Vec<Definition>,
    /// What the types can't say.
    pub(super) losses: Vec<Loss>,
}

/// A type with a name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Definition {
    /// The last part of its pointer, or its title; `None` for the schema itself.
    pub(super) wanted: Option<String>,
    /// Its place in the document.
    pub(super) pointer: String,
    pub(super) kind: Type,
    /// What is said about it.
    pub(super) doc: Doc,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    /// Anything.
    Unknown,
    /// Nothing.
    Never,
    /// Left out to stay within a budget; anything for all we say.
    Cut,
    String,
    Integer,
    Number,
    Boolean,
    Null,
    /// Exactly this value.
    Literal(Value),
    Array(Box<Self>),
    /// Places in order: the first `required` are always there, `rest` is what may follow.
    Tuple {
        items: Vec<Self>,
        required: usize,
        rest: Option<Box<Self>>,
    },
    Object(ObjectType),
    /// One of these; two or more.
    Union(Vec<Self>),
    /// All of these; two or more.
    Intersection(Vec<Self>),
    /// A definition, by its place in [`Model::definitions`].
    Named(usize),
}

/// Named values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ObjectType {
    /// Sorted by key.
    pub(super) fields: Vec<ObjectField>,
    /// Every other key.
    pub(super) rest: Rest,
    /// `title`, a wish for a name.
    pub(super) title: Option<String>,
}

/// One named value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ObjectField {
    /// The key on the wire.
    pub(super) key: String,
    /// Whether it must be there.
    pub(super) required: bool,
    pub(super) kind: Type,
    /// What is said about it.
    pub(super) doc: Doc,
}

/// Keys that an object does not name.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rest {
    /// Allowed because nothing is said.
    Open,
    /// Allowed by an explicit `additionalProperties: true`.
    Welcome,
    /// Not allowed.
    Closed,
    /// Allowed, with values of this type.
    Of(Box<Type>),
    /// How many of the members it names were left out to stay within a budget.
    LeftOut(usize),
}

impl Model {
    /// Reads the part of `document` at `pointer`; never fails, whatever the schema is.
    pub(super) fn of(document: &Value, pointer: &str, side: SchemaSide) -> Self {
        read::read(document, pointer, side)
    }
}

impl Model {
    /// Whether a type is part of itself.
    pub(super) fn is_recursive(&self) -> bool {
        (0..self.definitions.len()).any(|start| {
            let mut seen = vec![false; self.definitions.len()];
            let mut open = self.definitions[start].kind.names();
            while let Some(name) = open.pop() {
                if name == start {
                    return true;
                }
                if !std::mem::replace(&mut seen[name], true) {
                    open.extend(self.definitions[name].kind.names());
                }
            }
            false
        })
    }
}

impl ObjectType {
    /// The field of a key; its fields are sorted.
    fn field(&self, key: &str) -> Option<&ObjectField> {
        let at = self.fields.binary_search_by(|field| field.key.as_str().cmp(key)).ok()?;
        self.fields.get(at)
    }
}

impl Type {
    pub(super) fn object(fields: Vec<ObjectField>, rest: Rest) -> Self {
        Self::Object(ObjectType { fields, rest, title: None })
    }

    /// The types directly inside.
    pub(super) fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Array(item) => vec![item],
            Self::Tuple { items, rest, .. } => items.iter().chain(rest.as_deref()).collect(),
            Self::Object(object) => {
                let rest = match &object.rest {
                    Rest::Of(rest) => Some(&**rest),
                    _ => None,
                };
                object.fields.iter().map(|field| &field.kind).chain(rest).collect()
            }
            Self::Union(members) | Self::Intersection(members) => members.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The definitions that are named anywhere inside.
    pub(super) fn names(&self) -> Vec<usize> {
        let mut names = Vec::new();
        let mut open = vec![self];
        while let Some(kind) = open.pop() {
            match kind {
                Self::Named(name) => names.push(*name),
                kind => open.extend(kind.parts()),
            }
        }
        names
    }

    /// This type with every part replaced, put together by the rules of unions and intersections.
    pub(super) fn map(self, change: &mut impl FnMut(Self) -> Self) -> Self {
        match self {
            Self::Array(item) => Self::Array(Box::new(change(*item))),
            Self::Tuple { items, required, rest } => Self::Tuple {
                items: items.into_iter().map(&mut *change).collect(),
                required,
                rest: rest.map(|rest| Box::new(change(*rest))),
            },
            Self::Object(object) => Self::Object(ObjectType {
                fields: object
                    .fields
                    .into_iter()
                    .map(|field| ObjectField { kind: change(field.kind), ..field })
                    .collect(),
                rest: match object.rest {
                    Rest::Of(rest) => Rest::Of(Box::new(change(*rest))),
                    rest => rest,
                },
                title: object.title,
            }),
            Self::Union(members) => union(members.into_iter().map(&mut *change).collect()),
            Self::Intersection(members) => intersection(members.into_iter().map(&mut *change).collect()),
            kind => kind,
        }
    }

    /// Levels of nesting.
    pub(super) fn depth(&self) -> usize {
        1 + self.parts().into_iter().map(Self::depth).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
