//! What a check found, and how it is said.

use std::collections::HashSet;
use std::fmt;

use mortise_contract::CheckMode;
use serde::{Deserialize, Serialize};

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypecheckReport {
    /// How strictly the program was checked.
    pub mode: CheckMode,
    /// What was found, by place; of many, what refuses the program comes before the rest.
    pub findings: Vec<TypecheckFinding>,
    /// Further findings, which are only counted.
    pub omitted: usize,
    /// Why the program could not be checked, if so; then there are no findings.
    pub unchecked: Option<Unchecked>,
}

/// Why a program was not checked. It runs all the same, unless the check is [`CheckMode::Strict`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Unchecked {
    /// The check was stopped at its time limit.
    #[error("the check took longer than {milliseconds} ms")]
    Time { milliseconds: u64 },
    /// Expressions or blocks are nested too deeply.
    #[error("the program nests deeper than {limit} levels")]
    Nesting { limit: usize },
    /// It is longer than a program may be, and so can't run either.
    #[error("the program is {length} bytes long; the limit is {limit} bytes (max_source_bytes={limit})")]
    Length {
        /// Bytes of the program.
        length: usize,
        limit: usize,
    },
    /// Too many programs wait for their check, and no session has more of them waiting than this one.
    #[error("{waiting} programs wait to be checked")]
    Busy {
        /// Programs that wait.
        waiting: usize,
    },
    /// Other checks took all the time in which this one could begin.
    #[error("no type checker was free within {milliseconds} ms")]
    Turn { milliseconds: u64 },
    /// The program used up the stack or the memory of the checker's process.
    #[error("the type checker's process ended during the check")]
    Crashed,
    /// The checker's process can't be started.
    #[error("the type checker's process can't be started")]
    NotStarted,
    /// The checker failed.
    #[error("the type checker failed")]
    Failed,
}

/// One mistake, or one sign of a mistake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypecheckFinding {
    /// Whether it refuses the program.
    pub severity: TypecheckSeverity,
    /// The rule that found it.
    pub rule: TypecheckRule,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong, in one sentence without a final period.
    pub message: String,
    /// The line of the program, shortened around the place where it is long.
    pub excerpt: String,
    /// The place within the excerpt: first character from 0, and how many.
    pub caret: (usize, usize),
    /// The declared shape or signature; the observed one if [`ShapeBasis::Observed`].
    pub declared: Option<String>,
    /// What the finding rests on.
    pub basis: ShapeBasis,
    /// The right name, if one is near.
    pub nearest: Option<String>,
}

/// Where the types come from that a finding rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShapeBasis {
    /// A server declares them, or the program itself does.
    #[default]
    Declared,
    /// Results so far were of these types. Such a finding never refuses a program.
    Observed,
}

/// Whether a finding refuses the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TypecheckSeverity {
    /// The program runs, with a warning.
    Warn,
    /// The program does not run.
    Refuse,
}

/// Rules of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TypecheckRule {
    /// The source is not Python.
    Syntax,
    /// A key that the declared shape lacks.
    UnknownKey,
    /// A field read as an attribute: values are dicts.
    FieldAsAttribute,
    /// A required argument of a tool is missing.
    MissingArgument,
    /// An argument that a tool does not have.
    UnknownArgument,
    /// An argument of a tool by position.
    PositionalArgument,
    /// An argument of a tool with a value that it does not take.
    WrongArgument,
    /// A tool that is not there.
    UnknownTool,
    /// A name that is not defined.
    UnknownName,
    /// A module that is not there.
    UnknownModule,
    /// A tool call without `await`.
    NotAwaited,
    /// A value in a place where its type surely fails.
    WrongType,
    /// A function of the program that never runs.
    NeverRuns,
    /// A field that may be null or missing, read as if it were there.
    MaybeAbsent,
    /// Anything else that the types say.
    Types,
}

impl TypecheckRule {
    /// Its string form in structured results.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Findings that a refusal or a warning lists.
const SHOWN: usize = 10;
pub(crate) const KEPT: usize = 100;

impl TypecheckReport {
    /// A report with the first [`KEPT`] findings; those that refuse come first.
    pub(crate) fn of(mut findings: Vec<TypecheckFinding>) -> Self {
        let omitted = findings.len().saturating_sub(KEPT);
        if omitted > 0 {
            findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
            findings.truncate(KEPT);
            findings.sort_by_key(|finding| (finding.line, finding.column));
        }
        Self { findings, omitted, ..Self::default() }
    }

