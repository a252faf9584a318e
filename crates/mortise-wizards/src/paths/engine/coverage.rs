//! What rules made of many paths, counted.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Extraction, ExtractionStatus, RuleSet};
use crate::paths::path::RulePath;

/// How many paths rules have something to say about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleCoverage {
    /// Paths that a rule matches
    pub(crate) matched: u64,
    /// All paths
    pub(crate) total: u64,
    /// Paths with all values
    pub(crate) complete: u64,
    /// Paths with some values
    pub(crate) partial: u64,
    /// Paths that match and give no value
    pub(crate) failed: u64,
}

/// How a field fared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldMetrics {
    /// The field
    pub(crate) field: String,
    /// Paths that gave it a value
    pub(crate) valued: u64,
    /// Paths that gave it its default
    pub(crate) defaulted: u64,
    /// Paths that gave it none
    pub(crate) failed: u64,
}

/// Runs rules over paths and counts what came of it, field by field in the order of their first use.
pub(crate) fn coverage(rules: &RuleSet, paths: &[RulePath]) -> (RuleCoverage, Vec<FieldMetrics>) {
    let mut coverage = RuleCoverage { total: count(paths.len()), ..RuleCoverage::default() };
    let mut metrics: Vec<FieldMetrics> = Vec::new();
    for extraction in paths.iter().map(|path| rules.extract_path(path)) {
        match extraction.status {
            ExtractionStatus::Complete => coverage.complete += 1,
            ExtractionStatus::Partial => coverage.partial += 1,
            ExtractionStatus::Failed => coverage.failed += 1,
            ExtractionStatus::Unmatched => continue,
        }
        coverage.matched += 1;
        tally(&mut metrics, &extraction);
    }
    (coverage, metrics)
}

fn tally(metrics: &mut Vec<FieldMetrics>, extraction: &Extraction) {
    for field in extraction.fields.keys() {
        let is_default = extraction.defaulted.contains(field);
        let entry = entry(metrics, field);
        if is_default { entry.defaulted += 1 } else { entry.valued += 1 }
    }
    for failure in &extraction.failures {
        entry(metrics, &failure.field).failed += 1;
    }
}

fn entry<'a>(metrics: &'a mut Vec<FieldMetrics>, field: &str) -> &'a mut FieldMetrics {
    let at = metrics.iter().position(|known| known.field == field).unwrap_or_else(|| {
        metrics.push(FieldMetrics { field: field.to_owned(), valued: 0, defaulted: 0, failed: 0 });
        metrics.len() - 1
    });
    &mut metrics[at]
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
