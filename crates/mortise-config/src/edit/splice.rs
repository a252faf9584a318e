//! Where an entry of `servers` stands in the text, or would stand.
//!
//! The parser reports where nodes begin and end. An edit replaces one range of bytes, so that comments, order and
//! quoting outside of it stay as they are.

use std::ops::Range;

use serde_json::{Map, Value};
use serde_saphyr::granit_parser::{Event, Span, StructureStyle};

use super::write;
use crate::events::{self, Events};

/// One range of the text and what replaces it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Splice {
    range: Range<usize>,
    with: String,
}

impl Splice {
    /// The text after the edit.
    pub(super) fn apply(&self, text: &str) -> Option<String> {
        Some([text.get(..self.range.start)?, &self.with, text.get(self.range.end..)?].concat())
    }
}

/// The edit that adds an entry behind the others; `None` where the text is laid out in a way that we don't edit.
pub(super) fn adding(text: &str, name: &str, keys: &Map<String, Value>) -> Option<Splice> {
    let events = events::read_events(text)?;
    let Some(root) = events::root(&events) else {
        // Comments at most.
        return events.is_empty().then(|| section(text, name, keys, 0, text.len()));
    };
    let Some(servers) = events::value_of(&events, root, "servers") else {
        let indent = events[root].1.start.col();
        return is_block(&events[root].0).then(|| section(text, name, keys, indent, text.len()));
    };
    let entries = Entries { text, events: &events, servers };
    if entries.items().is_empty() {
        return match is_block(&events[root].0) {
            true => entries.first(name, keys, events[root].1.start.col()),
            false => entries.first_inline(name, keys),
        };
    }
    match (&events[servers].0, is_block(&events[servers].0)) {
        (Event::SequenceStart(..), true) => {
            let indent = entries.items().iter().find_map(|item| entries.dash(*item))?.1;
            Some(entries.behind_all(write::list_entry(name, keys, indent), indent))
        }
        (Event::MappingStart(..), true) => {
            let key = entries.items()[0];
            let indent = events[key].1.start.col();
            let inner = events.get(key + 2).map_or(0, |(_, span)| span.start.col());
            let step = inner.checked_sub(indent).filter(|step| (1..=8).contains(step)).unwrap_or(2);
            Some(entries.behind_all(write::mapping_entry(name, keys, indent, step), indent))
        }
        (Event::SequenceStart(..), false) => entries.inline_behind_all(&write::inline_entry(name, keys)),
        (Event::MappingStart(..), false) => entries.inline_behind_all(&write::inline_member(name, keys)),
        _ => None,
    }
}

/// The edit that removes the entry with this name; `None` where there is none, or where it is laid out in a way that
/// we don't edit.
pub(super) fn removing(text: &str, name: &str) -> Option<Splice> {
    let events = events::read_events(text)?;
    let servers = events::value_of(&events, events::root(&events)?, "servers")?;
    let entries = Entries { text, events: &events, servers };
    let items = entries.items();
    let at = items.iter().position(|item| entries.name(*item).as_deref() == Some(name))?;
    let (item, end) = (items[at], entries.end_of(items[at]));
    if !is_block(&events[servers].0) {
        return entries.without_inline(&items, at);
    }
    let start = match events[servers].0 {
        Event::SequenceStart(..) => entries.dash(item)?.0,
        _ => offset(&events[item].1)?,
    };
    let line = text[..start].rfind('\n').map_or(0, |line| line + 1);
    if !text[line..start].trim_start_matches(' ').is_empty() {
        return None;
    }
    let range = match line_end(text, end) {
        // The last line has no end: the end of the line before goes with it.
        end if end == text.len() && !text.ends_with('\n') => {
            text[..line].trim_end_matches(['\n', '\r']).len()..end
        }
        end => line..end,
    };
    Some(Splice { range, with: String::new() })
}

/// The names of the entries, in their order.
pub(super) fn names(text: &str) -> Vec<String> {
    let found = || {
        let events = events::read_events(text)?;
        let servers = events::value_of(&events, events::root(&events)?, "servers")?;
        let entries = Entries { text, events: &events, servers };
        Some(entries.items().into_iter().filter_map(|item| entries.name(item)).collect())
    };
    found().unwrap_or_default()
}

/// What stands under `servers`.
struct Entries<'a> {
    text: &'a str,
    events: &'a Events<'a>,
    servers: usize,
}

