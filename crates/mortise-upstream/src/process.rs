//! A server that runs as a child process: started, watched, and ended with everything it started.

mod child_env;
mod group;
mod stderr;
mod watchdog;

use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::limits::UPSTREAM_GRACE;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

pub(crate) use stderr::StderrRing;
pub(crate) use watchdog::Watchdog;

use crate::environment::Environment;
use crate::error::{CloseReason, ConnectError};
use crate::secret::Secrets;
use crate::server_config::{EnvPolicy, StdioConfig};
use group::Group;

/// How long a process that ended may keep us waiting for its last output, or the other way round.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A process that was just started.
pub(crate) struct Spawned {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: Arc<StderrRing>,
    child: Child,
    group: Group,
}

/// Starts a server: an argument vector, no shell, in a process group of its own.
pub(crate) fn spawn(
    config: &StdioConfig,
    environment: &Environment,
    default_policy: EnvPolicy,
    watchdog: &Arc<Watchdog>,
    secrets: Secrets,
) -> Result<Spawned, ConnectError> {
    let variables = child_env::variables(config, environment, default_policy)?;
    let mut command = Command::new(&config.command);
    command
        .args(&config.args)
        .env_clear()
        .envs(variables)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    let directory = config.cwd.as_ref().unwrap_or(&environment.working_directory);
    if !directory.as_os_str().is_empty() {
        command.current_dir(directory);
    }
    let failed = |source: std::io::Error| ConnectError::Spawn {
        command: config.command.clone(),
        source: Arc::new(source),
    };
    let mut child =
        command.spawn().map_err(|source| match directory.as_os_str().is_empty() || directory.is_dir() {
            true => failed(source),
            // The system does not tell a missing directory from a missing program.
            false => {
                ConnectError::Directory { command: config.command.clone(), directory: directory.clone() }
            }
        })?;
    let group = Group::of(child.id(), watchdog.clone());
    let lost = || failed(std::io::Error::other("a standard stream is missing"));
    let stdin = child.stdin.take().ok_or_else(lost)?;
    let stdout = child.stdout.take().ok_or_else(lost)?;
    let stderr = StderrRing::drain(child.stderr.take().ok_or_else(lost)?, secrets);
    Ok(Spawned { stdin, stdout, stderr, child, group })
}

impl Spawned {
    /// Its streams, and the process itself.
    pub(crate) fn into_parts(self) -> (ChildStdin, ChildStdout, Watched) {
        (self.stdin, self.stdout, Watched { child: self.child, group: self.group })
    }
}

/// The process itself, without its streams.
pub(crate) struct Watched {
    child: Child,
    group: Group,
}

impl Watched {
    /// Watches the process until it ends or `stop` is given, then ends what is left of it.
    ///
    /// `closing` says what the streams saw. `closed` is set as soon as the reason is known;
    /// the function returns when the whole group is gone.
    pub(crate) async fn watch(
        mut self,
        mut closing: mpsc::Receiver<CloseReason>,
        stop: CancellationToken,
        closed: watch::Sender<Option<CloseReason>>,
    ) {
        let child = &mut self.child;
        let reason = tokio::select! {
            status = child.wait() => {
                // Its last answers may still be in the pipe.
                let _ = tokio::time::timeout(LAST_WORDS, closing.recv()).await;
                exit_reason(status.ok())
            }
            Some(reason) = closing.recv() => match reason {
                CloseReason::OutputClosed => match tokio::time::timeout(LAST_WORDS, child.wait()).await {
                    Ok(status) => exit_reason(status.ok()),
                    Err(_) => CloseReason::OutputClosed,
                },
                other => other,
            },
            () = stop.cancelled() => CloseReason::Closed,
        };
        closed.send_replace(Some(reason));
        stop.cancel();
        self.end().await;
    }

    /// Waits, asks, then insists. The input is closed already.
    async fn end(mut self) {
        if tokio::time::timeout(UPSTREAM_GRACE, self.child.wait()).await.is_err() {
            self.group.terminate();
            if tokio::time::timeout(UPSTREAM_GRACE, self.child.wait()).await.is_err() {
                self.group.kill();
                let _ = self.child.wait().await;
            }
        }
        self.group.end_rest(UPSTREAM_GRACE).await;
    }
}

fn exit_reason(status: Option<ExitStatus>) -> CloseReason {
    use std::os::unix::process::ExitStatusExt;
    let Some(status) = status else { return CloseReason::OutputClosed };
    match (status.code(), status.signal()) {
        (Some(code), _) => CloseReason::Exited { code },
        (None, Some(signal)) => CloseReason::Signalled { signal: group::signal_name(signal) },
        (None, None) => CloseReason::OutputClosed,
    }
}
