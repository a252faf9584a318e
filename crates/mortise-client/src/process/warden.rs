//! The warden: a small process between us and one server that ends everything the server started.
//!
//! `WARDEN COMMAND ARGUMENT…` starts the server with the warden's own environment, directory and output streams. The
//! warden is the parent to which the system gives every orphan below it (Linux: a child subreaper). A process that
//! leaves the server's group, as daemons do, therefore stays a child of the warden.
//!
//! The warden's standard input is a socket to us. It carries the server's standard input, then one byte per
//! request to end, and in the other direction one line per `Report`. The system closes the socket however we end. The
//! warden then kills the server and all its descendants, and ends when none is left.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as Socket;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::Instant;

use super::group;
use super::report::Report;
use crate::limits::UPSTREAM_GRACE;

/// The one order that we give; the other is the end of the socket.
pub(super) const TERMINATE: u8 = b't';

/// How often processes that are asked to end are counted.
const POLL: Duration = Duration::from_millis(20);
/// How often processes that were killed are counted. Short, because they may start others meanwhile.
const KILL_POLL: Duration = Duration::from_millis(1);

/// Runs a warden until nothing of its server is left. `arguments` are the server's command and its arguments.
///
/// A program that sets [`Environment::warden`](crate::environment::Environment::warden) calls this first thing, when it
/// was started as its own warden.
///
/// # Errors
///
/// When standard input is not the socket to the process that wants a warden.
pub fn run(mut arguments: impl Iterator<Item = OsString>) -> io::Result<()> {
    let program = arguments.next().ok_or_else(|| io::Error::other("a warden needs a command to start"))?;
    let socket = Socket::from(io::stdin().as_fd().try_clone_to_owned()?);
    let input = receive(&socket)?;
    socket.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut ward = Ward::new(UnixStream::from_std(socket)?)?;
        let null = File::options().read(true).write(true).open("/dev/null")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::from(input)).process_group(0);
        let started = command.spawn();
        // The server's streams must close when the server closes them.
        drop(command);
        rustix::stdio::dup2_stdin(&null)?;
        rustix::stdio::dup2_stdout(&null)?;
        rustix::stdio::dup2_stderr(&null)?;
        match started.map(|child| group::pid(child.id())) {
            Ok(Some(leader)) => ward.watch(leader).await,
            Ok(None) => {}
            Err(error) => ward.report(Report::Failed(error.raw_os_error().unwrap_or(0))).await,
        }
        Ok(())
    })
}

/// Sends the server's standard input to a warden that was, or will be, started with the other end of the socket.
pub(super) fn send(socket: &Socket, input: &OwnedFd) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let descriptors = [input.as_fd()];
    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    sendmsg(socket, &[IoSlice::new(b"\0")], &mut ancillary, SendFlags::empty())?;
    Ok(())
}

fn receive(socket: &Socket) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    // Where the flag does not exist, it does not matter: the descriptor becomes the server's standard input.
    #[cfg(target_os = "linux")]
    let flags = RecvFlags::CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = RecvFlags::empty();
    recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, flags)?;
    let received = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    received.ok_or_else(|| io::Error::other("no standard input for the server was sent"))
}

/// What a warden watches with.
struct Ward {
    socket: UnixStream,
    child_ended: tokio::signal::unix::Signal,
    /// Signals that are meant for other processes of the same name or terminal. They are caught and not ignored: what
    /// is ignored stays so in the server.
    _unheard: [tokio::signal::unix::Signal; 4],
}

