//! The modules, items and members that product code defines, read line by line.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use super::files::Tree;
use super::{is_test, product_crate};

/// What all crates define.
pub(super) struct Outline<'a> {
    crates: BTreeSet<&'a str>,
    files: Vec<SourceFile<'a>>,
}

/// One file of product code.
struct SourceFile<'a> {
    package: &'a str,
    /// `["wire", "raw"]` for `src/wire/raw.rs`.
    module: Vec<&'a str>,
    /// Functions, types, traits and constants. A module is a file.
    items: HashSet<&'a str>,
    /// Fields, variants, and constants of a table.
    members: HashSet<&'a str>,
    /// Names on lines that begin an `impl`.
    implemented: HashSet<&'a str>,
    /// Every name outside of comments.
    names: HashSet<&'a str>,
}

impl<'a> Outline<'a> {
    pub(super) fn read(tree: &'a Tree) -> Self {
        let rust = tree.files.iter().filter(|file| file.path.ends_with(".rs"));
        let read = rust.filter_map(|file| {
            let package = package(&file.path)?;
            Some(SourceFile::read(package, &file.path, &file.text))
        });
        let files: Vec<SourceFile<'_>> = read.collect();
        let crates = files.iter().map(|file| file.package).filter(|package| *package != "xtask").collect();
        Self { crates, files }
    }

    pub(super) fn crates(&self) -> &BTreeSet<&'a str> {
        &self.crates
    }

    /// Whether any source has this name, also one that is only used.
    pub(super) fn uses(&self, name: &str) -> bool {
        self.files.iter().any(|file| file.names.contains(name))
    }

    /// Whether a path such as `mortise_server::wire::raw` or `Executor::run` leads to a module, an item or a member. One
    /// that does not begin with a crate may begin at any module.
    pub(super) fn leads_somewhere(&self, path: &[&str]) -> bool {
        let package = path[0].replace('_', "-");
        match self.files.iter().any(|file| file.package == package) {
            true => self.leads_inside(&package, &path[1..], Start::Root),
            false => self.crates.iter().any(|package| self.leads_inside(package, path, Start::Anywhere)),
        }
    }

    fn leads_inside(&self, package: &str, path: &[&str], start: Start) -> bool {
        let own: Vec<&SourceFile<'_>> = self.files.iter().filter(|file| file.package == package).collect();
        // The last two may be an item, or a type and its member; what is before them are modules.
        (path.len().saturating_sub(2)..=path.len()).any(|split| {
            let (modules, rest) = path.split_at(split);
            let below = own.iter().filter(|file| file.is_below(modules, start));
            match rest {
                [] => below.into_iter().any(|file| file.is_at(modules, start)),
                [item] => below.into_iter().any(|file| file.has(item)),
                [owner, member] => {
                    below.into_iter().any(|file| file.items.contains(owner))
                        && own.iter().any(|file| file.concerns(owner) && file.has(member))
                }
                _ => false,
            }
        })
    }
}

/// Where the modules of a path begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// At the crate itself.
    Root,
    /// At any of its modules.
    Anywhere,
}

impl<'a> SourceFile<'a> {
    fn read(package: &'a str, path: &'a str, text: &'a str) -> Self {
        let inside = path.split_once("/src/").map_or(path, |(_, inside)| inside);
        let module: Vec<&str> = match inside.trim_end_matches(".rs") {
            "lib" | "main" => Vec::new(),
            module => module.split('/').collect(),
        };
        let mut file = Self {
            package,
            module,
            items: HashSet::new(),
            members: HashSet::new(),
            implemented: HashSet::new(),
            names: HashSet::new(),
        };
        for line in text.lines().map(str::trim_start).filter(|line| !line.starts_with("//")) {
            file.names.extend(names(line));
            if line.starts_with("impl") {
                file.implemented.extend(names(line));
            } else if let Some(item) = item(line) {
                file.items.insert(item);
            } else if let Some(member) = member(line) {
                file.members.insert(member);
            }
        }
        file
    }

    fn is_at(&self, modules: &[&str], start: Start) -> bool {
        match start {
            Start::Root => self.module == modules,
            Start::Anywhere => !modules.is_empty() && self.module.ends_with(modules),
        }
    }

    /// Whether this is the module or a part of it, which may define what the module exports.
    fn is_below(&self, modules: &[&str], start: Start) -> bool {
        match start {
            Start::Root => self.module.starts_with(modules),
            Start::Anywhere => {
                modules.is_empty() || self.module.windows(modules.len()).any(|window| window == modules)
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        self.items.contains(name) || self.members.contains(name)
    }

    fn concerns(&self, owner: &str) -> bool {
        self.items.contains(owner) || self.implemented.contains(owner)
    }
}

/// The crate of a path with product code, or `xtask`.
fn package(path: &str) -> Option<&str> {
    match path.strip_prefix("xtask/src/") {
        Some(_) => (!is_test(path)).then_some("xtask"),
        None => product_crate(Path::new(path)),
    }
}

fn names(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !is_name_character(character)).filter(|name| !name.is_empty())
}

fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// What a line that begins a definition defines: `pub(crate) async fn run(` is `run`.
fn item<'a>(line: &'a str) -> Option<&'a str> {
    let before_fn = |rest: &'a str, modifier: &str| match rest.strip_prefix(modifier) {
        Some(after) if after.starts_with("fn ") => after,
        _ => rest,
    };
    let rest = ["const ", "async ", "unsafe "].into_iter().fold(visible(line), before_fn);
    let keywords =
        ["fn ", "struct ", "enum ", "trait ", "type ", "const ", "static ", "union ", "macro_rules! "];
    let rest = keywords.iter().find_map(|keyword| rest.strip_prefix(keyword))?;
    names(rest).next()
}

/// A field `name: Type`, or a variant `Name`, `Name(…)`, `Name { … }`.
fn member(line: &str) -> Option<&str> {
    let line = visible(line);
    let end = line.find(|character| !is_name_character(character)).unwrap_or(line.len());
    let (name, after) = line.split_at(end);
    let is_field = after.starts_with(':') && !after.starts_with("::");
    let is_variant = name.starts_with(|first: char| first.is_ascii_uppercase())
        && (after.is_empty() || [",", "(", " {", " = "].iter().any(|start| after.starts_with(start)));
    (!name.is_empty() && (is_field || is_variant)).then_some(name)
}

/// A line without `pub` or `pub(…)`.
fn visible(line: &str) -> &str {
    match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => {
            rest.split_once(')').map_or(line, |(_, rest)| rest.trim_start())
        }
        Some(rest) if rest.starts_with(' ') => rest.trim_start(),
        _ => line,
    }
}
