//! Dates and times of day as they are written in files, each format judged on its own.

use chrono::{Datelike as _, NaiveDate};

/// A way to write a day.
///
/// Years have fixed widths. Days and months have two digits, or may have one between slashes,
/// dashes or dots beside a year of four digits. Two-digit years from 70 are of the last century.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DateFormat(u8);

#[derive(Clone, Copy, PartialEq, Eq)]
enum PartOrder {
    YearMonthDay,
    DayMonthYear,
    MonthDayYear,
}

struct DateShape {
    text: &'static str,
    order: PartOrder,
    separator: Option<u8>,
    year_digits: usize,
}

const fn shape(text: &'static str, order: PartOrder, separator: Option<u8>, year_digits: usize) -> DateShape {
    DateShape { text, order, separator, year_digits }
}

const SHAPES: [DateShape; DateFormat::COUNT] = [
    shape("%Y-%m-%d", PartOrder::YearMonthDay, Some(b'-'), 4),
    shape("%Y/%m/%d", PartOrder::YearMonthDay, Some(b'/'), 4),
    shape("%d/%m/%Y", PartOrder::DayMonthYear, Some(b'/'), 4),
    shape("%d-%m-%Y", PartOrder::DayMonthYear, Some(b'-'), 4),
    shape("%d.%m.%Y", PartOrder::DayMonthYear, Some(b'.'), 4),
    shape("%m/%d/%Y", PartOrder::MonthDayYear, Some(b'/'), 4),
    shape("%m-%d-%Y", PartOrder::MonthDayYear, Some(b'-'), 4),
    shape("%d/%m/%y", PartOrder::DayMonthYear, Some(b'/'), 2),
    shape("%m/%d/%y", PartOrder::MonthDayYear, Some(b'/'), 2),
    shape("%d-%m-%y", PartOrder::DayMonthYear, Some(b'-'), 2),
    shape("%m-%d-%y", PartOrder::MonthDayYear, Some(b'-'), 2),
    shape("%y/%m/%d", PartOrder::YearMonthDay, Some(b'/'), 2),
    shape("%Y%m%d", PartOrder::YearMonthDay, None, 4),
    shape("%y%m%d", PartOrder::YearMonthDay, None, 2),
];

impl DateFormat {
    pub(crate) const COUNT: usize = 14;

    /// Eight digits.
    pub(crate) const COMPACT: Self = Self(12);

    /// Six digits.
    pub(crate) const SHORT_COMPACT: Self = Self(13);

    /// All of them, in the order in which they are reported.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The format as `strptime` takes it.
    pub(crate) fn as_str(self) -> &'static str {
        self.shape().text
    }

    /// The format that a `strptime` text names.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::all().find(|format| format.as_str() == text)
    }

    /// Whether day, month and year follow one another in this order: `dmy`, `mdy` or `ymd`.
    pub(crate) fn order(self) -> &'static str {
        match self.shape().order {
            PartOrder::YearMonthDay => "ymd",
            PartOrder::DayMonthYear => "dmy",
            PartOrder::MonthDayYear => "mdy",
        }
    }

    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    fn shape(self) -> &'static DateShape {
        &SHAPES[self.index()]
    }

    /// The day that a text is in this format.
    pub(crate) fn read(self, text: &str) -> Option<NaiveDate> {
        let fits = fitting(text);
        (fits & (1 << self.0) != 0).then(|| self.day(&DateParts::of(text.as_bytes())?)).flatten()
    }

    fn day(self, parts: &DateParts) -> Option<NaiveDate> {
        let shape = self.shape();
        let [first, second, third] = match shape.separator {
            separator if separator != parts.separator => return None,
            None => parts.compact(shape.year_digits)?,
            Some(_) => parts.fields,
        };
        let (year, month, day) = match shape.order {
            PartOrder::YearMonthDay => (first, second, third),
            PartOrder::DayMonthYear => (third, second, first),
            PartOrder::MonthDayYear => (third, first, second),
        };
        let padded = month.digits == 2 && day.digits == 2;
        if year.digits != shape.year_digits
            || !(padded || (shape.year_digits == 4 && shape.separator.is_some()))
        {
            return None;
        }
        let full = match shape.year_digits {
            2 if year.value >= 70 => 1900 + year.value,
            2 => 2000 + year.value,
            _ => year.value,
        };
        NaiveDate::from_ymd_opt(i32::try_from(full).ok()?, month.value, day.value)
    }
}

