//! The peak memory of `mortise call`.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::Bench;
use super::commands::with_tail;
use super::measure::Sample;
use super::series::{Series, interleave};

const LIMIT: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(1);

pub(super) fn run(bench: &Bench<'_>) -> Result<(String, Vec<Series>)> {
    let command = ["call", "get-structured-content", "location=Chicago", "--json", "--"];
    let program = bench.ours("mortise");
    let words = with_tail(&[&[program.as_str()], &command[..]].concat(), &bench.everything()?);
    let series = interleave("memory", &["mortise call"], bench.rounds, |_| peak(&words))?;
    let page = format!(
        "`mortise {} …` against server-everything over stdio. The peak resident set of mortise itself, as the kernel \
         keeps it, without the server; the highest of {} runs: **{:.1} MB** (goal: under 25 MB). Most of it are pages \
         of the program file, which all mortise processes share.\n",
        command.join(" "),
        bench.rounds,
        series[0].peak_mib() * 1.048_576
    );
    Ok((page, series))
}

/// Runs a command and reads its own high-water mark until it ends.
fn peak(words: &[String]) -> Result<Sample> {
    let (program, arguments) = words.split_first().context("no command to measure")?;
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start `{program}`"))?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kib = 0;
    let ended = loop {
        // Before the program is loaded this is still the process that starts it.
        let text = fs::read_to_string(&status).unwrap_or_default();
        if text.starts_with("Name:\tmortise\n") {
            peak_kib = high_water(&text).unwrap_or(0).max(peak_kib);
        }
        if let Some(ended) = child.try_wait()? {
            break ended;
        }
        if started.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            bail!("`{}` did not end within {LIMIT:?}", words.join(" "));
        }
        thread::sleep(PAUSE);
    };
    ensure!(ended.success(), "`{}` ended with {ended}", words.join(" "));
    ensure!(peak_kib > 0, "`{}` ended before it could be measured", words.join(" "));
    Ok(Sample { wall_ms: started.elapsed().as_secs_f64() * 1e3, cpu_ms: 0.0, peak_kib })
}

fn high_water(status: &str) -> Option<i64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
