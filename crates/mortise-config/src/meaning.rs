//! The hash of what a file says, whatever its comments and layout: it stays the same exactly as long as the file would
//! start and contact the same.
//!
//! Our own files are hashed by the events of the YAML parser. Two texts with the same events are read as the same
//! values, so no change of a value can hide. Sections that start nothing are left out.

use std::fmt::Write;

use mortise_client::ContentHash;
use mortise_client::environment::Environment;
use serde_saphyr::granit_parser::{Event, ScalarStyle};

use crate::events::{self, Events};
use crate::import;
use crate::source::Source;
use crate::trust::Fingerprint;

/// Sections that decide neither what is started nor what is sent or checked.
const HARMLESS: [&str; 2] = ["execution", "wizards"];

/// What trust in a file is compared by.
pub(crate) fn fingerprint(environment: &Environment, source: &Source) -> Fingerprint {
    let meaning = match import::parse_foreign_file(environment, source) {
        Ok(Some(_)) => import::meaning(source),
        Ok(None) => of_own_file(&source.text),
        Err(_) => None,
    };
    Fingerprint { content: source.hash(), meaning }
}

/// The meaning of a file of our own; `None` where it can't be read or has directives.
fn of_own_file(text: &str) -> Option<ContentHash> {
    if text.lines().any(|line| line.starts_with('%')) {
        return None;
    }
    let events = events::read_events(text)?;
    let skipped = harmless(&events);
    let mut written = String::from("mortise.yaml 1\n");
    for (index, (event, _)) in events.iter().enumerate() {
        if !skipped.iter().any(|range| range.contains(&index)) {
            write_event(&mut written, event);
        }
    }
    Some(ContentHash::of(written.as_bytes()))
}

/// The events of sections that can be left out. With aliases none can: a value may be defined in one section and used
/// in another.
fn harmless(events: &Events<'_>) -> Vec<std::ops::Range<usize>> {
    let (Some(root), false) =
        (events::root(events), events.iter().any(|(event, _)| matches!(event, Event::Alias(_))))
    else {
        return Vec::new();
    };
    let is_harmless =
        |key: usize| matches!(&events[key].0, Event::Scalar(name, ..) if HARMLESS.contains(&name.as_ref()));
    let members = events::members(events, root).into_iter().filter(|(key, _)| is_harmless(*key));
    members.map(|(key, value)| key..events::after(events, value)).collect()
}

/// One event, so that no other event is written the same way.
fn write_event(written: &mut String, event: &Event<'_>) {
    let _ = match event {
        Event::Scalar(text, style, anchor, tag) => {
            // `true` and `"true"` are read as different values.
            let kind = if *style == ScalarStyle::Plain { "plain" } else { "quoted" };
            writeln!(written, "{kind} {anchor} {tag:?} {}:{text}", text.len())
        }
        Event::Alias(anchor) => writeln!(written, "alias {anchor}"),
        Event::SequenceStart(_, anchor, tag) => writeln!(written, "[ {anchor} {tag:?}"),
        Event::MappingStart(_, anchor, tag) => writeln!(written, "{{ {anchor} {tag:?}"),
        Event::SequenceEnd => writeln!(written, "]"),
        Event::MappingEnd => writeln!(written, "}}"),
        _ => Ok(()),
    };
}

#[cfg(test)]
mod tests;
