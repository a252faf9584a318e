//! The mock as a program of its own.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use mortise_contract::recording::Recording;
use mortise_server::Token;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use super::action::MockEnd;
use super::lines;
use super::plan::{Grandchild, ProcessPlan};
use super::recorded::RecordedAnswers;
use super::scenario::{self, ScenarioError};
use super::script::{Script, ScriptError};
use super::server::Mock;

/// What a mock is started with.
#[derive(Clone, Debug, Default)]
pub struct MockOptions {
    /// Scenarios such as `slow=20`, added to those of the script.
    pub scenarios: Vec<String>,
    /// The text of a script file, YAML or JSON.
    pub script: Option<String>,
    /// A recording whose answers stand in for those of a healthy server.
    pub recording: Option<Recording>,
    /// What decides everything left to chance; wins over the script's seed.
    pub seed: Option<u64>,
    /// A loopback address to listen on; stdio if absent.
    pub http: Option<SocketAddr>,
    /// What clients must send over HTTP before any scenario sees them.
    pub token: Option<Token>,
}

/// Why a mock can't be run.
#[derive(Debug, thiserror::Error)]
pub enum MockError {
    /// A scenario is wrong.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The script is wrong.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The address can't be listened on.
    #[error("cannot listen on `{address}`")]
    Listen {
        address: SocketAddr,
        #[source]
        source: io::Error,
    },
    /// The streams failed.
    #[error("the mock's streams failed")]
    Streams(#[from] io::Error),
}

impl MockOptions {
    /// The mock that these options describe, and its seed.
    pub fn mock(&self) -> Result<(Mock, u64), MockError> {
        let mut script = match &self.script {
            Some(text) => Script::parse(text)?,
            None => Script::default(),
        };
        for wanted in &self.scenarios {
            scenario::add(&mut script.plan, wanted)?;
        }
        script.plan.http.token = self.token.clone();
        script.plan.recorded =
            self.recording.as_ref().map(|recording| Arc::new(RecordedAnswers::new(recording)));
        let seed = self.seed.or(script.seed).unwrap_or(0);
        Ok((Mock::new(script.plan, seed), seed))
    }
}

/// Runs a mock as the whole purpose of this process.
///
/// Over stdio it serves `stdin` and `stdout`; over HTTP it says on `stderr` where
/// it listens. It also says the seed there, from which any run can be repeated.
/// Scenarios about the process take effect: SIGTERM is ignored and children are
/// started. What is left to do is [`MockEnd::carry_out`]. A runtime that reads the
/// real stdin must be shut down in the background, or it waits for a last line.
pub async fn run_mock(
    options: &MockOptions,
    stdin: impl AsyncRead + Send + Unpin,
    stdout: impl AsyncWrite + Send + Unpin + 'static,
    mut stderr: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<MockEnd, MockError> {
    let (mock, seed) = options.mock()?;
    let process = mock.shared.plan.process.clone();
    let _ignored = prepare(&process)?;
    let Some(address) = options.http else {
        say(&mut stderr, &format!("mock: seed {seed}")).await?;
        return Ok(lines::serve(&mock, stdin, stdout, Box::new(stderr)).await?);
    };
    let listening = mock.listen(address).await.map_err(|source| MockError::Listen { address, source })?;
    say(&mut stderr, &format!("mock: seed {seed}, listening on {}", listening.url())).await?;
    Ok(listening.ended().await?)
}

async fn say(stderr: &mut (impl AsyncWrite + Unpin), line: &str) -> io::Result<()> {
    stderr.write_all(format!("{line}\n").as_bytes()).await?;
    stderr.flush().await
}

/// Does to this process what the plan wants; the signal is ignored while the value lives.
#[cfg(unix)]
fn prepare(plan: &ProcessPlan) -> io::Result<Option<tokio::signal::unix::Signal>> {
    use tokio::signal::unix::{SignalKind, signal};

    if let Some(grandchild) = plan.grandchild {
        start(grandchild)?;
    }
    plan.ignores_end.then(|| signal(SignalKind::terminate())).transpose()
}

#[cfg(not(unix))]
fn prepare(plan: &ProcessPlan) -> io::Result<()> {
    plan.grandchild.map_or(Ok(()), start)
}

/// Starts a child that holds our pipes and outlives us.
fn start(grandchild: Grandchild) -> io::Result<()> {
    let mut command = tokio::process::Command::new("sleep");
    command.arg(grandchild.seconds.to_string());
    #[cfg(unix)]
    if grandchild.own_group {
        command.process_group(0);
    }
    command.spawn().map(drop)
}

impl MockEnd {
    /// Ends this process by a signal where the scenario says so; otherwise returns its exit code.
    pub fn carry_out(self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::Exit(code) => code,
            Self::Abort => std::process::abort(),
            Self::Kill => kill(),
        }
    }
}

#[cfg(unix)]
fn kill() -> u8 {
    // It fails only in a sandbox that forbids signals; the exit code then shows what was meant.
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    137
}

#[cfg(not(unix))]
fn kill() -> u8 {
    std::process::abort()
}
