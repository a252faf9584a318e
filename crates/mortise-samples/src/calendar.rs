//! Days and hours as the samples count them; there is no real clock in a sample.

use std::fmt;

/// A day, counted from 1970-01-01. Shown as `2025-12-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Day(i64);

impl Day {
    pub(crate) const START_OF_2025: Self = Self(20_089);
    pub(crate) const START_OF_2026: Self = Self(20_454);

    /// The day `days` days later.
    pub(crate) fn plus(self, days: i64) -> Self {
        Self(self.0 + days)
    }

    pub(crate) fn is_weekend(self) -> bool {
        // 1970-01-01 was a Thursday.
        matches!((self.0 + 3).rem_euclid(7), 5 | 6)
    }

    /// Year, month, day of the month: Howard Hinnant's `civil_from_days`.
    fn civil(self) -> (i64, i64, i64) {
        let shifted = self.0 + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        (year_of_era + era * 400 + i64::from(month <= 2), month, day)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.civil();
        write!(formatter, "{year:04}-{month:02}-{day:02}")
    }
}

/// The time `hours` hours after the start of 2026, as `2026-01-01T00:00:00Z`.
pub(crate) fn hour_of_2026(hours: i64) -> String {
    format!("{}T{:02}:00:00Z", Day::START_OF_2026.plus(hours.div_euclid(24)), hours.rem_euclid(24))
}

#[cfg(test)]
mod tests {
    use super::{Day, hour_of_2026};

    #[test]
    fn days_have_dates_and_weekends() {
        assert_eq!(Day::START_OF_2025.to_string(), "2025-01-01");
        assert_eq!(Day::START_OF_2026.to_string(), "2026-01-01");
        assert_eq!(Day::START_OF_2025.plus(58).to_string(), "2025-02-28");
        assert_eq!(Day::START_OF_2025.plus(59).to_string(), "2025-03-01");
        assert_eq!(Day(11_016).to_string(), "2000-02-29");
        // 2025-01-04 was a Saturday.
        let weekends: Vec<_> = (0..7).filter(|day| Day::START_OF_2025.plus(*day).is_weekend()).collect();
        assert_eq!(weekends, [3, 4]);
        assert_eq!(hour_of_2026(25), "2026-01-02T01:00:00Z");
    }
}
