//! The gateway killed at random points of its start.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rustix::process::Signal;

use super::figures::{Figure, number};
use super::http_session::HttpSession;
use super::lab::{Lab, processes, until};
use super::load::Session;
use crate::bench::statistics::Dice;
use crate::process::{self, Running};

pub(super) const TEXT: &str = "`mortise serve` with three mocks is killed with SIGKILL at a random moment of its first \
    600 ms, in which it also writes the file of the compiled interpreter. Every second time that file is removed first. \
    After each kill its servers must end, and the next start must run a program.";

const PATIENCE: Duration = Duration::from_secs(30);
const RUN_LIMIT: Duration = Duration::from_secs(60);

pub(super) fn run(lab: &Lab) -> Result<Vec<Figure>> {
    let rounds = lab.choose(12, 50);
    let mut dice = Dice::new(2);
    let (mut starts, mut endings, mut left_over, mut broken) = (Vec::new(), Vec::new(), 0, Vec::new());
    for round in 0..rounds {
        if round % 2 == 0 {
            std::fs::remove_dir_all(lab.folder.join("cache")).ok();
        }
        // The seed marks our servers among all processes.
        let marker = format!("--seed {}", 7_000_000 + round);
        let options = lab.mock_options(3, &marker);
        let mut command = lab.mortise(&["serve", "--http", "127.0.0.1:0"]);
        command.args(&options);
        let mut gateway = Running::start(command.stderr(std::process::Stdio::null()))?;
        thread::sleep(Duration::from_millis(dice.below(600) as u64));
        super::lab::send(gateway.child().id() as i32, Signal::KILL)?;
        gateway.child().wait()?;
        let ours = || processes().values().filter(|it| it.command.contains(&marker) && !it.is_zombie).count();
        match until(Duration::from_secs(6), || ours() == 0) {
            Ok(time) => endings.push(time.as_secs_f64()),
            Err(_) => left_over += ours(),
        }
        let started = Instant::now();
        let next = lab.gateway(&options)?;
        starts.push(next.start_time.as_secs_f64());
        let mut session = HttpSession::open(&next, PATIENCE)?;
        let answer = session.run_program("print(40 + 2)")?;
        if !answer.to_string().contains("42\\n") {
            broken.push(answer.to_string());
        }
        ensure!(started.elapsed() < PATIENCE, "the next start took {:?}", started.elapsed());
    }
    let checked = process::run(&mut lab.mortise(&["run", "-c", "print('whole')"]), RUN_LIMIT)?;
    Ok(vec![
        Figure::plain("kills", number(f64::from(rounds))),
        Figure::none("servers left over", left_over, &[]),
        Figure::at_most("servers ended after at most", largest(&endings), 6.0, "s"),
        Figure::at_most("slowest start after a kill", largest(&starts), 1.0, "s"),
        Figure::none("starts after which a program failed", broken.len(), &broken),
        Figure::is("a program from a shell afterwards", checked.stdout.trim().to_owned(), "whole".to_owned()),
    ])
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NAN, f64::max)
}
