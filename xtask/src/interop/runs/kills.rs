//! `mortise run` and `mortise serve` killed at random moments: the run goes on as if nothing had happened.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::super::Interop;
use super::gateway::StdioGateway;
use super::home::{LIMIT, RunHome};
use crate::bench::statistics::Dice;
use crate::process::{self, Running};

const KILLS: usize = 200;
const WORKERS: usize = 2;
const PROGRAMS: [&str; 4] = ["gather", "group", "steps", "mixed"];
const LOOK: Duration = Duration::from_millis(2);

/// What an undisturbed run of a program came to.
struct Undisturbed {
    file: PathBuf,
    output: String,
    effects: BTreeMap<String, usize>,
    time: Duration,
}

#[derive(Default)]
struct Tally {
    kills: AtomicUsize,
    runs: AtomicUsize,
    allowed: AtomicUsize,
    denied: AtomicUsize,
    effects: AtomicUsize,
}

pub(super) fn check(interop: &Interop<'_>) -> Result<String> {
    let programs: Vec<Undisturbed> =
        PROGRAMS.iter().map(|name| undisturbed(interop, name)).collect::<Result<_>>()?;
    let tally = Tally::default();
    let rounds = AtomicUsize::new(0);
    thread::scope(|scope| {
        let work = || -> Result<()> {
            while tally.kills.load(Ordering::Relaxed) < KILLS {
                let round = rounds.fetch_add(1, Ordering::Relaxed);
                let program = &programs[round % programs.len()];
                let home = RunHome::new(interop, &format!("round-{round}"), "")?;
                let mut killed = KilledRun {
                    home: &home,
                    program,
                    tally: &tally,
                    dice: Dice::new(round as u64),
                    is_served: round % 8 >= 4,
                };
                killed.end().with_context(|| format!("round {round}, {}", program.file.display()))?;
                home.remove()?;
            }
            Ok(())
        };
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            match worker.join() {
                Ok(outcome) => outcome?,
                Err(_) => bail!("a worker panicked"),
            }
        }
        Ok(())
    })?;
    let count = |number: &AtomicUsize| number.load(Ordering::Relaxed);
    Ok(format!(
        "{} kills in {} runs: every output and replay equal, {} effects each exactly once; {} unknown outcomes allowed, {} denied",
        count(&tally.kills),
        count(&tally.runs),
        count(&tally.effects),
        count(&tally.allowed),
        count(&tally.denied)
    ))
}

fn undisturbed(interop: &Interop<'_>, name: &str) -> Result<Undisturbed> {
    let file = interop.workspace.root().join(format!("xtask/interop/runs/{name}.py"));
    let home = RunHome::new(interop, &format!("undisturbed-{name}"), "")?;
    let started = Instant::now();
    let finished = process::run_ok(home.mortise(&["run"]).arg(&file), LIMIT)?;
    let time = started.elapsed();
    let effects = home.effects()?;
    ensure!(effects.values().all(|count| *count == 1), "{name} has effects twice without any kill");
    home.remove()?;
    Ok(Undisturbed { file, output: finished.stdout, effects, time })
}

/// One run, killed and resumed until it has ended.
struct KilledRun<'a> {
    home: &'a RunHome,
    program: &'a Undisturbed,
    tally: &'a Tally,
    dice: Dice,
    is_served: bool,
}

/// What is known about the run after a process has ended.
enum Stage {
    NotBegun,
    Stopped { run: String },
    Ended { output: String },
}

