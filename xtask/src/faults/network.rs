//! A network that delays, cuts, swallows, resets and trickles.

use std::fs;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::figures::Figure;
use super::http_session::HttpSession;
use super::lab::{Lab, TOKEN};
use super::load::{Session, for_a_time};
use super::proxy::{Proxy, Weather};
use super::stdio_session::warm_up;

pub(super) const TEXT: &str = "A mock over HTTP behind a TCP proxy that spoils what the mock sends: 300 ms late, cut off \
    after 100 bytes, swallowed, reset, or one byte a second. Its calls may take 2 s. A second mock without a proxy is \
    called all the while. After each kind of trouble the first one must work again.";

const PATIENCE: Duration = Duration::from_secs(30);
const CALL_LIMIT: u64 = 2;

pub(super) fn run(lab: &Lab) -> Result<Vec<Figure>> {
    let spoiled = lab.mock(&[])?;
    let proxy = Proxy::start(spoiled.address)?;
    let config = lab.folder.join("faults.yaml");
    fs::write(
        &config,
        format!(
            "servers:\n  - name: far\n    url: http://{}{}\n    bearer: {TOKEN}\n    call_timeout_seconds: {CALL_LIMIT}\n  - name: near\n    \
             command: {}\n    args: [mock]\n",
            proxy.address,
            spoiled.path,
            lab.program.display()
        ),
    )?;
    let mut gateway = lab.gateway(&["--config", &config.to_string_lossy()])?;
    let mut far = HttpSession::open_many(&gateway, 4, PATIENCE)?;
    let mut near = HttpSession::open_many(&gateway, 1, PATIENCE)?;
    warm_up(&mut far[0], "far__echo", PATIENCE)?;
    warm_up(&mut near[0], "near__echo", PATIENCE)?;
    let mut figures = Vec::new();
    let time = Duration::from_secs(lab.choose(6, 30));
    for weather in Weather::BAD {
        proxy.set(weather);
        let (spoiled, beside) = thread::scope(|scope| {
            let beside = scope.spawn(|| call(&mut near, "near__echo", time));
            let spoiled = call(&mut far, "far__echo", time);
            (spoiled, beside.join())
        });
        let beside = beside.ok().context("the client of the near server ended")?;
        proxy.set(Weather::Fair);
        let back = warm_up(&mut far[0], "far__echo", PATIENCE)?;
        let name = format!("{weather:?}").to_lowercase();
        let bad = spoiled.lost + spoiled.misrouted;
        figures.extend([
            Figure::plain(
                format!("{name}: calls"),
                format!("{} right, {} typed", spoiled.times.len(), spoiled.typed),
            ),
            Figure::none(format!("{name}: lost or misrouted"), bad, &spoiled.examples),
            Figure::at_most(
                format!("{name}: slowest call"),
                spoiled.slowest / 1e3,
                CALL_LIMIT as f64 + 1.0,
                "s",
            ),
            Figure::none(
                format!("{name}: failed of {} calls beside it", beside.calls()),
                beside.calls() - beside.times.len(),
                &beside.examples,
            ),
            Figure::at_most(format!("{name}: works again after"), back.as_secs_f64(), 10.0, "s"),
        ]);
    }
    figures.push(Figure::is("gateway alive", gateway.is_alive(), true));
    Ok(figures)
}

fn call(sessions: &mut [HttpSession], tool: &str, time: Duration) -> super::load::Tally {
    for_a_time(sessions, time, |session, place, number| {
        session.echo(tool, &format!("net-{place}-{number}-end"))
    })
}
