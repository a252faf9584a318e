//! Which table belongs to which file: a file keeps the table that an earlier run made of it.
//!
//! A run reserves its tables before it writes, so that another run beside it chooses others. A table is a file's own
//! only once it is written: what failed, or was never begun, is free again.

mod reservations;

use std::collections::BTreeMap;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use mortise_formats::format::{ErrorBody, ErrorCode};
use serde::{Deserialize, Serialize};

use super::drafts::{LockedFolder, PATIENCE};
use crate::data::files::FileError;
use crate::data::files::folder::Folder;

pub(crate) use reservations::Reservations;

/// The largest record that is read, and so the largest that is written.
const LARGEST: u64 = 64 << 20;

const FILE: &str = "assigned.jsonl";

const VERSION: u32 = 1;

/// The first line of the record.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordHead {
    version: u32,
}

/// One line of the record; the last about a table counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordLine {
    /// Tables and the files they were made of, both as seen from the output folder where they lie below its parent:
    /// who moves the whole folder keeps the record.
    table: String,
    file: String,
    state: TableState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TableState {
    /// A run is about to write it.
    Reserved,
    Written,
    /// It came to nothing.
    Released,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Owner {
    file: String,
    state: TableState,
}

/// The tables of all runs below one output folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Assigned {
    parent: PathBuf,
    tables: BTreeMap<String, Owner>,
}

impl Assigned {
    /// An empty record.
    pub(crate) fn none(output: &Path) -> Self {
        Self { parent: output.parent().unwrap_or(output).to_owned(), tables: BTreeMap::new() }
    }

    /// Whether this table was made of this file.
    pub(crate) fn is_of(&self, table: &Path, file: &Path) -> bool {
        let owner = self.tables.get(&self.key(table));
        owner.is_some_and(|owner| owner.state == TableState::Written && owner.file == self.key(file))
    }

    /// Whether this table was made of another file, or is about to be.
    pub(crate) fn is_of_another(&self, table: &Path, file: &Path) -> bool {
        self.tables.get(&self.key(table)).is_some_and(|owner| owner.file != self.key(file))
    }

    /// Keeps a table for a file, unless it was made before, of this file or another.
    pub(crate) fn reserve(&mut self, table: &Path, file: &Path) {
        let (table, file) = (self.key(table), self.key(file));
        let is_written = |owner: &Owner| owner.state == TableState::Written;
        if !self.tables.get(&table).is_some_and(is_written) {
            self.put(RecordLine { table, file, state: TableState::Reserved });
        }
    }

    fn put(&mut self, line: RecordLine) {
        match line.state {
            TableState::Released => self.tables.remove(&line.table),
            state => self.tables.insert(line.table, Owner { file: line.file, state }),
        };
    }

    fn key(&self, path: &Path) -> String {
        path.strip_prefix(&self.parent).unwrap_or(path).to_string_lossy().into_owned()
    }

    fn lines(&self) -> impl Iterator<Item = RecordLine> {
        self.tables.iter().map(|(table, owner)| RecordLine {
            table: table.clone(),
            file: owner.file.clone(),
            state: owner.state,
        })
    }
}

/// The record of tables on disk: lines that are only added to, until it is written anew.
#[derive(Clone, Debug)]
pub(crate) struct TableRecord {
    /// The folder above that of the state, from where no link is followed.
    base: PathBuf,
    folder: PathBuf,
    output: PathBuf,
    largest: u64,
}

/// What the record holds, and how long it is.
struct RecordContent {
    assigned: Assigned,
    /// Without the first.
    lines: usize,
    bytes: u64,
}

impl TableRecord {
    /// The record below `state`, of tables below `output`. It need not exist yet.
    pub(crate) fn new(state: &Path, output: &Path) -> Self {
        let base = state.parent().unwrap_or(state).to_owned();
        Self { base, folder: state.join("tables"), output: output.to_owned(), largest: LARGEST }
    }

    pub(crate) fn read(&self) -> Result<Assigned, ErrorBody> {
        let folder = Folder::open(&self.base, &self.folder)?;
        self.content(folder.as_ref()).map(|content| content.assigned)
    }

    /// Lets `plan` reserve tables while no other process does.
    pub(crate) fn plan<T>(
        &self,
        plan: impl FnOnce(&mut Assigned) -> Result<T, ErrorBody>,
    ) -> Result<T, ErrorBody> {
        let held = self.hold()?;
        let RecordContent { assigned: before, lines, bytes } = self.content(Some(&held.folder))?;
        let mut assigned = before.clone();
        let planned = plan(&mut assigned)?;
        let new: Vec<RecordLine> = assigned
            .lines()
            .filter(|line| before.tables.get(&line.table).is_none_or(|owner| owner.file != line.file))
            .collect();
        // A table that is reserved now has one more line when it is written, or given back.
        let later: u64 = new.iter().map(length).sum();
        let needed = bytes + 2 * later;
        // Lines that later ones replaced are dropped from time to time.
        let is_long = lines > 2 * assigned.tables.len() + 1_000 || needed > self.largest / 2;
        match is_long && lines > before.tables.len() {
            true => self.rewrite(&held.folder, &assigned, later)?,
            false if needed > self.largest => return Err(self.too_large()),
            false => self.add(&held.folder, &new)?,
        }
        Ok(planned)
    }

