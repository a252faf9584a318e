//! Arrays for providers that want to know what is in them.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::rule_table::ProviderRule;
use super::schema_walk::each_schema;
use crate::loss::{Action, Losses, Severity};

/// The schema with `items` under every array; those that have none take anything.
pub(super) fn with_items(mut schema: Value, rule: &'static ProviderRule, losses: &mut Losses) -> Value {
    each_schema(&mut schema, &HashSet::new(), &mut |members, pointer| {
        if has_kind(members.get("type"), "array") && !members.contains_key("items") {
            let reason = "the provider refuses arrays without `items`; any element is allowed";
            losses.add(pointer, "items", (Action::Renamed, Severity::Info), reason).after("{}").rule(rule);
            members.insert("items".to_owned(), json!({}));
        }
    });
    schema
}

/// Whether `type` names a kind.
pub(super) fn has_kind(declared: Option<&Value>, kind: &str) -> bool {
    match declared {
        Some(Value::String(declared)) => declared == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|declared| declared == kind),
        _ => false,
    }
}
