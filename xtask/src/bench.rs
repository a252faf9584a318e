//! `cargo xtask bench`: several systems in one run, measured in turn, kept in `docs/benchmarks.md` with plots.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;

use crate::packages::{NpmPackages, Packages};
use crate::process;
use crate::report::Report;
use crate::workspace::Workspace;

mod calls;
mod check;
mod codemode;
mod commands;
pub(crate) mod figures;
mod journal;
mod many;
pub mod measure;
mod memory;
pub(crate) mod page;
pub(crate) mod plot;
mod series;
pub(crate) mod statistics;
mod tester;
mod validation;
mod wizards;

use measure::Sample;
use series::Series;

/// A benchmark that can be asked for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// One validated call against the same call through bare rmcp.
    Calls,
    /// Validation alone against Ajv and Python's jsonschema.
    Validation,
    /// `mortise tools` and `mortise call` as processes against other command lines.
    Commands,
    /// Memory of `mortise call`.
    Memory,
    /// Ten thousand tools from ten servers.
    Many,
    /// The diff of a thousand tools; a list and twenty calls against other command lines.
    Tester,
    /// The check before a program runs.
    Check,
    /// Programs through `mortise serve` against other gateways that run programs.
    Codemode,
    /// Recording runs: per call, per program, and the list of very many.
    Journal,
    /// Types of columns against DuckDB's sniffer, a scan of many files, a full pass over a large one.
    Wizards,
}

/// What the benchmarks work with.
struct Bench<'a> {
    workspace: &'a Workspace,
    packages: Packages,
    npm: NpmPackages,
    folder: PathBuf,
    rounds: usize,
}

const BUILD_LIMIT: Duration = Duration::from_secs(3600);

/// Fewer pairs say too little.
pub const LEAST_ROUNDS: usize = 30;

/// Runs the named parts, or all; each writes its section of `docs/benchmarks.md`.
pub fn run(workspace: &Workspace, parts: &[Part], rounds: usize) -> Result<()> {
    ensure!(rounds >= LEAST_ROUNDS, "at least {LEAST_ROUNDS} rounds are needed");
    let all = Part::value_variants();
    let parts: Vec<Part> =
        all.iter().filter(|part| parts.is_empty() || parts.contains(part)).copied().collect();
    build(workspace, &parts)?;
    let packages = Packages::install(workspace, "interop")?;
    let npm = packages.install_npm_set(workspace, "bench")?;
    let folder = workspace.target().join("bench");
    fs::create_dir_all(&folder)?;
    let bench = Bench { workspace, packages, npm, folder, rounds };
    let mut report = Report::new("bench");
    let mut sections = Vec::new();
    let mut figures = figures::BenchFigures::read(workspace.root())?;
    for part in parts {
        let name = part.name();
        report.step(&name, &format!("cargo xtask bench {name}"), || {
            let (text, series) = bench.run(part)?;
            let raw = bench.folder.join(format!("{name}.json"));
            fs::write(&raw, serde_json::to_string_pretty(&series)?)?;
            figures.record(&name, &series);
            let section = page::section(part, rounds, &text);
            crate::report::say(&section);
            sections.push((page::title(part), section));
            Ok(format!("raw numbers in {}", raw.display()))
        });
    }
    if sections.is_empty() {
        return report.finish();
    }
    let path = workspace.root().join("docs/benchmarks.md");
    let old = fs::read_to_string(&path).unwrap_or_default();
    let titles: Vec<&str> = all.iter().map(|part| page::title(*part)).collect();
    fs::write(&path, page::page(page::HEAD, &old, &sections, &titles))
        .with_context(|| format!("writing {}", path.display()))?;
    figures.write(workspace.root())?;
    for plot in plot::PLOTS {
        fs::write(workspace.root().join(plot.path()), plot.draw(&figures)?)?;
    }
    report.finish()
}

impl Part {
    /// The name on the command line.
    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

impl Bench<'_> {
    fn run(&self, part: Part) -> Result<(String, Vec<Series>)> {
        match part {
            Part::Calls => calls::run(self),
            Part::Validation => validation::run(self),
            Part::Commands => commands::run(self),
            Part::Memory => memory::run(self),
            Part::Many => many::run(self),
            Part::Tester => tester::run(self),
            Part::Check => check::run(self),
            Part::Codemode => codemode::run(self),
            Part::Journal => journal::run(self),
            Part::Wizards => wizards::run(self),
        }
    }

    /// A program of the release build.
    fn ours(&self, name: &str) -> String {
        self.workspace.target().join("release").join(name).to_string_lossy().into_owned()
    }

    fn npm_file(&self, path: &str) -> String {
        self.npm.file(path).to_string_lossy().into_owned()
    }

    /// The command of server-everything over stdio.
    fn everything(&self) -> Result<Vec<String>> {
        let script = self.packages.npm_file("@modelcontextprotocol/server-everything/dist/index.js");
        let words = [self.packages.node()?, script, "stdio".into()];
        Ok(words.iter().map(|word| word.to_string_lossy().into_owned()).collect())
    }

    fn measure(&self, command: &[String], code: i32) -> Result<Sample> {
        measure::measure(command, &self.folder, code)
    }
}

/// Builds what the parts run; validation alone needs one program of one crate, which is much less.
fn build(workspace: &Workspace, parts: &[Part]) -> Result<()> {
    let mut command = workspace.cargo("build");
    command.args(["--locked", "--release"]);
    match parts {
        [Part::Validation] => command.args(["--package", "mortise-contract", "--example", "bench_validate"]),
        _ => command.args(["--workspace", "--bins", "--examples"]),
    };
    process::run_shown(&mut command, BUILD_LIMIT)
}
