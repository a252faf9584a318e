//! What a single folder name can be.

use chrono::NaiveDate;

use super::primitive::{Period, VersionForm, is_key, is_prefix};

const CATEGORIES: &[&str] = &[
    "reports",
    "logs",
    "data",
    "output",
    "input",
    "raw",
    "processed",
    "archive",
    "backup",
    "temp",
    "cache",
    "config",
    "docs",
    "src",
    "bin",
    "lib",
    "test",
    "tests",
    "spec",
    "specs",
    "export",
    "import",
];
const ENVIRONMENTS: &[&str] = &["prod", "staging", "dev", "test", "qa"];
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

pub(crate) fn is_digits(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}

fn number(value: &str) -> Option<u32> {
    if is_digits(value) && value.len() <= 9 { value.parse().ok() } else { None }
}

fn is_date(year: &str, month: &str, day: &str) -> bool {
    let (Some(year), Some(month), Some(day)) = (number(year), number(month), number(day)) else {
        return false;
    };
    (1900..=2100).contains(&year)
        && i32::try_from(year).is_ok_and(|year| NaiveDate::from_ymd_opt(year, month, day).is_some())
}

/// The parts of a text of digits in this shape, e.g. `[4, 2, 2]` for `2024-01-15`.
fn parts<const N: usize>(value: &str, lengths: [usize; N]) -> Option<[&str; N]> {
    let mut parts = [""; N];
    let mut pieces = value.split('-');
    for (part, length) in parts.iter_mut().zip(lengths) {
        *part = pieces.next().filter(|piece| piece.len() == length && is_digits(piece))?;
    }
    pieces.next().is_none().then_some(parts)
}

pub(crate) fn is_iso_date(value: &str) -> bool {
    parts(value, [4, 2, 2]).is_some_and(|[year, month, day]| is_date(year, month, day))
}

pub(crate) fn is_compact_date(value: &str) -> bool {
    value.len() == 8 && is_digits(value) && is_date(&value[..4], &value[4..6], &value[6..])
}

pub(super) fn is_year_month(value: &str) -> bool {
    parts(value, [4, 2]).is_some_and(|[year, month]| is_date(year, month, "01"))
}

/// Whether day first, month first, or either reads as a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DayOrder {
    pub(crate) day_first: bool,
    pub(crate) month_first: bool,
}

/// `15-01-2024` and its like.
pub(crate) fn day_order(value: &str) -> Option<DayOrder> {
    let [one, two, year] = parts(value, [2, 2, 4])?;
    let order = DayOrder { day_first: is_date(year, two, one), month_first: is_date(year, one, two) };
    (order.day_first || order.month_first).then_some(order)
}

pub(crate) fn is_year(value: &str) -> bool {
    value.len() == 4 && number(value).is_some_and(|year| (1900..=2100).contains(&year))
}

/// `FY2024`, or in short `FY24`.
pub(crate) fn fiscal_year(value: &str) -> Option<&str> {
    let digits = value.strip_prefix("FY")?;
    (is_year(digits) || (digits.len() == 2 && is_digits(digits))).then_some(digits)
}

pub(super) fn is_month(value: &str) -> bool {
    value.len() == 2 && number(value).is_some_and(|month| (1..=12).contains(&month))
}

pub(super) fn is_day(value: &str) -> bool {
    value.len() == 2 && number(value).is_some_and(|day| (1..=31).contains(&day))
}

pub(super) fn is_named_day(value: &str) -> bool {
    value.strip_prefix("Day").and_then(number).is_some_and(|day| (1..=31).contains(&day))
}

/// The month that an English word means, whole or in three letters (`Sept` too).
pub(crate) fn month_number(word: &str) -> Option<u32> {
    let word = word.to_ascii_lowercase();
    let index = MONTHS.iter().position(|month| {
        *month == word
            || (word.len() == 3 && month.starts_with(&word))
            || (word == "sept" && *month == "september")
    })?;
    u32::try_from(index + 1).ok()
}

pub(super) fn period(value: &str) -> Option<Period> {
    let digits = |prefix: char| value.strip_prefix(prefix).filter(|rest| is_digits(rest));
    if digits('Q').is_some_and(|rest| matches!(rest, "1" | "2" | "3" | "4")) {
        return Some(Period::Quarter);
    }
    if digits('H').is_some_and(|rest| matches!(rest, "1" | "2")) {
        return Some(Period::Half);
    }
    let week = digits('W').filter(|rest| rest.len() == 2).and_then(number);
    week.filter(|week| (1..=53).contains(week)).map(|_| Period::Week)
}

/// `v2`, `v2.3`, `2.3` or `release-2`; a bare whole number is none.
pub(super) fn version(value: &str) -> Option<VersionForm> {
    let is_dotted = |text: &str| text.split('.').all(is_digits);
    if let Some(rest) = value.strip_prefix("release-") {
        return is_dotted(rest).then_some(VersionForm::Release);
    }
    if let Some(rest) = value.strip_prefix('v') {
        return is_dotted(rest).then_some(VersionForm::V);
    }
    (value.contains('.') && is_dotted(value)).then_some(VersionForm::Bare)
}

/// Key and value of `key=value`.
pub(super) fn partition(value: &str) -> Option<(&str, &str)> {
    value.split_once('=').filter(|(key, rest)| is_key(key) && !rest.is_empty() && !rest.starts_with('='))
}

/// The prefix of `mission_042`, and what separates it.
pub(super) fn entity(value: &str) -> Option<(&str, char)> {
    let at = value.find(['_', '-'])?;
    let (prefix, rest) = (&value[..at], &value[at + 1..]);
    let separator = if value.as_bytes()[at] == b'_' { '_' } else { '-' };
    (is_prefix(prefix) && !rest.is_empty()).then_some((prefix, separator))
}

pub(super) fn is_direction(value: &str) -> bool {
    ["_Inbound", "_Outbound"].iter().any(|end| value.strip_suffix(end).is_some_and(|kind| !kind.is_empty()))
}

pub(super) fn is_environment(value: &str) -> bool {
    ENVIRONMENTS.contains(&value)
}

pub(crate) fn is_category(value: &str) -> bool {
    CATEGORIES.contains(&value.to_ascii_lowercase().as_str())
}

/// A field name from a folder's plural: `clients` is `client`.
pub(crate) fn singular(folder: &str) -> Option<String> {
    let word = folder.to_ascii_lowercase().replace('-', "_");
    let singular = match word.as_str() {
        word if word.len() > 4 && word.ends_with("ies") => format!("{}y", &word[..word.len() - 3]),
        word if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") => {
            word[..word.len() - 1].to_owned()
        }
        word => word.to_owned(),
    };
    super::primitive::is_field_name(&singular).then_some(singular)
}
