//! What a run has measured, and whether it is within its pass line.

use std::fmt::Display;

/// One line of the table.
#[derive(Debug)]
pub(super) struct Figure {
    what: String,
    value: String,
    pass: String,
    pub(super) holds: bool,
}

impl Figure {
    /// A figure that is only reported.
    pub(super) fn plain(what: impl Into<String>, value: impl Display) -> Self {
        Self { what: what.into(), value: value.to_string(), pass: String::new(), holds: true }
    }

    /// A number that must not be larger.
    pub(super) fn at_most(what: impl Into<String>, value: f64, limit: f64, unit: &str) -> Self {
        Self {
            what: what.into(),
            value: with_unit(value, unit),
            pass: format!("at most {}", with_unit(limit, unit)),
            holds: value <= limit,
        }
    }

    /// A number that must not be smaller.
    pub(super) fn at_least(what: impl Into<String>, value: f64, limit: f64, unit: &str) -> Self {
        Self {
            what: what.into(),
            value: with_unit(value, unit),
            pass: format!("at least {}", with_unit(limit, unit)),
            holds: value >= limit,
        }
    }

    /// A value that must be this one.
    pub(super) fn is<T: PartialEq + Display>(what: impl Into<String>, value: T, wanted: T) -> Self {
        Self { what: what.into(), value: value.to_string(), pass: wanted.to_string(), holds: value == wanted }
    }

    /// A number of things that must not happen; `examples` are shown if one does.
    pub(super) fn none(what: impl Into<String>, count: usize, examples: &[String]) -> Self {
        let shown = if count > 0 { format!(" ({})", examples.join("; ")) } else { String::new() };
        Self {
            what: what.into(),
            value: format!("{}{shown}", number(count as f64)),
            pass: "0".to_owned(),
            holds: count == 0,
        }
    }
}

/// The figures as a table of Markdown.
pub(super) fn table(figures: &[Figure]) -> String {
    let mut table = "| figure | measured | pass line |\n| --- | ---: | ---: |\n".to_owned();
    for figure in figures {
        let failed = if figure.holds { "" } else { " **FAILED**" };
        let value = figure.value.replace('|', "\\|").replace('\n', " ");
        table.push_str(&format!("| {} | {value}{failed} | {} |\n", figure.what, figure.pass));
    }
    table
}

/// The value below which this share of all values lies; `NaN` of nothing.
pub(super) fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

fn with_unit(value: f64, unit: &str) -> String {
    if unit.is_empty() { number(value) } else { format!("{} {unit}", number(value)) }
}

/// Three digits at least, thousands apart.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() || value.abs() < 100.0 && value.fract() != 0.0 {
        return format!("{value:.2}");
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
