//! A plain schema on one side, alternatives on the other: what was one form has become one of several.

use serde_json::Value;

use super::side::DiffSide;
use super::walk::{DiffPlace, DiffWalk, Effect, ValueStep};
use super::{Rule, combine, text};

/// Keywords beside the alternatives that do not constrain anything.
const BESIDE: [&str; 10] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "$comment",
    "$schema",
    "$defs",
    "definitions",
    "$id",
];

/// Compares the plain side with the alternative that is most like it; false for any other pair.
pub(super) fn compare(
    walk: &mut DiffWalk<'_>,
    old: &DiffSide<'_>,
    new: &DiffSide<'_>,
    place: &DiffPlace,
) -> bool {
    let (before, after) = (alternatives(old), alternatives(new));
    let (plain, (keyword, branches), is_union_new) = match (before, after) {
        (None, Some(after)) => (old, after, true),
        (Some(before), None) => (new, before, false),
        _ => return false,
    };
    let Some(alike) = most_alike(plain, branches) else { return false };
    text::compare(walk, old, new, place);
    let union = if is_union_new { new } else { old };
    let below = |index: usize| place.down(keyword).down(&index.to_string());
    for (index, branch) in branches.iter().enumerate().filter(|(index, _)| *index != alike) {
        let proposals = combine::proposal(union, branch);
        let (rule, effect, message) = match is_union_new {
            true => (Rule::BranchAdded, Effect::Wider, format!("`{keyword}` has another form")),
            false => (Rule::BranchRemoved, Effect::Narrower, format!("a form that `{keyword}` had is gone")),
        };
        walk.change(rule, effect, &below(index), message, proposals);
    }
    // The value is built on the surprising side, and only the union has a branch to go into.
    let is_union_surprising = walk.surprising(!is_union_new, is_union_new);
    let mut at = below(alike);
    if is_union_surprising {
        at = at.step(ValueStep::Branch { keyword, index: alike });
    }
    let plain = Value::Object(plain.keywords.clone().into_owned());
    match is_union_new {
        true => walk.compare(&plain, &branches[alike], &at),
        false => walk.compare(&branches[alike], &plain, &at),
    }
    true
}

/// The branches of a side that says nothing else.
fn alternatives<'a>(side: &'a DiffSide<'_>) -> Option<(&'static str, &'a [Value])> {
    let mut constraints = side.keywords.keys().filter(|keyword| !BESIDE.contains(&keyword.as_str()));
    let keyword = match (constraints.next()?.as_str(), constraints.next()) {
        ("anyOf", None) => "anyOf",
        ("oneOf", None) => "oneOf",
        _ => return None,
    };
    side.get(keyword).and_then(Value::as_array).map(|branches| (keyword, branches.as_slice()))
}

/// The branch of the same type that shares the most with a plain schema.
fn most_alike(plain: &DiffSide<'_>, branches: &[Value]) -> Option<usize> {
    let kind = plain.get("type").filter(|kind| kind.is_string())?;
    let shared = |branch: &DiffSide<'_>| {
        let properties = branch.properties().filter(|(name, _)| plain.property(name).is_some()).count();
        let keywords = branch.keywords.iter().filter(|(key, value)| plain.get(key) == Some(*value)).count();
        (properties, keywords)
    };
    let sides = branches.iter().map(|branch| DiffSide::new(plain.root, branch)).enumerate();
    let of_kind = sides.filter(|(_, branch)| branch.get("type") == Some(kind));
    // The first of equals, so that the order of the schema decides.
    of_kind.max_by_key(|(index, branch)| (shared(branch), std::cmp::Reverse(*index))).map(|(index, _)| index)
}
