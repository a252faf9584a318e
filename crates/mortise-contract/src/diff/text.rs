//! Words that check nothing: titles, descriptions, defaults, deprecation, keywords of others.

use serde_json::Value;

use super::side::Side;
use super::walk::{Place, Walk};
use super::{Level, Role, Rule};

/// Keywords that are compared elsewhere, or that only say how a schema is written.
const COMPARED: &[&str] = &[
    "$schema",
    "$id",
    "id",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "$vocabulary",
    "$defs",
    "definitions",
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "multipleOf",
    "pattern",
    "format",
    "uniqueItems",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "items",
    "prefixItems",
    "additionalItems",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contains",
    "minContains",
    "maxContains",
    "default",
    "deprecated",
];

pub(super) fn compare(walk: &mut Walk<'_>, old: &Side<'_>, new: &Side<'_>, place: &Place) {
    let mut keywords: Vec<&String> = old.keywords.keys().chain(new.keywords.keys()).collect();
    keywords.sort_unstable();
    keywords.dedup();
    for keyword in keywords {
        if !COMPARED.contains(&keyword.as_str()) && old.get(keyword) != new.get(keyword) {
            walk.report(Rule::TextChanged, Level::Info, &place.down(keyword), format!("`{keyword}` changed"));
        }
    }
    if old.get("default") != new.get("default") {
        let shown = |value: Option<&Value>| value.map_or_else(|| "none".to_owned(), Value::to_string);
        let message =
            format!("the default was {} and is {}", shown(old.get("default")), shown(new.get("default")));
        let level = if walk.role == Role::Input { Level::Warning } else { Level::Info };
        walk.report(Rule::DefaultChanged, level, &place.down("default"), message);
    }
    let deprecated = |side: &Side<'_>| side.get("deprecated") == Some(&Value::Bool(true));
    if deprecated(old) != deprecated(new) {
        let message = if deprecated(new) { "deprecated now" } else { "no longer deprecated" };
        walk.report(Rule::Deprecated, Level::Info, &place.down("deprecated"), message.to_owned());
    }
}
