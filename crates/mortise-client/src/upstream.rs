//! A handle on one server. It stays good while the server comes and goes.

mod calling;
mod rounds;
mod tasks;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption};
use mortise_contract::ServerName;
use mortise_contract::schema::SchemaOptions;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::call::CallOptions;
use crate::catalog::{Catalog, RejectedSchemas};
use crate::catalog_cache::CachedCatalog;
use crate::error::{CallError, ConnectError};
use crate::event::{FaultKind, ProtocolFault, ServerEvent};
use crate::facts::ServerFacts;
use crate::places::CallPlaces;
use crate::pool::PoolShared;
use crate::process::{StderrRing, child_env};
use crate::secret::Secrets;
use crate::server_config::{ServerConfig, Transport};
use crate::state::ServerState;
use crate::wire::{UpstreamConnection, Wait};

/// A server of a [`Pool`](crate::Pool). Cheap to clone.
#[derive(Clone)]
pub struct Upstream {
    pub(crate) inner: Arc<UpstreamInner>,
}

/// What the handle and the supervisor share.
pub(crate) struct UpstreamInner {
    pub(crate) config: ServerConfig,
    pub(crate) secrets: Secrets,
    pub(crate) shared: Arc<PoolShared>,
    pub(crate) connection: ArcSwapOption<UpstreamConnection>,
    /// What the last process wrote; outlives it.
    pub(crate) stderr: ArcSwapOption<StderrRing>,
    pub(crate) catalog: ArcSwap<Catalog>,
    /// Where the list of tools outlives us.
    pub(crate) cache: Option<CachedCatalog>,
    /// The output schemas that are unusable, so that each is logged once.
    pub(crate) rejected: RejectedSchemas,
    pub(crate) state: watch::Sender<ServerState>,
    pub(crate) events: broadcast::Sender<ServerEvent>,
    pub(crate) places: CallPlaces,
    pub(crate) commands: mpsc::Sender<Command>,
    pub(crate) stop: CancellationToken,
}

impl UpstreamInner {
    /// How the server's schemas are compiled.
    pub(crate) fn schema_options(&self) -> SchemaOptions {
        let pool = &self.shared.options.schema;
        let assert_formats = self.config.assert_formats.unwrap_or(pool.assert_formats);
        SchemaOptions { assert_formats, ..pool.clone() }
    }
}

/// Commands for a supervisor.
#[derive(Debug)]
pub(crate) enum Command {
    /// List the tools again and report the outcome.
    Refresh(oneshot::Sender<Result<(), CallError>>),
    /// Drop the connection, if there is one, and make a new one now.
    Reconnect,
}

impl Upstream {
    /// The key under which the server is configured.
    pub fn name(&self) -> &ServerName {
        &self.inner.config.name
    }

    /// How the server is configured.
    pub fn config(&self) -> &ServerConfig {
        &self.inner.config
    }

    /// What must not be shown of what the server says. Errors, faults and standard error are without it already.
    pub fn secrets(&self) -> &Secrets {
        &self.inner.secrets
    }

    /// Where the server is in its life.
    pub fn state(&self) -> ServerState {
        self.inner.state.borrow().clone()
    }

    /// [`Upstream::state`] as a channel that reports every change.
    pub fn watch_state(&self) -> watch::Receiver<ServerState> {
        self.inner.state.subscribe()
    }

    /// What the server sends without being asked. A reader that is too slow misses events.
    pub fn events(&self) -> broadcast::Receiver<ServerEvent> {
        self.inner.events.subscribe()
    }

    /// Waits until the server can be used, or until an attempt to connect to it has failed.
    pub async fn ready(&self, timeout: Duration) -> Result<(), ConnectError> {
        let mut state = self.inner.state.subscribe();
        let settled = state.wait_for(|state| !matches!(state, ServerState::Starting { .. }));
        match tokio::time::timeout(timeout, settled).await {
            Ok(Ok(state)) => match &*state {
                ServerState::Stopped => Err(ConnectError::ShutDown),
                state => state.error().cloned().map_or(Ok(()), Err),
            },
            Ok(Err(_)) => Err(ConnectError::ShutDown),
            Err(_) => Err(ConnectError::Timeout {
                after: timeout,
                stage: "starting",
                stderr: String::new(),
                skipped: None,
            }),
        }
    }

