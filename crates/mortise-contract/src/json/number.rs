//! Numbers that a double does not hold exactly.

use std::ops::Range;

use super::pointer;

/// How many notes are kept per text.
const NOTES_KEPT: usize = 16;

/// One number that a double does not hold as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberNote {
    /// JSON pointer to the number.
    pub pointer: String,
    /// What happens to it.
    pub issue: NumberIssue,
}

/// What a double does to a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberIssue {
    /// Beyond the range: 1e400 or hundreds of digits.
    OutOfRange,
    /// Within the range, but digits are lost: integers past 2^53, decimals past 17 digits.
    PrecisionLoss,
}

impl NumberIssue {
    /// The word that verdicts and reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OutOfRange => "number_out_of_range",
            Self::PrecisionLoss => "precision_loss",
        }
    }
}

/// The candidates that really are odd.
pub(super) fn odd_numbers(text: &str, candidates: &[Range<usize>]) -> Vec<(Range<usize>, NumberIssue)> {
    let issue = |range: &Range<usize>| Some((range.clone(), classify(text.get(range.clone())?)?));
    candidates.iter().filter_map(issue).collect()
}

/// The text with every number out of range replaced by the largest double of its sign, if there is one.
pub(super) fn clamp(text: &str, odd: &[(Range<usize>, NumberIssue)]) -> Option<String> {
    if !odd.iter().any(|(_, issue)| *issue == NumberIssue::OutOfRange) {
        return None;
    }
    let mut clamped = String::with_capacity(text.len());
    let mut copied = 0;
    for (range, _) in odd.iter().filter(|(_, issue)| *issue == NumberIssue::OutOfRange) {
        clamped.push_str(&text[copied..range.start]);
        clamped.push_str(if text[range.clone()].starts_with('-') {
            "-1.7976931348623157e308"
        } else {
            "1.7976931348623157e308"
        });
        copied = range.end;
    }
    clamped.push_str(&text[copied..]);
    Some(clamped)
}

/// The first notes, with pointers.
pub(super) fn notes(text: &str, odd: &[(Range<usize>, NumberIssue)]) -> Vec<NumberNote> {
    if odd.is_empty() {
        return Vec::new();
    }
    let kept = &odd[..odd.len().min(NOTES_KEPT)];
    let offsets: Vec<usize> = kept.iter().map(|(range, _)| range.start).collect();
    let pointers = pointer::pointers_at(text, &offsets);
    pointers
        .into_iter()
        .zip(kept)
        .map(|(pointer, (_, issue))| NumberNote { pointer, issue: *issue })
        .collect()
}

fn classify(token: &str) -> Option<NumberIssue> {
    if let Ok(integer) = token.parse::<i128>() {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "the loss is what is asked about"
        )]
        let exact = integer as f64 as i128 == integer;
        return (!exact).then_some(NumberIssue::PrecisionLoss);
    }
    let double: f64 = token.parse().ok()?;
    if double.is_infinite() {
        return Some(NumberIssue::OutOfRange);
    }
    (significand(token) != significand(&format!("{double:e}"))).then_some(NumberIssue::PrecisionLoss)
}

/// The digits of a decimal number without leading and trailing zeros, and the exponent of the first one.
fn significand(token: &str) -> (String, i64) {
    let (mantissa, exponent) = match token.find(['e', 'E']) {
        Some(at) => (&token[..at], token[at + 1..].parse::<i64>().unwrap_or(0)),
        None => (token, 0),
    };
    let mantissa = mantissa.trim_start_matches('-');
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return (String::new(), 0);
    }
    let leading = digits.len() - significant.len();
    let signed = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
    let first = exponent.saturating_add(signed(whole.len())).saturating_sub(signed(leading));
    (significant.trim_end_matches('0').to_owned(), first)
}
