//! From a schema to a shape, within bounds.

use serde_json::{Map, Value};

use super::{Field, Shape, notes};
use crate::json::JsonKind;
use crate::schema::keyword::implied_kind;
use crate::schema::referred;

/// Subschemas looked at; references can multiply them without end.
const NODES: usize = 4_000;
/// Nesting looked at.
const DEPTH: usize = 24;

pub(super) fn read(schema: &Value) -> Shape {
    ShapeReader { root: schema, nodes: 0, open: Vec::new() }.schema(schema, 0)
}

struct ShapeReader<'a> {
    root: &'a Value,
    nodes: usize,
    /// References being followed, to find a definition inside itself.
    open: Vec<&'a str>,
}

impl<'a> ShapeReader<'a> {
    fn schema(&mut self, schema: &'a Value, depth: usize) -> Shape {
        self.nodes += 1;
        if self.nodes > NODES || depth > DEPTH {
            return Shape::Cut;
        }
        match schema {
            Value::Bool(false) => Shape::Never,
            Value::Object(keywords) => self.keywords(keywords, depth),
            _ => Shape::Any,
        }
    }

    fn keywords(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> Shape {
        let mut parts = Vec::new();
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            parts.push(self.reference(reference, depth));
        }
        for keyword in ["$dynamicRef", "$recursiveRef"] {
            if let Some(reference) = keywords.get(keyword).and_then(Value::as_str) {
                parts.push(Shape::Recursive(definition_name(reference)));
            }
        }
        parts.push(self.own(keywords, depth));
        if let Some(branches) = keywords.get("allOf").and_then(Value::as_array) {
            parts.extend(branches.iter().map(|branch| self.schema(branch, depth + 1)));
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(branches) = keywords.get(keyword).and_then(Value::as_array) {
                parts.push(union(branches.iter().map(|branch| self.schema(branch, depth + 1))));
            }
        }
        let shape = intersection(parts);
        if keywords.get("nullable") == Some(&Value::Bool(true)) {
            return union([shape, scalar("null", None)]);
        }
        shape
    }

    fn reference(&mut self, reference: &'a str, depth: usize) -> Shape {
        if self.open.contains(&reference) || reference == "#" {
            return Shape::Recursive(definition_name(reference));
        }
        let Some(target) = referred(self.root, reference) else {
            return Shape::Cut;
        };
        self.open.push(reference);
        let shape = self.schema(target, depth + 1);
        self.open.pop();
        shape
    }

