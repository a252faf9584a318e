//! A schema whose root every provider accepts: an object with its properties in plain sight.

use serde_json::{Map, Value, json};

use super::members;
use crate::declare::loss::{Action, Losses, Severity};

/// References followed while a branch is looked up.
const REFERENCES: usize = 32;

/// The schema with an object at its root and none of the `refused` keywords there.
pub(super) fn object_root(schema: Value, refused: &[&str], losses: &mut Losses) -> Value {
    let whole = schema.clone();
    let mut root = members(schema);
    resolve_root(&mut root, &whole, losses);
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
        None => drop(root.shift_insert(0, "type".to_owned(), "object".into())),
    }
    if !root.contains_key("properties") && !refused.is_empty() {
        // Some providers refuse an object that has none.
        root.insert("properties".to_owned(), json!({}));
    }
    for keyword in refused {
        if let Some(value) = root.shift_remove(*keyword) {
            lift(&mut root, keyword, &value, &whole, losses);
        }
    }
    Value::Object(root)
}

/// A root that is only a reference is replaced by what it refers to.
fn resolve_root(root: &mut Map<String, Value>, whole: &Value, losses: &mut Losses) {
    let Some(reference) = root.get("$ref").and_then(Value::as_str) else { return };
    if let Some(Value::Object(target)) = followed(whole, root) {
        losses.add(
            "",
            "$ref",
            (Action::Inlined, Severity::Info),
            format!("the root refers to `{reference}`"),
        );
        root.shift_remove("$ref");
        for (key, value) in target {
            root.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
}

/// What a schema says after its references.
fn followed<'a>(whole: &'a Value, schema: &Map<String, Value>) -> Option<&'a Value> {
    let mut reference = schema.get("$ref")?.as_str()?;
    for _ in 0..REFERENCES {
        let target = whole.pointer(reference.strip_prefix('#')?)?;
        match target.get("$ref").and_then(Value::as_str) {
            Some(next) => reference = next,
            None => return Some(target),
        }
    }
    None
}

/// Brings the properties of branches up to the root.
fn lift(root: &mut Map<String, Value>, keyword: &str, value: &Value, whole: &Value, losses: &mut Losses) {
    const FIX: &str = "put the properties at the root, and say in the description which go together";
    let Value::Array(branches) = value else {
        let reason = "the provider refuses the whole request over this keyword at the root";
        losses.add("", keyword, (Action::Dropped, Severity::Error), reason).before(value).fix(FIX);
        return;
    };
    let branches: Vec<&Map<String, Value>> = branches
        .iter()
        .filter_map(|branch| {
            let own = branch.as_object()?;
            followed(whole, own).and_then(Value::as_object).or(Some(own))
        })
        .collect();
    if keyword == "enum" {
        let reason = "the provider refuses the whole request over this keyword at the root";
        losses.add("", keyword, (Action::Dropped, Severity::Error), reason).before(value).fix(FIX);
        return;
    }
    let is_all = keyword == "allOf";
    let (action, what) = match is_all {
        true => (Action::Inlined, "its properties stand at the root now"),
        false => (Action::Widened, "the properties of all branches stand at the root now, each optional"),
    };
    let reason = format!("the provider refuses the whole request over this keyword at the root; {what}");
    losses.add("", keyword, (action, Severity::Error), reason).before(value).fix(FIX);
    add_properties(root, &branches);
    let required = if is_all { in_any(&branches) } else { in_all(&branches) };
    let mut names: Vec<Value> = root.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for name in required {
        if !names.iter().any(|known| known == name) {
            names.push(name.into());
        }
    }
    if !names.is_empty() {
        root.insert("required".to_owned(), names.into());
    }
}

fn add_properties(root: &mut Map<String, Value>, branches: &[&Map<String, Value>]) {
    let mut properties = root.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let known: Vec<String> = properties.keys().cloned().collect();
    let mut found: Map<String, Value> = Map::new();
    for branch in branches {
        for (key, schema) in branch.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let list = found.entry(key.clone()).or_insert_with(|| json!([]));
            if let Value::Array(list) = list
                && !list.contains(schema)
            {
                list.push(schema.clone());
            }
        }
    }
    for (key, schemas) in found.into_iter().filter(|(key, _)| !known.contains(key)) {
        let schema = match schemas {
            Value::Array(mut one) if one.len() == 1 => one.remove(0),
            several => json!({ "anyOf": several }),
        };
        properties.insert(key, schema);
    }
    root.insert("properties".to_owned(), properties.into());
}

fn required(branch: &Map<String, Value>) -> Vec<&str> {
    let names = branch.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn in_any<'a>(branches: &[&'a Map<String, Value>]) -> Vec<&'a str> {
    branches.iter().flat_map(|branch| required(branch)).collect()
}

fn in_all<'a>(branches: &[&'a Map<String, Value>]) -> Vec<&'a str> {
    let Some((first, rest)) = branches.split_first() else { return Vec::new() };
    let everywhere = |name: &&str| rest.iter().all(|branch| required(branch).contains(name));
    required(first).into_iter().filter(everywhere).collect()
}