impl Entries<'_> {
    /// Where the entries of a list begin, or the keys of a mapping.
    fn items(&self) -> Vec<usize> {
        match self.events[self.servers].0 {
            Event::SequenceStart(..) => events::children(self.events, self.servers),
            _ => events::members(self.events, self.servers).into_iter().map(|(key, _)| key).collect(),
        }
    }

    fn name(&self, item: usize) -> Option<String> {
        let named = match self.events[self.servers].0 {
            Event::SequenceStart(..) => events::value_of(self.events, item, "name")?,
            _ => item,
        };
        events::scalar(&self.events[named]).map(|name| name.value)
    }

    /// Where the last thing of an entry ends that is not white space or a comment.
    fn end_of(&self, item: usize) -> usize {
        let value = match self.events[self.servers].0 {
            Event::SequenceStart(..) => item,
            _ => item + 1,
        };
        let nodes = &self.events[item..events::after(self.events, value)];
        // The end of a block collection is reported where the next thing begins.
        let ends = nodes.iter().filter(|(event, span)| match event {
            Event::MappingEnd | Event::SequenceEnd => span.end.byte_offset() != span.start.byte_offset(),
            _ => true,
        });
        ends.filter_map(|(_, span)| span.end.byte_offset()).max().unwrap_or(self.text.len())
    }

    /// The dash before an entry of a block list: where it stands, and in which column.
    fn dash(&self, item: usize) -> Option<(usize, usize)> {
        let before = self.text.get(..offset(&self.events[item].1)?)?.trim_end();
        let dash = before.strip_suffix('-')?.len();
        let line = self.text[..dash].rfind('\n').map_or(0, |line| line + 1);
        let indent = &self.text[line..dash];
        indent.trim_start_matches(' ').is_empty().then_some((dash, indent.len()))
    }

    /// Lines behind the last entry. Comments that are indented deeper than its start belong to it.
    fn behind_all(&self, lines: String, indent: usize) -> Splice {
        let last = self.items().into_iter().map(|item| self.end_of(item)).max().unwrap_or_default();
        let mut end = line_end(self.text, last);
        let mut next = end;
        while next < self.text.len() {
            let following = next_line(self.text, next);
            let line = &self.text[next..following];
            let comment = line.trim_start_matches(' ');
            if comment.starts_with('#') && line.len() - comment.len() > indent {
                end = following;
            } else if !comment.trim().is_empty() {
                break;
            }
            next = following;
        }
        insertion(self.text, end, lines)
    }

    /// The first entry of a section that has none: `servers:`, `servers: []` or `servers: {}`.
    fn first(&self, name: &str, keys: &Map<String, Value>, indent: usize) -> Option<Splice> {
        let lines = write::list_entry(name, keys, indent + 2);
        let (start, end) = self.value()?;
        let rest_end = line_end(self.text, end);
        let rest = self.text.get(end..rest_end)?;
        let rest = rest.trim_end_matches(['\n', '\r']);
        if !(rest.trim().is_empty() || rest.trim_start().starts_with('#')) {
            return None;
        }
        let head = self.text[..start].trim_end().len();
        let inserted = insertion(self.text, rest_end, lines);
        Some(Splice {
            range: head..rest_end,
            with: format!("{}{}", &self.text[end..rest_end], inserted.with),
        })
    }

    /// [`Entries::first`] inside a mapping that is written in braces.
    fn first_inline(&self, name: &str, keys: &Map<String, Value>) -> Option<Splice> {
        let (start, end) = self.value()?;
        let with = match self.events[self.servers].0 {
            Event::MappingStart(..) => format!("{{{}}}", write::inline_member(name, keys)),
            _ if start == end => format!(" [{}]", write::inline_entry(name, keys)),
            _ => format!("[{}]", write::inline_entry(name, keys)),
        };
        Some(Splice { range: start..end, with })
    }

    /// The bytes of the value of `servers`.
    fn value(&self) -> Option<(usize, usize)> {
        let last = events::after(self.events, self.servers) - 1;
        let (start, end) = (offset(&self.events[self.servers].1)?, self.events[last].1.end.byte_offset()?);
        if start < end {
            return Some((start, end));
        }
        // Nothing at all, which is reported before the colon.
        let colon = end + self.text[end..].find(':')? + 1;
        self.text[end..colon - 1].trim().is_empty().then_some((colon, colon))
    }

    fn inline_behind_all(&self, entry: &str) -> Option<Splice> {
        let last = self.end_of(*self.items().last()?);
        Some(Splice { range: last..last, with: format!(", {entry}") })
    }

    /// Takes an entry out of braces, with the comma behind it or, for the last one, before it.
    fn without_inline(&self, items: &[usize], at: usize) -> Option<Splice> {
        let start = offset(&self.events[items[at]].1)?;
        let range = match (items.get(at + 1), at.checked_sub(1)) {
            (Some(next), _) => start..offset(&self.events[*next].1)?,
            (None, Some(before)) => self.end_of(items[before])..self.end_of(items[at]),
            (None, None) => start..self.end_of(items[at]),
        };
        Some(Splice { range, with: String::new() })
    }
}

/// A new section at the end of the text.
fn section(text: &str, name: &str, keys: &Map<String, Value>, indent: usize, at: usize) -> Splice {
    let blanks = " ".repeat(indent);
    insertion(text, at, format!("{blanks}servers:\n{}", write::list_entry(name, keys, indent + 2)))
}

/// Whole lines at a place where a line begins, or behind a last line without an end.
fn insertion(text: &str, at: usize, mut lines: String) -> Splice {
    if at > 0 && !text[..at].ends_with('\n') {
        // The new last line has no end either.
        lines.truncate(lines.len() - 1);
        lines.insert(0, '\n');
    }
    if text.contains("\r\n") {
        lines = lines.replace('\n', "\r\n");
    }
    Splice { range: at..at, with: lines }
}

/// Where the line ends in which a node ends, its line break included. A block scalar ends where the next thing begins,
/// which is on a later line.
fn line_end(text: &str, end: usize) -> usize {
    match text[..end].rfind('\n').map(|line| line + 1) {
        Some(line) if text[line..end].trim_start_matches(' ').is_empty() => line,
        _ => next_line(text, end),
    }
}

/// Where the line after `at` begins.
fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |line| at + line + 1)
}

fn offset(span: &Span) -> Option<usize> {
    span.start.byte_offset()
}

fn is_block(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::SequenceStart(StructureStyle::Block, ..) | Event::MappingStart(StructureStyle::Block, ..)
    )
}
