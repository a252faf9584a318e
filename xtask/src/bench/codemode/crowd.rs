//! A thousand small programs at once over HTTP: `xtask/bench/codemode/crowd.py`.

use anyhow::{Result, ensure};
use serde::Deserialize;
use serde_json::json;

use super::super::Bench;
use super::super::measure::Sample;
use super::super::series::Series;
use super::super::statistics::median;
use super::{script, systems};

/// Each time with a new gateway.
const TIMES: usize = 5;

#[derive(Deserialize)]
struct Crowd {
    programs: usize,
    failed: usize,
    /// The first few.
    failures: Vec<String>,
    wall_ms: f64,
    peak_kib: i64,
}

pub(super) fn run(bench: &Bench<'_>) -> Result<(String, Series)> {
    let job = json!({ "command": systems::serve(bench, &["--http", "127.0.0.1:0", "--no-token"]) });
    let mut samples = Vec::new();
    let mut programs = 0;
    for _ in 0..TIMES {
        let crowd: Crowd = script(bench, "crowd.py", &job)?;
        ensure!(
            crowd.failed == 0,
            "{} of {} programs failed: {}",
            crowd.failed,
            crowd.programs,
            crowd.failures.join("; ")
        );
        programs = crowd.programs;
        samples.push(Sample { wall_ms: crowd.wall_ms, cpu_ms: 0.0, peak_kib: crowd.peak_kib });
    }
    let series = Series { system: "crowd: mortise".to_owned(), samples };
    let text = format!(
        "{programs} programs with one call each, sent at once to `mortise serve --http` by twenty official Python \
         clients; a few run, the others wait. In {TIMES} runs there was no error. The last answer came after **{:.1} s** \
         (median). The peak resident memory of the gateway was **{:.0} MiB**.\n",
        median(&series.wall()) / 1e3,
        series.peak_mib()
    );
    Ok((text, series))
}