    /// Records that a table was made of a file.
    pub(crate) fn written(&self, table: &Path, file: &Path) -> Result<(), ErrorBody> {
        let names = Assigned::none(&self.output);
        let line = RecordLine { table: names.key(table), file: names.key(file), state: TableState::Written };
        self.add(&self.hold()?.folder, &[line])
    }

    /// Gives back what was reserved for files and is not written: they failed, or were never come to.
    pub(crate) fn release(&self, tables: &[(PathBuf, PathBuf)]) -> Result<(), ErrorBody> {
        let held = self.hold()?;
        let assigned = self.content(Some(&held.folder))?.assigned;
        let lines = tables.iter().filter_map(|(table, file)| {
            let (table, file) = (assigned.key(table), assigned.key(file));
            let owner = assigned.tables.get(&table)?;
            let is_reserved = owner.state == TableState::Reserved && owner.file == file;
            is_reserved.then_some(RecordLine { table, file, state: TableState::Released })
        });
        self.add(&held.folder, &lines.collect::<Vec<_>>())
    }

    fn hold(&self) -> Result<LockedFolder, ErrorBody> {
        LockedFolder::hold(&self.base, &self.folder, PATIENCE)
    }

    fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// Reads the record. A last line that was never finished is ignored.
    fn content(&self, folder: Option<&Folder>) -> Result<RecordContent, ErrorBody> {
        let mut assigned = Assigned::none(&self.output);
        let text = match folder {
            Some(folder) => folder.read(FILE.as_ref(), self.largest)?.unwrap_or_default(),
            None => Vec::new(),
        };
        let unusable = |reason: String| {
            let reason = format!("`{}` can't be used: {reason}", self.path().display());
            let suggestion = "move the file away; tables that are there stay, and are not replaced";
            ErrorBody::new(ErrorCode::Io, reason, suggestion)
        };
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].split_inclusive(|byte| *byte == b'\n').enumerate();
        if let Some((_, head)) = lines.next() {
            let head: RecordHead =
                serde_json::from_slice(head).map_err(|error| unusable(error.to_string()))?;
            if head.version != VERSION {
                return Err(unusable(format!("its version is {}, known is {VERSION}", head.version)));
            }
        } else if !text.is_empty() {
            return Err(unusable("it has no first line".to_owned()));
        }
        let mut count = 0;
        for (number, line) in lines {
            let wrong = |error: serde_json::Error| unusable(format!("line {}: {error}", number + 1));
            assigned.put(serde_json::from_slice(line).map_err(wrong)?);
            count += 1;
        }
        Ok(RecordContent { assigned, lines: count, bytes: text.len() as u64 })
    }

    /// Adds lines at the end. The lock is held.
    fn add(&self, folder: &Folder, lines: &[RecordLine]) -> Result<(), ErrorBody> {
        if lines.is_empty() {
            return Ok(());
        }
        let refused = |error| FileError::io("write", self.path().to_string_lossy(), error);
        let mut file = folder.append(FILE.as_ref())?;
        let metadata = file.metadata().map_err(refused)?;
        if !metadata.is_file() {
            let path = self.path().display().to_string();
            return Err(FileError::NotRegular { path, kind: "a device" }.into());
        }
        let head = (metadata.len() == 0).then(head);
        let mut text = head.unwrap_or_default();
        text.push_str(&lines.iter().map(written).collect::<String>());
        if metadata.len() > 0 {
            let mut last = [0];
            file.seek(SeekFrom::End(-1)).and_then(|_| file.read_exact(&mut last)).map_err(refused)?;
            if last != *b"\n" || metadata.len() + text.len() as u64 > self.largest {
                let mut assigned = self.content(Some(folder))?.assigned;
                lines.iter().cloned().for_each(|line| assigned.put(line));
                return self.rewrite(folder, &assigned, 0);
            }
        }
        file.write_all(text.as_bytes()).map_err(|error| refused(error).into())
    }

    /// Writes the record anew, in one step, if this many bytes can still be added to it. The lock is held.
    fn rewrite(&self, folder: &Folder, assigned: &Assigned, later: u64) -> Result<(), ErrorBody> {
        let mut text = head();
        text.extend(assigned.lines().map(|line| written(&line)));
        if text.len() as u64 + later > self.largest {
            return Err(self.too_large());
        }
        Ok(folder.replace(FILE.as_ref(), text.as_bytes())?)
    }

    fn too_large(&self) -> ErrorBody {
        let reason = format!("`{}` would be larger than {} bytes", self.path().display(), self.largest);
        let suggestion = "name another folder for results when the wizards are started, or move the file away; tables \
                          that are there stay, and are not replaced";
        ErrorBody::new(ErrorCode::Io, reason, suggestion)
    }
}

fn head() -> String {
    serde_json::json!({ "version": VERSION }).to_string() + "\n"
}

fn length(line: &RecordLine) -> u64 {
    written(line).len() as u64
}

fn written(line: &RecordLine) -> String {
    serde_json::json!({ "table": line.table, "file": line.file, "state": line.state }).to_string() + "\n"
}

#[cfg(test)]
mod tests;
