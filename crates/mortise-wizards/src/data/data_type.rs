//! The types of columns, as contracts and parsers name them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DataType {
    /// Whole numbers of 64 bits.
    Int64,
    /// Whole numbers of 32 bits.
    Int32,
    /// Decimal numbers of 64 bits.
    Float64,
    /// Decimal numbers of 32 bits.
    Float32,
    /// Text.
    String,
    /// Yes or no.
    Boolean,
    /// A day.
    Date,
    /// A day and a time of day.
    Timestamp,
    /// A time of day.
    Time,
    /// Bytes.
    Binary,
}

impl DataType {
    pub const ALL: [Self; 10] = [
        Self::Int64,
        Self::Int32,
        Self::Float64,
        Self::Float32,
        Self::String,
        Self::Boolean,
        Self::Date,
        Self::Timestamp,
        Self::Time,
        Self::Binary,
    ];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The type that a word names.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.as_str() == text)
    }
}

/// What a column's values may be, for reading them with their types.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// As in the file's header
    pub name: String,
    /// Its type
    pub data_type: DataType,
    /// Whether a value may be missing
    #[serde(default)]
    pub nullable: bool,
    /// How a date, time or timestamp is written, for `strptime`; several formats are separated by `|`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}
