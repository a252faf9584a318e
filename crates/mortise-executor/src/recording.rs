//! One run on its way into the journal.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mortise_client::secret::{Form, Secrets};
use mortise_contract::RawJson;
use mortise_contract::contract::Hints;
use mortise_script::{
    AfterHistory, CallRequest, CallValue, GuestStart, HostError, HostErrorKind, HostEvent, RecordedCall,
    RunHistory,
};
use parking_lot::Mutex;

use crate::journal::{
    AnswerEntry, CallEntry, Durability, Journal, JournalError, KeptRun, Repeatability, RunEnd, RunEntry,
    RunId,
};

/// What happens to a run that can't be recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnJournalFailure {
    /// It goes on, and its answer says so.
    #[default]
    GoOn,
    /// Calls that may change something fail.
    Stop,
}

/// The record of one run, written while it runs.
pub(crate) struct RunRecord {
    journal: Arc<dyn Journal>,
    pub(crate) run: RunId,
    on_failure: OnJournalFailure,
    /// What was printed since the last entry.
    printed: Arc<Mutex<String>>,
    /// Calls of an earlier process whose outcome is not known.
    unknown: HashMap<u64, Repeatability>,
    has_failed: AtomicBool,
    /// The secrets of all servers.
    secrets: Vec<Secrets>,
    /// Whether the run has ended or stopped for this process. A call that is being aborted may still bring an answer.
    is_over: Mutex<bool>,
}

impl RunRecord {
    pub(crate) fn new(
        journal: Arc<dyn Journal>,
        run: RunId,
        on_failure: OnJournalFailure,
        secrets: Vec<Secrets>,
    ) -> Self {
        let (printed, has_failed) = (Arc::default(), AtomicBool::new(false));
        let is_over = Mutex::new(false);
        Self { journal, run, on_failure, printed, unknown: HashMap::new(), has_failed, secrets, is_over }
    }

    /// Goes on with a run that an earlier process began.
    pub(crate) fn resumed(mut self, run: &KeptRun) -> Self {
        let mut unknown = HashMap::new();
        for entry in &run.entries {
            match entry {
                RunEntry::Call(call) => _ = unknown.insert(call.id, call.repeatable),
                RunEntry::Answer(answer) => _ = unknown.remove(&answer.id),
                _ => {}
            }
        }
        self.unknown = unknown;
        self
    }

    /// Whether an earlier process made this call, and it is not known what came of it.
    pub(crate) fn is_unknown(&self, id: u64) -> Option<Repeatability> {
        self.unknown.get(&id).copied()
    }

    /// Adds an entry, unless the last one has been added.
    pub(crate) fn append(&self, entry: RunEntry) {
        let is_over = self.is_over.lock();
        if !*is_over {
            self.flush_printed();
            self.journal.append(&self.run, entry);
        }
    }

    /// Adds the last entry.
    pub(crate) fn append_last(&self, entry: RunEntry) {
        let mut is_over = self.is_over.lock();
        if !std::mem::replace(&mut *is_over, true) {
            self.flush_printed();
            self.journal.append(&self.run, entry);
        }
    }

    /// Where output goes to be recorded.
    pub(crate) fn printing(&self) -> RecordedOutput {
        RecordedOutput(Arc::clone(&self.printed))
    }

    fn flush_printed(&self) {
        let printed = std::mem::take(&mut *self.printed.lock());
        if !printed.is_empty() {
            self.journal.append(&self.run, RunEntry::Printed(self.hide(&printed)));
        }
    }

    /// Records a call before it leaves. One that may change something waits until the record survives the machine.
    pub(crate) async fn leaving(
        &self,
        request: &CallRequest,
        hints: Hints,
        secrets: &Secrets,
        at_ms: u64,
    ) -> Result<(), HostError> {
        let repeatable = match hints {
            Hints { read_only: true, .. } => Repeatability::ReadOnly,
            Hints { idempotent: true, .. } => Repeatability::Idempotent,
            _ => Repeatability::Unsafe,
        };
        let hidden = without_secrets(&request.arguments, secrets);
        self.append(RunEntry::Call(CallEntry {
            id: request.id,
            tool: request.name.clone(),
            is_hidden: hidden.is_some(),
            arguments: hidden.unwrap_or_else(|| request.arguments.clone()),
            wanted: request.wanted,
            repeatable,
            at_ms,
        }));
        if repeatable == Repeatability::ReadOnly {
            return Ok(());
        }
        match self.journal.kept(&self.run, Durability::Machine).await {
            Ok(()) => Ok(()),
            Err(error) => self.not_recorded(&request.name, &error),
        }
    }

