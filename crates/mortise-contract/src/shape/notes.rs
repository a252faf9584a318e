//! Bounds and defaults in a few words.

use serde_json::Value;

use crate::text::cut;

/// Characters of one default or pattern that are shown.
const SHOWN: usize = 60;

/// For example `1 to 100, default 10`; nothing when the schema sets none of it.
pub(super) fn notes(schema: &Value) -> Option<String> {
    let mut notes = Vec::new();
    notes.extend(range(schema, "minimum", "maximum", ""));
    notes.extend(bound(schema, "exclusiveMinimum").map(|bound| format!("above {bound}")));
    notes.extend(bound(schema, "exclusiveMaximum").map(|bound| format!("below {bound}")));
    notes.extend(bound(schema, "multipleOf").map(|bound| format!("multiple of {bound}")));
    notes.extend(range(schema, "minLength", "maxLength", " characters"));
    notes.extend(range(schema, "minItems", "maxItems", " items"));
    if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
        notes.push("no repeats".to_owned());
    }
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        notes.push(format!("matches {}", cut(pattern, SHOWN)));
    }
    if let Some(default) = schema.get("default") {
        notes.push(format!("default {}", cut(&default.to_string(), SHOWN)));
    }
    if schema.get("deprecated") == Some(&Value::Bool(true)) {
        notes.push("deprecated".to_owned());
    }
    (!notes.is_empty()).then(|| notes.join(", "))
}

fn bound<'a>(schema: &'a Value, keyword: &str) -> Option<&'a serde_json::Number> {
    match schema.get(keyword) {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    }
}

fn range(schema: &Value, low: &str, high: &str, unit: &str) -> Option<String> {
    match (bound(schema, low), bound(schema, high)) {
        (Some(low), Some(high)) if low == high => Some(format!("exactly {low}{unit}")),
        (Some(low), Some(high)) => Some(format!("{low} to {high}{unit}")),
        (Some(low), None) => Some(format!("at least {low}{unit}")),
        (None, Some(high)) => Some(format!("at most {high}{unit}")),
        (None, None) => None,
    }
}
