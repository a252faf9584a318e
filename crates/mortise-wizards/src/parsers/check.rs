//! Whether rows are what a contract says: names, types, nulls.

use mortise_contract::text::cut;

use crate::data::data_type::{Column, DataType};
use crate::data::value::Value;
use crate::parsers::batch::{Batch, PythonCell};

/// Rows with their types, column by column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TypedBatch {
    /// The number of the first row, from 1.
    pub(crate) first: u64,
    /// The values, per column.
    pub(crate) columns: Vec<Vec<Value>>,
}

impl TypedBatch {
    pub(crate) fn len(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// How rows break a contract.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Breach {
    /// Other columns, or another order.
    #[error("the rows have the columns {}, the contract has {}", listed(actual), listed(expected))]
    Names { expected: Vec<String>, actual: Vec<String> },
    /// A column with a name that is kept for the origin of rows.
    #[error("the column `{column}` begins with `_cf_`, which names columns about the origin of rows")]
    Reserved { column: String },
    /// A value of another type.
    #[error("row {row}, column `{column}`: the value is {class}, the column holds {expected}")]
    Type {
        /// The row, from 1.
        row: u64,
        column: String,
        expected: DataType,
        /// What came, as Python names the class.
        class: String,
    },
    /// No value where there must be one.
    #[error("row {row}, column `{column}`: there is no value, and the contract wants one")]
    Null {
        /// The row, from 1.
        row: u64,
        column: String,
    },
}

fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(20).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > 20 { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// The typed values of a batch, or the first breach of the contract.
pub(crate) fn typed(batch: &Batch, columns: &[Column]) -> Result<TypedBatch, Breach> {
    if !batch.names.iter().eq(columns.iter().map(|column| &column.name)) {
        return Err(Breach::Names {
            expected: columns.iter().map(|column| column.name.clone()).collect(),
            actual: batch.names.clone(),
        });
    }
    if let Some(column) = batch.names.iter().find(|name| name.starts_with("_cf_")) {
        return Err(Breach::Reserved { column: shortened(column) });
    }
    let mut all = Vec::with_capacity(columns.len());
    for ((column, cells), kinds) in columns.iter().zip(&batch.columns).zip(&batch.kinds) {
        let mut values = Vec::with_capacity(cells.len());
        for (row, cell) in (batch.first..).zip(cells) {
            let value = cell.typed(column.data_type, kinds).map_err(|error| Breach::Type {
                row,
                column: column.name.clone(),
                expected: column.data_type,
                class: error.class,
            })?;
            if matches!(value, Value::Null) && !column.nullable {
                return Err(Breach::Null { row, column: column.name.clone() });
            }
            values.push(value);
        }
        all.push(values);
    }
    Ok(TypedBatch { first: batch.first, columns: all })
}

/// The type that values of these classes have; none if no value is there.
pub(crate) fn type_of(kinds: &[String]) -> Option<DataType> {
    let classes: Vec<&str> = kinds.iter().map(String::as_str).filter(|kind| *kind != "NoneType").collect();
    Some(match classes.as_slice() {
        [] => return None,
        ["int"] => DataType::Int64,
        ["float"] | ["float", "int"] | ["Decimal"] | ["Decimal", "int"] => DataType::Float64,
        ["bool"] => DataType::Boolean,
        ["date"] => DataType::Date,
        ["datetime"] => DataType::Timestamp,
        ["time"] => DataType::Time,
        ["bytes"] | ["bytearray"] => DataType::Binary,
        _ => DataType::String,
    })
}

/// The first rows of a batch as JSON objects, for people to look at.
pub(crate) fn preview(batch: &Batch, rows: usize) -> Vec<serde_json::Value> {
    let json = |cell: &PythonCell| match cell {
        PythonCell::Null => serde_json::Value::Null,
        PythonCell::Bool(value) => (*value).into(),
        PythonCell::Int(value) => (*value).into(),
        PythonCell::Float(value) => (*value).into(),
        PythonCell::Text(text) => shortened(text).into(),
    };
    let row = |index: usize| {
        let members = batch.names.iter().zip(&batch.columns);
        let members = members
            .map(|(name, column)| (name.clone(), column.get(index).map_or_else(Default::default, json)));
        serde_json::Value::Object(members.collect())
    };
    (0..batch.len().min(rows)).map(row).collect()
}

/// A name or value as an answer shows it.
pub(crate) fn shortened(text: &str) -> String {
    cut(text, 200)
}

#[cfg(test)]
mod tests;
