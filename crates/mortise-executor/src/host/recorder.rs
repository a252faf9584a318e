//! What the journal gets of a program's calls.

use mortise_client::Upstream;
use mortise_contract::contract::Hints;
use mortise_script::{CallOutcome, CallRequest, CallValue, GuestStart, HostError, HostEvent, RunRecorder};

use super::{Bridge, effect, milliseconds};
use crate::journal::AnswerEntry;
use crate::ledger::CallEffect;

impl Bridge {
    /// Records a call that is about to leave.
    pub(crate) async fn record_leaving(
        &self,
        request: &CallRequest,
        hints: Hints,
        upstream: &Upstream,
    ) -> Result<(), HostError> {
        let Some(record) = &self.record else { return Ok(()) };
        record.leaving(request, hints, upstream.secrets(), milliseconds(self.began.elapsed())).await
    }
}

impl RunRecorder for Bridge {
    fn started(&self, start: &GuestStart) {
        self.record.iter().for_each(|record| record.started(start));
    }

    fn happened(&self, event: &HostEvent) {
        self.record.iter().for_each(|record| record.happened(event));
    }

    fn answered(&self, id: u64, name: &str, answer: &Result<CallValue, HostError>) {
        let Some(record) = &self.record else { return };
        let details = self.details.lock();
        let detail = details.get(&id);
        let outcome = match answer {
            Ok(_) => CallOutcome::Ok,
            Err(error) => CallOutcome::Failed { kind: error.kind, message: String::new() },
        };
        let entry = AnswerEntry {
            id,
            tool: name.to_owned(),
            is_hidden: false,
            answer: answer.clone(),
            effect: detail.map_or(CallEffect::None, |detail| effect(&outcome, detail)),
            verdict: detail.and_then(|detail| detail.verdict.clone()),
            notes: detail.map(|detail| detail.notes.clone()).unwrap_or_default(),
            elapsed_ms: detail.and_then(|detail| detail.elapsed).map_or(0, milliseconds),
            bytes: detail.map_or(0, |detail| detail.bytes),
        };
        drop(details);
        record.answered(entry, self.snapshot.tool(name).map(|tool| tool.upstream.secrets()));
    }
}
