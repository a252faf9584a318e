//! Cells with their types: the reading that a parser's output is compared with.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use chrono::NaiveDate;

use super::data_type::{Column, DataType};
use super::dates::{self, DateFormat, MomentFormat, TimeFormat, Zone};
use super::literal::{self, Number};
use super::nulls::NullTokens;
use super::strptime::Strptime;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    /// Days since 1970-01-01.
    Date(i32),
    /// Microseconds since 1970-01-01; `zoned` if the string has a zone, and then in UTC.
    Timestamp {
        micros: i64,
        zoned: bool,
    },
    /// Microseconds since midnight.
    Time(i64),
    Text(String),
    /// A string of a binary column whose format says nothing about its bytes stays [`Value::Text`].
    Bytes(Vec<u8>),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    #[error("a value is missing")]
    Missing,
    #[error("`{value}` is no {data_type}{}", format.as_ref().map(|format| format!(" of the form `{format}`")).unwrap_or_default())]
    NotA {
        /// The text, cut where it is long.
        value: String,
        data_type: DataType,
        format: Option<String>,
    },
}

/// Converts the cells of one column.
///
/// Spaces around a value are ignored unless the column is text; text is kept as it is.
#[derive(Clone, Debug)]
pub struct Converter {
    column: Column,
    nulls: NullTokens,
    formats: Vec<TimeReading>,
    /// What the file itself says that the cells are.
    cells: Option<DataType>,
}

impl Converter {
    /// A converter for a column, with the words that mean a missing value.
    pub fn new(column: &Column, nulls: &NullTokens) -> Self {
        let fallback = match column.data_type {
            DataType::Date => "%Y-%m-%d",
            DataType::Timestamp => "%Y-%m-%dT%H:%M:%S",
            DataType::Time => "%H:%M:%S",
            _ => "",
        };
        let formats = column.format.as_deref().filter(|format| !format.is_empty()).unwrap_or(fallback);
        let formats = formats.split('|').filter(|format| !format.is_empty());
        let formats = formats.map(|format| TimeReading::new(column.data_type, format)).collect();
        Self { column: column.clone(), nulls: nulls.clone(), formats, cells: None }
    }

    /// The same for cells of which the file itself says what they are: its numbers may be none, or without end, and its
    /// bytes are written in hexadecimal digits.
    #[must_use]
    pub fn of_cells(self, cells: DataType) -> Self {
        Self { cells: Some(cells), ..self }
    }

    /// The value of a cell; `None` is a cell that is not there at all.
    pub fn value(&self, cell: Option<&str>) -> Result<Value, ValueError> {
        let is_text = matches!(self.column.data_type, DataType::String | DataType::Binary);
        let text = match cell {
            // Nothing but a text can be empty.
            Some(text) if !self.nulls.contains(text.trim()) && (is_text || !text.is_empty()) => text,
            _ if self.column.nullable => return Ok(Value::Null),
            // An empty text is a text.
            Some(text) if self.column.data_type == DataType::String => {
                return Ok(Value::Text(text.to_owned()));
            }
            _ => return Err(ValueError::Missing),
        };
        self.typed(text).ok_or_else(|| ValueError::NotA {
            value: super::bounds::shown(text),
            data_type: self.column.data_type,
            format: self.column.format.clone(),
        })
    }

