//! What is made once for all platforms, from the packages that lie in the folder.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use super::notes::{self, NotesOf};
use super::platform::{self, ReleasePlatform};
use super::{PACKAGE, filled, npm, text, version};
use crate::workspace::Workspace;

/// Hashes of everything, in the form that `sha256sum --check` reads.
pub(super) const SUMS: &str = "SHA256SUMS";
pub(super) const INSTALL_SCRIPT: &str = "install.sh";
const FORMULA: &str = "mortise-mcp.rb";
const NOTES: &str = "NOTES.md";

/// What the folder holds.
pub(super) struct Collected {
    /// How many files have a hash.
    pub(super) files: usize,
}

/// An archive of the folder.
struct PlatformArchive {
    platform: ReleasePlatform,
    name: String,
    sha256: String,
}

/// Writes what belongs to all platforms. In a release every platform must be there.
pub(super) fn collect(
    workspace: &Workspace,
    out: &Path,
    download: Option<&str>,
    is_release: bool,
) -> Result<Collected> {
    let version = version(workspace)?;
    let archives = archives(out, &version)?;
    ensure!(!archives.is_empty(), "{} has no archive of version {version}", out.display());
    if is_release {
        let missing: Vec<&str> = platform::ALL
            .iter()
            .filter(|platform| !archives.iter().any(|archive| archive.platform == **platform))
            .map(|platform| platform.target)
            .collect();
        ensure!(missing.is_empty(), "{} has no archive for {}", out.display(), missing.join(", "));
        ensure!(download.is_some(), "a release needs --download: where its files will lie");
    }
    let from = match download {
        Some(url) => {
            ensure!(url.starts_with("https://"), "`--download {url}` must begin with https://");
            url.trim_end_matches('/').to_owned()
        }
        None => format!("file://{}", fs::canonicalize(out)?.display()),
    };
    let platforms: Vec<ReleasePlatform> = archives.iter().map(|archive| archive.platform).collect();
    let write = |name: &str, bytes: &[u8]| {
        fs::write(out.join(name), bytes).with_context(|| format!("writing {name}"))
    };
    write(&npm::main_file_name(&version), &npm::main_package(workspace, &version, &platforms)?)?;
    write(INSTALL_SCRIPT, install_script(workspace, &version, &from, &archives)?.as_bytes())?;
    write(FORMULA, formula(workspace, &version, &from, &archives)?.as_bytes())?;
    write("Dockerfile", text(workspace, "packaging/Dockerfile")?.as_bytes())?;
    let of = if is_release { NotesOf::Release } else { NotesOf::Trial };
    write(NOTES, notes::notes(&text(workspace, "CHANGELOG.md")?, &version, of)?.as_bytes())?;
    let sums = sums(out, &version, &archives)?;
    write(SUMS, sums.as_bytes())?;
    Ok(Collected { files: sums.lines().count() })
}

fn archives(out: &Path, version: &str) -> Result<Vec<PlatformArchive>> {
    let mut archives = Vec::new();
    for platform in platform::ALL {
        let name = platform.archive_name(version);
        let path = out.join(&name);
        if path.is_file() {
            archives.push(PlatformArchive { platform, name, sha256: sha256(&fs::read(path)?) });
        }
    }
    Ok(archives)
}

fn install_script(
    workspace: &Workspace,
    version: &str,
    from: &str,
    archives: &[PlatformArchive],
) -> Result<String> {
    let cases: String = archives
        .iter()
        .map(|archive| {
            let [system, machine] = archive.platform.uname;
            let (target, sha256) = (archive.platform.target, &archive.sha256);
            format!("    {system}-{machine}) target={target} sum={sha256} ;;\n")
        })
        .collect();
    let template = text(workspace, "packaging/install.sh")?;
    filled(&template, &[("VERSION", version), ("DOWNLOAD", from), ("PLATFORMS", cases.trim_end())])
}

fn formula(workspace: &Workspace, version: &str, from: &str, archives: &[PlatformArchive]) -> Result<String> {
    let mut blocks = String::new();
    for system in ["on_macos", "on_linux"] {
        let of_system: String = archives
            .iter()
            .filter(|archive| archive.platform.brew[0] == system)
            .map(|archive| {
                let (machine, name, sha256) = (archive.platform.brew[1], &archive.name, &archive.sha256);
                format!("    {machine} do\n      url \"{from}/{name}\"\n      sha256 \"{sha256}\"\n    end\n")
            })
            .collect();
        if !of_system.is_empty() {
            blocks.push_str(&format!("\n  {system} do\n{of_system}  end\n"));
        }
    }
    let template = text(workspace, "packaging/mortise-mcp.rb")?;
    filled(&template, &[("VERSION", version), ("PLATFORMS", blocks.trim_end())])
}

/// The hashes of all packages of this version, and of what was made for them.
fn sums(out: &Path, version: &str, archives: &[PlatformArchive]) -> Result<String> {
    let mut names: Vec<String> = Vec::new();
    for file in fs::read_dir(out)? {
        let name = file?.file_name().to_string_lossy().into_owned();
        if is_listed(&name, version) {
            names.push(name);
        }
    }
    names.sort();
    let line = |name: &String| {
        let known = archives.iter().find(|archive| archive.name == *name);
        let sha256 = match known {
            Some(archive) => archive.sha256.clone(),
            None => sha256(&fs::read(out.join(name))?),
        };
        Ok(format!("{sha256}  {name}\n"))
    };
    names.iter().map(line).collect()
}

fn is_listed(name: &str, version: &str) -> bool {
    let package = name.starts_with(PACKAGE) || name.starts_with("mortise_mcp-");
    let of_version = package && name.contains(&format!("-{version}"));
    of_version || [INSTALL_SCRIPT, FORMULA, "Dockerfile"].contains(&name)
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