    /// The report with what a check found that took observed shapes for declared ones. All of that is warnings, where the
    /// report says nothing itself.
    pub(crate) fn with_observed(mut self, observed: Self) -> Self {
        let known: HashSet<(usize, usize)> =
            self.findings.iter().map(|finding| (finding.line, finding.column)).collect();
        let is_new = |finding: &TypecheckFinding| !known.contains(&(finding.line, finding.column));
        let further =
            observed.findings.into_iter().filter(is_new).filter(TypecheckFinding::is_worth_observing);
        self.findings.extend(further.map(TypecheckFinding::observed));
        self.findings.sort_by_key(|finding| (finding.line, finding.column));
        let omitted = self.omitted;
        let report = Self::of(self.findings);
        Self { omitted: report.omitted + omitted, ..report }
    }

    /// A program that could not be checked.
    pub fn unchecked(why: Unchecked) -> Self {
        Self { unchecked: Some(why), ..Self::default() }
    }

    /// The findings that refuse the program.
    pub fn refusals(&self) -> impl Iterator<Item = &TypecheckFinding> {
        self.findings.iter().filter(|finding| finding.severity == TypecheckSeverity::Refuse)
    }

    /// The findings that are warnings.
    pub fn warnings(&self) -> impl Iterator<Item = &TypecheckFinding> {
        self.findings.iter().filter(|finding| finding.severity == TypecheckSeverity::Warn)
    }

    /// Whether the program must not run.
    pub fn is_refused(&self) -> bool {
        self.refusals().next().is_some() || self.missing_check().is_some()
    }

    /// Why a program that may only run when it was checked was not.
    pub fn missing_check(&self) -> Option<Unchecked> {
        self.unchecked.filter(|_| self.mode == CheckMode::Strict)
    }

    /// The text of a refusal: what is wrong, that nothing was called, and how to run the program all the same.
    pub fn refusal(&self) -> Option<String> {
        if let Some(why) = self.missing_check() {
            let guard = CheckMode::Guard.as_str();
            return Some(format!(
                "CheckError: the program could not be checked; no tool was called\n\n{why}\n\nSimplify the program, or \
                 pass check=\"{guard}\" to run it without a check (mortise run: --check {guard})."
            ));
        }
        let count = self.refusals().count();
        if count == 0 {
            return None;
        }
        let least = if self.omitted > 0 && count == KEPT { "at least " } else { "" };
        let problems = if count == 1 { "1 problem" } else { &format!("{least}{count} problems") };
        let mut text = format!("CheckError: {problems} found; no tool was called\n");
        push_findings(&mut text, self.refusals(), count);
        // What is not Python can't run without a check either.
        if self.refusals().all(|finding| finding.rule == TypecheckRule::Syntax) {
            return Some(text.trim_end().to_owned());
        }
        let off = CheckMode::Off.as_str();
        text.push_str(&format!(
            "\nTo run the program as it is, pass check=\"{off}\" (mortise run: --check {off})."
        ));
        Some(text)
    }

    /// The text of the warnings.
    pub fn warning(&self) -> Option<String> {
        let count = self.warnings().count();
        if count == 0 {
            return None;
        }
        let mut text = "Warnings of the check before the run:\n".to_owned();
        push_findings(&mut text, self.warnings(), count);
        Some(text.trim_end().to_owned())
    }
}

fn push_findings<'a>(text: &mut String, findings: impl Iterator<Item = &'a TypecheckFinding>, count: usize) {
    for finding in findings.take(SHOWN) {
        text.push_str(&format!("\n{finding}\n"));
    }
    if count > SHOWN {
        text.push_str(&format!("\n… and {} more\n", count - SHOWN));
    }
}

impl TypecheckFinding {
    /// Whether a finding is worth a warning though no server declares what it rests on.
    fn is_worth_observing(&self) -> bool {
        match self.rule {
            TypecheckRule::UnknownKey | TypecheckRule::FieldAsAttribute | TypecheckRule::MaybeAbsent => true,
            TypecheckRule::WrongType => self.severity == TypecheckSeverity::Refuse,
            _ => false,
        }
    }

    /// The finding as a warning that says what it rests on.
    fn observed(mut self) -> Self {
        if !self.message.contains(OBSERVED) {
            self.message.push_str(" (by observed results; nothing is declared)");
        }
        Self { severity: TypecheckSeverity::Warn, basis: ShapeBasis::Observed, ..self }
    }
}

/// A word of every message that rests on observed results.
const OBSERVED: &str = "observed";

impl fmt::Display for TypecheckFinding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}: {}", self.line, self.column, self.message)?;
        if let Some(nearest) = &self.nearest {
            write!(formatter, "; did you mean `{nearest}`?")?;
        }
        let (start, width) = self.caret;
        write!(formatter, "\n    {}\n    {}{}", self.excerpt, " ".repeat(start), "^".repeat(width.max(1)))?;
        if let Some(declared) = &self.declared {
            let basis = match self.basis {
                ShapeBasis::Declared => "declared",
                ShapeBasis::Observed => "observed",
            };
            write!(formatter, "\n  {basis}: {declared}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
