//! What is left of the candidates, and what a person must decide.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::candidates::TypeName;
use super::{CandidateTally, ColumnInference};
use crate::data::data_type::DataType;
use crate::data::dates::{self, DateFormat};

/// What a column turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InferredColumn {
    pub resolved: ResolvedType,
    /// The type as contracts and parsers name it.
    pub data_type: DataType,
    /// How its values are written, for `strptime`; several formats are separated by `|`. With
    /// [`InferredColumn::date_formats`] of more than one it is the first of them.
    pub format: Option<String>,
    /// Every date format that still fits; more than one is a question.
    pub date_formats: Vec<DateFormat>,
    /// Values to show how each format reads them.
    pub read_both_ways: Vec<ReadBothWays>,
    /// From 0 to 1.
    pub confidence: f64,
    pub rows: u64,
    pub null_rows: u64,
    /// The first different values.
    pub sample_values: Vec<String>,
    /// What struck out the types that it is not.
    pub eliminated: Vec<CounterExample>,
    /// The share of values that have the resolved type.
    pub match_share: f64,
    pub alternatives: Vec<AlternativeType>,
    pub assumptions: Vec<String>,
    /// A type that nearly all values have.
    pub near_miss: Option<NearMiss>,
    /// Words that seem to mean a missing value, if without them the column has a type.
    pub suggested_null_tokens: Vec<String>,
    /// The type it has without them.
    pub without_null_tokens: Option<ResolvedType>,
    /// Values that a spreadsheet would take for formulas.
    pub formulas: u64,
}

impl InferredColumn {
    /// Whether only a person can say how the values are read.
    pub(crate) fn needs_decision(&self) -> bool {
        self.date_formats.len() > 1
    }
}

/// The types that a column can turn out to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum ResolvedType {
    Null,
    Boolean,
    Integer,
    Float,
    Date,
    Timestamp,
    Time,
    Duration,
    String,
}

impl ResolvedType {
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }

    /// The type of a column that has it. Contracts know no durations and no columns without values: they are text.
    pub(crate) fn data_type(self) -> DataType {
        match self {
            Self::Boolean => DataType::Boolean,
            Self::Integer => DataType::Int64,
            Self::Float => DataType::Float64,
            Self::Date => DataType::Date,
            Self::Timestamp => DataType::Timestamp,
            Self::Time => DataType::Time,
            Self::Null | Self::Duration | Self::String => DataType::String,
        }
    }

    fn of(name: TypeName) -> Self {
        match name {
            TypeName::Boolean => Self::Boolean,
            TypeName::Integer => Self::Integer,
            TypeName::Float => Self::Float,
            TypeName::Date => Self::Date,
            TypeName::Timestamp => Self::Timestamp,
            TypeName::Time => Self::Time,
            TypeName::Duration => Self::Duration,
        }
    }
}

/// A value that is not of a type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CounterExample {
    /// The type
    pub type_name: String,
    /// Why the value does not have it
    pub reason: String,
    /// The row, from 1
    pub row: u64,
    /// The value
    pub value: String,
}

/// Another type that a column may have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlternativeType {
    /// The type
    pub type_name: String,
    /// From 0 to 1
    pub confidence: f64,
    /// What would make it that
    pub what_would_change: String,
}

impl AlternativeType {
    pub(crate) fn new(type_name: &str, what_would_change: impl Into<String>) -> Self {
        Self { type_name: type_name.to_owned(), confidence: 0.4, what_would_change: what_would_change.into() }
    }
}

/// A type that nearly all values have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NearMiss {
    /// The type
    #[serde(rename = "type")]
    pub type_name: String,
    /// How many values have it, from 0 to 1
    pub share: f64,
    /// Some that do not
    pub counter_examples: Vec<CounterExample>,
}

/// A value as each of the formats reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadBothWays {
    pub value: String,
    /// The format and the day, as `%Y-%m-%d`.
    pub readings: Vec<(DateFormat, String)>,
}

const NEAR: f64 = 0.95;
/// The share of rows that suspected words may have.
const SUSPECTED: f64 = 0.2;
const ENOUGH_VALUES: u64 = 10;

pub(super) fn resolve(column: &ColumnInference, name: &str) -> InferredColumn {
    let (tally, values) = (&column.tally, column.values());
    let dated = names_a_day(name);
    let mut alternatives = Vec::new();
    let mut assumptions = Vec::new();
    let resolved = match values {
        0 => ResolvedType::Null,
        _ => survivor(tally, dated, &mut alternatives),
    };
    let date_formats = match resolved {
        ResolvedType::Date => usable_dates(tally, dated),
        ResolvedType::Timestamp => tally.alive.moments_as_dates().date_formats(),
        _ => Vec::new(),
    };
    if column.spaced && resolved != ResolvedType::String {
        assumptions.push("spaces around values mean nothing".to_owned());
    }
    if resolved == ResolvedType::Float && tally.numbers.grouped {
        assumptions.push("commas separate thousands".to_owned());
    }
    if date_formats.iter().any(|format| format.as_str().contains("%y")) {
        assumptions.push("years of two digits from 70 are of the last century".to_owned());
    }
    let without = suggestion(column, resolved, dated);
    let confidence = match () {
        () if date_formats.len() > 1 => 0.5,
        () if !alternatives.is_empty() || without.is_some() => 0.6,
        () if values >= ENOUGH_VALUES => 1.0,
        () => 0.9,
    };
    InferredColumn {
        resolved,
        data_type: resolved.data_type(),
        format: format(tally, resolved, &date_formats),
        read_both_ways: read_both_ways(&column.samples, &date_formats),
        date_formats,
        confidence,
        rows: column.rows,
        null_rows: column.null_rows,
        sample_values: column.samples.clone(),
        eliminated: tally.examples.clone(),
        // Elimination keeps a type only if every value has it.
        match_share: 1.0,
        near_miss: near_miss(tally, resolved, dated),
        alternatives,
        assumptions,
        suggested_null_tokens: without.map(|_| column.suspects.clone()).unwrap_or_default(),
        without_null_tokens: without,
        formulas: column.formulas,
    }
}

