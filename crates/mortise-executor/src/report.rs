//! What a run of a program looks like to the one who asked for it. The texts are fixed: models have learnt them.

use mortise_contract::RawJson;

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
    /// Calls that had succeeded before it failed, by tool.
    pub taken_effect: &'a [(&'a str, usize)],
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
        if let Some(line) = already_succeeded(self.taken_effect) {
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

/// `Calls that had already succeeded: a, b ×2`, for a program that failed after them.
pub fn already_succeeded(calls: &[(&str, usize)]) -> Option<String> {
    let shown: Vec<String> = calls
        .iter()
        .map(|(tool, count)| if *count == 1 { (*tool).to_owned() } else { format!("{tool} ×{count}") })
        .collect();
    (!shown.is_empty()).then(|| format!("Calls that had already succeeded: {}", shown.join(", ")))
}

fn new_line(text: &mut String) {
    if !text.ends_with('\n') {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests;
