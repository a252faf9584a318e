//! Types, fixed values, bounds, patterns and formats.

use serde_json::{Value, json};

use super::side::DiffSide;
use super::walk::{DiffPlace, DiffWalk, Effect};
use super::{Level, Rule};

/// The types that a schema can name; `number` covers `integer`.
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/// Compares the types; false when they have nothing in common, so that nothing else needs comparing.
pub(super) fn types(
    walk: &mut DiffWalk<'_>,
    old: &DiffSide<'_>,
    new: &DiffSide<'_>,
    place: &DiffPlace,
) -> bool {
    let (before, after) = (expanded(old), expanded(new));
    if before == after {
        return true;
    }
    let gone: Vec<&str> = before.iter().filter(|kind| !after.contains(kind)).copied().collect();
    let come: Vec<&str> = after.iter().filter(|kind| !before.contains(kind)).copied().collect();
    let (rule, effect, message) = match (gone.is_empty(), come.is_empty()) {
        (true, _) => (Rule::TypeWidened, Effect::Wider, format!("also accepts {}", come.join(", "))),
        (_, true) => (Rule::TypeNarrowed, Effect::Narrower, format!("no longer accepts {}", gone.join(", "))),
        _ => (Rule::TypeReplaced, Effect::Other, format!("was {} and is {}", shown(old), shown(new))),
    };
    let surprising = walk.surprising(gone, come);
    let proposals = surprising.into_iter().flat_map(smallest).collect();
    let common = before.iter().any(|kind| after.contains(kind));
    walk.change(rule, effect, &place.down("type"), message, proposals);
    common
}

