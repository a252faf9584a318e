//! The official JSON Schema tests, all five dialects, through the bounds and options of `mortise-contract`.
//!
//! The source package of Python's jsonschema carries them. Our side is the example `suite` of
//! mortise-contract, which answers one line for each schema.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Interop;
use super::expected::{ExpectedFailures, Outcome};
use crate::packages::patiently;
use crate::process;
use crate::report::Report;

const LIMIT: Duration = Duration::from_secs(300);

/// Folder of the tests, and what our validator calls the dialect.
const DIALECTS: [(&str, &str); 5] = [
    ("draft4", "draft-04"),
    ("draft6", "draft-06"),
    ("draft7", "draft-07"),
    ("draft2019-09", "2019-09"),
    ("draft2020-12", "2020-12"),
];

pub(super) fn run(interop: &Interop<'_>, report: &mut Report) {
    let rerun = "cargo xtask interop schemas";
    let mut suite = None;
    report.step("schemas: fetch", rerun, || {
        let folder = fetch(interop)?;
        suite = Some(folder);
        Ok("official tests unpacked".to_owned())
    });
    let Some(suite) = suite else { return };
    for (folder, dialect) in DIALECTS {
        report.step(&format!("schemas: {dialect}"), rerun, || {
            let groups = read_groups(&suite.join("tests").join(folder), folder)?;
            let outcomes = judge(interop, folder, dialect, &groups)?;
            let list = interop.workspace.root().join(format!("xtask/interop/schema-suite/{folder}.toml"));
            ExpectedFailures::read(&list)?.judge(&outcomes)
        });
    }
}

/// Unpacks the source package of the version that the requirements pin.
fn fetch(interop: &Interop<'_>) -> Result<PathBuf> {
    let folder = interop.packages.folder().join("schema-suite");
    let unpacked = |folder: &Path| -> Option<PathBuf> {
        let entries = fs::read_dir(folder).ok()?.flatten();
        entries.map(|entry| entry.path().join("json")).find(|suite| suite.join("tests").is_dir())
    };
    if let Some(suite) = unpacked(&folder) {
        return Ok(suite);
    }
    let python = interop.packages.python_program("python");
    let pins = fs::read_to_string(interop.workspace.root().join("xtask/interop/requirements.txt"))?;
    let pin =
        pins.lines().find(|line| line.starts_with("jsonschema==")).context("jsonschema is not pinned")?;
    patiently(|| {
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "download", "--quiet", "--no-input", "--no-deps", "--no-build-isolation"]);
        pip.args(["--no-binary", "jsonschema", pin, "--dest"]).arg(&folder);
        process::run_ok(&mut pip, LIMIT).map(drop)
    })?;
    let archives = fs::read_dir(&folder)?.flatten().map(|entry| entry.path());
    let archive = archives.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "gz"));
    let mut unpack = Command::new(&python);
    unpack
        .args(["-m", "tarfile", "--extract"])
        .arg(archive.context("pip downloaded no archive")?)
        .arg(&folder);
    process::run_ok(&mut unpack, LIMIT)?;
    unpacked(&folder).context("the source package of jsonschema carries no tests")
}

/// A schema with its tests, as the suite writes it. Numbers keep their text.
#[derive(Deserialize)]
struct Group {
    #[serde(skip)]
    name: String,
    #[serde(skip)]
    formats: bool,
    description: String,
    schema: Box<RawValue>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    description: String,
    data: Box<RawValue>,
    valid: bool,
}

fn read_groups(folder: &Path, prefix: &str) -> Result<Vec<Group>> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .with_context(|| format!("reading {}", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    entries.sort();
    let mut groups = Vec::new();
    for path in entries {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = format!("{prefix}/{file}");
        if path.is_dir() {
            groups.extend(read_groups(&path, &name)?);
        } else if file.ends_with(".json") {
            let text = fs::read_to_string(&path)?;
            let read: Vec<Group> = serde_json::from_str(&text).with_context(|| name.clone())?;
            groups.extend(read.into_iter().map(|group| Group {
                name: format!("{name} > {}", group.description),
                // The tests in this folder are for validators that assert formats.
                formats: prefix.ends_with("optional/format"),
                ..group
            }));
        }
    }
    Ok(groups)
}

#[derive(Serialize)]
struct Request<'a> {
    schema: &'a RawValue,
    instances: Vec<&'a RawValue>,
    dialect: &'a str,
    formats: bool,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    results: Vec<String>,
    #[serde(default)]
    reasons: Vec<Option<String>>,
    error: Option<String>,
}

fn judge(interop: &Interop<'_>, folder: &str, dialect: &str, groups: &[Group]) -> Result<Vec<Outcome>> {
    let mut lines = String::new();
    for group in groups {
        let instances = group.tests.iter().map(|test| &*test.data).collect();
        let request = Request { schema: &group.schema, instances, dialect, formats: group.formats };
        lines.push_str(&serde_json::to_string(&request)?.replace(['\n', '\r'], " "));
        lines.push('\n');
    }
    let input = interop.packages.folder().join(format!("{folder}.jsonl"));
    fs::write(&input, lines)?;
    let mut command = Command::new(interop.workspace.built("examples/suite"));
    let finished = process::run_with_input(&mut command, File::open(&input)?, LIMIT)?;
    ensure!(
        finished.status.success(),
        "the example `suite` ended with {}\n{}",
        finished.status,
        finished.tail(20)
    );
    let answers: Vec<Answer> = finished
        .stdout
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .context("reading answers")?;
    ensure!(answers.len() == groups.len(), "{} answers to {} schemas", answers.len(), groups.len());
    let mut outcomes = Vec::new();
    for (group, answer) in groups.iter().zip(answers) {
        if let Some(error) = answer.error {
            bail!("{}: {error}", group.name);
        }
        ensure!(answer.results.len() == group.tests.len(), "{}: not every instance was judged", group.name);
        for (index, test) in group.tests.iter().enumerate() {
            let wanted = if test.valid { "valid" } else { "invalid" };
            let got = answer.results[index].as_str();
            let reason = answer.reasons.get(index).cloned().flatten().unwrap_or_default();
            let failure = (got != wanted).then(|| format!("{wanted} expected, got {got} {reason}"));
            outcomes.push(Outcome { name: format!("{} > {}", group.name, test.description), failure });
        }
    }
    Ok(outcomes)
}
