//! The schema inside a wrapper, with everything of the wrapper that it refers to.

use serde_json::{Map, Value, json};

use super::rewrite::{Direction, leads_inside, rewrite};
use super::{RESULT, schema_under_result};
use crate::schema::Dialect;
use crate::schema::keyword::{Holds, holds};

/// Where schemas keep others.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// The schema under the property `result`, as a document of its own: its references lead where they led in the
/// wrapper. `None` if it has none.
pub fn unwrapped_schema(wrapper: &Value) -> Option<Value> {
    let mut inner = match schema_under_result(wrapper)? {
        Value::Object(inner) => inner,
        inner => return Some(inner),
    };
    let members = wrapper.as_object()?;
    let dialect = Dialect::of(wrapper, Dialect::default()).unwrap_or_default();
    if refers_to_wrapper(members) {
        return Some(beside_wrapper(wrapper, dialect));
    }
    for key in DEFINITIONS {
        if let Some(definitions) = members.get(key).filter(|_| !inner.contains_key(key)) {
            let mut definitions = json!({ key: definitions });
            rewrite(&mut definitions, dialect, Direction::OutOf);
            inner.extend(definitions.as_object_mut().map(std::mem::take).unwrap_or_default());
        }
    }
    Some(inner.into())
}

/// Whether a reference leads to what is neither inside nor among the definitions that move with it.
fn refers_to_wrapper(wrapper: &Map<String, Value>) -> bool {
    let inner = wrapper.get("properties").and_then(|properties| properties.get(RESULT));
    let goes_along = |reference: &str| {
        DEFINITIONS.iter().any(|key| {
            let is_inside = reference.strip_prefix("#/").is_some_and(|rest| {
                rest.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            });
            is_inside && inner.is_none_or(|inner| inner.get(key).is_none())
        })
    };
    let mut open: Vec<&Value> =
        inner.into_iter().chain(DEFINITIONS.iter().filter_map(|key| wrapper.get(*key))).collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                for (key, member) in members {
                    match (holds(key), member) {
                        (Some(Holds::Reference), Value::String(reference)) => {
                            let counts_from_root =
                                reference.is_empty() || reference == "#" || reference.starts_with("#/");
                            if counts_from_root && leads_inside(reference).is_none() && !goes_along(reference)
                            {
                                return true;
                            }
                        }
                        (_, member) => open.push(member),
                    }
                }
            }
            _ => {}
        }
    }
    false
}

/// The inner schema with the whole wrapper among its definitions; in that the inner one is a reference back.
fn beside_wrapper(wrapper: &Value, dialect: Dialect) -> Value {
    let result = wrapper.get("properties").and_then(|properties| properties.get(RESULT));
    let mut inner = result.cloned().unwrap_or_default();
    let mut copy = wrapper.clone();
    let name = free_name(&inner);
    let place = format!("#/$defs/{name}");
    let dialect_word = copy.as_object_mut().and_then(|members| {
        // An address would make it a document of its own, in which references count from there.
        members.shift_remove(dialect.id_keyword());
        members.shift_remove("$schema")
    });
    if let Some(properties) = copy.get_mut("properties").and_then(Value::as_object_mut) {
        properties.shift_remove(RESULT);
    }
    for schema in [&mut inner, &mut copy] {
        rewrite(schema, dialect, Direction::OutOfBeside(&place));
    }
    if let Some(properties) = copy.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(RESULT.to_owned(), json!({"$ref": "#"}));
    }
    if let Value::Object(members) = &mut inner {
        if let Value::Object(definitions) = members.entry("$defs").or_insert_with(|| json!({})) {
            definitions.insert(name, copy);
        }
        if let Some(word) = dialect_word {
            members.shift_insert(0, "$schema".to_owned(), word);
        }
    }
    inner
}

/// A name that no definition has yet.
fn free_name(inner: &Value) -> String {
    let mut name = "wrapper".to_owned();
    while inner.get("$defs").is_some_and(|definitions| definitions.get(&name).is_some()) {
        name.push('_');
    }
    name
}
