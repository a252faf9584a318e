//! The calls of a run: each with its answer, in one line or as JSON.

use std::collections::BTreeMap;

use mortise_contract::RawJson;
use mortise_executor::journal::{AnswerEntry, CallEntry, KeptRun, RunEntry};
use mortise_executor::ledger::CallEffect;
use serde::Serialize;

use crate::terminal::Mark;

/// A call, its answer, or both: a call that was refused never left, one that was cut off has no answer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeptCall<'a> {
    pub(super) call: Option<&'a CallEntry>,
    pub(super) answer: Option<&'a AnswerEntry>,
}

/// The calls of a run by their numbers.
pub(super) fn calls(run: &KeptRun) -> BTreeMap<u64, KeptCall<'_>> {
    let mut calls: BTreeMap<u64, KeptCall<'_>> = BTreeMap::new();
    for entry in &run.entries {
        match entry {
            RunEntry::Call(call) => calls.entry(call.id).or_default().call = Some(call),
            RunEntry::Answer(answer) => calls.entry(answer.id).or_default().answer = Some(answer),
            _ => {}
        }
    }
    calls
}

impl<'a> KeptCall<'a> {
    /// `shop/list_orders`.
    pub(super) fn tool(&self) -> String {
        let name = self.call.map(|call| &call.tool).or(self.answer.map(|answer| &answer.tool));
        let name = name.map(String::as_str).unwrap_or_default();
        name.strip_prefix("mcp__").unwrap_or(name).replacen("__", "/", 1)
    }

    /// The arguments as they were sent; empty for a call that never left.
    pub(super) fn arguments(&self) -> &str {
        self.call.map(|call| call.arguments.text()).unwrap_or_default()
    }

    /// What the program got: JSON, or the sentence of an error.
    pub(super) fn result(&self) -> Option<&str> {
        Some(match &self.answer?.answer {
            Ok(value) => value.json.text(),
            Err(error) => &error.message,
        })
    }

    /// How it went, with words where the mark does not say it all.
    pub(super) fn standing(&self) -> (Mark, Option<String>) {
        let Some(answer) = self.answer else { return (Mark::Warn, Some("no answer is recorded".to_owned())) };
        let effect = match answer.effect {
            CallEffect::Taken => None,
            CallEffect::Unknown => Some("its effect is not known"),
            CallEffect::None => Some("without effect"),
        };
        match &answer.answer {
            Err(error) => {
                let words = [Some(error.message.as_str()), effect];
                (Mark::Bad, Some(words.into_iter().flatten().collect::<Vec<_>>().join("; ")))
            }
            Ok(_) => match answer.verdict.as_deref() {
                Some("valid") => (Mark::Good, effect.map(str::to_owned)),
                Some("invalid" | "missing" | "malformed" | "unexpected") => {
                    let word = answer.verdict.as_deref().unwrap_or_default().replace('_', " ");
                    let notes = answer.notes.first().map(|note| format!(": {note}")).unwrap_or_default();
                    (Mark::Bad, Some(format!("{word}{notes}")))
                }
                verdict => (Mark::Note, verdict.map(|verdict| verdict.replace('_', " "))),
            },
        }
    }

    pub(super) fn view(self, id: u64) -> CallView<'a> {
        let (value, error) = match self.answer.map(|answer| &answer.answer) {
            Some(Ok(value)) => (Some(&value.json), None),
            Some(Err(error)) => (None, Some(error)),
            None => (None, None),
        };
        CallView {
            id,
            tool: self
                .call
                .map(|call| call.tool.as_str())
                .or(self.answer.map(|answer| answer.tool.as_str()))
                .unwrap_or_default(),
            arguments: self.call.map(|call| &call.arguments),
            hidden: self.call.is_some_and(|call| call.is_hidden),
            left: self.call.is_some(),
            answered: self.answer.is_some(),
            value,
            error,
            effect: self.answer.map(|answer| answer.effect),
            verdict: self.answer.and_then(|answer| answer.verdict.as_deref()),
            notes: self.answer.map(|answer| answer.notes.as_slice()).unwrap_or_default(),
            elapsed_ms: self.answer.map(|answer| answer.elapsed_ms),
            bytes: self.answer.map(|answer| answer.bytes),
        }
    }
}

/// A call as `--json` has it.
#[derive(Serialize)]
pub(super) struct CallView<'a> {
    id: u64,
    tool: &'a str,
    arguments: Option<&'a RawJson>,
    /// Whether a secret was hidden in the arguments.
    hidden: bool,
    left: bool,
    answered: bool,
    value: Option<&'a RawJson>,
    error: Option<&'a mortise_script::HostError>,
    effect: Option<CallEffect>,
    verdict: Option<&'a str>,
    notes: &'a [String],
    elapsed_ms: Option<u64>,
    bytes: Option<usize>,
}
