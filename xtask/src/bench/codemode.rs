//! Programs through `mortise serve` and through other gateways that run programs, over one upstream.
//!
//! A run is one session of the official Python client with one gateway, `xtask/bench/codemode/drive.py`, which
//! prints what it cost. A peer that can't be installed or fails is left out and named, with the reason.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

use super::Bench;
use super::measure::Sample;
use super::series::{Series, in_turn, shown};
use super::statistics::{median, ratio};
use crate::process;
use systems::reason;

mod crowd;
mod systems;

const LIMIT: Duration = Duration::from_secs(300);

/// What one session cost.
#[derive(Clone, Copy, Deserialize)]
struct Costs {
    cold_ms: f64,
    first_ms: f64,
    ready_ms: f64,
    trivial_ms: f64,
    apart_ms: f64,
    sequential_ms: f64,
    concurrent_ms: f64,
    rows_ms: f64,
    cpu_ms: f64,
    idle_kib: i64,
    peak_kib: i64,
}

/// One column: its title and which cost it shows.
type Measure = (&'static str, fn(&Costs) -> f64);

const TIMES: [Measure; 8] = [
    ("tools/list after", |costs| costs.cold_ms),
    ("first program", |costs| costs.first_ms),
    ("first answer after", |costs| costs.ready_ms),
    ("trivial programs in a row", |costs| costs.trivial_ms),
    ("trivial, 50 ms apart", |costs| costs.apart_ms),
    ("100 calls in sequence", |costs| costs.sequential_ms),
    ("100 at once", |costs| costs.concurrent_ms),
    ("1,000 rows", |costs| costs.rows_ms),
];

/// A system that ran in every round.
struct Measured {
    name: &'static str,
    rounds: Vec<Costs>,
}

impl Measured {
    fn values(&self, measure: Measure) -> Vec<f64> {
        self.rounds.iter().map(measure.1).collect()
    }

    fn median(&self, measure: fn(&Costs) -> f64) -> f64 {
        median(&self.values(("", measure)))
    }
}

pub(super) fn run(bench: &Bench<'_>) -> Result<(String, Vec<Series>)> {
    let mut systems = systems::all(bench)?;
    let names: Vec<&str> = systems.iter().map(|system| system.name).collect();
    let runs = in_turn("codemode", &names, bench.rounds, |index| {
        let system = &mut systems[index];
        let Ok(job) = &system.job else { return Ok(None) };
        match script(bench, "drive.py", job) {
            Ok(costs) => Ok(Some(costs)),
            Err(error) if system.needed => Err(error),
            Err(error) => {
                system.job = Err(reason(&format!("{error:#}")));
                Ok(None)
            }
        }
    })?;
    let mut measured = Vec::new();
    let mut left_out = String::new();
    for (system, runs) in systems.iter().zip(runs) {
        match &system.job {
            Ok(_) => {
                measured.push(Measured { name: system.name, rounds: runs.into_iter().flatten().collect() })
            }
            Err(reason) => left_out.push_str(&format!("{} is left out: `{reason}`.\n\n", system.name)),
        }
    }
    let (crowd, crowd_series) = crowd::run(bench)?;
    let page = format!("{}{left_out}{}### A crowd over HTTP\n\n{crowd}", INTRODUCTION, tables(&measured)?);
    let mut series = series(&measured);
    series.push(crowd_series);
    Ok((page, series))
}

const INTRODUCTION: &str = "The same upstream, made with the official Python SDK, and the same programs, in Python or \
    JavaScript as the gateway wants. The official Python client starts a gateway over stdio for each round and asks it; \
    without a gateway (`direct`) it makes the calls itself, and its trivial program is one call. Trivial programs are sent as soon \
    as the one before is answered, and then with a pause in between, as a model makes one. Times are medians in \
    milliseconds; those called `after` count from the start of the process. mortise answers `tools/list` while the \
    upstream still starts, and its first program waits for it, so `first answer after` is the column to compare. \
    Libraries without a server of their own run under a little JavaScript, kept in `xtask/bench/codemode/`.\n\n\
    Caps were raised where a peer would refuse the load: FastMCP's 50 calls in a program, Vercel's 32 in flight and \
    256 in all. UTCP makes calls one after the other, whatever the program says. Cloudflare runs in a local workerd, \
    where a call of a tool is an HTTP request on the machine. All of mortise's limits are the usual ones: at most 16 \
    calls in flight.\n\n";

fn tables(measured: &[Measured]) -> Result<String> {
    let [direct, mortise, ..] = measured else { bail!("direct and mortise were not measured") };
    let titles: Vec<&str> = TIMES.iter().map(|(title, _)| *title).collect();
    let head = format!("| system | {} |\n| --- |{}\n", titles.join(" | "), " ---: |".repeat(titles.len()));
    let mut times = head.clone();
    let mut ratios = head;
    let mut memory =
        "| system | idle, MiB | peak, MiB | CPU, ms |\n| --- | ---: | ---: | ---: |\n".to_owned();
    for system in measured {
        let cells = TIMES.map(|(_, measure)| format!("{:.1}", system.median(measure)));
        times.push_str(&row(system.name, &cells));
        if system.name == direct.name {
            continue;
        }
        let cells = TIMES.map(|measure| shown(ratio(&system.values(measure), &direct.values(measure))));
        ratios.push_str(&row(system.name, &cells));
        memory.push_str(&row(
            system.name,
            &[
                format!("{:.1}", system.median(|costs| costs.idle_kib as f64) / 1024.0),
                format!("{:.1}", system.median(|costs| costs.peak_kib as f64) / 1024.0),
                format!("{:.0}", system.median(|costs| costs.cpu_ms)),
            ],
        ));
    }
    let later = |measure: fn(&Costs) -> f64| {
        let pairs = mortise.rounds.iter().zip(&direct.rounds);
        median(&pairs.map(|(ours, theirs)| measure(ours) - measure(theirs)).collect::<Vec<_>>())
    };
    let faster = peers_behind(mortise, &measured[2..]);
    Ok(format!(
        "{times}\n### Against direct calls\n\n{ratios}\nGoals for mortise: at most 1.15 for calls in sequence and \
         1.10 for calls at once. `tools/list` comes at most 150 ms later than direct; measured: {:+.0} ms, first answer \
         {:+.0} ms. Trivial programs are faster and memory is smaller than every peer's; {faster}.\n\n### Memory and CPU of the gateway\n\nResident memory of all its \
         processes without the upstream: 0.2 s after the programs, and the peak while they run once more. CPU is that of \
         the same processes for all programs after the first.\n\n{memory}\n",
        later(|costs| costs.cold_ms),
        later(|costs| costs.ready_ms)
    ))
}

/// In how many comparisons mortise is ahead.
fn peers_behind(mortise: &Measured, peers: &[Measured]) -> String {
    let behind = |measure: fn(&Costs) -> f64| {
        peers.iter().filter(|peer| mortise.median(measure) < peer.median(measure)).count()
    };
    format!(
        "measured: faster than {} in a row and {} with a pause, smaller than {}, of {}",
        behind(|costs| costs.trivial_ms),
        behind(|costs| costs.apart_ms),
        behind(|costs| costs.peak_kib as f64),
        peers.len()
    )
}

fn row(name: &str, cells: &[String]) -> String {
    format!("| {name} | {} |\n", cells.join(" | "))
}

/// The raw numbers: one series for each time of each system.
fn series(measured: &[Measured]) -> Vec<Series> {
    let one = |system: &Measured, (title, measure): Measure| {
        let sample = |costs: &Costs| Sample {
            wall_ms: measure(costs),
            cpu_ms: costs.cpu_ms,
            peak_kib: costs.peak_kib,
        };
        let samples = system.rounds.iter().map(sample).collect();
        Series { system: format!("{title}: {}", system.name), samples }
    };
    measured.iter().flat_map(|system| TIMES.map(|measure| one(system, measure))).collect()
}

/// Runs a script of `xtask/bench/codemode/` with a job and reads what it prints.
fn script<T: for<'de> Deserialize<'de>>(bench: &Bench<'_>, name: &str, job: &Value) -> Result<T> {
    let path = systems::scripts(bench).join(name);
    let mut command = bench.packages.python(&path);
    command.arg(job.to_string());
    let finished = process::run(in_folder(&mut command, &bench.folder), LIMIT)?;
    if !finished.status.success() {
        bail!("{}", finished.tail(20));
    }
    serde_json::from_str(finished.stdout.trim())
        .with_context(|| format!("{name} printed {}", finished.stdout))
}

/// No configuration of the folder we are in takes part, and no bytecode is left beside the scripts.
fn in_folder<'a>(command: &'a mut Command, folder: &Path) -> &'a mut Command {
    command.current_dir(folder).env("PYTHONDONTWRITEBYTECODE", "1")
}
