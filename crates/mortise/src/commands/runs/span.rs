//! Times as people write them: `12h`, `7d`, `2026-01-31`.

use std::time::Duration;

use chrono::NaiveDate;

/// The beginning of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Since {
    /// That long ago.
    Ago(Duration),
    /// Milliseconds since 1970.
    At(u64),
}

impl Since {
    pub(super) fn ms(self, now_ms: u64) -> u64 {
        match self {
            Self::Ago(age) => now_ms.saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX)),
            Self::At(ms) => ms,
        }
    }
}

/// `30m`, `12h`, `7d`, `4w`.
pub(super) fn parse_age(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let seconds = match unit {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => return Err("use a number with a unit: 30m, 12h, 7d or 4w".to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| "use a number with a unit, for example 7d".to_owned())?;
    Ok(Duration::from_secs(number.saturating_mul(seconds)))
}

/// An age, or a day in universal time.
pub(super) fn parse_since(text: &str) -> Result<Since, String> {
    if let Ok(day) = text.parse::<NaiveDate>() {
        let seconds = day.and_time(chrono::NaiveTime::MIN).and_utc().timestamp();
        return Ok(Since::At(u64::try_from(seconds).unwrap_or_default().saturating_mul(1_000)));
    }
    parse_age(text).map(Since::Ago)
}

#[cfg(test)]
mod tests;
