//! Runs and the journal: how a run is begun, ended and gone on with.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mortise_contract::CheckMode;
use mortise_script::{AfterHistory, FailureKind, Limits, MountedFile, OutputSink, RunReport};
use mortise_typecheck::named_tools;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{ExecuteError, Executor, Run, RunOutcome};
use crate::approvals::{ApprovalAsker, caller_name};
use crate::journal::{
    ContractUse, Journal, JournalError, KeptFile, KeptRun, RunBegun, RunEnd, RunEntry, RunId, RunState,
};
use crate::ledger::Ledger;
use crate::limits::KEPT_FILE;
use crate::progress::RunProgress;
use crate::recording::{OnJournalFailure, RunRecord};
use crate::registry::ToolSnapshot;
use crate::wall_clock::milliseconds_since_1970;

/// Where runs are recorded.
#[derive(Clone, Debug)]
pub struct JournalSetup {
    pub journal: Arc<dyn Journal>,
    pub on_failure: OnJournalFailure,
}

/// How a run goes on.
#[derive(Debug, Default)]
pub struct Resume {
    /// Who is asked about calls that need agreement, or whose outcome is not known.
    pub asker: Option<Arc<dyn ApprovalAsker>>,
    /// The request that asked for it, if a client did.
    pub context: Option<mortise_server::CallContext>,
    /// A shorter wall time than the configured one.
    pub timeout: Option<std::time::Duration>,
}

/// Why a run does not go on.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// Runs are not recorded.
    #[error("runs are not recorded here (journal: off)")]
    Off,
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A part of it was not recorded.
    #[error("run `{run}` was not recorded as a whole, so it can't go on")]
    Incomplete { run: RunId },
    /// A server sent a secret that is not recorded.
    #[error("run `{run}` can't go on: a server sent it a configured secret, which is not recorded")]
    Secret { run: RunId },
    #[error(transparent)]
    Execute(#[from] ExecuteError),
}

impl Executor {
    /// Records runs that start from now on; `None` records none.
    pub fn set_journal(&self, setup: Option<JournalSetup>) {
        self.journal.store(setup.map(Arc::new));
    }

    /// Where runs are recorded.
    pub fn journal(&self) -> Option<Arc<JournalSetup>> {
        self.journal.load_full()
    }

    /// Goes on with a run where it stopped. Calls that were answered are not made again.
    ///
    /// # Errors
    ///
    /// When there is no such run, it has ended, another process runs it, or it can't be run.
    pub async fn resume_run(
        &self,
        id: &RunId,
        resume: Resume,
        sink: impl OutputSink,
        progress: watch::Sender<RunProgress>,
        cancel: &CancellationToken,
    ) -> Result<RunOutcome, ResumeError> {
        let setup = self.journal().ok_or(ResumeError::Off)?;
        // What can fail comes before the claim: a run that is claimed and not run could not go on elsewhere.
        self.engine().await?;
        let kept = setup.journal.read(id)?;
        let Some(files) = mounted_files(&kept.begun.files).filter(|_| kept.is_complete) else {
            return Err(ResumeError::Incomplete { run: id.clone() });
        };
        if kept.holds_secrets() {
            return Err(ResumeError::Secret { run: id.clone() });
        }
        setup.journal.claim(id)?;
        // Another process may have gone on with it before the claim.
        let kept = setup.journal.read(id).inspect_err(|_| {
            setup.journal.append(id, RunEntry::Stopped { at_ms: milliseconds_since_1970() });
        })?;
        let begun = &kept.begun;
        let run = Run {
            source: begun.source.clone(),
            name: begun.name.clone(),
            origin: begun.origin,
            arguments: begun.arguments.clone(),
            files,
            check: Some(begun.check),
            timeout: resume.timeout,
            context: resume.context,
            asker: resume.asker,
            resumed: Some(kept),
            ..Run::default()
        };
        Ok(self.run_program(run, sink, progress, cancel).await?)
    }

    /// Begins the record of a run, or goes on with it; `None` where runs are not recorded.
    pub(super) fn record_of(
        &self,
        run: &Run,
        limits: &Limits,
        check: CheckMode,
        caller: &str,
        snapshot: &ToolSnapshot,
    ) -> Option<RunRecord> {
        let setup = self.journal()?;
        let secrets = self.registry().servers().iter().map(|server| server.secrets().clone()).collect();
        if let Some(kept) = &run.resumed {
            let record = RunRecord::new(setup.journal.clone(), kept.id.clone(), setup.on_failure, secrets)
                .resumed(kept);
            record.append(RunEntry::Resumed { at_ms: milliseconds_since_1970() });
            return Some(record);
        }
        let id = run.id.clone().or_else(RunId::random)?;
        setup.journal.begin(
            &id,
            RunBegun {
                at_ms: milliseconds_since_1970(),
                origin: run.origin,
                client: caller_name(run.context.as_ref()),
                caller: caller.to_owned(),
                name: run.name.clone(),
                source: run.source.clone(),
                arguments: run.arguments.clone(),
                files: run.files.iter().map(kept_file).collect(),
                limits: limits.clone(),
                check,
                contracts: contracts(&run.source, snapshot),
            },
        );
        Some(RunRecord::new(setup.journal.clone(), id, setup.on_failure, secrets))
    }
}

