//! What a text in a cell may be: the test of each type.

use super::dates;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// Fits into 64 bits.
    Integer(i64),
    /// With a fraction, an exponent, or groups of thousands.
    Float(f64),
}

/// Reads a number: `[+-]digits`, a decimal, an exponent, or `1,234,567.8`.
///
/// A leading zero before another digit makes it a code, and an integer beyond 64 bits would lose digits: both are none.
pub(crate) fn number(text: &str) -> Option<Number> {
    let bytes = text.as_bytes();
    let unsigned = match bytes {
        [b'+' | b'-', rest @ ..] => rest,
        rest => rest,
    };
    if matches!(unsigned, [b'0', b'0'..=b'9', ..]) || unsigned.is_empty() {
        return None;
    }
    let digits = unsigned.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == unsigned.len() {
        return text.parse().ok().map(Number::Integer);
    }
    match unsigned[digits] {
        b'.' | b'e' | b'E' if is_decimal(&unsigned[digits..], digits) => {
            text.parse().ok().filter(|value: &f64| value.is_finite()).map(Number::Float)
        }
        // No thousands begin with a zero: `0,125` is a decimal of another country.
        b',' if (1..=3).contains(&digits) && unsigned[0] != b'0' && is_grouped(&unsigned[digits..]) => {
            text.replace(',', "").parse().ok().map(Number::Float)
        }
        _ => None,
    }
}

/// What follows the digits before the point: `.5`, `.`, `.5e3`, `e-5`.
fn is_decimal(rest: &[u8], before: usize) -> bool {
    let (fraction, rest) = match rest {
        [b'.', rest @ ..] => rest.split_at(rest.iter().take_while(|byte| byte.is_ascii_digit()).count()),
        rest => (&[] as &[u8], rest),
    };
    if before + fraction.len() == 0 {
        return false;
    }
    match rest {
        [] => true,
        [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] => {
            !exponent.is_empty() && exponent.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    }
}

/// `,234,567` with an optional fraction.
fn is_grouped(mut rest: &[u8]) -> bool {
    while let [b',', a, b, c, tail @ ..] = rest {
        if ![a, b, c].iter().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        rest = tail;
    }
    match rest {
        [] => true,
        [b'.', fraction @ ..] => !fraction.is_empty() && fraction.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Whether only a leading zero keeps a string from being a number.
pub(crate) fn has_leading_zero(text: &str) -> bool {
    let unsigned = text.trim_start_matches(['+', '-']);
    unsigned.len() > 1 && unsigned.starts_with('0') && unsigned.bytes().all(|byte| byte.is_ascii_digit())
}

/// The truth that a word stands for.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    const TRUE: [&str; 5] = ["true", "yes", "y", "t", "1"];
    const FALSE: [&str; 5] = ["false", "no", "n", "f", "0"];
    match text.len() {
        1..=5 if TRUE.iter().any(|word| text.eq_ignore_ascii_case(word)) => Some(true),
        1..=5 if FALSE.iter().any(|word| text.eq_ignore_ascii_case(word)) => Some(false),
        _ => None,
    }
}

/// Whether a text is a time of day.
pub(crate) fn is_time(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_digit) && dates::time_of_day(text).is_some()
}

/// Whether a text is a duration: ISO 8601, or a number with a unit.
pub(crate) fn is_duration(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'P') => is_iso_duration(&text[1..]),
        Some(b'0'..=b'9') => {
            let end = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
            number(&text[..end]).is_some() && is_unit(text[end..].trim_start())
        }
        _ => false,
    }
}

fn is_unit(word: &str) -> bool {
    const UNITS: [&str; 20] = [
        "ms", "s", "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes", "h", "hr", "hrs",
        "hour", "hours", "d", "day", "days", "week", "weeks",
    ];
    UNITS.iter().any(|unit| word.eq_ignore_ascii_case(unit))
}

/// `1DT2H30M`, after the `P`.
fn is_iso_duration(text: &str) -> bool {
    let (days, clock) = match text.split_once('T') {
        Some((days, clock)) => (days, Some(clock)),
        None => (text, None),
    };
    let parts = |text: &str, units: &str| -> Option<usize> {
        let mut units = units.chars();
        let mut count = 0;
        let mut digits = 0;
        for character in text.chars() {
            match character {
                '0'..='9' | '.' => digits += 1,
                unit if digits > 0 && units.any(|own| own == unit) => (count, digits) = (count + 1, 0),
                _ => return None,
            }
        }
        (digits == 0).then_some(count)
    };
    match (parts(days, "YMWD"), clock.map(|clock| parts(clock, "HMS"))) {
        (Some(days), None) => days > 0,
        (Some(_), Some(Some(clock))) => clock > 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
