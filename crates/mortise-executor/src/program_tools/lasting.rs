//! Programs that last longer than one answer: `wait_program`, `cancel_program`, `resume_program`.

use std::sync::Arc;
use std::time::Duration;

use mortise_server::{Answer, CallContext, ProtocolError, Reply};
use serde::Serialize;

use super::{ProgramTools, with_facts};
use crate::background::{BackgroundError, BackgroundRun, BackgroundWork};
use crate::declare::{CancelProgramInput, ResumeProgramInput, WaitProgramInput};
use crate::journal::{JournalError, KeptRun, RunId, RunOrigin, RunState};
use crate::kept::lasting_caller;
use crate::limits::PROGRAM_WAIT;
use crate::run::{ExecuteError, Resume, ResumeError, Run, RunOutcome};
use crate::tools::ANSWER_META;

/// The first line of an answer about a program that still runs.
const RUNNING: &str = "[Script still running]";

// The facts of a program that still runs.
#[derive(Serialize)]
struct RunningFacts<'a> {
    ok: Option<bool>,
    run: &'a RunId,
    state: RunState,
    output: &'a str,
    calls_done: usize,
}

impl ProgramTools {
    /// Runs a program that may go on after the answer.
    pub(super) async fn execute_in_background(
        &self,
        run: Run,
        seconds: f64,
        outlives: bool,
        context: &CallContext,
    ) -> Reply {
        let Some(id) = RunId::random() else {
            return Answer::error("[Script execution failed]\nthe system has no randomness to give").into();
        };
        let run = Run { id: Some(id.clone()), ..run };
        let bound_to = (!outlives).then(|| context.client_left().clone());
        let work = BackgroundWork::New(Box::new(run));
        let started = self.executor.background().start(&self.executor, id, context, work, bound_to);
        match started {
            Ok(run) => self.wait_for(&run, seconds, context).await,
            Err(error) => ProtocolError::overloaded(&error.to_string()).into(),
        }
    }

    pub(crate) async fn wait_program(
        self: Arc<Self>,
        input: WaitProgramInput,
        context: CallContext,
    ) -> Answer {
        let seconds = input.seconds.unwrap_or(PROGRAM_WAIT.as_secs_f64());
        match self.find_run(&input.run, &context) {
            Ok(FoundRun::Background(run)) => self.answer_of(&run, seconds, &context).await,
            Ok(FoundRun::Kept(kept)) => kept_answer(&kept),
            Err(error) => Answer::error(error.to_string()),
        }
    }

    pub(crate) async fn cancel_program(
        self: Arc<Self>,
        input: CancelProgramInput,
        context: CallContext,
    ) -> Answer {
        match self.find_run(&input.run, &context) {
            Ok(FoundRun::Background(run)) => {
                run.cancel();
                self.answer_of(&run, PROGRAM_WAIT.as_secs_f64(), &context).await
            }
            Ok(FoundRun::Kept(kept)) => {
                Answer::error(format!("run `{}` does not run: it is {}", kept.id, kept.state.as_str()))
            }
            Err(error) => Answer::error(error.to_string()),
        }
    }

    pub(crate) async fn resume_program(
        self: Arc<Self>,
        input: ResumeProgramInput,
        context: CallContext,
    ) -> Answer {
        let kept = match self.find_run(&input.run, &context) {
            Ok(FoundRun::Background(run)) => match run.ended_within(Duration::ZERO).await {
                None => {
                    return Answer::error(format!("run `{}` is running: wait_program waits for it", run.id));
                }
                Some(ended) => match ended.as_ref() {
                    Ok(outcome) if outcome.waits_for.is_none() => return self.answer(outcome),
                    _ => run.id.clone(),
                },
            },
            Ok(FoundRun::Kept(kept)) if kept.state.is_final() => return kept_answer(&kept),
            Ok(FoundRun::Kept(kept)) => kept.id,
            Err(error) => return Answer::error(error.to_string()),
        };
        let resume = Resume { context: Some(context.clone()), ..Resume::default() };
        let work = BackgroundWork::Resumed(resume);
        let bound_to = Some(context.client_left().clone());
        let started = self.executor.background().start(&self.executor, kept, &context, work, bound_to);
        match started {
            Ok(run) => {
                let seconds = input.yield_seconds.unwrap_or(f64::from(u16::MAX));
                self.answer_of(&run, seconds, &context).await
            }
            Err(error) => Answer::error(error.to_string()),
        }
    }

