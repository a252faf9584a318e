//! The gateways of the comparison: how each is installed and started over the same upstream.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::super::Bench;
use crate::packages::NpmPackages;

/// Where the scripts and pins lie, below `xtask/`; installed below `target/`.
pub(super) const SET: &str = "bench/codemode";

/// What takes part.
pub(super) struct System {
    pub(super) name: &'static str,
    /// Without it there is no comparison.
    pub(super) needed: bool,
    /// The job for the driver, or why there is none.
    pub(super) job: Result<Value, String>,
}

/// All systems; the first is the one the others are compared with.
pub(super) fn all(bench: &Bench<'_>) -> Result<Vec<System>> {
    let node = text(&bench.packages.node()?);
    let python = text(&bench.packages.python_program("python"));
    let upstream = upstream(bench);
    let npm = bench.packages.install_npm_set(bench.workspace, SET).and_then(|npm| copy_glue(bench, npm));
    let javascript = |script: &str| {
        let npm = npm.as_ref().map_err(|error| reason(&format!("{error:#}")))?;
        Ok(with_upstream(&[node.clone(), text(&npm.beside(script))], &upstream))
    };
    let fastmcp = bench.packages.install_python_set(bench.workspace, SET).map(|folder| {
        let command = with_upstream(&[python, text(&scripts(bench).join("fastmcp_gateway.py"))], &upstream);
        let env = json!({ "PYTHONPATH": folder, "MONTY_BIN": folder.join("bin/monty") });
        job(bench, "fastmcp", &command, &env)
    });
    let peer = |name, job| System { name, needed: false, job };
    let script = |system: &str, script: &str| {
        javascript(script).map(|command| job(bench, system, &command, &json!({})))
    };
    let needed = |name, command: &[String]| System {
        name,
        needed: true,
        job: Ok(job(bench, name, command, &json!({}))),
    };
    Ok(vec![
        needed("direct", &upstream),
        needed("mortise", &serve(bench, &[])),
        peer("FastMCP CodeMode", fastmcp.map_err(|error| reason(&format!("{error:#}")))),
        peer("UTCP code-mode", script("utcp", "utcp_gateway.mjs")),
        peer("Vercel code-mode", script("vercel", "vercel_gateway.mjs")),
        peer("Cloudflare codemode", script("cloudflare", "cloudflare_gateway.mjs")),
    ])
}

/// `mortise serve` over the upstream.
pub(super) fn serve(bench: &Bench<'_>, options: &[&str]) -> Vec<String> {
    let mut words = vec![bench.ours("mortise"), "serve".to_owned()];
    words.extend(options.iter().map(|&option| option.to_owned()));
    let quoted: Vec<String> = upstream(bench).iter().map(|word| format!("'{word}'")).collect();
    words.extend(["--server".to_owned(), format!("bench={}", quoted.join(" "))]);
    words
}

pub(super) fn scripts(bench: &Bench<'_>) -> PathBuf {
    bench.workspace.root().join("xtask").join(SET)
}

/// One line that says why a system is left out.
pub(super) fn reason(error: &str) -> String {
    let line = error.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("unknown reason");
    line.chars().take(200).collect()
}

fn upstream(bench: &Bench<'_>) -> Vec<String> {
    vec![text(&bench.packages.python_program("python")), text(&scripts(bench).join("upstream.py"))]
}

fn job(bench: &Bench<'_>, system: &str, command: &[String], env: &Value) -> Value {
    let upstream = scripts(bench).join("upstream.py");
    json!({ "system": system, "command": command, "env": env, "upstream": upstream })
}

/// Node looks for packages beside the script.
fn copy_glue(bench: &Bench<'_>, npm: NpmPackages) -> Result<NpmPackages> {
    for entry in fs::read_dir(scripts(bench))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "mjs") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            fs::copy(&path, npm.beside(&name)).with_context(|| format!("copying {name}"))?;
        }
    }
    Ok(npm)
}

fn with_upstream(head: &[String], upstream: &[String]) -> Vec<String> {
    head.iter().chain(upstream).cloned().collect()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
