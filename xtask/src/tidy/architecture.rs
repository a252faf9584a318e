//! What the pages about the architecture name must exist: files, folders, crates, modules, items and linked pages.

use super::Finding;
use super::files::Tree;
use super::outline::Outline;

const READ: &str = "CONTRIBUTING.md, \"Documentation\"";

const PLAN: &str = "ARCHITECTURE.md";

/// The pages. The paths of one that stands beside a crate's source begin there.
const PAGES: [(&str, Option<&str>); 3] = [
    (PLAN, None),
    ("crates/mortise-executor/src/run.md", Some("mortise-executor")),
    ("crates/mortise-script/src/engine.md", Some("mortise-script")),
];

/// Endings of files that are named without their folder.
const SOURCES: [&str; 6] = [".rs", ".py", ".pyi", ".md", ".toml", ".sha256"];
/// Endings of files that are named with their folder. `mortise.yaml` is a file of users.
const FILES: [&str; 9] = [".rs", ".py", ".pyi", ".md", ".toml", ".sha256", ".json", ".yml", ".yaml"];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let outline = Outline::read(tree);
    let mut findings = Vec::new();
    for (page, home) in PAGES {
        let Some(text) = tree.text(page) else { continue };
        for mention in mentions(text, home) {
            if let Some(problem) = problem(tree, &outline, page, &mention) {
                let place = format!("{page}:{}", mention.line);
                findings.push(Finding::new(place, format!("`{}`: {problem}", mention.text), READ));
            }
        }
    }
    findings.extend(missing_crates(tree, &outline));
    findings
}

/// Crates that the plan does not name.
fn missing_crates(tree: &Tree, outline: &Outline<'_>) -> Vec<Finding> {
    let plan = tree.text(PLAN).unwrap_or_default();
    let is_missing = |name: &&&str| !words(plan).any(|word| word == **name);
    let missing = outline.crates().iter().filter(is_missing);
    missing.map(|name| Finding::new(PLAN, format!("does not name the crate `{name}`"), READ)).collect()
}

/// Something that a page names.
#[derive(Clone, Copy)]
struct Mention<'a> {
    /// Where, from 1.
    line: usize,
    text: &'a str,
    form: Form,
    /// The crate in which a path may begin.
    home: Option<&'a str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Between backticks.
    Code,
    /// A word of a fenced block: a picture, or a list of crates.
    Drawn,
    /// The target of a link.
    Link,
}

fn mentions<'a>(page: &'a str, page_home: Option<&'a str>) -> Vec<Mention<'a>> {
    let mut found = Vec::new();
    let (mut is_drawn, mut home) = (false, page_home);
    for (index, text) in page.lines().enumerate() {
        let line = index + 1;
        if text.starts_with("```") {
            is_drawn = !is_drawn;
        } else if is_drawn {
            found.extend(words(text).map(|text| Mention { line, text, form: Form::Drawn, home }));
        } else {
            if text.starts_with('#') {
                home = heading_crate(text).or(page_home);
            }
            let code = text.split('`').skip(1).step_by(2);
            found.extend(code.map(|text| Mention { line, text, form: Form::Code, home }));
            let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            found.extend(links.map(|(text, _)| Mention { line, text, form: Form::Link, home }));
        }
    }
    found
}

/// The crate of a section: ``### `mortise-server` ``.
fn heading_crate(heading: &str) -> Option<&str> {
    heading.split('`').nth(1).filter(|name| is_crate_name(name))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !is_path_character(character)).filter(|word| !word.is_empty())
}

fn is_path_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_-:/.".contains(character)
}

fn is_crate_name(text: &str) -> bool {
    text == "mortise" || text.starts_with("mortise-")
}

/// What is wrong with a mention, if it names something of the repository that is not there.
fn problem(tree: &Tree, outline: &Outline<'_>, page: &str, mention: &Mention<'_>) -> Option<&'static str> {
    let text = mention.text.strip_suffix("()").unwrap_or(mention.text);
    if mention.form == Form::Link {
        let is_ours = !text.contains("://") && !text.starts_with('#');
        return (is_ours && !is_linked(tree, page, text)).then_some("the link leads to no page");
    }
    let is_drawn = mention.form == Form::Drawn;
    if text.is_empty() || !text.chars().all(is_path_character) || text.starts_with('/') {
        None
    } else if text.contains("::") {
        let segments: Vec<&str> = text.split("::").collect();
        let problem = "no crate of ours has this module or item; name one that is there";
        (!outline.leads_somewhere(&segments)).then_some(problem)
    } else if (!is_drawn || text.starts_with("crates/")) && is_path(tree, text) {
        let problem = "there is no such file or folder; name one that is there";
        (!exists(tree, text, mention.home)).then_some(problem)
    } else if is_crate_name(text) && !text.contains(['.', '/']) {
        (!outline.crates().contains(&text)).then_some("there is no such crate")
    } else {
        let is_name = !is_drawn && is_identifier(text) && text.chars().any(|c| c.is_ascii_uppercase());
        (is_name && !outline.uses(text)).then_some("no source of ours has this name")
    }
}

/// `crates/a/b.rs`, `wire/`, `run.rs`; not `tools/call`.
fn is_path(tree: &Tree, text: &str) -> bool {
    let ends = |endings: &[&str]| endings.iter().any(|ending| text.ends_with(ending) && text != *ending);
    match text.split_once('/') {
        Some((first, _)) => text.ends_with('/') || ends(&FILES) || tree.has_folder(first),
        None => ends(&SOURCES),
    }
}

/// Whether a path leads somewhere: from the root, or inside the crate of its section. Elsewhere the end of a path
/// will do: `tests/it/main.rs` is in every crate.
fn exists(tree: &Tree, path: &str, home: Option<&str>) -> bool {
    let path = path.trim_end_matches('/');
    let is_there = |path: &str| tree.text(path).is_some() || tree.has_folder(path);
    if is_there(path) {
        return true;
    }
    match home {
        Some(home) => {
            is_there(&format!("crates/{home}/src/{path}")) || is_there(&format!("crates/{home}/{path}"))
        }
        None => {
            let (file, folder) = (format!("/{path}"), format!("/{path}/"));
            tree.files.iter().any(|known| known.path.ends_with(&file) || known.path.contains(&folder))
        }
    }
}

/// Whether a link leads to a file of the tree; one begins beside its page.
fn is_linked(tree: &Tree, page: &str, target: &str) -> bool {
    let target = target.split('#').next().unwrap_or(target);
    let mut folders: Vec<&str> = page.split('/').collect();
    folders.pop();
    for part in target.split('/') {
        match part {
            ".." => drop(folders.pop()),
            "." | "" => {}
            part => folders.push(part),
        }
    }
    let path = folders.join("/");
    tree.text(&path).is_some() || tree.has_folder(&path)
}

fn is_identifier(text: &str) -> bool {
    text.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
}
