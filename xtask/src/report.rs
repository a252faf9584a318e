//! What a chore did: progress while it runs, a table of steps with their times at the end.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Writes one line to standard error.
pub fn say(line: &str) {
    // A closed pipe does not stop the work.
    writeln!(std::io::stderr(), "{line}").ok();
}

/// Steps of one chore. Every step runs, whatever the earlier ones did.
pub struct Report {
    chore: String,
    steps: Vec<Step>,
}

struct Step {
    name: String,
    time: Duration,
    outcome: Result<String>,
    rerun: String,
}

impl Report {
    /// An empty report of the chore with this name.
    pub fn new(chore: &str) -> Self {
        Self { chore: chore.to_owned(), steps: Vec::new() }
    }

    /// Runs a step. `work` returns what was done in a few words; `rerun` is the command that does only this.
    pub fn step(&mut self, name: &str, rerun: &str, work: impl FnOnce() -> Result<String>) {
        say(&format!("{}: {name} …", self.chore));
        let started = Instant::now();
        let outcome = work();
        let time = started.elapsed();
        match &outcome {
            Ok(done) => say(&format!("{}: {name}: {done} ({})", self.chore, seconds(time))),
            Err(error) => say(&format!("{}: {name} FAILED ({})\n{error:#}", self.chore, seconds(time))),
        }
        self.steps.push(Step { name: name.to_owned(), time, outcome, rerun: rerun.to_owned() });
    }

    /// Prints the table; an error if any step failed or none was run.
    pub fn finish(self) -> Result<()> {
        say(&format!("\n{}", self.table()));
        if self.steps.is_empty() {
            bail!("{} had nothing to do", self.chore);
        }
        let failed: Vec<&Step> = self.steps.iter().filter(|step| step.outcome.is_err()).collect();
        for step in &failed {
            say(&format!("run only {} again: {}", step.name, step.rerun));
        }
        match failed.len() {
            0 => Ok(()),
            count => bail!("{}: {count} of {} steps failed", self.chore, self.steps.len()),
        }
    }

    fn table(&self) -> String {
        let width = self.steps.iter().map(|step| step.name.len()).max().unwrap_or_default();
        self.steps
            .iter()
            .map(|step| {
                let outcome = match &step.outcome {
                    Ok(done) => format!("ok: {done}"),
                    Err(_) => "FAILED".to_owned(),
                };
                format!("{:width$}  {:>9}  {outcome}\n", step.name, seconds(step.time))
            })
            .collect()
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
