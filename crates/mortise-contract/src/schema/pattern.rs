//! What a regular expression costs, before it is compiled for good.

use std::collections::HashMap;

use regex::RegexBuilder;

use super::graph::limit;
use super::{Bounds, SchemaError};
use crate::limits;

/// What matching a string costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MatchCost {
    /// At most this many states per byte, whatever the string.
    Linear {
        /// States of the compiled pattern, rounded up.
        states: u64,
    },
    /// Look-around or back-references: bounded by the backtracking limit only.
    Backtracking,
}

/// Bytes that one state of a compiled pattern takes, about.
const STATE_BYTES: usize = 40;

/// Sizes at which a pattern is tried, in bytes.
const SIZES: [usize; 4] = [4 << 10, 32 << 10, 256 << 10, limits::SCHEMA_REGEX];

/// States that one unit of work covers: a state is far cheaper than a visit to a subschema.
const STATES_PER_UNIT: u64 = 16;

/// Units that one backtracking match of an empty string can cost.
const BACKTRACKING_UNITS: u64 = limits::SCHEMA_BACKTRACKS as u64 / 2;

impl MatchCost {
    /// The cost of a linear pattern whose compiled form fits into `bytes`.
    pub(super) fn of_size(bytes: usize) -> Self {
        Self::Linear { states: (bytes / STATE_BYTES) as u64 }
    }

    /// Units of work to match a string of `bytes`.
    pub(super) fn units(self, bytes: u64) -> u64 {
        match self {
            Self::Linear { states } => states.saturating_mul(bytes) / STATES_PER_UNIT + 1,
            Self::Backtracking => BACKTRACKING_UNITS.saturating_mul(1 + bytes / 64),
        }
    }
}

/// The patterns of one schema.
#[derive(Default)]
pub(super) struct Patterns {
    known: HashMap<String, MatchCost>,
    /// Bytes of all of them compiled, at most.
    bytes: usize,
}

impl Patterns {
    /// The cost of a pattern; fails if it is too long, or if all patterns together are too large.
    pub(super) fn cost(&mut self, pattern: &str, bounds: &Bounds) -> Result<MatchCost, SchemaError> {
        if pattern.len() > bounds.pattern_bytes {
            return Err(limit("bytes of a pattern", pattern.len(), bounds.pattern_bytes));
        }
        if let Some(cost) = self.known.get(pattern) {
            return Ok(*cost);
        }
        let size = compiled_size(pattern);
        self.bytes += size.unwrap_or(limits::SCHEMA_REGEX);
        if self.bytes > limits::SCHEMA_REGEX_TOTAL {
            return Err(limit("bytes of all compiled patterns", self.bytes, limits::SCHEMA_REGEX_TOTAL));
        }
        let cost = match size {
            Some(size) => MatchCost::of_size(size),
            None => MatchCost::Backtracking,
        };
        self.known.insert(pattern.to_owned(), cost);
        Ok(cost)
    }
}

/// The smallest of the sizes that the pattern fits in; none if the linear engine can't take it.
fn compiled_size(pattern: &str) -> Option<usize> {
    let translated = jsonschema_regex::to_rust_regex(pattern).ok()?;
    SIZES.into_iter().find(|size| RegexBuilder::new(&translated).size_limit(*size).build().is_ok())
}
