//! Compares the rows of a parser with an independent reading of the same file, cell by cell.

use mortise_formats::format::{CaseStatus, Mismatch, Reconciliation};
use serde_json::{Value as Json, json};

use crate::data::data_type::Column;
use crate::data::fault::DataError;
use crate::data::value::Value;
use crate::parsers::check::{TypedBatch, shortened};
use crate::parsers::planning::CellFault;
use crate::parsers::value::{to_json, to_text};

/// The most differing cells that are shown.
const MOST_MISMATCHES: usize = 20;

/// Sums may differ by this share: both sides add in the same order, but need not add in the same way.
const SUM_TOLERANCE: f64 = 1e-9;

/// A row of the independent reading: a value per column, or why a cell is none.
pub(crate) type ExpectedRow = Vec<Result<Value, CellFault>>;

/// The independent reading: rows in order, until there are no more or reading fails.
pub(crate) type Expected = Box<dyn Iterator<Item = Result<ExpectedRow, DataError>> + Send>;

pub(crate) struct Reconciler {
    expected: Expected,
    columns: Vec<Column>,
    skip_bad_rows: bool,
    rows_expected: u64,
    rows_actual: u64,
    rejected: u64,
    left: Vec<Summary>,
    right: Vec<Summary>,
    mismatches: Vec<Mismatch>,
    differing: u64,
    broken: Option<String>,
}

impl Reconciler {
    /// Compares with `expected`, whose rows have these columns.
    pub(crate) fn new(expected: Expected, columns: &[Column]) -> Self {
        Self {
            expected,
            skip_bad_rows: false,
            rows_expected: 0,
            rows_actual: 0,
            rejected: 0,
            left: vec![Summary::default(); columns.len()],
            right: vec![Summary::default(); columns.len()],
            columns: columns.to_vec(),
            mismatches: Vec::new(),
            differing: 0,
            broken: None,
        }
    }

    /// For a parser that leaves out rows with bad cells: so does the reading.
    #[must_use]
    pub(crate) fn without_bad_rows(mut self) -> Self {
        self.skip_bad_rows = true;
        self
    }

    /// Takes the next rows of the parser.
    pub(crate) fn take(&mut self, batch: &TypedBatch) {
        for index in 0..batch.len() {
            let row = self.rows_actual + 1;
            self.rows_actual += 1;
            for (summary, column) in self.right.iter_mut().zip(&batch.columns) {
                summary.add(&column[index]);
            }
            let Some(expected) = self.next_expected() else { continue };
            for (place, expected) in expected.iter().enumerate() {
                let Some(actual) = batch.columns.get(place).map(|column| &column[index]) else { continue };
                match expected {
                    Ok(expected) if same(expected, actual) => {}
                    Ok(expected) => self.note(row, place, shown(expected), shown(actual)),
                    Err(fault) => self.note(row, place, fault.to_string().into(), shown(actual)),
                }
            }
        }
    }

    fn next_expected(&mut self) -> Option<ExpectedRow> {
        loop {
            let row = match self.expected.next()? {
                Ok(row) => row,
                Err(error) => {
                    self.broken.get_or_insert(error.to_string());
                    return None;
                }
            };
            if self.skip_bad_rows && row.iter().any(Result::is_err) {
                self.rejected += 1;
                continue;
            }
            self.rows_expected += 1;
            for (summary, value) in self.left.iter_mut().zip(&row) {
                if let Ok(value) = value {
                    summary.add(value);
                }
            }
            return Some(row);
        }
    }

    fn note(&mut self, row: u64, place: usize, expected: Json, actual: Json) {
        self.differing += 1;
        self.left[place].differs = true;
        if self.mismatches.len() < MOST_MISMATCHES {
            let column = self.columns[place].name.clone();
            self.mismatches.push(Mismatch { row, column, expected, actual });
        }
    }