    fn typed(&self, text: &str) -> Option<Value> {
        let trimmed = text.trim();
        match self.column.data_type {
            DataType::String => Some(Value::Text(text.to_owned())),
            DataType::Binary => match (self.cells, self.column.format.as_deref()) {
                (Some(DataType::Binary), _) | (_, Some("hex")) => from_hex(trimmed).map(Value::Bytes),
                (_, Some("base64")) => BASE64.decode(trimmed).ok().map(Value::Bytes),
                _ => Some(Value::Text(text.to_owned())),
            },
            DataType::Boolean => literal::boolean(trimmed).map(Value::Boolean),
            DataType::Int64 | DataType::Int32 => match literal::number(trimmed)? {
                Number::Integer(value) if self.column.data_type == DataType::Int64 => {
                    Some(Value::Integer(value))
                }
                Number::Integer(value) => i32::try_from(value).ok().map(|value| Value::Integer(value.into())),
                Number::Float(_) => None,
            },
            DataType::Float64 | DataType::Float32 => match literal::number(trimmed) {
                Some(Number::Integer(value)) => Some(Value::Float(value as f64)),
                Some(Number::Float(value)) => Some(Value::Float(value)),
                None if matches!(self.cells, Some(DataType::Float64 | DataType::Float32)) => {
                    trimmed.parse().ok().map(Value::Float)
                }
                None => None,
            },
            DataType::Date | DataType::Timestamp | DataType::Time => {
                self.formats.iter().find_map(|format| format.read(self.column.data_type, trimmed))
            }
        }
    }
}

/// How the days, moments or times of a column are read.
#[derive(Clone, Debug)]
enum TimeReading {
    /// A form that type inference knows.
    Day(DateFormat),
    /// A form that type inference knows.
    Moment(String),
    /// Any form that type inference knows.
    Time,
    Other(Strptime),
}

impl TimeReading {
    fn new(data_type: DataType, text: &str) -> Self {
        let other = || Self::Other(Strptime::new(text));
        match data_type {
            DataType::Date => DateFormat::parse(text).map_or_else(other, Self::Day),
            DataType::Timestamp if is_moment(text) => Self::Moment(text.to_owned()),
            DataType::Time if times().any(|time| time.text() == text) => Self::Time,
            _ => other(),
        }
    }

    fn read(&self, data_type: DataType, text: &str) -> Option<Value> {
        match self {
            Self::Day(format) => format.read(text).map(|day| Value::Date(days(day))),
            Self::Moment(format) => timestamp(text, format),
            Self::Time => dates::time_of_day(text).map(|time| Value::Time(time.micros)),
            Self::Other(format) => match data_type {
                DataType::Date => format.day(text).map(|day| Value::Date(days(day))),
                DataType::Time => format.time(text).map(Value::Time),
                _ => format.moment(text).map(|(micros, zoned)| Value::Timestamp { micros, zoned }),
            },
        }
    }
}

/// The ways to write a time of day that types are inferred from.
fn times() -> impl Iterator<Item = TimeFormat> {
    [false, true].into_iter().flat_map(|twelve_hours| {
        [(false, false), (true, false), (true, true)].map(|(seconds, fraction)| TimeFormat {
            twelve_hours,
            seconds,
            fraction,
        })
    })
}

/// Whether a format is a day and a time, perhaps with a zone, as types are inferred from.
fn is_moment(format: &str) -> bool {
    let Some(day) = DateFormat::all().find(|day| format.starts_with(day.as_str())) else { return false };
    times().any(|time| {
        [Zone::None, Zone::Attached, Zone::AfterSpace].into_iter().any(|zone| {
            [' ', 'T'].into_iter().any(|separator| MomentFormat { separator, time, zone }.text(day) == format)
        })
    })
}

/// The bytes that pairs of hexadecimal digits stand for.
fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|digit| u8::try_from(digit.to_digit(16)?).ok()).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(digits.chunks_exact(2).map(|pair| (pair[0] << 4) | pair[1]).collect())
}

/// Days since 1970-01-01.
fn days(day: NaiveDate) -> i32 {
    day.to_epoch_days()
}

fn timestamp(text: &str, format: &str) -> Option<Value> {
    let moment = dates::moment(text)?;
    let day = DateFormat::all().find(|day| format.starts_with(day.as_str()))?;
    if moment.format.text(day) != format {
        return None;
    }
    let day = i64::from(days(day.read(moment.day)?));
    let offset = i64::from(moment.offset.unwrap_or(0)) * 60_000_000;
    let micros = day * 86_400_000_000 + moment.time.micros - offset;
    Some(Value::Timestamp { micros, zoned: moment.offset.is_some() })
}

#[cfg(test)]
mod tests;
