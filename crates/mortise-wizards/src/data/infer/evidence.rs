//! Why a value is not of a type, in words.

use super::candidates::TypeName;
use crate::data::dates;
use crate::data::literal;

pub(super) fn why_not(name: TypeName, text: &str) -> String {
    let unsigned = text.trim_start_matches(['+', '-']);
    let all_digits = !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit());
    let reason = match name {
        TypeName::Boolean => "no word for true or false",
        TypeName::Integer | TypeName::Float if literal::has_leading_zero(text) => {
            "a leading zero, which a number would lose"
        }
        TypeName::Integer | TypeName::Float if all_digits => "more than 64 bits, digits would be lost",
        TypeName::Integer if literal::number(text).is_some() => "not whole, or with commas between thousands",
        TypeName::Integer => "not a whole number",
        TypeName::Float => "not a number",
        TypeName::Date if looks_like_date(text) => "no real day in any known format",
        TypeName::Date => "not a date",
        TypeName::Timestamp if dates::moment(text).is_some() => "its day is none in any known format",
        TypeName::Timestamp => "not a day with a time",
        TypeName::Time if looks_like_time(text) => "no real time of day",
        TypeName::Time => "not a time of day",
        TypeName::Duration => "not a duration",
    };
    reason.to_owned()
}

fn looks_like_date(text: &str) -> bool {
    let separators = text.bytes().filter(|byte| matches!(byte, b'/' | b'-' | b'.')).count();
    separators == 2 && text.bytes().filter(u8::is_ascii_digit).count() + 2 == text.len()
}

fn looks_like_time(text: &str) -> bool {
    text.contains(':') && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'))
}
