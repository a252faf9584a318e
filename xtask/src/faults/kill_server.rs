//! Servers killed under load.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use rustix::process::Signal;

use super::figures::Figure;
use super::http_session::HttpSession;
use super::lab::{Lab, Listener, send, until};
use super::load::{Session, for_a_time};
use super::stdio_session::warm_up;
use crate::bench::statistics::Dice;

pub(super) const TEXT: &str = "Twenty mocks over stdio and eight sessions that call all of them in turn. Every 200 ms \
    one mock is killed with SIGKILL. Calls wait for its restart. A server that was killed too often rests for 30 s; its \
    calls fail at once and say so.";

const PATIENCE: Duration = Duration::from_secs(70);
const SERVERS: usize = 20;
const SESSIONS: usize = 8;
const PAUSE: Duration = Duration::from_millis(200);

pub(super) fn run(lab: &Lab) -> Result<Vec<Figure>> {
    let mut gateway = lab.gateway(&lab.mock_options(SERVERS, "jitter=20"))?;
    let mut sessions = HttpSession::open_many(&gateway, SESSIONS, PATIENCE)?;
    for server in 0..SERVERS {
        warm_up(&mut sessions[0], &format!("s{server}__echo"), PATIENCE)?;
    }
    let before = gateway.costs()?;
    let done = AtomicBool::new(false);
    let killed = AtomicUsize::new(0);
    let pid = gateway.pid();
    let tally = thread::scope(|scope| {
        scope.spawn(|| {
            let mut dice = Dice::new(1);
            while !done.load(Ordering::Relaxed) {
                thread::sleep(PAUSE);
                let servers = mocks(pid);
                if !servers.is_empty() && send(servers[dice.below(servers.len())], Signal::KILL).is_ok() {
                    killed.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        let time = Duration::from_secs(lab.choose(30, 60));
        let tally = for_a_time(&mut sessions, time, |session, place, number| {
            let server = (place + number) % SERVERS;
            session.echo(&format!("s{server}__echo"), &format!("kill-{place}-{number}-end"))
        });
        done.store(true, Ordering::Relaxed);
        tally
    });
    drop(sessions);
    let zombies = |gateway: &mut Listener| gateway.descendants().values().filter(|it| it.is_zombie).count();
    until(Duration::from_secs(5), || zombies(&mut gateway) == 0).ok();
    let after = gateway.costs()?;
    let mut figures = vec![Figure::at_least("servers killed", killed.into_inner() as f64, 50.0, "")];
    figures.extend(tally.figures());
    figures.extend([
        Figure::at_most("slowest call", tally.slowest / 1e3, 61.0, "s"),
        Figure::is("gateway alive", gateway.is_alive(), true),
        Figure::none("zombies", zombies(&mut gateway), &[]),
        Figure::at_most(
            "descriptors more than before",
            after.descriptors as f64 - before.descriptors as f64,
            8.0,
            "",
        ),
    ]);
    Ok(figures)
}

/// The mocks below a process; not the shells that watch over them.
pub(super) fn mocks(pid: i32) -> Vec<i32> {
    let all = super::lab::descendants(pid);
    let mocks = all.iter().filter(|(_, process)| !process.is_zombie && is_mock(&process.command));
    mocks.map(|(pid, _)| *pid).collect()
}

fn is_mock(command: &str) -> bool {
    command.split(' ').nth(1) == Some("mock")
}
