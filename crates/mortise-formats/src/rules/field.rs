//! One field of a rule: where its value is and what becomes of it.

use std::fmt;

use super::date::{ISO_FORMAT, is_iso_date};

/// How one value is read from a path: source, pattern, normalisation, type, default.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleField {
    /// The part of the path.
    pub from: FieldSource,
    /// What of that part; all of it without a pattern.
    pub pattern: Option<Pattern>,
    /// What is done to the text before it gets its type.
    pub normalize: Option<Normalize>,
    /// What the text must be.
    pub field_type: FieldType,
    /// The value when any step fails.
    pub default: Option<DefaultValue>,
}

impl RuleField {
    /// The whole of a part of the path, as text.
    pub fn new(from: FieldSource) -> Self {
        Self { from, pattern: None, normalize: None, field_type: FieldType::String, default: None }
    }
}

/// A part of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldSource {
    /// `segment(-N)`: the N-th segment from the end; 1 is the last. N is 1 to 999.
    Segment(u16),
    /// The last segment.
    Filename,
    /// The whole normalised path.
    FullPath,
    /// The path below the source's root.
    RelPath,
}

impl FieldSource {
    /// The farthest segment that can be named.
    pub const MAX_SEGMENT: u16 = 999;
}

impl fmt::Display for FieldSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Segment(index) => write!(formatter, "segment(-{index})"),
            Self::Filename => formatter.write_str("filename"),
            Self::FullPath => formatter.write_str("full_path"),
            Self::RelPath => formatter.write_str("rel_path"),
        }
    }
}

/// A regular expression and the group that is the value.
///
/// It is searched for; the whole match is the value if it has no groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The expression, in Rust's syntax.
    pub regex: String,
    /// The group, from 1.
    pub capture: usize,
}

impl Pattern {
    /// An expression whose first group, or whole match, is the value.
    pub fn new(regex: impl Into<String>) -> Self {
        Self { regex: regex.into(), capture: 1 }
    }
}

/// What is done to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Normalize {
    /// To lower case.
    Lowercase,
    /// To upper case.
    Uppercase,
    /// Without leading zeros; `000` gives `0`.
    StripLeadingZeros,
}

impl Normalize {
    pub const ALL: [Self; 3] = [Self::Lowercase, Self::Uppercase, Self::StripLeadingZeros];

    /// The word in a document.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The text after it.
    pub fn apply(self, text: &str) -> String {
        match self {
            Self::Lowercase => text.to_lowercase(),
            Self::Uppercase => text.to_uppercase(),
            Self::StripLeadingZeros => match text.trim_start_matches('0') {
                "" if !text.is_empty() => "0".to_owned(),
                rest => rest.to_owned(),
            },
        }
    }
}

/// What a field's text must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// Any text.
    String,
    /// A whole number, within bounds if there are.
    Integer {
        /// `validate`.
        range: Option<IntegerRange>,
    },
    /// A day, written as the format says; its value is ISO text.
    Date {
        /// A strftime format with year, month and day.
        format: String,
    },
    /// A UUID in its usual form.
    Uuid,
}

impl FieldType {
    /// A day as `2024-01-15`.
    pub fn iso_date() -> Self {
        Self::Date { format: ISO_FORMAT.to_owned() }
    }

    /// A whole number without bounds.
    pub fn integer() -> Self {
        Self::Integer { range: None }
    }

    /// The word in a document.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer { .. } => "integer",
            Self::Date { .. } => "date",
            Self::Uuid => "uuid",
        }
    }
}

/// Whole numbers from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerRange {
    pub low: i64,
    pub high: i64,
}

impl IntegerRange {
    /// Reads `lo..hi`; the order of the two is not checked.
    pub fn parse(text: &str) -> Option<Self> {
        let (low, high) = text.split_once("..")?;
        Some(Self { low: number(low)?, high: number(high)? })
    }

    /// Whether a number is within.
    pub fn contains(self, number: i64) -> bool {
        (self.low..=self.high).contains(&number)
    }
}

/// Digits with an optional minus, nothing else.
fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?
}

impl fmt::Display for IntegerRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}..{}", self.low, self.high)
    }
}

/// The value of a field whose steps failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefaultValue {
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A truth value.
    Boolean(bool),
}

impl DefaultValue {
    /// Whether a field of this type can have the value.
    pub fn fits(&self, field_type: &FieldType) -> bool {
        match (field_type, self) {
            (FieldType::String, _) => true,
            (FieldType::Integer { range }, Self::Integer(number)) => {
                range.is_none_or(|range| range.contains(*number))
            }
            (FieldType::Date { .. }, Self::Text(text)) => is_iso_date(text),
            (FieldType::Uuid, Self::Text(text)) => is_uuid(text),
            _ => false,
        }
    }
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths = groups.iter().map(|group| group.len());
    lengths.eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