    /// The tools, as last listed. The one given stays as it is when the list changes.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.inner.catalog.load_full()
    }

    /// What the server reports about itself; `None` before the first connection.
    pub fn facts(&self) -> Option<Arc<ServerFacts>> {
        self.inner.catalog.load().facts.clone()
    }

    /// Lists the tools again now.
    pub async fn refresh(&self) -> Result<Arc<Catalog>, CallError> {
        let (sender, receiver) = oneshot::channel();
        if self.inner.commands.send(Command::Refresh(sender)).await.is_err() {
            return Err(self.not_connected());
        }
        match receiver.await {
            Ok(Ok(())) => Ok(self.catalog()),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(self.not_connected()),
        }
    }

    /// Drops the connection, if there is one, and makes a new one at once.
    pub async fn reconnect(&self) {
        self.inner.state.send_if_modified(|state| {
            let failed = state.error().is_some();
            if failed {
                *state = ServerState::Starting { attempt: 1 };
            }
            failed
        });
        let _ = self.inner.commands.send(Command::Reconnect).await;
    }

    /// The last 64 KiB that the process wrote to its standard error, also after it has ended.
    pub fn stderr(&self) -> Option<String> {
        self.inner.stderr.load().as_ref().map(|ring| ring.text())
    }

    /// Variables that the server seems to miss: its standard error names them, and we have them and keep them from it.
    pub fn missed_variables(&self) -> Vec<String> {
        match &self.inner.config.transport {
            Transport::Stdio(config) => {
                let environment = &self.inner.shared.options.environment;
                child_env::missed(config, environment, &self.stderr().unwrap_or_default())
            }
            _ => Vec::new(),
        }
    }

    /// Where the server broke the protocol on this connection: the first hundred places.
    pub fn faults(&self) -> Vec<ProtocolFault> {
        self.inner.connection.load().as_ref().map(|connection| connection.faults()).unwrap_or_default()
    }

    /// How often the server broke the protocol on this connection, by kind.
    pub fn fault_counts(&self) -> HashMap<FaultKind, u64> {
        self.inner.connection.load().as_ref().map(|connection| connection.fault_counts()).unwrap_or_default()
    }

    /// Ends the server for good.
    pub(crate) async fn stop(&self) {
        self.inner.stop.cancel();
        let mut state = self.inner.state.subscribe();
        let _ = state.wait_for(|state| matches!(state, ServerState::Stopped)).await;
    }

    /// The error of a call while the server is away, with what is known of the reason.
    pub fn not_connected(&self) -> CallError {
        let state = self.inner.state.borrow();
        let reason = match &*state {
            ServerState::Ready => "the connection is lost".to_owned(),
            state => state.reason().unwrap_or_else(|| state.label().to_owned()),
        };
        CallError::NotConnected { server: self.name().clone(), reason }
    }

    /// The connection, waiting for a server that starts, or starts again after its connection was lost.
    ///
    /// A server whose last start failed is not waited for: the next start may fail too.
    pub(crate) async fn connection(&self, wait: &Wait) -> Result<Arc<UpstreamConnection>, CallError> {
        let mut state = self.inner.state.subscribe();
        loop {
            let is_coming = state.borrow_and_update().is_coming();
            if let Some(connection) = self.live_connection() {
                return Ok(connection);
            }
            if !is_coming {
                return Err(self.not_connected());
            }
            tokio::select! {
                changed = state.changed() => changed.map_err(|_| self.not_connected())?,
                () = wait.cancel.cancelled() => return Err(self.not_connected()),
                () = tokio::time::sleep_until(wait.deadline) => return Err(self.not_connected()),
            }
        }
    }

    /// The connection, unless it has ended and the supervisor has yet to notice.
    fn live_connection(&self) -> Option<Arc<UpstreamConnection>> {
        self.inner.connection.load_full().filter(|connection| !connection.is_closed())
    }

    /// Waits until calls can be sent, within the time of a call: for a server that starts, or starts again after its
    /// connection was lost.
    ///
    /// # Errors
    ///
    /// When the server is not coming back soon, or not in that time.
    pub async fn connected(&self, options: &CallOptions) -> Result<(), CallError> {
        self.connection(&self.wait(options)).await.map(|_| ())
    }

    pub(crate) fn wait(&self, options: &CallOptions) -> Wait {
        let timeout =
            options.timeout.or(self.inner.config.call_timeout).unwrap_or(ServerConfig::CALL_TIMEOUT);
        let now = Instant::now();
        let by_timeout = now + timeout;
        let deadline = options.deadline.map_or(by_timeout, |deadline| deadline.min(by_timeout));
        let timeout = deadline.saturating_duration_since(now);
        Wait { deadline, timeout, cancel: options.cancel.clone() }
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.inner.state.borrow();
        formatter
            .debug_struct("Upstream")
            .field("name", self.name())
            .field("state", &*state)
            .finish_non_exhaustive()
    }
}
