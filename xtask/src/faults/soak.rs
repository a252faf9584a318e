//! Mixed faults for a while; what grows?

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::figures::{Figure, number, percentile};
use super::http_session::HttpSession;
use super::lab::{Costs, Lab};
use super::load::{Outcome, Session, Tally, for_a_time, judge};

pub(super) const TEXT: &str = "Eight sessions call five mocks in turn. One is healthy, and in one a third of all calls go \
    wrong in random ways. One has random delays, one breaks its schema every second time, and one sends ten progress \
    messages before each answer. Every tenth call is a program. Half of the run warms up; what is held then is \
    compared with what is held in the end.";

const PATIENCE: Duration = Duration::from_secs(70);
const SCENARIOS: [&str; 5] = ["ok", "chaos=30", "jitter=20", "lie-sometimes", "progress=1"];

pub(super) fn run(lab: &Lab) -> Result<Vec<Figure>> {
    let mut config = "servers:\n".to_owned();
    for (index, scenario) in SCENARIOS.iter().enumerate() {
        config.push_str(&format!(
            "  - name: s{index}\n    command: {}\n    args: [mock, {scenario}]\n    call_timeout_seconds: 2\n",
            lab.program.display()
        ));
    }
    let path = lab.folder.join("faults.yaml");
    std::fs::write(&path, config)?;
    let mut gateway = lab.gateway(&["--config", &path.to_string_lossy()])?;
    let mut sessions = HttpSession::open_many(&gateway, 8, PATIENCE)?;
    let half = Duration::from_secs(lab.choose(50, 300));
    let pid = gateway.pid();
    let warm = load(&mut sessions, half);
    let (_, before) = settle(pid)?;
    let later = load(&mut sessions, half);
    let (last, after) = settle(pid)?;
    let calls = later.calls() as f64;
    let growth = after.memory_mib - before.memory_mib;
    let mut figures = later.figures();
    figures.extend([
        Figure::plain("calls in the first half", number(warm.calls() as f64)),
        Figure::plain(
            "resident memory",
            format!("{:.0} MiB, then {:.0} MiB", before.memory_mib, after.memory_mib),
        ),
        Figure::at_most(
            "growth of memory for 100,000 calls",
            (growth - NOISE).max(0.0) / calls * 1e5,
            1.0,
            "MiB",
        ),
        Figure::at_most("more descriptors", after.descriptors as f64 - before.descriptors as f64, 8.0, ""),
        Figure::at_most("more threads", after.threads as f64 - before.threads as f64, 8.0, ""),
        Figure::at_most("processes", last as f64, MOST_PROCESSES as f64, ""),
        Figure::at_most("p50 of the second half to that of the first", later.p50() / warm.p50(), 1.2, ""),
        Figure::is("gateway alive", gateway.is_alive(), true),
    ]);
    Ok(figures)
}

/// A warden and a server for each entry, and the type checkers. A server that is down at the moment has neither.
const MOST_PROCESSES: usize = 2 * SCENARIOS.len() + 3;

/// What the resident memory of an idle process moves by, in MiB.
const NOISE: f64 = 16.0;

fn load(sessions: &mut [HttpSession], time: Duration) -> Tally {
    for_a_time(sessions, time, |session, place, number| -> Outcome {
        let server = (place + number) % SCENARIOS.len();
        let text = format!("soak-{place}-{number}-end");
        if number % 10 == 9 {
            let code = format!("print(await mcp__s0__echo(text='{text}'))");
            return judge(session.run_program(&code).as_ref(), &text);
        }
        match session.echo(&format!("s{server}__echo"), &text) {
            // These two are meant to answer with something else than they were sent.
            Outcome::Misrouted(answer) if matches!(server, 1 | 3) => Outcome::Typed(answer),
            outcome => outcome,
        }
    })
}

/// The number of processes and the least that is held in a few seconds without load.
fn settle(pid: i32) -> Result<(usize, Costs)> {
    let started = Instant::now();
    let mut seen = Vec::new();
    while started.elapsed() < Duration::from_secs(4) {
        seen.push((super::lab::descendants(pid).len(), Costs::of(pid)?));
        thread::sleep(Duration::from_millis(200));
    }
    let memory: Vec<f64> = seen.iter().map(|(_, costs)| costs.memory_mib).collect();
    let (count, mut costs) = *seen.last().context("nothing was seen")?;
    costs.memory_mib = percentile(&memory, 0.5);
    Ok((count, costs))
}
