//! The notes of a release: its section of the changelog.

use anyhow::{Context, Result, ensure};

/// Which section is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotesOf {
    /// The section of the version; a release without one is refused.
    Release,
    /// The section of the version, or else what is not released.
    Trial,
}

/// The section of a version: `## 1.2.3` or `## 1.2.3 - 2026-11-18`, up to the next one.
pub(super) fn notes(changelog: &str, version: &str, of: NotesOf) -> Result<String> {
    let found = section(changelog, version)
        .or_else(|| section(changelog, "Unreleased").filter(|_| of == NotesOf::Trial));
    let notes = found.with_context(|| {
        format!("CHANGELOG.md has no section `## {version}`: rename `## Unreleased` before the tag is made")
    })?;
    ensure!(!notes.is_empty(), "the section `## {version}` of CHANGELOG.md is empty");
    Ok(notes + "\n")
}

fn section(changelog: &str, title: &str) -> Option<String> {
    let is_title = |line: &str| {
        let words = line.strip_prefix("## ").unwrap_or_default();
        words.split_whitespace().next().is_some_and(|word| word.trim_matches(['[', ']']) == title)
    };
    let mut lines = changelog.lines().skip_while(|line| !is_title(line));
    lines.next()?;
    let section: Vec<&str> = lines.take_while(|line| !line.starts_with("## ")).collect();
    Some(section.join("\n").trim().to_owned())
}
