//! One checker's process: started, sent one program at a time, killed when an answer is late.

use std::collections::HashSet;
use std::io;
use std::process::Stdio;
use std::time::Duration;

use mortise_typecheck::wire::{CheckAnswer, HEADER, NamedRequest, ToChecker, encode};
use mortise_typecheck::{CheckRequest, TypecheckReport, Unchecked};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot};

use super::CheckerOptions;

/// The largest answer: a hundred findings with their texts.
const ANSWER_BYTES: usize = 4 << 20;
/// Contracts that one process is sent before it is replaced.
const CONTRACTS: usize = 2_000;
/// Bytes of a line of standard error that are logged.
const LINE_BYTES: u64 = 2_000;

#[derive(Debug)]
pub(super) enum Task {
    WarmUp,
    WarmUpFor(String),
    Check(Box<CheckExchange>),
}

/// One program and the channel for its report.
#[derive(Debug)]
pub(super) struct CheckExchange {
    pub(super) request: CheckRequest,
    pub(super) time: Duration,
    pub(super) reply: oneshot::Sender<TypecheckReport>,
}

/// What became of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Happened {
    /// It answered, and is ready for the next program.
    Answered,
    /// It answered, and holds more memory than it should keep.
    Spent,
    /// A check killed it, or it was killed for one.
    Lost,
    /// It ended while it had nothing to do.
    Ended,
}

/// The end of a process that programs are sent by. Dropping it kills the process.
#[derive(Debug)]
pub(super) struct CheckerProcess {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    memory: u64,
    /// Above this many bytes of resident memory it is replaced.
    resident: u64,
    /// How long it may take to read a message.
    patience: Duration,
    /// Digests of the contracts that it knows.
    sent: HashSet<String>,
}

impl CheckerProcess {
    /// Starts the command without our environment, our directory and our terminal's signals. Its standard error is
    /// for [`log_lines`].
    pub(super) fn start(options: &CheckerOptions) -> io::Result<(Self, ChildStderr)> {
        let mut command = Command::new(&options.command.program);
        command.args(&options.command.arguments).env_clear().current_dir("/");
        #[cfg(unix)]
        command.process_group(0).arg0(&options.command.name);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("a process was started without its pipes"));
        };
        tracing::debug!(
            event = "mortise.checker.started",
            pid = child.id(),
            "a type checker process started"
        );
        let (memory, resident, patience) = (options.memory, options.resident, options.time);
        let sent = HashSet::new();
        Ok((Self { child, stdin, stdout, memory, resident, patience, sent }, stderr))
    }

    /// Does what it is sent, and says after each check, and at its end, what happened. Ends when no more can come.
    pub(super) async fn run(mut self, mut tasks: mpsc::Receiver<Task>, mut happened: impl FnMut(Happened)) {
        if self.send(&ToChecker::Limit { memory: self.memory }).await.is_err() {
            return end(&mut tasks, happened);
        }
        loop {
            let task = tokio::select! {
                biased;
                _ = self.child.wait() => return end(&mut tasks, happened),
                task = tasks.recv() => task,
            };
            let sent = match task {
                None => return,
                Some(Task::WarmUp) => self.send(&ToChecker::WarmUp).await,
                Some(Task::WarmUpFor(source)) => self.send(&ToChecker::WarmUpFor { source }).await,
                Some(Task::Check(exchange)) => {
                    let outcome = self.check(*exchange).await;
                    happened(outcome);
                    if outcome == Happened::Lost {
                        return;
                    }
                    Ok(())
                }
            };
            if sent.is_err() {
                return end(&mut tasks, happened);
            }
        }
    }

    /// Checks one program. Whatever goes wrong, the process does not go on with it afterwards.
    async fn check(&mut self, exchange: CheckExchange) -> Happened {
        let CheckExchange { request, time, mut reply } = exchange;
        let mode = request.mode;
        let why = tokio::select! {
            answer = tokio::time::timeout(time, self.exchange(request)) => match answer {
                Ok(Ok(answer)) => {
                    let is_large = answer.resident.is_some_and(|resident| resident > self.resident);
                    // A requester that has gone needs no report.
                    _ = reply.send(answer.report);
                    let is_spent = is_large || self.sent.len() > CONTRACTS;
                    return if is_spent { Happened::Spent } else { Happened::Answered };
                }
                Ok(Err(error)) => {
                    tracing::debug!(%error, "the type checker process did not answer");
                    Unchecked::Crashed
                }
                Err(_) => Unchecked::Time { milliseconds: milliseconds(time) },
            },
            () = reply.closed() => Unchecked::Failed,
        };
        // What can't be killed has ended already.
        _ = self.child.kill().await;
        tracing::info!(event = "mortise.checker.lost", %why, "a type checker process ended with its check");
        _ = reply.send(TypecheckReport { mode, ..TypecheckReport::unchecked(why) });
        Happened::Lost
    }

    async fn exchange(&mut self, request: CheckRequest) -> io::Result<CheckAnswer> {
        let mut frames = Vec::new();
        for tool in &request.tools {
            let digest = tool.contract.digest();
            if self.sent.insert(digest.to_owned()) {
                let text = tool.contract.raw.text().to_owned();
                encode(&ToChecker::Contract { digest: digest.to_owned(), text }, &mut frames)?;
            }
        }
        encode(&ToChecker::Check(NamedRequest::of(request)), &mut frames)?;
        self.stdin.write_all(&frames).await?;
        let mut header = [0; HEADER];
        self.stdout.read_exact(&mut header).await?;
        let length = u32::from_le_bytes(header) as usize;
        if length > ANSWER_BYTES {
            return Err(io::Error::other(format!("an answer of {length} bytes is over {ANSWER_BYTES}")));
        }
        let mut body = vec![0; length];
        self.stdout.read_exact(&mut body).await?;
        Ok(serde_json::from_slice(&body)?)
    }

    async fn send(&mut self, message: &ToChecker) -> io::Result<()> {
        let mut frame = Vec::new();
        encode(message, &mut frame)?;
        tokio::time::timeout(self.patience, self.stdin.write_all(&frame)).await?
    }
}

/// Says that the process ended on its own, also to a program that was about to be sent.
fn end(tasks: &mut mpsc::Receiver<Task>, mut happened: impl FnMut(Happened)) {
    tasks.close();
    while let Ok(task) = tasks.try_recv() {
        if let Task::Check(exchange) = task {
            exchange.give_up(Unchecked::Crashed);
        }
    }
    happened(Happened::Ended);
}

impl CheckExchange {
    /// Reports that the program was not checked. A requester that has gone needs no report.
    pub(super) fn give_up(self, why: Unchecked) {
        _ = self.reply.send(TypecheckReport { mode: self.request.mode, ..TypecheckReport::unchecked(why) });
    }
}

/// What the process says on standard error is for debugging alone: users did not start it.
pub(super) async fn log_lines(stderr: ChildStderr) {
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut stderr).take(LINE_BYTES).read_until(b'\n', &mut line).await {
            Ok(1..) => tracing::debug!(line = %String::from_utf8_lossy(line.trim_ascii()), "type checker"),
            _ => return,
        }
    }
}

pub(super) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