/// The first type that every value has, with what else it may be.
fn survivor(tally: &CandidateTally, dated: bool, alternatives: &mut Vec<AlternativeType>) -> ResolvedType {
    let alive = tally.alive;
    let mut also = |type_name, what| alternatives.push(AlternativeType::new(type_name, what));
    if alive.has(TypeName::Boolean) && alive.has(TypeName::Integer) && !tally.numbers.other_than_bits {
        also("boolean", "if 0 and 1 mean no and yes");
        return ResolvedType::Integer;
    }
    let days = usable_dates(tally, dated);
    let compact =
        days.iter().any(|format| matches!(*format, DateFormat::COMPACT | DateFormat::SHORT_COMPACT));
    if alive.has(TypeName::Integer) && compact {
        if dated {
            also("integer", "if the digits are a number and no day");
            return ResolvedType::Date;
        }
        also("date", "if the digits are year, month and day");
        return ResolvedType::Integer;
    }
    for name in TypeName::ALL {
        match name {
            TypeName::Date if days.is_empty() => continue,
            name if !alive.has(name) => continue,
            TypeName::Boolean if tally.single_letters.is_some() && !tally.numbers.several_words => {
                also("string", "if other letters than this one occur");
            }
            _ => {}
        }
        return ResolvedType::of(name);
    }
    ResolvedType::String
}

/// The date formats that fit, but digits alone count as a day only under conditions.
fn usable_dates(tally: &CandidateTally, dated: bool) -> Vec<DateFormat> {
    let mut formats = tally.date_formats();
    formats.retain(|format| match *format {
        DateFormat::SHORT_COMPACT => dated,
        DateFormat::COMPACT => !tally.beyond_these_times,
        _ => true,
    });
    formats
}

/// Whether a column's name speaks of days: `order_date`, `dt`, `birthDay`.
fn names_a_day(name: &str) -> bool {
    let mut words = vec![String::new()];
    let mut lower = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || (character.is_uppercase() && lower) {
            words.push(String::new());
        }
        lower = character.is_lowercase();
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
    }
    words.iter().any(|word| {
        matches!(word.as_str(), "day" | "dt") || word.starts_with("date") || word.ends_with("date")
    })
}

fn format(tally: &CandidateTally, resolved: ResolvedType, days: &[DateFormat]) -> Option<String> {
    match resolved {
        ResolvedType::Date => days.first().map(|format| format.as_str().to_owned()),
        ResolvedType::Timestamp => {
            let day = *days.first()?;
            let mut forms = tally.moments.clone();
            forms.sort();
            Some(forms.into_iter().map(|form| form.text(day)).collect::<Vec<_>>().join("|"))
        }
        ResolvedType::Time => {
            let mut forms = tally.times.clone();
            forms.sort();
            Some(forms.into_iter().map(dates::TimeFormat::text).collect::<Vec<_>>().join("|"))
        }
        _ => None,
    }
}

fn read_both_ways(samples: &[String], formats: &[DateFormat]) -> Vec<ReadBothWays> {
    if formats.len() < 2 {
        return Vec::new();
    }
    let readings = |value: &String| {
        let day = dates::moment(value.trim()).map_or(value.trim(), |moment| moment.day);
        let readings = formats.iter().filter_map(|format| Some((*format, format.read(day)?.to_string())));
        ReadBothWays { value: value.clone(), readings: readings.collect() }
    };
    samples.iter().take(2).map(readings).collect()
}

fn near_miss(tally: &CandidateTally, resolved: ResolvedType, dated: bool) -> Option<NearMiss> {
    if resolved != ResolvedType::String {
        return None;
    }
    let shares = TypeName::ALL.into_iter().map(|name| (name, tally.share(name)));
    let mut best: Option<(TypeName, f64)> = None;
    for (name, share) in shares.filter(|(_, share)| (NEAR..1.0).contains(share)) {
        // Numbers of eight digits are days only where the name says so.
        let doubtful = name == TypeName::Date && !dated && tally.share(TypeName::Integer) >= share;
        if !doubtful && best.is_none_or(|(_, own)| share > own) {
            best = Some((name, share));
        }
    }
    let (name, share) = best?;
    let type_name = name.as_str().to_owned();
    let of_type = tally.examples.iter().filter(|example| example.type_name == type_name);
    let counter_examples = of_type.cloned().collect();
    Some(NearMiss { type_name, share, counter_examples })
}

/// The type without the suspected words, if there are few of them and it has one.
fn suggestion(column: &ColumnInference, resolved: ResolvedType, dated: bool) -> Option<ResolvedType> {
    let tally = column.unsuspected.as_ref()?;
    let few = column.suspect_rows as f64 <= column.rows as f64 * SUSPECTED;
    if resolved != ResolvedType::String || !few || tally.seen == 0 {
        return None;
    }
    Some(survivor(tally, dated, &mut Vec::new())).filter(|without| *without != ResolvedType::String)
}
