//! The time of day, for time stamps that clients show.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time now in UTC, such as `2026-07-28T09:30:00.250Z`.
pub(crate) fn now() -> String {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    utc(since_1970.as_secs(), since_1970.subsec_millis())
}

fn utc(seconds: u64, millis: u32) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// The date that many days after 1970-01-01.
///
/// Years are counted from March here, so that the leap day is the last of its year. 400 such years are 146,097 days,
/// and 719,468 days lie between 0000-03-01 and 1970-01-01.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Five months from March have 153 days, and so have the next five.
    let month = (5 * day + 2) / 153;
    let day_of_month = day - (153 * month + 2) / 5 + 1;
    let calendar_month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(calendar_month <= 2), calendar_month, day_of_month)
}

#[cfg(test)]
mod tests;
