//! Several systems measured in turn, and what their numbers say.

use anyhow::{Context, Result};
use serde::Serialize;

use super::measure::Sample;
use super::plot::time;
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

/// Runs every system once per round and keeps what each run gave, by system. The order moves on with each round,
/// so that none is always first; one round before the first is not counted.
pub(super) fn in_turn<T>(
    title: &str,
    systems: &[&str],
    rounds: usize,
    mut run: impl FnMut(usize) -> Result<T>,
) -> Result<Vec<Vec<T>>> {
    let mut runs: Vec<Vec<T>> = systems.iter().map(|_| Vec::new()).collect();
    for round in 0..=rounds {
        for turn in 0..systems.len() {
            let index = (round + turn) % systems.len();
            let result = run(index).with_context(|| format!("{title}: {}", systems[index]))?;
            if round > 0 {
                runs[index].push(result);
            }
        }
        if round % 10 == 0 {
            say(&format!("bench: {title}: round {round} of {rounds}"));
        }
    }
    Ok(runs)
}

/// The same for systems of which one sample says everything.
pub(super) fn interleave(
    title: &str,
    systems: &[&str],
    rounds: usize,
    run: impl FnMut(usize) -> Result<Sample>,
) -> Result<Vec<Series>> {
    let runs = in_turn(title, systems, rounds, run)?;
    Ok(systems
        .iter()
        .zip(runs)
        .map(|(system, samples)| Series { system: (*system).to_owned(), samples })
        .collect())
}

/// `mortise takes 729 ms; Inspector CLI 2.93 s, fastmcp CLI 3.34 s.`
pub(super) fn sentence(series: &[Series]) -> String {
    let took = |one: &Series| time(median(&one.wall()));
    let others: Vec<String> =
        series[1..].iter().map(|other| format!("{} {}", other.system, took(other))).collect();
    format!("{} takes {}; {}.", series[0].system, took(&series[0]), others.join(", "))
}

/// A table with the medians of all systems, the first one compared with each.
pub(super) fn table(series: &[Series]) -> String {
    let mut text = format!(
        "| system | wall | CPU | wall of {0} against it | CPU of {0} against it |\n\
         | --- | ---: | ---: | ---: | ---: |\n",
        series[0].system
    );
    for other in series {
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} |\n",
            other.system,
            time(median(&other.wall())),
            time(median(&other.cpu())),
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

/// `0.25 (0.24 to 0.26)`; a small ratio has more decimals, down to `0.0021`.
pub(super) fn shown(ratio: Ratio) -> String {
    let decimals = match ratio.median {
        median if median >= 0.1 => 2,
        median if median >= 0.01 => 3,
        _ => 4,
    };
    format!("{:.decimals$} ({:.decimals$} to {:.decimals$})", ratio.median, ratio.low, ratio.high)
}

#[cfg(test)]
mod tests;
