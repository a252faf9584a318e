//! One validated call through mortise-client against the same call through bare rmcp.
//!
//! Both run in one process, the example `bench_call` of mortise-client, which alternates batches of
//! calls to two instances of the same sample server and prints one line for each batch.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::Bench;
use super::measure::Sample;
use super::series::{Series, sentence, table};
use crate::process;

const BATCH: usize = 200;
const LIMIT: Duration = Duration::from_secs(900);

#[derive(Deserialize)]
struct Batch {
    system: String,
    wall_ns: f64,
    cpu_ns: f64,
}

pub(super) fn run(bench: &Bench<'_>) -> Result<(String, Vec<Series>)> {
    let mut command = Command::new(bench.ours("examples/bench_call"));
    command.args([&bench.rounds.to_string(), &BATCH.to_string(), "query_financials", r#"{"ticker":"AMZN"}"#]);
    command.args([&bench.ours("mortise"), "sample", "financial-data"]);
    let finished = process::run_ok(&mut command, LIMIT)?;
    let mut series: Vec<Series> = ["mortise-client", "rmcp"]
        .map(|system| Series { system: system.to_owned(), samples: Vec::new() })
        .into();
    for line in finished.stdout.lines() {
        let batch: Batch = serde_json::from_str(line).with_context(|| line.to_owned())?;
        let known = series.iter_mut().find(|it| it.system == batch.system);
        let one = |nanoseconds: f64| nanoseconds / BATCH as f64 / 1e6;
        known.with_context(|| format!("unknown system in {line}"))?.samples.push(Sample {
            wall_ms: one(batch.wall_ns),
            cpu_ms: one(batch.cpu_ns),
            peak_kib: 0,
        });
    }
    ensure!(series.iter().all(|it| it.samples.len() == bench.rounds), "not every round was measured");
    let page = format!(
        "{}\n\nSequential calls of `query_financials` over stdio, {BATCH} in a batch, batches of both in turn. CPU is that of \
         the client process, for one call. mortise-client keeps the server's own bytes and judges every result \
         against its schema; rmcp does neither. Goal: a ratio of at most 1.10.\n\n{}",
        sentence(&series),
        table(&series)
    );
    Ok((page, series))
}
