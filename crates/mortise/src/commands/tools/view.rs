//! The listing for people: one line per tool.

use std::fmt::Write as _;
use std::sync::Arc;

use mortise_contract::Contract;
use mortise_contract::contract::IssueSeverity;
use mortise_executor::observed::Observer;
use unicode_width::UnicodeWidthStr as _;

use super::ListedTools;
use super::signature::Signature;
use crate::terminal::layout::fit;
use crate::terminal::{Mark, Terminal, Tint, escape};

/// Characters of a description.
const DESCRIPTION_WIDTH: usize = 100;
/// The least room for descriptions; with less there are none.
const ROOM_FOR_DESCRIPTIONS: usize = 24;
/// Columns from which signatures leave room for descriptions.
const WIDE: usize = 110;
/// Between a signature and a description.
const GAP: usize = 2;
/// Before a tool.
const INDENT: usize = 2;

/// All servers with their tools.
pub(super) fn view(terminal: &Terminal, servers: &[ListedTools<'_>], observer: &Observer) -> String {
    let mut out = String::new();
    for (index, listed) in servers.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        server(terminal, listed, observer, &mut out);
    }
    if terminal.stdout_is_terminal() {
        let hint = "`mortise tools TOOL` shows what one takes and returns";
        out.push('\n');
        out.push_str(&terminal.hang(&[], Some(Tint::Dim), hint));
    }
    out
}

fn server(terminal: &Terminal, listed: &ListedTools<'_>, observer: &Observer, out: &mut String) {
    let ListedTools { connected, contracts } = listed;
    let upstream = &connected.upstream;
    let catalog = upstream.catalog();
    let name = escape::line(upstream.name().as_str());
    match &connected.error {
        Some(error) => {
            let lead =
                [(Some(Mark::Bad.tint()), Mark::Bad.sign()), (None, " "), (Some(Tint::Heading), &name)];
            _ = writeln!(out, "{}", terminal.pieces(&lead));
            out.push_str(&terminal.hang(&[(None, "  ")], None, &escape::text(&error.to_string())));
        }
        None => {
            let lead = [(Some(Tint::Heading), name.as_str()), (None, "  ")];
            out.push_str(&terminal.hang(&lead, Some(Tint::Dim), &summary(contracts)));
        }
    }
    tools(terminal, contracts, observer, out);
    for contract in contracts {
        for issue in contract.issues.iter().filter(|issue| issue.severity != IssueSeverity::Note) {
            let name = escape::line(contract.name.as_str());
            let issue =
                format!("{name}: {} at {}", escape::line(&issue.message), escape::line(&issue.pointer));
            out.push_str(&terminal.marked(INDENT, Mark::Warn, &issue));
        }
    }
    for rejected in &catalog.rejected {
        let name =
            rejected.name.as_deref().map_or_else(|| format!("element {}", rejected.position), escape::line);
        let reason = format!("{name}: {}", escape::line(&rejected.reason));
        out.push_str(&terminal.marked(INDENT, Mark::Warn, &reason));
    }
}

/// One line per tool: its signature and, where there is room, what it does.
fn tools(terminal: &Terminal, contracts: &[Arc<Contract>], observer: &Observer, out: &mut String) {
    let signatures: Vec<Signature> = contracts
        .iter()
        .map(|contract| Signature::of(contract, observer.observed(contract).as_deref()))
        .collect();
    let room = terminal.width().map_or(usize::MAX, |width| width.saturating_sub(INDENT).max(8));
    let natural = signatures.iter().map(|signature| signature.fitting(room).width()).max().unwrap_or(0);
    let is_wide = terminal.width().is_some_and(|width| width >= WIDE);
    let column = if is_wide { natural.min(room / 10 * 6) } else { natural };
    // Either every server's tools are described or none are.
    let rest = match terminal.width() {
        Some(width) if width < WIDE => 0,
        _ => room.saturating_sub(column + GAP),
    };
    for (contract, signature) in contracts.iter().zip(&signatures) {
        let line = signature.fitting(if rest >= ROOM_FOR_DESCRIPTIONS { column } else { room });
        _ = write!(out, "{:INDENT$}{}", "", line.painted(terminal));
        let about = about(contract);
        if rest >= ROOM_FOR_DESCRIPTIONS && !about.is_empty() {
            // In a pipe nothing is lined up: one long signature would push all descriptions away.
            let gap = if terminal.width().is_some() { column - line.width() + GAP } else { GAP };
            _ = write!(out, "{:gap$}{}", "", terminal.paint(Tint::Dim, &fit(&about, rest)));
        }
        out.push('\n');
    }
}

/// `3 tools, 2 with output schema`.
pub(crate) fn summary(tools: &[Arc<Contract>]) -> String {
    let typed = tools.iter().filter(|contract| contract.declares_output()).count();
    match tools.len() {
        0 => "no tools".to_owned(),
        1 => format!("1 tool, {}", if typed == 1 { "with output schema" } else { "without output schema" }),
        count => format!("{count} tools, {typed} with output schema"),
    }
}

/// The first sentence of the description, cut if it is long.
pub(crate) fn about(contract: &Contract) -> String {
    let text = contract.description().or(contract.title()).unwrap_or_default();
    let paragraph = text.trim().split("\n\n").next().unwrap_or_default();
    let line = escape::line(paragraph);
    let sentence = line.find(". ").map_or(line.as_str(), |end| &line[..=end]);
    let width = sentence.width().min(DESCRIPTION_WIDTH);
    fit(sentence, width)
}
