//! Validation alone, for schemas of the kinds that real servers publish, against Ajv and Python's jsonschema.
//!
//! Each system is one program that reads the same cases, compiles every schema once and then validates the
//! parsed value again and again. The programs run in turn.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Bench;
use super::measure::Sample;
use super::series::{Series, interleave, shown};
use super::statistics::{median, ratio};
use crate::process;

const SYSTEMS: [&str; 3] = ["mortise-contract", "Ajv", "Python jsonschema"];
const LIMIT: Duration = Duration::from_secs(300);

/// What a program prints for each case: nanoseconds of one validation.
#[derive(Deserialize)]
struct Times {
    /// Over the first results after compiling.
    first: f64,
    /// In a long loop.
    steady: f64,
}

/// One number per round for each system.
type Rounds = [Vec<f64>; 3];

pub(super) fn run(bench: &Bench<'_>) -> Result<(String, Vec<Series>)> {
    let cases = bench.folder.join("cases.json");
    fs::write(&cases, serde_json::to_string(&read_cases(bench)?)?)?;
    let cases = cases.to_string_lossy().into_owned();
    let mut first: BTreeMap<String, Rounds> = BTreeMap::new();
    let mut steady: BTreeMap<String, Rounds> = BTreeMap::new();
    let mut runs = 0;
    let series = interleave("validation", &SYSTEMS, bench.rounds, |system| {
        let warm_up = runs < SYSTEMS.len();
        runs += 1;
        let finished = process::run_ok(&mut program(bench, system, &cases)?, LIMIT)?;
        let measured: BTreeMap<String, Times> =
            serde_json::from_str(&finished.stdout).context("the program printed no times")?;
        for (case, times) in measured.iter().filter(|_| !warm_up) {
            first.entry(case.clone()).or_default()[system].push(times.first);
            steady.entry(case.clone()).or_default()[system].push(times.steady);
        }
        let total: f64 = measured.values().map(|times| times.first).sum();
        Ok(Sample { wall_ms: total / 1e6, cpu_ms: total / 1e6, peak_kib: 0 })
    })?;
    let page = format!(
        "The parsed value against the compiled schema, on one thread. Ours includes the checks of depth and of total \
         work. Median nanoseconds for one result; ratios below 1 mean that mortise-contract is faster.\n\n\
         ### The first hundred results of a session\n\n{}\n### A long loop over one value\n\n{}",
        table(&first, bench.rounds)?,
        table(&steady, bench.rounds)?
    );
    Ok((page, series))
}

fn table(times: &BTreeMap<String, Rounds>, rounds: usize) -> Result<String> {
    let mut text = String::from(
        "| schema | mortise-contract | Ajv | Python jsonschema | against Ajv | against Python |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for (case, [ours, ajv, python]) in times {
        ensure!([ours, ajv, python].iter().all(|it| it.len() == rounds), "{case} was not measured by all");
        text.push_str(&format!(
            "| {case} | {:.0} | {:.0} | {:.0} | {} | {} |\n",
            median(ours),
            median(ajv),
            median(python),
            shown(ratio(ours, ajv)),
            shown(ratio(ours, python)),
        ));
    }
    Ok(text)
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