    fn not_recorded(&self, name: &str, error: &JournalError) -> Result<(), HostError> {
        if !self.has_failed.swap(true, Ordering::Relaxed) {
            tracing::error!(event = "mortise.journal.failed", run = %self.run, %error, "a run is not recorded");
        }
        match self.on_failure {
            OnJournalFailure::GoOn => Ok(()),
            OnJournalFailure::Stop => {
                let message = format!("'{name}' was not called: the run can't be recorded ({error})");
                Err(HostError::new(HostErrorKind::Internal, message))
            }
        }
    }

    pub(crate) fn answered(&self, answer: AnswerEntry, secrets: Option<&Secrets>) {
        let answer = match secrets {
            Some(secrets) => {
                let hidden = hidden_answer(answer.answer.clone(), secrets);
                AnswerEntry { is_hidden: hidden != answer.answer, answer: hidden, ..answer }
            }
            None => answer,
        };
        self.append(RunEntry::Answer(answer));
    }

    /// The end of the run, without secrets.
    pub(crate) fn without_secrets(&self, end: RunEnd) -> RunEnd {
        let output = self.hide(&end.output);
        let error = end.error.as_deref().map(|error| self.hide(error));
        let emitted = end.emitted.clone().map(|emitted| self.hide_json(emitted));
        let is_hidden = output != end.output || error != end.error || emitted != end.emitted;
        RunEnd { output, error, emitted, is_hidden, ..end }
    }

    fn hide(&self, text: &str) -> String {
        self.secrets
            .iter()
            .fold(text.to_owned(), |text, secrets| secrets.hide_certain_in_name(&text).into_owned())
    }

    fn hide_json(&self, json: RawJson) -> RawJson {
        self.secrets.iter().fold(json, |json, secrets| without_secrets(&json, secrets).unwrap_or(json))
    }

    pub(crate) fn started(&self, start: &GuestStart) {
        self.append(RunEntry::Started(start.clone()));
    }

    pub(crate) fn happened(&self, event: &HostEvent) {
        self.append(RunEntry::Event(event.clone()));
    }

    /// Why this run is not recorded as a whole, if it is not.
    pub(crate) async fn fault(&self) -> Option<JournalError> {
        self.journal.kept(&self.run, Durability::Process).await.err()
    }
}

/// Keeps output for the next entry.
pub(crate) struct RecordedOutput(Arc<Mutex<String>>);

impl RecordedOutput {
    pub(crate) fn write(&self, text: &str) {
        self.0.lock().push_str(text);
    }
}

fn without_secrets(json: &RawJson, secrets: &Secrets) -> Option<RawJson> {
    RawJson::parse(&secrets.hide_certain(json.text(), &Form::default())?).ok()
}

fn hidden_answer(answer: Result<CallValue, HostError>, secrets: &Secrets) -> Result<CallValue, HostError> {
    let hide = |json: RawJson| without_secrets(&json, secrets).unwrap_or(json);
    match answer {
        Ok(value) => Ok(CallValue { json: hide(value.json), ..value }),
        Err(error) => Err(HostError {
            message: secrets.hide_certain_in_name(&error.message).into_owned(),
            said: error.said.map(|said| secrets.hide_certain_in_name(&said).into_owned()),
            structured: error.structured.map(hide),
            content: error.content.map(|content| Box::new(hide(*content))),
            ..error
        }),
    }
}

impl KeptRun {
    /// Whether an answer held a secret, which is not recorded. Repeated, the program would get another value.
    pub fn holds_secrets(&self) -> bool {
        self.entries.iter().any(|entry| match entry {
            RunEntry::Answer(answer) => answer.is_hidden,
            RunEntry::Ended(end) => end.is_hidden,
            _ => false,
        })
    }

    /// What the run depended on, to repeat it. `None` if its guest never started.
    pub fn history(&self, after: AfterHistory) -> Option<RunHistory> {
        let mut start = None;
        let mut events = Vec::new();
        let mut calls = std::collections::BTreeMap::new();
        for entry in &self.entries {
            match entry {
                // A run that waited before its first event may have started more than once.
                RunEntry::Started(guest) => {
                    start = Some(guest.clone());
                    events.clear();
                }
                RunEntry::Event(event) => events.push(event.clone()),
                RunEntry::Call(call) => {
                    let arguments = (!call.is_hidden).then(|| call.arguments.clone());
                    let (name, wanted) = (call.tool.clone(), Some(call.wanted));
                    calls.insert(call.id, RecordedCall { name, arguments, wanted, answer: None });
                }
                RunEntry::Answer(answer) => {
                    let refused = || RecordedCall {
                        name: answer.tool.clone(),
                        arguments: None,
                        wanted: None,
                        answer: None,
                    };
                    calls.entry(answer.id).or_insert_with(refused).answer = Some(answer.answer.clone());
                }
                _ => {}
            }
        }
        Some(RunHistory { start: start?, events, calls: Arc::new(calls), after })
    }
}
