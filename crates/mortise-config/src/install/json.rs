//! Our entry in JSON with comments.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::{Map, Value};

use super::{ENTRY_NAME, TextError};

/// The file with our entry under these keys.
pub(super) fn add(text: &str, keys: &[&str], entry: &Map<String, Value>) -> Result<String, TextError> {
    let old = read(text)?;
    if text.trim().is_empty() {
        return Ok(shown(keys, entry) + "\n");
    }
    let root = parse(text)?;
    let mut object = root.object_value_or_create().ok_or(TextError::Layout)?;
    for key in keys {
        object = object.object_value_or_create(key).ok_or(TextError::Layout)?;
    }
    let wanted = Value::Object(entry.clone());
    match object.get(ENTRY_NAME) {
        Some(known) if known.to_serde_value().is_some_and(|value| value == wanted) => {
            return Ok(text.to_owned());
        }
        Some(known) => known.set_value(input(&wanted)),
        None => {
            object.append(ENTRY_NAME, input(&wanted));
        }
    }
    verified(root.to_string(), &with(old, keys, Some(wanted)))
}

/// Our entry as it stands there, and the file without it; `None` where it has none.
pub(super) fn remove(text: &str, keys: &[&str]) -> Result<Option<(String, String)>, TextError> {
    let old = read(text)?;
    let root = parse(text)?;
    let Some(object) = object_at(&root, keys) else { return Ok(None) };
    let Some(entry) = object.get(ENTRY_NAME) else { return Ok(None) };
    let value = entry.to_serde_value().unwrap_or_default();
    let entry_text = match &value {
        Value::Object(members) => shown(keys, members),
        other => other.to_string(),
    };
    entry.remove();
    let removed = verified(root.to_string(), &with(old, keys, None))?;
    Ok(Some((entry_text, removed)))
}

/// A whole file with nothing but our entry.
pub(super) fn shown(keys: &[&str], entry: &Map<String, Value>) -> String {
    let empty = parse("{\n}").ok();
    let root = empty.and_then(|root| {
        let object = keys
            .iter()
            .try_fold(root.object_value_or_create()?, |object, key| object.object_value_or_create(key))?;
        object.append(ENTRY_NAME, input(&Value::Object(entry.clone())));
        Some(root)
    });
    root.map(|root| root.to_string()).unwrap_or_default()
}

fn parse(text: &str) -> Result<CstRootNode, TextError> {
    CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| TextError::Syntax(error.kind().to_string()))
}

fn read(text: &str) -> Result<Value, TextError> {
    match parse(text)?.to_serde_value() {
        None | Some(Value::Null) => Ok(Value::Object(Map::new())),
        Some(value) => Ok(value),
    }
}

fn object_at(root: &CstRootNode, keys: &[&str]) -> Option<CstObject> {
    keys.iter().try_fold(root.object_value()?, |object, key| object.object_value(key))
}

/// What the file should say: with our entry, or without.
fn with(mut value: Value, keys: &[&str], entry: Option<Value>) -> Value {
    let mut place = &mut value;
    for key in keys {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        place = &mut place[*key];
    }
    match (place, entry) {
        (Value::Object(members), None) => _ = members.shift_remove(ENTRY_NAME),
        (Value::Object(members), Some(entry)) => _ = members.insert(ENTRY_NAME.to_owned(), entry),
        (place, Some(entry)) => {
            *place = Value::Object([(ENTRY_NAME.to_owned(), entry)].into_iter().collect())
        }
        (_, None) => {}
    }
    value
}

fn verified(text: String, wanted: &Value) -> Result<String, TextError> {
    match read(&text) {
        Ok(found) if found == *wanted => Ok(text),
        _ => Err(TextError::Layout),
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}
