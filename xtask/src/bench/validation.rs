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
use super::series::{Series, interleave, shown};
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
    let mut runs = 0;
    let series = interleave("validation", &SYSTEMS, bench.rounds, |system| {
        let warm_up = runs < SYSTEMS.len();
        runs += 1;
        let finished = process::run_ok(&mut program(bench, system, &cases)?, LIMIT)?;
        let measured: BTreeMap<String, Times> =
            serde_json::from_str(&finished.stdout).context("the program printed no times")?;
        for (case, times) in measured.iter().filter(|_| !warm_up) {
            for (table, time) in tables.iter_mut().zip([times.first, times.steady, times.whole]) {
                table.entry(case.clone()).or_default()[system].push(time);
            }
        }
        let total: f64 = measured.values().map(|times| times.first).sum();
        Ok(Sample { wall_ms: total / 1e6, cpu_ms: total / 1e6, peak_kib: 0 })
    })?;
    let [first, steady, whole] = tables.map(|times| table(&times, bench.rounds));
    let page = format!(
        "Compiled schemas of the kinds that real servers publish, and values that conform to them, on one thread. Ours \
         includes the checks of depth and of total work. Median nanoseconds for one result; ratios below 1 mean that \
         mortise-contract is faster.\n\n\
         ### The first hundred results of a session\n\nThe value is parsed already.\n\n{}\n\
         ### A long loop over one value\n\nThe value is parsed already, and the engine of JavaScript has compiled \
         Ajv's code for exactly this value.\n\n{}\n\
         ### From text to verdict, in a long loop\n\nThe text of the whole result is parsed and its structured content \
         validated. Ours also keeps every part verbatim, looks for numbers that a double does not hold and makes the \
         verdict.\n\n{}",
        first?, steady?, whole?
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
