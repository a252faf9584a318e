//! The process group of a server: signalled as one.

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// A process id as the system gives it.
pub(super) fn pid(number: u32) -> Option<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw)
}

/// Sends a signal to all members; a group that is gone has none.
pub(super) fn signal(leader: Pid, signal: Signal) {
    _ = kill_process_group(leader, signal);
}

pub(super) fn is_alive(leader: Pid) -> bool {
    test_kill_process_group(leader).is_ok()
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
