//! Rows as Parquet, by way of Arrow.

use std::fs::File;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::Compression;
use ::parquet::file::properties::WriterProperties;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Float32Array, Float64Array, Int32Array, Int64Array,
    RecordBatch, StringArray, Time64MicrosecondArray, TimestampMicrosecondArray,
};
use arrow_schema::{DataType as ArrowType, Field, Schema, TimeUnit};

use super::TableError;
use crate::data::data_type::{Column, DataType};
use crate::data::value::Value;
use crate::parsers::check::TypedBatch;

pub(super) struct Writer {
    schema: Arc<Schema>,
    types: Vec<DataType>,
    writer: ArrowWriter<File>,
}

impl Writer {
    pub(super) fn create(file: File, columns: &[Column]) -> Result<Self, TableError> {
        let field = |column: &Column| Field::new(&column.name, arrow_type(column), column.nullable);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))?;
        Ok(Self { schema, types: columns.iter().map(|column| column.data_type).collect(), writer })
    }

    pub(super) fn write(&mut self, batch: &TypedBatch) -> Result<(), TableError> {
        let zones = self.schema.fields().iter().map(|field| zone(field.data_type()));
        let arrays = self.types.iter().zip(&batch.columns).zip(zones);
        let arrays = arrays.map(|((data_type, values), zone)| array(*data_type, values, zone)).collect();
        self.writer.write(&RecordBatch::try_new(Arc::clone(&self.schema), arrays)?)?;
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), TableError> {
        self.writer.close()?;
        Ok(())
    }
}

fn arrow_type(column: &Column) -> ArrowType {
    let zoned = column.format.as_deref().is_some_and(|format| format.contains("%z"));
    match column.data_type {
        DataType::Int64 => ArrowType::Int64,
        DataType::Int32 => ArrowType::Int32,
        DataType::Float64 => ArrowType::Float64,
        DataType::Float32 => ArrowType::Float32,
        DataType::String => ArrowType::Utf8,
        DataType::Boolean => ArrowType::Boolean,
        DataType::Date => ArrowType::Date32,
        DataType::Timestamp => ArrowType::Timestamp(TimeUnit::Microsecond, zoned.then(|| "UTC".into())),
        DataType::Time => ArrowType::Time64(TimeUnit::Microsecond),
        DataType::Binary => ArrowType::Binary,
    }
}

fn zone(data_type: &ArrowType) -> Option<Arc<str>> {
    match data_type {
        ArrowType::Timestamp(_, zone) => zone.clone(),
        _ => None,
    }
}

/// The values of a column, all of its type: others were refused before.
#[expect(clippy::cast_possible_truncation, reason = "the contract was checked: the values fit")]
fn array(data_type: DataType, values: &[Value], zone: Option<Arc<str>>) -> ArrayRef {
    let integer = |value: &Value| if let Value::Integer(number) = value { Some(*number) } else { None };
    let float = |value: &Value| if let Value::Float(number) = value { Some(*number) } else { None };
    match data_type {
        DataType::Int64 => Arc::new(values.iter().map(integer).collect::<Int64Array>()),
        DataType::Int32 => Arc::new(
            values.iter().map(|value| integer(value).map(|number| number as i32)).collect::<Int32Array>(),
        ),
        DataType::Float64 => Arc::new(values.iter().map(float).collect::<Float64Array>()),
        DataType::Float32 => Arc::new(
            values.iter().map(|value| float(value).map(|number| number as f32)).collect::<Float32Array>(),
        ),
        DataType::String => Arc::new(
            values
                .iter()
                .map(|value| if let Value::Text(text) = value { Some(text.as_str()) } else { None })
                .collect::<StringArray>(),
        ),
        DataType::Boolean => Arc::new(
            values
                .iter()
                .map(|value| if let Value::Boolean(truth) = value { Some(*truth) } else { None })
                .collect::<BooleanArray>(),
        ),
        DataType::Date => Arc::new(
            values
                .iter()
                .map(|value| if let Value::Date(days) = value { Some(*days) } else { None })
                .collect::<Date32Array>(),
        ),
        DataType::Timestamp => {
            let micros = |value: &Value| match value {
                Value::Timestamp { micros, .. } => Some(*micros),
                _ => None,
            };
            Arc::new(values.iter().map(micros).collect::<TimestampMicrosecondArray>().with_timezone_opt(zone))
        }
        DataType::Time => Arc::new(
            values
                .iter()
                .map(|value| if let Value::Time(micros) = value { Some(*micros) } else { None })
                .collect::<Time64MicrosecondArray>(),
        ),
        DataType::Binary => Arc::new(
            values
                .iter()
                .map(|value| match value {
                    Value::Bytes(bytes) => Some(bytes.as_slice()),
                    Value::Text(text) => Some(text.as_bytes()),
                    _ => None,
                })
                .collect::<BinaryArray>(),
        ),
    }
}
