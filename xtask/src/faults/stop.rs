//! SIGTERM with 200 calls in flight.

use std::net::TcpStream;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::Signal;
use serde_json::json;

use super::figures::Figure;
use super::http_session::HttpSession;
use super::lab::Lab;
use super::load::{Session, Tally};
use super::stdio_session::warm_up;

pub(super) const TEXT: &str = "200 sessions call a tool that takes 3 s, spread over four servers. A second later the \
    gateway gets SIGTERM. Every call must get its answer or an error that says why; nothing new may be taken; the \
    process must end well within its drain limit of 25 s.";

const PATIENCE: Duration = Duration::from_secs(60);
const CALLS: usize = 200;
const DRAIN: f64 = 25.0;

pub(super) fn run(lab: &Lab) -> Result<Vec<Figure>> {
    let mut gateway = lab.gateway(&lab.mock_options(4, "slow=3000"))?;
    let mut sessions = HttpSession::open_many(&gateway, CALLS, PATIENCE)?;
    for server in 0..4 {
        warm_up(&mut sessions[0], &format!("s{server}__echo"), PATIENCE)?;
    }
    let together = Barrier::new(CALLS + 1);
    let mut tally = Tally::default();
    let address = gateway.address;
    let mut accepted_after = false;
    let (status, ended) = thread::scope(|scope| -> Result<(String, f64)> {
        let together = &together;
        let calls: Vec<_> = sessions
            .iter_mut()
            .enumerate()
            .map(|(place, session)| {
                scope.spawn(move || {
                    // A connection that was idle for too long would have to be opened again, after the signal.
                    session.request("ping", &json!({})).ok();
                    together.wait();
                    let sent = Instant::now();
                    let outcome =
                        session.echo(&format!("s{}__echo", place % 4), &format!("stop-{place}-end"));
                    (outcome, sent.elapsed())
                })
            })
            .collect();
        together.wait();
        thread::sleep(Duration::from_secs(1));
        gateway.signal(Signal::TERM)?;
        let asked = Instant::now();
        thread::sleep(Duration::from_millis(200));
        accepted_after = TcpStream::connect(address).is_ok_and(|stream| is_served(&stream));
        for call in calls {
            let (outcome, time) = call.join().ok().context("a client ended")?;
            tally.count(outcome, time);
        }
        let status = gateway.wait(Duration::from_secs(40))?;
        Ok((status, asked.elapsed().as_secs_f64()))
    })?;
    let mut figures = tally.figures();
    figures.extend([
        Figure::is("a new connection is served", accepted_after, false),
        Figure::is("exit", status, "exit status: 0".to_owned()),
        Figure::at_most("ended after", ended, DRAIN, "s"),
    ]);
    Ok(figures)
}

/// Whether a connection gets an answer that is not a refusal.
fn is_served(mut stream: &TcpStream) -> bool {
    use std::io::{Read, Write};
    let asked = stream.write_all(b"GET /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n");
    stream.set_read_timeout(Some(Duration::from_secs(2))).ok();
    let mut answer = [0; 16];
    asked.is_ok() && stream.read(&mut answer).is_ok_and(|read| read > 12 && &answer[9..12] != b"503")
}
