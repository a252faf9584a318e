//! Builds the interpreter in: checks that it is the recorded one, and compresses its machine code.
//!
//! The package compiles the interpreter in its own build script and embeds 47 MB of machine code in its library. It is a
//! build dependency, so this library stays here, and the binary gets the compressed image instead.

use std::path::{Path, PathBuf};

#[path = "build/interpreter.rs"]
mod interpreter;

use interpreter::{InterpreterRecord, REPLACEMENT, digest};

/// 47 MB become 11.8 MB in a second. The highest level would save another megabyte and take half a minute.
const LEVEL: i32 = 9;

fn main() {
    for path in ["build.rs", "build/interpreter.rs", "interpreter.sha256", "../../Cargo.lock"] {
        println!("cargo::rerun-if-changed={path}");
    }
    for name in [REPLACEMENT, "CARGO_HOME"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let record = InterpreterRecord::parse(include_str!("interpreter.sha256"));
    let mut problems = interpreter::replaced(std::env::var_os(REPLACEMENT).as_deref());
    problems.extend(interpreter::is_foreign(
        &variable("CARGO_CFG_TARGET_ARCH"),
        &variable("CARGO_CFG_TARGET_OS"),
    ));
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
    if problems.is_empty()
        && let Err(error) = embed(Path::new(&variable("OUT_DIR")))
    {
        problems.push(format!("cannot write the interpreter's image: {error}"));
    }
    for problem in problems {
        println!("cargo::error={problem}");
    }
}

/// A variable that Cargo sets.
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// The folders into which Cargo unpacked the package, one for each registry.
fn unpacked(record: &InterpreterRecord<'_>) -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let registries = home.and_then(|home| std::fs::read_dir(home.join("registry/src")).ok());
    let folder = |registry: &Path| registry.join(record.folder());
    let registries = registries.into_iter().flatten().flatten();
    registries.map(|registry| folder(&registry.path())).filter(|folder| folder.is_dir()).collect()
}

/// Writes what `engine/interpreter.rs` includes.
fn embed(folder: &Path) -> std::io::Result<()> {
    use bashkit_cpython_wasm::{PYTHON_VERSION, STDLIB_ZIP, STDLIB_ZIP_PATH, cwasm_bytes};
    let image = zstd::bulk::compress(cwasm_bytes(), LEVEL)?;
    let constants = format!(
        "pub(super) const PYTHON_VERSION: &str = {PYTHON_VERSION:?};\n\
         pub(super) const LIBRARY_PATH: &str = {STDLIB_ZIP_PATH:?};\n\
         const IMAGE_DIGEST: &str = {:?};\n\
         const IMAGE_LENGTH: u64 = {};\n",
        digest(&image),
        cwasm_bytes().len()
    );
    std::fs::write(folder.join("python.cwasm.zst"), image)?;
    std::fs::write(folder.join("python.zip"), STDLIB_ZIP)?;
    std::fs::write(folder.join("constants.rs"), constants)
}