/// The types that are allowed, with `number` taken apart into whole and other numbers.
fn expanded(side: &DiffSide<'_>) -> Vec<&'static str> {
    let named = side.types();
    let allows = |kind: &str| {
        named
            .as_ref()
            .is_none_or(|named| named.contains(&kind) || kind == "integer" && named.contains(&"number"))
    };
    TYPES.into_iter().filter(|kind| allows(kind)).collect()
}

fn shown(side: &DiffSide<'_>) -> String {
    side.types().map_or_else(|| "anything".to_owned(), |types| types.join(" or "))
}

fn smallest(kind: &str) -> Vec<Value> {
    match kind {
        "null" => vec![Value::Null],
        "boolean" => vec![json!(true)],
        "integer" => vec![json!(0), json!(1)],
        "number" => vec![json!(0.5), json!(1.5)],
        "string" => vec![json!("a"), json!("")],
        "array" => vec![json!([])],
        _ => vec![json!({})],
    }
}

/// Compares everything else that concerns a single value.
pub(super) fn compare(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    fixed_values(walk, old, new, place);
    for bound in &BOUNDS {
        bounds(walk, old, new, place, bound);
    }
    multiple_of(walk, old, new, place);
    pattern(walk, old, new, place);
    if old.get("format") != new.get("format") {
        let shown =
            |side: &DiffSide<'_>| side.get("format").map_or_else(|| "none".to_owned(), Value::to_string);
        let message = format!("`format` was {} and is {}", shown(old), shown(new));
        walk.report(Rule::FormatChanged, Level::Warning, &place.down("format"), message);
    }
}

/// Numbers that differ by less than the comparison above sees.
pub(super) fn fine_print(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let keywords = BOUNDS.iter().flat_map(|bound| [Some(bound.keyword), bound.exclusive]).flatten();
    for keyword in keywords.chain(["multipleOf"]) {
        let (before, after) = (old.get(keyword), new.get(keyword));
        let is_large =
            |value: Option<&Value>| value.and_then(Value::as_f64).is_some_and(|n| n.abs() >= EXACT);
        if before != after && (is_large(before) || is_large(after)) {
            let message = format!("`{keyword}` changed beyond what is exact");
            walk.change(Rule::KeywordChanged, Effect::Undecided, &place.down(keyword), message, Vec::new());
        }
    }
}

fn fixed_values(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    let keyword = if new.get("const").or(old.get("const")).is_some() { "const" } else { "enum" };
    let place = &place.down(keyword);
    match (old.fixed(), new.fixed()) {
        (None, None) => {}
        (Some(before), None) => {
            let message = format!("values other than {} are allowed now", list(before));
            walk.change(Rule::EnumDropped, Effect::Wider, place, message, others(before));
        }
        (None, Some(after)) => {
            let message = format!("only {} is allowed now", list(after));
            walk.change(Rule::EnumIntroduced, Effect::Narrower, place, message, others(after));
        }
        (Some([before]), Some([after])) if before != after && keyword == "const" => {
            let proposal = walk.surprising(before, after).clone();
            let message = format!("was always {before} and is always {after}");
            walk.change(Rule::ConstChanged, Effect::Other, place, message, vec![proposal]);
        }
        (Some(before), Some(after)) => {
            let come: Vec<Value> = after.iter().filter(|value| !before.contains(value)).cloned().collect();
            if !come.is_empty() {
                let message = format!("{} is new", list(&come));
                walk.change(Rule::EnumValueAdded, Effect::Wider, place, message, come);
            }
            let gone: Vec<Value> = before.iter().filter(|value| !after.contains(value)).cloned().collect();
            if !gone.is_empty() {
                let message = format!("{} is gone", list(&gone));
                walk.change(Rule::EnumValueRemoved, Effect::Narrower, place, message, gone);
            }
        }
    }
}

fn list(values: &[Value]) -> String {
    let mut shown: Vec<String> = values.iter().take(5).map(Value::to_string).collect();
    if values.len() > 5 {
        shown.push(format!("{} more", values.len() - 5));
    }
    shown.join(", ")
}

/// Values like the listed ones that are not among them.
fn others(values: &[Value]) -> Vec<Value> {
    let candidates = [
        json!("a"),
        json!("zz"),
        json!(0),
        json!(1),
        json!(-1),
        json!(987_654),
        json!(0.5),
        json!(true),
        json!(false),
        Value::Null,
        json!([]),
        json!({}),
    ];
    candidates.into_iter().filter(|candidate| !values.contains(candidate)).collect()
}

/// A pair of bound keywords.
struct ScalarBound {
    keyword: &'static str,
    exclusive: Option<&'static str>,
    lower: bool,
    /// A value just at `n`.
    at: fn(f64) -> Option<Value>,
}

const BOUNDS: [ScalarBound; 8] = [
    ScalarBound { keyword: "minimum", exclusive: Some("exclusiveMinimum"), lower: true, at: number },
    ScalarBound { keyword: "maximum", exclusive: Some("exclusiveMaximum"), lower: false, at: number },
    ScalarBound { keyword: "minLength", exclusive: None, lower: true, at: string },
    ScalarBound { keyword: "maxLength", exclusive: None, lower: false, at: string },
    ScalarBound { keyword: "minItems", exclusive: None, lower: true, at: items },
    ScalarBound { keyword: "maxItems", exclusive: None, lower: false, at: items },
    ScalarBound { keyword: "minProperties", exclusive: None, lower: true, at: properties },
    ScalarBound { keyword: "maxProperties", exclusive: None, lower: false, at: properties },
];

fn bounds(
    walk: &mut DiffWalk<'_>,
    old: &DiffSide<'_>,
    new: &DiffSide<'_>,
    place: &DiffPlace,
    bound: &ScalarBound,
) {
    let (before, after) = (limit(old, bound), limit(new, bound));
    if before == after {
        return;
    }
    let place = &place.down(bound.keyword);
    let shown = |limit: Option<(f64, bool)>| {
        limit.map_or_else(
            || "none".to_owned(),
            |(value, strict)| format!("{value}{}", if strict { " (exclusive)" } else { "" }),
        )
    };
    let message = format!("`{}` was {} and is {}", bound.keyword, shown(before), shown(after));
    let candidates = |near: [Option<f64>; 2]| -> Vec<Value> {
        let near = near.into_iter().flatten();
        near.flat_map(|value| [value, value + 1.0, value - 1.0, value + 0.5, value - 0.5])
            .filter_map(bound.at)
            .collect()
    };
    let proposals = candidates([before.map(|(value, _)| value), after.map(|(value, _)| value)]);
    if let (Some((before, _)), Some((after, strict))) = (before, after)
        && before == after
    {
        let (rule, effect) = if strict {
            (Rule::BoundMadeExclusive, Effect::Narrower)
        } else {
            (Rule::BoundMadeInclusive, Effect::Wider)
        };
        return walk.change(rule, effect, place, message, proposals);
    }
    let tighter = match (before, after) {
        (None, Some(_)) => true,
        (Some((before, _)), Some((after, _))) => (after > before) == bound.lower,
        _ => false,
    };
    let (rule, effect) = match (bound.lower, tighter) {
        (true, true) => (Rule::MinimumRaised, Effect::Narrower),
        (true, false) => (Rule::MinimumLowered, Effect::Wider),
        (false, true) => (Rule::MaximumLowered, Effect::Narrower),
        (false, false) => (Rule::MaximumRaised, Effect::Wider),
    };
    walk.change(rule, effect, place, message, proposals);
}

/// The bound in force and whether it is exclusive, by either spelling.
fn limit(side: &DiffSide<'_>, bound: &ScalarBound) -> Option<(f64, bool)> {
    let inclusive = side.number(bound.keyword);
    let Some(exclusive) = bound.exclusive.and_then(|keyword| side.get(keyword)) else {
        return inclusive.map(|value| (value, false));
    };
    match (inclusive, exclusive) {
        (inclusive, Value::Bool(strict)) => inclusive.map(|value| (value, *strict)),
        (None, exclusive) => exclusive.as_f64().map(|value| (value, true)),
        (Some(inclusive), exclusive) => {
            let exclusive = exclusive.as_f64()?;
            let tighter = if bound.lower { exclusive >= inclusive } else { exclusive <= inclusive };
            Some(if tighter { (exclusive, true) } else { (inclusive, false) })
        }
    }
}

fn number(value: f64) -> Option<Value> {
    crate::sample::json_number(value)
}

fn count(value: f64) -> Option<usize> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a small whole number"
    )]
    (value >= 0.0 && value.fract() == 0.0 && value <= 4096.0).then_some(value as usize)
}