/// The formats in which a text is a real day, one bit each.
pub(crate) fn fitting(text: &str) -> u32 {
    let Some(parts) = DateParts::of(text.as_bytes()) else { return 0 };
    let mut fits = 0;
    for format in DateFormat::all() {
        if format.day(&parts).is_some() {
            fits |= 1 << format.0;
        }
    }
    fits
}

/// Whether a day of eight digits is of these times, so that a number is taken for it.
pub(crate) fn is_of_these_times(day: NaiveDate) -> bool {
    (1900..=2100).contains(&day.year())
}

#[derive(Clone, Copy, Default)]
struct Digits {
    value: u32,
    digits: usize,
}

/// Three runs of digits with one separator between them, or one run of six or eight.
struct DateParts {
    separator: Option<u8>,
    fields: [Digits; 3],
    run: u32,
    run_digits: usize,
}

impl DateParts {
    fn of(bytes: &[u8]) -> Option<Self> {
        if !(6..=10).contains(&bytes.len()) {
            return None;
        }
        let mut fields = [Digits::default(); 3];
        let mut field = 0;
        let mut separator = None;
        for byte in bytes {
            match byte {
                b'0'..=b'9' => {
                    let digits = &mut fields[field];
                    digits.digits += 1;
                    digits.value = digits.value.wrapping_mul(10) + u32::from(byte - b'0');
                }
                b'-' | b'/' | b'.' => {
                    if field == 2 || fields[field].digits == 0 || separator.is_some_and(|own| own != *byte) {
                        return None;
                    }
                    separator = Some(*byte);
                    field += 1;
                }
                _ => return None,
            }
        }
        match (separator, field) {
            (None, _) if matches!(bytes.len(), 6 | 8) => {
                Some(Self { separator, fields, run: fields[0].value, run_digits: bytes.len() })
            }
            (Some(_), 2) if fields.iter().all(|digits| (1..=4).contains(&digits.digits)) => {
                Some(Self { separator, fields, run: 0, run_digits: 0 })
            }
            _ => None,
        }
    }

