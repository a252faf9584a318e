//! Branches at the root whose properties are brought up to it.

use mortise_contract::schema::SchemaDocument;
use mortise_contract::text::cut_bytes;
use serde_json::{Map, Value, json};

use super::super::rules::RootRule;
use super::branch::BranchReader;
use crate::loss::{Action, Losses, Severity};
use crate::text::visible;

const FIX: &str = "put the properties at the root, and say in the description which go together";
/// Names listed in a reason, and bytes of each.
const NAMES: usize = 5;
const NAME: usize = 80;

/// Brings the properties of branches up to the root; whether keys may be allowed that were not found in them.
pub(super) fn lift<'a>(
    root: &mut Map<String, Value>,
    (keyword, rule): (&str, &RootRule),
    value: &'a Value,
    document: &SchemaDocument<'a>,
    losses: &mut Losses,
) -> bool {
    let refused = match rule.severity {
        Severity::Error => "the provider refuses the whole request over this keyword at the root",
        _ => "the provider does not read this keyword",
    };
    let (branches, place) = match (value, document.place("")) {
        (Value::Array(branches), Some(place)) if keyword != "enum" => (branches, place),
        _ => {
            losses
                .add("", keyword, (Action::Dropped, rule.severity), refused)
                .before(value)
                .rule(rule.rule)
                .fix(FIX);
            return false;
        }
    };
    let reader = BranchReader::new(document);
    let branch = reader.together(keyword, place.list(keyword, branches), 0).unwrap_or_default();
    let (action, what) = match keyword {
        _ if reader.is_lost.get() => (Action::Dropped, "a branch of it can't be read"),
        "allOf" => (Action::Inlined, "its properties stand at the root now"),
        _ => (Action::Widened, "the properties of all branches stand at the root now, each optional"),
    };
    let severity = match (action, rule.severity) {
        // Nothing is refused, and the root says all that the branches say.
        (Action::Inlined, Severity::Warn) => Severity::Info,
        (_, severity) => severity,
    };
    let reason = format!("{refused}; {what}");
    losses.add("", keyword, (action, severity), reason).before(value).rule(rule.rule).fix(FIX);
    if root.shift_remove("unevaluatedProperties").is_some() {
        let reason = format!("it counted what the branches of `{keyword}` take");
        losses
            .add("", "unevaluatedProperties", (Action::Dropped, Severity::Warn), reason)
            .fix("use `additionalProperties`");
    }
    let unsaid = reader.unsaid.borrow();
    if !unsaid.is_empty() {
        let reason = format!("what the branches say with {} is left out", listed(unsaid.iter()));
        losses.add("", keyword, (Action::Dropped, Severity::Warn), reason).fix(FIX);
    }
    let known = root.get("properties").and_then(Value::as_object);
    let is_new = |key: &str| !known.is_some_and(|known| known.contains_key(key));
    let mut open: Vec<&str> = Vec::new();
    for (key, schema) in &branch.properties {
        let is_anything = *schema == &Value::Bool(true) || *schema == &json!({});
        if branch.open.contains(key) && is_new(key) && !is_anything && !open.contains(key) {
            open.push(key);
        }
    }
    if !open.is_empty() {
        // A model is better served by the type that is meant than by none.
        let reason = format!(
            "a branch that does not name {} takes anything there; the types that others give are kept",
            listed(open.iter())
        );
        losses.add("", keyword, (Action::Assumed, Severity::Warn), reason).fix(FIX);
    }
    add_properties(root, branch.properties);
    add_required(root, branch.required);
    reader.may_miss_keys()
}

/// The first few names.
fn listed<T: AsRef<str>>(names: impl ExactSizeIterator<Item = T>) -> String {
    let more = names.len().saturating_sub(NAMES);
    let names: Vec<String> =
        names.take(NAMES).map(|name| format!("`{}`", cut_bytes(&visible(name.as_ref()), NAME))).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names.join(", "))
}

/// Adds the properties that the root does not have, each with every schema that it is given.
pub(super) fn add_properties<'a>(
    root: &mut Map<String, Value>,
    added: impl IntoIterator<Item = (&'a str, &'a Value)>,
) {
    let mut properties = root.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut found: Map<String, Value> = Map::new();
    for (key, schema) in added.into_iter().filter(|(key, _)| !properties.contains_key(*key)) {
        let list = found.entry(key).or_insert_with(|| json!([]));
        if let Value::Array(list) = list
            && !list.contains(schema)
        {
            list.push(schema.clone());
        }
    }
    for (key, schemas) in found {
        let schema = match schemas {
            Value::Array(mut one) if one.len() == 1 => one.remove(0),
            several => json!({ "anyOf": several }),
        };
        properties.insert(key, schema);
    }
    root.insert("properties".to_owned(), properties.into());
}

pub(super) fn add_required<'a>(root: &mut Map<String, Value>, added: impl IntoIterator<Item = &'a str>) {
    let mut names: Vec<Value> = root.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for name in added {
        if !names.iter().any(|known| known == name) {
            names.push(name.into());
        }
    }
    if !names.is_empty() {
        root.insert("required".to_owned(), names.into());
    }
}
