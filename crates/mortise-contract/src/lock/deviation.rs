//! Whether a tool is as the lock file records it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{LockError, LockFile};
use crate::diff::{Change, diff_contracts};
use crate::{Contract, RawJson};

/// The tools that a lock file records, by server and name.
#[derive(Clone, Debug, Default)]
pub struct RecordedTools {
    servers: BTreeMap<String, RecordedServer>,
}

#[derive(Clone, Debug)]
enum RecordedServer {
    Tools(HashMap<String, Arc<Map<String, Value>>>),
    /// Why the entry can't be used.
    Unusable(String),
}

/// How a tool differs from what the lock file records.
#[derive(Clone, Debug, PartialEq)]
pub enum Deviation {
    /// The file has no entry for the tool's server.
    UnknownServer,
    /// The entry of the tool's server can't be used.
    UnusableEntry {
        /// What stops the comparison, for a person.
        reason: String,
    },
    /// The entry of the tool's server does not have the tool.
    NewTool,
    /// The tool declares something else.
    Changed {
        /// The tool as it is recorded.
        recorded: Arc<Map<String, Value>>,
        /// The tool as its server declares it.
        declared: Map<String, Value>,
    },
}

impl RecordedTools {
    /// Reads the text of a lock file. A bad entry counts only for its own server.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let read = |entry: Result<super::Snapshot, LockError>| match entry {
            Ok(snapshot) => RecordedServer::Tools(snapshot.tools.into_iter().filter_map(named).collect()),
            Err(error) => RecordedServer::Unusable(one_line(&error)),
        };
        let entries = LockFile::parse_each(text)?;
        Ok(Self { servers: entries.into_iter().map(|(server, entry)| (server, read(entry))).collect() })
    }

    /// Gives the entry of `recorded` to the server `called`, unless there is no such entry.
    pub fn rename(&mut self, recorded: &str, called: &str) {
        if let Some(entry) = self.servers.remove(recorded) {
            self.servers.insert(called.to_owned(), entry);
        }
    }

    /// Servers whose entries can't be used, with the reason.
    pub fn unusable(&self) -> impl Iterator<Item = (&str, &str)> {
        self.servers.iter().filter_map(|(server, entry)| match entry {
            RecordedServer::Unusable(reason) => Some((server.as_str(), reason.as_str())),
            RecordedServer::Tools(_) => None,
        })
    }

    /// How a tool differs from its record; `None` where it does not.
    ///
    /// `declared` is the tool as `mortise lock` would record it now.
    pub fn deviation(&self, server: &str, tool: &str, declared: &Map<String, Value>) -> Option<Deviation> {
        let tools = match self.servers.get(server) {
            None => return Some(Deviation::UnknownServer),
            Some(RecordedServer::Unusable(reason)) => {
                return Some(Deviation::UnusableEntry { reason: reason.clone() });
            }
            Some(RecordedServer::Tools(tools)) => tools,
        };
        match tools.get(tool) {
            None => Some(Deviation::NewTool),
            Some(recorded) if **recorded == *declared => None,
            Some(recorded) => {
                Some(Deviation::Changed { recorded: recorded.clone(), declared: declared.clone() })
            }
        }
    }
}

impl Deviation {
    /// What the diff calls the change; nothing where there is no record to compare with.
    pub fn changes(&self) -> Vec<Change> {
        let Self::Changed { recorded, declared } = self else { return Vec::new() };
        match (contract(recorded), contract(declared)) {
            (Some(old), Some(new)) => diff_contracts(&old, &new),
            _ => Vec::new(),
        }
    }

    /// One sentence for a model. It names kinds of changes and repeats no text of the server.
    pub fn sentence(&self) -> String {
        match self {
            Self::UnknownServer => "the lock file does not record its server".to_owned(),
            Self::UnusableEntry { .. } => "the entry of its server in the lock file can't be used".to_owned(),
            Self::NewTool => "the lock file does not record it".to_owned(),
            Self::Changed { .. } => {
                let mut rules: Vec<&str> = self.changes().iter().map(|change| change.rule.id()).collect();
                rules.dedup();
                format!("it changed since the lock file was written ({})", rules.join(", "))
            }
        }
    }

    /// One sentence for the operator, with the first changes as the diff words them.
    pub fn detail(&self) -> String {
        const SHOWN: usize = 3;
        match self {
            Self::UnusableEntry { reason } => reason.clone(),
            Self::Changed { .. } => {
                let changes = self.changes();
                let mut shown: Vec<String> =
                    changes.iter().take(SHOWN).map(|change| change.message.clone()).collect();
                if let Some(more @ 1..) = changes.len().checked_sub(SHOWN) {
                    shown.push(format!("{more} more"));
                }
                format!("it changed since the lock file was written: {}", shown.join("; "))
            }
            Self::UnknownServer | Self::NewTool => self.sentence(),
        }
    }
}

fn named(tool: Map<String, Value>) -> Option<(String, Arc<Map<String, Value>>)> {
    let name = tool.get("name").and_then(Value::as_str)?.to_owned();
    Some((name, Arc::new(tool)))
}

fn contract(tool: &Map<String, Value>) -> Option<Contract> {
    Contract::parse(RawJson::from_value(&Value::Object(tool.clone())).ok()?).ok()
}

fn one_line(error: &LockError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
