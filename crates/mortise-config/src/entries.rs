//! Reads `mortise.yaml` so that a mistake in one entry of `servers` costs that entry and not the file.
//!
//! The YAML reader stops at the first mistake. When that lies inside an entry, the entry is overwritten with nothing, so
//! that every other value keeps its place, and the file is read again.

use std::borrow::Cow;
use std::ops::Range;

use serde_saphyr::granit_parser::{Event, Marker};

use crate::error::Problem;
use crate::events::{self, Events, position, scalar};
use crate::file::{ConfigFile, ServerEntry, ServerKeys, Servers};
use crate::located::{Located, Position};
use crate::yaml;

/// Entries that are left out before the whole file counts as wrong: each costs another reading.
const MAX_MISTAKES: usize = 32;

/// Reads one file. What is wrong inside an entry is kept with that entry.
pub(super) fn read_own_file(text: &str) -> Result<ConfigFile, (Position, Problem)> {
    let mut text = Cow::Borrowed(text);
    let mut left_out: Vec<(EntrySpan, Position, Problem)> = Vec::new();
    let mut file: ConfigFile = loop {
        match yaml::read_yaml(&text) {
            Ok(file) => break file,
            Err((position, problem)) if left_out.len() < MAX_MISTAKES && is_about_a_value(&problem) => {
                let found = entry_at(&text, position).and_then(|span| Some((span.blanked(&text)?, span)));
                let Some((blanked, span)) = found else { return Err((position, problem)) };
                text = Cow::Owned(blanked);
                left_out.push((span, position, problem));
            }
            Err(error) => return Err(error),
        }
    };
    let entries = &mut file.servers.get_or_insert_with(|| Servers(Vec::new())).0;
    for (span, position, problem) in left_out {
        let mistake = Some((position, problem));
        match entries.iter_mut().find(|entry| entry.server.position == span.value) {
            Some(entry) => {
                entry.mistake = mistake;
                entry.server.value.name = span.name;
            }
            // Its key stands twice and was overwritten with it.
            None => {
                let server = Located { value: ServerKeys::default(), position: span.value };
                entries.push(ServerEntry { key: span.key, server, mistake });
            }
        }
    }
    Ok(file)
}

/// Whether the rest of the file can be read although this is wrong.
fn is_about_a_value(problem: &Problem) -> bool {
    matches!(
        problem,
        Problem::UnknownKey { .. }
            | Problem::UnknownValue { .. }
            | Problem::WrongKind { .. }
            | Problem::DuplicateKey { .. }
            | Problem::Tag { .. }
    )
}

/// Where one entry of `servers` stands.
struct EntrySpan {
    /// Its key, where `servers` is a mapping.
    key: Option<Located<String>>,
    /// What it says under `name`.
    name: Option<Located<String>>,
    /// Where its value begins.
    value: Position,
    /// What is overwritten.
    bytes: Range<usize>,
    /// What is left in its place: nothing where its key stands twice, else a null.
    stand_in: &'static str,
}

impl EntrySpan {
    /// The text without the entry, every line and column as it was.
    fn blanked(&self, text: &str) -> Option<String> {
        let blank = |character| if matches!(character, '\n' | '\r') { character } else { ' ' };
        let blanks = text.get(self.bytes.clone())?.chars().map(blank).skip(self.stand_in.len());
        let mut blanked = text.get(..self.bytes.start)?.to_owned();
        blanked.push_str(self.stand_in);
        blanked.extend(blanks);
        blanked.push_str(text.get(self.bytes.end..)?);
        Some(blanked)
    }
}

/// The entry of `servers` that this position lies in.
fn entry_at(text: &str, at: Position) -> Option<EntrySpan> {
    let events = events::read_events(text)?;
    let servers = events::value_of(&events, events::root(&events)?, "servers")?;
    let nodes = events::children(&events, servers);
    let entries: Vec<(usize, usize)> = match events[servers].0 {
        Event::MappingStart(..) => events::members(&events, servers),
        _ => nodes.into_iter().map(|node| (node, node)).collect(),
    };
    entries.into_iter().find_map(|(first, value)| {
        let end = events[events::after(&events, value) - 1].1.end;
        let is_inside = (position(events[first].1.start)..position(end)).contains(&at);
        is_inside.then(|| span(&events, first, value, end, at)).flatten()
    })
}

fn span(events: &Events<'_>, first: usize, value: usize, end: Marker, at: Position) -> Option<EntrySpan> {
    let begin = position(events[value].1.start);
    let is_key = at < begin;
    let bytes = events[if is_key { first } else { value }].1.start.byte_offset()?..end.byte_offset()?;
    let name = events::value_of(events, value, "name").and_then(|name| scalar(&events[name]));
    let key = (first != value).then(|| scalar(&events[first])).flatten();
    let stand_in = if is_key { "" } else { "~" };
    (bytes.len() >= stand_in.len()).then_some(EntrySpan { key, name, value: begin, bytes, stand_in })
}