impl KilledRun<'_> {
    fn end(&mut self) -> Result<()> {
        let mut stage = Stage::NotBegun;
        loop {
            match &stage {
                Stage::NotBegun => self.start()?,
                Stage::Stopped { run } => {
                    self.answer(run)?;
                    let run = run.clone();
                    self.resume(&run)?;
                }
                Stage::Ended { output } => {
                    ensure!(
                        *output == self.program.output,
                        "the output is {output:?} and was {:?}",
                        self.program.output
                    );
                    break;
                }
            }
            stage = self.stage()?;
            if matches!(stage, Stage::NotBegun) {
                ensure!(self.home.effects()?.is_empty(), "a run had effects and was not recorded");
            }
        }
        self.judge_effects()?;
        self.tally.runs.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn start(&mut self) -> Result<()> {
        if self.is_served {
            let code = fs::read_to_string(&self.program.file)?;
            return self.serve("execute_program", &json!({ "code": code }));
        }
        let mut command = self.home.mortise(&["run"]);
        let running =
            Running::start(command.arg(&self.program.file).stdout(Stdio::null()).stderr(Stdio::null()))?;
        self.kill_or_wait(running)
    }

    fn resume(&mut self, run: &str) -> Result<()> {
        if self.is_served && self.dice.below(2) == 0 {
            return self.serve("resume_program", &json!({ "run": run }));
        }
        let mut command = self.home.mortise(&["resume", run]);
        let running = Running::start(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
        self.kill_or_wait(running)
    }

    fn serve(&mut self, tool: &str, arguments: &Value) -> Result<()> {
        let mut gateway = StdioGateway::start(self.home)?;
        match self.moment() {
            Some(moment) => {
                gateway.send_call(tool, arguments)?;
                self.kill(&mut gateway.running, moment)
            }
            None => gateway.call(tool, arguments).map(drop),
        }
    }

    /// When the next process is killed; `None` if it may end.
    fn moment(&mut self) -> Option<Duration> {
        let is_enough = self.tally.kills.load(Ordering::Relaxed) >= KILLS;
        let share = self.dice.below(1000) as u32;
        (!is_enough && self.dice.below(4) > 0).then(|| self.program.time * share / 1000)
    }

    fn kill_or_wait(&mut self, mut running: Running) -> Result<()> {
        match self.moment() {
            Some(moment) => self.kill(&mut running, moment),
            None => running.wait(LIMIT).map(drop),
        }
    }

    fn kill(&self, running: &mut Running, moment: Duration) -> Result<()> {
        let started = Instant::now();
        while started.elapsed() < moment {
            if running.child().try_wait()?.is_some() {
                return Ok(());
            }
            thread::sleep(LOOK);
        }
        if running.child().try_wait()?.is_none() {
            running.child().kill()?;
            running.child().wait()?;
            self.tally.kills.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Replays the run, which says whether it has ended, and compares.
    fn stage(&self) -> Result<Stage> {
        self.home.effects()?;
        let replayed = self.home.about_runs(&["replay", "last", "--json"])?;
        if replayed.status.success() {
            let answer: Value = serde_json::from_str(&replayed.stdout)?;
            let output = answer["output"].as_str().unwrap_or_default().to_owned();
            return Ok(Stage::Ended { output });
        }
        let said = &replayed.stderr;
        match said.split('`').nth(1) {
            Some(run) if said.contains("has not ended") => Ok(Stage::Stopped { run: run.to_owned() }),
            _ if said.contains("no runs")
                || said.contains("there is no run")
                || said.contains("no journal") =>
            {
                Ok(Stage::NotBegun)
            }
            _ => bail!("replay ended with {}: {}{said}", replayed.status, replayed.stdout),
        }
    }

    /// Answers the open question: calls whose effect is counted must not be made again.
    fn answer(&self, run: &str) -> Result<()> {
        let listed = self.home.about_runs(&["approvals", "--json"])?;
        let questions: Vec<Value> = serde_json::from_str(&listed.stdout)
            .with_context(|| format!("approvals printed {}{}", listed.stdout, listed.stderr))?;
        let Some(question) = questions.iter().find(|question| question["run"] == run) else { return Ok(()) };
        let effects = self.home.effects()?;
        let tools = question["question"]["tools"].as_array().context("a question without tools")?;
        let keys = tools.iter().flat_map(|tool| tool["arguments"].as_array().into_iter().flatten()).map(key);
        let mut is_done = keys.map(|key| key.is_none_or(|key| effects.contains_key(&format!("add {key}"))));
        let (word, tally) = match is_done.any(|done| done) {
            true => ("deny", &self.tally.denied),
            false => ("allow", &self.tally.allowed),
        };
        let id = question["id"].as_str().unwrap_or_default();
        let decided = self.home.about_runs(&["approvals", word, id])?;
        ensure!(decided.status.success(), "approvals {word} {id}: {}", decided.stderr);
        tally.fetch_add(tools.len(), Ordering::Relaxed);
        Ok(())
    }

    fn judge_effects(&self) -> Result<()> {
        let effects = self.home.effects()?;
        for (effect, count) in &effects {
            ensure!(self.program.effects.contains_key(effect), "`{effect}` happened and should not");
            ensure!(*count == 1 || effect.starts_with("put "), "`{effect}` happened {count} times");
        }
        for effect in self.program.effects.keys() {
            ensure!(effects.contains_key(effect), "`{effect}` is missing");
        }
        self.tally.effects.fetch_add(effects.len(), Ordering::Relaxed);
        Ok(())
    }
}

/// The key among shown arguments, which are JSON or a string that holds JSON.
fn key(arguments: &Value) -> Option<String> {
    let inner = arguments.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    inner.as_ref().unwrap_or(arguments)["key"].as_str().map(str::to_owned)
}
