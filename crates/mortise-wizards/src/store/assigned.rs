//! Which table is whose: a file keeps the table that an earlier run gave it, and nobody else gets that.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use mortise_contract::format::{ErrorBody, ErrorCode};
use serde::{Deserialize, Serialize};

use super::drafts::hold;
use crate::data::files::links;

/// The largest record that is read.
const LARGEST: u64 = 64 << 20;

/// The only version there is.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    version: u32,
    /// Tables and the files they were made of, both as seen from the output folder where they lie below its parent:
    /// who moves the whole folder keeps the record.
    tables: BTreeMap<String, String>,
}

/// The tables of earlier runs below one output folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assigned {
    parent: PathBuf,
    tables: BTreeMap<String, String>,
}

impl Assigned {
    /// No table is anybody's yet.
    pub fn none(output: &Path) -> Self {
        Self { parent: output.parent().unwrap_or(output).to_owned(), tables: BTreeMap::new() }
    }

    /// What earlier runs have recorded below `state`, for tables below `output`.
    pub(crate) fn of_earlier_runs(state: &Path, output: &Path) -> Result<Self, ErrorBody> {
        let (base, path) = (base(state), path(state));
        let none = Self::none(output);
        let Some(text) = links::read(base, &path, LARGEST)? else { return Ok(none) };
        let unusable = |reason: String| {
            let reason = format!("`{}` can't be used: {reason}", path.display());
            let suggestion = "move the file away; tables that are there stay, and are not replaced";
            ErrorBody::new(ErrorCode::Io, reason, suggestion)
        };
        let record: Record = serde_json::from_slice(&text).map_err(|error| unusable(error.to_string()))?;
        match record.version {
            VERSION => Ok(Self { tables: record.tables, ..none }),
            other => Err(unusable(format!("its version is {other}, known is {VERSION}"))),
        }
    }

    /// Whether this table was made of this file.
    pub fn is_of(&self, table: &Path, file: &Path) -> bool {
        self.tables.get(&self.key(table)).is_some_and(|own| *own == self.key(file))
    }

    /// Whether this table was made of another file.
    pub fn is_of_another(&self, table: &Path, file: &Path) -> bool {
        self.tables.get(&self.key(table)).is_some_and(|own| *own != self.key(file))
    }

    /// Gives a table to a file.
    pub fn assign(&mut self, table: &Path, file: &Path) {
        self.tables.insert(self.key(table), self.key(file));
    }

    fn key(&self, path: &Path) -> String {
        path.strip_prefix(&self.parent).unwrap_or(path).to_string_lossy().into_owned()
    }
}

/// The folder above that of the state, from where no link is followed.
fn base(state: &Path) -> &Path {
    state.parent().unwrap_or(state)
}

fn path(state: &Path) -> PathBuf {
    state.join("tables").join("assigned.json")
}

/// The record of tables on disk, while no other process changes it.
pub(crate) struct Assignments {
    base: PathBuf,
    path: PathBuf,
    /// What it says.
    pub(crate) assigned: Assigned,
    /// The lock goes with the file.
    _lock: File,
}

impl Assignments {
    /// Waits for the lock and reads the record below `state`, for tables below `output`.
    pub(crate) fn open(state: &Path, output: &Path) -> Result<Self, ErrorBody> {
        let (base, path) = (base(state).to_owned(), path(state));
        let lock = hold(&base, path.parent().unwrap_or(state))?;
        Ok(Self { base, path, assigned: Assigned::of_earlier_runs(state, output)?, _lock: lock })
    }

    /// Writes the record in one step.
    pub(crate) fn save(self, assigned: Assigned) -> Result<(), ErrorBody> {
        if assigned == self.assigned {
            return Ok(());
        }
        let text = serde_json::to_vec(&Record { version: VERSION, tables: assigned.tables })
            .map_err(|error| ErrorBody::new(ErrorCode::Internal, error.to_string(), "report this"))?;
        links::replace(&self.base, &self.path, &text).map_err(ErrorBody::from)
    }
}