    async fn wait_for(&self, run: &BackgroundRun, seconds: f64, context: &CallContext) -> Reply {
        match self.ended(run, seconds, context).await {
            Some(ended) => match ended.as_ref() {
                Err(BackgroundError::Execute(ExecuteError::Busy(error))) => {
                    ProtocolError::overloaded(&error.to_string()).into()
                }
                ended => self.ended_answer(ended).into(),
            },
            None => still_running(run).into(),
        }
    }

    async fn answer_of(&self, run: &BackgroundRun, seconds: f64, context: &CallContext) -> Answer {
        match self.ended(run, seconds, context).await {
            Some(ended) => self.ended_answer(&ended),
            None => still_running(run),
        }
    }

    async fn ended(
        &self,
        run: &BackgroundRun,
        seconds: f64,
        context: &CallContext,
    ) -> Option<Arc<Result<RunOutcome, BackgroundError>>> {
        let time = Duration::try_from_secs_f64(seconds).unwrap_or(PROGRAM_WAIT);
        tokio::select! {
            ended = run.ended_within(time) => ended,
            () = context.cancellation().cancelled() => None,
            never = super::report_progress(context, run.progress.clone()) => match never {},
        }
    }

    fn ended_answer(&self, ended: &Result<RunOutcome, BackgroundError>) -> Answer {
        match ended {
            Ok(outcome) => self.answer(outcome),
            Err(error) => Answer::error(format!("[Script execution failed]\n{error}")),
        }
    }

    /// The run of this id, in this process or in the journal, if this client may know of it.
    fn find_run(&self, name: &str, context: &CallContext) -> Result<FoundRun, ResumeError> {
        let no_run = || JournalError::NoRun { name: name.chars().take(40).collect() };
        let id = RunId::parse(name).map_err(|_| no_run())?;
        if let Some(run) = self.executor.background().find(&id, context) {
            return Ok(FoundRun::Background(run));
        }
        let setup = self.executor.journal().ok_or(ResumeError::Off)?;
        let kept = setup.journal.read(&id)?;
        let is_theirs =
            kept.begun.origin == RunOrigin::Client && kept.begun.caller == lasting_caller(Some(context));
        if is_theirs { Ok(FoundRun::Kept(Box::new(kept))) } else { Err(no_run().into()) }
    }
}

enum FoundRun {
    Background(Arc<BackgroundRun>),
    Kept(Box<KeptRun>),
}

fn still_running(run: &BackgroundRun) -> Answer {
    let printed = run.printed();
    let shown = if printed.trim().is_empty() { "(no output yet)" } else { printed.as_str() };
    let done = run.progress.borrow().done;
    let text = format!(
        "{RUNNING}\n{}\n\nThe run is `{}`, {done} calls done. wait_program with run=\"{}\" waits for its end, \
         cancel_program stops it.",
        shown.trim_end(),
        run.id,
        run.id
    );
    let facts =
        RunningFacts { ok: None, run: &run.id, state: RunState::Running, output: &printed, calls_done: done };
    with_facts(Answer::text(text), ANSWER_META, &facts)
}

/// The answer to a question about a run that no process of ours runs.
fn kept_answer(kept: &KeptRun) -> Answer {
    let id = &kept.id;
    let Some(end) = kept.end().filter(|_| kept.state.is_final()) else {
        let next = match kept.state {
            RunState::Waiting => "it waits for approval: once a person has answered, call resume_program",
            RunState::Running => "another process runs it",
            _ => "it was interrupted: call resume_program",
        };
        return Answer::error(format!("run `{id}` has not ended; {next}."));
    };
    let text = crate::report::RunText {
        output: &end.output,
        truncated: end.truncated,
        emitted: end.emitted.as_ref(),
        error: end.error.as_deref(),
        called: None,
        trace: None,
    }
    .text();
    let output = end.output.as_str();
    let facts = RunningFacts {
        ok: Some(end.error.is_none()),
        run: id,
        state: kept.state,
        output,
        calls_done: end.calls,
    };
    let answer = if end.error.is_none() { Answer::text(text) } else { Answer::error(text) };
    with_facts(answer, ANSWER_META, &facts)
}
