//! The wheel for PyPI: the binary among the scripts, so that `pip`, `uv` and `uvx` put it on the path.

use anyhow::Result;
use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest, Sha256};

use super::contents::PackageContents;
use super::entry::{PackageEntry, Packing};
use super::needs::SystemPromise;
use super::platform::ReleasePlatform;
use super::{DESCRIPTION, PACKAGE, text, zip};
use crate::workspace::Workspace;

/// `uvx mortise-mcp` looks for a program with the name of the package. Installers may link to it from another folder,
/// where `mortise` is linked to as well or else only the link's target has it as a neighbour.
const SAME_NAME: &str = r#"#!/bin/sh
here=$(dirname -- "$0")
[ -x "$here/mortise" ] || here=$(dirname -- "$(readlink -f -- "$0")")
exec "$here/mortise" "$@"
"#;

/// The name says which systems the wheel runs on.
pub(super) fn file_name(version: &str, promise: &SystemPromise, platform: &ReleasePlatform) -> String {
    format!("{}-{version}-py3-none-{}.whl", distribution(), promise.wheel_tag(platform))
}

/// The wheel's bytes.
pub(super) fn wheel(
    workspace: &Workspace,
    contents: &PackageContents,
    version: &str,
    promise: &SystemPromise,
    platform: &ReleasePlatform,
    packing: Packing,
) -> Result<Vec<u8>> {
    let about = format!("{}-{version}.dist-info", distribution());
    let data = format!("{}-{version}.data", distribution());
    let mut entries = vec![
        PackageEntry::program(format!("{data}/scripts/mortise"), contents.binary.clone()),
        PackageEntry::program(format!("{data}/scripts/{PACKAGE}"), SAME_NAME),
        PackageEntry::plain(format!("{about}/METADATA"), metadata(workspace, contents, version)?),
        PackageEntry::plain(format!("{about}/WHEEL"), wheel_file(&promise.wheel_tag(platform))),
    ];
    entries.extend(contents.man_entries(&format!("{data}/data/share/man/man1")));
    entries.extend(contents.licence_entries(&format!("{about}/licenses")));
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let record = record(&entries, &about);
    // At the end, as the format recommends for everything in `dist-info`: a reader finds it from there.
    entries.push(PackageEntry::plain(format!("{about}/RECORD"), record));
    zip::zip(&entries, packing)
}

/// The package's name as file names have it.
fn distribution() -> String {
    PACKAGE.replace('-', "_")
}

fn metadata(workspace: &Workspace, contents: &PackageContents, version: &str) -> Result<String> {
    let licences: String =
        contents.licences.iter().map(|(name, _)| format!("License-File: {name}\n")).collect();
    let readme = text(workspace, "packaging/README.md")?;
    Ok(format!(
        "Metadata-Version: 2.4\n\
         Name: {PACKAGE}\n\
         Version: {version}\n\
         Summary: {DESCRIPTION}\n\
         License-Expression: MIT OR Apache-2.0\n\
         {licences}\
         Keywords: mcp,model context protocol,agents,testing\n\
         Classifier: Development Status :: 4 - Beta\n\
         Classifier: Environment :: Console\n\
         Classifier: Operating System :: MacOS\n\
         Classifier: Operating System :: POSIX :: Linux\n\
         Classifier: Programming Language :: Rust\n\
         Requires-Python: >=3.8\n\
         Description-Content-Type: text/markdown; charset=UTF-8\n\
         \n\
         {readme}"
    ))
}

fn wheel_file(tag: &str) -> String {
    format!("Wheel-Version: 1.0\nGenerator: mortise-xtask\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n")
}

/// Hash and size of every file; of the record itself only the name.
fn record(entries: &[PackageEntry], about: &str) -> String {
    let line = |entry: &PackageEntry| {
        let hash = BASE64URL_NOPAD.encode(&Sha256::digest(&entry.bytes));
        format!("{},sha256={hash},{}\n", entry.path, entry.bytes.len())
    };
    entries.iter().map(line).collect::<String>() + &format!("{about}/RECORD,,\n")
}
