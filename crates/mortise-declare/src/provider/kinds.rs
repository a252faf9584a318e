//! Keywords that hold something else than JSON Schema lets them.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::position::{Holds, each_schema, holds, inside};
use crate::loss::{Action, Losses, Severity};

/// The types that there are.
const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// The schema without what a provider that reads 2020-12 refuses the whole request over.
pub(super) fn well_formed(mut schema: Value, losses: &mut Losses) -> Value {
    each_schema(&mut schema, &HashSet::new(), &mut |members, pointer| {
        let wrong: Vec<String> = members
            .iter()
            .filter(|(keyword, value)| !is_right(keyword, value))
            .map(|(keyword, _)| keyword.clone())
            .collect();
        for keyword in wrong {
            if let Some(value) = members.shift_remove(&keyword) {
                lost(pointer, &keyword, &value, losses);
            }
        }
        inner(members, pointer, losses);
    });
    schema
}

fn lost(pointer: &str, keyword: &str, value: &Value, losses: &mut Losses) {
    let reason = "the provider refuses the whole request over a keyword that holds something else than JSON Schema says";
    losses.add(pointer, keyword, (Action::Dropped, Severity::Error), reason).before(value).fix(fix(keyword));
}

fn fix(keyword: &str) -> &'static str {
    match keyword {
        "type" => "name one of the seven types of JSON, or a list of them",
        "required" => "list the names of required properties beside `properties`",
        "properties" => "give `properties` one schema for each name",
        _ => "write the keyword as JSON Schema 2020-12 has it",
    }
}

/// Puts a schema that takes anything where something stands that is none.
fn inner(members: &mut Map<String, Value>, pointer: &str, losses: &mut Losses) {
    for (keyword, member) in members {
        let place = inside(pointer, keyword);
        let mut check = |token: &str, schema: &mut Value| {
            if !is_schema(schema) {
                lost(&inside(&place, token), keyword, schema, losses);
                *schema = json!({});
            }
        };
        match (holds(keyword), member) {
            (Holds::Map, Value::Object(named)) => {
                named.iter_mut().for_each(|(name, schema)| check(name, schema));
            }
            (Holds::List, Value::Array(list)) => {
                list.iter_mut().enumerate().for_each(|(at, schema)| check(&at.to_string(), schema));
            }
            _ => {}
        }
    }
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// Whether a keyword may hold a value, whatever stands further inside.
fn is_right(keyword: &str, value: &Value) -> bool {
    match (holds(keyword), keyword) {
        // Nobody reads this one any more.
        (_, "additionalItems" | "dependencies" | "id" | "$vocabulary") => true,
        (Holds::Schema, _) => is_schema(value),
        (Holds::List, _) => value.as_array().is_some_and(|list| !list.is_empty()),
        (Holds::Map, _) => value.is_object(),
        (_, "type") => match value {
            Value::Array(kinds) => !kinds.is_empty() && kinds.iter().all(is_type) && are_names(value),
            kind => is_type(kind),
        },
        (_, "required") => are_names(value),
        (_, "dependentRequired") => value.as_object().is_some_and(|named| named.values().all(are_names)),
        (_, "enum" | "examples") => value.is_array(),
        (_, "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum") => value.is_number(),
        (_, "multipleOf") => value.as_f64() > Some(0.0),
        (
            _,
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
            | "minContains" | "maxContains",
        ) => value.as_f64().is_some_and(|count| count >= 0.0 && count.fract() == 0.0),
        (_, "uniqueItems" | "deprecated" | "readOnly" | "writeOnly") => value.is_boolean(),
        (_, "$id") => value.as_str().is_some_and(is_address),
        (_, "$anchor" | "$dynamicAnchor" | "$recursiveAnchor") => value.as_str().is_some_and(is_anchor),
        (
            _,
            "title" | "description" | "$comment" | "pattern" | "format" | "$ref" | "$dynamicRef"
            | "$recursiveRef" | "$schema" | "contentEncoding" | "contentMediaType",
        ) => value.is_string(),
        _ => true,
    }
}

fn is_type(kind: &Value) -> bool {
    kind.as_str().is_some_and(|kind| TYPES.contains(&kind))
}

fn are_names(value: &Value) -> bool {
    let Some(names) = value.as_array() else { return false };
    let mut seen = HashSet::new();
    names.iter().all(|name| name.as_str().is_some_and(|name| seen.insert(name)))
}

/// Whether a provider takes a text for an address: without an anchor, and without spaces.
fn is_address(id: &str) -> bool {
    !id.trim_end_matches('#').contains('#') && !id.contains(char::is_whitespace)
}

fn is_anchor(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|character| character.is_ascii_alphanumeric() || "-_.".contains(character))
}