impl Ward {
    fn new(socket: UnixStream) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        let unheard = [
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
            signal(SignalKind::hangup())?,
            signal(SignalKind::quit())?,
        ];
        Ok(Self { socket, child_ended: signal(SignalKind::child())?, _unheard: unheard })
    }

    /// Watches until the server has ended or we have, then ends what is left.
    async fn watch(&mut self, leader: Pid) {
        self.report(Report::Started(leader.as_raw_nonzero().get())).await;
        match self.end_of(leader).await {
            Some(ended) => {
                self.report(ended).await;
                self.terminate_rest(leader).await;
            }
            None => _ = kill_process(leader, Signal::KILL),
        }
        kill_rest(leader).await;
    }

    /// How the server ended, once it has; `None` when we are gone or want an end at once.
    async fn end_of(&mut self, leader: Pid) -> Option<Report> {
        loop {
            let mut order = [0];
            tokio::select! {
                _ = self.child_ended.recv() => {
                    let ended = reap(leader);
                    if ended.is_some() {
                        return ended;
                    }
                }
                read = self.socket.read(&mut order) => match read {
                    Ok(1..) => group::signal(leader, Signal::TERM),
                    Ok(0) | Err(_) => return None,
                },
            }
        }
    }

    /// Asks each process that outlived the server to end, once, and gives it time, unless we are gone.
    async fn terminate_rest(&mut self, leader: Pid) {
        let deadline = Instant::now() + UPSTREAM_GRACE;
        let mut asked = BTreeSet::new();
        while !is_over(leader) && Instant::now() < deadline {
            for process in rest(leader) {
                if asked.insert(process.as_raw_nonzero()) {
                    _ = signal_rest(process, Signal::TERM);
                }
            }
            let mut order = [0];
            tokio::select! {
                () = tokio::time::sleep(POLL) => {}
                read = self.socket.read(&mut order) => if !matches!(read, Ok(1..)) { return },
            }
        }
    }

    /// Where the socket has closed, its end is read next.
    async fn report(&mut self, report: Report) {
        _ = self.socket.write_all(report.to_string().as_bytes()).await;
    }
}

/// Waits for all children that have ended; gives the end of the server.
fn reap(leader: Pid) -> Option<Report> {
    let mut ended = None;
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
        if pid == leader {
            ended = Some(match status.exit_status() {
                Some(code) => Report::Exited(code),
                None => Report::Signalled(status.terminating_signal().unwrap_or(0)),
            });
        }
    }
    ended
}

/// Kills what is left, and the orphans that turn up by it, until nothing is left that we may kill.
async fn kill_rest(leader: Pid) {
    while !is_over(leader) {
        let left = rest(leader);
        let killed = left.iter().filter(|process| signal_rest(**process, Signal::KILL).is_ok()).count();
        if killed == 0 && !left.is_empty() {
            // They run as another user.
            return;
        }
        tokio::time::sleep(KILL_POLL).await;
    }
}

/// Whether nothing is left of the server, after those that have ended are waited for.
#[cfg(target_os = "linux")]
fn is_over(_leader: Pid) -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            other => return matches!(other, Err(rustix::io::Errno::CHILD)),
        }
    }
}

/// The children of this process: all that is left once the server has ended, and the orphans of those that end next.
///
/// Only this thread waits for them, so that none of the numbers is given to another process meanwhile.
#[cfg(target_os = "linux")]
fn rest(_leader: Pid) -> Vec<Pid> {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return Vec::new() };
    let lists =
        threads.flatten().filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    let list = lists.collect::<String>();
    list.split_whitespace().filter_map(|pid| pid.parse().ok().and_then(Pid::from_raw)).collect()
}

#[cfg(target_os = "linux")]
fn signal_rest(process: Pid, signal: Signal) -> rustix::io::Result<()> {
    kill_process(process, signal)
}

/// Whether the server's group is empty. Orphans are not given to us here, so that the group is all we know.
#[cfg(not(target_os = "linux"))]
fn is_over(leader: Pid) -> bool {
    _ = reap(leader);
    !group::is_alive(leader)
}

#[cfg(not(target_os = "linux"))]
fn rest(leader: Pid) -> Vec<Pid> {
    vec![leader]
}

#[cfg(not(target_os = "linux"))]
fn signal_rest(leader: Pid, signal: Signal) -> rustix::io::Result<()> {
    rustix::process::kill_process_group(leader, signal)
}
