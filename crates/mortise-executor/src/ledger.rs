//! What a program called, and what came of it.
//!
//! Four views of the same records: a summary of at most 2 KiB for the model,
//! the calls one by one (at most 64 KiB) for `_meta`, the same without that
//! bound for a shell, and the trace lines.

use std::collections::BTreeMap;
use std::time::Duration;

use mortise_contract::RawJson;
use mortise_contract::json::canonical_text;
use mortise_contract::text::cut;
use serde::{Deserialize, Serialize};

/// Bytes of the summary's JSON.
const SUMMARY_BYTES: usize = 2048;
/// Bytes of the call-by-call JSON.
const DETAIL_BYTES: usize = 64 * 1024;
/// Characters of arguments kept for a call.
const ARGUMENT_CHARACTERS: usize = 200;
/// Characters of a result kept for a call, where results are kept.
pub(crate) const RESULT_CHARACTERS: usize = 1_000;
/// Characters of an error kept for a call.
const ERROR_CHARACTERS: usize = 300;
/// Tools, and parts of each tool's results, that the line about parts left behind names.
const PARTS: usize = 3;
/// Failures that the summary and the trace name.
const FAILURES: usize = 5;

/// One call of one program.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRecord {
    /// The callable name.
    pub tool: String,
    /// Its arguments with sorted keys, at most 200 characters.
    pub arguments: String,
    /// Milliseconds from the program's start to its call.
    pub started_ms: u64,
    /// Milliseconds from asking to answer.
    pub elapsed_ms: u64,
    /// Milliseconds before that, waiting for its turn among the program's calls.
    pub waited_ms: u64,
    /// Bytes of the result.
    pub bytes: usize,
    /// `valid`, `invalid`, `missing`, `no_schema` …; none if the call was not answered.
    pub verdict: Option<String>,
    /// The start of the result, if [`Excerpts::ArgumentsAndResults`] are kept.
    pub result: String,
    /// What the verdict remarks, and the first violations.
    pub notes: Vec<String>,
    /// What the result held beside the value that the program got: `text`, `image (image/png)`.
    pub left: Vec<String>,
    /// Why it failed, if it did.
    pub error: Option<String>,
    /// Whether it was refused because the program had used up its calls.
    pub is_refused: bool,
    /// Whether it did what it was to do.
    pub effect: CallEffect,
}

/// What is kept of the texts of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Excerpts {
    /// The start of the arguments.
    #[default]
    Arguments,
    /// The start of the arguments and of the result.
    ArgumentsAndResults,
}

/// Whether a call did what it was to do, as far as can be known from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallEffect {
    /// The tool answered, and not that it failed. The program may have got an error even so, for what was in the answer.
    Taken,
    /// It left, and no answer came that could be read.
    Unknown,
    /// It never left, or the tool says that it failed.
    None,
}

/// The calls of one program, in the order in which they ended.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    records: Vec<CallRecord>,
    /// Calls beyond the budget that were refused and not recorded one by one.
    unrecorded: usize,
}

/// A text from outside on one line, without what would act on a terminal or hide in it.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' => line.extend(character.escape_default()),
            character if is_hidden(character) => line.extend(character.escape_unicode()),
            character => line.push(character),
        }
    }
    line
}

/// Control characters, line separators, and marks that change the direction of what follows.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Arguments as the ledger shows them.
pub fn shown_arguments(arguments: &RawJson) -> String {
    let text = arguments.value().map_or_else(|_| arguments.text().to_owned(), |value| canonical_text(&value));
    cut(&text, ARGUMENT_CHARACTERS)
}

impl Ledger {
    /// Adds a call that ended.
    pub fn push(&mut self, mut record: CallRecord) {
        record.error = record.error.map(|error| cut(&on_one_line(&error), ERROR_CHARACTERS));
        record.arguments = cut(&on_one_line(&record.arguments), ARGUMENT_CHARACTERS + 1);
        for note in record.notes.iter_mut().chain(&mut record.left) {
            *note = cut(&on_one_line(note), ERROR_CHARACTERS);
        }
        self.records.push(record);
    }

