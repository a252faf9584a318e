//! Rules about files: length, opening comment, names, the shape of `lib.rs`, words that must not stay.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Finding, is_test, source};

/// The files of the repository, as text.
pub struct Tree {
    /// In the order of their paths.
    pub files: Vec<TreeFile>,
}

/// One file of the repository.
pub struct TreeFile {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Its content; empty if it is not UTF-8.
    pub text: String,
}

impl Tree {
    /// Reads everything below `root` except what is built or belongs to git.
    pub fn read(root: &Path, target: &Path) -> Result<Self> {
        let mut files = Vec::new();
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))? {
                let path = entry?.path();
                if skipped(&path, target) {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push(TreeFile { path: relative(root, &path), text: text(&path)? });
                }
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { files })
    }

    /// The text of a file, if it exists.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }

    /// Whether files lie below this path.
    pub fn has_folder(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.files.iter().any(|file| file.path.starts_with(&folder))
    }
}

fn skipped(path: &Path, target: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    path == target || name == "target" || name == ".git" || name == "node_modules"
}

fn relative(root: &Path, path: &Path) -> String {
    let parts = path.strip_prefix(root).unwrap_or(path).components();
    parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

fn text(path: &PathBuf) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    Ok(String::from_utf8(bytes).unwrap_or_default())
}

const MODULES: &str = "CONTRIBUTING.md, \"Files\"";
const TESTS: &str = "CONTRIBUTING.md, \"Tests\"";
const CLEAN: &str = "CONTRIBUTING.md, \"What stays out\"";

const LINE_LIMIT: usize = 600;
const VAGUE_NAMES: [&str; 9] =
    ["mod", "util", "utils", "common", "helper", "helpers", "types", "manager", "misc"];
const REQUIRED: [&str; 10] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "SECURITY.md",
    "THIRD_PARTY.md",
    "deny.toml",
    "docs/install.md",
];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut findings: Vec<Finding> = REQUIRED
        .into_iter()
        .filter(|path| tree.text(path).is_none())
        .map(|path| Finding::new(path, "this file must exist", "CONTRIBUTING.md, \"The repository\""))
        .collect();
    for file in &tree.files {
        findings.extend(words(file));
        if file.path.ends_with(".rs") {
            findings.extend(rust_file(file));
        }
    }
    findings
}

fn rust_file(file: &TreeFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let place = file.path.as_str();
    // The place and name of `foo/tests.rs` say what it holds.
    if !file.text.starts_with("//!") && !place.ends_with("/tests.rs") {
        findings.push(Finding::new(
            place,
            "the first line must be a `//!` comment that names the one idea of the file",
            MODULES,
        ));
    }
    let lines = file.text.lines().count();
    if lines > LINE_LIMIT {
        findings.push(Finding::new(
            place,
            format!("{lines} lines are more than {LINE_LIMIT}; split it by idea"),
            MODULES,
        ));
    }
    let name = place.rsplit('/').next().unwrap_or(place).trim_end_matches(".rs");
    if VAGUE_NAMES.contains(&name) {
        findings.push(Finding::new(
            place,
            format!("`{name}` does not say what is inside; name the idea"),
            MODULES,
        ));
    }
    let code = source::code_only(&file.text);
    if place.ends_with("/src/lib.rs") {
        findings.extend(library_root(place, &code));
    }
    if is_test(place) {
        findings.extend(test_code(place, &code));
    }
    findings
}

/// `lib.rs` holds documentation, modules and exports.
fn library_root(place: &str, code: &str) -> Vec<Finding> {
    statements(code)
        .into_iter()
        .filter(|statement| {
            let allowed = ["mod ", "pub mod ", "pub(crate) mod ", "pub use ", "pub(crate) use "];
            !allowed.iter().any(|start| statement.starts_with(start))
        })
        .map(|statement| {
            let start: String = statement.chars().take(40).collect();
            Finding::new(
                place,
                format!("`{start}` is more than documentation, modules and exports; move it to a module"),
                MODULES,
            )
        })
        .collect()
}

/// Statements at the top level, without attributes.
fn statements(code: &str) -> Vec<String> {
    let mut text = code.split_whitespace().collect::<Vec<_>>().join(" ");
    while let Some(start) = text.find("#[").into_iter().chain(text.find("#![")).min() {
        let length = attribute(&text[start..]);
        text.replace_range(start..start + length, "");
    }
    text.split(';')
        .map(|statement| statement.trim().to_owned())
        .filter(|statement| !statement.is_empty())
        .collect()
}

fn attribute(text: &str) -> usize {
    let mut depth = 0usize;
    for (index, character) in text.char_indices() {
        match character {
            '[' => depth += 1,
            ']' if depth == 1 => return index + 1,
            ']' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn test_code(place: &str, code: &str) -> Vec<Finding> {
    let rules = [
        ("#[ignore", "a test that does not run proves nothing; repair or delete it"),
        ("thread::sleep", "a test waits for an event or for paused time, never for the clock"),
    ];
    lines_with(code, &rules, |line, word, problem| {
        Finding::new(format!("{place}:{line}"), format!("`{word}`: {problem}"), TESTS)
    })
}

/// Words that must not be in any file. They are put together here so that this file is clean as well.
fn words(file: &TreeFile) -> Vec<Finding> {
    let unfinished = "finish it, or describe it where plans are kept";
    let address = "packages come from the registry that the machine is set up for; no address belongs here";
    let machine = "paths of one machine mean nothing on another";
    let rules = [
        (concat!("TO", "DO"), unfinished),
        (concat!("FIX", "ME"), unfinished),
        (concat!("registry.", "npmjs"), address),
        (concat!("npmjs.", "org"), address),
        (concat!("pypi.", "org"), address),
        (concat!("files.python", "hosted"), address),
        (concat!("index.", "crates.io"), address),
        (concat!("static.", "crates.io"), address),
        (concat!("/ro", "ot/"), machine),
    ];
    if file.path == "Cargo.lock" {
        return Vec::new();
    }
    lines_with(&file.text, &rules, |line, word, problem| {
        Finding::new(format!("{}:{line}", file.path), format!("`{word}`: {problem}"), CLEAN)
    })
}

fn lines_with<'a>(
    text: &str,
    rules: &[(&'a str, &'a str)],
    finding: impl Fn(usize, &'a str, &'a str) -> Finding,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for (word, problem) in rules {
            if line.contains(word) {
                findings.push(finding(index + 1, word, problem));
            }
        }
    }
    findings
}
