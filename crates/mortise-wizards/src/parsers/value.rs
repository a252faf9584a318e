//! Typed values on their way from Python, to JSON and to people.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Timelike as _};
use mortise_contract::text::hex;
use serde_json::Value as Json;

use crate::data::data_type::DataType;
use crate::data::value::Value;

/// The class of values that Python has for a type.
pub(crate) fn python_class(data_type: DataType) -> &'static str {
    match data_type {
        DataType::Int64 | DataType::Int32 => "int",
        DataType::Float64 | DataType::Float32 => "float",
        DataType::String => "str",
        DataType::Boolean => "bool",
        DataType::Date => "date",
        DataType::Timestamp => "datetime",
        DataType::Time => "time",
        DataType::Binary => "bytes",
    }
}

/// Whether the values of a type are read by a date format.
pub(crate) fn is_dated(data_type: DataType) -> bool {
    matches!(data_type, DataType::Date | DataType::Timestamp)
}

/// The day of ISO text.
pub(crate) fn date(text: &str) -> Option<Value> {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(|day| Value::Date(day.to_epoch_days()))
}

/// The moment that Python's `isoformat` writes, with or without a zone.
pub(crate) fn timestamp(text: &str) -> Option<Value> {
    let naive = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").ok();
    let (moment, zoned) = match naive {
        Some(moment) => (moment, false),
        None => (DateTime::parse_from_rfc3339(text).ok()?.naive_utc(), true),
    };
    Some(Value::Timestamp { micros: moment.and_utc().timestamp_micros(), zoned })
}

/// The time of day that Python's `isoformat` writes.
pub(crate) fn time(text: &str) -> Option<Value> {
    let time = NaiveTime::parse_from_str(text, "%H:%M:%S%.f").ok()?;
    let seconds = i64::from(time.num_seconds_from_midnight());
    Some(Value::Time(seconds * 1_000_000 + i64::from(time.nanosecond() / 1_000)))
}

/// A value as JSON has it: dates, times and bytes are text.
pub(crate) fn to_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Boolean(value) => (*value).into(),
        Value::Integer(value) => (*value).into(),
        Value::Float(value) if value.is_finite() => (*value).into(),
        other => to_text(other).into(),
    }
}

/// A value as text; no value is the empty text.
pub(crate) fn to_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        Value::Date(days) => NaiveDate::from_epoch_days(*days)
            .map_or_else(|| format!("day {days}"), |day| day.format("%Y-%m-%d").to_string()),
        Value::Timestamp { micros, zoned } => moment_text(*micros, *zoned),
        Value::Time(micros) => time_text(*micros),
        Value::Bytes(bytes) => hex(bytes),
    }
}

fn moment_text(micros: i64, zoned: bool) -> String {
    let zone = if zoned { "Z" } else { "" };
    match DateTime::from_timestamp_micros(micros) {
        Some(moment) => format!("{}{zone}", moment.format("%Y-%m-%dT%H:%M:%S%.f")),
        None => format!("microsecond {micros}"),
    }
}

fn time_text(micros: i64) -> String {
    let (seconds, fraction) = (micros / 1_000_000, micros % 1_000_000);
    let whole = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if fraction == 0 { whole } else { format!("{whole}.{fraction:06}") }
}

#[cfg(test)]
mod tests;
