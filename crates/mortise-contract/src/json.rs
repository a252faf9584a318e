//! A JSON text kept exactly as its sender wrote it.

mod canonical;
mod cursor;
mod equal;
mod keys;
mod measure;
mod number;
mod object;
mod pointer;
mod scan;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::limits;

pub(crate) use canonical::canonical_members;
pub use canonical::canonical_text;
pub(crate) use cursor::TextCursor;
pub use equal::is_same_value;
pub use keys::{DuplicateKey, duplicate_keys};
pub use measure::{Measure, measure};
pub use number::{NumberIssue, NumberNote};
pub use object::RawObject;
pub use pointer::{escape_token, unescape_token};

/// One well-formed JSON text, verbatim: digits, key order and white space survive.
///
/// Cheap to clone. Use [`RawJson::value`] to look inside; what is forwarded,
/// shown or handed to a program is always [`RawJson::text`]. `Debug` shows the
/// size only, since call arguments and results may hold secrets.
///
/// ```
/// use mortise_contract::RawJson;
///
/// let raw = RawJson::parse(r#"{"price": 1.10, "id": 123456789012345678901234567890}"#)?;
/// let members = raw.members()?;
/// assert_eq!(members[0].1.text(), "1.10");
/// assert_eq!(members[1].1.text(), "123456789012345678901234567890");
/// # Ok::<(), mortise_contract::json::JsonError>(())
/// ```
#[derive(Clone)]
pub struct RawJson {
    /// The text, or a larger one that it is most of.
    whole: Arc<str>,
    range: Range<usize>,
}

/// Why a text is not JSON that can be worked with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of a variant says what its fields hold")]
pub enum JsonError {
    /// The text is not JSON, or a string in it is not Unicode (a lone surrogate).
    #[error("not JSON: {message}")]
    Syntax {
        /// The parser's own words, with line and column.
        message: String,
    },
    /// The value nests deeper than the bound.
    #[error("JSON nests deeper than {limit} levels")]
    TooDeep {
        /// The bound that was passed.
        limit: usize,
    },
    /// The text is longer than the bound.
    #[error("JSON of {bytes} bytes; the limit is {limit}")]
    TooLarge {
        /// Bytes found.
        bytes: usize,
        /// The bound that was passed.
        limit: usize,
    },
    /// The value is not of the kind that was asked for.
    #[error("expected {expected}, found {found}")]
    WrongKind {
        /// What was asked for.
        expected: JsonKind,
        found: JsonKind,
    },
}

/// The six kinds of JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JsonKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// A parsed text, with what parsing could not keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The value. A number beyond the range of a double is the largest double of its sign.
    pub value: Value,
    /// Numbers that a double does not hold exactly, the first few of them.
    pub numbers: Vec<NumberNote>,
}

