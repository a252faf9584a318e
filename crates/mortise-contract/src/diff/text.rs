//! Keywords that check nothing: titles, descriptions, defaults, deprecation, and those that JSON Schema does not have.

use serde_json::Value;

use super::side::DiffSide;
use super::walk::{DiffPlace, DiffWalk};
use super::{Level, Role, Rule};
use crate::schema::keyword::{Comparison, Keyword};

pub(super) fn compare(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    let mut keywords: Vec<&String> = old.keywords.keys().chain(new.keywords.keys()).collect();
    keywords.sort_unstable();
    keywords.dedup();
    for keyword in keywords {
        let is_text = Keyword::find(keyword).is_none_or(|row| row.comparison == Comparison::Words);
        if is_text && old.get(keyword) != new.get(keyword) {
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
    let deprecated = |side: &DiffSide<'_>| side.get("deprecated") == Some(&Value::Bool(true));
    if deprecated(old) != deprecated(new) {
        let message = if deprecated(new) { "deprecated now" } else { "no longer deprecated" };
        walk.report(Rule::Deprecated, Level::Info, &place.down("deprecated"), message.to_owned());
    }
}
