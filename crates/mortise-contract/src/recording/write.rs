//! The lines of a recording, as they are written.

use serde_json::value::RawValue;

use super::{MessageSource, RECORDING_VERSION};
use crate::json::RawJson;

/// The first line, with its newline. `started` is a time of RFC 3339.
pub fn header_line(server: &str, started: &str) -> String {
    let (server, started) = (RawJson::string(server), RawJson::string(started));
    format!(
        "{{\"mortise_recording\":{RECORDING_VERSION},\"server\":{},\"started\":{}}}\n",
        server.text(),
        started.text()
    )
}

/// The line of one message, with its newline; `ms` counts from the start of the recording.
///
/// ```
/// use mortise_contract::recording::{MessageSource, message_line};
///
/// let line = message_line(7, MessageSource::Server, r#"{"price": 1.10}"#);
/// assert_eq!(line, "{\"ms\":7,\"from\":\"server\",\"message\":{\"price\": 1.10}}\n");
/// ```
pub fn message_line(ms: u64, from: MessageSource, text: &str) -> String {
    let from = from.as_str();
    match is_on_one_line(text) {
        true => format!("{{\"ms\":{ms},\"from\":\"{from}\",\"message\":{text}}}\n"),
        false => {
            format!("{{\"ms\":{ms},\"from\":\"{from}\",\"text\":{}}}\n", RawJson::string(text).text())
        }
    }
}

/// The last line, with its newline; `why` is for a person.
pub fn end_line(ms: u64, why: &str) -> String {
    format!("{{\"ms\":{ms},\"end\":{}}}\n", RawJson::string(why).text())
}

/// Whether a text can stand in a line as it is: an object or an array without line ends around its parts.
fn is_on_one_line(text: &str) -> bool {
    let has_form = matches!(text.as_bytes().first(), Some(b'{' | b'['));
    let is_complete = matches!(text.as_bytes().last(), Some(b'}' | b']'));
    has_form && is_complete && !text.contains(['\n', '\r']) && serde_json::from_str::<&RawValue>(text).is_ok()
}
