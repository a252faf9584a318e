//! The type of a column by elimination: every value strikes out what it can't be.
//!
//! Nothing is voted on. A type is kept only if every value has it; what struck a type out is kept as evidence.
//! The same values in the same order give the same result.

use super::bounds::shown;
use super::nulls::{self, NullTokens};

mod candidates;
mod evidence;
mod resolve;

pub(crate) use candidates::CellKind;
use candidates::{DATES, MOMENTS, TypeCandidates, TypeName};
pub(crate) use resolve::{AlternativeType, CounterExample, InferredColumn, NearMiss, ResolvedType};

/// How many different values are shown.
const SAMPLES: usize = 5;
/// How many counter-examples are kept for each type.
const EXAMPLES: usize = 3;
/// Misses after which a type is no longer counted, if they are more than one in twenty.
const PATIENCE: u64 = 16;

#[derive(Clone, Debug)]
pub(crate) struct ColumnInference {
    nulls: NullTokens,
    rows: u64,
    null_rows: u64,
    samples: Vec<String>,
    /// All values but missing ones.
    tally: CandidateTally,
    /// The same without suspects, from the first suspect on.
    unsuspected: Option<Box<CandidateTally>>,
    suspects: Vec<String>,
    suspect_rows: u64,
    spaced: bool,
    formulas: u64,
}

impl ColumnInference {
    pub(crate) fn new(nulls: &NullTokens) -> Self {
        Self {
            nulls: nulls.clone(),
            rows: 0,
            null_rows: 0,
            samples: Vec::new(),
            tally: CandidateTally::new(),
            unsuspected: None,
            suspects: Vec::new(),
            suspect_rows: 0,
            spaced: false,
            formulas: 0,
        }
    }

    /// Takes the next cell of a delimited file.
    pub(crate) fn observe(&mut self, cell: Option<&str>) {
        self.observe_kind(cell, CellKind::Untyped);
    }

    /// Takes the next cell, whose kind the file may know.
    pub(crate) fn observe_kind(&mut self, cell: Option<&str>, kind: CellKind) {
        self.rows += 1;
        let text = cell.unwrap_or_default();
        let trimmed = text.trim();
        // JSON and Parquet have a null: there a word means a missing value only where a caller says so.
        let has_words =
            kind == CellKind::Untyped || kind == CellKind::Text && !self.nulls.has_null_in_any_case();
        let missing = cell.is_none() || (has_words && self.nulls.contains(trimmed));
        if missing {
            self.null_rows += 1;
            return;
        }
        self.spaced |= trimmed.len() != text.len();
        self.formulas += u64::from(trimmed.starts_with(['=', '@']) && trimmed.len() > 1);
        if self.samples.len() < SAMPLES && !self.samples.iter().any(|own| own == text) {
            let text = shown(text);
            if !self.samples.contains(&text) {
                self.samples.push(text);
            }
        }
        if kind == CellKind::Untyped && trimmed.len() <= 6 && nulls::is_suspect(trimmed) {
            self.unsuspected.get_or_insert_with(|| Box::new(self.tally.clone()));
            if !self.suspects.iter().any(|own| own == trimmed) {
                self.suspects.push(trimmed.to_owned());
            }
            self.suspect_rows += 1;
        } else if let Some(tally) = &mut self.unsuspected {
            tally.take(self.rows, trimmed, kind);
        }
        self.tally.take(self.rows, trimmed, kind);
    }

    /// What the column is; its name may speak for dates.
    pub(crate) fn finish(&self, name: &str) -> InferredColumn {
        resolve::resolve(self, name)
    }

    fn values(&self) -> u64 {
        self.rows - self.null_rows
    }
}

/// What values did to the candidates.
#[derive(Clone, Debug)]
struct CandidateTally {
    seen: u64,
    /// Candidates that every value fitted.
    alive: TypeCandidates,
    /// Candidates that are still counted.
    watched: TypeCandidates,
    misses: Vec<u64>,
    examples: Vec<CounterExample>,
    numbers: Numbers,
    moments: Vec<super::dates::MomentFormat>,
    times: Vec<super::dates::TimeFormat>,
    single_letters: Option<char>,
    /// A day of eight digits that is not of these times.
    beyond_these_times: bool,
}

