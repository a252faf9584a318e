//! Conditions on values that decide a file's tag.

use std::cmp::Ordering;

use chrono::{Datelike as _, NaiveDate};
use mortise_formats::format::{ErrorBody, ErrorCode};
use mortise_formats::rules::{DatePart, Operator, TagCondition};
use regex::Regex;
use serde_json::{Map, Value};

#[derive(Debug)]
pub(super) struct CompiledCondition {
    field: String,
    part: Option<DatePart>,
    test: Test,
    pub(super) tag: String,
}

#[derive(Debug)]
enum Test {
    Compare(Operator, String),
    Contains(String),
    Matches(Regex),
}

impl CompiledCondition {
    pub(super) fn new(condition: &TagCondition) -> Result<Self, ErrorBody> {
        let tag = condition.tag.clone();
        let condition = &condition.condition;
        let test = match condition.operator {
            Operator::Contains => Test::Contains(condition.value.clone()),
            Operator::Matches => Test::Matches(Regex::new(&condition.value).map_err(|error| {
                let reason = format!("the pattern does not compile: {error}");
                ErrorBody::new(ErrorCode::RegexInvalid, reason, "correct the pattern")
            })?),
            operator => Test::Compare(operator, condition.value.clone()),
        };
        Ok(Self { field: condition.field.clone(), part: condition.part, test, tag })
    }

    /// A field without a value makes every condition false.
    pub(super) fn holds(&self, fields: &Map<String, Value>) -> bool {
        let Some(value) = fields.get(&self.field) else { return false };
        let number = match self.part {
            Some(part) => match value.as_str().and_then(|text| text.parse::<NaiveDate>().ok()) {
                Some(date) => Some(match part {
                    DatePart::Year => i64::from(date.year()),
                    DatePart::Month => i64::from(date.month()),
                    DatePart::Day => i64::from(date.day()),
                }),
                None => return false,
            },
            None => value.as_i64(),
        };
        let text = match number {
            Some(number) => number.to_string(),
            None => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
        };
        match &self.test {
            Test::Contains(part) => text.contains(part),
            Test::Matches(regex) => regex.is_match(&text),
            Test::Compare(operator, wanted) => compare(*operator, number, &text, wanted),
        }
    }
}

/// Numbers by size where both are; texts, and with them ISO dates, in their own order.
fn compare(operator: Operator, number: Option<i64>, text: &str, wanted: &str) -> bool {
    let ordering = match (number, wanted.parse::<i64>()) {
        (Some(number), Ok(wanted)) => number.cmp(&wanted),
        _ => text.cmp(wanted),
    };
    match operator {
        Operator::Equal => ordering == Ordering::Equal,
        Operator::NotEqual => ordering != Ordering::Equal,
        Operator::Less => ordering == Ordering::Less,
        Operator::Greater => ordering == Ordering::Greater,
        Operator::AtMost => ordering != Ordering::Greater,
        Operator::AtLeast => ordering != Ordering::Less,
        Operator::Contains | Operator::Matches => false,
    }
}
