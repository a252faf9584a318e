//! A schema whose root every provider accepts: an object with its properties in plain sight.

mod branch;
mod lift;

use std::collections::HashSet;

use mortise_contract::json::escape_token;
use mortise_contract::schema::keyword::{Keyword, Purpose};
use mortise_contract::schema::{SchemaDocument, SchemaPlace};
use serde_json::{Map, Value, json};

use super::members;
use super::rules::RootRule;
use crate::loss::{Action, Losses, Severity};
use lift::{add_properties, add_required, lift};

/// References followed one after the other.
const REFERENCES: usize = 32;
/// Keywords that mean something together only.
const CONDITION: [&str; 3] = ["if", "then", "else"];

/// A schema with an object at its root.
pub(super) struct Root {
    pub(super) schema: Value,
    /// Whether keys are allowed that are named nowhere in it any more.
    pub(super) is_partly_read: bool,
}

/// The schema with an object at its root and none of the keywords there that the provider does not take.
pub(super) fn object_root(schema: Value, rule: &RootRule, losses: &mut Losses) -> Root {
    let whole = schema.clone();
    let document = SchemaDocument::new(&whole);
    let mut root = members(schema);
    resolve_root(&mut root, &document, losses);
    match root.get("type") {
        Some(Value::String(kind)) if kind == "object" => {}
        Some(other) => {
            let reason = "arguments are always an object";
            losses
                .add("", "type", (Action::Widened, Severity::Error), reason)
                .before(other)
                .after("object")
                .fix("give the input schema the type `object`");
            root.insert("type".to_owned(), "object".into());
        }
        None => {
            let text = whole.to_string();
            if [r##""$ref":"#""##, r#""$dynamicRef""#, r#""$recursiveRef""#]
                .iter()
                .any(|link| text.contains(link))
            {
                let reason = "arguments are always an object; so is what refers to the root now";
                losses.add("", "type", (Action::Assumed, Severity::Info), reason).after("object");
            }
            root.shift_insert(0, "type".to_owned(), "object".into());
        }
    }
    if !root.contains_key("properties") && rule.severity == Severity::Error {
        // Some providers refuse an object that has none.
        root.insert("properties".to_owned(), json!({}));
    }
    let mut is_partly_read = false;
    for keyword in rule.keywords {
        if let Some(value) = root.shift_remove(*keyword) {
            is_partly_read |= lift(&mut root, (keyword, rule), &value, &document, losses);
        }
    }
    Root { schema: Value::Object(root), is_partly_read }
}

/// A root that refers is joined with what it refers to.
fn resolve_root(root: &mut Map<String, Value>, document: &SchemaDocument<'_>, losses: &mut Losses) {
    let Some(reference) = root.get("$ref").and_then(Value::as_str).map(str::to_owned) else { return };
    let Some(targets) = followed(document) else {
        let reason = format!("the root refers to `{reference}`, which leads nowhere in the end");
        losses
            .add("", "$ref", (Action::Dropped, Severity::Error), reason)
            .fix("write the definition where it is used");
        root.shift_remove("$ref");
        return;
    };
    let reason = format!("the root refers to `{reference}`");
    losses.add("", "$ref", (Action::Inlined, Severity::Info), reason);
    for place in targets {
        root.shift_remove("$ref");
        if let Value::Object(target) = place.value {
            join(root, target, losses);
        }
    }
}

/// The places that the root refers to, one after the other; none if they do not come to an end, or to no schema.
fn followed<'a>(document: &SchemaDocument<'a>) -> Option<Vec<SchemaPlace<'a>>> {
    let mut place = document.place("")?;
    let (mut places, mut seen) = (Vec::new(), HashSet::new());
    while let Some(reference) = place.value.get("$ref").and_then(Value::as_str) {
        place = document.target(&place.scope, reference)?;
        if places.len() >= REFERENCES || !seen.insert(place.pointer.clone()) {
            return None;
        }
        places.push(place.clone());
    }
    let is_schema = place.value.is_object() && !place.pointer.is_empty();
    is_schema.then_some(places)
}

/// Adds to the root what holds beside it.
fn join(root: &mut Map<String, Value>, target: &Map<String, Value>, losses: &mut Losses) {
    let has_condition = CONDITION.iter().any(|keyword| root.contains_key(*keyword));
    if has_condition {
        // A condition of the one has nothing to do with the consequence of the other.
        let part = target.iter().filter(|(key, _)| CONDITION.contains(&key.as_str()));
        let part: Map<String, Value> = part.map(|(key, value)| (key.clone(), value.clone())).collect();
        if !part.is_empty() {
            also(root, vec![Value::Object(part)]);
        }
    }
    // By its names a definition is found, which the root is not.
    let is_name = |key: &str| Keyword::find(key).is_some_and(|row| row.purpose == Purpose::Identity);
    let is_apart = |key: &str| is_name(key) || (has_condition && CONDITION.contains(&key));
    for (key, value) in target.iter().filter(|(key, _)| !is_apart(key)) {
        let is_told_twice = match root.get(key) {
            None => {
                root.insert(key.clone(), value.clone());
                continue;
            }
            Some(own) => own != value && !says_nothing(key),
        };
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                let clashes = clashes(root, properties);
                add_properties(root, properties.iter().map(|(key, schema)| (key.as_str(), schema)));
                for clash in clashes {
                    note_twice(&format!("/properties/{}", escape_token(clash)), "properties", losses);
                }
            }
            ("required", _) => add_required(root, required(target)),
            _ if !is_told_twice => {}
            ("allOf", Value::Array(branches)) => also(root, branches.clone()),
            ("anyOf" | "oneOf", Value::Array(_)) => also(root, vec![json!({ key.as_str(): value })]),
            _ => note_twice("", key, losses),
        }
    }
}

/// The properties of both that are not the same.
fn clashes<'a>(root: &Map<String, Value>, properties: &'a Map<String, Value>) -> Vec<&'a str> {
    let own = root.get("properties");
    let is_other = |(key, schema): &(&String, &Value)| {
        own.and_then(|own| own.get(key.as_str())).is_some_and(|own| own != *schema)
    };
    properties.iter().filter(is_other).map(|(key, _)| key.as_str()).collect()
}

fn note_twice(pointer: &str, keyword: &str, losses: &mut Losses) {
    let reason = "it is said beside `$ref` and where that leads; what is said first is kept";
    losses
        .add(pointer, keyword, (Action::Widened, Severity::Warn), reason)
        .fix("write the definition where it is used");
}

/// Adds to what holds beside everything else.
fn also(root: &mut Map<String, Value>, branches: Vec<Value>) {
    match root.get_mut("allOf") {
        Some(Value::Array(known)) => known.extend(branches),
        _ => drop(root.insert("allOf".to_owned(), branches.into())),
    }
}

/// Whether a keyword of JSON Schema says nothing about values.
fn says_nothing(keyword: &str) -> bool {
    Keyword::find(keyword).is_some_and(|row| !row.can_refuse())
}

fn required(schema: &Map<String, Value>) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}
