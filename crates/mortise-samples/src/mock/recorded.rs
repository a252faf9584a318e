//! A server that answers as a recorded one did.

mod nearest;
mod opening;

use std::collections::HashMap;

use mortise_contract::recording::{RecordedAnswer, RecordedRequest, Recording, request_key};
use mortise_contract::{RawJson, RawObject};
use serde_json::{Value, json};

use super::frame::{self, is_modern};
use super::memory::MockMemory;
use nearest::Nearest;
use opening::RecordedServer;

/// Requests without an effect on results, which every client may send though the recorded one did not.
const UPKEEP: [&str; 4] = ["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// The answers of a recording, found by request.
///
/// Results and errors are sent as they were recorded, byte for byte. Among equal requests the first gets the first
/// answer, the second the second, and from the last on all get the last.
pub(crate) struct RecordedAnswers {
    server: RecordedServer,
    requests: Vec<RecordedRequest>,
    /// Positions in `requests` by the key of the request; those with an answer, or the first if none has one.
    by_key: HashMap<String, Vec<usize>>,
}

/// What is sent in answer to a request.
pub(crate) struct RecordedReply {
    /// Notifications that come first.
    pub(crate) before: Vec<String>,
    pub(crate) frame: String,
}

impl From<String> for RecordedReply {
    fn from(frame: String) -> Self {
        Self { before: Vec::new(), frame }
    }
}

impl RecordedAnswers {
    pub(crate) fn new(recording: &Recording) -> Self {
        let requests = recording.requests();
        let mut by_key: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, request) in requests.iter().enumerate() {
            let positions = by_key.entry(request.key()).or_default();
            if positions.first().is_some_and(|first| requests[*first].answer.is_none()) {
                positions.clear();
            }
            if request.answer.is_some() || positions.is_empty() {
                positions.push(at);
            }
        }
        Self { server: RecordedServer::new(recording, &requests), requests, by_key }
    }

    /// The answer to a request.
    pub(crate) fn reply(&self, state: &mut MockMemory, request: &Value) -> RecordedReply {
        let method = request["method"].as_str().unwrap_or_default();
        match method {
            "initialize" => {
                // A new client begins at the beginning.
                state.replayed.clear();
                return self.server.initialize(request).into();
            }
            "server/discover" => return self.server.discover(request).into(),
            _ => {}
        }
        let key = request_key(method, request.get("params"));
        let Some(positions) = self.by_key.get(&key) else { return self.unrecorded(request, method).into() };
        let earlier = state.replayed.entry(key).or_default();
        let at = positions[(*earlier).min(positions.len() - 1)];
        *earlier += 1;
        let recorded = &self.requests[at];
        let frame = match &recorded.answer {
            Some(RecordedAnswer::Result(result)) => {
                frame::raw_result(request, &for_era(request, method, result))
            }
            Some(RecordedAnswer::Error(error)) => frame::raw_error(request, error.text()),
            None => {
                let message =
                    format!("the recording has this request on line {} and no answer to it", recorded.line);
                return frame::error(request, -32603, &message, None).into();
            }
        };
        RecordedReply { before: progress(request, recorded), frame }
    }

    /// Refuses what was not recorded, and names what was.
    fn unrecorded(&self, request: &Value, method: &str) -> String {
        if UPKEEP.contains(&method) {
            return frame::result(request, json!({}));
        }
        let Some(nearest) = Nearest::find(request, method, &self.requests) else {
            let message = format!("the recording has no `{method}`");
            return frame::error(request, -32601, &message, None);
        };
        frame::error(request, -32602, &nearest.sentence(), Some(nearest.facts()))
    }
}

/// The progress that was recorded, under the token of this request; none where it has no token.
fn progress(request: &Value, recorded: &RecordedRequest) -> Vec<String> {
    let token = &request["params"]["_meta"]["progressToken"];
    if token.is_null() {
        return Vec::new();
    }
    let Ok(token) = RawJson::from_value(token) else { return Vec::new() };
    let params = recorded.progress.iter().filter_map(RawObject::of);
    let with_token = params.map(|params| params.with("progressToken", token.clone()).into_json());
    with_token.map(|params| frame::raw_notification("notifications/progress", params.text())).collect()
}

/// A recorded result. One of the legacy era gets the members that a modern client must find, behind its own.
fn for_era(request: &Value, method: &str, result: &RawJson) -> String {
    let text = result.text();
    let Some(open) = text.strip_suffix('}').filter(|_| is_modern(request) && text.starts_with('{')) else {
        return text.to_owned();
    };
    if result.member("resultType").is_some() {
        return text.to_owned();
    }
    let comma = if open.trim_end().ends_with('{') { "" } else { "," };
    let is_list = method.ends_with("/list") || method == "resources/read";
    let hints = if is_list { r#","ttlMs":0,"cacheScope":"private""# } else { "" };
    format!("{open}{comma}\"resultType\":\"complete\"{hints}}}")
}
