//! Rows as a parser hands them over: some at a time, column by column.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};

use crate::data::data_type::DataType;
use crate::data::value::Value;
use crate::parsers::value;

/// Some rows of a parser, column by column. Everything in it is the parser's word.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// The number of the first row, from 1.
    pub first: u64,
    /// The keys of the rows, in order.
    pub names: Vec<String>,
    /// The names of the classes of the values, per column, sorted.
    pub kinds: Vec<Vec<String>>,
    /// The values, per column.
    pub columns: Vec<Vec<PythonCell>>,
}

/// One value before its class is looked at.
#[derive(Clone, Debug, PartialEq)]
pub enum PythonCell {
    /// `None`.
    Null,
    /// `True` or `False`.
    Bool(bool),
    /// A whole number that fits.
    Int(i64),
    /// Another number.
    Float(f64),
    /// A string, or the string form of a date, a time, bytes or a number that JSON can't hold.
    Text(String),
}

impl Batch {
    /// How many rows.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the parts belong together.
    pub fn is_sound(&self) -> bool {
        let (width, height) = (self.names.len(), self.len());
        self.kinds.len() == width
            && self.columns.len() == width
            && self.columns.iter().all(|column| column.len() == height)
    }
}

/// Why a value is not of its column's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotOfType {
    /// What came, as Python names the class.
    pub class: String,
}

impl PythonCell {
    /// The value of a cell of a column of `data_type`, when the column's values are of these classes.
    ///
    /// A whole number is also a number; nothing else is silently another type.
    pub fn typed(&self, data_type: DataType, kinds: &[String]) -> Result<Value, NotOfType> {
        let has = |class: &str| kinds.iter().any(|kind| kind == class);
        let wrong = |class: &str| Err(NotOfType { class: class.to_owned() });
        match (self, data_type) {
            (Self::Null, _) => Ok(Value::Null),
            (Self::Bool(value), DataType::Boolean) => Ok(Value::Boolean(*value)),
            (Self::Bool(_), _) => wrong("bool"),
            (Self::Int(value), DataType::Int64) => Ok(Value::Integer(*value)),
            (Self::Int(value), DataType::Int32) if i32::try_from(*value).is_ok() => {
                Ok(Value::Integer(*value))
            }
            (Self::Int(_), DataType::Int32) => wrong("int beyond 32 bits"),
            #[expect(clippy::cast_precision_loss, reason = "Python's own int and float compare the same way")]
            (Self::Int(value), DataType::Float64 | DataType::Float32) => Ok(Value::Float(*value as f64)),
            (Self::Int(_), _) => wrong("int"),
            (Self::Float(value), DataType::Float64 | DataType::Float32) => Ok(Value::Float(*value)),
            (Self::Float(_), DataType::Int64 | DataType::Int32) if !has("float") => {
                wrong("int beyond 64 bits")
            }
            (Self::Float(_), _) => wrong("float"),
            (Self::Text(text), data_type) => text_of(text, data_type, kinds),
        }
    }
}

/// What a text stands for: the column's classes say what it was before it became text.
fn text_of(text: &str, data_type: DataType, kinds: &[String]) -> Result<Value, NotOfType> {
    let has = |class: &str| kinds.iter().any(|kind| kind == class);
    let read = match data_type {
        DataType::String if has("str") => Some(Value::Text(text.to_owned())),
        DataType::Date if has("date") => value::date(text),
        DataType::Timestamp if has("datetime") => value::timestamp(text),
        DataType::Time if has("time") => value::time(text),
        DataType::Float64 | DataType::Float32 if has("float") || has("Decimal") => {
            text.parse().ok().map(Value::Float)
        }
        DataType::Binary if has("bytes") || has("bytearray") => BASE64.decode(text).ok().map(Value::Bytes),
        _ => None,
    };
    read.ok_or_else(|| {
        let classes = kinds.iter().filter(|kind| !matches!(kind.as_str(), "NoneType" | "int" | "bool"));
        let other: Vec<&str> =
            classes.map(String::as_str).filter(|class| *class != value::python_class(data_type)).collect();
        NotOfType { class: if other.is_empty() { "str".to_owned() } else { other.join(" or ") } }
    })
}

impl<'de> Deserialize<'de> for PythonCell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CellVisitor;

        impl<'de> Visitor<'de> for CellVisitor {
            type Value = PythonCell;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a scalar")
            }

            fn visit_unit<E: de::Error>(self) -> Result<PythonCell, E> {
                Ok(PythonCell::Null)
            }

            fn visit_bool<E: de::Error>(self, value: bool) -> Result<PythonCell, E> {
                Ok(PythonCell::Bool(value))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<PythonCell, E> {
                Ok(PythonCell::Int(value))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<PythonCell, E> {
                #[expect(
                    clippy::cast_precision_loss,
                    reason = "beyond i64 it is refused, whatever its digits"
                )]
                Ok(i64::try_from(value).map_or(PythonCell::Float(value as f64), PythonCell::Int))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<PythonCell, E> {
                Ok(PythonCell::Float(value))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<PythonCell, E> {
                Ok(PythonCell::Text(text.to_owned()))
            }

            fn visit_string<E: de::Error>(self, text: String) -> Result<PythonCell, E> {
                Ok(PythonCell::Text(text))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<PythonCell, A::Error> {
                Err(de::Error::custom("a list is no cell"))
            }
        }

        deserializer.deserialize_any(CellVisitor)
    }
}

#[cfg(test)]
mod tests;
