//! Which files may be read and written: below the roots given at start, and nowhere else.
//!
//! A path from a caller is resolved with all its symbolic links before it is judged, and opened
//! component by component without following any link, so that a link put there in between is refused.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use tokio_util::sync::CancellationToken;

mod data_file;
mod error;
pub(crate) mod folder;
mod output;

use self::folder::Folder;

pub use self::data_file::DataFile;
pub(crate) use self::data_file::FileCursor;
pub use self::error::FileError;
pub use self::output::{Existing, OutputFile};

/// The name of the folder for results, below the first root, when none is given.
pub const OUTPUT_FOLDER: &str = "mortise-out";

/// Access to files below some roots, and to one folder for results.
///
/// ```
/// use mortise_wizards::data::files::DataFiles;
///
/// # let folder = tempfile::tempdir()?;
/// # std::fs::write(folder.path().join("orders.csv"), "id\n1\n")?;
/// let files = DataFiles::new(&[folder.path().to_owned()], None)?;
/// assert_eq!(files.open("orders.csv")?.size(), 5);
/// assert!(files.open("../secret.csv").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DataFiles {
    /// Invariant: canonical, and at least one.
    roots: Vec<PathBuf>,
    output: PathBuf,
    /// Ends what is being read.
    stop: CancellationToken,
}

impl DataFiles {
    /// Access to what lies below `roots`; results go below `output`, or below `mortise-out` in the first root.
    ///
    /// # Errors
    ///
    /// A root that does not exist or is not a folder; no root at all; a `mortise-out` in the first root that is a link.
    pub fn new(roots: &[PathBuf], output: Option<&Path>) -> Result<Self, FileError> {
        let mut canonical: Vec<PathBuf> = Vec::new();
        for root in roots {
            let shown = root.to_string_lossy().into_owned();
            let path = canonicalize(root, &shown)?;
            if !path.is_dir() {
                return Err(FileError::NotADirectory { path: shown });
            }
            if !canonical.contains(&path) {
                canonical.push(path);
            }
        }
        let Some(first) = canonical.first() else {
            return Err(FileError::NotFound { path: String::new() });
        };
        let output = match output {
            // The sender of the root's content could have put a link in that place, named or not.
            Some(output) if !is_in(output, first, OUTPUT_FOLDER) => settled(&first.join(output)),
            _ => default_output(first)?,
        };
        Ok(Self { output, roots: canonical, stop: CancellationToken::new() })
    }

    /// Access below the working directory, for when no root was named.
    ///
    /// # Errors
    ///
    /// The working directory is the file system's root or the home folder, which is too much.
    pub fn in_working_directory(
        directory: &Path,
        home: Option<&Path>,
        output: Option<&Path>,
    ) -> Result<Self, FileError> {
        let path = canonicalize(directory, &directory.to_string_lossy())?;
        let kind = match home.and_then(|home| home.canonicalize().ok()) {
            _ if path.parent().is_none() => Some("the file system's root"),
            Some(home) if home == path => Some("the home folder"),
            _ => None,
        };
        match kind {
            Some(kind) => Err(FileError::TooWide { path: path.to_string_lossy().into_owned(), kind }),
            None => Self::new(&[path], output),
        }
    }

    /// The same, until `stop` fires: what is being read then ends as canceled.
    #[must_use]
    pub fn until(self, stop: &CancellationToken) -> Self {
        Self { stop: stop.clone(), ..self }
    }

    /// The folders that may be read, resolved.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The folder below which results are written. It need not exist yet.
    pub fn output(&self) -> &Path {
        &self.output
    }

    /// The file or folder that a caller means, with every link resolved. Relative paths start at a root.
    ///
    /// # Errors
    ///
    /// Nothing there, or not below a root.
    pub fn resolve(&self, raw: &str) -> Result<PathBuf, FileError> {
        self.locate(raw).map(|(_, path)| path)
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    ///
    /// Nothing there, not below a root, a folder, a device, a pipe; or the system refuses.
    pub fn open(&self, raw: &str) -> Result<DataFile, FileError> {
        let (root, path) = self.locate(raw)?;
        let opened = data_file::open_regular(root, &path, raw)?;
        Ok(DataFile::new(opened, self.shown(&path), path, self.stop.clone()))
    }

    /// A folder that may be read, resolved.
    ///
    /// # Errors
    ///
    /// Nothing there, not below a root, not a folder.
    pub fn folder(&self, raw: &str) -> Result<PathBuf, FileError> {
        let path = self.resolve(raw)?;
        match path.is_dir() {
            true => Ok(path),
            false => Err(FileError::NotADirectory { path: raw.to_owned() }),
        }
    }

    /// Opens a resolved folder that may be read. A link that was put on the way meanwhile is not followed.
    pub(crate) fn hold_folder(&self, path: &Path) -> Result<Folder, FileError> {
        let root =
            self.readable().find(|root| path.starts_with(root)).ok_or_else(|| FileError::denied(path))?;
        let gone = || FileError::NotFound { path: path.to_string_lossy().into_owned() };
        Folder::open(root, path)?.ok_or_else(gone)
    }

    /// How a path is shown to callers: relative to the first root where it lies below it, with `/`.
    /// What is shown can be given back to [`DataFiles::open`].
    pub fn shown(&self, path: &Path) -> String {
        let below = self.roots.first().and_then(|root| path.strip_prefix(root).ok());
        match below {
            Some(below) if below.as_os_str().is_empty() => ".".to_owned(),
            Some(below) => below.to_string_lossy().into_owned(),
            None => path.to_string_lossy().into_owned(),
        }
    }

    /// The folder that [`DataFiles::shown`] paths are seen from.
    pub fn base(&self) -> &Path {
        self.roots.first().unwrap_or(&self.output)
    }

    /// Where a file lies, seen from the root, or from the folder that holds all roots where there are several: so the
    /// names of two files never meet. Neither `..` nor a beginning at the top is left.
    pub fn placed(&self, path: &Path) -> PathBuf {
        let holds_all = |folder: &&Path| self.roots.iter().all(|root| root.starts_with(folder));
        let holding = self.roots.first().and_then(|first| first.ancestors().find(holds_all));
        let below = holding.and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path);
        below.components().filter(|part| matches!(part, Component::Normal(_))).collect()
    }

