//! A recording as it is read.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::RECORDING_VERSION;
use crate::json::RawJson;
use crate::limits::RECORDING_BYTES;
use crate::text::cut;

/// Characters of a parser's message that an error repeats.
const REASON: usize = 200;

/// All that was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// What the server was called when it was recorded.
    pub server: String,
    /// When the recording began, RFC 3339.
    pub started: String,
    /// The messages of all sessions, in the order in which they passed.
    pub messages: Vec<RecordedMessage>,
    /// Why the last session ended; `None` when its writer was killed, or still writes.
    pub end: Option<String>,
    /// The number of the last line, where that is cut and therefore left out.
    pub cut_line: Option<usize>,
}

/// One message, or one line that is not a message.
#[derive(Clone, PartialEq, Eq)]
pub struct RecordedMessage {
    /// The number of its line in the file; the first line is 1.
    pub line: usize,
    /// Which session it belongs to, from 0: each start of the server is one.
    pub session: usize,
    /// Milliseconds from the start of the session.
    pub ms: u64,
    /// The side that sent it.
    pub from: MessageSource,
    /// The text as it was sent.
    pub text: String,
}

/// The side that sent a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum MessageSource {
    /// The client.
    Client,
    /// The server.
    Server,
    /// The recorder, which answers a request that never reached the server.
    Recorder,
}

impl MessageSource {
    /// Its name in the file.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Why a recording can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of a variant says what its fields hold")]
pub enum RecordingError {
    /// The file has another content.
    #[error("line 1 is not the first line of a recording: {reason}")]
    NotRecording { reason: String },
    /// The format is newer, or was never written.
    #[error("line 1: the recording has version {found}; this mortise reads version {RECORDING_VERSION}")]
    Version { found: u64 },
    /// A line is not of the format.
    #[error("line {line}: {reason}")]
    Line { line: usize, reason: String },
    /// The text is longer than any that is written.
    #[error("the recording has {bytes} bytes; the limit is {RECORDING_BYTES}")]
    TooLarge { bytes: usize },
}

#[derive(Deserialize)]
struct VersionOnly {
    mortise_recording: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderLine {
    #[serde(rename = "mortise_recording")]
    _version: u64,
    server: String,
    started: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordLine<'a> {
    ms: u64,
    from: Option<MessageSource>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    text: Option<String>,
    end: Option<String>,
}

impl Recording {
    /// Reads a recording. A last line that is cut is left out, and [`Recording::cut_line`] names it.
    ///
    /// # Errors
    ///
    /// When the text is not a recording, has another version, or has a line that is not of the format.
    pub fn parse(text: &str) -> Result<Self, RecordingError> {
        if text.len() > RECORDING_BYTES {
            return Err(RecordingError::TooLarge { bytes: text.len() });
        }
        let mut lines = text.split_inclusive('\n').enumerate();
        let mut recording = Self::begin(lines.next().map_or("", |(_, line)| line))?;
        let mut session = 0;
        for (at, line) in lines {
            let number = at + 1;
            // A client that starts its server again goes on in the same file, with a first line of its own.
            if line.ends_with('\n') && line.starts_with("{\"mortise_recording\"") {
                Self::begin(line).map_err(|error| RecordingError::Line {
                    line: number,
                    reason: format!("a session can't begin here: {error}"),
                })?;
                session += 1;
                recording.end = None;
                continue;
            }
            match recording.add(number, session, line) {
                Ok(()) => {}
                // Only the writer's death leaves a line without an end.
                Err(_) if !line.ends_with('\n') => recording.cut_line = Some(number),
                Err(reason) => return Err(RecordingError::Line { line: number, reason }),
            }
        }
        Ok(recording)
    }

    fn begin(line: &str) -> Result<Self, RecordingError> {
        let wrong = |reason: String| RecordingError::NotRecording { reason };
        if line.trim().is_empty() {
            return Err(wrong("it is empty".to_owned()));
        }
        let version: VersionOnly = serde_json::from_str(line).map_err(|error| wrong(said(&error)))?;
        if version.mortise_recording != RECORDING_VERSION {
            return Err(RecordingError::Version { found: version.mortise_recording });
        }
        let header: HeaderLine = serde_json::from_str(line).map_err(|error| wrong(said(&error)))?;
        Ok(Self { server: header.server, started: header.started, ..Self::default() })
    }

    /// Takes in one line, or says what is wrong with it.
    fn add(&mut self, number: usize, session: usize, line: &str) -> Result<(), String> {
        let record: RecordLine<'_> = serde_json::from_str(line).map_err(|error| said(&error))?;
        if self.end.is_some() {
            return Err("the session has ended before this line".to_owned());
        }
        let message = |from, text: &str| RecordedMessage {
            line: number,
            session,
            ms: record.ms,
            from,
            text: text.to_owned(),
        };
        match (record.from, record.message, &record.text, record.end) {
            (Some(from), Some(raw), None, None) => self.messages.push(message(from, raw.get())),
            (Some(from), None, Some(text), None) => self.messages.push(message(from, text)),
            (None, None, None, Some(end)) => self.end = Some(end),
            _ => return Err("a line has `from` with `message` or `text`, or `end` alone".to_owned()),
        }
        Ok(())
    }
}

/// What a parser says, cut, since it can repeat a value. Its own count of lines begins anew with every line.
fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let words = text.rsplit_once(" at line ").map_or(text.as_str(), |(words, _)| words);
    format!("{} (column {})", cut(words, REASON), error.column())
}

impl RecordedMessage {
    /// The message as JSON; `None` for a line that is not JSON.
    pub fn json(&self) -> Option<RawJson> {
        RawJson::parse(&self.text).ok()
    }
}

impl std::fmt::Debug for RecordedMessage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("RecordedMessage")
            .field("line", &self.line)
            .field("from", &self.from)
            .field("bytes", &self.text.len())
            .finish_non_exhaustive()
    }
}
