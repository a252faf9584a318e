//! What a person is asked, in words and in JSON.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AllowedCalls, ApprovalGrant, AskReason, DeclaredEffect, GrantScope};
use crate::text::{cut, one_line, printable};

/// One question about calls that need agreement.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalQuestion {
    /// When it is asked.
    pub stage: QuestionStage,
    /// The tools that it is about, those first that may destroy something.
    pub tools: Vec<AskedTool>,
    /// The lines that look names up while the program runs. Calls that follow from them are asked about later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lookups: Vec<u32>,
    /// Tools that the program names and that the policy refuses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

/// When a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionStage {
    /// Before the program's first call, about its plan.
    BeforeRun,
    /// In the middle of the run, about calls that nothing covers.
    DuringRun,
}

/// One tool that a question is about.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedTool {
    /// The name that programs use: `mcp__tickets__update`.
    pub tool: String,
    /// The name for people: `tickets.update`.
    pub shown: String,
    /// What it does, by its own word.
    pub effect: DeclaredEffect,
    /// The lines that name it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u32>,
    /// How often it is called at most; `None` where that is not known.
    pub calls: Option<u64>,
    /// Why it is asked about in the middle of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<AskReason>,
    /// The arguments of the calls that wait, cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// A JSON Schema that what is allowed is limited to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
}

/// Tools that a text lists; the rest are counted.
const SHOWN_TOOLS: usize = 20;
/// Lines that a text lists for one tool.
const SHOWN_LINES: usize = 5;
/// Calls whose arguments a text lists for one tool.
const SHOWN_CALLS: usize = 5;
/// Characters of a name in a text.
const NAME: usize = 100;
/// Characters of a schema in a text.
const SCHEMA: usize = 200;

impl ApprovalQuestion {
    /// A question with its tools in order: what may destroy something first, then by name.
    pub fn new(stage: QuestionStage, mut tools: Vec<AskedTool>) -> Self {
        tools.sort_by(|a, b| (a.effect, &a.tool).cmp(&(b.effect, &b.tool)));
        Self { stage, tools, lookups: Vec::new(), refused: Vec::new() }
    }

    /// The whole question for a person, on several lines.
    pub fn text(&self) -> String {
        let mut text = match (self.stage, self.tools.as_slice()) {
            (QuestionStage::BeforeRun, [only]) => format!("This program will {}.", only.phrase()),
            (QuestionStage::BeforeRun, _) => "This program will call:".to_owned(),
            (QuestionStage::DuringRun, [only]) => format!("The running program wants to {}.", only.phrase()),
            (QuestionStage::DuringRun, _) => "The running program wants to call:".to_owned(),
        };
        if self.tools.len() > 1 {
            for tool in self.tools.iter().take(SHOWN_TOOLS) {
                let _ = write!(text, "\n- {}", tool.row());
            }
            if let Some(more @ 1..) = self.tools.len().checked_sub(SHOWN_TOOLS) {
                let _ = write!(text, "\n- and {more} more tools");
            }
        }
        for tool in self.tools.iter().take(SHOWN_TOOLS) {
            tool.write_details(&mut text);
        }
        let destroys = self.tools.iter().any(|tool| tool.effect == DeclaredEffect::Destructive);
        if self.stage == QuestionStage::BeforeRun && !destroys {
            text.push_str("\nIt names no tool that says it may destroy something.");
        }
        if !self.lookups.is_empty() {
            let lines = lines(&self.lookups);
            let _ = write!(text, "\nIt may call other tools ({lines}). You will be asked about those first.");
        }
        if !self.refused.is_empty() {
            let names: Vec<String> = self.refused.iter().take(SHOWN_TOOLS).map(|name| plain(name)).collect();
            let _ = write!(text, "\nThe configuration refuses its calls of {}.", names.join(", "));
        }
        text.push_str("\nAllow?");
        text
    }

    /// What is asked, on one line, for lists and errors: `call tickets.update up to 20 times (line 14)`.
    pub fn summary(&self) -> String {
        let mut parts: Vec<String> = self
            .tools
            .iter()
            .take(SHOWN_CALLS)
            .map(|tool| format!("call {}", tool.phrase_of_calls()))
            .collect();
        if let Some(more @ 1..) = self.tools.len().checked_sub(SHOWN_CALLS) {
            parts.push(format!("call {more} more tools"));
        }
        parts.join(", ")
    }

