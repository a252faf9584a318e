//! Programs over other people's servers, through `mortise serve` and beside it with direct calls of the official client.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::interop::Interop;
use crate::interop::endpoint::{Endpoint, Wire};
use crate::interop::servers;
use crate::process;

const LIMIT: Duration = Duration::from_secs(480);
const FOLDER: &str = "xtask/interop/programs";
/// Programs that must be there.
const LEAST_RIGHT: usize = 150;
const LEAST_WRONG: usize = 100;
/// Of the wrong programs, how many percent must be refused before any call.
const LEAST_REFUSED: usize = 85;
/// Servers of a busy machine take their time.
const START_SECONDS: u32 = 120;

/// What the driver found.
#[derive(Deserialize)]
struct Found {
    right: usize,
    /// Right programs that were refused, or printed something else than with direct calls.
    differences: Vec<String>,
    wrong: usize,
    refused: usize,
    /// Wrong programs that ran.
    missed: Vec<String>,
}

/// Runs every program both ways and compares.
pub(super) fn compare(interop: &Interop<'_>) -> Result<String> {
    let folder = interop.workspace.root().join(FOLDER);
    let (direct, served) = (world(interop, "direct")?, world(interop, "served")?);
    let config = interop.packages.folder().join("work/programs.yaml");
    // JSON is YAML too.
    fs::write(&config, json!({ "servers": configured(&served) }).to_string())?;
    let job = json!({
        "direct": jobs(&direct),
        "served": jobs(&served),
        "mortise": [interop.workspace.built("mortise"), Path::new("serve"), Path::new("--config"), &config],
        "right": super::programs(&folder.join("right"))?,
        "wrong": super::programs(&folder.join("wrong"))?,
    });
    let path = interop.packages.folder().join("work/programs.json");
    fs::write(&path, job.to_string())?;
    let mut driver = interop.packages.python(&folder.join("driver.py"));
    let finished = process::run_ok(driver.arg(&path), LIMIT)?;
    let found = serde_json::from_str(&finished.stdout).context("the driver printed no JSON")?;
    judge(&found)
}

fn judge(found: &Found) -> Result<String> {
    let Found { right, differences, wrong, refused, missed } = found;
    ensure!(differences.is_empty(), "{} of {right} differ:\n{}", differences.len(), differences.join("\n"));
    ensure!(*right >= LEAST_RIGHT && *wrong >= LEAST_WRONG, "only {right} right and {wrong} wrong programs");
    let share = refused * 100 / wrong;
    ensure!(share >= LEAST_REFUSED, "only {refused} of {wrong} are refused:\n{}", missed.join("\n"));
    Ok(format!("{right} print the same; {refused} of {wrong} wrong ones refused before any call, {share} %"))
}

/// All servers, each with a folder of its own that no other world sees.
fn world(interop: &Interop<'_>, label: &str) -> Result<Vec<(String, Endpoint)>> {
    let path = interop.workspace.root().join(FOLDER).join("servers.toml");
    let (public, own) = (servers::read(interop)?, servers::read_manifest(&path)?);
    let all = public.server.iter().chain(&own.server).filter(|server| server.speaks(Wire::Stdio));
    all.map(|server| {
        let folder: PathBuf = ["work", label, &server.name].iter().collect();
        Ok((server.name.clone(), server.endpoint_in(interop, Wire::Stdio, &folder)?))
    })
    .collect()
}

fn configured(world: &[(String, Endpoint)]) -> Vec<Value> {
    let entry = |(name, endpoint): &(String, Endpoint)| {
        let mut entry = endpoint.configured(name);
        entry["start_timeout_seconds"] = json!(START_SECONDS);
        entry
    };
    world.iter().map(entry).collect()
}

fn jobs(world: &[(String, Endpoint)]) -> Map<String, Value> {
    let job = |(name, endpoint): &(String, Endpoint)| {
        let mut job = endpoint.job("auto", &[]);
        job["folder"] = json!(endpoint.folder());
        (name.clone(), job)
    };
    world.iter().map(job).collect()
}

#[cfg(test)]
mod tests;
