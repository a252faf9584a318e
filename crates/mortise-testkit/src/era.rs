//! The opening of a session in both protocol eras.

use serde_json::{Value, json};

use crate::{PeerError, RawPeer};

/// The last version that begins with `initialize`.
pub const LEGACY_VERSION: &str = "2025-11-25";
/// The stateless version, in which every request carries `_meta`.
pub const MODERN_VERSION: &str = "2026-07-28";

/// The `_meta` of a modern request: version, client and its capabilities.
pub fn client_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "testkit", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// `params` with the modern `_meta` merged in; keys that `params` sets stay.
pub fn with_meta(mut params: Value) -> Value {
    if params.is_null() {
        params = json!({});
    }
    let mut meta = client_meta();
    if let (Some(own), Some(meta)) = (params.get("_meta").and_then(Value::as_object), meta.as_object_mut()) {
        meta.extend(own.clone());
    }
    params["_meta"] = meta;
    params
}

impl RawPeer {
    /// Opens a legacy session with [`LEGACY_VERSION`]; returns the answer to `initialize`.
    pub async fn initialize(&mut self) -> Result<Value, PeerError> {
        self.initialize_as(LEGACY_VERSION, json!({})).await
    }

    /// Opens a legacy session with a version and capabilities.
    pub async fn initialize_as(&mut self, version: &str, capabilities: Value) -> Result<Value, PeerError> {
        let params = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": {"name": "testkit", "version": "0"},
        });
        let answer = self.request("initialize", params).await?;
        self.notify("notifications/initialized", Value::Null).await?;
        Ok(answer)
    }

    /// A modern request: `params` with `_meta`; returns the whole response frame.
    pub async fn modern(&mut self, method: &str, params: Value) -> Result<Value, PeerError> {
        self.request(method, with_meta(params)).await
    }
}
