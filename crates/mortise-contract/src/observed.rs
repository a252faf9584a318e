//! What results of a tool looked like, learned from the values themselves.
//!
//! Two results, `{"total": 3}` and `{"total": null, "next": "p2"}`, have one [`ObservedShape`] together: an object with
//! `total`, an integer or null, in both of two results, and `next`, a string, in one of them. A shape holds types, names of
//! fields and counts. It never holds a value.
//!
//! Shapes merge in any order and in any grouping to the same shape. Shapes that two processes learned can therefore be
//! put together at any time.

mod field_name;
mod kinds;
mod schema;
mod sight;

use serde::{Deserialize, Serialize};

use crate::RawJson;
use crate::limits;
use crate::text::date;

pub use kinds::ObservedType;
pub use schema::{ObservedSchema, suggested_schema};

/// What the results of one tool had in common, and how many there were.
///
/// ```
/// use mortise_contract::RawJson;
/// use mortise_contract::observed::ObservedShape;
///
/// let mut shape = ObservedShape::default();
/// for text in [r#"{"total": 3}"#, r#"{"total": null, "next": "p2"}"#] {
///     shape.merge(&ObservedShape::of(&RawJson::parse(text)?, 1_763_424_000));
/// }
/// assert_eq!(shape.calls(), 2);
/// assert_eq!(shape.schema().value["required"][0], "total");
/// # Ok::<(), mortise_contract::json::JsonError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservedShape {
    calls: u64,
    /// When the first and the last value were seen, in seconds since 1970.
    first: Option<u64>,
    last: Option<u64>,
    /// Whether a value was so large that only a part of its elements was looked at.
    is_sampled: bool,
    /// Levels of containers that are kept. Fewer than [`limits::OBSERVED_LEVELS`] once the shape grew too large.
    levels: usize,
    value: ObservedType,
}

impl Default for ObservedShape {
    fn default() -> Self {
        Self {
            calls: 0,
            first: None,
            last: None,
            is_sampled: false,
            levels: limits::OBSERVED_LEVELS,
            value: ObservedType::default(),
        }
    }
}

impl ObservedShape {
    /// The shape of one value, seen at `now`, in seconds since 1970.
    pub fn of(value: &RawJson, now: u64) -> Self {
        let (value, is_sampled) = sight::seen(value.text());
        let mut shape = Self { value, is_sampled, ..Self::counted(now) };
        shape.fit();
        shape
    }

    /// One result at `now` that is only counted, such as that of a tool that declares what it returns.
    pub fn counted(now: u64) -> Self {
        Self { calls: 1, first: Some(now), last: Some(now), ..Self::default() }
    }

    /// One result at `now` that may have been anything, such as a list of images.
    pub fn unknown(now: u64) -> Self {
        Self { value: ObservedType::unread(1), ..Self::counted(now) }
    }

    /// Adds what another shape of the same tool has seen.
    pub fn merge(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.first = self.first.into_iter().chain(other.first).min();
        self.last = self.last.max(other.last);
        self.is_sampled |= other.is_sampled;
        if other.levels < self.levels {
            self.levels = other.levels;
            self.value.truncate(self.levels);
        }
        // What has not grown fits as it did before.
        if self.value.absorb(&other.value, self.levels) {
            self.fit();
        }
    }

    /// Gives up the deepest levels of a shape that is too large. The weight of a shape only grows as shapes are merged, so
    /// the order of merging does not change which levels are left.
    fn fit(&mut self) {
        while self.levels > 0 && self.value.weight() > limits::OBSERVED_WEIGHT {
            self.levels -= 1;
            self.value.truncate(self.levels);
        }
    }

    /// How many results were seen.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// The day of the first result, as `2026-11-18`.
    pub fn first_day(&self) -> Option<String> {
        self.first.map(date)
    }

    /// The day of the last result.
    pub fn last_day(&self) -> Option<String> {
        self.last.map(date)
    }

    /// Whether some values were too large to be looked at as a whole.
    pub fn is_sampled(&self) -> bool {
        self.is_sampled
    }

    /// Whether a type is known, and not only the number of results.
    pub fn has_type(&self) -> bool {
        self.value.is_telling()
    }

    /// What the values were.
    pub fn value(&self) -> &ObservedType {
        &self.value
    }

    /// Nodes of the shape, counted so that merging never makes it lighter.
    pub fn weight(&self) -> usize {
        self.value.weight()
    }

    /// The JSON Schema (2020-12) of the values seen so far.
    pub fn schema(&self) -> ObservedSchema {
        schema::render(&self.value, self.levels)
    }

    /// Whether a shape from elsewhere keeps the bounds of this module.
    pub fn is_within_bounds(&self) -> bool {
        self.levels <= limits::OBSERVED_LEVELS
            && self.value.is_within_bounds(self.levels)
            && (self.levels == 0 || self.value.weight() <= limits::OBSERVED_WEIGHT)
    }
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
