//! The connections of one caller, by name, and which of them is the current one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mortise_client::secret::Secrets;
use mortise_client::server_config::ServerConfig;
use mortise_client::{ConnectError, Pool, PoolOptions, Reach, Restart};
use mortise_contract::text::hex;
use mortise_contract::{Mode, ServerName};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::answers::Answers;
use crate::connection::{ClosedConnection, Statistics, TestConnection};
use crate::exchanges::Exchanges;
use crate::failure::{ErrorType, FailureDetails, TestFailure, failed_connect};
use crate::limits::{TESTER_CONNECTIONS, TESTER_CONNECTIONS_TOTAL};
use crate::moment::Moment;
use crate::notifications::Notifications;
use crate::options::TesterOptions;
use crate::target::{TargetTransport, TestTarget};

/// The name of a connection that was given none.
pub(crate) const DEFAULT: &str = "default";
/// What a supervisor is given beyond its own time limit, so that its own error is the one shown.
const GRACE: Duration = Duration::from_secs(2);

/// What a caller can do about an address that is not public.
const PUBLIC_ONLY: &str =
    " This tester reaches public addresses only; its operator can change that with --allow-private.";

#[derive(Debug)]
pub(crate) struct CallerConnections {
    pub(crate) options: Arc<TesterOptions>,
    pub(crate) naming: Naming,
    /// Room for the connections of all callers together.
    room: Arc<Semaphore>,
    open: Mutex<OpenConnections>,
    /// Held while a connection is made or ended: one at a time.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    by_name: BTreeMap<String, Arc<TestConnection>>,
    current: Option<String>,
}

/// Who makes the names of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    /// The caller: its session keeps other callers away.
    ByCaller,
    /// The tester, with 128 random bits in them: a caller without a session shows by such a name that the
    /// connection is its own.
    ByHandle,
}

/// What is asked of [`CallerConnections::connect`].
pub(crate) struct ConnectionRequest {
    pub(crate) name: String,
    pub(crate) target: TestTarget,
    pub(crate) timeout: Duration,
    pub(crate) answers: Answers,
    pub(crate) cancel: CancellationToken,
}

impl CallerConnections {
    pub(crate) fn new(options: Arc<TesterOptions>, room: Arc<Semaphore>, naming: Naming) -> Self {
        Self { options, naming, room, open: Mutex::default(), turn: tokio::sync::Mutex::default() }
    }

    /// Connects, makes the connection the current one, and closes the one that had its name; gives
    /// back both.
    ///
    /// If the new connection fails, the old one stays open and the failure says so.
    pub(crate) async fn connect(
        &self,
        wanted: ConnectionRequest,
    ) -> Result<(Arc<TestConnection>, Option<ClosedConnection>), TestFailure> {
        let server_url = wanted.target.server_url.clone();
        let advice = wanted.target.advice;
        let echo = |mut failure: TestFailure| {
            if let Some(advice) = advice {
                failure.suggestion = format!("{} {advice}", failure.suggestion);
            }
            failure.details.server_url = Some(server_url.clone());
            failure
        };
        self.permit(&wanted.target).map_err(echo)?;
        let (name, plain) = self.names(&wanted.name).map_err(echo)?;
        let server = ServerName::parse(&plain)
            .map_err(|error| TestFailure::invalid(format!("`connection`: {error}"), "Give another name."))?;
        let _turn = self.turn.lock().await;
        let replaced = self.open.lock().by_name.get(&name).cloned();
        // A connection gives its room to the one that replaces it.
        let room = match &replaced {
            Some(replaced) => replaced.room.clone(),
            None => Arc::new(self.room().map_err(echo)?),
        };
        let connection = self
            .dial(name, server, wanted, room)
            .await
            .map_err(|failure| echo(still_open(failure, replaced.as_deref())))?;
        let previous = match self.take(&connection.name) {
            Some(previous) => Some(previous.close().await),
            None => None,
        };
        let connection = Arc::new(connection);
        let mut open = self.open.lock();
        open.current = Some(connection.name.clone());
        open.by_name.insert(connection.name.clone(), connection.clone());
        Ok((connection, previous))
    }

