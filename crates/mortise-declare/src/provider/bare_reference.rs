//! References with nothing beside them, for providers that take no more there.

use mortise_contract::schema::keyword::{Keyword, Purpose};
use mortise_contract::schema::referred;
use serde_json::{Map, Value};

use super::rule_table::ProviderRule;
use crate::loss::{Action, Losses, Severity};

/// Bytes of a definition that is written where it is used.
const SHORT: usize = 512;

/// The first keyword beside a reference that says something about values.
pub(super) fn constraint_beside(members: &Map<String, Value>) -> Option<&str> {
    members.keys().map(String::as_str).find(|keyword| *keyword != "$ref" && !is_about(keyword))
}

/// The reference alone; or what it leads to in its place, if that is short.
pub(super) fn bare_reference(
    root: &Value,
    members: &Map<String, Value>,
    pointer: &str,
    rule: &'static ProviderRule,
    losses: &mut Losses,
) -> Option<Map<String, Value>> {
    let reference = members.get("$ref")?.as_str()?;
    let target = referred(root, reference).and_then(Value::as_object);
    let text = target.map(|target| Value::Object(target.clone()).to_string()).unwrap_or_default();
    let is_short = text.len() <= SHORT && !text.contains("\"$ref\"");
    if let Some(target) = target.filter(|_| is_short && constraint_beside(members).is_none()) {
        let reason = "the provider takes nothing beside it; what it leads to stands here";
        losses.add(pointer, "$ref", (Action::Inlined, Severity::Info), reason).rule(rule);
        let mut inlined = target.clone();
        inlined.extend(members.clone());
        ["$ref", "$id", "$anchor", "$dynamicAnchor"]
            .iter()
            .for_each(|name| drop(inlined.shift_remove(*name)));
        return Some(inlined);
    }
    for (keyword, value) in members.iter().filter(|(keyword, _)| keyword.as_str() != "$ref") {
        let severity = if is_about(keyword) { Severity::Info } else { Severity::Warn };
        let reason = "the provider takes nothing beside `$ref`";
        losses
            .add(pointer, keyword, (Action::Dropped, severity), reason)
            .before(value)
            .rule(rule)
            .fix("write the definition where it is used");
    }
    Some(Map::from_iter([("$ref".to_owned(), reference.into())]))
}

/// Whether a keyword says nothing about values.
fn is_about(keyword: &str) -> bool {
    Keyword::find(keyword).is_none_or(|row| !row.can_refuse() && row.purpose != Purpose::Definitions)
}
