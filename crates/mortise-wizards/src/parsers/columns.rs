//! The columns of a parser's rows: those of a contract, or those that the rows themselves tell.

use crate::data::data_type::{Column, DataType};
use crate::parsers::batch::Batch;
use crate::parsers::check::{self, Breach, TypedBatch};

/// The columns of a parser's rows, as far as they are known.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// None before the first rows.
    known: Option<Vec<Column>>,
    /// Columns for which no value has shown a type so far, in order; empty with a contract.
    open: Vec<bool>,
    /// The types of columns, as the parser declares them.
    hints: Vec<Column>,
}

impl Columns {
    /// The columns of a contract, which rows must meet.
    pub(crate) fn of_contract(columns: Vec<Column>) -> Self {
        Self { known: Some(columns), open: Vec::new(), hints: Vec::new() }
    }

    /// Columns as the rows have them: by the classes of their values, all of which may be missing. Hints tell the
    /// types of those that begin without values.
    pub(crate) fn of_rows(hints: &[Column]) -> Self {
        Self { known: None, open: Vec::new(), hints: hints.to_vec() }
    }

    /// The columns; none before the first rows, unless there is a contract.
    pub(crate) fn known(&self) -> Option<&[Column]> {
        self.known.as_deref()
    }

    /// Whether no value of a column has shown its type so far.
    pub(crate) fn are_open(&self) -> bool {
        self.open.contains(&true)
    }

    /// Takes columns that had no values for text: what comes later must be text.
    pub(crate) fn close(&mut self) {
        self.open.clear();
    }

    /// The typed values of the next rows, or how they are not what the columns hold.
    pub(crate) fn typed(&mut self, batch: &Batch) -> Result<TypedBatch, Breach> {
        match &mut self.known {
            Some(known) => {
                for ((column, open), kinds) in known.iter_mut().zip(&mut self.open).zip(&batch.kinds) {
                    if let (true, Some(data_type)) = (*open, check::type_of(kinds)) {
                        (column.data_type, *open) = (data_type, false);
                    }
                }
            }
            None => {
                let columns = batch.names.iter().zip(&batch.kinds);
                let columns = columns.map(|(name, kinds)| first(name, kinds, &self.hints));
                let (known, open): (Vec<Column>, Vec<bool>) = columns.unzip();
                self.open = open;
                self.known = Some(known);
            }
        }
        check::typed(batch, self.known().unwrap_or_default())
    }
}

/// A column by its first values, and whether its type is still open.
fn first(name: &str, kinds: &[String], hints: &[Column]) -> (Column, bool) {
    let told = check::type_of(kinds);
    let hint = hints.iter().find(|hint| hint.name == name);
    match hint.filter(|hint| told.is_none_or(|told| is_within(told, hint.data_type))) {
        Some(hint) => (Column { nullable: true, ..hint.clone() }, false),
        None => {
            let data_type = told.unwrap_or(DataType::String);
            (Column { name: name.to_owned(), data_type, nullable: true, format: None }, told.is_none())
        }
    }
}

/// Whether values of a class may be those of a column that is said to hold `wanted`.
fn is_within(told: DataType, wanted: DataType) -> bool {
    use DataType::{Float32, Float64, Int32, Int64};
    told == wanted || matches!((told, wanted), (Int64, Int32 | Float64 | Float32) | (Float64, Float32))
}

#[cfg(test)]
mod tests;
