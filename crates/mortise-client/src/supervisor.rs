//! The task that looks after one server: it connects, lists the tools, watches the connection and connects again.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption};
use futures::FutureExt;
use mortise_contract::limits::SCHEMAS_CACHED;
use mortise_contract::text::error_chain;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::backoff::{Backoff, ListBackoff, Next};
use crate::catalog::{Catalog, HeaderAnnotations, RejectedSchemas, log_changed};
use crate::catalog_cache::CachedCatalog;
use crate::era_memory::{EraEvidence, EraFile, RememberedEra};
use crate::error::{CallError, ConnectError};
use crate::event::ServerEvent;
use crate::facts::Era;
#[cfg(feature = "http")]
use crate::http_target::HttpTarget;
use crate::limits;
use crate::listening::listen;
use crate::paging::{self, ListReader};
use crate::places::CallPlaces;
use crate::pool::{PoolShared, Restart};
use crate::process;
use crate::secret::Secrets;
use crate::server_config::{EraChoice, ServerConfig, Transport, UnusableEntry};
use crate::state::ServerState;
use crate::upstream::{Command, Upstream, UpstreamInner};
use crate::wire::{Dial, Inbox, ListChanges, UpstreamConnection};

/// Events kept for a reader that is behind.
const EVENTS: usize = 256;
/// How much of standard error goes into an error.
const STDERR_SHOWN: usize = 2048;
/// How long an HTTP server may take to say which era it speaks.
#[cfg(feature = "http")]
const HTTP_PROBE: Duration = Duration::from_secs(10);
/// How long a server without the `tools` capability may take to list its tools all the same.
const UNADVERTISED: Duration = Duration::from_secs(5);

/// Starts a supervisor and gives back the handle on its server.
pub(crate) fn start_supervisor(
    config: ServerConfig,
    shared: Arc<PoolShared>,
    stop: CancellationToken,
    tasks: &TaskTracker,
) -> Upstream {
    let (commands, received) = mpsc::channel(16);
    let cache = shared.options.catalogs.as_ref().and_then(|cache| cache.entry(&config, &shared.options));
    let known = cache.as_ref().and_then(CachedCatalog::read).unwrap_or_else(Catalog::empty);
    let era_file = shared.options.eras.as_ref().and_then(|eras| eras.entry(&config, &shared.options));
    let inner = Arc::new(UpstreamInner {
        places: CallPlaces::new(config.in_flight.max(1)),
        rejected: RejectedSchemas::default(),
        secrets: Secrets::of(&config),
        config,
        shared,
        connection: ArcSwapOption::empty(),
        stderr: ArcSwapOption::empty(),
        catalog: ArcSwap::from_pointee(known),
        cache,
        state: watch::Sender::new(ServerState::Starting { attempt: 1 }),
        events: broadcast::Sender::new(EVENTS),
        commands,
        stop,
    });
    let supervisor = Supervisor {
        inner: inner.clone(),
        commands: received,
        era: None,
        remembered: era_file.as_ref().and_then(EraFile::read),
        era_file,
        tasks: tasks.clone(),
        revision: 0,
        inbox: ArcSwapOption::empty(),
    };
    tasks.spawn(supervisor.supervise());
    Upstream { inner }
}

struct Supervisor {
    inner: Arc<UpstreamInner>,
    commands: mpsc::Receiver<Command>,
    /// The era found the last time, so that it is not asked for again.
    era: Option<Era>,
    /// What was found by an earlier process.
    remembered: Option<RememberedEra>,
    era_file: Option<EraFile>,
    tasks: TaskTracker,
    revision: u64,
    /// What came in on the last connection, also while it was being made.
    inbox: ArcSwapOption<Inbox>,
}

/// The changes that a list has taken in.
type Seen = ListChanges;

type Listed = Result<(Catalog, Seen), CallError>;

/// Why a connection that was up is no longer used.
enum End {
    Closed(ConnectError),
    Reconnect,
    Stopped,
}

