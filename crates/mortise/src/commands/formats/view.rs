//! The report for a person at a terminal.

use std::fmt::Write as _;

use mortise_formats::check::{FormatReport, RuleOutcome};
use mortise_formats::format::ErrorBody;

use crate::terminal::{Terminal, Tint, escape};

/// The format, then a line for every rule that applies, and what breaks it.
pub(super) fn view(terminal: &Terminal, report: &FormatReport) -> String {
    let mut text = String::new();
    let format = match (report.is_error, report.format) {
        (true, _) => "an error",
        (false, Some(format)) => format.as_str(),
        (false, None) => "none that can be told",
    };
    _ = writeln!(text, "format: {}", terminal.paint(Tint::Name, format));
    for (rule, outcome) in &report.rules {
        match outcome {
            RuleOutcome::NotApplicable => {}
            RuleOutcome::Holds => {
                _ = writeln!(text, "  {}      {rule}: {}", terminal.paint(Tint::Good, "ok"), rule.demand());
            }
            RuleOutcome::Broken(errors) => {
                _ = writeln!(text, "  {}  {rule}: {}", terminal.paint(Tint::Bad, "broken"), rule.demand());
                for error in errors {
                    told(&mut text, terminal, error);
                }
            }
        }
    }
    for note in &report.notes {
        _ = writeln!(text, "  {}    {}", terminal.paint(Tint::Dim, "note"), escape::line(note));
    }
    text
}

fn told(text: &mut String, terminal: &Terminal, error: &ErrorBody) {
    _ = writeln!(text, "          {}", escape::line(&error.to_string()));
    _ = writeln!(text, "          {} {}", terminal.paint(Tint::Dim, "fix:"), escape::line(&error.suggestion));
    for detail in &error.details {
        told(text, terminal, detail);
    }
}
