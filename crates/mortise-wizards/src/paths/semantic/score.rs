//! How sure a position is, and a whole path.

/// The consistency of a position whose values would be different things if each were alone.
const INCONSISTENT: f64 = 0.3;

/// The score of a position from the mean of its values' scores.
pub(super) fn segment(mean: f64, is_consistent: bool) -> f64 {
    let consistency = if is_consistent { (mean + 0.1).min(1.0) } else { INCONSISTENT };
    0.6 * mean + 0.4 * consistency
}

/// The mean; of nothing it is 0.
pub(super) fn mean(scores: &[f64]) -> f64 {
    let count = u32::try_from(scores.len()).map_or(f64::MAX, f64::from);
    if scores.is_empty() { 0.0 } else { scores.iter().sum::<f64>() / count }
}

/// To four decimal places, so that it prints alike everywhere.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
