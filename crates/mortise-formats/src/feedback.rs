//! What a wizard made, in sentences for people, rendered from its result.

// Values come from paths and hints: a line break in one would fake a line of ours.
use mortise_contract::text::{counted, one_line};

use crate::format::{Complexity, ParserExecution, ValidationResults};
use crate::python::Version;

/// How marks are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marks {
    /// `✓ ⚠ ✗ →`
    #[default]
    Unicode,
    /// `[ok] [!] [x] ->`
    Ascii,
}

impl Marks {
    fn good(self) -> &'static str {
        self.choose("✓", "[ok]")
    }

    fn warning(self) -> &'static str {
        self.choose("⚠", "[!]")
    }

    fn bad(self) -> &'static str {
        self.choose("✗", "[x]")
    }

    fn arrow(self) -> &'static str {
        self.choose("→", "->")
    }

    fn choose(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        match self {
            Self::Unicode => unicode,
            Self::Ascii => ascii,
        }
    }
}

/// A rule without code.
#[derive(Clone, Copy, Debug)]
pub struct RuleFeedback<'a> {
    /// What the rule conforms to.
    pub schema_version: &'a str,
    /// How much there is to review.
    pub complexity: Complexity,
    /// Questions that are still open.
    pub open_questions: usize,
}

impl RuleFeedback<'_> {
    pub fn render(&self, marks: Marks) -> String {
        let last = match self.open_questions {
            0 => "Ready to approve and use immediately".to_owned(),
            open => format!("Review {} before approving", counted(open, "open question")),
        };
        lines(&[
            format!("{} Generated YAML Extraction Rule", marks.good()),
            format!("  Schema: {}", one_line(self.schema_version)),
            format!("  Complexity: {}", self.complexity.title()),
            format!("  {last}"),
        ])
    }
}

/// A rule with code beside it.
#[derive(Clone, Copy, Debug)]
pub struct HybridFeedback<'a> {
    /// Whether the rule is valid.
    pub rule_is_valid: bool,
    /// What the code does: `quarter expansion (start_month, end_month)`.
    pub fallback_summary: &'a str,
    /// Why there is code.
    pub decision_reason: &'a str,
}

impl HybridFeedback<'_> {
    pub fn render(&self, marks: Marks) -> String {
        let rule = match self.rule_is_valid {
            true => marks.good(),
            false => marks.bad(),
        };
        lines(&[
            format!("{} Generated Rule with Code Fallback", marks.warning()),
            format!("  Primary (YAML): Extraction Rule {rule}"),
            format!("  Fallback (Python): {}", one_line(self.fallback_summary)),
            format!("  Reason: {}", one_line(self.decision_reason)),
            format!("  {} Use YAML rule first; enable Python if rule fails", marks.arrow()),
        ])
    }
}

/// A parser.
#[derive(Clone, Copy, Debug)]
pub struct CodeFeedback<'a> {
    /// The language's name: `Python`.
    pub language: &'a str,
    /// The least version that runs it.
    pub min_version: Version,
    /// The first way in which the bridge protocol is broken.
    pub bridge_error: Option<&'a str>,
    /// How the tests went.
    pub tests: Tests<'a>,
    /// What is to be fixed.
    pub problems: usize,
}

/// How the tests of a parser went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tests<'a> {
    Ran {
        /// Those that passed.
        passed: usize,
        /// Those that failed.
        failed: usize,
    },
    /// They did not run.
    Skipped { reason: &'a str },
}

impl<'a> CodeFeedback<'a> {
    /// What the results of a Python parser say.
    ///
    /// Problems are what checks found, and the cases that failed; without such cases, what it raised.
    pub fn python(min_version: Version, results: &'a ValidationResults) -> Self {
        let checks = results.syntax_errors.len() + results.import_errors.len() + results.bridge.errors.len();
        let cases = match results.test_cases.failed {
            0 => results.runtime_errors.len(),
            failed => failed,
        };
        let tests = match results.execution {
            ParserExecution::Skipped => {
                Tests::Skipped { reason: results.skip_reason.as_deref().unwrap_or("no reason given") }
            }
            ParserExecution::Passed | ParserExecution::Failed => {
                Tests::Ran { passed: results.test_cases.passed, failed: results.test_cases.failed }
            }
        };
        let bridge_error = match (results.bridge.valid, results.bridge.errors.first()) {
            (true, _) => None,
            (false, Some(error)) => Some(error.reason.as_str()),
            (false, None) => Some("not checked"),
        };
        Self { language: "Python", min_version, bridge_error, tests, problems: checks + cases }
    }

    pub fn render(&self, marks: Marks) -> String {
        let language = one_line(self.language);
        let bridge = match self.bridge_error {
            None => format!("{} Valid", marks.good()),
            Some(error) => format!("{} {}", marks.bad(), one_line(error)),
        };
        let tests = match self.tests {
            Tests::Ran { passed, failed: 0 } => format!("{} passed", counted(passed, "test case")),
            Tests::Ran { passed, failed } => {
                format!("{} passed, {failed} failed", counted(passed, "test case"))
            }
            Tests::Skipped { reason } => format!("skipped ({})", one_line(reason)),
        };
        let next = match self.problems {
            0 => "Ready for backtest".to_owned(),
            problems => format!("Fix {} before backtest", counted(problems, "problem")),
        };
        lines(&[
            format!("Generated {language} Parser"),
            format!("  Language: {language} {}+", self.min_version),
            format!("  Bridge Protocol: {bridge}"),
            format!("  Validation: {tests}"),
            format!("  {} {next}", marks.arrow()),
        ])
    }
}

fn lines(lines: &[String]) -> String {
    lines.join("\n")
}

#[cfg(test)]
mod tests;