impl Supervisor {
    async fn supervise(mut self) {
        let mut backoff = Backoff::default();
        let mut attempt = 0;
        while !self.inner.stop.is_cancelled() {
            attempt += 1;
            self.set_state(ServerState::Starting { attempt });
            let started = Instant::now();
            let stop = self.inner.stop.clone();
            let connected = tokio::select! {
                connected = self.connect() => connected,
                () = stop.cancelled() => break,
            };
            let error = match connected {
                Ok((connection, seen)) => match self.use_connection(connection, seen).await {
                    End::Closed(error) => error,
                    End::Reconnect => continue,
                    End::Stopped => break,
                },
                Err(error) => error,
            };
            let error = error.redacted(&self.inner.secrets);
            tracing::debug!(server = %self.inner.config.name, %error, "not connected");
            if self.pause(&mut backoff, error, started.elapsed()).await.is_break() {
                break;
            }
        }
        self.inner.connection.store(None);
        self.inner.places.close();
        self.set_state(ServerState::Stopped);
    }

    fn set_state(&self, state: ServerState) {
        tracing::debug!(server = %self.inner.config.name, state = state.label(), "server state");
        self.inner.state.send_replace(state);
    }

    /// Connects and lists, and takes care of what is remembered of the server's era.
    async fn connect(&mut self) -> Result<(Arc<UpstreamConnection>, Seen), ConnectError> {
        let found = self.era.take();
        let known = found.or_else(|| Some(self.remembered.as_ref()?.era));
        let connected = self.connect_knowing(known).await;
        // An era that was found by this process is in the file already.
        if found.is_none() {
            let now = connected.as_ref().ok().and_then(|(connection, _)| self.to_remember(connection));
            self.remember(now);
        }
        connected
    }

    fn to_remember(&self, connection: &UpstreamConnection) -> Option<RememberedEra> {
        let (facts, has_refused_probe) = (connection.facts(), connection.has_refused_probe());
        let evidence = EraEvidence { era: era_of(connection), facts, has_refused_probe };
        RememberedEra::after(self.remembered.as_ref(), evidence)
    }

    fn remember(&mut self, now: Option<RememberedEra>) {
        if let Some(file) = self.era_file.clone().filter(|_| self.remembered != now) {
            self.remembered.clone_from(&now);
            self.tasks.spawn_blocking(move || file.write(now.as_ref()));
        }
    }

    /// Connects and lists, within the time that starting may take.
    async fn connect_knowing(
        &mut self,
        known: Option<Era>,
    ) -> Result<(Arc<UpstreamConnection>, Seen), ConnectError> {
        let (limit, began) = (self.inner.config.start_timeout, Instant::now());
        let stop = self.inner.stop.child_token();
        let guard = stop.clone().drop_guard();
        let is_listing = AtomicBool::new(false);
        let starting = async {
            let (connection, listed) = self.dial_and_list(&stop, known, &is_listing).await?;
            // It answered the probe after we had sent `initialize`. Another start takes as long as this one.
            if connection.is_modern_after_all() && began.elapsed() * 2 < limit {
                self.tasks.spawn(async move { connection.close().await });
                is_listing.store(false, Ordering::Relaxed);
                return self.dial_and_list(&stop, Some(Era::Modern), &is_listing).await;
            }
            Ok((connection, listed))
        };
        let started = tokio::time::timeout(limit, starting).await;
        let (connection, listed) = started.map_err(|_| ConnectError::Timeout {
            after: limit,
            stage: if is_listing.load(Ordering::Relaxed) { "listing its tools" } else { "connecting" },
            stderr: self.last_words(),
            skipped: self.inbox.load().as_ref().and_then(|inbox| inbox.skipped_since(0)),
        })??;
        self.era = Some(era_of(&connection));
        // A server that greets everybody and shows its tools to no one is of no use before a login.
        if let Err(CallError::AuthRequired { challenge, detail, .. }) = listed {
            let origin = connection.origin().unwrap_or_default().to_owned();
            return Err(ConnectError::AuthRequired { origin, challenge, detail });
        }
        guard.disarm();
        let seen = self.settle(&connection, listed);
        Ok((connection, seen))
    }

