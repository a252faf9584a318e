//! A YAML text as the events of its parser, each with its place in the text.

use serde_saphyr::granit_parser::{Event, Marker, Parser, Span};

use crate::located::{Located, Position};
use crate::yaml::MAX_NODES;

/// The nodes of one text in their order. Marks of streams and documents are left out.
pub(crate) type Events<'a> = Vec<(Event<'a>, Span)>;

/// Reads the nodes; `None` for a text that is not YAML, or that has more than one document.
pub(crate) fn read_events(text: &str) -> Option<Events<'_>> {
    let mut documents = 0;
    let mut events = Vec::new();
    for event in Parser::new_from_str(text).take(4 * MAX_NODES) {
        let (event, span) = event.ok()?;
        match event {
            Event::DocumentStart(..) => documents += 1,
            Event::Scalar(..)
            | Event::Alias(_)
            | Event::SequenceStart(..)
            | Event::SequenceEnd
            | Event::MappingStart(..)
            | Event::MappingEnd => events.push((event, span)),
            _ => {}
        }
    }
    (documents <= 1).then_some(events)
}

/// Where the mapping at the root of the document begins.
pub(crate) fn root(events: &Events<'_>) -> Option<usize> {
    matches!(events.first()?.0, Event::MappingStart(..)).then_some(0)
}

/// Where the value of a key begins, in the mapping that begins at `mapping`.
pub(crate) fn value_of(events: &Events<'_>, mapping: usize, key: &str) -> Option<usize> {
    members(events, mapping)
        .into_iter()
        .find(|(known, _)| matches!(&events[*known].0, Event::Scalar(text, ..) if text == key))
        .map(|(_, value)| value)
}

/// Where the keys and values of a mapping begin.
pub(crate) fn members(events: &Events<'_>, mapping: usize) -> Vec<(usize, usize)> {
    match events.get(mapping) {
        Some((Event::MappingStart(..), _)) => {
            let nodes = children(events, mapping);
            nodes.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
        }
        _ => Vec::new(),
    }
}

/// Where the nodes directly inside a collection begin.
pub(crate) fn children(events: &Events<'_>, collection: usize) -> Vec<usize> {
    let mut nodes = Vec::new();
    let mut at = collection + 1;
    while let Some((event, _)) = events.get(at)
        && !matches!(event, Event::SequenceEnd | Event::MappingEnd)
    {
        nodes.push(at);
        at = after(events, at);
    }
    nodes
}

/// What follows the node that begins at `at`.
pub(crate) fn after(events: &Events<'_>, at: usize) -> usize {
    let mut depth = 0;
    for (offset, (event, _)) in events.iter().skip(at).enumerate() {
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => depth += 1,
            Event::MappingEnd | Event::SequenceEnd => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + offset + 1;
        }
    }
    events.len()
}

/// A scalar as a text with its place.
pub(crate) fn scalar((event, span): &(Event<'_>, Span)) -> Option<Located<String>> {
    match event {
        Event::Scalar(text, ..) => {
            Some(Located { value: text.clone().into_owned(), position: position(span.start) })
        }
        _ => None,
    }
}

/// Where a marker points, counted from 1.
pub(crate) fn position(marker: Marker) -> Position {
    Position { line: marker.line() as u64, column: marker.col() as u64 + 1 }
}
