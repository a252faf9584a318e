//! Calls through the gateway beside the same calls without it.

use std::fs;
use std::time::Duration;

use anyhow::Result;

use super::figures::{Figure, number};
use super::http_session::HttpSession;
use super::lab::{Lab, Listener, TOKEN};
use super::load::{Session, Tally, for_a_time};
use super::stdio_session::{StdioSession, warm_up};

pub(super) const TEXT: &str = "`echo` of a mock, called again as soon as it answers: directly, and through the gateway, \
    by 1 to 128 sessions over HTTP, and over stdio by one session with as many calls in flight. The clients, the \
    gateway and the mock share the machine, so times beyond one call at once are mostly waiting for a processor.";

const PATIENCE: Duration = Duration::from_secs(30);
const SESSIONS: [usize; 4] = [1, 8, 32, 128];

pub(super) fn run(lab: &Lab) -> Result<Vec<Figure>> {
    let time = Duration::from_secs(lab.choose(3, 20));
    let mock = lab.mock(&[])?;
    let config = lab.folder.join("faults.yaml");
    fs::write(&config, format!("servers:\n  - name: m\n    url: {}\n    bearer: {TOKEN}\n", mock.url()))?;
    let over_http = lab.gateway(&["--config", &config.to_string_lossy()])?;
    let over_stdio = lab.gateway(&["--server", &lab.mock_option("m", "")])?;
    let mut pipe_direct = StdioSession::start(&mut lab.mortise(&["mock"]))?;
    let mut pipe_gateway = StdioSession::start(&mut lab.mortise(&[
        "serve",
        "--expose",
        "mcp__*",
        "--server",
        &lab.mock_option("m", ""),
    ]))?;
    warm_up(&mut pipe_gateway, TOOL, PATIENCE)?;
    let mut figures = Vec::new();
    let mut failures = (0, Vec::new());
    for count in SESSIONS {
        let direct = http(&mock, "echo", count, time)?;
        let through = http(&over_http, TOOL, count, time)?;
        let mixed = http(&over_stdio, TOOL, count, time)?;
        let pipe = pipe_direct.keep_in_flight("echo", count, time)?;
        let piped = pipe_gateway.keep_in_flight(TOOL, count, time)?;
        for (name, tally, base) in [
            ("HTTP, direct", &direct, None),
            ("HTTP, gateway, HTTP", &through, Some(&direct)),
            ("HTTP, gateway, stdio", &mixed, Some(&direct)),
            ("stdio, direct", &pipe, None),
            ("stdio, gateway, stdio", &piped, Some(&pipe)),
        ] {
            figures.push(Figure::plain(format!("{count} at once: {name}"), shown(tally, base)));
            failures.0 += tally.calls() - tally.times.len();
            failures.1.extend(tally.examples.iter().cloned());
        }
        if count == 1 {
            figures.push(Figure::at_most("added by the gateway, p50", piped.p50() - pipe.p50(), 0.3, "ms"));
        }
        if count == 32 {
            let added = format!("{:.2} ms", piped.p99() - pipe.p99());
            figures.push(Figure::plain("added by the gateway, p99 of 32 at once", added));
            // A rate says more about the machine than about us; the same calls without us ran on it a moment ago.
            let part = piped.rate() / pipe.rate();
            figures.push(Figure::at_least("calls through the gateway, of direct", part, 0.3, ""));
        }
    }
    figures.push(Figure::none("calls that failed", failures.0, &failures.1));
    Ok(figures)
}

const TOOL: &str = "m__echo";

fn shown(tally: &Tally, base: Option<&Tally>) -> String {
    let ratio = base.map(|base| format!(", {:.2} of direct", tally.rate() / base.rate())).unwrap_or_default();
    format!("{} calls/s, p50 {:.2} ms, p99 {:.2} ms{ratio}", number(tally.rate()), tally.p50(), tally.p99())
}

fn http(listener: &Listener, tool: &str, count: usize, time: Duration) -> Result<Tally> {
    let mut sessions = HttpSession::open_many(listener, count, PATIENCE)?;
    warm_up(&mut sessions[0], tool, PATIENCE)?;
    Ok(for_a_time(&mut sessions, time, |session, place, number| {
        session.echo(tool, &format!("http-{place}-{number}-end"))
    }))
}
