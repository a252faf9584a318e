//! `docs/benchmarks.json`: the medians of every system, from which the plots are drawn.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::series::Series;
use super::statistics::median;

const PATH: &str = "docs/benchmarks.json";

/// Medians by part and system.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct BenchFigures(BTreeMap<String, BTreeMap<String, BenchFigure>>);

/// What one system took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct BenchFigure {
    pub(crate) wall_ms: f64,
    /// The largest of all rounds; 0 where memory was not measured.
    pub(crate) peak_mib: f64,
}

impl BenchFigures {
    /// Reads the file of the workspace at `root`.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let path = root.join(PATH);
        let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} has another form", path.display()))
    }

    /// Writes the file.
    pub(super) fn write(&self, root: &Path) -> Result<()> {
        let path = root.join(PATH);
        fs::write(&path, serde_json::to_string_pretty(self)? + "\n")
            .with_context(|| format!("writing {}", path.display()))
    }

    /// Replaces what is known of one part.
    pub(super) fn record(&mut self, part: &str, series: &[Series]) {
        let figure = |one: &Series| BenchFigure {
            wall_ms: rounded(median(&one.wall())),
            peak_mib: rounded(one.peak_mib()),
        };
        let figures = series.iter().map(|one| (one.system.clone(), figure(one))).collect();
        self.0.insert(part.to_owned(), figures);
    }

    pub(super) fn get(&self, part: &str, system: &str) -> Option<BenchFigure> {
        self.0.get(part)?.get(system).copied()
    }
}

/// Four digits: more would change from run to run without a meaning.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10_f64.powi(3 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests;