    /// What `const`, `enum`, `type` and the keywords of objects and arrays say.
    fn own(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> Shape {
        if let Some(value) = keywords.get("const") {
            return Shape::Literals(vec![value.to_string()]);
        }
        if let Some(values) = keywords.get("enum").and_then(Value::as_array) {
            return match values.is_empty() {
                true => Shape::Never,
                false => Shape::Literals(values.iter().map(Value::to_string).collect()),
            };
        }
        match keywords.get("type") {
            Some(Value::String(kind)) => self.typed(kind, keywords, depth),
            Some(Value::Array(kinds)) => {
                union(kinds.iter().filter_map(Value::as_str).map(|kind| self.typed(kind, keywords, depth)))
            }
            _ => match implied_kind(keywords) {
                Some((JsonKind::Object, _)) => self.object(keywords, depth),
                Some((JsonKind::Array, _)) => self.array(keywords, depth),
                _ => Shape::Any,
            },
        }
    }

    fn typed(&mut self, kind: &str, keywords: &'a Map<String, Value>, depth: usize) -> Shape {
        match kind {
            "object" => self.object(keywords, depth),
            "array" => self.array(keywords, depth),
            "string" => scalar(kind, keywords.get("format").and_then(Value::as_str)),
            _ => scalar(kind, None),
        }
    }

    fn object(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> Shape {
        let required: Vec<&str> = keywords
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let mut fields = Vec::new();
        let properties = keywords.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            fields.push(Field {
                name: name.clone(),
                required: required.contains(&name.as_str()),
                shape: self.schema(schema, depth + 1),
                description: self.description(schema),
                notes: notes::notes(schema),
            });
        }
        for name in required {
            if !properties.is_some_and(|properties| properties.contains_key(name)) {
                fields.push(Field {
                    name: name.to_owned(),
                    required: true,
                    shape: Shape::Any,
                    description: None,
                    notes: None,
                });
            }
        }
        let mut others: Vec<&'a Value> = keywords
            .get("patternProperties")
            .and_then(Value::as_object)
            .map(|patterns| patterns.values().collect())
            .unwrap_or_default();
        others.extend(keywords.get("additionalProperties").filter(|other| other.is_object()));
        let rest = match others.is_empty() {
            true => None,
            false => Some(Box::new(union(others.into_iter().map(|other| self.schema(other, depth + 1))))),
        };
        Shape::Object { fields, rest }
    }

    /// The property's own description, or that of the definition it refers to.
    fn description(&self, schema: &'a Value) -> Option<String> {
        let own = schema.get("description").and_then(Value::as_str);
        let referred = || referred(self.root, schema.get("$ref")?.as_str()?)?.get("description")?.as_str();
        own.or_else(referred).map(str::to_owned)
    }

    fn array(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> Shape {
        let items = keywords.get("items");
        let prefix = keywords.get("prefixItems").and_then(Value::as_array);
        let (tuple, rest) = match (prefix, items) {
            (Some(prefix), rest) => (prefix, rest),
            (None, Some(Value::Array(prefix))) => (prefix, keywords.get("additionalItems")),
            (None, items) => {
                let item = items.map_or(Shape::Any, |items| self.schema(items, depth + 1));
                return Shape::Array(Box::new(item));
            }
        };
        let items = tuple.iter().map(|item| self.schema(item, depth + 1)).collect();
        let rest = match rest {
            Some(Value::Bool(false)) => None,
            Some(rest) => Some(Box::new(self.schema(rest, depth + 1))),
            None => Some(Box::new(Shape::Any)),
        };
        Shape::Tuple { items, rest }
    }
}

fn scalar(kind: &str, format: Option<&str>) -> Shape {
    Shape::Scalar { kind: kind.to_owned(), format: format.map(str::to_owned) }
}

/// The last part of a reference: `#/$defs/Node` is `Node`, `#` is `itself`.
fn definition_name(reference: &str) -> String {
    let name = reference.rsplit(['/', '#']).next().unwrap_or_default();
    match name.is_empty() {
        true => "itself".to_owned(),
        false => name.to_owned(),
    }
}

/// One of `shapes`: nested unions are flattened, repeated members and literals joined.
pub(super) fn union(shapes: impl IntoIterator<Item = Shape>) -> Shape {
    let mut members: Vec<Shape> = Vec::new();
    for shape in shapes {
        match shape {
            Shape::Union(inner) => inner.into_iter().for_each(|shape| add_member(&mut members, shape)),
            Shape::Never => {}
            shape => add_member(&mut members, shape),
        }
    }
    match members.len() {
        0 => Shape::Never,
        1 => members.remove(0),
        _ if members.contains(&Shape::Any) => Shape::Any,
        _ => Shape::Union(members),
    }
}

fn add_member(members: &mut Vec<Shape>, shape: Shape) {
    if members.contains(&shape) {
        return;
    }
    if let Shape::Literals(values) = &shape
        && let Some(Shape::Literals(known)) =
            members.iter_mut().find(|member| matches!(member, Shape::Literals(_)))
    {
        for value in values {
            if !known.contains(value) {
                known.push(value.clone());
            }
        }
        return;
    }
    members.push(shape);
}

/// All of `shapes`: what says nothing is dropped, plain objects are merged.
fn intersection(shapes: Vec<Shape>) -> Shape {
    let mut members: Vec<Shape> = Vec::new();
    for shape in shapes {
        match shape {
            Shape::Any => {}
            Shape::Object { fields, rest } => merge_object(&mut members, fields, rest),
            shape if members.contains(&shape) => {}
            shape => members.push(shape),
        }
    }
    // `{"type": "object"}` beside branches that are objects themselves adds nothing.
    if members.len() > 1 {
        members.retain(|member| !matches!(member, Shape::Object { fields, rest: None } if fields.is_empty()));
    }
    match members.len() {
        0 => Shape::Any,
        1 => members.remove(0),
        _ => Shape::Intersection(members),
    }
}

fn merge_object(members: &mut Vec<Shape>, fields: Vec<Field>, rest: Option<Box<Shape>>) {
    let existing = members.iter_mut().find_map(|member| match member {
        Shape::Object { fields, rest } => Some((fields, rest)),
        _ => None,
    });
    let Some((known, known_rest)) = existing else {
        members.push(Shape::Object { fields, rest });
        return;
    };
    for field in fields {
        match known.iter_mut().find(|other| other.name == field.name) {
            Some(other) => {
                other.required |= field.required;
                if other.shape == Shape::Any {
                    other.shape = field.shape;
                }
                other.description = other.description.take().or(field.description);
            }
            None => known.push(field),
        }
    }
    if known_rest.is_none() {
        *known_rest = rest;
    }
}
