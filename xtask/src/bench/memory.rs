//! The peak memory of `mortise call`.

use anyhow::Result;

use super::Bench;
use super::series::{Series, interleave};

pub(super) fn run(bench: &Bench<'_>) -> Result<(String, Vec<Series>)> {
    // The sample server is the same program, so the larger of the two processes is what is reported.
    let command = ["call", "query_financials", "ticker=AMZN", "--json"];
    let mut words = vec![bench.ours("mortise")];
    words.extend(command.map(str::to_owned));
    let series = interleave("memory", &["mortise call"], bench.rounds, |_| bench.measure(&words, 0))?;
    let page = format!(
        "`mortise {}` against the built-in sample server over stdio. The peak resident set of the larger of the two \
         processes, the highest of {} runs: **{:.1} MiB** (goal: under 25 MB).\n",
        command.join(" "),
        bench.rounds,
        series[0].peak_mib()
    );
    Ok((page, series))
}
