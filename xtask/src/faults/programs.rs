//! Hostile programs, shuffled, over four sessions.

use std::fs;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::figures::{Figure, number};
use super::http_session::HttpSession;
use super::lab::Lab;
use super::load::{Outcome, Session, for_a_time};
use crate::bench::statistics::Dice;

pub(super) const TEXT: &str = "All attempts of `crates/mortise-script/tests/escapes.py` to reach the host, and programs \
    that take time, memory, output or calls without end (`xtask/faults/hogs.py`), in random order over four sessions, with \
    a time limit of 2 s for a program. An ordinary program follows each of them.";

const ESCAPES: &str = include_str!("../../../crates/mortise-script/tests/escapes.py");
const HOGS: &str = include_str!("../../faults/hogs.py");
const PATIENCE: Duration = Duration::from_secs(60);
const WALL: f64 = 2.0;

pub(super) fn run(lab: &Lab) -> Result<Vec<Figure>> {
    let secret = "the secret of the host 51d7";
    fs::write(lab.folder.join("canary.txt"), secret)?;
    let canary = lab.folder.join("canary.txt");
    let config = lab.folder.join("faults.yaml");
    fs::write(
        &config,
        format!(
            "servers:\n  - name: m\n    command: {}\n    args: [mock]\nexecution:\n  timeout_seconds: {WALL}\n",
            lab.program.display()
        ),
    )?;
    let mut gateway = lab.gateway(&["--config", &config.to_string_lossy()])?;
    let escapes = ESCAPES.split("\n#:").skip(1);
    let attacks: Vec<&str> =
        escapes.chain(HOGS.split("\n#:").skip(1)).filter_map(|it| Some(it.split_once('\n')?.1)).collect();
    let mut sessions = HttpSession::open_many(&gateway, 4, PATIENCE)?;
    for _ in 0..8 {
        sessions[0].run_program("print(40 + 2)")?;
    }
    let before = gateway.costs()?;
    let escaped = Mutex::new(Vec::new());
    let slowest = Mutex::new((0.0_f64, String::new()));
    let time = Duration::from_secs(lab.choose(60, 600));
    let tally = for_a_time(&mut sessions, time, |session, place, number| {
        let attack = attacks[Dice::new((place * 1_000_003 + number) as u64).below(attacks.len())];
        let code = format!("CANARY = {:?}\n{attack}", canary.display().to_string());
        let started = Instant::now();
        let answer = match session.run_program(&code) {
            Ok(answer) => answer,
            Err(error) => return Outcome::Lost(format!("{error:#}: {attack}")),
        };
        let seconds = started.elapsed().as_secs_f64();
        if let Ok(mut slowest) = slowest.lock()
            && seconds > slowest.0
        {
            *slowest = (seconds, attack.to_owned());
        }
        // An error shows lines of the program, which say the word too.
        let output = answer["result"]["_meta"]["mortise/answer"]["output"].as_str().unwrap_or_default();
        let reached =
            output.lines().any(|line| line.starts_with("ESCAPED")) || answer.to_string().contains(secret);
        if reached && let Ok(mut escaped) = escaped.lock() {
            escaped.push(attack.to_owned());
        }
        match session.run_program("print(40 + 2)") {
            Ok(answer) if answer.to_string().contains("42\\n") => Outcome::Right,
            Ok(answer) => Outcome::Misrouted(answer.to_string()),
            Err(error) => Outcome::Lost(format!("{error:#}")),
        }
    });
    drop(sessions);
    let escaped = escaped.into_inner().unwrap_or_default();
    let slowest = slowest.into_inner().unwrap_or_default();
    std::thread::sleep(Duration::from_secs(5));
    let after = gateway.costs()?;
    Ok(vec![
        Figure::plain("programs known", number(attacks.len() as f64)),
        Figure::plain("programs run", number(tally.calls() as f64)),
        Figure::none("reached the host", escaped.len(), &escaped),
        Figure::none("without an answer", tally.lost, &tally.examples),
        Figure::none("ordinary programs that failed afterwards", tally.misrouted, &tally.examples),
        Figure::at_most("slowest", slowest.0, WALL + 1.0, "s"),
        Figure::plain("slowest program", format!("`{}`", slowest.1.lines().collect::<Vec<_>>().join("; "))),
        Figure::is("gateway alive", gateway.is_alive(), true),
        Figure::plain("resident memory before", format!("{:.0} MiB", before.memory_mib)),
        Figure::at_most(
            "resident memory 5 s after the last",
            after.memory_mib,
            before.memory_mib + 128.0,
            "MiB",
        ),
    ])
}
