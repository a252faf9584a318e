//! A JSON Schema as a person reads it: a shape, shown on one line or as a tree.
//!
//! For display only. A shape leaves out what does not change the picture and is
//! bounded, so that no schema can make it slow or long; validation always uses
//! the schema itself.

mod notes;
mod one_line;
mod read;
mod rows;

use serde_json::Value;

pub use rows::ShapeRow;

/// What values of a schema look like.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Anything.
    Any,
    /// Nothing: the schema is `false` or an empty `enum`.
    Never,
    /// A value of one type.
    Scalar {
        /// `string`, `integer`, `number`, `boolean` or `null`.
        kind: String,
        /// `format`, for example `date`.
        format: Option<String>,
    },
    /// One of some fixed values, each as JSON text.
    Literals(Vec<String>),
    /// Any number of the same.
    Array(Box<Shape>),
    /// A fixed order of values, and what may follow.
    Tuple {
        /// The values by position.
        items: Vec<Shape>,
        /// What may follow them.
        rest: Option<Box<Shape>>,
    },
    /// Named fields.
    Object {
        /// The fields in the schema's order.
        fields: Vec<Field>,
        /// The values of any other key, where the schema says what they are.
        rest: Option<Box<Shape>>,
    },
    /// One of several.
    Union(Vec<Shape>),
    /// All of several at once.
    Intersection(Vec<Shape>),
    /// A definition inside itself, by its name.
    Recursive(String),
    /// Left out: too deep, too large, or a reference that leads nowhere.
    Cut,
}

/// One field of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The key in the object.
    pub name: String,
    /// Whether it must be there.
    pub required: bool,
    /// Its value.
    pub shape: Shape,
    /// Its description.
    pub description: Option<String>,
    /// Bounds and the default, for example `1 to 100, default 10`.
    pub notes: Option<String>,
}

impl Shape {
    /// Reads a schema; never fails, whatever the schema is.
    pub fn of(schema: &Value) -> Self {
        read::read(schema)
    }

    /// A TypeScript-like type of at most `width` characters, inner parts left out until it fits.
    pub fn one_line(&self, width: usize) -> String {
        one_line::render(self, width)
    }

    /// The tree below this shape: fields of objects, items of arrays, branches of unions.
    pub fn rows(&self) -> Vec<ShapeRow> {
        rows::rows(self)
    }
}

#[cfg(test)]
mod tests;
