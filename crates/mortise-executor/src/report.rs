//! The answer to a run of a program. Its phrases are fixed: models have learnt them.

use mortise_contract::RawJson;

use mortise_script::RunReport;

use crate::ledger::{CallEffect, Ledger};
use crate::run::{CutTime, RunOutcome};

/// The first line of a run that succeeded.
const SUCCEEDED: &str = "[Script executed successfully]";
/// The first line of a run that failed.
const FAILED: &str = "[Script execution failed]";

/// What there is to say about a run.
#[derive(Clone, Copy, Debug)]
pub struct RunText<'a> {
    /// What the program printed, already within its limit.
    pub output: &'a str,
    /// Whether something had to be left out of it.
    pub truncated: bool,
    /// What it gave to `emit`.
    pub emitted: Option<&'a RawJson>,
    /// The traceback or error, if it failed.
    pub error: Option<&'a str>,
    /// What the program had called before it failed.
    pub called: Option<&'a Ledger>,
    /// The trace lines, if they were asked for.
    pub trace: Option<&'a str>,
}

impl RunText<'_> {
    /// The text of the result.
    pub fn text(&self) -> String {
        let mut text = match self.error {
            None => self.success(),
            Some(error) => self.failure(error),
        };
        if let Some(trace) = self.trace {
            new_line(&mut text);
            text.push_str(trace);
        }
        text
    }

    fn success(&self) -> String {
        let mut text = format!("{SUCCEEDED}\n");
        self.push_output(&mut text);
        self.push_emitted(&mut text, "--- result ---");
        text
    }

    fn failure(&self, error: &str) -> String {
        let mut text = format!("{FAILED}\n{}", error.trim_end());
        for line in self.called.into_iter().flat_map(effects) {
            text.push_str(&format!("\n{line}"));
        }
        if !self.output.trim().is_empty() {
            text.push_str("\n\n--- output before the error ---\n");
            self.push_output(&mut text);
        }
        self.push_emitted(&mut text, "--- result before the error ---");
        text
    }

    fn push_emitted(&self, text: &mut String, heading: &str) {
        if let Some(emitted) = self.emitted {
            new_line(text);
            text.push_str(&format!("{heading}\n{}", emitted.text()));
        }
    }

    fn push_output(&self, text: &mut String) {
        if self.output.trim().is_empty() && !self.truncated {
            text.push_str("(no output)");
            return;
        }
        text.push_str(self.output);
        if self.truncated {
            new_line(text);
            text.push_str("... (truncated)");
        }
    }
}

/// `Calls that had already succeeded: a, b ×2` and the like, for a program that failed after them: running it again
/// makes them again.
pub fn effects(ledger: &Ledger) -> Vec<String> {
    let named = |effect: CallEffect, what: &str| {
        let calls: Vec<String> = ledger
            .with_effect(effect)
            .into_iter()
            .map(|(tool, count)| if count == 1 { tool.to_owned() } else { format!("{tool} ×{count}") })
            .collect();
        (!calls.is_empty()).then(|| format!("Calls that {what}: {}", calls.join(", ")))
    };
    let taken = named(CallEffect::Taken, "had already succeeded");
    let unknown = named(CallEffect::Unknown, "got no answer and may have taken effect");
    taken.into_iter().chain(unknown).collect()
}

/// What a run left out of its answer, and how much: printed output, earlier values of `emit`, time that it was asked to
/// take.
pub fn cuts(outcome: &RunOutcome) -> Vec<String> {
    let RunOutcome { report, cut_time, .. } = outcome;
    let time = cut_time.map(|CutTime { asked, limit }| {
        format!(
            "timeout_seconds={} was cut to {}, the configured limit (execution.timeout_seconds).",
            asked.as_secs_f64(),
            limit.as_secs_f64()
        )
    });
    let printed = report.truncated.then(|| {
        let (kept, printed) = (report.output.len(), report.stats.output);
        if let Some(whole) = &outcome.kept_output {
            let where_it_is = whole.sentence(printed);
            return format!("The output was cut: {kept} of {printed} bytes are shown (execution.max_output_bytes). {where_it_is}");
        }
        let gone = printed.saturating_sub(kept as u64);
        format!("The output was cut: {kept} of {printed} bytes are shown, {gone} are gone (execution.max_output_bytes). Print less, or filter in the program.")
    });
    time.into_iter().chain(printed).chain(overwritten(report)).collect()
}

/// How a run that waits for a person can be answered and go on.
pub fn how_to_answer(outcome: &RunOutcome) -> Option<String> {
    let (waits_for, run) = (outcome.waits_for.as_ref()?, outcome.run.as_ref()?);
    let id = &waits_for.id;
    Some(format!(
        "The run waits as `{run}`. A person answers with `mortise approvals allow {id}` or `mortise approvals deny {id}`; \
         then call resume_program with run=\"{run}\"."
    ))
}

/// How many values of `emit` a later one replaced.
pub fn overwritten(report: &RunReport) -> Option<String> {
    let (emits, gone) = (report.stats.emits, report.stats.emits.saturating_sub(1));
    let values = if gone == 1 { "1 earlier value is" } else { &format!("{gone} earlier values are") };
    (gone > 0)
        .then(|| format!("emit() was called {emits} times: the last value is the result, {values} gone."))
}

fn new_line(text: &mut String) {
    if !text.ends_with('\n') {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests;
