//! Words for people: titles, descriptions, defaults, deprecation.

use serde_json::Value;

use super::side::Side;
use super::walk::{Place, Walk};
use super::{Level, Role, Rule};

pub(super) fn compare(walk: &mut Walk<'_>, old: &Side<'_>, new: &Side<'_>, place: &Place) {
    for keyword in ["title", "description", "examples", "$comment"] {
        if old.get(keyword) != new.get(keyword) {
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
