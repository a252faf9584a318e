//! Where schemas stand within a schema.

use std::collections::HashSet;

use mortise_contract::json::escape_token;
use serde_json::{Map, Value};

/// What stands under a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// A schema; in older dialects some of them also a list.
    Schema,
    /// A list of schemas.
    List,
    /// Schemas by name, whatever word the name is.
    Map,
    /// A value that must not be changed, or a word that means something to a validator.
    Value,
    /// Something for readers.
    Annotation,
}

/// What a keyword of any dialect holds.
pub(super) fn holds(keyword: &str) -> Holds {
    match keyword {
        "items"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contentSchema" => Holds::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::List,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
        | "dependencies" => Holds::Map,
        "$ref" | "$dynamicRef" | "$recursiveRef" | "$id" | "id" | "$anchor" | "$dynamicAnchor"
        | "$recursiveAnchor" | "$schema" | "$vocabulary" | "type" | "enum" | "const" | "default"
        | "examples" | "required" | "dependentRequired" | "pattern" | "format" | "contentEncoding"
        | "contentMediaType" => Holds::Value,
        _ => Holds::Annotation,
    }
}

/// Changes every schema of a document, from the outside in: what stands under keywords, and wherever one of the
/// `targets` of references is.
pub(super) fn each_schema(
    root: &mut Value,
    targets: &HashSet<String>,
    change: &mut dyn FnMut(&mut Map<String, Value>, &str),
) {
    walk(root, "", true, targets, change);
}

fn walk(
    value: &mut Value,
    pointer: &str,
    is_schema: bool,
    targets: &HashSet<String>,
    change: &mut dyn FnMut(&mut Map<String, Value>, &str),
) {
    let is_schema = is_schema || targets.contains(pointer);
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                walk(item, &format!("{pointer}/{index}"), false, targets, change);
            }
        }
        Value::Object(members) => {
            if is_schema {
                change(members, pointer);
            }
            for (keyword, member) in members {
                let inner = inside(pointer, keyword);
                let held = if is_schema { holds(keyword) } else { Holds::Value };
                match (held, member) {
                    (Holds::Map, Value::Object(named)) => {
                        for (name, schema) in named {
                            walk(schema, &inside(&inner, name), true, targets, change);
                        }
                    }
                    (Holds::List | Holds::Schema, Value::Array(list)) => {
                        for (index, schema) in list.iter_mut().enumerate() {
                            walk(schema, &format!("{inner}/{index}"), true, targets, change);
                        }
                    }
                    (held, member) => walk(member, &inner, held == Holds::Schema, targets, change),
                }
            }
        }
        _ => {}
    }
}

/// The pointer of a member.
pub(super) fn inside(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", escape_token(key))
}
