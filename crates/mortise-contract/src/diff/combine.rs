//! `anyOf`, `oneOf`, `allOf`, `not`, and the keywords that only set algebra can judge.

use serde_json::Value;

use super::side::DiffSide;
use super::walk::{DiffPlace, DiffWalk, Doubt, Effect, ValueStep};
use super::{Level, Role, Rule};
use crate::sample::{Sampler, json_number};
use crate::schema::keyword::{Comparison, KEYWORDS};

pub(super) fn compare(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    branches(walk, old, new, place, "anyOf");
    branches(walk, old, new, place, "oneOf");
    conditions(walk, old, new, place);
    negation(walk, old, new, place);
    for leader in KEYWORDS.iter().filter(|row| row.comparison == Comparison::Algebra { leader: row.name }) {
        let boolean = |side: &DiffSide<'_>| side.get(leader.name).is_some_and(Value::is_boolean);
        let is_closing = leader.name == "unevaluatedProperties" && (boolean(old) || boolean(new));
        let group = KEYWORDS.iter().filter(|row| row.comparison == leader.comparison);
        let changed: Vec<&str> =
            group.map(|row| row.name).filter(|keyword| old.get(keyword) != new.get(keyword)).collect();
        if let (Some(first), false) = (changed.first(), is_closing) {
            let message = format!("`{}` changed", changed.join("`, `"));
            let proposals = smallest(walk.surprising(old, new));
            walk.change(Rule::KeywordChanged, Effect::Undecided, &place.down(first), message, proposals);
        }
    }
}

/// The smallest value of one side: what a constraint that came or went most likely is about.
fn smallest(side: &DiffSide<'_>) -> Vec<Value> {
    let own = Value::Object(side.keywords.clone().into_owned());
    Sampler::new(side.root).value(&[&own]).into_iter().collect()
}

fn list<'a>(side: &'a DiffSide<'_>, keyword: &str) -> &'a [Value] {
    side.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Branches that one list has and the other has not, by position in their own list.
fn unmatched(these: &[Value], those: &[Value]) -> Vec<usize> {
    let mut taken = vec![false; those.len()];
    let mut alone = Vec::new();
    for (index, branch) in these.iter().enumerate() {
        match those.iter().enumerate().find(|(other, schema)| !taken[*other] && *schema == branch) {
            Some((other, _)) => taken[other] = true,
            None => alone.push(index),
        }
    }
    alone
}

fn branches(
    walk: &mut DiffWalk<'_>,
    old: &DiffSide<'_>,
    new: &DiffSide<'_>,
    place: &DiffPlace,
    keyword: &'static str,
) {
    let (before, after) = (list(old, keyword), list(new, keyword));
    let place = place.down(keyword);
    let (gone, come) = (unmatched(before, after), unmatched(after, before));
    if before.is_empty() != after.is_empty() {
        // The whole combination came or went: alternatives constrain, so coming narrows.
        let (effect, what) =
            if before.is_empty() { (Effect::Narrower, "is new") } else { (Effect::Wider, "is gone") };
        let rule = if before.is_empty() { Rule::ConditionAdded } else { Rule::ConditionRemoved };
        let proposals = smallest(walk.surprising(old, new));
        return walk.change(rule, effect, &place, format!("`{keyword}` {what}"), proposals);
    }
    // As many left on both sides: most likely the same branches, changed.
    if gone.len() == come.len() {
        for (before_at, after_at) in gone.into_iter().zip(come) {
            let below = place
                .down(&after_at.to_string())
                .step(ValueStep::Branch { keyword, index: walk.surprising(before_at, after_at) });
            walk.compare(&before[before_at], &after[after_at], &below);
        }
        return;
    }
    let exclusive = keyword == "oneOf";
    for index in come {
        let rule = if exclusive { Rule::OneOfBranchAdded } else { Rule::BranchAdded };
        let proposals = proposal(new, &after[index]);
        let below = place.down(&index.to_string());
        let message = format!("`{keyword}` has a new branch");
        match walk.role {
            // What another branch took already is now taken twice, and refused.
            Role::Input if exclusive => {
                walk.push(rule, Level::Warning, Doubt::UndecidedOrSafe, &below, message, proposals);
            }
            _ => walk.change(rule, Effect::Wider, &below, message, proposals),
        }
    }
    for index in gone {
        let rule = if exclusive { Rule::OneOfBranchRemoved } else { Rule::BranchRemoved };
        let proposals = proposal(old, &before[index]);
        let message = format!("a branch of `{keyword}` is gone");
        let below = place.down(&index.to_string());
        match walk.role {
            // What two branches took, and was refused, may be taken by one now.
            Role::Output if exclusive => {
                walk.push(rule, Level::Warning, Doubt::UndecidedOrSafe, &below, message, proposals);
            }
            _ => walk.change(rule, Effect::Narrower, &below, message, proposals),
        }
    }
}

pub(super) fn proposal(side: &DiffSide<'_>, branch: &Value) -> Vec<Value> {
    let mut own = side.keywords.clone().into_owned();
    own.shift_remove("anyOf");
    own.shift_remove("oneOf");
    let own = Value::Object(own);
    let sampled = Sampler::new(side.root).value(&[&own, branch]);
    sampled.into_iter().flat_map(|value| [vec![value.clone()], near(&value)].concat()).collect()
}

/// Values close by: the first one may be what another branch takes as well.
fn near(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            [0.5, 1.0, -0.5, -1.0].iter().filter_map(|step| json_number(number + step)).collect()
        }
        Value::String(text) => vec![Value::from(format!("{text}a")), Value::from(format!("{text}-1"))],
        _ => Vec::new(),
    }
}

fn conditions(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    let (before, after) = (list(old, "allOf"), list(new, "allOf"));
    let place = place.down("allOf");
    let (gone, come) = (unmatched(before, after), unmatched(after, before));
    if gone.len() == come.len() {
        for (before_at, after_at) in gone.into_iter().zip(come) {
            let below = place.down(&after_at.to_string());
            walk.compare(&before[before_at], &after[after_at], &below);
        }
        return;
    }
    for index in come {
        let message = "`allOf` demands more".to_owned();
        walk.change(
            Rule::ConditionAdded,
            Effect::Narrower,
            &place.down(&index.to_string()),
            message,
            smallest(walk.surprising(old, new)),
        );
    }
    for index in gone {
        let message = "`allOf` demands less".to_owned();
        walk.change(
            Rule::ConditionRemoved,
            Effect::Wider,
            &place.down(&index.to_string()),
            message,
            smallest(walk.surprising(old, new)),
        );
    }
}

fn negation(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    let place = place.down("not");
    match (old.get("not"), new.get("not")) {
        (None, Some(after)) => {
            let proposals = Sampler::new(new.root).value(&[after]).into_iter().collect();
            walk.change(Rule::ConditionAdded, Effect::Narrower, &place, "`not` is new".to_owned(), proposals);
        }
        (Some(before), None) => {
            let proposals = Sampler::new(old.root).value(&[before]).into_iter().collect();
            walk.change(Rule::ConditionRemoved, Effect::Wider, &place, "`not` is gone".to_owned(), proposals);
        }
        (Some(before), Some(after)) if before != after => {
            walk.change(
                Rule::KeywordChanged,
                Effect::Undecided,
                &place,
                "`not` changed".to_owned(),
                Vec::new(),
            );
        }
        _ => {}
    }
}
