//! Writes a recording while messages pass.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use mortise_client::relay::RelayWitness;
use mortise_client::secret::Secrets;
use mortise_contract::RawJson;
use mortise_contract::limits::RECORDING_BYTES;
use mortise_contract::recording::{MessageSource, end_line, header_line, message_line};
use parking_lot::Mutex;

use crate::moment::Moment;

/// Bytes that are left for the last line.
const LAST_LINE: usize = 1_024;

/// A recording under construction.
///
/// Each message is one write of one whole line, so the file can be read at any moment and after any end of this
/// process. Secrets are hidden before anything is written. When the file is full or can't be written, messages still
/// pass, and [`Recorder::finish`] reports it.
#[derive(Debug)]
pub struct Recorder {
    started: Moment,
    secrets: Secrets,
    state: Mutex<RecorderState>,
}

#[derive(Debug)]
struct RecorderState {
    file: File,
    written: usize,
    messages: usize,
    /// Why nothing more is written.
    stopped: Option<RecorderStop>,
}

/// Why a recorder stopped before its server did.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecorderStop {
    /// The recording has reached its largest size.
    #[error(
        "the recording has reached {RECORDING_BYTES} bytes; later messages were passed on and not recorded"
    )]
    Full,
    /// The file can't be written.
    #[error("the recording can't be written: {reason}; later messages were passed on and not recorded")]
    Unwritable { reason: String },
}

/// What a recorder wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedFile {
    /// Messages and other lines in the file.
    pub messages: usize,
    /// Why there are not more.
    pub stopped: Option<RecorderStop>,
}

impl Recorder {
    /// Begins a recording in a new file that only the user may read.
    ///
    /// # Errors
    ///
    /// When the file exists already, or can't be created or written.
    pub fn create(path: &Path, server: &str, secrets: Secrets) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        let started = Moment::now();
        let header = header_line(&secrets.hide(server), &started.stamp());
        file.write_all(header.as_bytes())?;
        let state = RecorderState { file, written: header.len(), messages: 0, stopped: None };
        Ok(Self { started, secrets, state: Mutex::new(state) })
    }

    /// Ends the recording; `why` is for a person.
    pub fn finish(&self, why: &str) -> RecordedFile {
        let mut state = self.state.lock();
        if state.stopped.is_none() {
            state.write(&end_line(self.started.elapsed_ms(), &self.secrets.hide(why)));
        }
        RecordedFile { messages: state.messages, stopped: state.stopped.clone() }
    }

    fn hidden(&self, text: &str) -> String {
        match RawJson::parse(text).map(|raw| (self.secrets.hide_json(&raw), raw)) {
            Ok((hidden, raw)) if hidden == raw => text.to_owned(),
            Ok((hidden, _)) => hidden.text().to_owned(),
            Err(_) => self.secrets.hide(text).into_owned(),
        }
    }
}

impl RelayWitness for Recorder {
    fn passed(&self, from: MessageSource, text: &str) {
        // One lock around time and write: the lines are in the order of their times.
        let mut state = self.state.lock();
        if state.stopped.is_some() {
            return;
        }
        let line = message_line(self.started.elapsed_ms(), from, &self.hidden(text));
        if state.written + line.len() + LAST_LINE > RECORDING_BYTES {
            let end = end_line(self.started.elapsed_ms(), "the recording is full");
            state.write(&end);
            state.stopped.get_or_insert(RecorderStop::Full);
            return;
        }
        state.messages += usize::from(state.write(&line));
    }
}

impl RecorderState {
    /// Writes one line; what a failed write left of it is taken back.
    fn write(&mut self, line: &str) -> bool {
        match self.file.write_all(line.as_bytes()) {
            Ok(()) => {
                self.written += line.len();
                true
            }
            Err(error) => {
                // A cut last line is readable too.
                let _ = u64::try_from(self.written).map(|written| self.file.set_len(written));
                self.stopped = Some(RecorderStop::Unwritable { reason: error.to_string() });
                false
            }
        }
    }
}

#[cfg(test)]
mod tests;
