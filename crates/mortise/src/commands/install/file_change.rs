//! The lines of a file that change, with those around them.
//!
//! Files of other programs hold keys and tokens, so of a line that is not ours only the name is shown.

use mortise_config::install::ENTRY_NAME;
use similar::{ChangeTag, TextDiff};

use crate::terminal::layout::fit;
use crate::terminal::{Terminal, Tint, escape};

/// Lines shown before and after a change.
const AROUND: usize = 2;
/// The longest line that is compared: files without line ends are one line, and all of it would be shown.
const LINE: usize = 400;
/// Lines that are shown.
const SHOWN: usize = 60;

/// `- old` and `+ new` lines; `None` where lines do not show the change. `entry` is our own, as the file has it.
pub(super) fn view(terminal: &Terminal, before: &str, after: &str, entry: &str) -> Option<String> {
    if before.lines().chain(after.lines()).any(|line| line.len() > LINE) {
        return None;
    }
    let ours: Vec<&str> = entry.lines().map(bare).collect();
    let diff = TextDiff::from_lines(before, after);
    let groups = diff.grouped_ops(AROUND);
    let last = groups.iter().flatten().last()?.new_range().end.max(1);
    let digits = last.to_string().len();
    let room = terminal.width().map_or(usize::MAX, |width| width.saturating_sub(digits + 5).max(20));
    let mut lines = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        if index > 0 {
            lines.push(terminal.paint(Tint::Dim, &format!("  {:>digits$} ⋮", "")));
        }
        for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
            let text = change.value().trim_end_matches(['\n', '\r']);
            let (sign, tint) = match change.tag() {
                ChangeTag::Delete => ('-', Tint::Bad),
                ChangeTag::Insert => ('+', Tint::Good),
                ChangeTag::Equal => (' ', Tint::Dim),
            };
            let is_ours = change.tag() != ChangeTag::Equal && ours.contains(&bare(text));
            if !is_ours && change.tag() == ChangeTag::Insert && text.contains(ENTRY_NAME) {
                return None;
            }
            let text = if is_ours { text.to_owned() } else { without_value(text) };
            let number = change.new_index().map(|index| (index + 1).to_string()).unwrap_or_default();
            let text = fit(&escape::text(&text).replace('\t', "    "), room);
            lines.push(terminal.paint(tint, format!("  {number:>digits$} {sign} {text}").trim_end()));
        }
    }
    let more = lines.len().saturating_sub(SHOWN);
    lines.truncate(SHOWN);
    if more > 0 {
        lines.push(format!("  … and {more} lines more"));
    }
    Some(lines.iter().map(|line| format!("{line}\n")).collect())
}

/// A line without its indent and the comma at its end.
fn bare(line: &str) -> &str {
    line.trim().trim_end_matches(',')
}

/// `"API_KEY": …` of a line with a value; brackets, headings and names alone stay.
fn without_value(line: &str) -> String {
    let content = line.trim_start();
    let indent = &line[..line.len() - content.len()];
    if let Some(mark) = ["//", "/*", "#"].into_iter().find(|mark| content.starts_with(mark)) {
        return format!("{indent}{mark}…");
    }
    let is_structure = |text: &str| text.chars().all(|c| matches!(c, '{' | '}' | '[' | ']' | ',' | ' '));
    if is_structure(content) || is_heading(content) {
        return line.to_owned();
    }
    match separator(content) {
        Some(at) if is_structure(&content[at + 1..]) => line.to_owned(),
        Some(at) => format!("{indent}{} …", &content[..=at]),
        None => format!("{indent}…"),
    }
}

/// `[mcp_servers.files]`.
fn is_heading(content: &str) -> bool {
    content.starts_with('[') && content.ends_with(']') && !content.contains(['"', '\'', ',', '='])
}

/// Where the name of a line ends: the first `:` or `=` outside of quotes.
fn separator(content: &str) -> Option<usize> {
    let mut quote = None;
    for (at, character) in content.char_indices() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, ':' | '=') => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