    /// Notes calls that were refused and of which nothing else is known.
    pub(crate) fn not_recorded(&mut self, calls: usize) {
        self.unrecorded += calls;
    }

    /// Calls recorded as refused for lack of budget.
    pub(crate) fn refused(&self) -> usize {
        self.records.iter().filter(|record| record.is_refused).count()
    }

    pub fn records(&self) -> &[CallRecord] {
        &self.records
    }

    /// All calls, refused ones included.
    pub fn calls(&self) -> usize {
        self.records.len() + self.unrecorded
    }

    /// Calls that failed.
    pub fn failed(&self) -> usize {
        self.records.iter().filter(|record| record.error.is_some()).count() + self.unrecorded
    }

    /// Per tool: calls, failures, time, bytes and verdicts; the first failures; what stayed out of the model's context.
    pub fn summary(&self, output_bytes: usize) -> LedgerSummary<'_> {
        let bytes: usize = self.records.iter().map(|record| record.bytes).sum();
        let refused = self.refused() + self.unrecorded;
        let mut summary = LedgerSummary {
            calls: self.calls(),
            failed: self.failed(),
            bytes_from_tools: bytes,
            bytes_kept_out: bytes.saturating_sub(output_bytes),
            refused: (refused > 0).then_some(refused),
            ..LedgerSummary::default()
        };
        let mut room = SUMMARY_BYTES - size(&summary) - 64;
        summary.failures = fitting(self.failures().map(FailedCall::of).collect(), &mut room);
        let tools = self.by_tool();
        let count = tools.len();
        summary.tools = fitting(tools, &mut room);
        summary.tools_omitted = Some(count - summary.tools.len()).filter(|omitted| *omitted > 0);
        summary
    }

    /// Every recorded call, oldest first.
    pub fn every_call(&self) -> Vec<CallFacts<'_>> {
        self.records.iter().map(CallFacts::of).collect()
    }

    /// The calls, oldest first, as many as fit, and how many do not.
    pub fn detail(&self) -> LedgerDetail<'_> {
        let mut room = DETAIL_BYTES - 64;
        let calls = fitting(self.every_call(), &mut room);
        let omitted = self.calls() - calls.len();
        LedgerDetail { calls, omitted }
    }

    /// `[tool calls: N, M failed; 2.3s]` and the first failures.
    pub fn trace(&self, elapsed: Duration) -> String {
        let mut text = format!(
            "[tool calls: {}, {} failed; {:.1}s]",
            self.calls(),
            self.failed(),
            elapsed.as_secs_f64()
        );
        for record in self.failures() {
            text.push_str(&format!(
                "\n  failed: {}: {}",
                record.tool,
                record.error.as_deref().unwrap_or_default()
            ));
        }
        let more = self.failed() - self.failures().count();
        if more > 0 {
            text.push_str(&format!("\n  ... {more} more failures"));
        }
        text
    }

    /// Calls with this effect by tool, which matter when a program has failed after them.
    pub fn with_effect(&self, effect: CallEffect) -> Vec<(&str, usize)> {
        let mut calls: BTreeMap<&str, usize> = BTreeMap::new();
        for record in self.records.iter().filter(|record| record.effect == effect) {
            *calls.entry(&record.tool).or_default() += 1;
        }
        calls.into_iter().collect()
    }

    /// Says what programs did not get of results, and how they get it; `None` if they got everything.
    pub fn left_behind(&self) -> Option<String> {
        let mut tools: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for record in &self.records {
            for part in &record.left {
                *tools.entry(&record.tool).or_default().entry(part).or_default() += 1;
            }
        }
        let example = tools.keys().next()?;
        let how = format!("`value, content = await with_content({example}(...))` returns all of a result.");
        let named = |(tool, parts): (&&str, &BTreeMap<&str, usize>)| {
            let mut words: Vec<String> = (parts.iter().take(PARTS))
                .map(
                    |(part, count)| {
                        if *count == 1 { (*part).to_owned() } else { format!("{part} ×{count}") }
                    },
                )
                .collect();
            if parts.len() > PARTS {
                words.push("…".to_owned());
            }
            format!("{tool} ({})", words.join(", "))
        };
        let mut named: Vec<String> = tools.iter().take(PARTS).map(named).collect();
        if tools.len() > PARTS {
            named.push("…".to_owned());
        }
        Some(format!("Some results held more than the value: {}. {how}", named.join("; ")))
    }

    fn failures(&self) -> impl Iterator<Item = &CallRecord> {
        self.records.iter().filter(|record| record.error.is_some()).take(FAILURES)
    }

    fn by_tool(&self) -> Vec<ToolTally<'_>> {
        let mut tools: BTreeMap<&str, ToolTally<'_>> = BTreeMap::new();
        for record in &self.records {
            tools.entry(&record.tool).or_default().add(record);
        }
        let mut tools: Vec<ToolTally<'_>> = tools.into_values().collect();
        tools.sort_by(|one, other| other.calls.cmp(&one.calls).then(one.tool.cmp(other.tool)));
        tools
    }
}

