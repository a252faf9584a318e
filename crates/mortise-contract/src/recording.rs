//! Recordings: every message between one client and one server, in order, as they were sent.
//!
//! A recording is a file of JSON lines. The first line says what the file is, each further line is one message:
//!
//! ```text
//! {"mortise_recording":1,"server":"weather","started":"2026-11-18T09:00:00Z"}
//! {"ms":3,"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}
//! {"ms":9,"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}}
//! {"ms":9,"from":"server","text":"a line that is not JSON"}
//! {"ms":12,"end":"the client closed its side"}
//! ```
//!
//! Each start of the server is a session and begins with such a first line; one file may have several.
//!
//! `message` is the sender's own text, with its digits and its order of keys. A writer that is killed leaves a file
//! whose last line may be cut; [`Recording::parse`] leaves that line out and says so.

mod file;
mod request;
mod write;

pub use file::{MessageSource, RecordedMessage, Recording, RecordingError};
pub use request::{RecordedAnswer, RecordedRequest, request_key};
pub use write::{end_line, header_line, message_line};

/// The version of the format that is written, and the only one that is read.
pub const RECORDING_VERSION: u64 = 1;

#[cfg(test)]
mod tests;
