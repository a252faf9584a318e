//! What it costs to record runs: per call, per program, and for the list of very many.
//!
//! The example `bench_journal` of mortise-journal measures the journal alone. `mortise run` with a program of a hundred
//! calls, with the journal on and off in turn, measures all of it.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::Bench;
use super::measure::Sample;
use super::series::{Series, interleave, table};
use super::statistics::median;
use crate::process;

const CALLS: usize = 2_000;
const RUNS: usize = 10_000;
const KEPT: usize = 100_000;
const LIMIT: Duration = Duration::from_secs(900);

const PROGRAM: &str = "for number in range(100):\n    await mcp__weather__get_weather(city='Oslo')\n";

#[derive(Deserialize)]
struct JournalFigure {
    name: String,
    value: f64,
}

pub(super) fn run(bench: &Bench<'_>) -> Result<(String, Vec<Series>)> {
    let figures = alone(bench)?;
    let of = |name: &str| -> Result<f64> {
        let values: Vec<f64> =
            figures.iter().filter(|figure| figure.name == name).map(|figure| figure.value).collect();
        ensure!(!values.is_empty(), "`{name}` was not measured");
        Ok(median(&values))
    };
    let programs = programs(bench)?;
    let [on, off] = [&programs[0], &programs[1]];
    let page = format!(
        "The journal alone, without a program: a call waits for its entry for **{:.0} µs** at the median of {CALLS} (goal: \
         at most 50 µs). The newest 50 of {KEPT} runs are listed in **{:.1} ms**, by tool and state in {:.1} ms, and in a \
         state that no run has in {:.1} ms (goal: under 100 ms). Resident memory after 1,000 runs {:.1} MiB, after \
         {RUNS} more {:.1} MiB.\n\n`mortise run` with a program of 100 calls in sequence to a sample server, with the \
         journal on and off in turn. The journal adds {:+.1} µs to a call at the median, and {:+.1} % CPU (goals: 50 µs, \
         3 %).\n\n{}",
        of("call_us")?,
        of("list_ms")?,
        of("list_filtered_ms")?,
        of("list_nothing_ms")?,
        of("resident_kib_before")? / 1024.0,
        of("resident_kib_after")? / 1024.0,
        (median(&on.wall()) - median(&off.wall())) * 1e3 / 100.0,
        (median(&on.cpu()) / median(&off.cpu()) - 1.0) * 100.0,
        table(&programs)
    );
    Ok((page, programs))
}

/// The journal without programs.
fn alone(bench: &Bench<'_>) -> Result<Vec<JournalFigure>> {
    let folder = bench.folder.join("journal-alone");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut command = Command::new(bench.ours("examples/bench_journal"));
    command.arg(folder.join("journal"));
    command.args([CALLS, RUNS, KEPT].map(|number| number.to_string()));
    let finished = process::run_ok(&mut command, LIMIT)?;
    let read = |line: &str| serde_json::from_str(line).with_context(|| line.to_owned());
    finished.stdout.lines().map(read).collect()
}

/// `mortise run` with and without the journal.
fn programs(bench: &Bench<'_>) -> Result<Vec<Series>> {
    let folder = bench.folder.join("journal");
    fs::create_dir_all(&folder)?;
    let program = folder.join("calls.py");
    fs::write(&program, PROGRAM)?;
    let mut commands = Vec::new();
    for word in ["on", "off"] {
        let config = folder.join(format!("{word}.yaml"));
        fs::write(&config, format!("journal: {word}\nservers:\n  - {{name: weather, sample: weather}}\n"))?;
        let [config, program] = [&config, &program].map(|path| path.to_string_lossy().into_owned());
        let state = format!("XDG_STATE_HOME={}", folder.join("state").display());
        let mortise = bench.ours("mortise");
        commands.push(
            ["env", &state, &mortise, "run", "--config", &config, &program].map(str::to_owned).to_vec(),
        );
    }
    interleave("journal", &["journal on", "journal off"], bench.rounds, |index| -> Result<Sample> {
        bench.measure(&commands[index], 0)
    })
}
