//! The requests of a recording, each with its answer.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{MessageSource, RecordedMessage, Recording};
use crate::json::{JsonKind, RawJson, canonical_text};

/// A request of the client, and what the server answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRequest {
    /// The number of its line.
    pub line: usize,
    /// Its method.
    pub method: String,
    /// Its parameters, as sent.
    pub params: Option<RawJson>,
    /// The answer; `None` where none was recorded.
    pub answer: Option<RecordedAnswer>,
    /// The parameters of the progress notifications that came before the answer.
    pub progress: Vec<RawJson>,
}

/// An answer of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedAnswer {
    /// The `result`, as sent.
    Result(RawJson),
    /// The `error`, as sent.
    Error(RawJson),
}

impl Recording {
    /// The requests of the client in order, each with the answer of the server.
    ///
    /// Answers that the recorder gave in place of the server are not among them.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        let mut pairing = Pairing::default();
        for message in &self.messages {
            let Some(json) = message.json() else { continue };
            match json.kind() {
                JsonKind::Object => pairing.take(message, &json),
                // Version 2025-03-26 has batches.
                JsonKind::Array => {
                    for one in json.elements().unwrap_or_default() {
                        pairing.take(message, &one);
                    }
                }
                _ => {}
            }
        }
        pairing.requests
    }
}

impl RecordedRequest {
    /// The request as text that is the same for equal requests.
    pub fn key(&self) -> String {
        let params = self.params.as_ref().and_then(|params| params.value().ok());
        request_key(&self.method, params.as_ref())
    }

    /// The tool of a `tools/call`.
    pub fn tool(&self) -> Option<String> {
        if self.method != "tools/call" {
            return None;
        }
        self.params.as_ref()?.member("name")?.value().ok()?.as_str().map(str::to_owned)
    }
}

/// A request as text: its method, and its parameters without `_meta` and with sorted keys.
///
/// Two requests for the same thing have the same text: empty parameters are as good as none, and so are empty
/// arguments. Of the requests that open a connection only the method counts.
///
/// ```
/// use mortise_contract::recording::request_key;
/// use serde_json::json;
///
/// let one = json!({"name": "add", "arguments": {"b": 2, "a": 1}, "_meta": {"progressToken": 7}});
/// let other = json!({"arguments": {"a": 1, "b": 2}, "name": "add"});
/// assert_eq!(request_key("tools/call", Some(&one)), request_key("tools/call", Some(&other)));
/// assert_eq!(request_key("tools/list", Some(&json!({}))), "tools/list");
/// ```
pub fn request_key(method: &str, params: Option<&Value>) -> String {
    let params = match params {
        _ if matches!(method, "initialize" | "server/discover") => return method.to_owned(),
        None | Some(Value::Null) => return method.to_owned(),
        Some(Value::Object(members)) => members,
        Some(other) => return format!("{method} {}", canonical_text(other)),
    };
    let counts = |(name, value): &(&String, &Value)| match name.as_str() {
        "_meta" => false,
        "arguments" | "cursor" => !is_empty(value),
        _ => true,
    };
    let members: Map<String, Value> =
        params.iter().filter(counts).map(|(name, value)| (name.clone(), value.clone())).collect();
    match members.is_empty() {
        true => method.to_owned(),
        false => format!("{method} {}", canonical_text(&Value::Object(members))),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// Brings answers to their requests.
#[derive(Default)]
struct Pairing {
    requests: Vec<RecordedRequest>,
    /// Requests without an answer, by the text of their id.
    open: HashMap<String, usize>,
    session: usize,
}

impl Pairing {
    fn take(&mut self, message: &RecordedMessage, json: &RawJson) {
        let Ok(members) = json.members() else { return };
        if message.session != self.session {
            // Ids begin anew, and what was asked before gets no answer any more.
            self.open.clear();
            self.session = message.session;
        }
        let get = |name: &str| members.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value);
        let method = get("method").and_then(|method| method.value().ok()).and_then(|method| match method {
            Value::String(method) => Some(method),
            _ => None,
        });
        let id = get("id").filter(|id| id.kind() != JsonKind::Null).map(|id| id.text().to_owned());
        match (message.from, method, id) {
            (MessageSource::Client, Some(method), Some(id)) => {
                self.open.insert(id, self.requests.len());
                let params = get("params").cloned();
                let (line, answer, progress) = (message.line, None, Vec::new());
                self.requests.push(RecordedRequest { line, method, params, answer, progress });
            }
            (MessageSource::Server, Some(method), None) if method == "notifications/progress" => {
                self.progressed(get("params"));
            }
            (MessageSource::Server | MessageSource::Recorder, None, Some(id)) => {
                let Some(at) = self.open.remove(&id) else { return };
                if message.from == MessageSource::Server {
                    let result = get("result").cloned().map(RecordedAnswer::Result);
                    let error = || get("error").cloned().map(RecordedAnswer::Error);
                    self.requests[at].answer = result.or_else(error);
                }
            }
            _ => {}
        }
    }

    /// Gives progress to the open request that has its token.
    fn progressed(&mut self, params: Option<&RawJson>) {
        let Some((params, token)) = params.and_then(|params| Some((params, params.member("progressToken")?)))
        else {
            return;
        };
        let has_token = |request: &RecordedRequest| {
            let meta = request.params.as_ref().and_then(|params| params.member("_meta"));
            meta.and_then(|meta| meta.member("progressToken")).is_some_and(|own| own == token)
        };
        let open: Vec<usize> = self.open.values().copied().collect();
        if let Some(at) = open.into_iter().find(|at| has_token(&self.requests[*at])) {
            self.requests[at].progress.push(params.clone());
        }
    }
}
