//! A child process on the other end of a raw peer.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use crate::{PeerError, RawPeer};

/// Bytes of stderr that are kept; the rest is drained and dropped.
const STDERR: usize = 1024 * 1024;
/// How long a child may take to end.
const END: Duration = Duration::from_secs(20);

/// A running server and the peer that talks to it. Killed when dropped.
pub struct RawChild {
    /// The JSON-RPC side of the child's stdin and stdout.
    pub peer: RawPeer,
    child: Child,
    stderr: JoinHandle<Vec<u8>>,
}

impl RawChild {
    /// Starts `command` with piped stdin, stdout and stderr.
    pub fn spawn(mut command: Command) -> Result<Self, PeerError> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(std::io::Error::other("the child has no pipes").into());
        };
        Ok(Self { peer: RawPeer::new(stdout, stdin), child, stderr: tokio::spawn(drain(stderr)) })
    }

    /// The process id, until the child was waited for.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits for the child to end without a signal.
    pub async fn ended(&mut self) -> Result<ExitStatus, PeerError> {
        match tokio::time::timeout(END, self.child.wait()).await {
            Ok(status) => Ok(status?),
            Err(_) => Err(PeerError::TimedOut {
                waiting_for: "the end of the child".to_owned(),
                limit: END,
                received: "nothing".to_owned(),
            }),
        }
    }

    /// Closes stdin, waits for the end and returns the status and what stderr held.
    pub async fn finish(mut self) -> Result<(ExitStatus, String), PeerError> {
        self.peer.close().await?;
        let status = self.ended().await?;
        let stderr = match tokio::time::timeout(END, self.stderr).await {
            Ok(Ok(bytes)) => bytes,
            // A grandchild may hold the pipe for ever; what it says does not matter here.
            Ok(Err(_)) | Err(_) => Vec::new(),
        };
        Ok((status, String::from_utf8_lossy(&stderr).into_owned()))
    }
}

async fn drain(mut stderr: impl AsyncRead + Unpin) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut chunk = [0_u8; 8192];
    while let Ok(read @ 1..) = stderr.read(&mut chunk).await {
        let room = STDERR.saturating_sub(kept.len()).min(read);
        kept.extend_from_slice(&chunk[..room]);
    }
    kept
}
