//! Declarations read by those they are for: TypeScript's compiler, CPython, a type checker for Python.
//!
//! Our side is the example `declare` of mortise-declare. The schemas are those of its table and some hundred
//! generated ones; for each of those a few values show whether types and validator agree. The tools of the sample
//! servers and of other people's servers come from `mortise declare`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::endpoint::{Endpoint, Wire};
use super::{Interop, servers};
use crate::packages::NpmPackages;
use crate::process;
use crate::report::Report;

const LIMIT: Duration = Duration::from_secs(600);
/// Schemas made up.
const GENERATED: u32 = 600;
/// Failures shown.
const SHOWN: usize = 3;

pub(super) fn run(interop: &Interop<'_>, report: &mut Report) {
    let rerun = "cargo xtask interop declarations";
    let mut ready = None;
    report.step("declarations: write", rerun, || {
        let files = Files::write(interop)?;
        let said = format!("{} schemas and {} servers", files.schemas, files.servers);
        ready = Some(files);
        Ok(said)
    });
    let Some(files) = ready else { return };
    report.step("declarations: TypeScript", rerun, || typescript(interop, &files));
    report.step("declarations: Python", rerun, || python(interop, &files));
}

struct Files {
    npm: NpmPackages,
    folder: PathBuf,
    cases: PathBuf,
    answers: PathBuf,
    schemas: usize,
    servers: usize,
}

impl Files {
    fn write(interop: &Interop<'_>) -> Result<Self> {
        let npm = interop.packages.install_npm_set(interop.workspace, "declarations")?;
        let folder = interop.workspace.target().join("declarations");
        let cases = folder.join("cases.jsonl");
        let mut lines = generated(interop)?;
        for schema in table(interop)? {
            lines.push_str(&format!("{}\n", json!({"schema": schema, "values": []})));
        }
        lines.push_str(&format!("{}\n", json!({"schema": like_libraries(), "values": [], "ambient": true})));
        fs::write(&cases, &lines)?;
        let mut command = Command::new(interop.workspace.built("examples/declare"));
        let finished = process::run_with_input(&mut command, File::open(&cases)?, LIMIT)?;
        ensure!(finished.status.success(), "the example `declare` failed\n{}", finished.tail(20));
        let mut answers = finished.stdout;
        let mut servers = vec![declared(interop, None)?];
        for server in servers::read(interop)?.server.iter().filter(|server| server.speaks(Wire::Stdio)) {
            let endpoint = server.endpoint(interop, Wire::Stdio)?;
            servers.push(declared(interop, Some(&endpoint)).with_context(|| server.name.clone())?);
        }
        answers.push_str(&servers.concat());
        let path = folder.join("answers.jsonl");
        fs::write(&path, &answers)?;
        // Servers have no cases of their own.
        let none = format!("{}\n", json!({"schema": {}, "values": []})).repeat(servers.len());
        fs::write(&cases, format!("{lines}{none}"))?;
        let (schemas, servers) = (lines.lines().count(), servers.len());
        Ok(Self { npm, folder, cases, answers: path, schemas, servers })
    }
}

fn generated(interop: &Interop<'_>) -> Result<String> {
    let script = interop.workspace.root().join("xtask/declarations/generate.mjs");
    let mut command = interop.packages.javascript(&script)?;
    Ok(process::run_ok(command.arg(GENERATED.to_string()), LIMIT)?.stdout)
}

fn table(interop: &Interop<'_>) -> Result<Vec<Value>> {
    let path = interop.workspace.root().join("crates/mortise-declare/tests/cases/declare.json");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let rows: Vec<Value> = serde_json::from_str(&text)?;
    Ok(rows.into_iter().map(|mut row| row["schema"].take()).collect())
}

/// Types that are called like those of TypeScript's libraries, which the ambient form shares its scope with.
fn like_libraries() -> Value {
    let names =
        ["Node", "Event", "Omit", "Record", "Request", "Response", "Document", "Text", "Promise", "Iterator"];
    let part = |name: &&str| {
        let next = json!({"$ref": format!("#/$defs/{name}")});
        ((*name).to_owned(), json!({"type": "object", "properties": {"next": next, "name": {"const": name}}}))
    };
    let parts: Map<String, Value> = names.iter().map(part).collect();
    let properties: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({"$ref": format!("#/$defs/{name}")}))).collect();
    json!({"type": "object", "properties": properties, "$defs": parts})
}

