//! A tiny process that ends our servers when we are killed and can't do it ourselves.
//!
//! A shell holds the list of our process groups and waits for the end of its input. That end comes
//! when we exit, however we exit: the kernel closes the pipe. Then it kills the groups that are
//! still on the list. This also works where a parent-death signal does not exist, and reaches the
//! grandchildren that such a signal would miss. A process that leaves its group (a daemon) is not
//! followed.

use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use rustix::process::Pid;

/// Reads `+ PGID` and `- PGID` lines; at the end of input kills what is left.
const SCRIPT: &str = r#"
trap '' HUP INT TERM PIPE
groups=' '
while read -r action group; do
    case $action in
        +) groups="$groups$group " ;;
        -) groups="${groups%% $group *} ${groups#* $group }" ;;
    esac
done
for group in $groups; do
    kill -s KILL -- "-$group" 2>/dev/null
done
"#;

/// The watchdog of one pool. It starts with the first server that runs as a process.
#[derive(Debug, Default)]
pub(crate) struct Watchdog {
    shell: Mutex<Shell>,
}

#[derive(Debug, Default)]
enum Shell {
    #[default]
    NotStarted,
    Running(Child, ChildStdin),
    Unavailable,
}

impl Watchdog {
    /// Puts a group on the list.
    pub(crate) fn guard(&self, group: Pid) {
        let mut shell = self.shell.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*shell, Shell::NotStarted) {
            *shell = start();
        }
        tell(&mut shell, '+', group);
    }

    /// Takes a group off the list, because it is gone.
    pub(crate) fn release(&self, group: Pid) {
        let mut shell = self.shell.lock().unwrap_or_else(PoisonError::into_inner);
        tell(&mut shell, '-', group);
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        let shell = self.shell.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Shell::Running(mut child, input) = std::mem::take(shell) {
            drop(input);
            // It has nothing left to wait for, so this takes no time.
            let _ = child.wait();
        }
    }
}

fn start() -> Shell {
    use std::os::unix::process::CommandExt;
    let started = Command::new("/bin/sh")
        .args(["-c", SCRIPT, "mortise-watchdog"])
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    match started {
        Ok(mut child) => match child.stdin.take() {
            Some(input) => Shell::Running(child, input),
            None => Shell::Unavailable,
        },
        Err(error) => {
            tracing::warn!(%error, "no watchdog: servers are not ended if this process is killed");
            Shell::Unavailable
        }
    }
}

fn tell(shell: &mut Shell, action: char, group: Pid) {
    if let Shell::Running(_, input) = shell {
        let line = format!("{action} {}\n", group.as_raw_nonzero());
        if input.write_all(line.as_bytes()).is_err() {
            tracing::warn!("the watchdog is gone: servers are not ended if this process is killed");
            *shell = Shell::Unavailable;
        }
    }
}
