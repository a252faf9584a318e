//! Where schemas stand within a schema.

use std::collections::HashSet;

use mortise_contract::json::escape_token;
use mortise_contract::schema::keyword::{Holds, holds};
use serde_json::{Map, Value};

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
                let held = holds(keyword).filter(|_| is_schema);
                match (held, member) {
                    (Some(Holds::Map), Value::Object(named)) => {
                        for (name, schema) in named {
                            walk(schema, &inside(&inner, name), true, targets, change);
                        }
                    }
                    (Some(Holds::List | Holds::Schema), Value::Array(list)) => {
                        for (index, schema) in list.iter_mut().enumerate() {
                            walk(schema, &format!("{inner}/{index}"), true, targets, change);
                        }
                    }
                    (held, member) => walk(member, &inner, held == Some(Holds::Schema), targets, change),
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
