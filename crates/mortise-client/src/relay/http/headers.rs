//! The headers that the protocol asks for, from what has passed so far.

use std::collections::HashMap;

use http::header::{HeaderMap, HeaderName, HeaderValue};
use mortise_contract::RawJson;
use mortise_contract::listing::parse_tool_list;
use serde_json::Value;

use super::ClientMessage;
use crate::param_header::{ParamHeaders, name_header};

const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const VERSION_META: &str = "io.modelcontextprotocol/protocolVersion";
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// Tools whose headers are remembered.
const TOOLS: usize = 10_000;

/// What later messages need of earlier ones.
#[derive(Default)]
pub(super) struct HeaderMemory {
    /// The session of a legacy server.
    pub(super) session: Option<String>,
    /// The version that a legacy server chose.
    version: Option<String>,
    /// The headers of tools whose arguments travel in headers too.
    tools: HashMap<String, ParamHeaders>,
}

impl HeaderMemory {
    /// Whether a request carries its protocol version.
    pub(super) fn is_modern(&self, message: &ClientMessage) -> bool {
        modern_version(message).is_some()
    }

    /// The headers of a message.
    pub(super) fn of_message(&self, message: &ClientMessage) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let Some(version) = modern_version(message) else {
            return match message.is("initialize") {
                true => headers,
                false => self.of_session().unwrap_or_default(),
            };
        };
        set(&mut headers, VERSION, &version);
        set(&mut headers, METHOD, message.method.as_deref().unwrap_or_default());
        let member = |name: &str| message.params.as_ref().and_then(|params| params.member(name));
        let named = match message.method.as_deref().unwrap_or_default() {
            "tools/call" | "prompts/get" => member("name"),
            "resources/read" => member("uri"),
            method if method.starts_with("tasks/") => member("taskId"),
            _ => None,
        };
        let name = named.as_ref().and_then(text);
        headers.extend(name.as_deref().and_then(name_header));
        if let (true, Some(name), Some(arguments)) = (message.is("tools/call"), name, member("arguments"))
            && let Some(tool) = self.tools.get(&name)
        {
            headers.extend(tool.of(&arguments));
        }
        headers
    }

    /// The headers of a request for the session itself; `None` without a session and a version.
    pub(super) fn of_session(&self) -> Option<HeaderMap> {
        let mut headers = HeaderMap::new();
        if let Some(session) = &self.session {
            set(&mut headers, SESSION, session);
        }
        if let Some(version) = &self.version {
            set(&mut headers, VERSION, version);
        }
        (!headers.is_empty()).then_some(headers)
    }

    /// Takes in what an answer says about later messages.
    pub(super) fn learn(&mut self, request: &ClientMessage, text: &str) {
        let result = || RawJson::parse(text).ok()?.member("result");
        if request.is("initialize") {
            self.version = result().and_then(|result| text_of(&result, "protocolVersion"));
        } else if request.is("tools/list")
            && text.contains("x-mcp-header")
            && let Some(page) = result().and_then(|result| parse_tool_list(&result).ok())
        {
            for contract in page.items {
                if let Ok(headers) = ParamHeaders::read(&contract)
                    && !headers.is_empty()
                    && self.tools.len() < TOOLS
                {
                    self.tools.insert(contract.name.as_str().to_owned(), headers);
                }
            }
        }
    }
}

fn modern_version(message: &ClientMessage) -> Option<String> {
    text_of(&message.params.as_ref()?.member("_meta")?, VERSION_META)
}

fn text_of(object: &RawJson, name: &str) -> Option<String> {
    text(&object.member(name)?)
}

fn text(raw: &RawJson) -> Option<String> {
    match raw.value().ok()? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
