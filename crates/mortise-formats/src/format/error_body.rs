//! The body of an error result.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ErrorCode, Subcode};

/// The most further errors that one error lists.
pub const MAX_DETAILS: usize = 20;

/// What a caller gets instead of a result: what was found where, and what to do about it.
///
/// It stands as JSON in the first content block of a result with `isError: true`.
///
/// ```
/// use mortise_formats::format::{ErrorBody, ErrorCode, Subcode};
///
/// let error = ErrorBody::new(
///     ErrorCode::YamlInvalid,
///     "`segment-3` is not a source; expected `segment(-N)`, `filename`, `full_path` or `rel_path`",
///     "write `segment(-3)`",
/// )
/// .with_subcode(Subcode::YamlSchema)
/// .at_field("rules[0].extract.day.from")
/// .at_line(7);
/// assert_eq!(error.to_value()["error_code"], "ERR_YAML_INVALID");
/// assert_eq!(ErrorBody::parse(&error.to_value().to_string())?, error);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct ErrorBody {
    /// The code to match on.
    #[schemars(with = "String")]
    pub error_code: ErrorCode,
    /// More precisely, where a code has kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub subcode: Option<Subcode>,
    /// Which value, as a dotted path: `rules[0].extract.day.from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The line of a text, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The character in the line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// What was found and what was expected.
    pub reason: String,
    /// One thing to do now.
    pub suggestion: String,
    /// Further errors, at most [`MAX_DETAILS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    // By name the schema would refer to itself, which a tool's schema can't do in place.
    #[schemars(with = "Vec<Map<String, Value>>")]
    pub details: Vec<ErrorBody>,
    /// Whether the same call may succeed later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
}

impl ErrorBody {
    /// An error without a place.
    pub fn new(error_code: ErrorCode, reason: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self {
            error_code,
            subcode: None,
            field: None,
            line: None,
            column: None,
            reason: reason.into(),
            suggestion: suggestion.into(),
            details: Vec::new(),
            retryable: None,
        }
    }

    /// The same error with a subcode.
    #[must_use]
    pub fn with_subcode(mut self, subcode: Subcode) -> Self {
        self.subcode = Some(subcode);
        self
    }

    /// The same error about one field.
    #[must_use]
    pub fn at_field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// The same error at a line, from 1.
    #[must_use]
    pub fn at_line(mut self, line: u32) -> Self {
        self.line = Some(line);
        self
    }

    /// The same error at a character of its line, from 1.
    #[must_use]
    pub fn at_column(mut self, column: u32) -> Self {
        self.column = Some(column);
        self
    }

    /// The same error, said to pass or to stay.
    #[must_use]
    pub fn with_retryable(mut self, retryable: bool) -> Self {
        self.retryable = Some(retryable);
        self
    }

    /// The same error with further ones, as many as [`MAX_DETAILS`] allows.
    #[must_use]
    pub fn with_details(mut self, details: impl IntoIterator<Item = ErrorBody>) -> Self {
        let room = MAX_DETAILS.saturating_sub(self.details.len());
        self.details.extend(details.into_iter().take(room));
        self
    }

    /// The first of several errors, with the others as its details; `None` if there are none.
    pub fn of_many(errors: impl IntoIterator<Item = ErrorBody>) -> Option<Self> {
        let mut errors = errors.into_iter();
        let first = errors.next()?;
        Some(first.with_details(errors))
    }

    /// The JSON of the first content block.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Reads an error from the first content block of an error result.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

impl fmt::Display for ErrorBody {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.error_code)?;
        if let Some(subcode) = self.subcode {
            write!(formatter, " ({subcode})")?;
        }
        if let Some(field) = &self.field {
            write!(formatter, " at `{field}`")?;
        }
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(formatter, " on line {line}, column {column}")?,
            (Some(line), None) => write!(formatter, " on line {line}")?,
            (None, _) => {}
        }
        write!(formatter, ": {}", self.reason)
    }
}

impl std::error::Error for ErrorBody {}