    fn room(&self) -> Result<OwnedSemaphorePermit, TestFailure> {
        let full = |message: String, suggestion: &str| {
            TestFailure::new(ErrorType::ConnectionFailed, message, suggestion)
        };
        if self.all().len() >= TESTER_CONNECTIONS {
            let message = format!("there are {TESTER_CONNECTIONS} connections already, the limit");
            return Err(full(message, "Call disconnect or disconnect_all first."));
        }
        self.room.clone().try_acquire_owned().map_err(|_| {
            let message = format!(
                "the callers of this tester have {TESTER_CONNECTIONS_TOTAL} connections, the limit for all"
            );
            full(message, "Disconnect what you don't need, or try again later.")
        })
    }

    /// The name of a new connection, and that name without the part that only the caller may know.
    fn names(&self, given: &str) -> Result<(String, String), TestFailure> {
        let plain = || given.to_owned();
        match self.naming {
            Naming::ByCaller => Ok((plain(), plain())),
            // The caller has shown a handle, which goes on with the new connection.
            Naming::ByHandle if self.open.lock().by_name.contains_key(given) => {
                Ok((plain(), given.rsplit_once('-').map_or(DEFAULT, |(plain, _)| plain).to_owned()))
            }
            Naming::ByHandle => Ok((format!("{given}-{}", random_bits()?), plain())),
        }
    }

    async fn dial(
        &self,
        name: String,
        server: ServerName,
        wanted: ConnectionRequest,
        room: Arc<OwnedSemaphorePermit>,
    ) -> Result<TestConnection, TestFailure> {
        let ConnectionRequest { target, timeout, answers, cancel, .. } = wanted;
        let notifications = Arc::new(Notifications::default());
        let mut options = PoolOptions::new(self.options.environment.clone());
        options.mode = Mode::Warn;
        options.restart = Restart::Never;
        options.handlers = answers.handlers(&notifications);
        options.tokens = self.options.tokens.clone().filter(|_| target.wants_login);
        options.reach = match self.options.permissions.private_addresses {
            true => Reach::Any,
            false => Reach::Public,
        };
        let mut config = ServerConfig::new(server, target.transport);
        config.start_timeout = timeout;
        config.call_timeout = Some(self.options.call_timeout);
        let mut pool = Pool::new(options);
        let upstream = pool.add(config).map_err(|error| {
            TestFailure::new(ErrorType::ConnectionFailed, error.to_string(), "Connect under another name.")
        })?;
        let exchanges = Exchanges::new(upstream.secrets().clone());
        let listener = tokio::spawn(notifications.clone().listen(upstream.events()));
        let listener = AbortOnDropHandle::new(listener);
        let ready = tokio::select! {
            ready = upstream.ready(timeout + GRACE) => ready,
            () = cancel.cancelled() => Err(ConnectError::ShutDown),
        };
        if let Err(error) = ready {
            pool.shutdown().await;
            let mut failure = failed_connect(&error);
            let by_address = matches!(error, ConnectError::Address { .. } | ConnectError::Unreachable { .. });
            if by_address && !self.options.permissions.private_addresses {
                failure.suggestion.push_str(PUBLIC_ONLY);
            }
            return Err(failure);
        }
        Ok(TestConnection {
            name,
            server_url: target.server_url,
            kind: target.kind,
            shown: target.shown,
            connected_at: Moment::now(),
            upstream,
            statistics: Statistics::default(),
            notifications,
            exchanges,
            pool,
            listener,
            room,
        })
    }

