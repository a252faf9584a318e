//! What a server reports about itself in the handshake.

use mortise_contract::RawJson;
pub use mortise_contract::verdict::Era;
use serde_json::{Map, Value};

/// What a server reports about itself. Nothing of it can be trusted.
#[derive(Clone, Debug)]
pub struct ServerFacts {
    /// Which era is spoken with it.
    pub era: Era,
    /// The protocol version in use.
    pub protocol_version: String,
    /// `serverInfo`, as far as it was given.
    pub info: Map<String, Value>,
    /// `capabilities`.
    pub capabilities: Map<String, Value>,
    /// `instructions`.
    pub instructions: Option<String>,
    /// The whole answer to `initialize` or `server/discover`, verbatim.
    pub raw: RawJson,
    /// The capabilities that we advertised; a server may list other tools to other clients.
    pub client_capabilities: Map<String, Value>,
}

impl ServerFacts {
    /// The name the server gives itself.
    pub fn name(&self) -> Option<&str> {
        self.info.get("name").and_then(Value::as_str)
    }

    /// The version the server gives itself.
    pub fn version(&self) -> Option<&str> {
        self.info.get("version").and_then(Value::as_str)
    }

    /// Whether a capability is advertised, e.g. `tools`, `resources`, `prompts`, `completions`.
    pub fn has(&self, capability: &str) -> bool {
        self.capabilities.contains_key(capability)
    }

    /// Whether the server says that it reports changes of a list.
    pub fn reports_changes(&self, capability: &str) -> bool {
        let entry = self.capabilities.get(capability);
        entry.and_then(|entry| entry.get("listChanged")).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(crate) fn read(
        era: Era,
        protocol_version: String,
        raw: RawJson,
        client_capabilities: Map<String, Value>,
    ) -> Self {
        let mut answer = match raw.value() {
            Ok(Value::Object(answer)) => answer,
            _ => Map::new(),
        };
        let mut object = |key: &str| match answer.remove(key) {
            Some(Value::Object(object)) => object,
            _ => Map::new(),
        };
        let capabilities = object("capabilities");
        let mut info = object("serverInfo");
        let mut meta = object("_meta");
        if let (true, Some(Value::Object(named))) =
            (info.is_empty(), meta.remove("io.modelcontextprotocol/serverInfo"))
        {
            info = named;
        }
        let instructions = answer.get("instructions").and_then(Value::as_str).map(str::to_owned);
        Self { era, protocol_version, info, capabilities, instructions, raw, client_capabilities }
    }
}
