//! Strings for people: cut to a size, put on one line, made safe to print; a count with its noun; bytes in hex; the
//! nearest known name; an error's causes.
//!
//! ```
//! use mortise_contract::text::{counted, cut, hex, nearest, one_line};
//!
//! assert_eq!(cut("open orders", 4), "open…");
//! assert_eq!(one_line("open\n  orders"), "open orders");
//! assert_eq!((counted(1, "tool"), counted(2, "tool")), ("1 tool".to_owned(), "2 tools".to_owned()));
//! assert_eq!(hex(&[0, 171]), "00ab");
//! assert_eq!(nearest("revenu", ["id", "revenue"]), Some("revenue"));
//! ```

use std::error::Error;
use std::fmt::{Display, Write as _};

const MARK: &str = "…";

/// At most `characters` characters of `text`. A cut is marked with `…`, which is not counted.
pub fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}{MARK}", &text[..end]),
        None => text.to_owned(),
    }
}

/// At most `bytes` bytes of `text`. A cut is at a character and marked with `…`, which is counted.
pub fn cut_bytes(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(bytes.saturating_sub(MARK.len()));
    format!("{}{MARK}", &text[..end])
}

/// The words of `text` with one space between them: white space and control characters separate words.
pub fn one_line(text: &str) -> String {
    let is_gap = |character: char| character.is_whitespace() || character.is_control();
    let mut line = String::with_capacity(text.len());
    for word in text.split(is_gap).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// `text` with every character that does not print replaced by its escape. Quotes and backslashes stay.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\'' | '\\' => shown.push(character),
            other => shown.extend(other.escape_debug()),
        }
    }
    shown
}

/// A number with what is counted, in the plural unless it is one: `1 tool`, `2 tools`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Two lower-case hexadecimal digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The day of a moment in seconds since 1970, as `2026-11-18` (UTC).
pub fn date(seconds: u64) -> String {
    const DAYS_OF_400_YEARS: u64 = 146_097;
    // Years begin in March here, so that the day that comes and goes is the last of a year.
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year + next)
}

/// The known name that was probably meant: fewer than half of its characters differ, and at most one and a quarter of them.
///
/// Two swapped characters count as one, and case does not count. Short names are near nothing: `ip` does not mean `id`.
/// `name` itself is never an answer; of two names equally near the first in order of the alphabet is.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    known
        .into_iter()
        .filter(|candidate| *candidate != name)
        .filter_map(|candidate| Some((distance(&lower, candidate)?, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many characters to change, add, drop or swap; `None` if that is more than a typing mistake.
fn distance(lower: &str, candidate: &str) -> Option<usize> {
    /// Longer names are compared in full only with others that are as long.
    const LENGTH_DIFFERENCE: usize = 16;
    if candidate.len().abs_diff(lower.len()) > LENGTH_DIFFERENCE {
        return None;
    }
    let candidate = candidate.to_lowercase();
    if candidate == lower {
        return Some(0);
    }
    let longer = lower.chars().count().max(candidate.chars().count());
    let distance = strsim::osa_distance(lower, &candidate);
    (distance * 2 < longer && distance <= 1 + longer / 4).then_some(distance)
}

/// An error and its causes, joined by `: `. A cause that the text before it already contains is left out.
pub fn error_chain(error: &(dyn Error + 'static)) -> String {
    let mut chain = error.to_string();
    for cause in causes(error) {
        chain.push_str(": ");
        chain.push_str(&cause);
    }
    chain
}

/// The causes of an error, outermost first, without those that the text before them already contains.
pub fn causes(error: &(dyn Error + 'static)) -> Vec<String> {
    let mut said = error.to_string();
    let mut causes = Vec::new();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        if !said.contains(&text) {
            causes.push(text.clone());
            said = text;
        }
        source = cause.source();
    }
    causes
}

#[cfg(test)]
mod tests;
