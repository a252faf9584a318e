//! One server under test, from the moment it was connected.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mortise_client::{CallError, CallOptions, ConnectError, Pool, ServerFacts, Upstream};
use mortise_contract::text::error_chain;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::task::AbortOnDropHandle;

use crate::exchanges::{Exchanges, Recording};
use crate::moment::Moment;
use crate::notifications::Notifications;
use crate::target::{TargetShown, TargetTransport};

/// How long the end of a process may take to show after a call has seen it.
const END_SHOWS: Duration = Duration::from_secs(1);

/// A connection. Dropping it ends the server where that is a process of ours.
#[derive(Debug)]
pub(crate) struct TestConnection {
    pub(crate) name: String,
    pub(crate) server_url: String,
    pub(crate) kind: TargetTransport,
    /// What else is shown of how it was made.
    pub(crate) shown: TargetShown,
    pub(crate) connected_at: Moment,
    pub(crate) upstream: Upstream,
    pub(crate) statistics: Statistics,
    pub(crate) notifications: Arc<Notifications>,
    pub(crate) exchanges: Exchanges,
    pub(crate) pool: Pool,
    pub(crate) listener: AbortOnDropHandle<()>,
    /// Room among the connections of all callers.
    pub(crate) room: Arc<OwnedSemaphorePermit>,
}

#[derive(Debug, Default)]
pub(crate) struct Statistics {
    tools_called: AtomicU64,
    resources_read: AtomicU64,
    prompts_retrieved: AtomicU64,
    errors: AtomicU64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum CountedEvent {
    ToolCalled,
    ResourceRead,
    PromptRetrieved,
    Error,
}

impl Statistics {
    pub(crate) fn count(&self, what: CountedEvent) {
        let counter = match what {
            CountedEvent::ToolCalled => &self.tools_called,
            CountedEvent::ResourceRead => &self.resources_read,
            CountedEvent::PromptRetrieved => &self.prompts_retrieved,
            CountedEvent::Error => &self.errors,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn shown(&self) -> StatisticsShown {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        StatisticsShown {
            tools_called: read(&self.tools_called),
            resources_read: read(&self.resources_read),
            prompts_retrieved: read(&self.prompts_retrieved),
            errors: read(&self.errors),
        }
    }
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct StatisticsShown {
    tools_called: u64,
    resources_read: u64,
    prompts_retrieved: u64,
    errors: u64,
}

// The connection as every answer shows it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct BriefConnection {
    pub(crate) server_url: String,
    pub(crate) transport: TargetTransport,
    #[schemars(extend("format" = "date-time"))]
    pub(crate) connected_at: String,
    pub(crate) name: String,
}

// The connection with all that is known of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct FullConnection {
    #[serde(flatten)]
    brief: BriefConnection,
    server_info: ServerInfoShown,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["legacy", "modern"]))]
    era: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_capabilities: Option<Map<String, Value>>,
    state: &'static str,
    #[serde(flatten)]
    target: TargetShown,
    /// Why the connection is lost
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<String>,
}

// What the server calls itself.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(inline)]
struct ServerInfoShown {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(flatten)]
    more: Map<String, Value>,
}

// A connection that was closed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ClosedConnection {
    server_url: String,
    connected_at: String,
    disconnected_at: String,
    name: String,
    statistics: StatisticsShown,
}

impl TestConnection {
    pub(crate) fn brief(&self) -> BriefConnection {
        BriefConnection {
            server_url: self.server_url.clone(),
            transport: self.kind,
            connected_at: self.connected_at.stamp(),
            name: self.name.clone(),
        }
    }

    pub(crate) fn full(&self) -> FullConnection {
        let facts = self.upstream.facts();
        let facts = facts.as_deref();
        let state = self.upstream.state();
        let error = state.error();
        let stderr = error.and_then(|_| self.upstream.stderr());
        FullConnection {
            brief: self.brief(),
            server_info: facts.map(server_info).unwrap_or_default(),
            protocol_version: facts.map(|facts| facts.protocol_version.clone()),
            era: facts.map(|facts| facts.era.as_str()),
            capabilities: facts.map(|facts| facts.capabilities.clone()),
            instructions: facts.and_then(|facts| facts.instructions.clone()),
            client_capabilities: facts.map(|facts| facts.client_capabilities.clone()),
            state: state.label(),
            target: self.shown.clone(),
            error: error.map(|error| error_chain(error)),
            stderr: stderr.map(|text| self.exchanges.redacted(&text)),
        }
    }

    pub(crate) fn is_usable(&self) -> bool {
        self.upstream.state().is_usable()
    }

    /// Why requests can't be sent any more.
    pub(crate) fn why_lost(&self) -> Option<String> {
        match self.upstream.state().error()? {
            ConnectError::Lost { reason, .. } => Some(error_chain(reason)),
            error => Some(error_chain(error)),
        }
    }

    pub(crate) fn server_name(&self) -> Option<String> {
        self.upstream.facts()?.name().map(str::to_owned)
    }

    /// The version that the server gives itself.
    pub(crate) fn server_version(&self) -> Option<String> {
        self.upstream.facts()?.version().map(str::to_owned)
    }

    /// Request options with a recording of all frames.
    pub(crate) fn recorded(&self, options: CallOptions) -> (Recording, CallOptions) {
        let (recording, sender) = Recording::start();
        (recording, CallOptions { record: Some(sender), ..options })
    }

    /// Waits until a server that has just ended is known to have ended.
    pub(crate) async fn settle(&self, error: &CallError) {
        if self.kind != TargetTransport::Stdio || !matches!(error, CallError::Closed { .. }) {
            return;
        }
        let mut state = self.upstream.watch_state();
        // The answer is right all the same, only a status asked for at once might be behind.
        let _ = tokio::time::timeout(END_SHOWS, state.wait_for(|state| !state.is_usable())).await;
    }

    /// Ends the connection, the server's process included, within seconds; says what it was.
    pub(crate) async fn close(&self) -> ClosedConnection {
        self.listener.abort();
        self.pool.shutdown().await;
        ClosedConnection {
            server_url: self.server_url.clone(),
            connected_at: self.connected_at.stamp(),
            disconnected_at: Moment::now().stamp(),
            name: self.name.clone(),
            statistics: self.statistics.shown(),
        }
    }
}

fn server_info(facts: &ServerFacts) -> ServerInfoShown {
    let is_more = |(key, _): &(&String, &Value)| !matches!(key.as_str(), "name" | "version");
    let more = facts.info.iter().filter(is_more);
    ServerInfoShown {
        name: facts.name().map(str::to_owned),
        version: facts.version().map(str::to_owned),
        more: more.map(|(key, value)| (key.clone(), value.clone())).collect(),
    }
}
