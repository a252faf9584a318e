//! `--timeline FILE.html`: the calls of a program as lanes, in one page that opens anywhere.
//!
//! Bars are plain HTML, so that the picture is there without scripts. What a call was given and what it returned lies
//! in the page as JSON; a script shows it for the bar that is chosen.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use mortise_executor::ledger::CallRecord;
use mortise_tester::page::{self, Page, escape};
use serde::Serialize;

use crate::terminal::units::{self, counted};

const STYLE: &str = include_str!("timeline/timeline.css");
const SCRIPT: &str = include_str!("timeline/timeline.js");

/// About as many marks are on the axis of time.
const TICKS: u64 = 5;

/// The part of the run that the axis shows, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TimeAxis {
    start: u64,
    end: u64,
}

impl TimeAxis {
    /// From the start to the end of the run. Where most of it passed before the first call, the axis begins near that.
    fn of(calls: &[&CallRecord], wall: Duration) -> Self {
        let last = calls.iter().map(|call| end(call)).max().unwrap_or(0);
        let end = last.max(u64::try_from(wall.as_millis()).unwrap_or(u64::MAX)).max(1);
        let first = calls.iter().map(|call| call.started_ms).min().unwrap_or(0).min(end - 1);
        let start = if first > end / 2 { first - (end - first) / 10 } else { 0 };
        Self { start, end }
    }

    fn span(self) -> u64 {
        self.end - self.start
    }

    /// Where a time is, in percent of the width.
    fn left(self, at: u64) -> f64 {
        percent(at.saturating_sub(self.start), self.span())
    }

    /// The time from one mark to the next.
    fn step(self) -> u64 {
        round_step(self.span().div_ceil(TICKS))
    }

    /// Round times within the axis.
    fn ticks(self) -> impl Iterator<Item = u64> {
        let step = self.step();
        let first = self.start.div_ceil(step);
        (first..).map(move |tick| tick.saturating_mul(step)).take_while(move |at| *at <= self.end)
    }
}

/// A time with as many digits as tell it from the next mark.
fn tick_label(at: u64, step: u64) -> String {
    match step {
        _ if at < 1_000 => format!("{at} ms"),
        0..10 => format!("{:.3} s", at as f64 / 1_000.0),
        10..100 => format!("{:.2} s", at as f64 / 1_000.0),
        _ => units::time(Duration::from_millis(at)),
    }
}

/// The least of 1, 2, 5, 10, 20 and so on that is not below `least`.
fn round_step(least: u64) -> u64 {
    let mut decade: u64 = 1;
    loop {
        for factor in [1, 2, 5] {
            let step = decade.saturating_mul(factor);
            if step >= least || step == u64::MAX {
                return step;
            }
        }
        decade = decade.saturating_mul(10);
    }
}

/// What a page shows beside the calls.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimelineFacts<'a> {
    /// What the program is called.
    pub(super) program: &'a str,
    /// How long it ran.
    pub(super) wall: Duration,
    /// The error that ended it.
    pub(super) error: Option<&'a str>,
    /// Calls that were refused and are only counted.
    pub(super) unrecorded: usize,
}

/// One call as the script reads it.
#[derive(Serialize)]
struct CallEntry {
    tool: String,
    start: u64,
    ms: u64,
    waited: u64,
    size: String,
    verdict: String,
    arguments: String,
    result: String,
    notes: Vec<String>,
    error: Option<String>,
}

/// One bar: which call it shows, and in which row of its server's lanes.
struct Bar {
    call: usize,
    row: usize,
}

