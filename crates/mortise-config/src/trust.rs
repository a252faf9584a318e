//! Which project files may start commands.
//!
//! A `mortise.yaml` found in the working directory came with the project, not
//! from the user: cloning a repository must not be enough to run its commands
//! or to send the user's variables somewhere. Such a file is used only after
//! what it says was trusted. What is kept is the path and the SHA-256 of all that
//! the file would start, contact or switch off, so a new comment asks nobody
//! again, and a changed command does. See [`Fingerprint`].

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use mortise_client::ContentHash;
use mortise_client::environment::Environment;
use mortise_client::private_file::{self, PrivateFileError};
use serde::{Deserialize, Serialize};

use crate::meaning;
use crate::preview::ServerPreview;
use crate::source::Source;

/// What trust in a file is compared by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// The hash of the text.
    pub(crate) content: ContentHash,
    /// The hash of what the text says, without comments and layout; `None` where it can't be read.
    pub(crate) meaning: Option<ContentHash>,
}

impl Fingerprint {
    /// What a file at `path` with this text is compared by.
    pub fn of(environment: &Environment, path: &Path, text: &str) -> Self {
        let path = environment.absolute(path);
        meaning::fingerprint(environment, &Source { shown: path.clone(), path, text: text.to_owned() })
    }

    /// Whether both texts can be read and say the same.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.meaning.is_some() && self.meaning == other.meaning
    }
}

/// Whether a file with this content may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustStatus {
    /// This content was trusted at this path.
    Trusted,
    /// Other content was trusted at this path.
    Changed,
    /// Nothing was trusted at this path.
    Unknown,
}

/// Why trust can't be looked up or kept.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// There is no directory to keep it in.
    #[error("no state directory is known to keep trust in")]
    NoStateDirectory,
    /// The list can't be read or written.
    #[error(transparent)]
    File(#[from] PrivateFileError),
    /// The list is not ours or was damaged.
    #[error("`{}` is not a list of trusted files", path.display())]
    Damaged {
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// The list was written by a newer version.
    #[error("`{}` has version {version}, which this mortise does not know", path.display())]
    Version { path: PathBuf, version: u32 },
    /// The list can't be written down, for example because a path is not Unicode.
    #[error("cannot write the list of trusted files")]
    Encode(#[source] serde_json::Error),
    /// The file to trust can't be found.
    #[error("cannot find `{}`", path.display())]
    Find {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl TrustError {
    /// What the reader can do now.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            _ => None,
        }
    }
}

/// Files of a project that were not trusted, and what its configuration would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untrusted {
    /// The files to trust: the configuration, or what a trusted one imports.
    pub files: Vec<UntrustedFile>,
    /// What they would do.
    pub servers: Vec<ServerPreview>,
    /// The files that they import, as written. They are read only after these files are trusted.
    pub imports: Vec<String>,
}

/// One file of an [`Untrusted`] configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntrustedFile {
    pub path: PathBuf,
    /// What was shown: trust this, not what the file holds later.
    pub fingerprint: Fingerprint,
    /// Never trusted, or changed since.
    pub status: TrustStatus,
}

impl Untrusted {
    /// What the reader can do now.
    pub fn hint(&self) -> String {
        "look at it, then run `mortise trust`; or name it with `--config`".to_owned()
    }
}

impl fmt::Display for Untrusted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, file) in self.files.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            let why = match file.status {
                TrustStatus::Changed => "has changed since it was trusted",
                TrustStatus::Unknown | TrustStatus::Trusted => "is not trusted",
            };
            write!(formatter, "{separator}`{}` {why}", file.path.display())?;
        }
        Ok(())
    }
}

impl std::error::Error for Untrusted {}

/// The list of trusted files in the state directory (`trust.json`, private to the user).
#[derive(Clone, Debug)]
pub struct TrustStore {
    path: PathBuf,
}

/// `trust.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustFile {
    version: u32,
    /// By canonical path.
    files: BTreeMap<PathBuf, Trusted>,
}

/// What was trusted about one file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum Trusted {
    /// This text and no other.
    Content(ContentHash),
    /// What the text says.
    Meaning(ContentHash),
}

impl Trusted {
    fn new(fingerprint: Fingerprint) -> Self {
        match fingerprint.meaning {
            Some(meaning) => Self::Meaning(meaning),
            None => Self::Content(fingerprint.content),
        }
    }

