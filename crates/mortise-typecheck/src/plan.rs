//! Which tools a program can call, on which lines and how often, read off its source.
//!
//! `for ticket in tickets[:20]: await mcp__tickets__update(…)` calls the tool up to 20 times. A `while` loop calls it
//! any number of times. Calls in a helper count as often as the helper is called. Nothing is refused on account of a
//! plan: a person reads it, and every call is held to what the person allowed.

mod bodies;
mod counts;
mod facts;

use std::collections::BTreeMap;

use mortise_contract::approval::{CallPlan, PlannedCalls};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::TextSize;

use crate::names::{NAMESPACE, named_tools};
use crate::nesting;
use crate::text::ProgramLines;
use bodies::ProgramBodies;
use counts::CallCount;
use facts::NameFacts;

/// The plan of a program. Of a source that is not Python, or nests too deeply to be read, only the names are known.
pub fn plan_calls(source: &str) -> CallPlan {
    let lines = ProgramLines::new(source);
    if nesting::excess(source).is_some() {
        return named_only(source, &lines);
    }
    let parsed = parse_unchecked(source, ParseOptions::from(Mode::Module));
    let Some(parsed) = parsed.try_into_module().filter(|parsed| parsed.errors().is_empty()) else {
        return named_only(source, &lines);
    };
    let facts = NameFacts::of(parsed.suite());
    let bodies = ProgramBodies::of(parsed.suite(), &facts);
    let mut tools: BTreeMap<&str, (Vec<u32>, CallCount)> = BTreeMap::new();
    for call in bodies.calls() {
        let (places, count) = tools.entry(call.tool).or_insert((Vec::new(), CallCount::NEVER));
        places.push(line(&lines, call.at));
        *count = count.plus(call.count);
    }
    let made = tools.into_iter().filter(|(_, (_, count))| *count != CallCount::NEVER);
    let tools = made.map(|(tool, (places, count))| planned(tool, places, count.at_most()));
    CallPlan {
        tools: tools.collect(),
        lookups: sorted(bodies.lookups().map(|at| line(&lines, at)).collect()),
    }
}

/// The tools that a source names anywhere.
fn named_only(source: &str, lines: &ProgramLines<'_>) -> CallPlan {
    let places = |tool: &str| {
        let found = source.match_indices(tool).filter_map(|(at, _)| TextSize::try_from(at).ok());
        found.map(|at| line(lines, at)).collect()
    };
    let is_tool = |name: &String| name.len() > NAMESPACE.len();
    let names = named_tools(source).into_iter().filter(is_tool);
    CallPlan { tools: names.map(|name| planned(&name, places(&name), None)).collect(), lookups: vec![1] }
}

fn planned(tool: &str, lines: Vec<u32>, at_most: Option<u64>) -> PlannedCalls {
    PlannedCalls { tool: tool.to_owned(), lines: sorted(lines), at_most }
}

fn sorted(mut lines: Vec<u32>) -> Vec<u32> {
    lines.sort_unstable();
    lines.dedup();
    lines
}

fn line(lines: &ProgramLines<'_>, at: TextSize) -> u32 {
    u32::try_from(lines.line(at).0).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