    async fn dial_and_list(
        &self,
        stop: &CancellationToken,
        known: Option<Era>,
        is_listing: &AtomicBool,
    ) -> Result<(Arc<UpstreamConnection>, Listed), ConnectError> {
        let connection = Arc::new(self.dial_either_way(stop, known).await?);
        is_listing.store(true, Ordering::Relaxed);
        // Before the first list, so that no change falls between the two.
        self.tasks.spawn(listen(connection.clone()));
        let listed = list_tools(&self.inner, &connection).await;
        Ok((connection, listed))
    }

    /// Dials; once more if the process did not survive being asked for its era.
    async fn dial_either_way(
        &self,
        stop: &CancellationToken,
        known: Option<Era>,
    ) -> Result<UpstreamConnection, ConnectError> {
        let dialled = self.dial(stop.child_token(), known).await;
        let is_probed = self.inner.config.era == EraChoice::Auto && known != Some(Era::Legacy);
        match (dialled, &self.inner.config.transport) {
            (Err(ConnectError::Closed { .. }), Transport::Stdio(_)) if is_probed => {
                self.dial(stop.child_token(), Some(Era::Legacy)).await
            }
            (dialled, _) => dialled,
        }
    }

    fn last_words(&self) -> String {
        self.inner.stderr.load().as_ref().map(|ring| ring.last_lines(STDERR_SHOWN)).unwrap_or_default()
    }

    /// Publishes a list or its failure. The connection and the state are set before the change is announced, so that
    /// calls can be sent by then.
    fn settle(&mut self, connection: &Arc<UpstreamConnection>, listed: Listed) -> Seen {
        let known = self.inner.catalog.load_full();
        let (state, seen) = self.take_list(connection, listed);
        self.inner.connection.store(Some(connection.clone()));
        self.set_state(state);
        if known.cached.is_some() || known.revision != self.revision {
            let _ = self.inner.events.send(ServerEvent::CatalogChanged { revision: self.revision });
        }
        seen
    }

    /// Publishes a list, or why there is none.
    fn take_list(&mut self, connection: &UpstreamConnection, listed: Listed) -> (ServerState, Seen) {
        match listed {
            Ok((catalog, seen)) => {
                self.publish(catalog);
                (ServerState::Ready, seen)
            }
            Err(error) => {
                let reason = error_chain(&error);
                self.publish_stale(connection, reason.clone());
                (ServerState::Degraded { reason }, *connection.changes().borrow())
            }
        }
    }

    async fn dial(
        &self,
        stop: CancellationToken,
        known: Option<Era>,
    ) -> Result<UpstreamConnection, ConnectError> {
        let shared = &self.inner.shared;
        let dial = Dial {
            server: self.inner.config.name.clone(),
            identity: shared.identity.clone(),
            inbox: self.new_inbox(),
            frame_limit: shared.options.frame_limit,
            choice: self.inner.config.era,
            known,
            probe: self.probe_time(known),
            stop,
        };
        match &self.inner.config.transport {
            Transport::Stdio(config) => {
                let secrets = self.inner.secrets.clone();
                let spawned = process::spawn(config, &shared.options.environment, secrets).await?;
                self.inner.stderr.store(Some(spawned.stderr.clone()));
                dial.process(spawned).boxed().await
            }
            Transport::InProcess(server) => dial.in_process(server.connect()).boxed().await,
            Transport::Unusable(UnusableEntry { reason, hints }) => {
                tracing::warn!(server = %self.inner.config.name, reason, "left out a server");
                Err(ConnectError::Configuration { reason: reason.clone(), hints: hints.clone() })
            }
            #[cfg(feature = "http")]
            Transport::Http(config) => {
                let options = &shared.options;
                let tokens = options.tokens.clone();
                let (environment, reach) = (&options.environment, options.reach);
                let secrets = self.inner.secrets.clone();
                let target =
                    HttpTarget::new(&self.inner.config, config, environment, tokens, reach, secrets)?;
                dial.http(target).boxed().await
            }
        }
    }

    fn new_inbox(&self) -> Arc<Inbox> {
        let inbox = Arc::new(Inbox::new(self.inner.events.clone(), self.inner.secrets.clone()));
        self.inbox.store(Some(inbox.clone()));
        inbox
    }

