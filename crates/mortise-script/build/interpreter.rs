//! Compares the interpreter's package with the hashes in `interpreter.sha256`.

use std::ffi::OsStr;
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// The variable with which the package lets a builder put any machine code in the interpreter's place.
pub(crate) const REPLACEMENT: &str = "BASHKIT_CPYTHON_CWASM";

const HINT: &str = "if the change is meant, read docs/decisions/0024-the-interpreter-is-recorded.md";

/// What `interpreter.sha256` says: lines of `sha256sum`, the archive first, then files inside it.
pub(crate) struct InterpreterRecord<'a> {
    archive: (&'a str, &'a str),
    files: Vec<(&'a str, &'a str)>,
}

impl<'a> InterpreterRecord<'a> {
    pub(crate) fn parse(text: &'a str) -> Self {
        let mut lines = text.lines().filter_map(|line| line.split_once("  "));
        Self { archive: lines.next().unwrap_or_default(), files: lines.collect() }
    }

    /// The folder that Cargo unpacks the archive into: `NAME-VERSION`.
    pub(crate) fn folder(&self) -> &'a str {
        self.archive.1.trim_end_matches(".crate")
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &'a str> {
        self.files.iter().map(|(_, file)| *file)
    }

    /// Problems of `Cargo.lock`: another version, another archive, or one that doesn't come from a registry.
    pub(crate) fn locked(&self, lock: &str) -> Vec<String> {
        let (name, version) = self.folder().rsplit_once('-').unwrap_or_default();
        let packages = lock.split("[[package]]").filter(|package| value(package, "name") == Some(name));
        let found: Vec<_> =
            packages.map(|package| (value(package, "version"), value(package, "checksum"))).collect();
        if found == [(Some(version), Some(self.archive.0))] {
            return Vec::new();
        }
        let folder = self.folder();
        vec![format!(
            "`Cargo.lock` does not hold the recorded archive of `{folder}`: found {found:?}; {HINT}"
        )]
    }

    /// Problems of the unpacked files.
    pub(crate) fn unpacked(&self, folder: &Path) -> Vec<String> {
        let differs = |(recorded, file): &(&str, &str)| match std::fs::read(folder.join(file)) {
            Ok(content) if digest(&content) == *recorded => None,
            Ok(_) => Some(format!("`{file}` in `{}` is not the recorded one; {HINT}", folder.display())),
            Err(error) => Some(format!("cannot read `{file}` in `{}`: {error}", folder.display())),
        };
        self.files.iter().filter_map(differs).collect()
    }

    /// The recorded hash of a file in the archive.
    #[cfg(test)]
    pub(crate) fn hash(&self, name: &str) -> Option<&'a str> {
        self.files.iter().find(|(_, file)| *file == name).map(|(hash, _)| *hash)
    }
}

/// Problems of the builder's environment.
pub(crate) fn replaced(variable: Option<&OsStr>) -> Vec<String> {
    let problem = |value: &OsStr| {
        let value = value.to_string_lossy();
        format!("`{REPLACEMENT}={value}` would put other machine code in the interpreter's place; unset it")
    };
    variable.map(problem).into_iter().collect()
}

/// Problems of a build for another kind of machine: the interpreter's machine code is that of the machine that builds.
pub(crate) fn is_foreign(architecture: &str, system: &str) -> Option<String> {
    use std::env::consts::{ARCH, OS};
    let is_foreign = (architecture, system) != (ARCH, OS);
    is_foreign.then(|| {
        format!("the interpreter is compiled for {ARCH} and {OS}, not for {architecture} and {system}: build there")
    })
}

pub(crate) fn digest(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The string under a key of one package of a lock file.
fn value<'t>(package: &'t str, key: &str) -> Option<&'t str> {
    let line = |line: &'t str| line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"');
    package.lines().find_map(line)
}