fn string(value: f64) -> Option<Value> {
    count(value).map(|length| Value::from("a".repeat(length)))
}

fn items(value: f64) -> Option<Value> {
    count(value).map(|length| Value::from(vec![Value::Null; length]))
}

fn properties(value: f64) -> Option<Value> {
    count(value).map(|length| {
        (0..length)
            .map(|number| (format!("key{number}"), Value::Null))
            .collect::<serde_json::Map<_, _>>()
            .into()
    })
}

fn multiple_of(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    let (before, after) = (old.number("multipleOf"), new.number("multipleOf"));
    if before == after {
        return;
    }
    let multiple = |a: f64, b: f64| b != 0.0 && ((a / b) - (a / b).round()).abs() < 1e-9;
    let (rule, effect) = match (before, after) {
        (None, _) => (Rule::MultipleOfTightened, Effect::Narrower),
        (_, None) => (Rule::MultipleOfLoosened, Effect::Wider),
        (Some(before), Some(after)) if multiple(after, before) => {
            (Rule::MultipleOfTightened, Effect::Narrower)
        }
        (Some(before), Some(after)) if multiple(before, after) => (Rule::MultipleOfLoosened, Effect::Wider),
        _ => (Rule::MultipleOfChanged, Effect::Other),
    };
    let shown = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| value.to_string());
    let message = format!("`multipleOf` was {} and is {}", shown(before), shown(after));
    let steps = [before.unwrap_or(1.0), after.unwrap_or(1.0), 1.0];
    let proposals = steps
        .iter()
        .flat_map(|step| [*step, step * 2.0, step * 3.0, step / 2.0])
        .filter_map(number)
        .collect();
    walk.change(rule, effect, &place.down("multipleOf"), message, proposals);
}

fn pattern(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    let (before, after) = (old.get("pattern"), new.get("pattern"));
    if before == after {
        return;
    }
    let (rule, effect) = match (before, after) {
        (None, _) => (Rule::PatternSet, Effect::Narrower),
        (_, None) => (Rule::PatternUnset, Effect::Wider),
        _ => (Rule::PatternChanged, Effect::Undecided),
    };
    let shown = |pattern: Option<&Value>| pattern.map_or_else(|| "none".to_owned(), Value::to_string);
    let message = format!("`pattern` was {} and is {}", shown(before), shown(after));
    let matching = walk
        .surprising(before, after)
        .and_then(|pattern| crate::sample::sample(&json!({ "pattern": pattern })));
    let mut proposals: Vec<Value> = matching.into_iter().collect();
    proposals.extend(["", "a", "A", "0", " ", "-", "a1!", "é"].map(Value::from));
    walk.change(rule, effect, &place.down("pattern"), message, proposals);
}
