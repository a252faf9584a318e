//! Several systems measured in turn, and what their numbers say.

use anyhow::{Context, Result};
use serde::Serialize;

use super::measure::Sample;
use super::statistics::{Ratio, median, ratio};
use crate::report::say;

/// All samples of one system, in the order of the rounds.
#[derive(Debug, Serialize)]
pub(super) struct Series {
    pub(super) system: String,
    pub(super) samples: Vec<Sample>,
}

impl Series {
    pub(super) fn wall(&self) -> Vec<f64> {
        self.samples.iter().map(|sample| sample.wall_ms).collect()
    }

    pub(super) fn cpu(&self) -> Vec<f64> {
        self.samples.iter().map(|sample| sample.cpu_ms).collect()
    }

    pub(super) fn peak_mib(&self) -> f64 {
        self.samples.iter().map(|sample| sample.peak_kib).max().unwrap_or_default() as f64 / 1024.0
    }
}

/// Runs every system once per round. The order moves on with each round, so that none is always first;
/// one round before the first is not counted.
pub(super) fn interleave(
    title: &str,
    systems: &[&str],
    rounds: usize,
    mut run: impl FnMut(usize) -> Result<Sample>,
) -> Result<Vec<Series>> {
    let mut series: Vec<Series> =
        systems.iter().map(|system| Series { system: (*system).to_owned(), samples: Vec::new() }).collect();
    for round in 0..=rounds {
        for turn in 0..systems.len() {
            let index = (round + turn) % systems.len();
            let sample = run(index).with_context(|| format!("{title}: {}", systems[index]))?;
            if round > 0 {
                series[index].samples.push(sample);
            }
        }
        if round % 10 == 0 {
            say(&format!("bench: {title}: round {round} of {rounds}"));
        }
    }
    Ok(series)
}

/// A table with the medians of all systems, the first one compared with each.
pub(super) fn table(series: &[Series], unit: &str, scale: f64) -> String {
    let mut text = format!(
        "| system | wall, {unit} | CPU, {unit} | wall of {0} against it | CPU of {0} against it |\n\
         | --- | ---: | ---: | ---: | ---: |\n",
        series[0].system
    );
    for other in series {
        text.push_str(&format!(
            "| {} | {:.2} | {:.2} | {} | {} |\n",
            other.system,
            median(&other.wall()) * scale,
            median(&other.cpu()) * scale,
            against(&series[0], other, Series::wall),
            against(&series[0], other, Series::cpu),
        ));
    }
    text
}

fn against(ours: &Series, other: &Series, values: fn(&Series) -> Vec<f64>) -> String {
    if ours.system == other.system {
        return String::new();
    }
    shown(ratio(&values(ours), &values(other)))
}

/// `0.25 (0.24 to 0.26)`.
pub(super) fn shown(ratio: Ratio) -> String {
    format!("{:.2} ({:.2} to {:.2})", ratio.median, ratio.low, ratio.high)
}
