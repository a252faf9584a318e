//! The tables that one run has reserved, given back however the run ends.

use std::path::PathBuf;

use mortise_formats::format::ErrorBody;

use super::TableRecord;
use crate::tool::blocking;

/// Tables that a run has reserved for files. Dropped, it gives back those that are not written: a run that is canceled
/// is dropped wherever it is.
#[derive(Debug)]
pub(crate) struct Reservations {
    record: TableRecord,
    /// Each with the number of its file in the run.
    tables: Vec<(usize, PathBuf, PathBuf)>,
}

impl Reservations {
    /// These tables and their files, by the numbers of the files.
    pub(crate) fn new(record: TableRecord, tables: Vec<(usize, PathBuf, PathBuf)>) -> Self {
        Self { record, tables }
    }

    /// Gives back what is not written, except for the files that have a table now.
    pub(crate) async fn release(mut self, is_there: impl Fn(usize) -> bool) -> Result<(), ErrorBody> {
        let tables = std::mem::take(&mut self.tables);
        let left = tables.into_iter().filter(|(number, ..)| !is_there(*number));
        let left: Vec<(PathBuf, PathBuf)> = left.map(|(_, table, file)| (table, file)).collect();
        if left.is_empty() {
            return Ok(());
        }
        let record = self.record.clone();
        blocking(move |_| record.release(&left)).await
    }
}

impl Drop for Reservations {
    fn drop(&mut self) {
        let left: Vec<(PathBuf, PathBuf)> =
            self.tables.drain(..).map(|(_, table, file)| (table, file)).collect();
        if left.is_empty() {
            return;
        }
        let record = self.record.clone();
        let release = move || {
            if let Err(error) = record.release(&left) {
                tracing::warn!(reason = error.reason, "tables stay reserved");
            }
        };
        // The lock may have to be waited for.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(release)),
            Err(_) => release(),
        }
    }
}