/// The tools of a server as the command declares them, of the sample servers without one. The type that the checks
/// look at is that of one tool more.
fn declared(interop: &Interop<'_>, endpoint: Option<&Endpoint>) -> Result<String> {
    let home = interop.packages.folder().join("work");
    fs::create_dir_all(&home)?;
    let declare = |arguments: &[&str]| {
        let mut command = Command::new(interop.workspace.built("mortise"));
        command.current_dir(&home).env("HOME", &home).env_remove("XDG_CONFIG_HOME");
        command.args(["declare", "--quiet"]).args(arguments);
        match endpoint {
            Some(endpoint) => endpoint.add_to(&mut command),
            None => _ = command.arg("--samples"),
        }
        process::run_ok(&mut command, LIMIT).map(|finished| finished.stdout)
    };
    let tool = "  mcp__s__t(): Promise<unknown>;\n}\n\nexport declare const tools";
    let typescript =
        declare(&["--for", "typescript", "--module"])?.replacen("}\n\nexport declare const tools", tool, 1);
    let ambient = declare(&["--for", "typescript"])?;
    // What is refused or weakened is the server's affair; that it can be said is ours.
    declare(&["--lint", "--json"])?;
    let python = declare(&["--for", "python"])?;
    let answer =
        json!({"typescript": typescript, "ambient": ambient, "python": python, "valid": [], "losses": 1});
    Ok(format!("{answer}\n"))
}

#[derive(Deserialize)]
struct Answer {
    declarations: usize,
    accepted: usize,
    refused: usize,
    failures: Vec<String>,
}

fn typescript(interop: &Interop<'_>, files: &Files) -> Result<String> {
    let mut command = script(interop, &files.npm, "check.mjs")?;
    let finished = process::run_ok(command.arg(&files.cases).arg(&files.answers), LIMIT)?;
    let answer: Answer =
        serde_json::from_str(finished.stdout.trim()).context("the check printed no answer")?;
    if !answer.failures.is_empty() {
        let shown: Vec<&str> = answer.failures.iter().take(SHOWN).map(String::as_str).collect();
        bail!("{} failures, the first:\n{}", answer.failures.len(), shown.join("\n\n"));
    }
    ensure!(answer.accepted > 100 && answer.refused > 50, "too few values to mean anything");
    Ok(format!(
        "{} files compile; {} valid values fit, {} others do not",
        answer.declarations, answer.accepted, answer.refused
    ))
}

fn python(interop: &Interop<'_>, files: &Files) -> Result<String> {
    let stubs = files.folder.join("stubs");
    if stubs.exists() {
        fs::remove_dir_all(&stubs)?;
    }
    let check = interop.workspace.root().join("xtask/declarations/check.py");
    let parsed = process::run_ok(interop.packages.python(&check).arg(&files.answers).arg(&stubs), LIMIT)?;
    let settings = json!({"include": ["."], "pythonVersion": "3.14", "typeCheckingMode": "standard"});
    fs::write(stubs.join("pyrightconfig.json"), settings.to_string())?;
    let mut command = interop.packages.javascript(&files.npm.file("pyright/index.js"))?;
    let finished = process::run(command.arg("--project").arg(&stubs), LIMIT)?;
    ensure!(finished.status.success(), "pyright found fault\n{}", finished.tail(30));
    Ok(format!("{} stubs parse and pass the type checker", parsed.stdout.trim()))
}

/// JavaScript finds its packages next to the file, so the script is copied there.
fn script(interop: &Interop<'_>, npm: &NpmPackages, name: &str) -> Result<Command> {
    let source = interop.workspace.root().join("xtask/declarations").join(name);
    let copy: PathBuf = npm.beside(name);
    fs::copy(&source, &copy).with_context(|| format!("copying {}", Path::new(name).display()))?;
    interop.packages.javascript(&copy)
}
