//! Walls inside the source text: who may name rmcp, read the environment, print, or use `unsafe`.

use std::path::Path;

use super::files::{Tree, TreeFile};
use super::packages::is_pure;
use super::{Finding, product_crate, source};

const READ: &str = "ARCHITECTURE.md, \"Walls\"";

/// The only modules with `unsafe`, each with an expectation and a reason where it is used.
const UNSAFE_MODULES: [&str; 6] = [
    "crates/mortise-script/src/engine/module.rs",
    "crates/mortise-script/src/engine/stack.rs",
    "crates/mortise-script/src/engine/stack/tests.rs",
    "crates/mortise-wizards/src/store/query/file_table.rs",
    "crates/mortise/src/allocator.rs",
    "crates/mortise/src/descriptors.rs",
];

/// The only modules that ask what time it is: for programs, logins and lists that outlive us, and time stamps that
/// people read. Everything else measures with a clock that never jumps.
const WALL_CLOCK_MODULES: [&str; 11] = [
    "crates/mortise-script/src/engine/clock.rs",
    "crates/mortise-client/src/wall_clock.rs",
    "crates/mortise-executor/src/wall_clock.rs",
    "crates/mortise-journal/src/wall_clock.rs",
    "crates/mortise-server/src/wall_clock.rs",
    "crates/mortise-tester/src/moment.rs",
    "crates/mortise-wizards/src/wizards.rs",
    "crates/mortise/src/commands/auth/view.rs",
    "crates/mortise/src/journal.rs",
    "crates/mortise/src/snapshots.rs",
    "crates/mortise/src/watching.rs",
];

/// The only library module that reads the environment: a program that uses the client expects the servers that it
/// starts to find their interpreters.
const ENVIRONMENT_MODULE: &str = "crates/mortise-client/src/client.rs";

/// One forbidden path, for some crates.
struct Wall {
    /// Paths or path starts, as they would be written in full.
    paths: &'static [&'static str],
    holds_in: fn(&str, &Path) -> bool,
    problem: &'static str,
}

const WALLS: [Wall; 5] = [
    Wall {
        paths: &[
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "std::time::Instant",
            "std::time::SystemTime",
            "Instant::now",
            "SystemTime::now",
            "std::thread",
            "tokio",
            "rmcp",
            "rand",
            "env::var",
            "fs::read",
        ],
        holds_in: |package, _| is_pure(package),
        problem: "mortise-contract and mortise-declare are pure: no file, socket, clock, environment, thread or randomness",
    },
    Wall {
        paths: &["rmcp"],
        holds_in: |_, path| !is_wire(path),
        problem: "rmcp is named only in `wire.rs` or `wire/`, where its types become ours",
    },
    Wall {
        paths: &[
            "SystemTime::now",
            "std::time::SystemTime::now",
            "Utc::now",
            "chrono::Utc::now",
            "Local::now",
            "chrono::Local::now",
        ],
        holds_in: |_, path| !WALL_CLOCK_MODULES.iter().any(|module| Path::new(module) == path),
        problem: "the wall clock can jump: measure time with `Instant`",
    },
    Wall {
        paths: &["wasmtime", "bashkit_cpython_wasm"],
        holds_in: |_, path| !path.to_string_lossy().contains("/src/engine"),
        problem: "the script engine is named only in `mortise-script::engine`",
    },
    Wall {
        paths: &[
            "std::env::var",
            "std::env::vars",
            "std::env::var_os",
            "std::env::vars_os",
            "std::env::args",
            "std::env::args_os",
            "std::env::set_var",
            "std::env::current_dir",
            "std::env::home_dir",
            "env::var",
            "env::vars",
            "env::var_os",
            "env::vars_os",
            "env::args",
            "env::args_os",
            "env::current_dir",
            "println!",
            "print!",
            "eprintln!",
            "eprint!",
            "dbg!",
            "std::process::exit",
            "process::exit",
            "tracing_subscriber",
        ],
        // The testkit is never part of the product; its fuzz targets read their time from a variable.
        holds_in: |package, path| {
            !matches!(package, "mortise" | "mortise-testkit") && path != Path::new(ENVIRONMENT_MODULE)
        },
        problem: "only the binary reads arguments and environment, prints, sets up tracing or decides an exit code; take a value instead",
    },
];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().filter(|file| file.path.ends_with(".rs")).flat_map(file_findings).collect()
}

fn file_findings(file: &TreeFile) -> Vec<Finding> {
    let code = source::code_only(&file.text);
    let mut findings = unsafe_code(file, &code);
    let path = Path::new(&file.path);
    let Some(package) = product_crate(path) else { return findings };
    let imports = source::imports(&code);
    for wall in WALLS.iter().filter(|wall| (wall.holds_in)(package, path)) {
        let mut lines: Vec<usize> = Vec::new();
        lines.extend(
            imports
                .iter()
                .filter(|(_, import)| wall.paths.iter().any(|path| leads_to(import, path)))
                .map(|(line, _)| line),
        );
        for (index, line) in code.lines().enumerate() {
            if wall.paths.iter().any(|path| names(line, path)) {
                lines.push(index + 1);
            }
        }
        lines.sort_unstable();
        lines.dedup();
        findings.extend(lines.into_iter().map(|line| {
            let text = file.text.lines().nth(line - 1).unwrap_or_default().trim();
            Finding::new(format!("{}:{line}", file.path), format!("`{text}`: {}", wall.problem), READ)
        }));
    }
    findings
}

fn is_wire(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.ends_with("/wire.rs") || text.contains("/wire/")
}

fn unsafe_code(file: &TreeFile, code: &str) -> Vec<Finding> {
    let listed = UNSAFE_MODULES.contains(&file.path.as_str());
    let lines = code.lines().enumerate().filter(|(_, line)| !listed && names(line, "unsafe"));
    lines
        .map(|(index, _)| {
            let problem = "`unsafe` is used only in the modules listed in xtask/src/tidy/walls.rs";
            Finding::new(format!("{}:{}", file.path, index + 1), problem, READ)
        })
        .collect()
}

/// Whether an import is the path, lies below it, or brings it in with a glob.
fn leads_to(import: &str, path: &str) -> bool {
    let import = import.trim_end_matches("::");
    import == path || import.strip_prefix(path).is_some_and(|rest| rest.starts_with("::"))
}

/// Whether the line names the path as whole words, not as the end of a longer path.
fn names(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + path.len()..].chars().next();
        let word = |character: char| character.is_alphanumeric() || character == '_';
        let starts =
            before.is_none_or(|before| !word(before) && before != '.' && !line[..at].ends_with("::"));
        starts && (path.ends_with('!') || after.is_none_or(|after| !word(after) && after != '!'))
    })
}
