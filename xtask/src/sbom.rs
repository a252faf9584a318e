//! `cargo xtask sbom`: what the binary is made of, as a CycloneDX 1.6 file.
//!
//! Made here rather than by a general tool, which would list the interpreter's package but not the CPython, zlib and
//! SQLite inside it, nor their hashes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use cargo_metadata::{Package, PackageId};
use serde_json::{Value, json};
use toml::Table;

use crate::built_in::{self, BuiltIn};
use crate::report::say;
use crate::workspace::Workspace;

/// The package that holds the interpreter, and the file that records its hashes.
const INTERPRETER: &str = "bashkit-cpython-wasm";
const RECORD: &str = "crates/mortise-script/interpreter.sha256";

/// Writes the file.
pub fn run(workspace: &Workspace, file: &Path) -> Result<()> {
    let metadata = built_in::metadata(workspace)?;
    let read = |path: &str| {
        fs::read_to_string(workspace.root().join(path)).with_context(|| format!("reading {path}"))
    };
    let bill = bill(&BuiltIn::find(&metadata)?, &checksums(&read("Cargo.lock")?)?, &read(RECORD)?)?;
    let count = bill["components"].as_array().map_or(0, Vec::len);
    fs::write(file, serde_json::to_string_pretty(&bill)? + "\n")
        .with_context(|| format!("writing {}", file.display()))?;
    say(&format!("sbom: {count} packages in {}", file.display()));
    Ok(())
}

/// The hash of every package from a registry, by name and version.
fn checksums(lock: &str) -> Result<BTreeMap<(String, String), String>> {
    let table: Table = lock.parse().context("Cargo.lock is not TOML")?;
    let packages = table.get("package").and_then(|packages| packages.as_array());
    let text = |package: &toml::Value, key: &str| Some(package.get(key)?.as_str()?.to_owned());
    let entry =
        |package| Some(((text(package, "name")?, text(package, "version")?), text(package, "checksum")?));
    Ok(packages.context("Cargo.lock has no packages")?.iter().filter_map(entry).collect())
}

fn bill(
    built_in: &BuiltIn<'_>,
    checksums: &BTreeMap<(String, String), String>,
    record: &str,
) -> Result<Value> {
    let mut components = Vec::new();
    let mut dependencies = Vec::new();
    for (package, used) in &built_in.packages {
        let used: Vec<String> = used.iter().filter_map(|id| reference_of(built_in, id)).collect();
        dependencies.push(json!({ "ref": reference(package), "dependsOn": used }));
        if package.id == built_in.binary.id {
            continue;
        }
        let mut component = component("library", package);
        if package.source.is_some() {
            let key = (package.name.to_string(), package.version.to_string());
            let hash =
                checksums.get(&key).with_context(|| format!("no checksum for {}", reference(package)))?;
            component["purl"] = json!(reference(package));
            component["hashes"] = sha256(hash);
        }
        if package.name.as_str() == INTERPRETER {
            component["components"] = interpreter(package, record)?;
        }
        components.push(component);
    }
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": component("application", built_in.binary) },
        "components": components,
        "dependencies": dependencies,
    }))
}

fn component(kind: &str, package: &Package) -> Value {
    let mut component = json!({
        "type": kind,
        "bom-ref": reference(package),
        "name": package.name.as_str(),
        "version": package.version.to_string(),
    });
    if let Some(license) = &package.license {
        // The old form of a choice is not an SPDX expression.
        component["licenses"] = json!([{ "expression": license.replace('/', " OR ") }]);
    }
    component
}

/// What lies inside the interpreter's package: the files that the build checks, and the programs they were made from.
fn interpreter(package: &Package, record: &str) -> Result<Value> {
    let folder = package.manifest_path.parent().context("a manifest lies in a folder")?;
    let manifest = fs::read_to_string(folder.join("artifacts/MANIFEST")).context("reading the MANIFEST")?;
    let made_from = |key: &str| {
        let line = manifest.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        line.with_context(|| format!("the MANIFEST of {INTERPRETER} does not say which {key} it holds"))
    };
    let mut inside = Vec::new();
    for (name, license) in [("cpython", "Python-2.0"), ("zlib", "Zlib"), ("sqlite", "blessing")] {
        let version = made_from(name)?.trim_start_matches("sqlite-amalgamation-");
        let purl = format!("pkg:generic/{name}@{version}");
        inside.push(json!({
            "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
            "licenses": [{ "expression": license }],
        }));
    }
    let files = record.lines().filter_map(|line| line.split_once("  "));
    let artifacts = files.filter(|(_, file)| file.starts_with("artifacts/python"));
    inside.extend(
        artifacts.map(|(hash, file)| json!({ "type": "file", "name": file, "hashes": sha256(hash) })),
    );
    ensure!(inside.len() > 3, "{RECORD} names no artifacts");
    Ok(Value::Array(inside))
}

fn reference_of(built_in: &BuiltIn<'_>, id: &PackageId) -> Option<String> {
    built_in.packages.iter().find(|(package, _)| package.id == *id).map(|(package, _)| reference(package))
}

fn reference(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

fn sha256(hash: &str) -> Value {
    json!([{ "alg": "SHA-256", "content": hash }])
}

#[cfg(test)]
mod tests;
