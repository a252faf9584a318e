//! What a recorded server says about itself, in the words of either era.

use mortise_contract::RawJson;
use mortise_contract::recording::{RecordedAnswer, RecordedRequest, Recording};
use serde_json::{Map, Value, json};

use crate::mock::frame::{self, LATEST_LEGACY, LEGACY_VERSIONS, MODERN_VERSION};

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The server that was recorded.
pub(super) struct RecordedServer {
    /// The result of `initialize`, if that was recorded.
    initialize: Option<RawJson>,
    /// The result of `server/discover`, if that was recorded.
    discover: Option<RawJson>,
    info: Value,
    capabilities: Value,
    instructions: Option<Value>,
}

impl RecordedServer {
    pub(super) fn new(recording: &Recording, requests: &[RecordedRequest]) -> Self {
        let result = |method: &str| {
            requests.iter().filter(|request| request.method == method).find_map(|request| {
                match &request.answer {
                    Some(RecordedAnswer::Result(result)) => Some(result.clone()),
                    _ => None,
                }
            })
        };
        let (initialize, discover) = (result("initialize"), result("server/discover"));
        let said: Vec<Value> =
            [&initialize, &discover].into_iter().flatten().filter_map(|raw| raw.value().ok()).collect();
        let member = |name: &str| said.iter().find_map(|said| said.get(name)).cloned();
        let in_meta = || said.iter().find_map(|said| said.get("_meta")?.get(SERVER_INFO)).cloned();
        let unnamed = || json!({"name": recording.server, "version": "unknown"});
        Self {
            info: member("serverInfo").or_else(in_meta).unwrap_or_else(unnamed),
            capabilities: member("capabilities").unwrap_or_else(|| capabilities(requests)),
            instructions: member("instructions"),
            initialize,
            discover,
        }
    }

    /// The answer to `initialize`: the recorded one, or one made of what is known.
    pub(super) fn initialize(&self, request: &Value) -> String {
        if let Some(recorded) = &self.initialize {
            return frame::raw_result(request, recorded.text());
        }
        let wanted = request["params"]["protocolVersion"].as_str().unwrap_or_default();
        let version = if LEGACY_VERSIONS.contains(&wanted) { wanted } else { LATEST_LEGACY };
        let mut result = json!({
            "protocolVersion": version,
            "capabilities": self.capabilities,
            "serverInfo": self.info,
        });
        self.instruct(&mut result);
        frame::raw_result(request, &result.to_string())
    }

    /// The answer to `server/discover`: the recorded one, or one made of what is known.
    pub(super) fn discover(&self, request: &Value) -> String {
        if let Some(recorded) = &self.discover {
            return frame::raw_result(request, recorded.text());
        }
        let mut versions = vec![MODERN_VERSION];
        versions.extend(LEGACY_VERSIONS.iter().rev());
        let mut result = json!({
            "resultType": "complete",
            "supportedVersions": versions,
            "capabilities": self.capabilities,
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": {SERVER_INFO: self.info},
        });
        self.instruct(&mut result);
        frame::raw_result(request, &result.to_string())
    }

    fn instruct(&self, result: &mut Value) {
        if let Some(instructions) = &self.instructions {
            result["instructions"] = instructions.clone();
        }
    }
}

/// The capabilities that the recorded requests need.
fn capabilities(requests: &[RecordedRequest]) -> Value {
    let areas = [("tools", "tools/"), ("resources", "resources/"), ("prompts", "prompts/")];
    let others = [("completions", "completion/"), ("logging", "logging/")];
    let is_used = |prefix: &str| requests.iter().any(|request| request.method.starts_with(prefix));
    let used = areas.into_iter().chain(others).filter(|(_, prefix)| is_used(prefix));
    Value::Object(used.map(|(name, _)| (name.to_owned(), json!({}))).collect::<Map<_, _>>())
}
