//! What one process costs: wall time, CPU time and peak memory, descendants included.
//!
//! The kernel counts resources of ended children for their parent. So that one process is counted
//! alone, each runs below a fresh helper: this program once more, with the hidden chore `measure`.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde::{Deserialize, Serialize};

use crate::process;

/// The costs of one run.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Sample {
    /// From the start to the end, in milliseconds.
    pub wall_ms: f64,
    /// User and system time of the process and its descendants, in milliseconds.
    pub cpu_ms: f64,
    /// The largest resident set among the process and its descendants, in KiB.
    pub peak_kib: i64,
}

const LIMIT: Duration = Duration::from_secs(300);

/// Runs a command below a helper. It must exit with `code`; its output goes to a file in `folder`.
pub(super) fn measure(command: &[String], folder: &Path, code: i32) -> Result<Sample> {
    let answer = folder.join("sample.json");
    let output = folder.join("output");
    let mut helper = Command::new(std::env::current_exe()?);
    helper.arg("measure").arg(&answer).arg(&output).arg("--").args(command);
    let finished = process::run(&mut helper, LIMIT)?;
    ensure!(finished.status.success(), "{}", finished.tail(20));
    let measured: Measured = serde_json::from_str(&fs::read_to_string(&answer)?)?;
    if measured.code != Some(code) {
        let said = fs::read_to_string(&output).unwrap_or_default();
        bail!("`{}` ended with {:?}, not {code}:\n{said}", command.join(" "), measured.code);
    }
    Ok(measured.sample)
}

#[derive(Serialize, Deserialize)]
struct Measured {
    sample: Sample,
    code: Option<i32>,
}

/// The helper's side: runs the command as the only child and writes what it cost.
pub fn help(answer: &Path, output: &Path, command: &[String]) -> Result<()> {
    let (program, arguments) = command.split_first().context("no command to measure")?;
    let file = File::create(output)?;
    let mut child = Command::new(program);
    child.args(arguments).stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    let started = Instant::now();
    let status = child.status().with_context(|| format!("cannot start `{program}`"))?;
    let wall = started.elapsed();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let cpu = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    let sample =
        Sample { wall_ms: wall.as_secs_f64() * 1e3, cpu_ms: cpu as f64 / 1e3, peak_kib: usage.max_rss() };
    fs::write(answer, serde_json::to_string(&Measured { sample, code: status.code() })?)?;
    Ok(())
}
