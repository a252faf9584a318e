//! The corpus of programs through our interpreter and through CPython, compared byte by byte.

mod direct;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::Interop;
use super::endpoint::Wire;
use super::expected::{ExpectedFailures, Outcome};
use super::servers;
use crate::process;
use crate::report::Report;

const LIMIT: Duration = Duration::from_secs(120);

/// Where the programs are, each with what CPython printed for it when it was written.
const CORPUS: &str = "crates/mortise-script/tests/corpus";
/// What gives CPython the tools that the programs call.
const ORACLE: &str = "crates/mortise-script/tests/oracle/oracle.py";
/// A program over the servers of `xtask/interop/servers.toml`, with what it prints beside it.
const OVER_ALL: &str = "xtask/interop/programs/over_all_servers.py";
/// Differences that were decided.
const DECIDED: &str = "xtask/interop/programs.toml";

pub(super) fn run(interop: &Interop<'_>, report: &mut Report) {
    report.step("programs: same output as CPython", "cargo xtask interop programs", || {
        let root = interop.workspace.root();
        let mut outcomes = Vec::new();
        for program in programs(&root.join(CORPUS))? {
            let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            outcomes.push(Outcome { failure: compare(interop, &program)?, name });
        }
        ExpectedFailures::read(&root.join(DECIDED))?.judge(&outcomes)
    });
    report
        .step("programs: one over all servers", "cargo xtask interop programs", || over_all_servers(interop));
    report.step("programs: beside direct calls", "cargo xtask interop programs", || direct::compare(interop));
}

/// One program over other people's servers at once, all of them started by `mortise run`.
fn over_all_servers(interop: &Interop<'_>) -> Result<String> {
    let root = interop.workspace.root();
    let manifest = servers::read(interop)?;
    let mut endpoints = Vec::new();
    for server in manifest.server.iter().filter(|server| server.speaks(Wire::Stdio)) {
        endpoints.push((server.name.as_str(), server.endpoint(interop, Wire::Stdio)?));
    }
    let folder = |name: &str| {
        let found = endpoints.iter().find(|(server, _)| *server == name);
        found.map(|(_, endpoint)| endpoint.folder().to_owned()).with_context(|| format!("no server `{name}`"))
    };
    let entries: Vec<_> = endpoints.iter().map(|(name, endpoint)| endpoint.configured(name)).collect();
    let config = interop.packages.folder().join("work/servers.yaml");
    // JSON is YAML too.
    fs::write(&config, json!({ "servers": entries }).to_string())?;
    let mut command = Command::new(interop.workspace.built("mortise"));
    command.arg("run").arg(root.join(OVER_ALL)).arg("--config").arg(&config).arg("--trace").arg("--");
    command.arg(folder("filesystem")?).arg(folder("git")?.join("repository"));
    let finished = process::run_ok(&mut command, LIMIT)?;
    let expected = fs::read_to_string(root.join(OVER_ALL).with_extension("txt"))?;
    ensure!(
        finished.stdout == expected,
        "printed:\n{}\nexpected:\n{expected}\n{}",
        finished.stdout,
        finished.stderr
    );
    Ok(format!("{} servers", endpoints.len()))
}

fn programs(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "py"));
    paths.sort();
    Ok(paths)
}

/// What differs between CPython, our interpreter, and what is stored.
fn compare(interop: &Interop<'_>, program: &Path) -> Result<Option<String>> {
    let mut oracle = interop.packages.python(&interop.workspace.root().join(ORACLE));
    let theirs = process::run_ok(oracle.arg(program), LIMIT)?.stdout;
    let mut example = Command::new(interop.workspace.built("examples/corpus"));
    let ours = process::run_ok(example.arg(program), LIMIT)?.stdout;
    let stored = fs::read_to_string(program.with_extension("txt"))?;
    if theirs != ours {
        return Ok(Some(format!("CPython printed:\n{theirs}\nwe printed:\n{ours}")));
    }
    Ok((theirs != stored).then(|| format!("CPython printed:\n{theirs}\nstored is:\n{stored}")))
}
