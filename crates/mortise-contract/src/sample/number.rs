//! Numbers within bounds.

use serde_json::{Number, Value};

use super::facts::SampleFacts;

/// A number that keeps minimum, maximum and one `multipleOf`.
pub(super) fn sample(facts: &SampleFacts<'_>, kind: &str) -> Option<Value> {
    let step = facts.multiple_of.iter().copied().fold(0.0, f64::max);
    let step = if step > 0.0 {
        step
    } else if kind == "integer" {
        1.0
    } else {
        0.0
    };
    let fits = |value: f64| {
        facts.minimum.is_none_or(|(bound, strict)| value > bound || !strict && value == bound)
            && facts.maximum.is_none_or(|(bound, strict)| value < bound || !strict && value == bound)
            && (kind != "integer" || value.fract() == 0.0)
    };
    let mut candidates = vec![0.0, 1.0];
    for (bound, _) in facts.minimum.iter().chain(&facts.maximum) {
        candidates.push(*bound);
        if step > 0.0 {
            let near = (bound / step).floor() * step;
            candidates.extend([near - step, near, near + step, near + 2.0 * step]);
        } else {
            candidates.extend([bound + 1.0, bound - 1.0, bound + 0.5, bound - 0.5]);
        }
    }
    if let (Some((low, _)), Some((high, _))) = (facts.minimum, facts.maximum) {
        candidates.push((low + high) / 2.0);
    }
    candidates.push(step);
    let on_step = |value: &f64| step == 0.0 || ((value / step) - (value / step).round()).abs() < 1e-9;
    candidates.into_iter().filter(on_step).find(|value| fits(*value)).and_then(json_number)
}

/// An integer where the value is one, so that samples look as people write them.
pub(crate) fn json_number(value: f64) -> Option<Value> {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
        return Some(Value::from(value as i64));
    }
    Number::from_f64(value).map(Value::Number)
}

/// A value like `value` that is not among `taken`.
pub(super) fn another(value: &Value, taken: &[Value]) -> Option<Value> {
    (1..=taken.len() + 1)
        .filter_map(|offset| match value {
            Value::Number(number) => json_number(number.as_f64()? + offset as f64),
            Value::String(text) => Some(Value::from(format!("{text}{offset}"))),
            Value::Bool(flag) => Some(Value::Bool(!flag)),
            _ => None,
        })
        .find(|candidate| !taken.contains(candidate))
}