/// The page.
pub(super) fn render(facts: &TimelineFacts<'_>, calls: &[CallRecord]) -> String {
    let mut order: Vec<usize> = (0..calls.len()).collect();
    order.sort_by_key(|at| (calls[*at].started_ms, *at));
    let calls: Vec<&CallRecord> = order.into_iter().map(|at| &calls[at]).collect();
    let axis = TimeAxis::of(&calls, facts.wall);
    let mut body = String::new();
    header(&mut body, facts, &calls);
    controls(&mut body, axis);
    lanes(&mut body, &calls, axis);
    body.push_str("<aside id=\"detail\" tabindex=\"-1\" aria-live=\"polite\" hidden></aside>\n");
    summary(&mut body, &calls);
    let entries: Vec<CallEntry> = calls.iter().map(|call| entry(call)).collect();
    let json = serde_json::to_string(&entries).unwrap_or_else(|_| "[]".to_owned());
    _ = writeln!(
        body,
        "<script type=\"application/json\" id=\"calls\">{}</script>",
        page::json_for_script(&json)
    );
    _ = writeln!(body, "<footer>mortise {}</footer>", env!("CARGO_PKG_VERSION"));
    let title = format!("{}: timeline", facts.program);
    Page { title: &title, style: STYLE, script: Some(SCRIPT), body: &body }.render()
}

fn end(call: &CallRecord) -> u64 {
    call.started_ms.saturating_add(call.elapsed_ms)
}

fn header(body: &mut String, facts: &TimelineFacts<'_>, calls: &[&CallRecord]) {
    let failed = calls.iter().filter(|call| call.error.is_some()).count() + facts.unrecorded;
    let class = match (facts.error, failed) {
        (Some(_), _) => "error",
        (None, 1..) => "warning",
        (None, 0) => "good",
    };
    let time = units::time(facts.wall);
    let total = counted(calls.len() + facts.unrecorded, "call");
    _ = writeln!(body, "<header class=\"{class}\"><h1>{}</h1>", escape(facts.program));
    _ = write!(body, "<p><span class=\"tag\">{time}</span> <span class=\"tag\">{total}</span> ");
    if failed > 0 {
        _ = write!(body, "<span class=\"tag error\">{failed} failed</span>");
    }
    body.push_str("</p>");
    if let Some(error) = facts.error {
        _ = write!(body, "<p class=\"mark error\">{}</p>", escape(error));
    }
    if facts.unrecorded > 0 {
        _ = write!(body, "<p>{} refused and not shown</p>", counted(facts.unrecorded, "call"));
    }
    body.push_str("</header>\n");
}

fn controls(body: &mut String, axis: TimeAxis) {
    if axis.start > 0 {
        let start = units::time(Duration::from_millis(axis.start));
        _ = writeln!(
            body,
            "<p class=\"dim\">No tool was called in the first {start}, which are not shown.</p>"
        );
    }
    body.push_str(
        "<p class=\"controls\"><button id=\"out\" type=\"button\" aria-label=\"Zoom out\">−</button> \
         <button id=\"in\" type=\"button\" aria-label=\"Zoom in\">+</button> \
         <span class=\"dim\">Click a call. Keys: ← → calls, + − zoom, Esc closes.</span></p>\n",
    );
}

/// The servers below each other, each with as many rows as it had calls at once.
fn lanes(body: &mut String, calls: &[&CallRecord], axis: TimeAxis) {
    if calls.is_empty() {
        body.push_str("<p>The program called no tool.</p>\n");
        return;
    }
    let mut servers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, call) in calls.iter().enumerate() {
        servers.entry(server_and_tool(&call.tool).0).or_default().push(at);
    }
    body.push_str("<div class=\"scroll\"><div id=\"lanes\">\n");
    push_ticks(body, axis);
    for (server, own) in &servers {
        let (bars, rows) = packed(calls, own);
        _ = writeln!(body, "<section class=\"lane\"><h2>{}</h2>", escape(server));
        _ = writeln!(body, "<div class=\"bars\" style=\"--rows:{rows}\">");
        for bar in bars {
            push_bar(body, calls[bar.call], &bar, axis);
        }
        body.push_str("</div></section>\n");
    }
    body.push_str("</div></div>\n");
}

fn push_ticks(body: &mut String, axis: TimeAxis) {
    body.push_str("<div class=\"axis\" aria-hidden=\"true\">");
    for at in axis.ticks() {
        let (left, time) = (axis.left(at), tick_label(at, axis.step()));
        _ = write!(body, "<span style=\"left:{left}%\">{time}</span>");
    }
    body.push_str("</div>\n");
}

