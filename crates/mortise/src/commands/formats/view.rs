//! The report for a person at a terminal.

use std::fmt::Write as _;

use mortise_formats::check::{FormatReport, RuleOutcome};
use mortise_formats::format::ErrorBody;

use crate::terminal::{Mark, Terminal, Tint, escape};

/// The format, then a line for every rule that applies, and what breaks it.
pub(super) fn view(terminal: &Terminal, report: &FormatReport) -> String {
    let mut text = String::new();
    let format = match (report.is_error, report.format) {
        (true, _) => "an error",
        (false, Some(format)) => format.as_str(),
        (false, None) => "none that can be recognised",
    };
    _ = writeln!(text, "Format: {}", terminal.paint(Tint::Name, format));
    for (rule, outcome) in &report.rules {
        match outcome {
            RuleOutcome::NotApplicable => {}
            RuleOutcome::Holds => {
                text.push_str(&terminal.marked(2, Mark::Good, &format!("{rule}: {}", rule.demand())));
            }
            RuleOutcome::Broken(errors) => {
                text.push_str(&terminal.marked(2, Mark::Bad, &format!("{rule}: {}", rule.demand())));
                for error in errors {
                    push_error(&mut text, terminal, error);
                }
            }
        }
    }
    for note in &report.notes {
        text.push_str(&terminal.marked(2, Mark::Note, &escape::line(note)));
    }
    text
}

fn push_error(text: &mut String, terminal: &Terminal, error: &ErrorBody) {
    text.push_str(&terminal.hang(&[(None, "    ")], None, &escape::line(&error.to_string())));
    let lead = [(None, "    "), (Some(Tint::Dim), "Fix: ")];
    text.push_str(&terminal.hang(&lead, None, &escape::line(&error.suggestion)));
    for detail in &error.details {
        push_error(text, terminal, detail);
    }
}