    /// Year, month and day out of one run of digits.
    fn compact(&self, year_digits: usize) -> Option<[Digits; 3]> {
        (self.run_digits == year_digits + 4).then(|| {
            let part = |value, digits| Digits { value, digits };
            [part(self.run / 10_000, year_digits), part(self.run / 100 % 100, 2), part(self.run % 100, 2)]
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeOfDay {
    pub(crate) micros: i64,
    pub(crate) format: TimeFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TimeFormat {
    pub(crate) twelve_hours: bool,
    pub(crate) seconds: bool,
    pub(crate) fraction: bool,
}

impl TimeFormat {
    pub(crate) fn text(self) -> String {
        let hours = if self.twelve_hours { "%I:%M" } else { "%H:%M" };
        let seconds = if self.seconds { ":%S" } else { "" };
        let fraction = if self.fraction { ".%f" } else { "" };
        let half = if self.twelve_hours { " %p" } else { "" };
        format!("{hours}{seconds}{fraction}{half}")
    }
}

/// Reads `HH:MM[:SS[.f]]`, or with `AM` or `PM` after a space and hours of one or two digits.
pub(crate) fn time_of_day(text: &str) -> Option<TimeOfDay> {
    let (clock, half) = match text.len().checked_sub(3).and_then(|at| text.split_at_checked(at)) {
        Some((clock, " AM" | " am")) => (clock, Some(0)),
        Some((clock, " PM" | " pm")) => (clock, Some(12)),
        _ => (text, None),
    };
    let two = |text: &str| -> Option<i64> {
        let digits = text.as_bytes();
        (digits.len() == 2 && digits.iter().all(u8::is_ascii_digit))
            .then(|| i64::from(digits[0] - b'0') * 10 + i64::from(digits[1] - b'0'))
    };
    let mut fields = clock.split(':');
    let (hours, minutes, seconds) = (fields.next()?, fields.next()?, fields.next());
    if fields.next().is_some() {
        return None;
    }
    let hours = match (half, hours.as_bytes()) {
        (None, _) => two(hours).filter(|hours| *hours < 24)?,
        (Some(half), [digit @ b'1'..=b'9']) => i64::from(digit - b'0') + half,
        (Some(half), _) => two(hours).filter(|hours| (1..=12).contains(hours))? % 12 + half,
    };
    let minutes = two(minutes).filter(|minutes| *minutes < 60)?;
    let (whole, fraction) = match seconds.map(|seconds| seconds.split_once('.').unwrap_or((seconds, ""))) {
        Some((whole, fraction)) => (two(whole).filter(|seconds| *seconds < 60)?, fraction),
        None => (0, ""),
    };
    if seconds.is_some_and(|seconds| seconds.ends_with('.')) {
        return None;
    }
    let format = TimeFormat {
        twelve_hours: half.is_some(),
        seconds: seconds.is_some(),
        fraction: !fraction.is_empty(),
    };
    Some(TimeOfDay { micros: (hours * 3600 + minutes * 60 + whole) * 1_000_000 + micros(fraction)?, format })
}

/// Digits after the decimal point as microseconds. What is finer would be cut, and Python's `%f` does not read it.
fn micros(fraction: &str) -> Option<i64> {
    if fraction.len() > 6 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(6);
    Some(digits.fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ParsedMoment<'a> {
    /// The part that is the day.
    pub(crate) day: &'a str,
    pub(crate) time: TimeOfDay,
    /// Minutes east of Greenwich, where the text has a zone.
    pub(crate) offset: Option<i32>,
    pub(crate) format: MomentFormat,
}

/// How a moment is written, but for its day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MomentFormat {
    pub(crate) separator: char,
    pub(crate) time: TimeFormat,
    pub(crate) zone: Zone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Zone {
    None,
    Attached,
    AfterSpace,
}

impl MomentFormat {
    pub(crate) fn text(self, day: DateFormat) -> String {
        let zone = match self.zone {
            Zone::None => "",
            Zone::Attached => "%z",
            Zone::AfterSpace => " %z",
        };
        format!("{}{}{}{zone}", day.as_str(), self.separator, self.time.text())
    }
}

/// Splits a string into day, time and zone. Whether the day exists is not checked.
pub(crate) fn moment(text: &str) -> Option<ParsedMoment<'_>> {
    let at = text.bytes().position(|byte| matches!(byte, b' ' | b'T'))?;
    let (day, rest) = (&text[..at], &text[at + 1..]);
    if !(6..=10).contains(&day.len()) {
        return None;
    }
    let (clock, zone, offset) = zone(rest)?;
    let time = time_of_day(clock)?;
    let separator = char::from(text.as_bytes()[at]);
    Some(ParsedMoment { day, time, offset, format: MomentFormat { separator, time: time.format, zone } })
}

fn zone(text: &str) -> Option<(&str, Zone, Option<i32>)> {
    if let Some(clock) = text.strip_suffix('Z') {
        return Some(match clock.strip_suffix(' ') {
            Some(clock) => (clock, Zone::AfterSpace, Some(0)),
            None => (clock, Zone::Attached, Some(0)),
        });
    }
    let Some(at) = text.bytes().position(|byte| matches!(byte, b'+' | b'-')) else {
        return Some((text, Zone::None, None));
    };
    let digits = |text: &str| {
        (text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| text.parse::<i32>().ok())
            .flatten()
    };
    let offset = text.get(at + 1..)?;
    let (hours, minutes) = match offset.split_once(':') {
        Some(parts) => parts,
        None => offset.split_at_checked(2)?,
    };
    let minutes = digits(hours).filter(|hours| *hours < 24)? * 60 + digits(minutes).filter(|it| *it < 60)?;
    let offset = if text.as_bytes()[at] == b'-' { -minutes } else { minutes };
    let clock = &text[..at];
    Some(match clock.strip_suffix(' ') {
        Some(clock) => (clock, Zone::AfterSpace, Some(offset)),
        None => (clock, Zone::Attached, Some(offset)),
    })
}

#[cfg(test)]
mod tests;
