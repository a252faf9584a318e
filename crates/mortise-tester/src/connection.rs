//! One server under test, from the moment it was connected.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mortise_client::{CallError, CallOptions, ConnectError, Pool, ServerFacts, Upstream};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::task::AbortOnDropHandle;

use crate::exchanges::{Exchanges, Recording};
use crate::failure::in_full;
use crate::moment::Moment;
use crate::notifications::Notifications;
use crate::object::Object;
use crate::target::TransportKind;

/// How long the end of a process may take to show after a call has seen it.
const END_SHOWS: Duration = Duration::from_secs(1);

/// A connection. Dropping it ends the server where that is a process of ours.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) name: String,
    pub(crate) server_url: String,
    pub(crate) kind: TransportKind,
    /// What else is shown of how it was made.
    pub(crate) shown: Object,
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

/// What was done over a connection.
#[derive(Debug, Default)]
pub(crate) struct Statistics {
    tools_called: AtomicU64,
    resources_read: AtomicU64,
    prompts_retrieved: AtomicU64,
    errors: AtomicU64,
}

/// Something that is counted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Count {
    ToolCalled,
    ResourceRead,
    PromptRetrieved,
    Error,
}

impl Statistics {
    /// Counts one more.
    pub(crate) fn count(&self, what: Count) {
        let counter = match what {
            Count::ToolCalled => &self.tools_called,
            Count::ResourceRead => &self.resources_read,
            Count::PromptRetrieved => &self.prompts_retrieved,
            Count::Error => &self.errors,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// As it is answered.
    pub(crate) fn shown(&self) -> Object {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Object::new()
            .set("tools_called", read(&self.tools_called))
            .set("resources_read", read(&self.resources_read))
            .set("prompts_retrieved", read(&self.prompts_retrieved))
            .set("errors", read(&self.errors))
    }
}

impl Connection {
    /// The connection as every answer shows it.
    pub(crate) fn brief(&self) -> Object {
        Object::new()
            .set("server_url", &self.server_url)
            .set("transport", self.kind.as_str())
            .set("connected_at", self.connected_at.stamp())
            .set("name", &self.name)
    }

    /// The connection with all that is known of it.
    pub(crate) fn full(&self) -> Object {
        let facts = self.upstream.facts();
        let mut object = self.brief().object("server_info", &server_info(facts.as_deref()));
        if let Some(facts) = &facts {
            object = object
                .set("protocol_version", &facts.protocol_version)
                .set("era", facts.era.as_str())
                .set("capabilities", &facts.capabilities)
                .set_some("instructions", facts.instructions.as_ref())
                .set("client_capabilities", &facts.client_capabilities);
        }
        let state = self.upstream.state();
        object = object.set("state", state.label()).and(self.shown.clone());
        if let Some(error) = state.error() {
            object = object.set("error", in_full(error));
            object =
                object.set_some("stderr", self.upstream.stderr().map(|text| self.exchanges.redacted(&text)));
        }
        object
    }

    /// Whether requests can be sent now.
    pub(crate) fn is_usable(&self) -> bool {
        self.upstream.state().is_usable()
    }

    /// Why requests can't be sent any more.
    pub(crate) fn why_lost(&self) -> Option<String> {
        match self.upstream.state().error()? {
            ConnectError::Lost { reason, .. } => Some(in_full(reason)),
            error => Some(in_full(error)),
        }
    }

    /// What the server calls itself.
    pub(crate) fn server_name(&self) -> Option<String> {
        self.upstream.facts()?.name().map(str::to_owned)
    }

    /// The version that the server gives itself.
    pub(crate) fn server_version(&self) -> Option<String> {
        self.upstream.facts()?.version().map(str::to_owned)
    }

    /// The same request options with a recording of all frames.
    pub(crate) fn recorded(&self, options: CallOptions) -> (Recording, CallOptions) {
        let (recording, sender) = Recording::start();
        (recording, CallOptions { record: Some(sender), ..options })
    }

    /// Waits until a server that has just ended is known to have ended.
    pub(crate) async fn settle(&self, error: &CallError) {
        if self.kind != TransportKind::Stdio || !matches!(error, CallError::Closed { .. }) {
            return;
        }
        let mut state = self.upstream.watch_state();
        // The answer is right all the same, only a status asked for at once might be behind.
        let _ = tokio::time::timeout(END_SHOWS, state.wait_for(|state| !state.is_usable())).await;
    }

    /// Ends the connection, the server's process included, within seconds; says what it was.
    pub(crate) async fn close(&self) -> Object {
        self.listener.abort();
        self.pool.shutdown().await;
        Object::new()
            .set("server_url", &self.server_url)
            .set("connected_at", self.connected_at.stamp())
            .set("disconnected_at", Moment::now().stamp())
            .set("name", &self.name)
            .object("statistics", &self.statistics.shown())
    }
}

fn server_info(facts: Option<&ServerFacts>) -> Object {
    let Some(facts) = facts else { return Object::new() };
    let mut info = Object::new().set_some("name", facts.name()).set_some("version", facts.version());
    for (key, value) in facts.info.iter().filter(|(key, _)| !matches!(key.as_str(), "name" | "version")) {
        info = info.set(key, value);
    }
    info
}
