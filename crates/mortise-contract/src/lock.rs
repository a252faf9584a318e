//! The lock file: what servers declared when someone last agreed to it.
//!
//! `mortise.lock.json` holds everything that a [diff](crate::diff) looks at, sorted and
//! indented, so that the same declarations give the same bytes and a review shows what changed.

mod deviation;
mod recorded;
mod snapshot;

use std::collections::BTreeMap;

use crate::embedded;
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub use deviation::{Deviation, RecordedTools};
pub use recorded::{RecordedError, read_recorded, recorded_tools};
pub use snapshot::{About, Snapshot};

/// The contracts of some servers at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LockFile {
    /// The servers by name.
    pub servers: BTreeMap<String, Snapshot>,
}

/// Why a text is not a lock file.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of a variant says what its fields hold")]
pub enum LockError {
    /// It is not JSON, or lacks something, or has a key that is not known.
    #[error("the lock file can't be read")]
    Unreadable {
        #[source]
        source: serde_json::Error,
    },
    /// The entry of one server lacks something, or has a key that is not known.
    #[error("the entry of server `{server}` can't be read")]
    Entry {
        server: String,
        #[source]
        source: serde_json::Error,
    },
    /// It is JSON of another kind.
    #[error("this is not a lock file: `format` is not `{}`", LockFile::FORMAT)]
    NotALock,
    /// Another version of this program wrote it.
    #[error("the lock file has version {found}, and only version {} is known", LockFile::VERSION)]
    Version { found: u64 },
    /// A hash does not fit what it stands beside.
    #[error("the entry of server `{server}` does not have the hash that is written there")]
    Hash { server: String },
}

impl LockFile {
    /// The file name that commands use by default.
    pub const FILE_NAME: &str = "mortise.lock.json";
    /// The value of the key `format`.
    pub const FORMAT: &str = "mortise-lock";
    /// The value of the key `version`.
    pub const VERSION: u64 = 1;

    /// Reads a lock file; every hash must fit.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let entries = Self::parse_each(text)?.into_iter();
        let servers = entries.map(|(server, entry)| Ok((server, entry?))).collect::<Result<_, _>>()?;
        Ok(Self { servers })
    }

    /// Reads a lock file entry by entry: a bad one leaves the others.
    pub fn parse_each(text: &str) -> Result<BTreeMap<String, Result<Snapshot, LockError>>, LockError> {
        let unreadable = |source| LockError::Unreadable { source };
        let head: LockHead = serde_json::from_str(text).map_err(unreadable)?;
        if head.format.as_deref() != Some(Self::FORMAT) {
            return Err(LockError::NotALock);
        }
        match head.version {
            Some(Self::VERSION) => {}
            found => return Err(LockError::Version { found: found.unwrap_or_default() }),
        }
        let file: LockFileForm = serde_json::from_str(text).map_err(unreadable)?;
        let entries = file.servers.into_iter();
        Ok(entries.map(|(server, entry)| (server.clone(), read_entry(server, entry))).collect())
    }

    /// The text of the file: keys sorted, indented, one line break at the end.
    pub fn to_text(&self) -> String {
        let servers: Map<String, Value> =
            self.servers.iter().map(|(name, snapshot)| (name.clone(), snapshot.to_json())).collect();
        let file = json!({ "format": Self::FORMAT, "version": Self::VERSION, "servers": servers });
        format!("{file:#}\n")
    }

    /// A JSON Schema of the file.
    pub fn json_schema() -> Value {
        embedded::json(include_str!("lock/schema.json"))
    }
}

fn read_entry(server: String, entry: Value) -> Result<Snapshot, LockError> {
    let (hash, snapshot) = match serde_json::from_value::<snapshot::SnapshotEntry>(entry) {
        Ok(entry) => entry.into_snapshot(),
        Err(source) => return Err(LockError::Entry { server, source }),
    };
    match hash == snapshot.hash() {
        true => Ok(snapshot),
        false => Err(LockError::Hash { server }),
    }
}

/// The members that distinguish a lock file from other JSON.
#[derive(Deserialize)]
struct LockHead {
    format: Option<String>,
    version: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LockFileForm {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u64,
    servers: BTreeMap<String, Value>,
}

#[cfg(test)]
mod tests;
