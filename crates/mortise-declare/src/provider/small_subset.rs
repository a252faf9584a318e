//! Schemas for clients that keep little of JSON Schema; the rest becomes words.

use mortise_contract::json::{JsonKind, escape_token};
use mortise_contract::schema::keyword::{Holds, Keyword, holds};
use mortise_contract::text::cut_bytes;
use serde_json::{Map, Value, json};

use super::inline::inlined;
use super::rule_table::{OLLAMA_KEYWORDS, OLLAMA_PYTHON};
use super::schema_walk::inside;
use crate::hint::{self, HintStep};
use crate::loss::{Action, Losses, SchemaSide, Severity};
use crate::model::{Doc, Model};
use crate::text::visible;

/// Bytes of a type in a description.
const TYPE: usize = 512;
/// Bytes of a property's description with its type.
const DESCRIPTION: usize = 1_024;
/// What an author can do about a keyword of the root that does not arrive.
const ROOT_FIX: &str = "say it in the description of the tool";
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

/// Keeps `type`, `required` and the structure of properties; what they held besides is said in their descriptions.
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
            losses
                .add("", key, (Action::Dropped, severity), reason)
                .before(value)
                .rule(&OLLAMA_KEYWORDS)
                .fix(ROOT_FIX);
        }
    }
    reduced.insert("properties".to_owned(), properties.into());
    if let Some(required) = schema.get("required").filter(|required| required.is_array()) {
        reduced.insert("required".to_owned(), required.clone());
    }
    Value::Object(reduced)
}

/// Whether a model may build arguments that a keyword at the root forbids, without seeing it. Models don't invent keys,
/// so a ban on other keys does not count.
fn constrains(keyword: &str, value: &Value) -> bool {
    match keyword {
        "additionalProperties" | "unevaluatedProperties" => value.is_object(),
        keyword => Keyword::find(keyword)
            .is_some_and(|row| row.can_refuse() && row.concerns.is_none_or(|kind| kind == JsonKind::Object)),
    }
}

fn reduce_property(root: &Value, key: &str, property: &Value, losses: &mut Losses) -> Value {
    let pointer = format!("/properties/{}", escape_token(key));
    let model = Model::of(root, &pointer, SchemaSide::Input);
    let whole = inlined(root, property);
    if whole.is_some() && refers(property) {
        let reason = "the client drops references; what they lead to stands here";
        losses.add(&pointer, "$ref", (Action::Inlined, Severity::Info), reason).rule(&OLLAMA_KEYWORDS);
    }
    let is_inlined = whole.is_some();
    let property = whole.as_ref().unwrap_or(property);
    let mut reduced = Map::new();
    let mut dropped = property == &Value::Bool(false);
    if dropped {
        let reason = "the client does not know keys that must be left out; the description says so";
        losses
            .add(&pointer, "properties", (Action::Widened, Severity::Warn), reason)
            .rule(&OLLAMA_KEYWORDS)
            .fix("leave the key out, and close the object with `additionalProperties`");
    }
    if let Value::Object(members) = property {
        dropped |= keep(members, &pointer, is_inlined, &mut reduced, losses);
    }
    let mut description = model.doc.description.clone().unwrap_or_default();
    reduced.shift_remove("description");
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
        if description.len() > room {
            let reason = format!("longer than {room} bytes beside the type");
            losses
                .add(&pointer, "description", (Action::Truncated, Severity::Warn), reason)
                .before(&Value::from(description.as_str()))
                .fix("say it in fewer words");
        }
        description = format!("{} {}", cut_bytes(&description, room), said.trim_end()).trim().to_owned();
    }
    if !description.is_empty() {
        reduced.insert("description".to_owned(), description.into());
    }
    Value::Object(reduced)
}

/// Takes over what the client passes on, at every depth; whether words must say the rest.
fn keep(
    members: &Map<String, Value>,
    pointer: &str,
    is_inlined: bool,
    kept: &mut Map<String, Value>,
    losses: &mut Losses,
) -> bool {
    let simple = simple_type(members);
    let mut needs_words = false;
    for (keyword, value) in members {
        let inner = inside(pointer, keyword);
        match (keyword.as_str(), value) {
            ("type" | "description" | "enum", value) => drop(kept.insert(keyword.clone(), value.clone())),
            ("const", value) => drop(kept.insert("enum".to_owned(), json!([value]))),
            ("anyOf", _) if simple.is_some() => {}
            // Beside `prefixItems` they are about the elements after those.
            ("items", value) if is_inlined && !members.contains_key("prefixItems") => {
                kept.insert(keyword.clone(), value.clone());
            }
            ("required", value) if members.contains_key("properties") => {
                kept.insert(keyword.clone(), value.clone());
            }
            ("properties", Value::Object(named)) if is_inlined => {
                let part = |(name, property): (&String, &Value)| {
                    let inner = inside(&inner, name);
                    (name.clone(), nested(property, &inner, losses))
                };
                let named: Map<String, Value> = named.iter().map(part).collect();
                kept.insert(keyword.clone(), named.into());
                note_python(pointer, keyword, losses);
                needs_words = true;
            }
            ("anyOf" | "oneOf", Value::Array(branches))
                if is_inlined && (keyword == "anyOf" || !members.contains_key("anyOf")) =>
            {
                let part = |(at, branch)| nested(branch, &format!("{inner}/{at}"), losses);
                let branches: Vec<Value> = branches.iter().enumerate().map(part).collect();
                kept.insert("anyOf".to_owned(), branches.into());
                note_python(pointer, keyword, losses);
                needs_words = true;
            }
            (word, value) => {
                let is_structure = STRUCTURE.contains(&word);
                needs_words |= is_structure || word != "title";
                let severity = if is_structure { Severity::Warn } else { Severity::Info };
                let reason = "the client does not pass it on; the description says it";
                losses
                    .add(pointer, word, (Action::Dropped, severity), reason)
                    .before(value)
                    .rule(&OLLAMA_KEYWORDS)
                    .fix(fix(word));
            }
        }
    }
    if let Some(kinds) = simple.filter(|_| !kept.contains_key("type")) {
        kept.insert("type".to_owned(), kinds);
    }
    needs_words
}

/// A schema further inside.
fn nested(schema: &Value, pointer: &str, losses: &mut Losses) -> Value {
    let mut kept = Map::new();
    if let Value::Object(members) = schema {
        keep(members, pointer, true, &mut kept, losses);
    }
    kept.into()
}

/// What the server passes on and the Python client drops.
fn note_python(pointer: &str, keyword: &str, losses: &mut Losses) {
    let reason = "Ollama's Python client drops it; the description says it too";
    losses.add(pointer, keyword, (Action::Kept, Severity::Info), reason).rule(&OLLAMA_PYTHON);
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
            .any(|(key, value)| refers(value) || (holds(key) == Some(Holds::Reference) && value.is_string())),
        Value::Array(items) => items.iter().any(refers),
        _ => false,
    }
}

/// `anyOf` of plain types, as Python's `Optional` writes it, is a list of types.
fn simple_type(property: &Map<String, Value>) -> Option<Value> {
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
