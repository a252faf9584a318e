//! The hash of what a file says, whatever its comments and layout: it stays the same exactly as long as the file would
//! start and contact the same.
//!
//! Our own files are hashed by the events of the YAML parser. Two texts with the same events are read as the same
//! values, so no change of a value can hide.

use std::fmt::Write;

use mortise_client::ContentHash;
use mortise_client::environment::Environment;
use serde_saphyr::granit_parser::{Event, ScalarStyle};

use crate::events;
use crate::import;
use crate::source::Source;
use crate::trust::Fingerprint;

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
    let mut written = String::from("mortise.yaml 1\n");
    for (event, _) in events::read_events(text)? {
        write_event(&mut written, &event);
    }
    Some(ContentHash::of(written.as_bytes()))
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
