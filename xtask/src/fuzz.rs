//! Runs the fuzz targets of all crates: the test target `fuzz` of a package, one test per fuzz target.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use cargo_metadata::Message;

use crate::process;
use crate::report::Report;
use crate::workspace::Workspace;

const BUILD_LIMIT: Duration = Duration::from_secs(1800);

/// What a target may take beyond its own time: one slow input, shrinking, writing the finding.
const SLACK: Duration = Duration::from_secs(120);

/// Runs every fuzz target for `time`, or only those whose name contains `filter`.
pub fn run(workspace: &Workspace, time: Duration, filter: Option<&str>) -> Result<()> {
    let mut report = Report::new("fuzz");
    let mut names = Vec::new();
    for binary in build(workspace)? {
        for target in targets(&binary)? {
            let name = format!("{} {target}", binary.package);
            if filter.is_none_or(|filter| name.contains(filter)) {
                let rerun = format!("cargo xtask fuzz --seconds {} {target}", time.as_secs());
                report.step(&name, &rerun, || fuzz(&binary, &target, time));
            }
            names.push(name);
        }
    }
    if names.is_empty() {
        bail!("no package has a fuzz target: they are the tests in `tests/fuzz/main.rs`");
    }
    report.finish()
}

struct FuzzBinary {
    package: String,
    directory: PathBuf,
    executable: PathBuf,
}

/// Builds with the options of the workspace tests, so that their artefacts are used again.
fn build(workspace: &Workspace) -> Result<Vec<FuzzBinary>> {
    let mut command = workspace.cargo("test");
    command.args(["--workspace", "--locked", "--quiet", "--no-run", "--test", "fuzz"]);
    command.args(["--message-format", "json-render-diagnostics"]);
    let finished = process::run_ok(&mut command, BUILD_LIMIT)?;
    let mut binaries = Vec::new();
    for message in Message::parse_stream(finished.stdout.as_bytes()) {
        let Message::CompilerArtifact(artifact) = message? else { continue };
        let Some(executable) = artifact.executable.filter(|_| artifact.target.name == "fuzz") else {
            continue;
        };
        let package = &workspace.metadata()[&artifact.package_id];
        let directory = package.manifest_path.parent().context("a manifest lies in a folder")?;
        binaries.push(FuzzBinary {
            package: package.name.to_string(),
            directory: directory.into(),
            executable: executable.into(),
        });
    }
    binaries.sort_by(|a, b| a.package.cmp(&b.package));
    Ok(binaries)
}

fn targets(binary: &FuzzBinary) -> Result<Vec<String>> {
    let mut command = Command::new(&binary.executable);
    let listed = process::run_ok(command.args(["--list", "--format", "terse"]), SLACK)?;
    let names = listed.stdout.lines().filter_map(|line| line.strip_suffix(": test"));
    Ok(names.map(str::to_owned).collect())
}

fn fuzz(binary: &FuzzBinary, target: &str, time: Duration) -> Result<String> {
    let mut command = Command::new(&binary.executable);
    command.args(["--exact", target, "--nocapture"]).current_dir(&binary.directory);
    command.env("MORTISE_FUZZ_SECONDS", time.as_secs().to_string());
    let finished = process::run_ok(&mut command, time + SLACK)?;
    Ok(format!("no finding in {:.0} s", finished.time.as_secs_f64()))
}
