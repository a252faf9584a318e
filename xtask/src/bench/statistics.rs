//! Medians of ratios with their uncertainty.

/// A ratio with the interval that holds the true median with 95 % confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ratio {
    pub(super) median: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The middle value; the mean of the two middle ones for an even count. `NaN` of nothing.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

const RESAMPLES: usize = 10_000;

/// The median of the ratios of pairs that were measured next to each other, with a bootstrap interval.
/// The same pairs give the same interval.
pub(super) fn ratio(numerators: &[f64], denominators: &[f64]) -> Ratio {
    let ratios: Vec<f64> = numerators.iter().zip(denominators).map(|(a, b)| a / b).collect();
    let mut dice = Dice::new(0x9E37_79B9_7F4A_7C15);
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let resample: Vec<f64> = ratios.iter().map(|_| ratios[dice.below(ratios.len())]).collect();
            median(&resample)
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    let at = |share: f64| medians[((RESAMPLES - 1) as f64 * share) as usize];
    Ratio { median: median(&ratios), low: at(0.025), high: at(0.975) }
}

/// SplitMix64: small, repeatable, good enough to draw samples.
pub(crate) struct Dice(u64);

impl Dice {
    /// The same seed gives the same numbers.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from 0 up to, not including, `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        // The widening multiplication maps the bits evenly to 0..bound.
        ((u128::from(bits) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests;
