//! What a run of a program looks like to the one who asked for it. The texts are fixed: models have learnt them.

use mortise_contract::RawJson;

use crate::ledger::{Effect, Ledger};

/// The first line of a run that succeeded.
const SUCCEEDED: &str = "[Script executed successfully]";
/// The first line of a run that failed.
const FAILED: &str = "[Script execution failed]";

/// What there is to say about a run.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
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

impl Report<'_> {
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
        if let Some(emitted) = self.emitted {
            new_line(&mut text);
            text.push_str("--- result ---\n");
            text.push_str(emitted.text());
        }
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
        text
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

/// `Calls that had already succeeded: a, b ×2` and the like, for a program that failed after them: whoever runs it again
/// makes them again.
pub fn effects(ledger: &Ledger) -> Vec<String> {
    let named = |effect: Effect, what: &str| {
        let calls: Vec<String> = ledger
            .with_effect(effect)
            .into_iter()
            .map(|(tool, count)| if count == 1 { tool.to_owned() } else { format!("{tool} ×{count}") })
            .collect();
        (!calls.is_empty()).then(|| format!("Calls that {what}: {}", calls.join(", ")))
    };
    let taken = named(Effect::Taken, "had already succeeded");
    let unknown = named(Effect::Unknown, "got no answer and may have taken effect");
    taken.into_iter().chain(unknown).collect()
}

fn new_line(text: &mut String) {
    if !text.ends_with('\n') {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests;
