//! The validator's findings in our words: where, what was expected, what is there.

use std::io;

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{ErrorIterator, ValidationError};
use serde_json::Value;

use super::Validation;
use crate::limits;
use crate::text::cut_bytes;
use crate::verdict::Violation;

/// Bytes of a value inside a message.
const GOT_BYTES: usize = 80;

/// Alternatives of `anyOf` and `oneOf` that a message explains.
const ALTERNATIVES_SHOWN: usize = 3;

/// Names and values that a message lists.
const LISTED: usize = 20;

/// Every error as a violation, the first `kept` in full; unchecked if the regex engine gave up on a match.
pub(super) fn all(errors: ErrorIterator<'_>, kept: usize) -> Validation {
    let mut violations = Vec::new();
    let mut total = 0;
    for error in errors {
        if let Some(unchecked) = given_up(&error) {
            return unchecked;
        }
        total += 1;
        if violations.len() < kept {
            violations.push(violation(&error));
        }
    }
    match total {
        0 => Validation::Valid,
        _ => Validation::Invalid { violations, total, is_complete: true },
    }
}

/// One error as the only violation that was looked for.
pub(super) fn first(error: &ValidationError<'_>) -> Validation {
    let found = || Validation::Invalid { violations: vec![violation(error)], total: 1, is_complete: false };
    given_up(error).unwrap_or_else(found)
}

/// A violation without a place, for a value on which looking for one costs too much.
pub(super) fn unexplained(instance: &Value) -> Validation {
    let violation = Violation {
        instance_path: String::new(),
        schema_path: String::new(),
        keyword: String::new(),
        message: "the value does not conform to the schema; it is too large to say where".to_owned(),
        value_excerpt: shown(instance, limits::VIOLATION_EXCERPT),
    };
    Validation::Invalid { violations: vec![violation], total: 1, is_complete: false }
}

fn given_up(error: &ValidationError<'_>) -> Option<Validation> {
    let (Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. }) = error.kind() else {
        return None;
    };
    let reason = format!("the pattern at `{}` takes too many steps to match", error.schema_path());
    Some(Validation::Unchecked { reason })
}

fn violation(error: &ValidationError<'_>) -> Violation {
    Violation {
        instance_path: error.instance_path().to_string(),
        schema_path: error.schema_path().to_string(),
        keyword: error.kind().keyword().to_owned(),
        message: message(error),
        value_excerpt: shown(error.instance(), limits::VIOLATION_EXCERPT),
    }
}

/// What was expected and what is there, within the limit for messages.
pub(super) fn message(error: &ValidationError<'_>) -> String {
    cut_bytes(&full_message(error), limits::VIOLATION_MESSAGE)
}

