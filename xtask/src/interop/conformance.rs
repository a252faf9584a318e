//! The official conformance suite against our server library and our client library.
//!
//! The server under test is the example `conformance` of mortise-server, the client the example
//! `conformance_client` of mortise-upstream. `xtask/interop/conformance.yml` is the suite's baseline.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::Interop;
use super::endpoint::{free_port, listen};
use crate::process;
use crate::report::Report;

const LIMIT: Duration = Duration::from_secs(600);

/// Which scenarios a run of the suite takes.
const RUNS: [(&str, &[&str]); 3] = [
    ("all of 2025-11-25", &["--suite", "all", "--spec-version", "2025-11-25"]),
    ("all of 2026-07-28", &["--suite", "all", "--spec-version", "2026-07-28"]),
    ("required for 2026-07-28", &["--requirements", "2026-07-28"]),
];

/// The scenarios that the client example plays: all but those of authorization.
const CLIENT: [(&str, &[&str]); 2] = [
    (
        "2025-11-25",
        &[
            "initialize",
            "tools_call",
            "elicitation-sep1034-client-defaults",
            "sse-retry",
            "json-schema-2020-12-preservation",
        ],
    ),
    (
        "2026-07-28",
        &[
            "tools_call",
            "request-metadata",
            "sep-2322-client-request-state",
            "http-standard-headers",
            "http-custom-headers",
            "http-invalid-tool-headers",
            "json-schema-ref-no-deref",
            "json-schema-2020-12-preservation",
        ],
    ),
];

pub(super) fn run(interop: &Interop<'_>, report: &mut Report) {
    for (name, selection) in RUNS {
        report.step(&format!("conformance: server, {name}"), "cargo xtask interop conformance", || {
            server(interop, selection)
        });
    }
    for (version, scenarios) in CLIENT {
        report.step(
            &format!("conformance: client, {version}, no logins"),
            "cargo xtask interop conformance",
            || client(interop, version, scenarios),
        );
    }
}

fn server(interop: &Interop<'_>, selection: &[&str]) -> Result<String> {
    let folder = folder(interop)?;
    let port = free_port()?;
    let program = interop.workspace.built("examples/conformance").to_string_lossy().into_owned();
    let command = [program, format!("127.0.0.1:{port}")];
    let _running = listen(&command, &BTreeMap::new(), &folder, port)?;
    let mut suite = suite(interop)?;
    suite.args(["server", "--url", &format!("http://127.0.0.1:{port}/mcp")]).args(selection);
    judge(interop, &mut suite)
}

fn client(interop: &Interop<'_>, version: &str, scenarios: &[&str]) -> Result<String> {
    for scenario in scenarios {
        let mut suite = suite(interop)?;
        suite.arg("client").arg("--command").arg(interop.workspace.built("examples/conformance_client"));
        suite.args(["--scenario", scenario, "--spec-version", version]);
        let finished = process::run(&mut suite, LIMIT)?;
        ensure!(
            finished.status.success(),
            "`{scenario}` ended with {}\n{}{}",
            finished.status,
            finished.stdout,
            finished.stderr
        );
    }
    Ok(format!("{} scenarios", scenarios.len()))
}

/// The suite listens on all interfaces by itself; the preloaded file keeps it on loopback.
fn suite(interop: &Interop<'_>) -> Result<Command> {
    let preloaded = interop.workspace.root().join("xtask/interop/loopback.cjs");
    let suite = interop.packages.npm_file("@modelcontextprotocol/conformance/dist/index.js");
    interop.packages.javascript_after(&preloaded, &suite)
}

fn judge(interop: &Interop<'_>, suite: &mut Command) -> Result<String> {
    suite.arg("--expected-failures").arg(interop.workspace.root().join("xtask/interop/conformance.yml"));
    suite.arg("--output-dir").arg(folder(interop)?.join("results"));
    let finished = process::run(suite, LIMIT)?;
    ensure!(
        finished.status.success(),
        "the suite ended with {}\n{}{}",
        finished.status,
        finished.stdout,
        finished.stderr
    );
    let total = finished.stdout.lines().rev().find(|line| line.starts_with("Total:"));
    let total = total.context("the suite printed no total")?;
    let scenarios = finished.stdout.lines().filter(|line| line.starts_with('✓')).count();
    Ok(format!("{scenarios} scenarios, checks {}", total.trim_start_matches("Total:").trim()))
}

fn folder(interop: &Interop<'_>) -> Result<PathBuf> {
    let folder = interop.packages.folder().join("work/conformance");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}
