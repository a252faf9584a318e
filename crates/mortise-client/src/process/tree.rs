//! A server and all that it started, as we see and end it: through its warden, or else by its process group.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::UnixStream;
use tokio::process::{Child, ChildStdin, Command};

use super::report::Report;
use super::{group, warden};
use crate::error::CloseReason;
use crate::limits::UPSTREAM_GRACE;

/// How often a dying group is counted.
const POLL: Duration = Duration::from_millis(20);

/// The processes of one server. Dropping it kills them.
#[derive(Debug)]
pub(super) enum ProcessTree {
    Warded(Warded),
    /// Without a warden: the process that was started, and its group.
    Group(Child, GroupLeader),
}

/// A server behind its warden. The warden kills everything when the socket closes.
#[derive(Debug)]
pub(super) struct Warded {
    socket: BufReader<UnixStream>,
    /// What has come of the next line.
    line: Vec<u8>,
    warden: Child,
    /// The server, until it has ended.
    leader: Option<Pid>,
    end: Option<CloseReason>,
}

/// Kills the group when it is dropped, unless it is known to be gone.
#[derive(Debug)]
pub(super) struct GroupLeader(Option<Pid>);

impl Drop for GroupLeader {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

impl GroupLeader {
    fn signal(&self, signal: Signal) {
        self.0.into_iter().for_each(|leader| group::signal(leader, signal));
    }

    fn is_alive(&self) -> bool {
        self.0.is_some_and(group::is_alive)
    }

    /// Ends members that outlived the leader.
    async fn end_rest(mut self) {
        if self.is_alive() {
            self.signal(Signal::TERM);
            let deadline = tokio::time::Instant::now() + UPSTREAM_GRACE;
            while self.is_alive() && tokio::time::Instant::now() < deadline {
                tokio::time::sleep(POLL).await;
            }
            self.signal(Signal::KILL);
        }
        self.0 = None;
    }
}

/// A server that was just started.
pub(super) struct Started {
    pub(super) tree: ProcessTree,
    pub(super) stdin: ChildStdin,
}

/// Starts a command as the leader of a new process group. Its output streams are in the tree's child.
pub(super) fn start(mut command: Command) -> io::Result<Started> {
    let mut child = command.stdin(Stdio::piped()).kill_on_drop(true).spawn()?;
    let stdin = child.stdin.take().ok_or_else(missing)?;
    let leader = GroupLeader(child.id().and_then(group::pid));
    Ok(Started { tree: ProcessTree::Group(child, leader), stdin })
}

/// Starts a warden with the server's command, and waits until it has started that.
pub(super) async fn start_warded(mut command: Command) -> io::Result<Started> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    let (reader, writer) = io::pipe()?;
    warden::send(&ours, &OwnedFd::from(reader))?;
    ours.set_nonblocking(true)?;
    let stdin = ChildStdin::from_std(std::process::ChildStdin::from(OwnedFd::from(writer)))?;
    let warden = command.stdin(Stdio::from(OwnedFd::from(theirs))).spawn();
    let warden =
        warden.map_err(|error| io::Error::new(error.kind(), format!("cannot start its warden: {error}")))?;
    // It holds their end of the socket.
    drop(command);
    let socket = BufReader::new(UnixStream::from_std(ours)?);
    let mut warded = Warded { socket, line: Vec::new(), warden, leader: None, end: None };
    match warded.next().await {
        Some(Report::Started(pid)) => warded.leader = Pid::from_raw(pid),
        Some(Report::Failed(error)) => return Err(io::Error::from_raw_os_error(error)),
        _ => return Err(io::Error::other("its warden ended at once")),
    }
    Ok(Started { tree: ProcessTree::Warded(warded), stdin })
}

fn missing() -> io::Error {
    io::Error::other("a standard stream is missing")
}

impl ProcessTree {
    /// The child process whose output streams are the server's.
    pub(super) fn child(&mut self) -> &mut Child {
        match self {
            Self::Warded(warded) => &mut warded.warden,
            Self::Group(child, _) => child,
        }
    }

    /// Waits until the server itself has ended; it may be asked again.
    pub(super) async fn ended(&mut self) -> CloseReason {
        match self {
            Self::Warded(warded) => warded.ended().await,
            Self::Group(child, _) => child.wait().await.map_or(CloseReason::OutputClosed, exit_reason),
        }
    }

    /// Waits, asks, then insists. The server's input is closed already.
    pub(super) async fn end(mut self) {
        if tokio::time::timeout(UPSTREAM_GRACE, self.ended()).await.is_err() {
            self.terminate();
            if tokio::time::timeout(UPSTREAM_GRACE, self.ended()).await.is_err() {
                self.kill();
            }
        }
        match self {
            // The warden ends what is left by the same rule, and then itself.
            Self::Warded(mut warded) => {
                _ = tokio::time::timeout(2 * UPSTREAM_GRACE, warded.warden.wait()).await;
            }
            Self::Group(mut child, leader) => {
                _ = child.wait().await;
                leader.end_rest().await;
            }
        }
    }

    fn terminate(&mut self) {
        match self {
            Self::Warded(warded) => _ = warded.socket.get_ref().try_write(&[warden::TERMINATE]),
            Self::Group(_, leader) => leader.signal(Signal::TERM),
        }
    }

    fn kill(&mut self) {
        match self {
            Self::Warded(warded) => {
                _ = rustix::net::shutdown(warded.socket.get_ref(), rustix::net::Shutdown::Write);
            }
            Self::Group(_, leader) => leader.signal(Signal::KILL),
        }
    }
}

impl Warded {
    async fn ended(&mut self) -> CloseReason {
        if let Some(end) = &self.end {
            return end.clone();
        }
        let end = match self.next().await {
            Some(Report::Exited(code)) => CloseReason::Exited { code },
            Some(Report::Signalled(signal)) => CloseReason::Signalled { signal: group::signal_name(signal) },
            Some(Report::Started(_) | Report::Failed(_)) | None => {
                // Somebody has killed the warden. Nothing but the group is left to us.
                self.leader.into_iter().for_each(|leader| group::signal(leader, Signal::KILL));
                self.warden.wait().await.map_or(CloseReason::OutputClosed, exit_reason)
            }
        };
        self.leader = None;
        self.end.insert(end).clone()
    }

    /// The next line. Dropping the future loses nothing.
    async fn next(&mut self) -> Option<Report> {
        self.socket.read_until(b'\n', &mut self.line).await.ok()?;
        let line = std::mem::take(&mut self.line);
        Report::parse(std::str::from_utf8(&line).ok()?)
    }
}

fn exit_reason(status: std::process::ExitStatus) -> CloseReason {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => CloseReason::Exited { code },
        (None, Some(signal)) => CloseReason::Signalled { signal: group::signal_name(signal) },
        (None, None) => CloseReason::OutputClosed,
    }
}