    /// What an answer that allows it grants.
    pub fn grants(&self, allowed: &AllowedCalls, caller: &str) -> Vec<ApprovalGrant> {
        let scope = match allowed.until {
            Some(until) => GrantScope::Caller { caller: caller.to_owned(), until },
            None => GrantScope::Run,
        };
        let grant = |tool: &AskedTool| ApprovalGrant {
            tool: tool.tool.clone(),
            arguments: allowed.arguments.as_ref().or(tool.schema.as_ref()).cloned(),
            at_most: allowed.at_most.or(tool.calls),
            scope: scope.clone(),
        };
        self.tools.iter().map(grant).collect()
    }
}

impl AskedTool {
    /// `call tickets.update, which may destroy something, up to 20 times (line 14)`.
    fn phrase(&self) -> String {
        let which = match self.effect {
            DeclaredEffect::Destructive => ", which may destroy something,",
            DeclaredEffect::Unknown => ", which does not say what it changes,",
            DeclaredEffect::Writes => "",
            DeclaredEffect::ReadOnly => ", which is read-only,",
        };
        format!("call {}{which} {}{}", plain(&self.shown), self.times(), self.place())
    }

    /// `tickets.update up to 20 times (line 14)`.
    fn phrase_of_calls(&self) -> String {
        format!("{} {}{}", plain(&self.shown), self.times(), self.place())
    }

    /// `tickets.update: up to 20 times (line 14); may destroy something`.
    fn row(&self) -> String {
        let effect = match self.effect {
            DeclaredEffect::Destructive => "; may destroy something",
            DeclaredEffect::Unknown => "; does not say what it changes",
            DeclaredEffect::Writes => "",
            DeclaredEffect::ReadOnly => "; read-only",
        };
        format!("{}: {}{}{effect}", plain(&self.shown), self.times(), self.place())
    }

    fn times(&self) -> String {
        match self.calls {
            Some(1) => "once".to_owned(),
            Some(calls) => format!("up to {calls} times"),
            None => "any number of times".to_owned(),
        }
    }

    fn place(&self) -> String {
        if self.lines.is_empty() { String::new() } else { format!(" ({})", lines(&self.lines)) }
    }

    /// Why it is asked about, the arguments that wait, and what an answer is limited to.
    fn write_details(&self, text: &mut String) {
        if let Some(why) = &self.why {
            let _ = write!(text, "\n{} {}.", plain(&self.shown), why.sentence());
        }
        for arguments in self.arguments.iter().take(SHOWN_CALLS) {
            let _ = write!(text, "\n  {}({})", plain(&self.shown), printable(&one_line(arguments)));
        }
        if let Some(more @ 1..) = self.arguments.len().checked_sub(SHOWN_CALLS) {
            let _ = write!(text, "\n  and {more} more calls of it");
        }
        if let Some(schema) = &self.schema {
            let schema = cut(&schema.to_string(), SCHEMA);
            let _ = write!(text, "\n{} is limited to arguments of {schema}.", plain(&self.shown));
        }
    }
}

/// `line 3`, `lines 3, 8`, `lines 1, 2, 3, 4, 5 and 4 more`.
fn lines(lines: &[u32]) -> String {
    let shown: Vec<String> = lines.iter().take(SHOWN_LINES).map(u32::to_string).collect();
    let shown = shown.join(", ");
    match lines.len() {
        1 => format!("line {shown}"),
        count if count > SHOWN_LINES => format!("lines {shown} and {} more", count - SHOWN_LINES),
        _ => format!("lines {shown}"),
    }
}

/// A text from outside: on one line, printable, cut.
fn plain(name: &str) -> String {
    cut(&printable(&one_line(name)), NAME)
}

impl std::fmt::Debug for ApprovalQuestion {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ApprovalQuestion")
            .field("stage", &self.stage)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for AskedTool {
    /// Leaves the arguments out: they may hold what belongs in no log.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("AskedTool")
            .field("tool", &self.tool)
            .field("calls", &self.calls)
            .field("why", &self.why)
            .finish_non_exhaustive()
    }
}
