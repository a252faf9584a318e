//! Conditions on extracted values: `turbine_id < 100`, `day.year = 2024`.

use std::fmt;
use std::sync::LazyLock;

use mortise_contract::embedded;
use regex::Regex;

/// A tag for files whose fields fulfil a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagCondition {
    pub condition: Condition,
    /// The tag then.
    pub tag: String,
}

/// A comparison of one field with a value. A field without a value makes it false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// A declared field.
    pub field: String,
    /// A part of a date, as a whole number.
    pub part: Option<DatePart>,
    /// The comparison.
    pub operator: Operator,
    /// What it is compared with, as written.
    pub value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DatePart {
    Year,
    /// The month, 1 to 12.
    Month,
    /// The day of the month.
    Day,
}

impl DatePart {
    /// The word in a condition.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
    /// The text has the value in it.
    Contains,
    /// A regular expression is found in the text.
    Matches,
}

impl Operator {
    /// The sign or word in a condition.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::Greater => ">",
            Self::AtMost => "<=",
            Self::AtLeast => ">=",
            Self::Contains => "contains",
            Self::Matches => "matches",
        }
    }

    /// Whether it asks which of two values is greater.
    pub fn is_ordering(self) -> bool {
        matches!(self, Self::Less | Self::Greater | Self::AtMost | Self::AtLeast)
    }

    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "=" | "==" => Self::Equal,
            "!=" => Self::NotEqual,
            "<" => Self::Less,
            ">" => Self::Greater,
            "<=" => Self::AtMost,
            ">=" => Self::AtLeast,
            "contains" => Self::Contains,
            "matches" => Self::Matches,
            _ => return None,
        })
    }
}

impl Condition {
    /// Reads `<field>[.year|.month|.day] OP value`; spaces around a sign are free, and `==` is `=`.
    pub fn parse(text: &str) -> Option<Self> {
        let found = SHAPE.captures(text)?;
        let part = match found.name("part").map(|part| part.as_str()) {
            None => None,
            Some("year") => Some(DatePart::Year),
            Some("month") => Some(DatePart::Month),
            Some("day") => Some(DatePart::Day),
            Some(_) => return None,
        };
        let operator = found.name("word").or_else(|| found.name("sign"))?;
        Some(Self {
            field: found.name("field")?.as_str().to_owned(),
            part,
            operator: Operator::parse(operator.as_str())?,
            value: found.name("value")?.as_str().to_owned(),
        })
    }
}

static SHAPE: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"^\s*(?<field>[a-z_][a-z0-9_]*)(?:\.(?<part>[a-z]+))?(?:\s+(?<word>contains|matches)\s+|\s*(?<sign>==|!=|<=|>=|=|<|>)\s*)(?<value>\S(?:.*\S)?)\s*$",
    )
});

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.field)?;
        if let Some(part) = self.part {
            write!(formatter, ".{}", part.as_str())?;
        }
        write!(formatter, " {} {}", self.operator.as_str(), self.value)
    }
}
