//! Ten thousand tools from ten servers, listed by one process.

use anyhow::{Result, ensure};
use serde_json::Value;

use super::Bench;
use super::series::{Series, interleave};
use super::statistics::median;

const SERVERS: usize = 10;
const TOOLS: usize = 1_000;

pub(super) fn run(bench: &Bench<'_>) -> Result<(String, Vec<Series>)> {
    let mut words = vec![bench.ours("mortise"), "tools".to_owned(), "--json".to_owned()];
    for index in 0..SERVERS {
        let server = format!("s{index}={} mock tools={TOOLS}", bench.ours("mortise"));
        words.extend(["--server".to_owned(), server]);
    }
    let series = interleave("many", &["mortise tools"], bench.rounds, |_| {
        let sample = bench.measure(&words, 0)?;
        let listed: Value = serde_json::from_str(&std::fs::read_to_string(bench.folder.join("output"))?)?;
        let count = listed["tools"].as_array().map_or(0, Vec::len);
        ensure!(count == SERVERS * TOOLS, "{count} tools listed");
        Ok(sample)
    })?;
    let page = format!(
        "{SERVERS} servers with {TOOLS} tools each, over stdio, started and listed by `mortise tools --json`. Median \
         wall time **{:.2} s** (goal: under 2 s), CPU of all eleven processes {:.2} s, peak resident set of the largest \
         process **{:.0} MiB** (goal: under 200 MB).\n",
        median(&series[0].wall()) / 1e3,
        median(&series[0].cpu()) / 1e3,
        series[0].peak_mib()
    );
    Ok((page, series))
}
