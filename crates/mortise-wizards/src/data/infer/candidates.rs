//! What a value may still be: one bit for each type, and for each form of a date.

use crate::data::dates::{self, DateFormat};
use crate::data::literal::{self, Number};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeCandidates(u64);

const BOOLEAN: usize = 0;
const INTEGER: usize = 1;
const FLOAT: usize = 2;
const TIME: usize = 3;
const DURATION: usize = 4;
const FIRST_DATE: usize = 5;
const FIRST_MOMENT: usize = FIRST_DATE + DateFormat::COUNT;

/// All forms of dates.
pub(crate) const DATES: TypeCandidates = TypeCandidates(((1 << DateFormat::COUNT) - 1) << FIRST_DATE);
/// All forms of the day in a timestamp.
pub(crate) const MOMENTS: TypeCandidates = TypeCandidates(((1 << DateFormat::COUNT) - 1) << FIRST_MOMENT);

/// The types, in the order in which the first survivor is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum TypeName {
    Boolean,
    Integer,
    Float,
    Date,
    Timestamp,
    Time,
    Duration,
}

impl TypeName {
    pub(crate) const ALL: [Self; 7] =
        [Self::Boolean, Self::Integer, Self::Float, Self::Date, Self::Timestamp, Self::Time, Self::Duration];

    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }

    pub(crate) fn candidates(self) -> TypeCandidates {
        match self {
            Self::Boolean => TypeCandidates::bit(BOOLEAN),
            Self::Integer => TypeCandidates::bit(INTEGER),
            Self::Float => TypeCandidates::bit(FLOAT),
            Self::Date => DATES,
            Self::Timestamp => MOMENTS,
            Self::Time => TypeCandidates::bit(TIME),
            Self::Duration => TypeCandidates::bit(DURATION),
        }
    }
}

impl TypeCandidates {
    pub(crate) const COUNT: usize = FIRST_MOMENT + DateFormat::COUNT;
    pub(crate) const ALL: Self = Self((1 << Self::COUNT) - 1);
    const NONE: Self = Self(0);

    pub(crate) fn bit(bit: usize) -> Self {
        Self(1 << bit)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn has(self, name: TypeName) -> bool {
        !self.and(name.candidates()).is_empty()
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The bits that are set, lowest first.
    pub(crate) fn bits(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros();
            (rest != 0).then(|| {
                rest &= rest - 1;
                bit as usize
            })
        })
    }

    /// The forms of timestamps as those of their days.
    pub(crate) fn moments_as_dates(self) -> Self {
        Self((self.and(MOMENTS).0 >> FIRST_MOMENT) << FIRST_DATE)
    }

    pub(crate) fn date_formats(self) -> Vec<DateFormat> {
        let days = self.and(DATES).0 >> FIRST_DATE;
        DateFormat::all().filter(|format| days & (1 << format.index()) != 0).collect()
    }

    pub(crate) fn date_texts(self) -> Vec<String> {
        self.date_formats().into_iter().map(|format| format!("`{}`", format.as_str())).collect()
    }
}

/// What a file says of a cell's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellKind {
    /// Nothing: text between delimiters.
    Untyped,
    /// A text that is meant as text, which still may be a day or a time.
    Text,
    Number,
    Boolean,
    Nested,
}

/// Which of the watched candidates a value without spaces around it is.
pub(crate) fn fitting(text: &str, watched: TypeCandidates, kind: CellKind) -> TypeCandidates {
    let allowed = match kind {
        CellKind::Untyped => TypeCandidates::ALL,
        CellKind::Text => DATES.or(MOMENTS).or(TypeCandidates::bit(TIME)).or(TypeCandidates::bit(DURATION)),
        CellKind::Number => TypeCandidates::bit(INTEGER).or(TypeCandidates::bit(FLOAT)),
        CellKind::Boolean => TypeCandidates::bit(BOOLEAN),
        CellKind::Nested => TypeCandidates::NONE,
    };
    let watched = watched.and(allowed);
    let mut fits = TypeCandidates::NONE;
    let bytes = text.as_bytes();
    let Some(first) = bytes.first() else { return fits };
    if watched.has(TypeName::Boolean) && literal::boolean(text).is_some() {
        fits = fits.or(TypeCandidates::bit(BOOLEAN));
    }
    let digit = first.is_ascii_digit();
    if (digit || matches!(first, b'+' | b'-' | b'.'))
        && (watched.has(TypeName::Integer) || watched.has(TypeName::Float))
    {
        fits = fits.or(match literal::number(text) {
            Some(Number::Integer(_)) => TypeCandidates::bit(INTEGER).or(TypeCandidates::bit(FLOAT)),
            Some(Number::Float(_)) => TypeCandidates::bit(FLOAT),
            None => TypeCandidates::NONE,
        });
    }
    if digit && bytes.len() <= 10 && !watched.and(DATES).is_empty() {
        fits = fits.or(TypeCandidates(u64::from(dates::fitting(text)) << FIRST_DATE));
    }
    if digit && bytes.len() > 10 && !watched.and(MOMENTS).is_empty() {
        let days = dates::moment(text).map_or(0, |moment| dates::fitting(moment.day));
        fits = fits.or(TypeCandidates(u64::from(days) << FIRST_MOMENT));
    }
    if digit && watched.has(TypeName::Time) && literal::is_time(text) {
        fits = fits.or(TypeCandidates::bit(TIME));
    }
    if watched.has(TypeName::Duration) && literal::is_duration(text) {
        fits = fits.or(TypeCandidates::bit(DURATION));
    }
    fits.and(watched)
}
