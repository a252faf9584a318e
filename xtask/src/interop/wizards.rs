//! Type inference on files as they are found in the wild, beside DuckDB's sniffer and frictionless.
//!
//! The files come from a seeded generator that also says what every column is. A system that differs is listed with
//! a judgement in `xtask/wizards/judged.toml`; being wrong where DuckDB is right is a failure whatever the list says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::Interop;
use super::expected::{ExpectedFailures, Outcome};
use crate::process;
use crate::report::Report;

const LIMIT: Duration = Duration::from_secs(300);
/// Scripts, pins and judgements.
const HOME: &str = "xtask/wizards";
/// Fewer files prove too little.
const LEAST_FILES: usize = 40;
/// What makes columns hard where we want to be ahead of DuckDB.
const AHEAD: [&str; 2] = ["ambiguity", "mixed formats"];
/// What DuckDB reads well too: we may not be behind.
const LEVEL: [&str; 1] = ["leading zeros"];

pub(super) fn run(interop: &Interop<'_>, report: &mut Report) {
    report.step("wizards: types beside DuckDB and frictionless", "cargo xtask interop wizards", || {
        types(interop)
    });
}

/// A table as someone sees it.
#[derive(Deserialize)]
struct Seen {
    #[serde(default)]
    file: String,
    #[serde(default)]
    columns: Vec<Column>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct Column {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    trap: Option<String>,
}

#[derive(Deserialize)]
struct References {
    file: String,
    duckdb: Seen,
    frictionless: Seen,
}

impl Seen {
    /// The type of the column at that place.
    fn kind(&self, index: usize) -> String {
        match (&self.error, self.columns.get(index)) {
            (Some(_), _) => "unreadable".to_owned(),
            (None, Some(column)) => column.kind.clone(),
            (None, None) => "missing".to_owned(),
        }
    }
}

fn types(interop: &Interop<'_>) -> Result<String> {
    let home = interop.workspace.root().join(HOME);
    let python = interop.packages.install_python_set(interop.workspace, "wizards")?;
    let folder = interop.workspace.target().join("wizards/files");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    process::run_ok(interop.packages.python(&home.join("generate.py")).arg(&folder), LIMIT)?;
    let truth: Vec<Seen> = serde_json::from_str(&fs::read_to_string(folder.join("truth.json"))?)?;
    ensure!(truth.len() >= LEAST_FILES, "only {} files were made", truth.len());
    let files: Vec<&str> = truth.iter().map(|table| table.file.as_str()).collect();
    let ours = ours(interop, &folder, &files)?;
    let references = references(interop, &home, &python, &folder, &files)?;
    let mut tally = Tally::default();
    for ((truth, ours), references) in truth.iter().zip(&ours).zip(&references) {
        ensure!(truth.file == ours.file && truth.file == references.file, "the files got out of step");
        tally.compare(truth, ours, references);
    }
    ensure!(tally.worse.is_empty(), "worse than DuckDB:\n{}", tally.worse.join("\n"));
    for trap in AHEAD {
        let (ours, theirs) = tally.score(trap);
        ensure!(ours > theirs, "{trap}: {ours} columns right, DuckDB {theirs}");
    }
    for trap in LEVEL {
        let (ours, theirs) = tally.score(trap);
        ensure!(ours >= theirs, "{trap}: {ours} columns right, DuckDB {theirs}");
    }
    let judged = ExpectedFailures::read(&home.join("judged.toml"))?.judge(&tally.outcomes)?;
    Ok(format!(
        "{} files, {} columns: {} right, DuckDB {}, frictionless {}; {judged}",
        truth.len(),
        tally.outcomes.len(),
        tally.right[0],
        tally.right[1],
        tally.right[2]
    ))
}

fn ours(interop: &Interop<'_>, folder: &Path, files: &[&str]) -> Result<Vec<Seen>> {
    let mut command = Command::new(interop.workspace.built("examples/data_readers"));
    command.arg("infer").arg(folder).args(files);
    lines(&process::run_ok(&mut command, LIMIT)?.stdout)
}

fn references(
    interop: &Interop<'_>,
    home: &Path,
    python: &Path,
    folder: &PathBuf,
    files: &[&str],
) -> Result<Vec<References>> {
    let mut command = interop.packages.python(&home.join("references.py"));
    command.env("PYTHONPATH", python).arg(folder).args(files);
    lines(&process::run_ok(&mut command, LIMIT)?.stdout)
}

fn lines<T: for<'de> Deserialize<'de>>(text: &str) -> Result<Vec<T>> {
    text.lines().map(|line| serde_json::from_str(line).with_context(|| format!("reading `{line}`"))).collect()
}

/// What came of the comparison.
#[derive(Default)]
struct Tally {
    /// One for each column; a failure where somebody differs from us.
    outcomes: Vec<Outcome>,
    /// Columns where DuckDB is right and we are not.
    worse: Vec<String>,
    /// Columns that we, DuckDB and frictionless read right.
    right: [usize; 3],
    /// For each hard column its trap, whether we are right, whether DuckDB is.
    hard: Vec<(String, bool, bool)>,
}

impl Tally {
    fn compare(&mut self, truth: &Seen, ours: &Seen, references: &References) {
        for (index, column) in truth.columns.iter().enumerate() {
            let kinds =
                [ours.kind(index), references.duckdb.kind(index), references.frictionless.kind(index)];
            let right = kinds.each_ref().map(|kind| *kind == column.kind);
            for (count, right) in self.right.iter_mut().zip(right) {
                *count += usize::from(right);
            }
            let name = format!("{} > {}", truth.file, column.name);
            let said = format!(
                "is {}; we say {}, DuckDB {}, frictionless {}",
                column.kind, kinds[0], kinds[1], kinds[2]
            );
            if !right[0] && right[1] {
                self.worse.push(format!("{name}: {said}"));
            }
            self.hard.extend(column.trap.clone().map(|trap| (trap, right[0], right[1])));
            let differs = kinds[1..].iter().any(|kind| *kind != kinds[0]);
            self.outcomes.push(Outcome { name, failure: differs.then_some(said) });
        }
    }

    /// How many columns with a trap we read right, and how many DuckDB.
    fn score(&self, trap: &str) -> (usize, usize) {
        let of_trap = || self.hard.iter().filter(|(own, _, _)| own == trap);
        (of_trap().filter(|(_, ours, _)| *ours).count(), of_trap().filter(|(_, _, theirs)| *theirs).count())
    }
}
