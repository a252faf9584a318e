//! When a process that was just started begins to read what we send.
//!
//! A server that is still loading reads nothing, so the time that it has for its first answer counts from its first
//! read. What it writes says less: `npx` writes warnings long before the server is there.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use tokio::process::ChildStdin;

use super::stderr::StderrRing;

/// How often we ask whether it has read.
const POLL: Duration = Duration::from_millis(20);

/// What a process shows of itself beside its answers.
#[derive(Debug)]
pub(crate) struct ProcessSigns {
    /// A second descriptor of its input: while it is kept, the process does not see its input end.
    input: Option<OwnedFd>,
    pub(crate) stderr: Arc<StderrRing>,
}

impl ProcessSigns {
    pub(crate) fn of(stdin: &ChildStdin, stderr: Arc<StderrRing>) -> Self {
        Self { input: stdin.as_fd().try_clone_to_owned().ok(), stderr }
    }

    /// Waits until something was written to the process and it has read all of it.
    #[cfg(target_os = "linux")]
    pub(crate) async fn first_read(&self, is_written: impl Fn() -> bool) {
        let Some(input) = &self.input else { return };
        // A pipe that can't be asked counts as read.
        let is_empty = || rustix::io::ioctl_fionread(input).unwrap_or_default() == 0;
        while !(is_written() && is_empty()) {
            tokio::time::sleep(POLL).await;
        }
    }

    /// Waits until the process writes to standard error, but no longer than a slow start takes: other systems do not
    /// say at the writing end of a pipe how much of it was read.
    #[cfg(not(target_os = "linux"))]
    pub(crate) async fn first_read(&self, is_written: impl Fn() -> bool) {
        const LONGEST: Duration = Duration::from_secs(10);
        let heard = async {
            while !(is_written() && self.input.is_some() && !self.stderr.text().is_empty()) {
                tokio::time::sleep(POLL).await;
            }
        };
        let _ = tokio::time::timeout(LONGEST, heard).await;
    }
}

#[cfg(test)]
mod tests;