/// What [`Ledger::summary`] shows: at most 2 KiB of JSON.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LedgerSummary<'a> {
    calls: usize,
    failed: usize,
    bytes_from_tools: usize,
    bytes_kept_out: usize,
    tools: Vec<ToolTally<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<FailedCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools_omitted: Option<usize>,
}

/// What [`Ledger::detail`] shows: at most 64 KiB of JSON.
#[derive(Clone, Debug, Serialize)]
pub struct LedgerDetail<'a> {
    calls: Vec<CallFacts<'a>>,
    omitted: usize,
}

#[derive(Clone, Debug, Serialize)]
struct FailedCall<'a> {
    tool: &'a str,
    error: String,
}

impl<'a> FailedCall<'a> {
    fn of(record: &'a CallRecord) -> Self {
        Self { tool: &record.tool, error: cut(record.error.as_deref().unwrap_or_default(), 120) }
    }
}

/// One call as programs read it.
#[derive(Clone, Debug, Serialize)]
pub struct CallFacts<'a> {
    tool: &'a str,
    args: &'a str,
    ok: bool,
    ms: u64,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    waited_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    beside_value: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl<'a> CallFacts<'a> {
    fn of(record: &'a CallRecord) -> Self {
        Self {
            tool: &record.tool,
            args: &record.arguments,
            ok: record.error.is_none(),
            ms: record.elapsed_ms,
            bytes: record.bytes,
            waited_ms: Some(record.waited_ms).filter(|waited| *waited > 0),
            verdict: record.verdict.as_deref(),
            notes: &record.notes,
            beside_value: &record.left,
            error: record.error.as_deref(),
        }
    }
}

#[derive(Clone, Debug, Default, Serialize)]
struct ToolTally<'a> {
    tool: &'a str,
    calls: usize,
    failed: usize,
    ms: u64,
    bytes: usize,
    verdicts: BTreeMap<&'a str, usize>,
}

impl<'a> ToolTally<'a> {
    fn add(&mut self, record: &'a CallRecord) {
        self.tool = &record.tool;
        self.calls += 1;
        self.failed += usize::from(record.error.is_some());
        self.ms += record.elapsed_ms;
        self.bytes += record.bytes;
        if let Some(verdict) = &record.verdict {
            *self.verdicts.entry(verdict).or_default() += 1;
        }
    }
}

/// As many of the values as fit, in order.
fn fitting<T: Serialize>(values: Vec<T>, room: &mut usize) -> Vec<T> {
    let fits = |value: &T| {
        let size = size(value) + 1;
        let fits = size <= *room;
        *room = if fits { *room - size } else { *room };
        fits
    };
    values.into_iter().take_while(fits).collect()
}

fn size(value: &impl Serialize) -> usize {
    // Only a map whose keys are not strings has none.
    serde_json::to_string(value).map_or(0, |json| json.len())
}

#[cfg(test)]
mod tests;
