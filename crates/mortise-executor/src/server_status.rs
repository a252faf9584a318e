//! Whether a server can be used, as programs and listings show it.

use mortise_client::{ServerState, Upstream};
use serde::Serialize;

/// Whether none of a server's tools are known: it is not connected, or its list can't be read.
pub(crate) fn is_away(server: &Upstream) -> bool {
    match server.state() {
        ServerState::Degraded { .. } => server.catalog().contracts.is_empty(),
        state => !state.is_usable(),
    }
}

/// A server's state as programs read it.
#[derive(Debug, Serialize)]
pub(crate) struct ServerStatus {
    state: &'static str,
    connected: bool,
    tools: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl ServerStatus {
    pub(crate) fn of(server: &Upstream) -> Self {
        let state = server.state();
        Self {
            state: state.label(),
            connected: state.is_usable(),
            tools: server.catalog().contracts.len(),
            error: state.reason(),
        }
    }
}
