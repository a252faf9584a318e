//! Ten servers with a thousand tools each, then five thousand.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;

use super::figures::{Figure, number, percentile};
use super::http_session::HttpSession;
use super::lab::{Lab, Listener, until};
use super::load::{Outcome, Session, for_a_time};

pub(super) const TEXT: &str = "Ten mocks over stdio, 100 tools to a page. An eleventh with two tools says \
    1,000 times a second that its list changed. The cold list is the time from the start of the gateway until a \
    program sees all tools. Searches follow one another, then calls of one tool.";

const PATIENCE: Duration = Duration::from_secs(60);
const SERVERS: usize = 10;

pub(super) fn run(lab: &Lab) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (tools, cold, memory) in [(1_000, 2.0, 200.0), (5_000, 10.0, 1_000.0)] {
        figures.extend(listed(lab, tools, cold, memory)?);
    }
    Ok(figures)
}

fn listed(lab: &Lab, tools: usize, cold: f64, memory: f64) -> Result<Vec<Figure>> {
    let mut options = lab.mock_options(SERVERS, &format!("tools={tools}"));
    options.extend(["--server".to_owned(), lab.mock_option("changing", "list-changed=1000")]);
    let started = Instant::now();
    // Not all tools are offered directly: this is about those that programs find.
    let mut command = lab.mortise(&["serve", "--http", "127.0.0.1:0", "--expose", "mcp__*__echo"]);
    let mut gateway = Listener::start(command.args(&options))?;
    let mut session = HttpSession::open(&gateway, PATIENCE)?;
    let count = "print(len(await list_callable_tools()))";
    let wanted = format!("{}\\n", SERVERS * tools + 2);
    until(PATIENCE, || session.run_program(count).is_ok_and(|answer| answer.to_string().contains(&wanted)))
        .with_context(|| format!("not all tools were listed: {:?}", session.run_program(count)))?;
    let cold_seconds = started.elapsed().as_secs_f64();
    let mut searches = Vec::new();
    for _ in 0..lab.choose(100, 1_000) {
        let sent = Instant::now();
        let asked = json!({ "name": "search_tools", "arguments": { "query": "echo text", "limit": 10 } });
        let answer = session.request("tools/call", &asked)?;
        anyhow::ensure!(answer["result"]["isError"] != true, "{answer}");
        searches.push(sent.elapsed().as_secs_f64() * 1e3);
    }
    let time = Duration::from_secs(lab.choose(8, 60));
    let mut sessions = [session];
    let calls = for_a_time(&mut sessions, time, |session, _, number| -> Outcome {
        session.echo("s9__echo", &format!("listed-{number}-end"))
    });
    let all = number((SERVERS * tools) as f64);
    let failed = calls.calls() - calls.times.len();
    Ok(vec![
        Figure::at_most(format!("{all} tools: cold list"), cold_seconds, cold, "s"),
        Figure::at_most(format!("{all} tools: search, p50"), percentile(&searches, 0.5), 10.0, "ms"),
        Figure::plain(format!("{all} tools: search, p99"), format!("{:.2} ms", percentile(&searches, 0.99))),
        Figure::none(
            format!("{all} tools: calls beside a list that changes, failed"),
            failed,
            &calls.examples,
        ),
        Figure::plain(
            format!("{all} tools: calls beside a list that changes"),
            format!(
                "{}, p50 {:.2} ms, p99 {:.2} ms, slowest {:.0} ms",
                number(calls.calls() as f64),
                calls.p50(),
                calls.p99(),
                calls.slowest
            ),
        ),
        Figure::at_most(format!("{all} tools: resident memory"), gateway.costs()?.memory_mib, memory, "MiB"),
    ])
}
