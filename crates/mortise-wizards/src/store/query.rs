//! A small part of SQL over one table: `SELECT columns WHERE conditions ORDER BY columns LIMIT count`.
//!
//! It reads and can do nothing else. Everything that is not in this part is refused by name.

mod parse;
mod select;

use std::cmp::Ordering;

use crate::data::value::Value;
use crate::parsers::value::to_text;

pub use self::parse::{QueryError, parse};
pub use self::select::Selection;

/// A query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// The columns to give; none gives all.
    pub columns: Option<Vec<String>>,
    /// The table, for a source that has several.
    pub table: Option<String>,
    /// What rows must fulfil.
    pub condition: Option<Condition>,
    /// By what they are sorted.
    pub order: Vec<Order>,
    /// How many at most.
    pub limit: Option<usize>,
}

/// One column to sort by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The column.
    pub column: String,
    /// Whether the largest comes first.
    pub descending: bool,
}

/// What a row must fulfil.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// Both.
    And(Box<Condition>, Box<Condition>),
    /// At least one.
    Or(Box<Condition>, Box<Condition>),
    /// Not this.
    Not(Box<Condition>),
    /// A comparison with a literal; with no value it is never fulfilled.
    Compare(String, Comparison, Literal),
    /// One of these.
    In(String, Vec<Literal>),
    /// Text with `%` for anything and `_` for one character.
    Like(String, String),
    /// No value.
    IsNull(String),
}

/// How a column is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`, `<>`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

/// A value in a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A number.
    Number(f64),
    /// Text; days and times are written as text too.
    Text(String),
    /// True or false.
    Boolean(bool),
}

impl Query {
    /// The first column that is named and not there.
    pub fn unknown_column(&self, columns: &[String]) -> Option<String> {
        let mut named: Vec<&String> = self.columns.iter().flatten().collect();
        named.extend(self.order.iter().map(|order| &order.column));
        if let Some(condition) = &self.condition {
            condition.collect(&mut named);
        }
        named.into_iter().find(|name| !columns.contains(name)).cloned()
    }

    /// Whether a row is wanted.
    pub fn admits(&self, row: &Row<'_>) -> bool {
        self.condition.as_ref().is_none_or(|condition| condition.holds(row))
    }

    /// The order of two rows. Rows without a value come last.
    pub fn compare(&self, columns: &[String], left: &[Value], right: &[Value]) -> Ordering {
        for order in &self.order {
            let Some(place) = columns.iter().position(|name| *name == order.column) else { continue };
            let ordering = match (&left[place], &right[place]) {
                (Value::Null, Value::Null) => Ordering::Equal,
                (Value::Null, _) => return Ordering::Greater,
                (_, Value::Null) => return Ordering::Less,
                (left, right) if order.descending => compare(right, left),
                (left, right) => compare(left, right),
            };
            if ordering != Ordering::Equal {
                return ordering;
            }
        }
        Ordering::Equal
    }
}

/// One row with the names of its columns.
pub struct Row<'a> {
    /// The names.
    pub columns: &'a [String],
    /// The values.
    pub values: &'a [Value],
}

impl Row<'_> {
    fn value(&self, column: &str) -> &Value {
        let place = self.columns.iter().position(|name| name == column);
        place.and_then(|place| self.values.get(place)).unwrap_or(&Value::Null)
    }
}

impl Condition {
    fn holds(&self, row: &Row<'_>) -> bool {
        match self {
            Self::And(left, right) => left.holds(row) && right.holds(row),
            Self::Or(left, right) => left.holds(row) || right.holds(row),
            Self::Not(inner) => !inner.holds(row),
            Self::IsNull(column) => matches!(row.value(column), Value::Null),
            Self::Compare(column, comparison, literal) => compare_literal(row.value(column), literal)
                .is_some_and(|ordering| comparison.admits(ordering)),
            Self::In(column, literals) => {
                let value = row.value(column);
                literals.iter().any(|literal| compare_literal(value, literal) == Some(Ordering::Equal))
            }
            Self::Like(column, pattern) => match row.value(column) {
                Value::Null => false,
                value => is_like(&to_text(value), pattern),
            },
        }
    }

    fn collect<'a>(&'a self, names: &mut Vec<&'a String>) {
        match self {
            Self::And(left, right) | Self::Or(left, right) => {
                left.collect(names);
                right.collect(names);
            }
            Self::Not(inner) => inner.collect(names),
            Self::Compare(column, ..)
            | Self::In(column, _)
            | Self::Like(column, _)
            | Self::IsNull(column) => {
                names.push(column);
            }
        }
    }
}

impl Comparison {
    fn admits(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering == Ordering::Equal,
            Self::Unequal => ordering != Ordering::Equal,
            Self::Less => ordering == Ordering::Less,
            Self::AtMost => ordering != Ordering::Greater,
            Self::More => ordering == Ordering::Greater,
            Self::AtLeast => ordering != Ordering::Less,
        }
    }
}

/// How a value compares with a literal; a number with text that is none does not.
#[expect(clippy::cast_precision_loss, reason = "a literal has no more digits than that")]
fn compare_literal(value: &Value, literal: &Literal) -> Option<Ordering> {
    match (value, literal) {
        (Value::Null, _) => None,
        (Value::Integer(value), Literal::Number(number)) => (*value as f64).partial_cmp(number),
        (Value::Float(value), Literal::Number(number)) => value.partial_cmp(number),
        (Value::Boolean(value), Literal::Boolean(truth)) => Some(value.cmp(truth)),
        (value, Literal::Number(number)) => to_text(value).trim().parse::<f64>().ok()?.partial_cmp(number),
        (value, Literal::Text(text)) => Some(to_text(value).as_str().cmp(text)),
        (value, Literal::Boolean(truth)) => Some(to_text(value).to_lowercase().cmp(&truth.to_string())),
    }
}

#[expect(clippy::cast_precision_loss, reason = "only for the order of mixed numbers")]
fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Integer(left), Value::Integer(right)) | (Value::Time(left), Value::Time(right)) => {
            left.cmp(right)
        }
        (Value::Float(left), Value::Float(right)) => left.total_cmp(right),
        (Value::Integer(left), Value::Float(right)) => (*left as f64).total_cmp(right),
        (Value::Float(left), Value::Integer(right)) => left.total_cmp(&(*right as f64)),
        (Value::Date(left), Value::Date(right)) => left.cmp(right),
        (Value::Timestamp { micros: left, .. }, Value::Timestamp { micros: right, .. }) => left.cmp(right),
        (Value::Boolean(left), Value::Boolean(right)) => left.cmp(right),
        (left, right) => to_text(left).cmp(&to_text(right)),
    }
}

/// Whether text fits a pattern, without looking back more than to the last `%`.
fn is_like(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) = (text.chars().collect(), pattern.chars().collect());
    let (mut at, mut place) = (0, 0);
    let mut last: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(place) {
            Some('%') => {
                last = Some((place, at));
                place += 1;
            }
            Some(&character) if character == '_' || character == text[at] => {
                at += 1;
                place += 1;
            }
            _ => match last {
                Some((percent, from)) => {
                    last = Some((percent, from + 1));
                    at = from + 1;
                    place = percent + 1;
                }
                None => return false,
            },
        }
    }
    pattern[place..].iter().all(|character| *character == '%')
}

#[cfg(test)]
mod tests;
