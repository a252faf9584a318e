//! Keywords that hold something else than JSON Schema lets them.

use std::collections::HashSet;

use mortise_contract::schema::Dialect;
use mortise_contract::schema::keyword::{Holds, Keyword, holds};
use serde_json::{Map, Value, json};

use super::schema_walk::{each_schema, inside};
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
            (Some(Holds::Map), Value::Object(named)) => {
                named.iter_mut().for_each(|(name, schema)| check(name, schema));
            }
            (Some(Holds::List), Value::Array(list)) => {
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
fn is_right(name: &str, value: &Value) -> bool {
    if name == "$recursiveAnchor" {
        // 2020-12 keeps its name, and takes it for an anchor.
        return value.as_str().is_some_and(is_anchor);
    }
    let Some(keyword) = Keyword::find(name) else { return true };
    match keyword.holds {
        Holds::Reference => value.is_string(),
        _ if !keyword.is_in(Dialect::Draft202012) => true,
        Holds::Schema => is_schema(value),
        Holds::List => value.as_array().is_some_and(|list| !list.is_empty()),
        Holds::Map => value.is_object(),
        Holds::Types => match value {
            Value::Array(kinds) => !kinds.is_empty() && kinds.iter().all(is_type) && are_names(value),
            kind => is_type(kind),
        },
        Holds::Names => are_names(value),
        Holds::NamesByName => value.as_object().is_some_and(|named| named.values().all(are_names)),
        Holds::Values => value.is_array(),
        Holds::Number => value.is_number(),
        Holds::Divisor => value.as_f64() > Some(0.0),
        Holds::Count => value.as_f64().is_some_and(|count| count >= 0.0 && count.fract() == 0.0),
        Holds::Boolean => value.is_boolean(),
        Holds::Address => value.as_str().is_some_and(is_address),
        Holds::Anchor => value.as_str().is_some_and(is_anchor),
        Holds::Text => value.is_string(),
        Holds::Value | Holds::Object => true,
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
