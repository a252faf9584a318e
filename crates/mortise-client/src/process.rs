//! A server that runs as a child process: started, watched, and ended with everything it started.

pub(crate) mod child_env;
mod first_read;
mod group;
mod report;
mod stderr;
mod tree;
pub mod warden;

use std::ffi::OsString;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

pub(crate) use first_read::ProcessSigns;
pub(crate) use stderr::StderrRing;

use crate::environment::Environment;
use crate::error::{CloseReason, ConnectError};
use crate::secret::Secrets;
use crate::server_config::StdioConfig;
use tree::{ProcessTree, Started};

/// How long a process that ended may keep us waiting for its last output, or the other way round.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A process that was just started.
pub(crate) struct Spawned {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: Arc<StderrRing>,
    tree: ProcessTree,
}

/// Starts a server whose standard error is read and kept.
pub(crate) async fn spawn(
    config: &StdioConfig,
    environment: &Environment,
    secrets: Secrets,
) -> Result<Spawned, ConnectError> {
    let Started { mut tree, stdin } = start(config, environment, Stdio::piped()).await?;
    let child = tree.child();
    let stdout = child.stdout.take().ok_or_else(|| lost_stream(config))?;
    let stderr = StderrRing::drain(child.stderr.take().ok_or_else(|| lost_stream(config))?, secrets);
    Ok(Spawned { stdin, stdout, stderr, tree })
}

/// Starts a server whose standard error is ours.
pub(crate) async fn spawn_relayed(
    config: &StdioConfig,
    environment: &Environment,
) -> Result<RelayedProcess, ConnectError> {
    let Started { mut tree, stdin } = start(config, environment, Stdio::inherit()).await?;
    let stdout = tree.child().stdout.take().ok_or_else(|| lost_stream(config))?;
    Ok(RelayedProcess { stdin, stdout, running: RunningServer(tree) })
}

/// A process whose messages are passed on.
pub(crate) struct RelayedProcess {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) running: RunningServer,
}

/// A process without its streams. Dropping it kills everything that the server started.
pub(crate) struct RunningServer(ProcessTree);

impl RunningServer {
    /// Waits a moment for the process to end; the reason.
    pub(crate) async fn last_words(&mut self) -> CloseReason {
        tokio::time::timeout(LAST_WORDS, self.0.ended()).await.unwrap_or(CloseReason::OutputClosed)
    }

    /// Waits, asks, then insists. The server's input is closed already.
    pub(crate) async fn end(self) {
        self.0.end().await;
    }
}

fn lost_stream(config: &StdioConfig) -> ConnectError {
    let source = std::io::Error::other("a standard stream is missing");
    ConnectError::Spawn { command: config.command.clone(), source: Arc::new(source) }
}

/// Starts a server from an argument vector, without a shell, in a new process group, behind a warden if there is one.
async fn start(
    config: &StdioConfig,
    environment: &Environment,
    stderr: Stdio,
) -> Result<Started, ConnectError> {
    let variables = child_env::variables(config, environment)?;
    let own_command = OsString::from(&config.command);
    let mut words = environment.warden.iter().chain([&own_command]);
    let mut command = Command::new(words.next().unwrap_or(&own_command));
    command
        .args(words)
        .args(&config.args)
        .env_clear()
        .envs(variables)
        .stdout(Stdio::piped())
        .stderr(stderr)
        .process_group(0);
    let directory = config.cwd.as_ref().unwrap_or(&environment.working_directory);
    if !directory.as_os_str().is_empty() {
        command.current_dir(directory);
    }
    let failed = |source: std::io::Error| ConnectError::Spawn {
        command: config.command.clone(),
        source: Arc::new(source),
    };
    let started = match environment.warden.is_empty() {
        true => tree::start(command),
        false => tree::start_warded(command).await,
    };
    started.map_err(|source| match directory.as_os_str().is_empty() || directory.is_dir() {
        true => failed(source),
        // The system does not tell a missing directory from a missing program.
        false => ConnectError::Directory { command: config.command.clone(), directory: directory.clone() },
    })
}

impl Spawned {
    /// Its streams, and the process itself.
    pub(crate) fn into_parts(self) -> (ChildStdin, ChildStdout, Watched) {
        (self.stdin, self.stdout, Watched { tree: self.tree, _stderr: self.stderr })
    }
}

/// The process itself, without its streams.
pub(crate) struct Watched {
    tree: ProcessTree,
    /// Read until the process is gone, since a process that can't write may not end properly.
    _stderr: Arc<StderrRing>,
}

impl Watched {
    /// Watches the process until it ends or `stop` is given, then ends what is left of it.
    ///
    /// `closing` says what the streams saw. `closed` is set as soon as the reason is known;
    /// the function returns when everything that the server started is gone.
    pub(crate) async fn watch(
        mut self,
        mut closing: mpsc::Receiver<CloseReason>,
        stop: CancellationToken,
        closed: watch::Sender<Option<CloseReason>>,
    ) {
        let tree = &mut self.tree;
        let reason = tokio::select! {
            reason = tree.ended() => {
                // Its last answers may still be in the pipe.
                let _ = tokio::time::timeout(LAST_WORDS, closing.recv()).await;
                reason
            }
            Some(reason) = closing.recv() => match reason {
                CloseReason::OutputClosed => {
                    tokio::time::timeout(LAST_WORDS, tree.ended()).await.unwrap_or(CloseReason::OutputClosed)
                }
                other => other,
            },
            () = stop.cancelled() => CloseReason::Closed,
        };
        closed.send_replace(Some(reason));
        stop.cancel();
        self.tree.end().await;
    }
}