    /// Refuses what the operator did not allow.
    fn permit(&self, target: &TestTarget) -> Result<(), TestFailure> {
        let permissions = self.options.permissions;
        let refuse = |reason: &'static str, message: &str, suggestion: &str| {
            let failure = TestFailure::new(ErrorType::ConnectionFailed, message, suggestion);
            Err(failure.details(FailureDetails::reason(reason)))
        };
        if target.kind == TargetTransport::Stdio && !permissions.commands {
            return refuse(
                "commands_not_allowed",
                "this tester does not start local commands",
                "Give the URL of a deployed server. The operator can allow commands with --allow-commands.",
            );
        }
        if target.wants_login && !permissions.logins {
            return refuse(
                "logins_not_allowed",
                "this tester does not use the logins of its operator",
                "Give a bearer token of your own with `auth`.",
            );
        }
        Ok(())
    }

    /// The connection of that name, or the current one.
    pub(crate) fn get(&self, name: Option<&str>) -> Result<Arc<TestConnection>, TestFailure> {
        let open = self.open.lock();
        let wanted = name.or(open.current.as_deref());
        match wanted.and_then(|wanted| open.by_name.get(wanted)) {
            Some(connection) => Ok(connection.clone()),
            None => Err(not_connected(name, open.by_name.keys(), self.naming)),
        }
    }

    /// The connection of that name, or the current one, if requests can be sent over it.
    pub(crate) fn usable(&self, name: Option<&str>) -> Result<Arc<TestConnection>, TestFailure> {
        let connection = self.get(name)?;
        if connection.is_usable() {
            return Ok(connection);
        }
        let why = connection.why_lost().unwrap_or_else(|| connection.upstream.state().label().to_owned());
        let server_url = Some(connection.server_url.clone());
        let details = FailureDetails { server_url, ..FailureDetails::reason("connection_lost") };
        let message = format!("the connection to `{}` is lost: {why}", connection.server_url);
        let suggestion = "Call connect_to_server to connect again.";
        Err(TestFailure::new(ErrorType::NotConnected, message, suggestion).details(details))
    }

    pub(crate) fn switch(&self, name: &str) -> Result<Arc<TestConnection>, TestFailure> {
        let connection = self.get(Some(name))?;
        self.open.lock().current = Some(name.to_owned());
        Ok(connection)
    }

    /// Closes one connection, the current one without a name; says what it was.
    pub(crate) async fn disconnect(&self, name: Option<&str>) -> Option<ClosedConnection> {
        let _turn = self.turn.lock().await;
        let name = name.map(str::to_owned).or_else(|| self.current())?;
        let closed = self.take(&name)?.close().await;
        Some(closed)
    }

    pub(crate) async fn disconnect_all(&self) -> Vec<ClosedConnection> {
        let _turn = self.turn.lock().await;
        let closing = std::mem::take(&mut *self.open.lock()).by_name.into_values();
        futures::future::join_all(closing.map(|connection| async move { connection.close().await })).await
    }

    /// Every connection, by name.
    pub(crate) fn all(&self) -> Vec<Arc<TestConnection>> {
        self.open.lock().by_name.values().cloned().collect()
    }

    pub(crate) fn secrets(&self) -> Vec<Secrets> {
        self.open.lock().by_name.values().map(|connection| connection.upstream.secrets().clone()).collect()
    }

    pub(crate) fn current(&self) -> Option<String> {
        self.open.lock().current.clone()
    }

    fn take(&self, name: &str) -> Option<Arc<TestConnection>> {
        let mut open = self.open.lock();
        let taken = open.by_name.remove(name)?;
        if open.current.as_deref() == Some(name) {
            // With exactly one left there is no doubt which is meant.
            open.current = match open.by_name.len() {
                1 => open.by_name.keys().next().cloned(),
                _ => None,
            };
        }
        Some(taken)
    }
}

/// The failure to replace a connection, which is still there.
fn still_open(mut failure: TestFailure, replaced: Option<&TestConnection>) -> TestFailure {
    if let Some(replaced) = replaced.filter(|replaced| replaced.is_usable()) {
        failure.suggestion.push_str(&format!(
            " The connection to `{}` is still open; call disconnect first if the two can't run side by side.",
            replaced.server_url
        ));
    }
    failure
}

/// 128 random bits in hex.
fn random_bits() -> Result<String, TestFailure> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        let message = format!("the operating system gives no random bytes: {error}");
        TestFailure::new(ErrorType::ConnectionFailed, message, "Try again.")
    })?;
    Ok(hex(&bytes))
}

fn not_connected<'a>(
    name: Option<&str>,
    open: impl Iterator<Item = &'a String>,
    naming: Naming,
) -> TestFailure {
    let open: Vec<&String> = open.collect();
    let (message, suggestion) = match (name, open.is_empty()) {
        (_, true) if naming == Naming::ByHandle => (
            match name {
                Some(name) => format!("there is no connection `{name}`"),
                None => "this request names no connection".to_owned(),
            },
            "Call connect_to_server, then pass the `name` of its connection as `connection` in every call.",
        ),
        (Some(name), _) => (
            format!("there is no connection `{name}`"),
            "Call list_connections, or connect_to_server with this name.",
        ),
        (None, true) => ("Not connected to any MCP server".to_owned(), "Call connect_to_server first."),
        (None, false) => (
            "no connection is the current one".to_owned(),
            "Call switch_connection with one of the connections in `details`, or connect_to_server.",
        ),
    };
    let failure = TestFailure::new(ErrorType::NotConnected, message, suggestion);
    let connections = Some(open.into_iter().cloned().collect());
    failure.details(FailureDetails { connections, ..FailureDetails::default() })
}

#[cfg(test)]
mod tests;
