//! Writes a recording while messages pass.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use mortise_client::relay::RelayWitness;
use mortise_client::secret::Secrets;
use mortise_contract::RawJson;
use mortise_contract::limits::RECORDING_BYTES;
use mortise_contract::recording::{
    MessageSource, Recording, RecordingError, end_line, header_line, message_line,
};
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

/// Why a session can't begin.
#[derive(Debug, thiserror::Error)]
pub enum RecorderError {
    /// Another recorder writes to the file.
    #[error("another recorder writes to it")]
    Busy,
    /// The file has another content.
    #[error(transparent)]
    NotRecording(#[from] RecordingError),
    /// The file can't be opened, read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
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
    /// Begins a session in a file that only the user may read: in a new one, or behind those that a recording has.
    ///
    /// # Errors
    ///
    /// When another recorder writes to the file, when the file is not a recording, or when it can't be written.
    pub fn open(path: &Path, server: &str, secrets: Secrets) -> Result<Self, RecorderError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RecorderError::Busy),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let length = whole_lines(&mut file)?;
        let started = Moment::now();
        let header = header_line(&secrets.hide(server), &started.stamp());
        file.write_all(header.as_bytes())?;
        let state = RecorderState { file, written: length + header.len(), messages: 0, stopped: None };
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

/// Bytes of the first line that are looked at.
const FIRST_LINE: u64 = 64 * 1_024;

/// Cuts what a killed recorder left of its last line and goes to the end; how many bytes there are.
fn whole_lines(file: &mut File) -> Result<usize, RecorderError> {
    let mut length = file.metadata()?.len();
    if length == 0 {
        return Ok(0);
    }
    let mut first = Vec::new();
    BufReader::new((&*file).take(FIRST_LINE)).read_until(b'\n', &mut first)?;
    Recording::parse(&String::from_utf8_lossy(&first))?;
    let mut last = [0];
    while length > 0 {
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut last)?;
        if last == *b"\n" {
            break;
        }
        length -= 1;
    }
    file.set_len(length)?;
    file.seek(SeekFrom::End(0))?;
    usize::try_from(length).map_err(|error| RecorderError::Io(io::Error::other(error)))
}

#[cfg(test)]
mod tests;