    fn holds_for(&self, fingerprint: &Fingerprint) -> bool {
        match self {
            Self::Content(content) => *content == fingerprint.content,
            Self::Meaning(meaning) => Some(meaning) == fingerprint.meaning.as_ref(),
        }
    }

    fn hash(self) -> ContentHash {
        match self {
            Self::Content(hash) | Self::Meaning(hash) => hash,
        }
    }
}

/// `trust.json` as version 1 wrote it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContentTrustFile {
    #[serde(rename = "version")]
    _version: u32,
    /// Canonical path to content hash.
    files: BTreeMap<PathBuf, ContentHash>,
}

/// What every version of `trust.json` has.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

impl TrustStore {
    const VERSION: u32 = 2;
    /// The version that knew texts only. What it trusted stays trusted until the text changes.
    const CONTENT_VERSION: u32 = 1;

    /// The list of this user.
    pub fn open(environment: &Environment) -> Result<Self, TrustError> {
        let directory = environment.state_directory.as_ref().ok_or(TrustError::NoStateDirectory)?;
        Ok(Self { path: directory.join("trust.json") })
    }

    /// Where the list is kept, whether or not there is one yet.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file at `path` may be used as it is now.
    pub fn status(&self, path: &Path, now: &Fingerprint) -> Result<TrustStatus, TrustError> {
        let trusted = self.read()?;
        Ok(match trusted.files.get(&canonical(path)?) {
            None => TrustStatus::Unknown,
            Some(known) if known.holds_for(now) => TrustStatus::Trusted,
            Some(_) => TrustStatus::Changed,
        })
    }

    /// Trusts what this fingerprint stands for, at this path.
    pub fn trust(&self, path: &Path, fingerprint: Fingerprint) -> Result<(), TrustError> {
        let canonical = canonical(path)?;
        self.change(|files| {
            files.insert(canonical, Trusted::new(fingerprint));
        })
    }

    /// Trusts the file no more; says whether it was.
    pub fn untrust(&self, path: &Path) -> Result<bool, TrustError> {
        // A directory that is gone can still be on the list, under the path it was given by.
        let canonical = canonical(path).unwrap_or_else(|_| path.to_path_buf());
        let mut was_trusted = false;
        self.change(|files| was_trusted = files.remove(&canonical).is_some())?;
        Ok(was_trusted)
    }

    /// Every trusted file with the hash that it is compared by.
    pub fn list(&self) -> Result<Vec<(PathBuf, ContentHash)>, TrustError> {
        Ok(self.read()?.files.into_iter().map(|(path, trusted)| (path, trusted.hash())).collect())
    }

    fn read(&self) -> Result<TrustFile, TrustError> {
        let Some(text) = private_file::read(&self.path)? else {
            return Ok(TrustFile { version: Self::VERSION, files: BTreeMap::new() });
        };
        let damaged = |source| TrustError::Damaged { path: self.path.clone(), source };
        let Versioned { version } = serde_json::from_str(&text).map_err(damaged)?;
        match version {
            Self::VERSION => serde_json::from_str(&text).map_err(damaged),
            Self::CONTENT_VERSION => {
                let old: ContentTrustFile = serde_json::from_str(&text).map_err(damaged)?;
                let files = old.files.into_iter().map(|(path, hash)| (path, Trusted::Content(hash)));
                Ok(TrustFile { version: Self::VERSION, files: files.collect() })
            }
            version => Err(TrustError::Version { path: self.path.clone(), version }),
        }
    }

    fn change(&self, edit: impl FnOnce(&mut BTreeMap<PathBuf, Trusted>)) -> Result<(), TrustError> {
        let _lock = private_file::lock(&self.path)?;
        let mut file = self.read()?;
        edit(&mut file.files);
        let text = serde_json::to_string_pretty(&file).map_err(TrustError::Encode)?;
        private_file::write(&self.path, &text)?;
        Ok(())
    }
}

/// The file by its real directory and its own name.
///
/// A link in a project that points at a trusted file elsewhere is not that file: relative commands
/// in it would start what lies beside the link.
fn canonical(path: &Path) -> Result<PathBuf, TrustError> {
    let find = |source| TrustError::Find { path: path.to_path_buf(), source };
    let name = path.file_name().ok_or_else(|| find(io::ErrorKind::InvalidInput.into()))?;
    let directory = match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    };
    Ok(directory.canonicalize().map_err(find)?.join(name))
}

#[cfg(test)]
mod tests;
