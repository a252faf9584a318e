//! The official conformance suite against our server library and our client library.
//!
//! The server under test is the example `conformance` of mortise-server, the client the example
//! `conformance_client` of mortise-client. The suite has a list of expected failures of its own,
//! but does not apply it to scenarios that it runs without counting them; so its summary is read
//! here and judged by ours, `xtask/interop/conformance.toml`.

mod summary;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::Interop;
use super::endpoint::{free_port, listen};
use super::expected::ExpectedFailures;
use crate::process;
use crate::report::Report;

const LIMIT: Duration = Duration::from_secs(600);

/// One run of the suite.
struct Run {
    name: &'static str,
    side: Side,
    /// Which scenarios it takes.
    selection: &'static [&'static str],
    /// How many they are, so that none is lost without a word.
    scenarios: usize,
    failures: Failures,
}

/// Which of ours is tested.
#[derive(Clone, Copy)]
enum Side {
    Server,
    Client,
}

/// Which scenarios may fail.
#[derive(Clone, Copy)]
enum Failures {
    None,
    Listed,
}

const RUNS: [Run; 8] = [
    Run {
        name: "server, all of 2025-11-25",
        side: Side::Server,
        selection: &["--suite", "all", "--spec-version", "2025-11-25"],
        scenarios: 33,
        failures: Failures::None,
    },
    Run {
        name: "server, all of 2026-07-28",
        side: Side::Server,
        selection: &["--suite", "all", "--spec-version", "2026-07-28"],
        scenarios: 40,
        failures: Failures::None,
    },
    Run {
        name: "server, required for 2026-07-28",
        side: Side::Server,
        selection: &["--requirements", "2026-07-28"],
        scenarios: 50,
        failures: Failures::Listed,
    },
    Run {
        name: "client, all of 2025-03-26",
        side: Side::Client,
        selection: &["--suite", "all", "--spec-version", "2025-03-26"],
        scenarios: 2,
        failures: Failures::None,
    },
    Run {
        name: "client, all of 2025-06-18",
        side: Side::Client,
        selection: &["--suite", "all", "--spec-version", "2025-06-18"],
        scenarios: 5,
        failures: Failures::None,
    },
    Run {
        name: "client, all of 2025-11-25",
        side: Side::Client,
        selection: &["--suite", "all", "--spec-version", "2025-11-25"],
        scenarios: 19,
        failures: Failures::None,
    },
    Run {
        name: "client, all of 2026-07-28",
        side: Side::Client,
        selection: &["--suite", "all", "--spec-version", "2026-07-28"],
        scenarios: 33,
        failures: Failures::None,
    },
    Run {
        name: "client, extension client credentials",
        side: Side::Client,
        selection: &["--scenario", "auth/client-credentials-basic"],
        scenarios: 1,
        failures: Failures::None,
    },
];

pub(super) fn run(interop: &Interop<'_>, report: &mut Report) {
    for run in &RUNS {
        report.step(&format!("conformance: {}", run.name), "cargo xtask interop conformance", || {
            match run.side {
                Side::Server => server(interop, run),
                Side::Client => client(interop, run),
            }
        });
    }
}

fn server(interop: &Interop<'_>, run: &Run) -> Result<String> {
    let port = free_port()?;
    let program = interop.workspace.built("examples/conformance").to_string_lossy().into_owned();
    let command = [program, format!("127.0.0.1:{port}")];
    let _running = listen(&command, &BTreeMap::new(), &folder(interop)?, port)?;
    let mut suite = suite(interop)?;
    suite.args(["server", "--url", &format!("http://127.0.0.1:{port}/mcp")]);
    judge(interop, suite, run)
}

fn client(interop: &Interop<'_>, run: &Run) -> Result<String> {
    let mut suite = suite(interop)?;
    suite.arg("client").arg("--command").arg(interop.workspace.built("examples/conformance_client"));
    judge(interop, suite, run)
}

/// The suite listens on all interfaces by default; the preloaded file keeps it on loopback.
fn suite(interop: &Interop<'_>) -> Result<Command> {
    let preloaded = interop.workspace.root().join("xtask/interop/loopback.cjs");
    let suite = interop.packages.npm_file("@modelcontextprotocol/conformance/dist/index.js");
    interop.packages.javascript_after(&preloaded, &suite)
}

fn judge(interop: &Interop<'_>, mut suite: Command, run: &Run) -> Result<String> {
    suite.args(run.selection).arg("--output-dir").arg(folder(interop)?.join("results"));
    let finished = process::run(&mut suite, LIMIT)?;
    // A summary goes to standard output, the result of a single scenario to standard error.
    let printed = || format!("{}{}", finished.stdout, finished.stderr);
    let scenarios = match run.selection {
        ["--scenario", name] => summary::of_one(name, &finished.stderr),
        _ => summary::of_all(&finished.stdout),
    };
    let scenarios = scenarios.with_context(printed)?;
    ensure!(
        scenarios.len() == run.scenarios,
        "{} scenarios ran, {} are known\n{}",
        scenarios.len(),
        run.scenarios,
        printed()
    );
    let outcomes: Vec<_> = scenarios.iter().map(summary::Scenario::outcome).collect();
    let has_failed = outcomes.iter().any(|outcome| outcome.failure.is_some());
    ensure!(
        finished.status.success() || has_failed,
        "the suite ended with {}\n{}",
        finished.status,
        printed()
    );
    let expected = match run.failures {
        Failures::None => ExpectedFailures::none(),
        Failures::Listed => {
            ExpectedFailures::read(&interop.workspace.root().join("xtask/interop/conformance.toml"))?
        }
    };
    let judged = expected.judge(&outcomes).with_context(printed)?;
    let checks: u64 = scenarios.iter().map(|scenario| scenario.passed).sum();
    Ok(format!("{judged}; {checks} checks passed"))
}

fn folder(interop: &Interop<'_>) -> Result<PathBuf> {
    let folder = interop.packages.folder().join("work/conformance");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}
