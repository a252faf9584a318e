//! Reading YAML under bounds, with every complaint located and no value in it.

use mortise_contract::text::{cut, printable};
use serde::de::DeserializeOwned;
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::granit_parser::{Event, Parser};
use serde_saphyr::{DuplicateKeyPolicy, Error, MergeKeyPolicy, MessageFormatter, UserMessageFormatter};
use serde_saphyr::{alias_limits, budget, options};

use crate::error::Problem;
use crate::limits;
use crate::located::Position;

/// Bytes of one configuration file.
pub(crate) const MAX_BYTES: usize = limits::CONFIG_BYTES;
/// Nodes of one configuration file, aliases expanded.
pub(crate) const MAX_NODES: usize = limits::CONFIG_NODES;
/// Nesting of one configuration file.
const MAX_NESTING: usize = 32;

/// Reads one document. An empty one gives the default.
pub(crate) fn read_yaml<T: DeserializeOwned + Default>(text: &str) -> Result<T, (Position, Problem)> {
    refuse_tags(text)?;
    let options = options! {
        budget: budget! {
            max_nodes: MAX_NODES,
            max_events: 4 * MAX_NODES,
            max_depth: MAX_NESTING,
            flow_nesting_limit: MAX_NESTING,
            max_documents: 1,
            max_recorded_anchor_events: 2 * MAX_NODES,
            // The limit on replayed events says the same thing more plainly.
            enforce_alias_anchor_ratio: false,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Merge,
        alias_limits: alias_limits! {
            max_total_replayed_events: MAX_NODES,
            max_replay_stack_depth: MAX_NESTING,
        },
        // A snippet would show the line, and a line can hold a secret.
        with_snippet: false,
        strict_booleans: true,
    };
    serde_saphyr::from_str_with_options::<Option<T>>(text, options)
        .map(Option::unwrap_or_default)
        .map_err(|error| explain(&error))
}

/// Tags change what a value means and nothing here needs one.
fn refuse_tags(text: &str) -> Result<(), (Position, Problem)> {
    // Few files have the sign at all, and the rest need not be read twice.
    if !text.contains('!') {
        return Ok(());
    }
    for event in Parser::new_from_str(text).take(4 * MAX_NODES) {
        // What is not YAML is reported by the reader itself.
        let Ok((event, span)) = event else { return Ok(()) };
        let (Event::Scalar(_, _, _, tag) | Event::SequenceStart(_, _, tag) | Event::MappingStart(_, _, tag)) =
            event
        else {
            continue;
        };
        if let Some(tag) = tag {
            let start = span.tag_start.unwrap_or(span.start);
            let position = Position { line: start.line() as u64, column: start.col() as u64 + 1 };
            return Err((position, Problem::Tag { tag: shorten(&tag.to_string()) }));
        }
    }
    Ok(())
}

/// The reader's complaint in our words. Values are left out, only kinds of values are named.
fn explain(error: &Error) -> (Position, Problem) {
    let error = error.without_snippet();
    let position = error.location().map(Position::from).unwrap_or_default();
    let problem = match error {
        Error::AliasError { error, .. } => explain(error).1,
        Error::SerdeUnknownField { field, expected, .. } => {
            Problem::UnknownKey { key: shorten(field), known: expected.clone() }
        }
        Error::SerdeUnknownVariant { variant, expected, .. } => {
            // `sse` is read only to be refused.
            let known = expected.iter().copied().filter(|known| *known != "sse").collect();
            Problem::UnknownValue { value: shorten(variant), known }
        }
        Error::SerdeInvalidType { unexpected, expected, .. }
        | Error::SerdeInvalidValue { unexpected, expected, .. } => {
            Problem::WrongKind { expected: expected.clone(), found: kind_of(unexpected) }
        }
        Error::SerdeMissingField { field, .. } => {
            Problem::WrongKind { expected: format!("the key `{field}`"), found: None }
        }
        Error::Unexpected { expected, .. } => {
            Problem::WrongKind { expected: node_kind(expected).to_owned(), found: None }
        }
        Error::InvalidScalar { ty, .. } => {
            Problem::WrongKind { expected: scalar_kind(ty).to_owned(), found: None }
        }
        Error::InvalidBooleanStrict { .. } => {
            Problem::WrongKind { expected: "`true` or `false`".to_owned(), found: None }
        }
        Error::NullIntoString { .. } => {
            Problem::WrongKind { expected: "a text".to_owned(), found: Some("nothing") }
        }
        Error::DuplicateMappingKey { key, .. } => {
            Problem::DuplicateKey { key: shorten(key.as_deref().unwrap_or("?")) }
        }
        Error::MultipleDocuments { .. } => Problem::SecondDocument,
        Error::Budget { breach, .. } => explain_breach(breach),
        Error::AliasReplayLimitExceeded { .. }
        | Error::AliasReplayCounterOverflow { .. }
        | Error::AliasExpansionLimitExceeded { .. } => {
            Problem::Limit { what: "nodes after aliases are expanded", limit: MAX_NODES }
        }
        Error::AliasReplayStackDepthExceeded { .. } => {
            Problem::Limit { what: "levels of aliases", limit: MAX_NESTING }
        }
        other => Problem::Syntax { message: plain_message(other) },
    };
    (position, problem)
}

fn explain_breach(breach: &BudgetBreach) -> Problem {
    match breach {
        BudgetBreach::Depth { .. } => Problem::Limit { what: "levels of nesting", limit: MAX_NESTING },
        BudgetBreach::Documents { .. } => Problem::SecondDocument,
        _ => Problem::Limit { what: "nodes", limit: MAX_NODES },
    }
}

/// The kind out of serde's `string "…"`, without the value behind it.
fn kind_of(unexpected: &str) -> Option<&'static str> {
    const KINDS: [(&str, &str); 9] = [
        ("string", "a text"),
        ("boolean", "`true` or `false`"),
        ("integer", "a whole number"),
        ("floating point", "a number"),
        ("sequence", "a list"),
        ("map", "a mapping"),
        ("unit", "nothing"),
        ("null", "nothing"),
        ("Option", "nothing"),
    ];
    KINDS.iter().find(|(word, _)| unexpected.starts_with(word)).map(|(_, kind)| *kind)
}

fn node_kind(expected: &'static str) -> &'static str {
    match expected {
        "mapping start" => "a mapping",
        "sequence start" => "a list",
        "string scalar" | "scalar" => "a text",
        other => other,
    }
}

fn scalar_kind(rust_type: &str) -> &'static str {
    match rust_type {
        "boolean" | "bool" => "`true` or `false`",
        "floating point" | "f64" => "a number",
        _ => "a whole number",
    }
}

/// Complaints about syntax speak of characters and structure, never of a whole value.
fn plain_message(error: &Error) -> String {
    match error {
        Error::NonFiniteFloat { .. } => "a number that is not finite".to_owned(),
        other => shorten(&UserMessageFormatter.format_message(other)),
    }
}

/// Text from a file, cut so that one message stays one line.
fn shorten(text: &str) -> String {
    cut(&printable(text), 120)
}

#[cfg(test)]
mod tests;
