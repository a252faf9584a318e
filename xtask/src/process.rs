//! Runs other programs: a time limit on each, their whole process group stopped when it passes.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};

/// What a finished program left.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// All it wrote to standard output, with invalid UTF-8 replaced.
    pub stdout: String,
    /// All it wrote to standard error, with invalid UTF-8 replaced.
    pub stderr: String,
    /// How long it ran.
    pub time: Duration,
}

impl Finished {
    /// The last lines of standard error, or of standard output if that is empty.
    pub fn tail(&self, lines: usize) -> String {
        let text = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        last_lines(text, lines)
    }
}

/// A running program that is stopped, with all it started, when the value is dropped.
pub struct Running {
    child: Child,
    name: String,
}

impl Running {
    /// Starts a program in a process group of its own.
    pub fn start(command: &mut Command) -> Result<Self> {
        let name = display(command);
        let child = command.process_group(0).spawn().with_context(|| format!("cannot start `{name}`"))?;
        Ok(Self { child, name })
    }

    /// The process, for its pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits until the program ends, or stops it when the time is over.
    pub fn wait(mut self, limit: Duration) -> Result<ExitStatus> {
        let started = Instant::now();
        // A short pause keeps the wait cheap; programs here run for tens of milliseconds at least.
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) =
                self.child.try_wait().with_context(|| format!("waiting for `{}`", self.name))?
            {
                return Ok(status);
            }
            if started.elapsed() > limit {
                bail!("`{}` did not end within {} s and was stopped", self.name, limit.as_secs());
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // The group may be gone already, which is what we want.
            kill_process_group(group, Signal::KILL).ok();
        }
        self.child.wait().ok();
    }
}

/// Runs a program without standard input and collects what it writes.
pub fn run(command: &mut Command, limit: Duration) -> Result<Finished> {
    run_with_input(command, Stdio::null(), limit)
}

/// Runs a program that reads from `input` and collects what it writes.
pub fn run_with_input(command: &mut Command, input: impl Into<Stdio>, limit: Duration) -> Result<Finished> {
    let started = Instant::now();
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running::start(command)?;
    let stdout = collect(running.child().stdout.take());
    let stderr = collect(running.child().stderr.take());
    let ended = running.wait(limit);
    // After the group is gone no process holds the pipes, so the readers end.
    let stdout = stdout.recv().unwrap_or_default();
    let stderr = stderr.recv().unwrap_or_default();
    match ended {
        Ok(status) => Ok(Finished { status, stdout, stderr, time: started.elapsed() }),
        Err(error) => Err(error.context(last_lines(&stderr, 20))),
    }
}

/// Runs a program and fails, with the end of its output, unless it succeeds.
pub fn run_ok(command: &mut Command, limit: Duration) -> Result<Finished> {
    let finished = run(command, limit)?;
    if !finished.status.success() {
        bail!("`{}` ended with {}\n{}", display(command), finished.status, finished.tail(40));
    }
    Ok(finished)
}

/// Runs a program on our own terminal and fails unless it succeeds.
pub fn run_shown(command: &mut Command, limit: Duration) -> Result<()> {
    let status = Running::start(command.stdin(Stdio::null()))?.wait(limit)?;
    if !status.success() {
        bail!("`{}` ended with {status}", display(command));
    }
    Ok(())
}

/// The command as a person would type it.
pub fn display(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or_default().to_owned();
    command.get_args().fold(program, |text, argument| format!("{text} {}", argument.to_string_lossy()))
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut bytes).ok();
        }
        sender.send(String::from_utf8_lossy(&bytes).into_owned()).ok();
    });
    receiver
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

#[cfg(test)]
mod tests;