/// The tools that a program names, as they are declared.
fn contracts(source: &str, snapshot: &ToolSnapshot) -> Vec<ContractUse> {
    let named = named_tools(source);
    let tools = named.iter().filter_map(|name| snapshot.tool(name));
    tools
        .map(|tool| ContractUse {
            tool: tool.callable.to_string(),
            server: tool.upstream.name().to_string(),
            digest: tool.contract.digest().to_owned(),
        })
        .collect()
}

fn kept_file(file: &MountedFile) -> KeptFile {
    let content = (file.bytes_long() <= KEPT_FILE as u64).then(|| file.read_all().ok()).flatten();
    KeptFile { path: file.path().to_owned(), content: content.map(|content| STANDARD.encode(content)) }
}

/// The files of a recorded run; `None` if one of them was not kept.
pub(crate) fn mounted_files(files: &[KeptFile]) -> Option<Vec<MountedFile>> {
    let mounted =
        |file: &KeptFile| MountedFile::bytes(&file.path, STANDARD.decode(file.content.as_ref()?).ok()?).ok();
    files.iter().map(mounted).collect()
}

/// Marks a run that is dropped before its end as stopped, so that it can go on later.
pub(super) struct EndsRecord<'a> {
    record: Option<&'a RunRecord>,
}

impl<'a> EndsRecord<'a> {
    pub(super) fn new(record: Option<&'a RunRecord>) -> Self {
        Self { record }
    }

    /// The run ended with this state.
    pub(super) fn end(mut self, report: &RunReport, ledger: &Ledger, state: RunState) {
        if let Some(record) = self.record.take() {
            record.append_last(RunEntry::Ended(record.without_secrets(ended(report, ledger, state))));
        }
    }

    /// The run waits for a person.
    pub(super) fn wait(mut self) {
        if let Some(record) = self.record.take() {
            record.append_last(RunEntry::Waiting { at_ms: milliseconds_since_1970() });
        }
    }
}

impl Drop for EndsRecord<'_> {
    fn drop(&mut self) {
        if let Some(record) = self.record.take() {
            record.append_last(RunEntry::Stopped { at_ms: milliseconds_since_1970() });
        }
    }
}

/// What a report comes to.
pub(super) fn state_of(report: &RunReport) -> RunState {
    match report.error.as_ref().map(|error| error.kind) {
        None => RunState::Succeeded,
        Some(FailureKind::Cancelled) => RunState::Cancelled,
        Some(FailureKind::Check) => RunState::Refused,
        Some(_) => RunState::Failed,
    }
}

fn ended(report: &RunReport, ledger: &Ledger, state: RunState) -> RunEnd {
    RunEnd {
        at_ms: milliseconds_since_1970(),
        state,
        output: report.output.clone(),
        truncated: report.truncated,
        emitted: report.emitted.clone(),
        media: report.media.clone(),
        error: report.error.as_ref().map(|error| error.traceback.clone()),
        is_hidden: false,
        is_ended_by_host: matches!(
            report.error.as_ref().map(|error| error.kind),
            Some(FailureKind::Time | FailureKind::Cancelled | FailureKind::Memory)
        ),
        fuel: report.stats.fuel,
        wall_ms: u64::try_from(report.stats.wall.as_millis()).unwrap_or(u64::MAX),
        calls: ledger.calls(),
        failed_calls: ledger.failed(),
    }
}

impl KeptRun {
    /// How the run ended, if it did.
    pub fn end(&self) -> Option<&RunEnd> {
        self.entries.iter().rev().find_map(|entry| match entry {
            RunEntry::Ended(end) => Some(end),
            _ => None,
        })
    }

    /// What happens after the last event when the run is repeated.
    pub fn after(&self) -> AfterHistory {
        match self.end() {
            Some(end) if end.is_ended_by_host => AfterHistory::EndedByHost { fuel: end.fuel },
            Some(_) => AfterHistory::End,
            None => AfterHistory::GoOn,
        }
    }
}
