//! The library of conversions that a rule can't express and generated Python can.

use mortise_formats::rules::{FieldType, Pattern};

use super::semantic::{MonthForm, Period, Primitive, YearForm};

/// A conversion that a hint can ask for by name, as `@quarter_expand`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Template {
    /// `Q1` to its first and last month.
    QuarterExpand,
    /// `H1` to its first and last month.
    HalfExpand,
    /// `W05` of a year to its first and last day.
    WeekExpand,
    /// `FY24` to its first and last day.
    FiscalExpand,
    /// `Jan` to 1.
    MonthLookup,
    /// A date to its year, month and weekday.
    DateParts,
}

impl Template {
    pub(crate) const ALL: [Self; 6] = [
        Self::QuarterExpand,
        Self::HalfExpand,
        Self::WeekExpand,
        Self::FiscalExpand,
        Self::MonthLookup,
        Self::DateParts,
    ];

    /// The name after `@`.
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|template| template.as_str() == name)
    }

    /// Whether it is for the folders of a primitive.
    pub(crate) fn is_for(self, primitive: &Primitive) -> bool {
        match self {
            Self::QuarterExpand => {
                matches!(primitive, Primitive::YearQuarter | Primitive::Period { period: Period::Quarter })
            }
            Self::HalfExpand => matches!(primitive, Primitive::Period { period: Period::Half }),
            Self::WeekExpand => matches!(primitive, Primitive::Period { period: Period::Week }),
            Self::FiscalExpand => {
                matches!(primitive, Primitive::Year { form: YearForm::Fiscal | YearForm::FiscalShort })
            }
            Self::MonthLookup => matches!(primitive, Primitive::Month { form: MonthForm::Word }),
            Self::DateParts => matches!(primitive, Primitive::Date { .. }),
        }
    }
}

/// One conversion with everything it needs. Names of fields are those of the Python side.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Transform {
    Quarter {
        from: String,
    },
    /// Months of a half year.
    Half {
        from: String,
    },
    /// Days of an ISO week.
    Week {
        from: String,
        year: String,
    },
    /// Days of a fiscal year that starts with a month.
    Fiscal {
        from: String,
        is_code: bool,
        start_month: u32,
    },
    /// The number of an English month.
    Month {
        from: String,
    },
    /// A date in one of several forms, tried in order.
    MixedDate {
        from: String,
        into: String,
        formats: Vec<&'static str>,
    },
    /// Base64 to text.
    Base64 {
        from: String,
        into: String,
    },
    /// `%20` and its like to text.
    Url {
        from: String,
        into: String,
    },
    /// Several fields as one text.
    Concat {
        fields: Vec<String>,
        separator: String,
        into: String,
    },
    /// Some texts to others.
    LiteralMap {
        from: String,
        pairs: Vec<(String, String)>,
        otherwise: Option<String>,
        into: String,
    },
    DateParts {
        from: String,
        parts: Vec<ComputedDatePart>,
    },
    /// What a pattern finds that is too large for a rule.
    Pattern {
        from: String,
        pattern: Pattern,
        kind: FieldType,
        into: String,
    },
}

/// A part of a date that can be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComputedDatePart {
    Year,
    /// The month, from 1.
    Month,
    /// The ISO weekday: Monday is 1.
    Weekday,
}

impl ComputedDatePart {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Month => "month",
            Self::Weekday => "weekday",
        }
    }
}

impl Transform {
    /// What it does, for people: `quarter expansion (start_month, end_month)`.
    pub(crate) fn summary(&self) -> String {
        let name = match self {
            Self::Quarter { .. } => "quarter expansion",
            Self::Half { .. } => "half-year expansion",
            Self::Week { .. } => "week expansion",
            Self::Fiscal { .. } => "fiscal year expansion",
            Self::Month { .. } => "month lookup",
            Self::MixedDate { .. } => "mixed date formats",
            Self::Base64 { .. } => "base64 decoding",
            Self::Url { .. } => "URL decoding",
            Self::Concat { .. } => "joined fields",
            Self::LiteralMap { .. } => "value mapping",
            Self::DateParts { .. } => "date parts",
            Self::Pattern { .. } => "large pattern",
        };
        format!("{name} ({})", self.adds().join(", "))
    }

    pub(crate) fn adds(&self) -> Vec<String> {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        match self {
            Self::Quarter { .. } | Self::Half { .. } => owned(&["start_month", "end_month"]),
            Self::Week { .. } => owned(&["start_date", "end_date"]),
            Self::Fiscal { .. } => owned(&["fiscal_year", "start_date", "end_date"]),
            Self::Month { .. } => owned(&["month"]),
            Self::MixedDate { into, .. }
            | Self::Base64 { into, .. }
            | Self::Url { into, .. }
            | Self::Concat { into, .. }
            | Self::LiteralMap { into, .. }
            | Self::Pattern { into, .. } => vec![into.clone()],
            Self::DateParts { from, parts } => {
                parts.iter().map(|part| format!("{from}_{}", part.as_str())).collect()
            }
        }
    }
}