    /// Begins a file below the output folder. It appears under its name only with [`OutputFile::commit`].
    ///
    /// # Errors
    ///
    /// A name that leads out of the folder, a file that exists and is to stay, or the system refuses.
    pub fn create(&self, name: &Path, existing: Existing) -> Result<OutputFile, FileError> {
        output::create_output(&self.output, name, existing)
    }

    /// The folder that a caller means by a path seen from the output folder, resolved. It need not exist yet.
    ///
    /// # Errors
    ///
    /// A path that leads out of the output folder, or to something that is not a folder.
    pub fn output_folder(&self, raw: &str) -> Result<PathBuf, FileError> {
        let folder = settled(&self.output.join(raw));
        if raw.contains('\0') || !folder.starts_with(&self.output) {
            return Err(FileError::Denied { path: raw.replace('\0', "\u{fffd}") });
        }
        match Folder::open(&self.output, &folder) {
            Err(FileError::Io { .. }) if folder.exists() && !folder.is_dir() => {
                Err(FileError::NotADirectory { path: raw.to_owned() })
            }
            opened => opened.map(|_| folder),
        }
    }

    /// As [`DataFiles::create`], below a folder of the caller's choice, which must be the output folder or lie in it.
    ///
    /// # Errors
    ///
    /// A folder elsewhere, and what [`DataFiles::create`] fails for.
    pub fn create_in(&self, folder: &Path, name: &Path, existing: Existing) -> Result<OutputFile, FileError> {
        let outside = |_| FileError::denied(folder);
        let below = match folder.is_absolute() {
            true => settled(folder).strip_prefix(&self.output).map_err(outside)?.to_owned(),
            false => {
                // Seen from the output folder or, as results name it, from the root.
                let from_root = self.roots.first().map(|root| settled(&root.join(folder)));
                let below =
                    from_root.and_then(|path| path.strip_prefix(&self.output).map(Path::to_owned).ok());
                below.unwrap_or_else(|| folder.to_owned())
            }
        };
        output::create_output(&self.output, &below.join(name), existing)
    }

    /// The root that a path lies below, and the path resolved.
    fn locate(&self, raw: &str) -> Result<(&Path, PathBuf), FileError> {
        let given = Path::new(raw);
        if raw.contains('\0') {
            return Err(FileError::NotFound { path: raw.replace('\0', "\u{fffd}") });
        }
        let candidates: Vec<PathBuf> = match given.is_absolute() {
            true => vec![given.to_owned()],
            false => self.readable().map(|root| root.join(given)).collect(),
        };
        let mut refused = None;
        for candidate in candidates {
            match candidate.canonicalize() {
                Ok(path) => match self.readable().find(|root| path.starts_with(root)) {
                    Some(root) => return Ok((root, path)),
                    None => refused = Some(FileError::Denied { path: raw.to_owned() }),
                },
                // A caller must not learn whether something exists outside the roots.
                Err(_) if !self.is_within(&settled(&candidate)) => {
                    refused = Some(FileError::Denied { path: raw.to_owned() });
                }
                Err(error) if is_nothing(&error) => {}
                Err(error) => refused = Some(FileError::io("resolve", raw, error)),
            }
        }
        Err(refused.unwrap_or_else(|| FileError::NotFound { path: raw.to_owned() }))
    }

    fn is_within(&self, path: &Path) -> bool {
        self.readable().any(|root| path.starts_with(root))
    }

    /// Results may be read again.
    fn readable(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().map(PathBuf::as_path).chain([self.output.as_path()])
    }
}

/// The folder for results in `directory` when none is named, resolved.
///
/// # Errors
///
/// It is a link: the sender of a folder would choose where we read and write.
pub fn default_output(directory: &Path) -> Result<PathBuf, FileError> {
    let output = canonicalize(directory, &directory.to_string_lossy())?.join(OUTPUT_FOLDER);
    match output.is_symlink() {
        true => Err(FileError::Linked { path: output.to_string_lossy().into_owned() }),
        false => Ok(output),
    }
}

fn canonicalize(path: &Path, shown: &str) -> Result<PathBuf, FileError> {
    path.canonicalize().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => FileError::NotFound { path: shown.to_owned() },
        _ => FileError::io("resolve", shown, error),
    })
}

/// Whether an error says that nothing is there: not even a folder on the way.
fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether a path names this file of a folder, whatever stands there.
fn is_in(path: &Path, folder: &Path, name: &str) -> bool {
    let path = folder.join(path);
    path.file_name().is_some_and(|last| last == name) && path.parent().is_some_and(|it| settled(it) == folder)
}

/// The path with `.` and `..` worked out, and resolved as far as it exists.
pub(crate) fn settled(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    let mut missing = Vec::new();
    let mut existing = plain.as_path();
    loop {
        match fs::canonicalize(existing) {
            Ok(resolved) => return missing.iter().rev().fold(resolved, |path, name| path.join(name)),
            Err(_) => match (existing.parent(), existing.file_name()) {
                (Some(parent), Some(name)) => {
                    missing.push(name.to_owned());
                    existing = parent;
                }
                _ => return plain,
            },
        }
    }
}

#[cfg(test)]
mod tests;
