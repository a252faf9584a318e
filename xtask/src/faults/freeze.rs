//! The server, then the gateway, stopped and continued.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::Signal;

use super::figures::Figure;
use super::http_session::HttpSession;
use super::kill_server::mocks;
use super::lab::{Lab, send};
use super::load::{Session, for_a_time};
use super::stdio_session::warm_up;

pub(super) const TEXT: &str = "A mock gets SIGSTOP for 10 s while it is called; calls may take 2 s. Then the gateway gets \
    SIGSTOP for 10 s while four sessions call: a machine that slept. Both must go on afterwards, with their sessions.";

const PATIENCE: Duration = Duration::from_secs(40);
const FROZEN: Duration = Duration::from_secs(10);

pub(super) fn run(lab: &Lab) -> Result<Vec<Figure>> {
    let path = lab.folder.join("faults.yaml");
    fs::write(
        &path,
        format!(
            "servers:\n  - name: m\n    command: {}\n    args: [mock]\n    call_timeout_seconds: 2\n",
            lab.program.display()
        ),
    )?;
    let mut gateway = lab.gateway(&["--config", &path.to_string_lossy()])?;
    let mut sessions = HttpSession::open_many(&gateway, 4, PATIENCE)?;
    warm_up(&mut sessions[0], "m__echo", PATIENCE)?;
    let pid = gateway.pid();
    let server = *mocks(pid).first().context("the mock is not below the gateway")?;
    let mut figures = Vec::new();
    for (name, frozen, longest) in [("server", server, 3.0), ("gateway", pid, 13.0)] {
        let tally = thread::scope(|scope| -> Result<_> {
            let calling = scope.spawn(|| {
                for_a_time(&mut sessions, FROZEN + Duration::from_secs(4), |session, place, number| {
                    session.echo("m__echo", &format!("frozen-{name}-{place}-{number}-end"))
                })
            });
            thread::sleep(Duration::from_secs(1));
            send(frozen, Signal::STOP)?;
            thread::sleep(FROZEN);
            send(frozen, Signal::CONT)?;
            calling.join().ok().context("a client ended")
        })?;
        let asked = Instant::now();
        warm_up(&mut sessions[0], "m__echo", PATIENCE)?;
        let back = asked.elapsed().as_secs_f64();
        figures.extend([
            Figure::plain(
                format!("{name} stopped: calls"),
                format!("{} right, {} typed", tally.times.len(), tally.typed),
            ),
            Figure::none(
                format!("{name} stopped: lost or misrouted"),
                tally.lost + tally.misrouted,
                &tally.examples,
            ),
            Figure::at_most(format!("{name} stopped: slowest call"), tally.slowest / 1e3, longest, "s"),
            Figure::at_most(format!("{name} stopped: works again after"), back, 5.0, "s"),
        ]);
    }
    figures.push(Figure::is("gateway alive", gateway.is_alive(), true));
    Ok(figures)
}