fn push_bar(body: &mut String, call: &CallRecord, bar: &Bar, axis: TimeAxis) {
    let class = match (&call.error, call.verdict.as_deref()) {
        (Some(_), _) | (_, Some("invalid" | "missing" | "malformed" | "unexpected")) => "error",
        (None, Some("valid")) => "good",
        (None, Some("no_schema" | "off") | None) => "plain",
        (None, Some(_)) => "warning",
    };
    let (left, width) = (axis.left(call.started_ms), percent(call.elapsed_ms, axis.span()));
    let (tool, time) = (server_and_tool(&call.tool).1, units::time(Duration::from_millis(call.elapsed_ms)));
    let (at, row, tool) = (bar.call, bar.row, escape(tool));
    _ = writeln!(
        body,
        "<button type=\"button\" class=\"bar {class}\" data-call=\"{at}\" tabindex=\"-1\" \
         style=\"left:min({left}%, 100% - .6rem);width:{width}%;--row:{row}\" title=\"{tool}, {time}\">\
         <span>{tool}</span></button>"
    );
}

/// Puts every call into the first row that is free when it starts.
fn packed(calls: &[&CallRecord], own: &[usize]) -> (Vec<Bar>, usize) {
    let mut free_from: Vec<u64> = Vec::new();
    let mut bars = Vec::with_capacity(own.len());
    for at in own {
        let call = calls[*at];
        let row = match free_from.iter().position(|free| *free <= call.started_ms) {
            Some(row) => row,
            None => {
                free_from.push(0);
                free_from.len() - 1
            }
        };
        // A call that took no time still takes its place.
        free_from[row] = end(call).max(call.started_ms + 1);
        bars.push(Bar { call: *at, row });
    }
    (bars, free_from.len())
}

/// Per tool: calls, failures, time.
fn summary(body: &mut String, calls: &[&CallRecord]) {
    let mut tools: BTreeMap<&str, (usize, usize, u64, u64)> = BTreeMap::new();
    for call in calls {
        let (count, failed, total, longest) = tools.entry(&call.tool).or_default();
        *count += 1;
        *failed += usize::from(call.error.is_some());
        *total += call.elapsed_ms;
        *longest = call.elapsed_ms.max(*longest);
    }
    if tools.is_empty() {
        return;
    }
    let mut tools: Vec<_> = tools.into_iter().collect();
    tools.sort_by_key(|(_, (_, _, total, _))| std::cmp::Reverse(*total));
    body.push_str("<h2>Tools</h2>\n<div class=\"wide\"><table><thead><tr><th>Tool</th><th>Calls</th>");
    body.push_str("<th>Failed</th><th>Time in all</th><th>Longest</th></tr></thead><tbody>\n");
    for (tool, (count, failed, total, longest)) in tools {
        let time = |ms| units::time(Duration::from_millis(ms));
        _ = writeln!(
            body,
            "<tr><td><code>{}</code></td><td>{count}</td><td>{failed}</td><td>{}</td><td>{}</td></tr>",
            escape(tool),
            time(total),
            time(longest)
        );
    }
    body.push_str("</tbody></table></div>\n");
}

fn entry(call: &CallRecord) -> CallEntry {
    CallEntry {
        tool: page::visible(&call.tool),
        start: call.started_ms,
        ms: call.elapsed_ms,
        waited: call.waited_ms,
        size: units::size(call.bytes as u64),
        verdict: call.verdict.as_deref().unwrap_or("none").replace('_', " "),
        arguments: page::visible(&call.arguments),
        result: page::visible(&call.result),
        notes: call.notes.iter().map(|note| page::visible(note)).collect(),
        error: call.error.as_deref().map(page::visible),
    }
}

/// `mcp__weather__get_weather` as its server and its tool.
fn server_and_tool(callable: &str) -> (&str, &str) {
    match callable.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        Some(parts) => parts,
        None => ("mortise", callable),
    }
}

/// A share with three digits after the point.
fn percent(part: u64, whole: u64) -> f64 {
    (part as f64 / whole as f64 * 100_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests;
