//! What kind of failure a file has, from structured facts: never from the words of a message.

use mortise_script::FailureKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::data_type::{Column, DataType};
use crate::parsers::check::Breach;
use crate::parsers::run::{ParserFailure, Raised};

/// The kind of a file's failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Category {
    /// A value of another type.
    TypeMismatch,
    /// No value where there must be one.
    NullNotAllowed,
    /// A value written in another form.
    FormatMismatch,
    /// The file could not be taken apart.
    ParseError,
    /// Other columns than the contract has.
    SchemaViolation,
    /// There is no such file.
    FileNotFound,
    /// It took too long.
    Timeout,
    /// Anything else.
    Unknown,
}

impl Category {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::TypeMismatch => "TypeMismatch",
            Self::NullNotAllowed => "NullNotAllowed",
            Self::FormatMismatch => "FormatMismatch",
            Self::ParseError => "ParseError",
            Self::SchemaViolation => "SchemaViolation",
            Self::FileNotFound => "FileNotFound",
            Self::Timeout => "Timeout",
            Self::Unknown => "Unknown",
        }
    }

    /// Whether the same run may go better later.
    pub(crate) fn is_transient(self) -> bool {
        self == Self::Timeout
    }

    /// The kind of a parser's failure; columns say what was expected.
    pub(crate) fn of(failure: &ParserFailure<Breach>, columns: &[Column]) -> Self {
        match failure {
            ParserFailure::Refused(Breach::Names { .. } | Breach::Reserved { .. }) => Self::SchemaViolation,
            ParserFailure::Refused(Breach::Type { .. }) => Self::TypeMismatch,
            ParserFailure::Refused(Breach::Null { .. }) => Self::NullNotAllowed,
            ParserFailure::Stopped { kind: FailureKind::Time, .. } => Self::Timeout,
            ParserFailure::Stopped { .. } => Self::Unknown,
            ParserFailure::Raised(raised) => Self::of_exception(raised, columns),
        }
    }

    fn of_exception(raised: &Raised, columns: &[Column]) -> Self {
        if raised.is("CellError") {
            return Self::of_cell(raised, columns);
        }
        const CLASSES: [(&str, Category); 16] = [
            ("FileNotFoundError", Category::FileNotFound),
            ("UnicodeError", Category::ParseError),
            ("JSONDecodeError", Category::ParseError),
            ("BadGzipFile", Category::FormatMismatch),
            ("EOFError", Category::FormatMismatch),
            ("RowError", Category::SchemaViolation),
            ("LookupError", Category::SchemaViolation),
            ("AttributeError", Category::ParseError),
            ("ImportError", Category::Unknown),
            ("MemoryError", Category::Unknown),
            ("TimeoutError", Category::Timeout),
            ("TypeError", Category::TypeMismatch),
            ("ArithmeticError", Category::TypeMismatch),
            ("ValueError", Category::ParseError),
            ("SyntaxError", Category::ParseError),
            // The csv module's own.
            ("Error", Category::ParseError),
        ];
        let known = CLASSES.into_iter().find(|(class, _)| raised.is(class));
        known.map_or(Self::Unknown, |(_, category)| category)
    }

    /// The kind of an error that names its cell, as generated parsers raise it.
    fn of_cell(raised: &Raised, columns: &[Column]) -> Self {
        let text = raised.value.as_ref().and_then(serde_json::Value::as_str).map(str::trim);
        if matches!(text, None | Some("")) {
            return Self::NullNotAllowed;
        }
        let column = columns.iter().find(|column| Some(column.name.as_str()) == raised.column_name());
        match column.map(|column| column.data_type) {
            Some(DataType::Date | DataType::Timestamp | DataType::Time) => Self::FormatMismatch,
            _ => Self::TypeMismatch,
        }
    }

    /// The kind that a caller names, or the one that the words of a message from elsewhere suggest.
    pub(crate) fn of_message(message: &str) -> Self {
        let message = message.to_lowercase();
        let has = |word: &str| message.contains(word);
        match () {
            () if has("type") && has("mismatch") => Self::TypeMismatch,
            () if has("null") || has("empty") => Self::NullNotAllowed,
            () if has("format") => Self::FormatMismatch,
            () if has("parse") => Self::ParseError,
            () if has("schema") => Self::SchemaViolation,
            () if has("not found") || has("no such file") => Self::FileNotFound,
            () => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests;
