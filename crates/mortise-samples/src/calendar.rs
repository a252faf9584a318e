//! Days and hours as the samples count them; there is no real clock in a sample.

use chrono::{Datelike as _, NaiveDate, TimeDelta, Weekday};

/// The first day of a year.
pub(crate) fn start_of(year: i32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, 1, 1).unwrap_or_default()
}

pub(crate) fn is_weekend(day: NaiveDate) -> bool {
    matches!(day.weekday(), Weekday::Sat | Weekday::Sun)
}

/// The time `hours` hours after the start of 2026, as `2026-01-01T00:00:00Z`.
pub(crate) fn hour_of_2026(hours: i64) -> String {
    let moment = start_of(2026).and_time(chrono::NaiveTime::MIN) + TimeDelta::hours(hours);
    moment.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::{hour_of_2026, is_weekend, start_of};

    #[test]
    fn days_have_weekends_and_hours_dates() {
        // 2025-01-04 was a Saturday.
        let first = start_of(2025).iter_days().find(|day| is_weekend(*day));
        assert_eq!(first.unwrap().to_string(), "2025-01-04");
        assert_eq!(hour_of_2026(25), "2026-01-02T01:00:00Z");
    }
}
