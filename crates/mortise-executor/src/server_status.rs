//! Whether a server can be used, as programs and listings show it.

use mortise_client::{ServerState, Upstream};
use serde_json::{Value, json};

/// Whether none of a server's tools are known: it is not connected, or its list can't be read.
pub(crate) fn is_away(server: &Upstream) -> bool {
    match server.state() {
        ServerState::Degraded { .. } => server.catalog().contracts.is_empty(),
        state => !state.is_usable(),
    }
}

/// A server's state as programs and listings show it.
pub(crate) fn status(state: &ServerState, tools: usize) -> Value {
    let mut status = json!({ "state": state.label(), "connected": state.is_usable(), "tools": tools });
    if let Some(reason) = state.reason() {
        status["error"] = json!(reason);
    }
    status
}
