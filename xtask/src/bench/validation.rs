//! Validation alone, for schemas of the kinds that real servers publish, against Ajv and Python's jsonschema.
//!
//! Each system is one program that reads the same cases, compiles every schema once and then validates again and
//! again: the value that is parsed already, and the text of the whole result. The programs run in turn.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Bench;
use super::measure::Sample;
use super::plot::time;
use super::series::{Series, in_turn, shown};
use super::statistics::{median, ratio};
use crate::process;

const SYSTEMS: [&str; 3] = ["mortise-contract", "Ajv", "Python jsonschema"];
const LIMIT: Duration = Duration::from_secs(300);

/// What a program prints for each case: nanoseconds of one validation.
#[derive(Deserialize)]
struct Times {
    /// Of the parsed value, over the first results after compiling.
    first: f64,
    /// Of the parsed value, in a long loop.
    steady: f64,
    /// From the text of the whole result, in a long loop.
    whole: f64,
}

/// One number per round for each system.
type Rounds = [Vec<f64>; 3];

pub(super) fn run(bench: &Bench<'_>) -> Result<(String, Vec<Series>)> {
    let cases = bench.folder.join("cases.json");
    fs::write(&cases, serde_json::to_string(&read_cases(bench)?)?)?;
    let cases = cases.to_string_lossy().into_owned();
    let mut tables: [BTreeMap<String, Rounds>; 3] = Default::default();
    let runs = in_turn("validation", &SYSTEMS, bench.rounds, |system| {
        let finished = process::run_ok(&mut program(bench, system, &cases)?, LIMIT)?;
        let measured: BTreeMap<String, Times> =
            serde_json::from_str(&finished.stdout).context("the program printed no times")?;
        Ok(measured)
    })?;
    for (system, rounds) in runs.iter().enumerate() {
        for (case, times) in rounds.iter().flatten() {
            for (table, time) in tables.iter_mut().zip([times.first, times.steady, times.whole]) {
                table.entry(case.clone()).or_default()[system].push(time);
            }
        }
    }
    let mut series = Vec::new();
    for (name, times) in ["first", "steady", "whole"].into_iter().zip(&tables) {
        series.extend(all_series(name, times, bench.rounds)?);
    }
    let [first, steady, whole] = &tables;
    let page = format!(
        "Compiled schemas of the kinds that real servers publish, and values that conform to them, on one thread. \
         mortise includes the checks of depth and of total work. Python's jsonschema needs {}.\n\n\
         ### From text to verdict\n\n\
         What a call costs: the text of the whole result is parsed and its structured content validated. mortise also \
         keeps every part verbatim, looks for numbers that a double does not hold and makes the verdict. The engine \
         of JavaScript has compiled Ajv's code for exactly this value.\n\n{}\n\
         ### A value that is parsed already\n\n\
         The first hundred results of a session, and a long loop over one value.\n\n{}",
        range(whole, 2),
        whole_table(whole),
        parsed_table(first, steady),
    );
    Ok((page, series))
}

/// One series for each case and system, in milliseconds.
fn all_series(table: &str, times: &BTreeMap<String, Rounds>, rounds: usize) -> Result<Vec<Series>> {
    let mut series = Vec::new();
    for (case, systems) in times {
        for (name, nanoseconds) in SYSTEMS.iter().zip(systems) {
            ensure!(nanoseconds.len() == rounds, "{case} was not measured by all");
            let sample = |time: &f64| Sample { wall_ms: time / 1e6, cpu_ms: time / 1e6, peak_kib: 0 };
            let samples = nanoseconds.iter().map(sample).collect();
            series.push(Series { system: format!("{table}: {case}: {name}"), samples });
        }
    }
    Ok(series)
}

/// `15 µs to 5.4 ms`: the shortest and the longest median of one system.
fn range(times: &BTreeMap<String, Rounds>, system: usize) -> String {
    let medians = || times.values().map(|rounds| median(&rounds[system]) / 1e6);
    format!("{} to {}", time(medians().fold(f64::MAX, f64::min)), time(medians().fold(0.0, f64::max)))
}

fn whole_table(times: &BTreeMap<String, Rounds>) -> String {
    let mut text =
        "| schema | mortise | Ajv | mortise against Ajv |\n| --- | ---: | ---: | ---: |\n".to_owned();
    for (case, [ours, ajv, _]) in times {
        let [mine, theirs] = [ours, ajv].map(|rounds| time(median(rounds) / 1e6));
        text.push_str(&format!("| {case} | {mine} | {theirs} | {} |\n", shown(ratio(ours, ajv))));
    }
    text
}

fn parsed_table(first: &BTreeMap<String, Rounds>, steady: &BTreeMap<String, Rounds>) -> String {
    let mut text = "| schema | first hundred: mortise | Ajv | long loop: mortise | Ajv |\n\
         | --- | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    for ((case, [ours, ajv, _]), [ours_later, ajv_later, _]) in first.iter().zip(steady.values()) {
        let cells = [ours, ajv, ours_later, ajv_later].map(|rounds| time(median(rounds) / 1e6));
        text.push_str(&format!("| {case} | {} |\n", cells.join(" | ")));
    }
    text
}

fn program(bench: &Bench<'_>, system: usize, cases: &str) -> Result<Command> {
    let scripts = bench.workspace.root().join("xtask/bench");
    let mut command = match system {
        0 => Command::new(bench.ours("examples/bench_validate")),
        1 => {
            let copy = bench.npm.beside("validate.mjs");
            fs::copy(scripts.join("validate.mjs"), &copy)?;
            bench.packages.javascript(&copy)?
        }
        _ => bench.packages.python(&scripts.join("validate.py")),
    };
    command.arg(cases);
    Ok(command)
}

/// Reads `xtask/bench/cases/*.json`; `repeat` makes an array as long as real results are.
fn read_cases(bench: &Bench<'_>) -> Result<Vec<Value>> {
    let folder = bench.workspace.root().join("xtask/bench/cases");
    let mut paths: Vec<_> = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let mut case: Value =
            serde_json::from_str(&fs::read_to_string(&path)?).with_context(|| path.display().to_string())?;
        if let Some(repeat) = case.get("repeat").cloned() {
            let pointer = repeat["pointer"].as_str().context("repeat needs a pointer")?;
            let times = repeat["times"].as_u64().context("repeat needs a number of times")?;
            let array = case["instance"].pointer_mut(pointer).and_then(Value::as_array_mut);
            let array = array.context("repeat must point at an array")?;
            let once = array.clone();
            for _ in 1..times {
                array.extend(once.iter().cloned());
            }
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        cases.push(json!({ "name": name, "schema": case["schema"], "instance": case["instance"] }));
    }
    Ok(cases)
}
