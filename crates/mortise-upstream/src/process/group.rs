//! The process group of a server: signalled as one.

use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use super::watchdog::Watchdog;

/// How often a dying group is looked at.
const POLL: Duration = Duration::from_millis(20);

/// A process group that must not outlive us.
///
/// Dropping it kills whatever is left of the group.
#[derive(Debug)]
pub(super) struct Group {
    leader: Option<Pid>,
    watchdog: Arc<Watchdog>,
}

impl Group {
    /// The group led by the process that was just started.
    pub(super) fn of(pid: Option<u32>, watchdog: Arc<Watchdog>) -> Self {
        let leader = pid.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        if let Some(leader) = leader {
            watchdog.guard(leader);
        }
        Self { leader, watchdog }
    }

    pub(super) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    pub(super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Ends members that outlived the leader.
    pub(super) async fn end_rest(mut self, grace: Duration) {
        if self.is_alive() {
            self.terminate();
            let deadline = tokio::time::Instant::now() + grace;
            while self.is_alive() && tokio::time::Instant::now() < deadline {
                tokio::time::sleep(POLL).await;
            }
            self.kill();
        }
        self.release();
    }

    fn is_alive(&self) -> bool {
        self.leader.is_some_and(|leader| test_kill_process_group(leader).is_ok())
    }

    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            let _ = kill_process_group(leader, signal);
        }
    }

    fn release(&mut self) {
        if let Some(leader) = self.leader.take() {
            self.watchdog.release(leader);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        self.release();
    }
}

/// The name of a signal, or its number.
pub(super) fn signal_name(number: i32) -> String {
    const NAMES: &[(Signal, &str)] = &[
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::SYS, "SIGSYS"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
    ];
    NAMES
        .iter()
        .find(|(signal, _)| signal.as_raw() == number)
        .map_or_else(|| format!("signal {number}"), |(_, name)| (*name).to_owned())
}
