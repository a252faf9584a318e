//! `THIRD_PARTY.md`: the licences of everything that is built into the binary, with their texts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result};
use cargo_metadata::Package;

use crate::built_in::{self, BuiltIn};
use crate::workspace::Workspace;

const MIT_WORDS: &str = "Permission is hereby granted, free of charge";

/// Names of files that carry a licence or a notice, in lower case, as they begin.
const LICENCE_FILES: [&str; 5] = ["license", "licence", "copying", "notice", "unlicense"];

/// Makes the page. Packages with the same text share it.
pub(super) fn make(workspace: &Workspace) -> Result<String> {
    let metadata = built_in::metadata(workspace)?;
    let reached = BuiltIn::find(&metadata)?.packages.into_iter().map(|(package, _)| package);
    let packages: Vec<&Package> = reached.filter(|package| package.source.is_some()).collect();
    let mut page = String::from(
        "# Third-party licences\n\n\
         Written by `cargo xtask codegen`. Everything that is built into the `mortise` binary on any supported platform. \
         Where a package offers MIT as a choice, it is used under MIT.\n\n\
         | package | version | licence |\n| --- | --- | --- |\n",
    );
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in &packages {
        let license = package.license.as_deref().unwrap_or("see below");
        page.push_str(&format!("| {} | {} | {license} |\n", package.name, package.version));
        for text in licence_texts(package)? {
            texts.entry(text).or_default().insert(format!("{} {}", package.name, package.version));
        }
    }
    let mut sections: Vec<(String, String)> = texts
        .into_iter()
        .map(|(text, users)| (users.into_iter().collect::<Vec<_>>().join(", "), text))
        .collect();
    sections.sort();
    for (users, text) in sections {
        page.push_str(&format!("\n## {users}\n\n```text\n{text}\n```\n"));
    }
    Ok(page)
}

/// The texts in a package's folder. Where MIT is offered as a choice, it is the one we take.
fn licence_texts(package: &Package) -> Result<BTreeSet<String>> {
    let folder = package.manifest_path.parent().context("a manifest lies in a folder")?;
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(|| format!("reading {folder}"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if LICENCE_FILES.iter().any(|start| name.starts_with(start)) && entry.file_type()?.is_file() {
            let bytes = fs::read(entry.path())?;
            files.insert(name, normal_text(&String::from_utf8_lossy(&bytes)));
        }
    }
    let choice =
        package.license.as_deref().is_some_and(|license| license.contains("MIT") && !license.contains("AND"));
    if choice && files.values().any(|text| text.contains(MIT_WORDS)) {
        files.retain(|name, text| text.contains(MIT_WORDS) || name.starts_with("notice"));
    }
    Ok(files.into_values().collect())
}

/// The same words with the same breaks: no trailing blanks, Unix line ends, nothing that ends our code block.
fn normal_text(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| line.trim_end().replace("```", "'''")).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
