//! Days, times and moments in any format that `strptime` takes, read with chrono. A fraction that does not follow a
//! point must have six digits here.

use chrono::format::{Parsed, StrftimeItems, parse};
use chrono::{NaiveDate, NaiveTime, Timelike as _};

/// The longest format, with all its alternatives.
const LONGEST: usize = 1000;

/// Whether `strptime` takes a text as a format, or several with bars between.
pub(crate) fn is_time_format(text: &str) -> bool {
    const DIRECTIVES: &str = "aAbBcdfGHIjmMpSuUVwWxXyYzZ";
    let one = |format: &str| {
        let mut found = false;
        let mut characters = format.chars();
        while let Some(character) = characters.next() {
            if character == '%' {
                match characters.next() {
                    Some('%') => {}
                    Some(directive) if DIRECTIVES.contains(directive) => found = true,
                    _ => return false,
                }
            }
        }
        found
    };
    text.len() <= LONGEST && text.split('|').all(one)
}

#[derive(Clone, Debug)]
pub(crate) struct Strptime {
    /// As chrono has it.
    format: String,
}

impl Strptime {
    pub(crate) fn new(text: &str) -> Self {
        let mut format = String::with_capacity(text.len());
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            match (character, (character == '%').then(|| characters.next()).flatten()) {
                // Python has the digits of a fraction here, chrono a number of nanoseconds.
                ('%', Some('f')) if format.ends_with('.') => {
                    format.pop();
                    format.push_str("%.f");
                }
                ('%', Some('f')) => format.push_str("%6f"),
                // With or without a colon, or `Z`.
                ('%', Some('z')) => format.push_str("%#z"),
                (character, directive) => {
                    format.push(character);
                    format.extend(directive);
                }
            }
        }
        Self { format }
    }

    pub(crate) fn day(&self, text: &str) -> Option<NaiveDate> {
        day(&mut self.parsed(text)?)
    }

    /// The time of day in a string, in microseconds since midnight.
    pub(crate) fn time(&self, text: &str) -> Option<i64> {
        time(&mut self.parsed(text)?).map(micros)
    }

    /// The moment in a string, in microseconds since 1970-01-01, and whether the string has a zone.
    pub(crate) fn moment(&self, text: &str) -> Option<(i64, bool)> {
        let mut parsed = self.parsed(text)?;
        let moment = day(&mut parsed)?.and_time(time(&mut parsed)?).and_utc().timestamp_micros();
        let offset = parsed.offset();
        Some((moment - i64::from(offset.unwrap_or(0)) * 1_000_000, offset.is_some()))
    }

    fn parsed(&self, text: &str) -> Option<Parsed> {
        let mut parsed = Parsed::new();
        parse(&mut parsed, text, StrftimeItems::new(&self.format)).ok()?;
        Some(parsed)
    }
}

/// As in `strptime`, a month or day that the format lacks is the first.
fn day(parsed: &mut Parsed) -> Option<NaiveDate> {
    if let Ok(day) = parsed.to_naive_date() {
        return Some(day);
    }
    if parsed.month().is_none() {
        parsed.set_month(1).ok()?;
    }
    if parsed.day().is_none() {
        parsed.set_day(1).ok()?;
    }
    parsed.to_naive_date().ok()
}

/// As in `strptime`, hours and minutes that the format lacks are zero, and hours are before noon.
fn time(parsed: &mut Parsed) -> Option<NaiveTime> {
    match (parsed.hour_div_12(), parsed.hour_mod_12()) {
        (None, None) => parsed.set_hour(0).ok()?,
        (None, Some(_)) => parsed.set_ampm(false).ok()?,
        (Some(_), _) => {}
    }
    if parsed.minute().is_none() {
        parsed.set_minute(0).ok()?;
    }
    parsed.to_naive_time().ok()
}

fn micros(time: NaiveTime) -> i64 {
    i64::from(time.num_seconds_from_midnight()) * 1_000_000 + i64::from(time.nanosecond() / 1_000)
}

#[cfg(test)]
mod tests;
