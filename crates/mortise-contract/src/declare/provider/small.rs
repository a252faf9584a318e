//! Schemas for clients that keep little of JSON Schema; the rest becomes words.

use serde_json::{Map, Value, json};

use super::position::{Holds, holds};
use crate::declare::hint::{self, HintStep};
use crate::declare::loss::{Action, Losses, Severity, Side};
use crate::declare::model::{Doc, Model};
use crate::declare::text::visible;
use crate::excerpt::excerpt;
use crate::json::escape_token;

/// What is kept of a property, beside `items`.
const KEPT: [&str; 4] = ["type", "description", "enum", "const"];
/// Bytes of a type in a description.
const TYPE: usize = 512;
/// Bytes of a property's description with its type.
const DESCRIPTION: usize = 1_024;
/// What an author can do about a keyword of the root that does not arrive.
const ROOT_FIX: &str = "say it in the description of the tool";
/// Bounds of an object.
const BOUNDS: [&str; 2] = ["minProperties", "maxProperties"];
/// Keywords that lead to a definition, which is not passed on.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords without which a model may build wrong values.
const STRUCTURE: [&str; 10] = [
    "items",
    "prefixItems",
    "properties",
    "required",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "additionalProperties",
    "patternProperties",
];

/// Keeps `type`, `required` and one level of properties; what they held besides is told in their descriptions.
pub(super) fn reduce(schema: &Value, losses: &mut Losses) -> Value {
    let mut reduced = Map::from_iter([("type".to_owned(), json!("object"))]);
    let mut properties = Map::new();
    for (key, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        properties.insert(key.clone(), reduce_property(schema, key, property, losses));
    }
    for (key, value) in schema.as_object().into_iter().flatten() {
        let is_silent = matches!(
            key.as_str(),
            "type" | "properties" | "required" | "$defs" | "definitions" | "$schema" | "title"
        );
        if !is_silent {
            let severity = if constrains(key, value) { Severity::Warn } else { Severity::Info };
            let reason = "the client keeps no more than `type`, `properties` and `required`";
            losses.add("", key, (Action::Dropped, severity), reason).before(value).fix(ROOT_FIX);
        }
    }
    reduced.insert("properties".to_owned(), properties.into());
    if let Some(required) = schema.get("required").filter(|required| required.is_array()) {
        reduced.insert("required".to_owned(), required.clone());
    }
    Value::Object(reduced)
}

/// Whether arguments that a keyword at the root forbids may be built without it. Who is not told that other keys are
/// refused invents none.
fn constrains(keyword: &str, value: &Value) -> bool {
    const SILENT: [&str; 10] = [
        "$id",
        "id",
        "$anchor",
        "$dynamicAnchor",
        "$recursiveAnchor",
        "description",
        "default",
        "examples",
        "$comment",
        "deprecated",
    ];
    match keyword {
        "additionalProperties" | "unevaluatedProperties" => value.is_object(),
        keyword => {
            holds(keyword) != Holds::Annotation && !SILENT.contains(&keyword) || BOUNDS.contains(&keyword)
        }
    }
}

fn reduce_property(root: &Value, key: &str, property: &Value, losses: &mut Losses) -> Value {
    let pointer = format!("/properties/{}", escape_token(key));
    let model = Model::of(root, &pointer, Side::Input);
    let mut reduced = Map::new();
    let own = |keyword: &str| property.get(keyword).cloned();
    let simple = simple_type(property);
    if let Some(kind) = own("type").or_else(|| simple.clone()) {
        reduced.insert("type".to_owned(), kind);
    }
    // Beside `prefixItems` they are about the elements after those.
    let is_tuple = property.get("prefixItems").is_some();
    let items = own("items").filter(|items| !refers(items) && !is_tuple);
    for (keyword, value) in [("items", items.clone()), ("enum", own("enum"))] {
        if let Some(value) = value {
            reduced.insert(keyword.to_owned(), value);
        }
    }
    if let Some(value) = own("const") {
        reduced.insert("enum".to_owned(), json!([value]));
    }
    let mut dropped = property == &Value::Bool(false);
    if dropped {
        let reason = "the client does not know keys that must be left out; the description tells it";
        losses
            .add(&pointer, "properties", (Action::Widened, Severity::Warn), reason)
            .fix("leave the key out, and close the object with `additionalProperties`");
    }
    for (keyword, value) in property.as_object().into_iter().flatten() {
        let is_said = match keyword.as_str() {
            "items" => items.is_some(),
            "anyOf" => simple.is_some(),
            keyword => KEPT.contains(&keyword),
        };
        if is_said {
            continue;
        }
        let is_structure = STRUCTURE.contains(&keyword.as_str());
        dropped |= is_structure || keyword != "title";
        let severity = if is_structure { Severity::Warn } else { Severity::Info };
        let reason = "the client does not pass it on; the description tells it";
        losses.add(&pointer, keyword, (Action::Dropped, severity), reason).before(value).fix(fix(keyword));
    }
    let mut description = model.doc.description.clone().unwrap_or_default();
    if dropped {
        // What is said about the whole stands in the description already.
        let (kind, step) = hint::compact(&Model { doc: Doc::default(), ..model.clone() }, TYPE);
        if step != HintStep::Full {
            for loss in hint::shortened(step, TYPE) {
                losses
                    .add(&pointer, &loss.keyword, (loss.action, loss.severity), loss.reason)
                    .fix("make the property flat, or say in the description what is in it");
            }
        }
        let tags = model.doc.tags.iter().filter(|tag| tag.starts_with('@'));
        let tags = tags.map(|tag| visible(tag)).collect::<Vec<_>>().join(" ");
        let said = format!("Type: {kind} {tags}");
        let room = DESCRIPTION.saturating_sub(said.len() + 1);
        description = format!("{} {}", excerpt(&description, room), said.trim_end()).trim().to_owned();
    }
    if !description.is_empty() {
        reduced.insert("description".to_owned(), description.into());
    }
    Value::Object(reduced)
}

/// What an author can do about a keyword that does not arrive.
fn fix(keyword: &str) -> &'static str {
    match keyword {
        "$ref" | "items" | "prefixItems" => "write the definition where it is used",
        "anyOf" | "oneOf" | "allOf" => "give the property one `type`, or a list of them, and an `enum`",
        "properties" | "required" | "additionalProperties" | "patternProperties" => {
            "make the property flat, or say in the description what is in it"
        }
        _ => "say it in the description",
    }
}

/// Whether a schema refers to another, at any depth.
fn refers(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members
            .iter()
            .any(|(key, value)| refers(value) || (REFERENCES.contains(&key.as_str()) && value.is_string())),
        Value::Array(items) => items.iter().any(refers),
        _ => false,
    }
}

/// `anyOf` of plain types, as Python's `Optional` writes it, is a list of types.
fn simple_type(property: &Value) -> Option<Value> {
    let branches = property.get("anyOf")?.as_array()?;
    let kinds: Option<Vec<Value>> = branches
        .iter()
        .map(|branch| match branch.as_object() {
            Some(members) if members.len() == 1 => {
                members.get("type").filter(|kind| kind.is_string()).cloned()
            }
            _ => None,
        })
        .collect();
    kinds.map(Value::from)
}
