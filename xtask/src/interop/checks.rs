//! `mortise check` on other people's servers: the report must be the stored one.
//!
//! Stored is what does not depend on the day: findings without the excerpts of answers, which calls
//! were made and how each was judged, the standing of each tool, and the coverage.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value, json};

use super::Interop;
use super::difference::differences;
use super::endpoint::{Endpoint, ServerEntry, Wire};
use super::servers::read;
use crate::process;
use crate::report::Report;

const LIMIT: Duration = Duration::from_secs(180);
/// Calls made up for one tool.
const CALLS: usize = 4;

pub(super) fn run(interop: &Interop<'_>, report: &mut Report) {
    let rerun = "cargo xtask interop tester";
    let manifest = match read(interop) {
        Ok(manifest) => manifest,
        Err(error) => return report.step("check", rerun, || Err(error)),
    };
    for server in manifest.server.iter().filter(|server| server.speaks(Wire::Stdio)) {
        report.step(&format!("check: {}", server.name), rerun, || check(interop, server));
    }
}

fn check(interop: &Interop<'_>, server: &ServerEntry) -> Result<String> {
    let endpoint = server.endpoint(interop, Wire::Stdio)?;
    let calls = server.made_up_calls.unwrap_or(CALLS);
    let found = normal(&reported(interop, &endpoint, server, calls)?, endpoint.folder());
    let (stored, written) = paths(interop, &server.name)?;
    fs::write(&written, format!("{found:#}\n"))?;
    let expected: Value = match fs::read_to_string(&stored) {
        Ok(text) => serde_json::from_str(&text).with_context(|| format!("reading {}", stored.display()))?,
        Err(error) => bail!("{}: {error}; this run wrote {}", stored.display(), written.display()),
    };
    let differences = differences(&expected, &found);
    if !differences.is_empty() {
        bail!(
            "left is {}, right is {}; copy it there if the difference is meant:\n{}",
            stored.display(),
            written.display(),
            differences.join("\n")
        );
    }
    let count = |key: &str| found[key].as_array().map_or(0, Vec::len);
    let (verified, called) = verified(&found);
    if let Some(least) = server.least_verified {
        ensure!(
            called > 0 && verified * 100 >= called * least,
            "{verified} of {called} called tools are verified; at least {least} % are wanted"
        );
    }
    Ok(format!(
        "{} findings and {} calls as stored, {verified} of {called} called tools verified",
        count("findings"),
        count("made")
    ))
}

/// How many tools are verified, and how many were called.
fn verified(report: &Value) -> (usize, usize) {
    let standings = report["standings"].as_array().map_or(&[][..], Vec::as_slice);
    let count = |standing: &str| standings.iter().filter(|tool| tool["standing"] == standing).count();
    (count("verified"), standings.len() - count("not_called"))
}

/// Where the expected report lies, and where the one of this run goes.
fn paths(interop: &Interop<'_>, server: &str) -> Result<(PathBuf, PathBuf)> {
    let name = format!("{server}.json");
    let folder = interop.packages.folder().join("checks");
    fs::create_dir_all(&folder)?;
    Ok((interop.workspace.root().join("xtask/interop/checks").join(&name), folder.join(name)))
}

fn reported(interop: &Interop<'_>, endpoint: &Endpoint, server: &ServerEntry, calls: usize) -> Result<Value> {
    let mut command = Command::new(interop.workspace.built("mortise"));
    command.args(["check", "--json", "--fail-on", "never", "--slow", "60s"]);
    command.args(["--calls", &calls.to_string()]);
    command.args(server.check_calls.iter().flat_map(|tool| ["--call", tool.as_str()]));
    endpoint.add_to(&mut command);
    let finished = process::run_ok(&mut command, LIMIT)?;
    let mut page: Value =
        serde_json::from_str(&finished.stdout).context("`mortise check --json` printed no JSON")?;
    page.pointer_mut("/servers/0").map(Value::take).context("the report has no server")
}

/// What stays the same from run to run.
fn normal(report: &Value, folder: &Path) -> Value {
    let folder = folder.to_string_lossy().into_owned();
    let keep = |from: &Value, keys: &[&str]| -> Value {
        let members = keys.iter().map(|key| ((*key).to_owned(), without(&from[*key], &folder)));
        Value::Object(members.collect::<Map<_, _>>())
    };
    let each = |key: &str, keys: &[&str]| -> Value {
        report[key].as_array().into_iter().flatten().map(|element| keep(element, keys)).collect()
    };
    let findings: Value = report["findings"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|finding| {
            let mut kept = keep(finding, &["rule", "severity", "tool", "message", "count"]);
            kept["request"] = without(&finding["evidence"]["request"], &folder);
            kept["pointer"] = finding["evidence"]["pointer"].clone();
            kept
        })
        .collect();
    json!({
        "about": report["about"],
        "protocol_version": report["protocol_version"],
        "tools": report["tools"],
        "findings": findings,
        "made": each("made", &["tool", "arguments", "kind", "verdict"]),
        "standings": report["standings"],
        "coverage": each("coverage", &["tool", "results", "declared", "seen", "never_seen", "undeclared"]),
    })
}

/// Without the folder of this run.
fn without(value: &Value, folder: &str) -> Value {
    match value {
        Value::String(text) => Value::from(text.replace(folder, "{folder}")),
        Value::Array(items) => items.iter().map(|item| without(item, folder)).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests;