    /// The verdict, after the parser's last row.
    pub(crate) fn finish(mut self) -> ReconcileFinding {
        while self.next_expected().is_some() {}
        let columns: Vec<Json> = self
            .columns
            .iter()
            .zip(self.left.iter().zip(&self.right))
            .map(|(column, (left, right))| compared(column, left, right))
            .collect();
        let cells_agree = self.differing == 0 && columns.iter().all(|column| column["status"] == "passed");
        let rows_agree = self.rows_expected == self.rows_actual && self.broken.is_none();
        let status = if cells_agree && rows_agree { CaseStatus::Passed } else { CaseStatus::Failed };
        ReconcileFinding {
            rows_agree,
            cells_agree,
            differing: self.differing,
            rejected: self.rejected,
            broken: self.broken,
            reconciliation: Reconciliation {
                status,
                rows_expected: self.rows_expected,
                rows_actual: self.rows_actual,
                columns,
                mismatches: self.mismatches,
            },
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReconcileFinding {
    /// Whether both readings have the same number of rows.
    pub(crate) rows_agree: bool,
    /// Whether all cells that were compared are equal, and the columns' sums with them.
    pub(crate) cells_agree: bool,
    pub(crate) differing: u64,
    /// Rows that the reading left out for a bad cell.
    pub(crate) rejected: u64,
    /// Why the independent reading ended early.
    pub(crate) broken: Option<String>,
    pub(crate) reconciliation: Reconciliation,
}

/// What is known of one column on one side.
#[derive(Clone, Debug, Default)]
struct Summary {
    nulls: u64,
    least: Option<Value>,
    most: Option<Value>,
    sum: Option<f64>,
    differs: bool,
}

impl Summary {
    fn add(&mut self, value: &Value) {
        match value {
            Value::Null => {
                self.nulls += 1;
                return;
            }
            #[expect(clippy::cast_precision_loss, reason = "sums are compared with a tolerance")]
            Value::Integer(number) => *self.sum.get_or_insert(0.0) += *number as f64,
            Value::Float(number) => *self.sum.get_or_insert(0.0) += number,
            _ => {}
        }
        if self.least.as_ref().is_none_or(|least| less(value, least)) {
            self.least = Some(value.clone());
        }
        if self.most.as_ref().is_none_or(|most| less(most, value)) {
            self.most = Some(value.clone());
        }
    }
}

fn compared(column: &Column, left: &Summary, right: &Summary) -> Json {
    let option = |value: &Option<Value>| value.as_ref().map(shown);
    let bounds = |left: &Option<Value>, right: &Option<Value>| match (left, right) {
        (Some(left), Some(right)) => same(left, right),
        (None, None) => true,
        _ => false,
    };
    let sums = match (left.sum, right.sum) {
        (Some(left), Some(right)) => close(left, right, SUM_TOLERANCE),
        (left, right) => left.is_none() == right.is_none(),
    };
    let agree = left.nulls == right.nulls
        && bounds(&left.least, &right.least)
        && bounds(&left.most, &right.most)
        && sums
        && !left.differs;
    let mut told = json!({
        "name": column.name,
        "data_type": column.data_type,
        "status": if agree { "passed" } else { "failed" },
        "nulls": right.nulls,
    });
    if let Json::Object(told) = &mut told {
        let facts = [
            ("min", option(&right.least)),
            ("max", option(&right.most)),
            ("sum", right.sum.filter(|sum| sum.is_finite()).map(Json::from)),
        ];
        told.extend(facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact?))));
        if !agree {
            told.insert("nulls_expected".to_owned(), left.nulls.into());
        }
    }
    told
}

/// Whether two values mean the same.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Float(left), Value::Float(right)) => close(*left, *right, f64::EPSILON),
        // The same moment, in whatever zone it was written.
        (Value::Timestamp { micros: left, .. }, Value::Timestamp { micros: right, .. }) => left == right,
        // The reader knows no bytes: they are the text in the file.
        (Value::Text(text), Value::Bytes(bytes)) => text.as_bytes() == bytes.as_slice(),
        (left, right) => left == right,
    }
}

#[expect(clippy::float_cmp, reason = "infinities are equal to themselves and to nothing near them")]
fn close(left: f64, right: f64, tolerance: f64) -> bool {
    left == right
        || (left.is_nan() && right.is_nan())
        || (left - right).abs() <= tolerance * left.abs().max(right.abs())
}

fn less(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Boolean(left), Value::Boolean(right)) => left < right,
        (Value::Integer(left), Value::Integer(right)) | (Value::Time(left), Value::Time(right)) => {
            left < right
        }
        (Value::Float(left), Value::Float(right)) => left < right,
        (Value::Date(left), Value::Date(right)) => left < right,
        (Value::Timestamp { micros: left, .. }, Value::Timestamp { micros: right, .. }) => left < right,
        (left, right) => to_text(left) < to_text(right),
    }
}

fn shown(value: &Value) -> Json {
    match to_json(value) {
        Json::String(text) => shortened(&text).into(),
        other => other,
    }
}

#[cfg(test)]
mod tests;
