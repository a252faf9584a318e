//! `cargo xtask dist`: everything that a person installs, made from one binary.
//!
//! A run makes the packages of this machine's platform: an archive, a wheel for PyPI and an npm package. Then it
//! collects what lies in the folder, whichever machine made it: the npm package that picks the platform, a Homebrew
//! formula, an install script, a Dockerfile, the release notes and `SHA256SUMS`. A release runs the first half on each
//! platform and the second half once (`--collect`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::process;
use crate::report::Report;
use crate::workspace::Workspace;

mod archive;
mod build;
mod collect;
mod contents;
mod entry;
mod needs;
mod notes;
mod npm;
mod platform;
mod registry;
mod smoke;
mod wheel;
mod zip;

pub use needs::Glibc;

use collect::Collected;
use contents::PackageContents;
use platform::ReleasePlatform;

/// The name of the packages; the command is called `mortise`.
const PACKAGE: &str = "mortise-mcp";
const DESCRIPTION: &str = "See what MCP tools promise, call them, and check that they keep it";

/// How long one start of the binary may take.
const START_LIMIT: Duration = Duration::from_secs(60);

/// What `cargo xtask dist` is asked for.
#[derive(Debug, Clone, Args)]
pub struct DistArgs {
    /// Pack this `mortise` and build nothing
    #[arg(long, value_name = "FILE")]
    pub binary: Option<PathBuf>,
    /// The profile to build with
    #[arg(long, default_value = "dist", value_name = "NAME")]
    pub profile: String,
    /// The newest glibc that the packages may ask for; 2.28, or with --binary what that file needs
    #[arg(long, value_name = "X.Y")]
    pub glibc: Option<Glibc>,
    /// Where to write; `target/dist` by default
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Where the install script and the formula will download from (https); by default the folder itself
    #[arg(long, value_name = "URL")]
    pub download: Option<String>,
    /// Make nothing for this platform: collect what all platforms made, and fail if one is missing
    #[arg(long, conflicts_with_all = ["binary", "glibc", "smoke"])]
    pub collect: bool,
    /// Then install every package in an empty home and run it
    #[arg(long)]
    pub smoke: bool,
    /// Pack without compressing, for a test of a large development build
    #[arg(long)]
    pub stored: bool,
}

/// Makes the packages.
pub fn run(workspace: &Workspace, args: &DistArgs) -> Result<()> {
    let mut report = Report::new("dist");
    let made = make(workspace, args, &mut report);
    if args.smoke && made.is_some() {
        smoke::run(workspace, &out(workspace, args), &mut report);
    }
    report.finish()
}

/// Packs the development build and installs it in every way; a part of `cargo xtask interop`.
pub(crate) fn smoke_of_development(workspace: &Workspace, report: &mut Report) {
    let out = workspace.target().join("dist-development");
    let args = DistArgs {
        binary: Some(workspace.built("mortise")),
        profile: "dev".to_owned(),
        glibc: None,
        out: Some(out.clone()),
        download: None,
        collect: false,
        smoke: true,
        stored: true,
    };
    if make(workspace, &args, report).is_some() {
        smoke::run(workspace, &out, report);
    }
}

/// Makes the packages and collects them; `None` if a step failed.
fn make(workspace: &Workspace, args: &DistArgs, report: &mut Report) -> Option<Collected> {
    let out = out(workspace, args);
    let rerun = "cargo xtask dist";
    let mut is_packed = args.collect;
    if !args.collect {
        let mut binary = None;
        report.step("binary", rerun, || {
            let (file, promise) = build::binary(workspace, args)?;
            let said = format!("{} for {promise}", file.display());
            binary = Some((file, promise));
            Ok(said)
        });
        let (file, promise) = binary?;
        report.step("packages", rerun, || {
            let packing = entry::Packing::new(args.stored);
            let names = pack(workspace, &file, promise, &out, packing)?;
            is_packed = true;
            Ok(names.join(", "))
        });
    }
    if !is_packed {
        return None;
    }
    let mut collected = None;
    report.step("collect", rerun, || {
        let all = collect::collect(workspace, &out, args.download.as_deref(), args.collect)?;
        let said = format!("{} files with their hashes in {}", all.files, out.display());
        collected = Some(all);
        Ok(said)
    });
    collected
}

/// Writes the packages of one platform and returns their names.
fn pack(
    workspace: &Workspace,
    binary: &Path,
    promise: needs::SystemPromise,
    out: &Path,
    packing: entry::Packing,
) -> Result<Vec<String>> {
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let platform = ReleasePlatform::here()?;
    let version = version(workspace)?;
    let contents = PackageContents::read(workspace, binary)?;
    let mut names = Vec::new();
    // Each is as large as the binary: one after the other, and none is kept.
    let mut write = |name: String, bytes: Vec<u8>| {
        fs::write(out.join(&name), &bytes).with_context(|| format!("writing {name}"))?;
        names.push(format!("{name} ({} MB)", bytes.len() / 1_000_000));
        anyhow::Ok(())
    };
    let archive = archive::release(&contents, &version, &platform, packing)?;
    write(platform.archive_name(&version), archive)?;
    let wheel = wheel::wheel(workspace, &contents, &version, &promise, &platform, packing)?;
    write(wheel::file_name(&version, &promise, &platform), wheel)?;
    let package = npm::platform_package(workspace, &contents, &version, &platform, packing)?;
    write(npm::platform_file_name(&version, &platform), package)?;
    Ok(names)
}

fn out(workspace: &Workspace, args: &DistArgs) -> PathBuf {
    // Programs of the smoke test run in other folders.
    let given = args.out.as_ref().map(|out| std::path::absolute(out).unwrap_or_else(|_| out.clone()));
    given.unwrap_or_else(|| workspace.target().join("dist"))
}

/// The version of the workspace.
fn version(workspace: &Workspace) -> Result<String> {
    let packages = &workspace.metadata().packages;
    let binary = packages.iter().find(|package| package.name.as_str() == "mortise");
    binary.map(|package| package.version.to_string()).context("the workspace has no package `mortise`")
}

/// What the binary prints when it is called like this.
fn output(binary: &Path, arguments: &[&str]) -> Result<String> {
    Ok(process::run_ok(Command::new(binary).args(arguments), START_LIMIT)?.stdout)
}

/// The text of a file of the workspace.
fn text(workspace: &Workspace, path: &str) -> Result<String> {
    fs::read_to_string(workspace.root().join(path)).with_context(|| format!("reading {path}"))
}

/// A template with `{{NAME}}` replaced; one that is not known or not used is an error.
fn filled(template: &str, values: &[(&str, &str)]) -> Result<String> {
    let mut text = template.to_owned();
    for (name, value) in values {
        let place = format!("{{{{{name}}}}}");
        ensure!(text.contains(&place), "the template has no `{place}`");
        text = text.replace(&place, value);
    }
    ensure!(!text.contains("{{"), "a place of the template is not filled");
    Ok(text)
}

#[cfg(test)]
mod tests;
