//! The check before a program runs: what a warm one adds, with few tools and with many, and its memory.

mod adds;

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Bench;
use super::measure::Sample;
use super::series::{Series, in_turn};
use super::statistics::median;
use crate::process;

const LIMIT: Duration = Duration::from_secs(300);
/// Tools configured, of which each program names three.
const TOOLS: [usize; 2] = [10, 500];

/// What one process prints.
#[derive(Deserialize)]
struct Costs {
    cold_ms: f64,
    warm_ms: Vec<f64>,
    before_kib: i64,
    warm_kib: i64,
    after_kib: i64,
}

pub(super) fn run(bench: &Bench<'_>) -> Result<(String, Vec<Series>)> {
    let systems = TOOLS.map(|tools| format!("{tools} tools"));
    let names: Vec<&str> = systems.iter().map(String::as_str).collect();
    let runs = in_turn("check", &names, bench.rounds, |system| {
        let mut command = Command::new(bench.ours("examples/bench_check"));
        command.arg(TOOLS[system].to_string());
        let finished = process::run_ok(&mut command, LIMIT)?;
        serde_json::from_str::<Costs>(&finished.stdout).context("the program printed no costs")
    })?;
    let (added, more) = adds::run(bench)?;
    let mut page = format!(
        "Goals: a warm check adds under 5 ms at the median and under 50 ms at the 95th percentile with 500 tools.\n\n\
         ### What it adds to a run\n\n\
         Programs of twenty lines over three tools, which they really call, through one `mortise serve`: one with the \
         check and one without, in turn, {} pairs. A program starts while it is checked, and waits for the check with \
         its first call.\n\n{added}\n\
         ### The check alone\n\n\
         Programs of twenty lines over three tools each, no two the same, checked one after another in a process of \
         their own. Warming happens in the background while servers start; the first column is what it takes.\n\n\
         | tools configured | warming up, ms | median, ms | 95th percentile, ms | memory of the warm checker, MiB | \
         after 400 programs, MiB |\n| --- | ---: | ---: | ---: | ---: | ---: |\n",
        more.iter().map(|series| series.samples.len()).max().unwrap_or_default(),
    );
    let mut series = more;
    for (name, costs) in systems.into_iter().zip(&runs) {
        let all: Vec<f64> = costs.iter().flat_map(|costs| costs.warm_ms.iter().copied()).collect();
        let cold: Vec<f64> = costs.iter().map(|costs| costs.cold_ms).collect();
        let mib = |kib: fn(&Costs) -> i64| {
            let values: Vec<f64> = costs.iter().map(|costs| kib(costs) as f64 / 1024.0).collect();
            median(&values)
        };
        page.push_str(&format!(
            "| {name} | {:.0} | {:.2} | {:.2} | {:.0} | {:.0} |\n",
            median(&cold),
            median(&all),
            percentile(&all, 0.95),
            mib(|costs| costs.warm_kib - costs.before_kib),
            mib(|costs| costs.after_kib - costs.before_kib),
        ));
        let samples = costs.iter().map(|costs| {
            let wall_ms = median(&costs.warm_ms);
            Sample { wall_ms, cpu_ms: wall_ms, peak_kib: costs.after_kib }
        });
        series.push(Series { system: name, samples: samples.collect() });
    }
    Ok((page, series))
}

/// The value below which this share of the values lies.
fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (sorted.len().saturating_sub(1)) as f64 * share;
    sorted.get(at.round() as usize).copied().unwrap_or(f64::NAN)
}