impl RawJson {
    /// Checks that `text` is one JSON value and keeps it.
    ///
    /// Any nesting is accepted here; [`RawJson::value`] has the bound.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| syntax(&error))?;
        Ok(Self::whole(raw.get().into()))
    }

    /// A text that is known to be one JSON value.
    fn whole(text: Arc<str>) -> Self {
        Self { range: 0..text.len(), whole: text }
    }

    /// One value inside. It shares the text if it is most of it, so that a small part never keeps a large text alive.
    fn part(&self, range: Range<usize>) -> Self {
        if range.len() < self.whole.len() / 2 {
            return Self::whole(self.text()[range].into());
        }
        let start = self.range.start;
        Self { whole: Arc::clone(&self.whole), range: start + range.start..start + range.end }
    }

    /// The compact text of a value built in code.
    ///
    /// Fails only for a value that nests deeper than [`limits::JSON_DEPTH`].
    pub fn from_value(value: &Value) -> Result<Self, JsonError> {
        if measure(value, limits::JSON_DEPTH).levels > limits::JSON_DEPTH {
            return Err(JsonError::TooDeep { limit: limits::JSON_DEPTH });
        }
        let text = serde_json::to_string(value).map_err(|error| syntax(&error))?;
        Ok(Self::whole(text.into()))
    }

    /// The compact text of anything that serde can write as JSON, for values of our own.
    ///
    /// Fails for a map whose keys are not strings, and for what an implementation of `Serialize` refuses.
    pub fn of(value: &impl Serialize) -> Result<Self, JsonError> {
        serde_json::to_string(value).map(|text| Self::whole(text.into())).map_err(|error| syntax(&error))
    }

    /// The text, as sent.
    pub fn text(&self) -> &str {
        &self.whole[self.range.clone()]
    }

    /// What kind of value this is.
    pub fn kind(&self) -> JsonKind {
        match self.text().as_bytes().first() {
            Some(b'{') => JsonKind::Object,
            Some(b'[') => JsonKind::Array,
            Some(b'"') => JsonKind::String,
            Some(b't' | b'f') => JsonKind::Boolean,
            Some(b'n') => JsonKind::Null,
            _ => JsonKind::Number,
        }
    }

    /// The parsed value; see [`RawJson::read`] for what it could not keep.
    pub fn value(&self) -> Result<Value, JsonError> {
        self.read().map(|reading| reading.value)
    }

    /// Parses, at most [`limits::JSON_DEPTH`] levels deep, and says which numbers a double can't hold.
    ///
    /// A number out of range never loses the rest: it becomes the largest double of its sign.
    pub fn read(&self) -> Result<Reading, JsonError> {
        let text = self.text();
        let scan = scan::scan(text);
        if scan.levels > limits::JSON_DEPTH {
            return Err(JsonError::TooDeep { limit: limits::JSON_DEPTH });
        }
        let odd = number::odd_numbers(text, &scan.candidates);
        let value = match number::clamp(text, &odd) {
            Some(clamped) => serde_json::from_str(&clamped),
            None => serde_json::from_str(text),
        };
        Ok(Reading { value: value.map_err(|error| syntax(&error))?, numbers: number::notes(text, &odd) })
    }

    /// Parses a text of at most `limit` bytes: a parsed value can take many times the memory of its text.
    pub fn read_within(&self, limit: usize) -> Result<Reading, JsonError> {
        let bytes = self.text().len();
        if bytes > limit { Err(JsonError::TooLarge { bytes, limit }) } else { self.read() }
    }

    /// The members of an object in the sender's order, duplicates included, each verbatim.
    pub fn members(&self) -> Result<Vec<(String, RawJson)>, JsonError> {
        self.expect_kind(JsonKind::Object)?;
        let members = scan::members(self.text()).map_err(|error| syntax(&error))?;
        Ok(members.into_iter().map(|(key, range)| (key, self.part(range))).collect())
    }

    /// The elements of an array, each verbatim.
    pub fn elements(&self) -> Result<Vec<RawJson>, JsonError> {
        self.expect_kind(JsonKind::Array)?;
        Ok(scan::elements(self.text()).into_iter().map(|range| self.part(range)).collect())
    }

    /// The last member of that name: the one that parsers keep.
    ///
    /// `None` when this is not an object or has no such member.
    pub fn member(&self, name: &str) -> Option<RawJson> {
        self.members().ok()?.into_iter().rev().find_map(|(key, value)| (key == name).then_some(value))
    }

    /// Every number that a double does not hold, by pointer, as written.
    pub fn odd_numbers(&self) -> Vec<(String, String)> {
        let text = self.text();
        let odd = number::odd_numbers(text, &scan::scan(text).candidates);
        let offsets: Vec<usize> = odd.iter().map(|(range, _)| range.start).collect();
        let texts = odd.into_iter().map(|(range, _)| text[range].to_owned());
        pointer::pointers_at(text, &offsets).into_iter().zip(texts).collect()
    }

    fn expect_kind(&self, expected: JsonKind) -> Result<(), JsonError> {
        match self.kind() {
            found if found == expected => Ok(()),
            found => Err(JsonError::WrongKind { expected, found }),
        }
    }
}

fn syntax(error: &serde_json::Error) -> JsonError {
    JsonError::Syntax { message: error.to_string() }
}

impl JsonKind {
    /// The kind of a parsed value.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }
}

impl fmt::Display for JsonKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        })
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        Self::whole(raw.get().into())
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Only the parser makes the value that is written verbatim.
        let raw: &RawValue = serde_json::from_str(self.text()).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    /// Only from the text of JSON: other sources do not have the sender's own spelling.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::from)
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for RawJson {}

impl fmt::Debug for RawJson {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "RawJson({} bytes)", self.text().len())
    }
}

#[cfg(test)]
mod tests;