fn full_message(error: &ValidationError<'_>) -> String {
    let expected = |what: String| format!("expected {what}, got {}", shown(error.instance(), GOT_BYTES));
    let counted =
        |what: String, unit: &str| format!("expected {what} {unit}, got {}", length(error.instance()));
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(kind) } => expected(kind.to_string()),
        Kind::Type { kind: TypeKind::Multiple(kinds) } => {
            expected(kinds.iter().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or "))
        }
        Kind::Constant { expected_value } => expected(shown(expected_value, GOT_BYTES)),
        Kind::Enum { options } => expected(format!("one of {}", listed_values(options))),
        Kind::Minimum { limit } => expected(format!("at least {limit}")),
        Kind::Maximum { limit } => expected(format!("at most {limit}")),
        Kind::ExclusiveMinimum { limit } => expected(format!("more than {limit}")),
        Kind::ExclusiveMaximum { limit } => expected(format!("less than {limit}")),
        Kind::MultipleOf { multiple_of } => expected(format!("a multiple of {multiple_of}")),
        Kind::Pattern { pattern } => expected(format!("a string that matches `{}`", cut_bytes(pattern, 256))),
        Kind::Format { format } => expected(format!("a string of format `{format}`")),
        Kind::ContentEncoding { content_encoding } => {
            expected(format!("a string encoded as `{content_encoding}`"))
        }
        Kind::ContentMediaType { content_media_type } => {
            expected(format!("a string of type `{content_media_type}`"))
        }
        Kind::MinLength { limit } => counted(format!("at least {limit}"), "characters"),
        Kind::MaxLength { limit } => counted(format!("at most {limit}"), "characters"),
        Kind::MinItems { limit } => counted(format!("at least {limit}"), "items"),
        Kind::MaxItems { limit } => counted(format!("at most {limit}"), "items"),
        Kind::AdditionalItems { limit } => counted(format!("at most {limit}"), "items"),
        Kind::MinProperties { limit } => counted(format!("at least {limit}"), "properties"),
        Kind::MaxProperties { limit } => counted(format!("at most {limit}"), "properties"),
        Kind::Required { property } => format!("missing required property {}", quoted(property)),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!(
                "unexpected {} {}",
                plural(unexpected.len(), "property", "properties"),
                listed(unexpected)
            )
        }
        Kind::UnevaluatedItems { unexpected } => {
            format!("unexpected {} {}", plural(unexpected.len(), "item", "items"), listed(unexpected))
        }
        Kind::PropertyNames { error: inner } => {
            format!(
                "the property name {} does not conform: {}",
                quoted(inner.instance()),
                full_message(inner)
            )
        }
        Kind::UniqueItems => "two items are equal; all must differ".to_owned(),
        Kind::Contains => "no item, too few or too many items match `contains`".to_owned(),
        // `additionalProperties: false` next to no `properties` comes without the property's name.
        Kind::FalseSchema if error.schema_path().as_str().ends_with("/additionalProperties") => {
            "no property is allowed here".to_owned()
        }
        Kind::FalseSchema => "no value is allowed here".to_owned(),
        Kind::Not { .. } => expected("a value that the schema under `not` refuses".to_owned()),
        Kind::AnyOf { context } => alternatives("anyOf", context),
        Kind::OneOfNotValid { context } => alternatives("oneOf", context),
        Kind::OneOfMultipleValid { context } => {
            let matching: Vec<String> = (0..context.len())
                .filter(|index| context[*index].is_empty())
                .map(|index| index.to_string())
                .collect();
            format!("expected a match with exactly one alternative of `oneOf`, got {}", listed(&matching))
        }
        // The rest speaks of the schema, not of a value.
        Kind::BacktrackLimitExceeded { .. }
        | Kind::RegexEngineFailure { .. }
        | Kind::Custom { .. }
        | Kind::FromUtf8 { .. }
        | Kind::Referencing(_) => error.to_string(),
    }
}

/// Why each of the first alternatives does not match.
fn alternatives(keyword: &str, context: &[Vec<ValidationError<'static>>]) -> String {
    let reason = |(index, errors): (usize, &Vec<ValidationError<'static>>)| {
        let error = errors.first()?;
        let place = match error.instance_path().as_str() {
            "" => String::new(),
            path => format!("{path}: "),
        };
        Some(format!("({index}) {place}{}", cut_bytes(&full_message(error), limits::VIOLATION_EXCERPT)))
    };
    let reasons: Vec<String> =
        context.iter().enumerate().filter_map(reason).take(ALTERNATIVES_SHOWN).collect();
    let rest = context.len().saturating_sub(reasons.len());
    let more = if rest > 0 { format!("; and {rest} more") } else { String::new() };
    format!("matches no alternative of `{keyword}`: {}{more}", reasons.join("; "))
}

fn listed_values(options: &Value) -> String {
    let values = options.as_array().map_or(&[][..], Vec::as_slice);
    let shown: Vec<String> = values.iter().take(LISTED).map(|value| shown(value, GOT_BYTES)).collect();
    with_rest(&shown, values.len())
}

fn listed(names: &[String]) -> String {
    let shown: Vec<String> =
        names.iter().take(LISTED).map(|name| format!("`{}`", cut_bytes(name, GOT_BYTES))).collect();
    with_rest(&shown, names.len())
}

fn with_rest(shown: &[String], total: usize) -> String {
    let rest = total.saturating_sub(shown.len());
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

fn plural<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}

fn quoted(name: &Value) -> String {
    match name {
        Value::String(name) => format!("`{}`", cut_bytes(name, GOT_BYTES)),
        other => shown(other, GOT_BYTES),
    }
}

fn length(instance: &Value) -> usize {
    match instance {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 1,
    }
}

/// The start of a value's JSON text; a large value is not written out whole.
fn shown(value: &Value, bytes: usize) -> String {
    let mut text = Capped { text: Vec::new(), room: bytes + 1 };
    // An error only says that the room is used up.
    let _ = serde_json::to_writer(&mut text, value);
    cut_bytes(&String::from_utf8_lossy(&text.text), bytes)
}

/// A writer that takes a limited number of bytes and refuses the rest.
struct Capped {
    text: Vec<u8>,
    room: usize,
}

impl io::Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::WriteZero.into());
        }
        let taken = bytes.len().min(self.room);
        self.text.extend_from_slice(&bytes[..taken]);
        self.room -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
