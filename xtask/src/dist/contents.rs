//! What every package holds: the binary, what it prints about itself, and the licences.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{START_LIMIT, entry::PackageEntry, output, text};
use crate::process;
use crate::workspace::Workspace;

/// Shells with a completion script, and where the archive has it.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "completions/mortise.bash"),
    ("zsh", "completions/_mortise"),
    ("fish", "completions/mortise.fish"),
];

const LICENCES: [&str; 3] = ["LICENSE-APACHE", "LICENSE-MIT", "THIRD_PARTY.md"];

/// The files that packages are made of.
pub(super) struct PackageContents {
    /// The binary.
    pub(super) binary: Vec<u8>,
    /// `mortise.1`, `mortise-call.1`, …
    pub(super) man_pages: Vec<(String, Vec<u8>)>,
    /// Completion scripts, by their path in the archive.
    pub(super) completions: Vec<(&'static str, Vec<u8>)>,
    /// Licences of the project and of everything inside.
    pub(super) licences: Vec<(&'static str, Vec<u8>)>,
    /// Texts for people who unpack the archive.
    pub(super) documents: Vec<(&'static str, Vec<u8>)>,
}

impl PackageContents {
    /// Reads the binary and asks it for its pages.
    pub(super) fn read(workspace: &Workspace, binary: &Path) -> Result<Self> {
        let version = super::version(workspace)?;
        let said = output(binary, &["--version"])?;
        ensure!(
            said.split_whitespace().nth(1) == Some(version.as_str()),
            "{} says it is `{}`, but the workspace has version {version}",
            binary.display(),
            said.trim()
        );
        let completions = SHELLS
            .into_iter()
            .map(|(shell, path)| Ok((path, output(binary, &["completions", shell])?.into_bytes())))
            .collect::<Result<_>>()?;
        let files = |names: &[&'static str]| {
            names.iter().map(|name| Ok((*name, text(workspace, name)?.into_bytes()))).collect::<Result<_>>()
        };
        Ok(Self {
            binary: fs::read(binary).with_context(|| format!("reading {}", binary.display()))?,
            man_pages: man_pages(workspace, binary)?,
            completions,
            licences: files(&LICENCES)?,
            documents: files(&["CHANGELOG.md", "README.md"])?,
        })
    }

    /// Everything, below a folder, in the order of the paths.
    pub(super) fn archive_entries(&self, folder: &str) -> Vec<PackageEntry> {
        let mut entries = vec![PackageEntry::program(format!("{folder}/mortise"), self.binary.clone())];
        let texts = self.licences.iter().chain(&self.documents).chain(&self.completions);
        entries.extend(
            texts.map(|(path, bytes)| PackageEntry::plain(format!("{folder}/{path}"), bytes.clone())),
        );
        entries.extend(self.man_entries(&format!("{folder}/man/man1")));
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        entries
    }

    /// The man pages below a folder.
    pub(super) fn man_entries(&self, folder: &str) -> impl Iterator<Item = PackageEntry> {
        self.man_pages
            .iter()
            .map(move |(name, bytes)| PackageEntry::plain(format!("{folder}/{name}"), bytes.clone()))
    }

    /// The licences below a folder.
    pub(super) fn licence_entries(&self, folder: &str) -> impl Iterator<Item = PackageEntry> {
        self.licences
            .iter()
            .map(move |(name, bytes)| PackageEntry::plain(format!("{folder}/{name}"), bytes.clone()))
    }
}

/// The pages that `mortise man DIR` writes.
fn man_pages(workspace: &Workspace, binary: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let folder = workspace.target().join("dist-man");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    process::run_ok(Command::new(binary).arg("man").arg(&folder), START_LIMIT)?;
    let mut pages = Vec::new();
    for file in fs::read_dir(&folder)? {
        let file = file?;
        pages.push((file.file_name().to_string_lossy().into_owned(), fs::read(file.path())?));
    }
    pages.sort();
    ensure!(pages.iter().any(|(name, _)| name == "mortise.1"), "`mortise man` wrote no mortise.1");
    Ok(pages)
}
