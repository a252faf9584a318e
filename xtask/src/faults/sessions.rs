//! A thousand sessions that run programs, then ten thousand that wait.

use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::figures::{Figure, number};
use super::http_session::HttpSession;
use super::lab::{Lab, Listener};
use super::load::{Session, at_a_rate, judge};
use super::stdio_session::warm_up;

pub(super) const TEXT: &str = "1,000 sessions over HTTP, each with an open stream for the server's own messages, run 33 \
    programs a second between them. A program calls one tool and prints the answer. Its time runs from when it was \
    due, whatever the ones before it took. Then as many more sessions are opened as the gateway takes; what one costs \
    is the resident memory that all of them added.";

const PATIENCE: Duration = Duration::from_secs(30);
const WORKING: usize = 1_000;
const ALL: usize = 10_000;
const RATE: f64 = 33.0;
const OPENERS: usize = 16;

pub(super) fn run(lab: &Lab) -> Result<Vec<Figure>> {
    let mut gateway = lab.gateway(&["--server", &lab.mock_option("m", "")])?;
    let mut first = HttpSession::open(&gateway, PATIENCE)?;
    warm_up(&mut first, "m__echo", PATIENCE)?;
    // Programs before the measured ones: what is made once is not what a session costs.
    for number in 0..20 {
        let code = program(number);
        first.run_program(&code).with_context(|| code)?;
    }
    let before = gateway.costs()?;
    let mut sessions = open(&gateway, WORKING)?;
    let streams: Result<Vec<_>> = sessions.iter().map(HttpSession::listen).collect();
    let streams = streams?;
    let with_streams = gateway.costs()?;
    let count = (RATE * lab.choose(20.0, 150.0)) as usize;
    let tally = at_a_rate(&mut sessions, count, RATE, |session, number| {
        judge(session.run_program(&program(number)).as_ref(), &format!("program-{number}-end"))
    });
    drop(streams);
    drop(sessions);
    let (opened, refused) = open_idle(&gateway, ALL - WORKING - 1)?;
    let after = gateway.costs()?;
    let kib = |mib: f64, sessions: usize| mib * 1024.0 / sessions as f64;
    let failed = tally.calls() - tally.times.len();
    Ok(vec![
        Figure::plain("programs", number(tally.calls() as f64)),
        Figure::none("programs that failed", failed, &tally.examples),
        Figure::plain("p50", format!("{:.1} ms", tally.p50())),
        Figure::at_most("p99", tally.p99(), 100.0, "ms"),
        Figure::plain(
            "memory of a session with its stream and connection",
            format!("{:.1} KiB", kib(with_streams.memory_mib - before.memory_mib, WORKING)),
        ),
        Figure::at_least("sessions open", (opened + WORKING + 1) as f64, ALL as f64, ""),
        Figure::plain("sessions refused", number(refused as f64)),
        Figure::at_most(
            "memory of a session",
            kib(after.memory_mib - before.memory_mib, opened + WORKING),
            60.0,
            "KiB",
        ),
        Figure::at_most("resident memory in the end", after.memory_mib, 600.0, "MiB"),
    ])
}

fn program(number: usize) -> String {
    format!("print(await mcp__m__echo(text='program-{number}-end'))")
}

/// Opens sessions, each with a connection that it keeps.
fn open(gateway: &Listener, count: usize) -> Result<Vec<HttpSession>> {
    let open = |count| HttpSession::open_many(gateway, count, PATIENCE);
    let parts: Vec<Result<Vec<HttpSession>>> = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..OPENERS).map(|part| scope.spawn(move || open(share(count, part)))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Ok(Vec::new()))).collect()
    });
    let parts: Result<Vec<Vec<HttpSession>>> = parts.into_iter().collect();
    Ok(parts?.into_iter().flatten().collect())
}

/// Opens sessions over few connections; returns how many were opened and how many refused.
fn open_idle(gateway: &Listener, count: usize) -> Result<(usize, usize)> {
    let open = |count: usize| -> Result<(usize, usize)> {
        let mut session = HttpSession::open(gateway, PATIENCE)?;
        let opened = 1 + (1..count).filter(|_| session.start().is_ok()).count();
        Ok((opened, count - opened))
    };
    let parts: Vec<Result<(usize, usize)>> = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..OPENERS).map(|part| scope.spawn(move || open(share(count, part)))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(Ok((0, 0)))).collect()
    });
    let mut sums = (0, 0);
    for part in parts {
        let (opened, refused) = part?;
        sums = (sums.0 + opened, sums.1 + refused);
    }
    Ok(sums)
}

/// An even part of a number.
fn share(count: usize, part: usize) -> usize {
    count / OPENERS + usize::from(part < count % OPENERS)
}