/// What was noticed about numbers and words.
#[derive(Clone, Copy, Debug, Default)]
struct Numbers {
    /// All values so far were `0` or `1`.
    other_than_bits: bool,
    /// A comma between thousands.
    grouped: bool,
    /// More than one word of truth.
    several_words: bool,
}

impl CandidateTally {
    fn new() -> Self {
        Self {
            seen: 0,
            alive: TypeCandidates::ALL,
            watched: TypeCandidates::ALL,
            misses: vec![0; TypeCandidates::COUNT],
            examples: Vec::new(),
            numbers: Numbers::default(),
            moments: Vec::new(),
            times: Vec::new(),
            single_letters: None,
            beyond_these_times: false,
        }
    }

    fn take(&mut self, row: u64, text: &str, kind: CellKind) {
        self.seen += 1;
        if self.watched.is_empty() {
            return;
        }
        let fits = candidates::fitting(text, self.watched, kind);
        self.notice(text, fits);
        let missed = self.watched.without(fits);
        if missed.is_empty() {
            return;
        }
        self.keep_examples(row, text, fits);
        self.alive = self.alive.and(fits);
        for bit in missed.bits() {
            self.misses[bit] += 1;
            if self.misses[bit] > PATIENCE && self.misses[bit] * 20 > self.seen {
                self.watched = self.watched.without(TypeCandidates::bit(bit));
            }
        }
    }

    /// Remembers how what still may be was written.
    fn notice(&mut self, text: &str, fits: TypeCandidates) {
        if fits.has(TypeName::Integer) && !self.numbers.other_than_bits {
            self.numbers.other_than_bits = text != "0" && text != "1";
        }
        if self.alive.has(TypeName::Float) && text.contains(',') {
            self.numbers.grouped = true;
        }
        if fits.has(TypeName::Boolean) && self.alive.has(TypeName::Boolean) && !self.numbers.several_words {
            let first = text.chars().next();
            match self.single_letters {
                None if self.seen == 1 && text.len() == 1 => self.single_letters = first,
                letter if letter != first || text.len() > 1 => self.numbers.several_words = true,
                _ => {}
            }
        }
        if text.len() == 8
            && !self.beyond_these_times
            && let Some(day) = fits.and(DATES).date_formats().first().and_then(|format| format.read(text))
        {
            self.beyond_these_times = !super::dates::is_of_these_times(day);
        }
        if !fits.and(MOMENTS).is_empty()
            && let Some(moment) = super::dates::moment(text)
            && !self.moments.contains(&moment.format)
        {
            self.moments.push(moment.format);
        }
        if fits.has(TypeName::Time)
            && let Some(time) = super::dates::time_of_day(text)
            && !self.times.contains(&time.format)
        {
            self.times.push(time.format);
        }
    }

    fn keep_examples(&mut self, row: u64, text: &str, fits: TypeCandidates) {
        for name in TypeName::ALL {
            let bits = name.candidates();
            if self.watched.and(bits).is_empty() {
                continue;
            }
            let kept = self.examples.iter().filter(|example| example.type_name == name.as_str()).count();
            if kept >= EXAMPLES {
                continue;
            }
            let reason = match () {
                () if fits.and(bits).is_empty() => evidence::why_not(name, text),
                // The value has the type, but in another form than all values before it.
                () if !self.alive.and(bits).is_empty() && self.alive.and(bits).and(fits).is_empty() => {
                    let left = self.alive.and(bits);
                    let forms = if name == TypeName::Date { left } else { left.moments_as_dates() };
                    format!("not of the form {} of the values before it", forms.date_texts().join(" or "))
                }
                () => continue,
            };
            let type_name = name.as_str().to_owned();
            self.examples.push(CounterExample { type_name, reason, row, value: shown(text) });
        }
    }

    /// The share of values that have a type, by its best form.
    fn share(&self, name: TypeName) -> f64 {
        let counted = name.candidates().and(self.watched.or(self.alive));
        let fewest = counted.bits().map(|bit| self.misses[bit]).min();
        match (fewest, self.seen) {
            (Some(misses), seen) if seen > 0 => (seen - misses) as f64 / seen as f64,
            _ => 0.0,
        }
    }

    fn date_formats(&self) -> Vec<super::dates::DateFormat> {
        self.alive.and(DATES).date_formats()
    }
}

#[cfg(test)]
mod tests;