    /// How long an answer to the probe is waited for: never so long that too little is left of the
    /// start for the other era.
    fn probe_time(&self, known: Option<Era>) -> Duration {
        let (wanted, start) = (self.inner.shared.options.probe_timeout, self.inner.config.start_timeout);
        match (known, &self.inner.config.transport) {
            (Some(Era::Modern), _) => start * 3 / 4,
            // A web server that is asked something unknown says so; silence means that it is slow.
            #[cfg(feature = "http")]
            (_, Transport::Http(_)) => wanted.max(HTTP_PROBE).min(start / 2),
            _ => wanted.min(start / 3),
        }
    }

    /// Uses a connection until it ends. `seen` says which changes the list has taken in.
    async fn use_connection(&mut self, connection: Arc<UpstreamConnection>, seen: Seen) -> End {
        let mut changes = connection.changes();
        let mut listed = Instant::now();
        let mut waiting: Vec<oneshot::Sender<Result<(), CallError>>> = Vec::new();
        let mut backoff = ListBackoff::default();
        let is_behind = *changes.borrow_and_update() != seen;
        let mut due = match self.retry_list(&mut backoff) {
            None if is_behind => Some(listed + limits::RELIST_PAUSE),
            retry => retry,
        };
        let end = loop {
            tokio::select! {
                reason = connection.closed() => {
                    let stderr = self.last_words();
                    break End::Closed(ConnectError::Lost { reason, stderr });
                }
                () = self.inner.stop.cancelled() => break End::Stopped,
                Ok(()) = changes.changed() => {
                    // A list that changed may be readable again: it need not wait as long as one that failed.
                    let soon = Instant::now().max(listed + limits::RELIST_PAUSE);
                    due = Some(due.map_or(soon, |due| due.min(soon)));
                }
                command = self.commands.recv() => match command {
                    // The caller may have given up meanwhile.
                    Some(Command::Refresh(reply)) if reply.is_closed() => {}
                    Some(Command::Refresh(reply)) => {
                        waiting.push(reply);
                        due = Some(Instant::now());
                    }
                    Some(Command::Reconnect) | None => break End::Reconnect,
                },
                () = sleep_until(due), if due.is_some() => {
                    let result = self.relist(&connection).await;
                    listed = Instant::now();
                    due = self.retry_list(&mut backoff);
                    for reply in waiting.drain(..) {
                        let _ = reply.send(result.clone());
                    }
                }
            }
        };
        self.inner.connection.store(None);
        // Ending a stubborn process takes seconds; the next one need not wait for it.
        self.tasks.spawn(async move { connection.close().await });
        end
    }

    /// When to read the list again that could not be read just now; never if it was read.
    fn retry_list(&self, backoff: &mut ListBackoff) -> Option<Instant> {
        if self.inner.catalog.load().stale.is_none() {
            *backoff = ListBackoff::default();
            return None;
        }
        let is_retried = self.inner.shared.options.restart == Restart::Always;
        is_retried.then(|| Instant::now() + backoff.failed())
    }

    async fn relist(&mut self, connection: &Arc<UpstreamConnection>) -> Result<(), CallError> {
        let listed = list_tools(&self.inner, connection).await;
        let result = listed.as_ref().map(|_| ()).map_err(Clone::clone);
        self.settle(connection, listed);
        result
    }

    fn publish(&mut self, mut catalog: Catalog) {
        self.revision += 1;
        catalog.revision = self.revision;
        log_changed(&self.inner.config.name, &self.inner.catalog.load(), &catalog);
        let catalog = Arc::new(catalog);
        self.inner.catalog.store(catalog.clone());
        if !catalog.unstable && self.inner.cache.is_some() {
            let inner = self.inner.clone();
            self.tasks.spawn_blocking(move || {
                inner.cache.iter().for_each(|cache| cache.write(&catalog, &inner.secrets));
            });
        }
    }

    /// Keeps the old list, marked as what it is. A list from the cache goes: no result may be judged by what another
    /// process has read, once the server is there.
    fn publish_stale(&mut self, connection: &UpstreamConnection, reason: String) {
        let known = self.inner.catalog.load();
        let mut catalog = if known.cached.is_some() { Catalog::empty() } else { Catalog::clone(&known) };
        catalog.facts = Some(connection.facts().clone());
        catalog.stale = Some(reason);
        self.inner.catalog.store(Arc::new(catalog));
    }

