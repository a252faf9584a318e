//! The npm packages: one for each platform with the binary, and `mortise-mcp` with a launcher that picks among them.

use anyhow::Result;
use serde_json::{Value, json};

use super::archive::tar_gz;
use super::contents::PackageContents;
use super::entry::{PackageEntry, Packing};
use super::platform::ReleasePlatform;
use super::{DESCRIPTION, PACKAGE, text};
use crate::workspace::Workspace;

const LAUNCHER: &str = "bin/mortise.js";

/// The file of a platform's package, as `npm pack` would call it.
pub(super) fn platform_file_name(version: &str, platform: &ReleasePlatform) -> String {
    format!("{}-{version}.tgz", platform.npm_package())
}

/// The file of the package that people install.
pub(super) fn main_file_name(version: &str) -> String {
    format!("{PACKAGE}-{version}.tgz")
}

/// The package that holds the binary of one platform.
pub(super) fn platform_package(
    workspace: &Workspace,
    contents: &PackageContents,
    version: &str,
    platform: &ReleasePlatform,
    packing: Packing,
) -> Result<Vec<u8>> {
    let mut manifest = manifest(&platform.npm_package(), version);
    manifest["description"] = json!(format!("The mortise binary for {}", platform.target));
    manifest["os"] = json!([platform.node_os]);
    manifest["cpu"] = json!([platform.node_cpu]);
    if platform.is_linux() {
        manifest["libc"] = json!(["glibc"]);
    }
    // Yarn would leave it in a zip file, from which nothing can be started.
    manifest["preferUnplugged"] = json!(true);
    let mut entries = vec![
        package_json(&manifest)?,
        PackageEntry::plain("package/README.md", text(workspace, "packaging/npm/platform.md")?),
        PackageEntry::program("package/bin/mortise", contents.binary.clone()),
    ];
    entries.extend(contents.licence_entries("package"));
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    tar_gz(&entries, packing)
}

/// The package that people install: a launcher, and the platforms that it finds the binary in.
pub(super) fn main_package(
    workspace: &Workspace,
    version: &str,
    platforms: &[ReleasePlatform],
) -> Result<Vec<u8>> {
    let mut manifest = manifest(PACKAGE, version);
    manifest["description"] = json!(DESCRIPTION);
    manifest["keywords"] = json!(["mcp", "model-context-protocol", "agents", "testing"]);
    manifest["bin"] = json!({ "mortise": LAUNCHER, PACKAGE: LAUNCHER });
    manifest["engines"] = json!({ "node": ">=18" });
    let packages: serde_json::Map<String, Value> =
        platforms.iter().map(|platform| (platform.npm_package(), json!(version))).collect();
    manifest["optionalDependencies"] = json!(packages);
    let mut entries = vec![
        package_json(&manifest)?,
        PackageEntry::plain("package/README.md", text(workspace, "packaging/README.md")?),
        PackageEntry::program(format!("package/{LAUNCHER}"), text(workspace, "packaging/npm/mortise.js")?),
    ];
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        entries.push(PackageEntry::plain(format!("package/{licence}"), text(workspace, licence)?));
    }
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    tar_gz(&entries, Packing::Best)
}

fn manifest(name: &str, version: &str) -> Value {
    json!({ "name": name, "version": version, "license": "MIT OR Apache-2.0" })
}

fn package_json(manifest: &Value) -> Result<PackageEntry> {
    Ok(PackageEntry::plain("package/package.json", serde_json::to_string_pretty(manifest)? + "\n"))
}
