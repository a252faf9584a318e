//! Fails the build unless the interpreter that it builds in is the recorded one.

use std::path::{Path, PathBuf};

#[path = "build/interpreter.rs"]
mod interpreter;

use interpreter::{REPLACEMENT, Record};

fn main() {
    for path in ["build.rs", "build/interpreter.rs", "interpreter.sha256", "../../Cargo.lock"] {
        println!("cargo::rerun-if-changed={path}");
    }
    for name in [REPLACEMENT, "CARGO_HOME"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let record = Record::parse(include_str!("interpreter.sha256"));
    let mut problems = interpreter::replaced(std::env::var_os(REPLACEMENT).as_deref());
    problems.extend(match std::fs::read_to_string("../../Cargo.lock") {
        Ok(lock) => record.locked(&lock),
        Err(error) => vec![format!("cannot read `Cargo.lock` of the workspace: {error}")],
    });
    // Cargo checks an archive when it downloads it and vendored files at every build, but not what it unpacked earlier.
    for folder in unpacked(&record) {
        for file in record.files() {
            println!("cargo::rerun-if-changed={}", folder.join(file).display());
        }
        problems.extend(record.unpacked(&folder));
    }
    for problem in problems {
        println!("cargo::error={problem}");
    }
}

/// The folders into which Cargo unpacked the package, one for each registry.
fn unpacked(record: &Record<'_>) -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let registries = home.and_then(|home| std::fs::read_dir(home.join("registry/src")).ok());
    let folder = |registry: &Path| registry.join(record.folder());
    let registries = registries.into_iter().flatten().flatten();
    registries.map(|registry| folder(&registry.path())).filter(|folder| folder.is_dir()).collect()
}
