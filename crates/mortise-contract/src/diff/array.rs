//! Items, tuples and uniqueness.

use serde_json::{Value, json};

use super::Rule;
use super::side::DiffSide;
use super::walk::{DiffPlace, DiffWalk, Effect, ValueStep};

pub(super) fn compare(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    unique_items(walk, old, new, place);
    let (before, after) = (old.prefix(), new.prefix());
    if moved(before, after) {
        let message = "the positions of the tuple moved".to_owned();
        walk.change(Rule::TupleChanged, Effect::Other, &place.down("prefixItems"), message, Vec::new());
        return;
    }
    let anything = Value::Bool(true);
    let rest_before = old.rest().unwrap_or(&anything);
    let rest_after = new.rest().unwrap_or(&anything);
    for position in 0..before.len().max(after.len()) {
        let below = place.down("prefixItems").down(&position.to_string()).step(ValueStep::Item(position));
        walk.compare(
            before.get(position).unwrap_or(rest_before),
            after.get(position).unwrap_or(rest_after),
            &below,
        );
    }
    if old.rest() != new.rest() || !before.is_empty() || old.rest().is_some() {
        let next = before.len().max(after.len());
        walk.compare(rest_before, rest_after, &place.down("items").step(ValueStep::Item(next)));
    }
}

fn unique_items(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    let unique = |side: &DiffSide<'_>| side.get("uniqueItems") == Some(&Value::Bool(true));
    if unique(old) == unique(new) {
        return;
    }
    let place = &place.down("uniqueItems");
    let item = walk.surprising(old, new).rest().and_then(crate::sample::sample);
    let twice = item.map(|item| json!([item, item]));
    let proposals = twice.into_iter().chain([json!([1, 1]), json!(["a", "a"])]).collect();
    if unique(new) {
        walk.change(
            Rule::UniqueItemsSet,
            Effect::Narrower,
            place,
            "items must be unique now".to_owned(),
            proposals,
        );
    } else {
        walk.change(
            Rule::UniqueItemsUnset,
            Effect::Wider,
            place,
            "items need not be unique any more".to_owned(),
            proposals,
        );
    }
}

/// Whether positions that both have stand elsewhere now.
fn moved(before: &[Value], after: &[Value]) -> bool {
    let same = before.iter().zip(after).take_while(|(before, after)| before == after).count();
    let (before, after) = (&before[same..], &after[same..]);
    before.iter().any(|schema| after.iter().skip(1).any(|other| other == schema))
        || after.iter().any(|schema| before.iter().skip(1).any(|other| other == schema))
}
