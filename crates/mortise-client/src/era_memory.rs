//! Which protocol a server spoke the last time, on disk, so that its next start need not find out again.
//!
//! A modern server is remembered: it is then given most of its start to answer. So is a legacy server that does not
//! answer the probe: it is then not probed. A legacy server that refuses the probe is probed at every start, which
//! takes no time and notices when it becomes modern.

use std::path::PathBuf;

use mortise_contract::ServerName;
use serde_json::{Value, json};

use crate::content_hash::ContentHash;
use crate::facts::{Era, ServerFacts};
use crate::limits;
use crate::pool::PoolOptions;
use crate::private_file::{self, PrivateFileError};
use crate::server_config::{EraChoice, ServerConfig};
use crate::server_key::server_key;

/// The version of the files.
const VERSION: u64 = 1;

/// A directory with one small private file for each configured server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EraMemory {
    directory: PathBuf,
}

impl EraMemory {
    /// A memory in this directory, which is made when the first file is written.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// The file of a server; `None` where its era is configured or the server has no identity.
    pub(crate) fn entry(&self, config: &ServerConfig, options: &PoolOptions) -> Option<EraFile> {
        let key = server_key(config, options).filter(|_| config.era == EraChoice::Auto)?;
        let path = self.directory.join(format!("{key}.json"));
        Some(EraFile { path, server: config.name.clone() })
    }
}

/// What is remembered of one server.
#[derive(Clone, Debug)]
pub(crate) struct EraFile {
    path: PathBuf,
    server: ServerName,
}

/// The era of a server, and which server that was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RememberedEra {
    pub(crate) era: Era,
    /// The hash of the name and version that the server gave itself.
    identity: String,
}

/// What a connection showed of its server's era.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EraEvidence<'a> {
    pub(crate) era: Era,
    pub(crate) facts: &'a ServerFacts,
    /// The server answered the probe and does not speak the modern era.
    pub(crate) has_refused_probe: bool,
}

impl RememberedEra {
    /// What to remember after a connection, where `before` was remembered until then.
    pub(crate) fn after(before: Option<&Self>, evidence: EraEvidence<'_>) -> Option<Self> {
        let identity = Value::Object(evidence.facts.info.clone()).to_string();
        let now = Self { era: evidence.era, identity: ContentHash::of(identity.as_bytes()).to_string() };
        // Another version of a server may have become modern: the next start probes it.
        let is_replaced = before.is_some_and(|before| before.identity != now.identity);
        let is_known = match now.era {
            Era::Modern => true,
            Era::Legacy => !evidence.has_refused_probe && !is_replaced,
        };
        is_known.then_some(now)
    }
}

impl EraFile {
    /// What was remembered. A file that can't be used is logged and left to be overwritten.
    pub(crate) fn read(&self) -> Option<RememberedEra> {
        match private_file::read(&self.path) {
            Ok(text) => self.parse(&text?),
            Err(error) => {
                self.log(&error, "a remembered protocol is not used");
                None
            }
        }
    }

    fn parse(&self, text: &str) -> Option<RememberedEra> {
        let file: Value = serde_json::from_str(text).ok()?;
        let is_ours = file["version"] == VERSION && file["server"] == self.server.as_str();
        let era = match file["era"].as_str().filter(|_| is_ours)? {
            "modern" => Era::Modern,
            "legacy" => Era::Legacy,
            _ => return None,
        };
        let identity = file["identity"].as_str()?.to_owned();
        Some(RememberedEra { era, identity })
    }

    /// Writes down what is known now, or removes the file. Blocks.
    pub(crate) fn write(&self, remembered: Option<&RememberedEra>) {
        if let Err(error) = self.write_file(remembered) {
            self.log(&error, "a protocol is not remembered");
        }
    }

    fn write_file(&self, remembered: Option<&RememberedEra>) -> Result<(), PrivateFileError> {
        let Some(RememberedEra { era, identity }) = remembered else {
            return private_file::remove(&self.path).map(|_| ());
        };
        let era = match era {
            Era::Modern => "modern",
            Era::Legacy => "legacy",
        };
        let file =
            json!({ "version": VERSION, "server": self.server.as_str(), "era": era, "identity": identity });
        private_file::write(&self.path, &format!("{file}\n"))?;
        private_file::keep_newest(&self.path, limits::CACHED_LISTS);
        Ok(())
    }

    fn log(&self, error: &PrivateFileError, message: &'static str) {
        let (server, error) = (&self.server, error as &dyn std::error::Error);
        tracing::debug!(event = "mortise.era_memory.unused", %server, error, message);
    }
}

#[cfg(test)]
mod tests;
