//! Rows as CSV with a header; no value is an empty cell.

use std::fs::File;

use super::TableError;
use crate::data::data_type::Column;
use crate::parsers::check::TypedBatch;
use crate::parsers::value::to_text;

pub(super) struct CsvTableWriter(csv::Writer<File>);

impl CsvTableWriter {
    pub(super) fn create(file: File, columns: &[Column]) -> Result<Self, TableError> {
        let mut writer = csv::Writer::from_writer(file);
        writer.write_record(columns.iter().map(|column| &column.name))?;
        Ok(Self(writer))
    }

    pub(super) fn write(&mut self, batch: &TypedBatch) -> Result<(), TableError> {
        for row in 0..batch.len() {
            for column in &batch.columns {
                self.0.write_field(to_text(&column[row]))?;
            }
            self.0.write_record(None::<&[u8]>)?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), TableError> {
        self.0.flush()?;
        Ok(())
    }
}
