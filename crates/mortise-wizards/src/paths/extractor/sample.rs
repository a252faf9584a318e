//! Many paths thinned out without losing a kind.

use std::collections::BTreeMap;

use crate::paths::path::RulePath;

/// Paths that structure is recognised from.
pub(crate) const SAMPLE: usize = 500;

/// At most [`SAMPLE`] of the paths: from every depth its share, evenly spaced. The same paths give the same sample.
pub(crate) fn stratified(paths: &[RulePath]) -> Vec<RulePath> {
    if paths.len() <= SAMPLE {
        return paths.to_vec();
    }
    let mut depths: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, path) in paths.iter().enumerate() {
        depths.entry(path.depth()).or_default().push(number);
    }
    let mut chosen: Vec<usize> = Vec::with_capacity(SAMPLE);
    for numbers in depths.values() {
        // Rounded down, but never to nothing.
        let share = (numbers.len() * SAMPLE / paths.len()).max(1);
        chosen.extend((0..share).map(|step| numbers[step * numbers.len() / share]));
    }
    chosen.sort_unstable();
    chosen.truncate(SAMPLE);
    chosen.into_iter().map(|number| paths[number].clone()).collect()
}
