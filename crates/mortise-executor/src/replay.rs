//! Repeats a recorded run offline and compares.

use std::sync::Arc;

use mortise_contract::RawJson;
use mortise_script::{
    CallRequest, CallValue, Engine, FailureKind, HostError, HostErrorKind, Program, RunError, RunReport,
    ToolHost,
};
use tokio_util::sync::CancellationToken;

use crate::journal::{KeptRun, RunId, RunState};
use crate::run::mounted_files;

/// What came of repeating a run.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The run again.
    pub report: RunReport,
    /// How it differs from the recorded one; `None` if it is the same, byte for byte.
    pub difference: Option<String>,
}

/// Why a run can't be repeated.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReplayError {
    /// Its guest never started: it was refused, or something stopped it before.
    #[error("run `{run}` never started: it was {}", state.as_str())]
    NeverStarted { run: RunId, state: RunState },
    /// It has not ended.
    #[error("run `{run}` has not ended: it is {}", state.as_str())]
    NotEnded { run: RunId, state: RunState },
    /// A part of it was not recorded.
    #[error("run `{run}` was not recorded as a whole")]
    Incomplete { run: RunId },
    /// A server sent a secret that is not recorded.
    #[error("run `{run}` can't be repeated: it held a configured secret, which is not recorded")]
    Secret { run: RunId },
    /// It can't be run now.
    #[error(transparent)]
    Busy(#[from] RunError),
}

/// Repeats a run without any server, and compares what it prints, emits and computes.
///
/// # Errors
///
/// When there is nothing to repeat.
pub async fn replay(engine: &Engine, run: &KeptRun) -> Result<Replayed, ReplayError> {
    let id = run.id.clone();
    if !run.is_complete {
        return Err(ReplayError::Incomplete { run: id });
    }
    if run.holds_secrets() {
        return Err(ReplayError::Secret { run: id });
    }
    let Some(end) = run.end().filter(|_| run.state.is_final()) else {
        return Err(ReplayError::NotEnded { run: id, state: run.state });
    };
    let Some(history) = run.history(run.after()).filter(|_| run.state != RunState::Refused) else {
        return Err(ReplayError::NeverStarted { run: id, state: run.state });
    };
    let mut limits = run.begun.limits.clone();
    limits.wall = mortise_contract::limits::PROGRAM_WALL_MAX;
    let Some(files) = mounted_files(&run.begun.files) else {
        return Err(ReplayError::Incomplete { run: id });
    };
    let program = Program { files, limits, history: Some(history), ..Program::new(run.begun.source.clone()) };
    let mut report = engine.run_program(program, Arc::new(Offline), (), &CancellationToken::new()).await?;
    let diverged = report.error.as_ref().filter(|error| error.kind == FailureKind::Diverged);
    let difference = match diverged {
        Some(error) => Some(error.message.clone()),
        None => {
            if end.is_ended_by_host {
                // Why the host ended it is not a part of the program.
                if let (Some(error), Some(recorded)) = (&mut report.error, &end.error) {
                    error.traceback.clone_from(recorded);
                }
            }
            difference(&report, end)
        }
    };
    Ok(Replayed { report, difference })
}

fn difference(report: &RunReport, end: &crate::journal::RunEnd) -> Option<String> {
    let error = report.error.as_ref().map(|error| error.traceback.as_str());
    if report.output != end.output {
        return Some(format!("the output differs at {}", first_difference(&end.output, &report.output)));
    }
    if report.emitted != end.emitted {
        return Some("the emitted value differs".to_owned());
    }
    if report.media != end.media {
        return Some("the emitted images or sounds differ".to_owned());
    }
    if error != end.error.as_deref() {
        let (recorded, now) = (end.error.as_deref().unwrap_or("no error"), error.unwrap_or("no error"));
        return Some(format!("the error differs: recorded was {recorded}, now it is {now}"));
    }
    (!end.is_ended_by_host && report.stats.fuel != end.fuel)
        .then(|| "the program computed something else, with the same output".to_owned())
}

/// `line 3: recorded was …, now it is …`
fn first_difference(recorded: &str, now: &str) -> String {
    let mut lines = recorded.lines().zip(now.lines()).zip(1_usize..);
    match lines.find(|((recorded, now), _)| recorded != now) {
        Some(((recorded, now), line)) => {
            let cut = |text| mortise_contract::text::cut(text, 200);
            format!("line {line}: recorded was `{}`, now it is `{}`", cut(recorded), cut(now))
        }
        None => format!("its end: recorded were {} bytes, now there are {}", recorded.len(), now.len()),
    }
}

/// Answers nothing: a repeated run has all answers.
struct Offline;

impl Offline {
    fn refusal() -> HostError {
        HostError::new(HostErrorKind::Internal, "a repeated run makes no calls")
    }
}

impl ToolHost for Offline {
    async fn call(&self, _: CallRequest) -> Result<CallValue, HostError> {
        Err(Self::refusal())
    }

    async fn inspect_tool(&self, _: String) -> Result<RawJson, HostError> {
        Err(Self::refusal())
    }

    async fn list_callable_tools(&self) -> Result<RawJson, HostError> {
        Err(Self::refusal())
    }

    async fn server_status(&self) -> Result<RawJson, HostError> {
        Err(Self::refusal())
    }
}