    /// Waits before the next attempt. `Break` when there will be none.
    async fn pause(
        &mut self,
        backoff: &mut Backoff,
        error: ConnectError,
        lived: Duration,
    ) -> ControlFlow<()> {
        let retry = if self.inner.shared.options.restart == Restart::Never || needs_a_person(&error) {
            self.set_state(ServerState::Failed { error });
            None
        } else {
            match backoff.failed(lived) {
                Next::Retry(retry_in) => {
                    self.set_state(ServerState::BackingOff { error, retry_in });
                    Some(Instant::now() + retry_in)
                }
                Next::Pause(retry_in) => {
                    self.set_state(ServerState::CircuitOpen { error, retry_in });
                    Some(Instant::now() + retry_in)
                }
            }
        };
        loop {
            tokio::select! {
                () = self.inner.stop.cancelled() => return ControlFlow::Break(()),
                () = sleep_until(retry), if retry.is_some() => return ControlFlow::Continue(()),
                command = self.commands.recv() => match command {
                    Some(Command::Reconnect) => return ControlFlow::Continue(()),
                    // Dropping the reply says that the server is not connected.
                    Some(Command::Refresh(_)) => {}
                    None => return ControlFlow::Break(()),
                },
            }
        }
    }
}

/// The era to speak with the server the next time.
fn era_of(connection: &UpstreamConnection) -> Era {
    if connection.is_modern_after_all() { Era::Modern } else { connection.facts().era }
}

/// Reads the tools, once more if they changed meanwhile.
async fn list_tools(inner: &Arc<UpstreamInner>, connection: &UpstreamConnection) -> Listed {
    let server = &inner.config.name;
    let facts = connection.facts().clone();
    let advertised = facts.has("tools");
    let time = if advertised { inner.config.start_timeout } else { UNADVERTISED };
    let reader = ListReader { connection, server, record: None };
    let mut changes = connection.changes();
    let mut unstable = false;
    loop {
        let seen = *changes.borrow_and_update();
        let elements = match reader.read_all(paging::TOOLS, time, &inner.stop).await {
            Ok(elements) => elements,
            Err(CallError::Rpc { .. } | CallError::Timeout { .. }) if !advertised => Vec::new(),
            Err(error) => return Err(error.redacted(&inner.secrets)),
        };
        let changed = changes.has_changed().unwrap_or(false);
        if changed && !unstable {
            unstable = true;
            continue;
        }
        let annotations = match (connection.is_http(), facts.era) {
            (true, Era::Modern) => HeaderAnnotations::Used,
            _ => HeaderAnnotations::Ignored,
        };
        let mut catalog = Catalog::read(server, facts, elements, annotations);
        catalog.unstable = changed;
        catalog.seen = seen;
        log_unusable(inner, &catalog).await;
        return Ok((catalog, seen));
    }
}

/// Logs the output schemas that can't be used, before a call meets them. Compiling them holds up no other task.
async fn log_unusable(inner: &Arc<UpstreamInner>, catalog: &Catalog) {
    let (inner, contracts) = (inner.clone(), catalog.contracts.clone());
    let compiling = tokio::task::spawn_blocking(move || {
        let options = inner.schema_options();
        for contract in contracts.iter().take(SCHEMAS_CACHED) {
            if inner.stop.is_cancelled() {
                return;
            }
            if let Some(Err(error)) = contract.compiled_output(&options, &inner.shared.schemas) {
                inner.rejected.log(&inner.config.name, contract, &error);
            }
        }
    });
    if let Err(error) = compiling.await {
        tracing::error!(%error, "cannot check the output schemas of a list");
    }
}

async fn sleep_until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

/// Errors that another attempt would meet again.
fn needs_a_person(error: &ConnectError) -> bool {
    matches!(
        error,
        ConnectError::AuthRequired { .. }
            | ConnectError::TooDeep { .. }
            | ConnectError::Configuration { .. }
            | ConnectError::Address { .. }
            | ConnectError::Header { .. }
            | ConnectError::HttpSse { .. }
            | ConnectError::Version { .. }
    )
}
