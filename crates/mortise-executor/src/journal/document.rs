//! A run as one JSON document, which tests keep and other machines replay.

use serde::{Deserialize, Serialize};

use super::{ENTRY_FORMAT, KeptRun, RunBegun, RunEntry, RunId, RunState};

/// The version of the document around the entries.
pub const SAVED_RUN_FORMAT: u32 = 1;

/// Why a document is not a run that can be read.
#[derive(Debug, thiserror::Error)]
pub enum RunDocumentError {
    /// Its text is not JSON, or has other members.
    #[error("this is not a run that `mortise runs export` wrote")]
    Unreadable(#[source] serde_json::Error),
    /// Another version of mortise wrote it.
    #[error(
        "the run was written in format {found}, and this mortise reads format {SAVED_RUN_FORMAT}.{ENTRY_FORMAT}; export it again with this version"
    )]
    Version {
        /// `document.entries`.
        found: String,
    },
}

/// Read before the rest, so that a document of another version is named as such.
#[derive(Deserialize)]
struct RunDocumentHead {
    mortise_run: u32,
    entry_format: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunDocument {
    mortise_run: u32,
    entry_format: u32,
    id: RunId,
    state: RunState,
    whole: bool,
    begun: RunBegun,
    entries: Vec<RunEntry>,
}

impl KeptRun {
    /// The run as one JSON document. [`KeptRun::from_document`] reads it.
    ///
    /// # Errors
    ///
    /// When a value of it can't be written as JSON.
    pub fn to_document(&self) -> Result<String, RunDocumentError> {
        let document = RunDocument {
            mortise_run: SAVED_RUN_FORMAT,
            entry_format: ENTRY_FORMAT,
            id: self.id.clone(),
            state: self.state,
            whole: self.is_complete,
            begun: self.begun.clone(),
            entries: self.entries.clone(),
        };
        let mut text = serde_json::to_string_pretty(&document).map_err(RunDocumentError::Unreadable)?;
        text.push('\n');
        Ok(text)
    }

    /// Reads what [`KeptRun::to_document`] wrote.
    ///
    /// # Errors
    ///
    /// When it is something else, or was written in another format.
    pub fn from_document(text: &str) -> Result<Self, RunDocumentError> {
        let head: RunDocumentHead = serde_json::from_str(text).map_err(RunDocumentError::Unreadable)?;
        if (head.mortise_run, head.entry_format) != (SAVED_RUN_FORMAT, ENTRY_FORMAT) {
            let found = format!("{}.{}", head.mortise_run, head.entry_format);
            return Err(RunDocumentError::Version { found });
        }
        let document: RunDocument = serde_json::from_str(text).map_err(RunDocumentError::Unreadable)?;
        Ok(Self {
            id: document.id,
            begun: document.begun,
            state: document.state,
            is_complete: document.whole,
            entries: document.entries,
        })
    }
}
