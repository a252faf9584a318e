//! Rows as Parquet. Values are held until their row group is full, since its columns are written one after another.

use std::fs::File;
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType as ParquetType, DoubleType, FloatType, Int32Type, Int64Type,
};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::Type;

use super::TableError;
use crate::data::data_type::{Column, DataType};
use crate::data::value::Value;
use crate::parsers::check::TypedBatch;

/// Rows of a row group at most.
const GROUP_ROWS: usize = 1 << 20;
/// Bytes of values after which a row group is written.
const GROUP_BYTES: usize = 128 << 20;

pub(super) struct ParquetTableWriter {
    writer: SerializedFileWriter<File>,
    columns: Vec<ColumnBuffer>,
    rows: usize,
    bytes: usize,
}

impl ParquetTableWriter {
    pub(super) fn create(file: File, columns: &[Column]) -> Result<Self, TableError> {
        let fields = columns.iter().map(|column| field(column).map(Arc::new));
        let fields = fields.collect::<Result<Vec<_>, _>>()?;
        let schema = Type::group_type_builder("schema").with_fields(fields).build()?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
        let columns = columns.iter().map(ColumnBuffer::new).collect();
        Ok(Self { writer, columns, rows: 0, bytes: 0 })
    }

    pub(super) fn write(&mut self, batch: &TypedBatch) -> Result<(), TableError> {
        for row in 0..batch.len() {
            let values = self.columns.iter_mut().zip(&batch.columns);
            self.bytes += values.map(|(column, values)| column.push(&values[row])).sum::<usize>();
            self.rows += 1;
            if self.rows >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
                self.write_group()?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), TableError> {
        self.write_group()?;
        self.writer.close()?;
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), TableError> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for buffer in &mut self.columns {
            let Some(mut column) = group.next_column()? else { break };
            buffer.write(&mut column)?;
            column.close()?;
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

fn field(column: &Column) -> Result<Type, ParquetError> {
    let zoned = column.format.as_deref().is_some_and(|format| format.contains("%z"));
    let (physical, logical) = match column.data_type {
        DataType::Int64 => (PhysicalType::INT64, None),
        DataType::Int32 => (PhysicalType::INT32, None),
        DataType::Float64 => (PhysicalType::DOUBLE, None),
        DataType::Float32 => (PhysicalType::FLOAT, None),
        DataType::String => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        DataType::Boolean => (PhysicalType::BOOLEAN, None),
        DataType::Date => (PhysicalType::INT32, Some(LogicalType::Date)),
        DataType::Timestamp => (PhysicalType::INT64, Some(LogicalType::timestamp(zoned, TimeUnit::MICROS))),
        DataType::Time => (PhysicalType::INT64, Some(LogicalType::time(false, TimeUnit::MICROS))),
        DataType::Binary => (PhysicalType::BYTE_ARRAY, None),
    };
    let repetition = if column.nullable { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let builder = Type::primitive_type_builder(&column.name, physical);
    builder.with_repetition(repetition).with_logical_type(logical).build()
}

/// The values of a column in the row group that is being filled.
struct ColumnBuffer {
    values: ColumnValues,
    /// For each row of a nullable column 1, or 0 where the value is missing.
    levels: Option<Vec<i16>>,
}

enum ColumnValues {
    Boolean(Vec<bool>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Bytes(Vec<ByteArray>),
}

impl ColumnBuffer {
    fn new(column: &Column) -> Self {
        let values = match column.data_type {
            DataType::Boolean => ColumnValues::Boolean(Vec::new()),
            DataType::Int32 | DataType::Date => ColumnValues::Int32(Vec::new()),
            DataType::Int64 | DataType::Timestamp | DataType::Time => ColumnValues::Int64(Vec::new()),
            DataType::Float32 => ColumnValues::Float(Vec::new()),
            DataType::Float64 => ColumnValues::Double(Vec::new()),
            DataType::String | DataType::Binary => ColumnValues::Bytes(Vec::new()),
        };
        Self { values, levels: column.nullable.then(Vec::new) }
    }

    /// Adds the value of the next row, and returns the bytes that it takes. Values of other types than the column's
    /// were refused before.
    #[expect(clippy::cast_possible_truncation, reason = "the contract was checked: the values fit")]
    fn push(&mut self, value: &Value) -> usize {
        let bytes = match (&mut self.values, value) {
            (ColumnValues::Boolean(values), Value::Boolean(truth)) => keep(values, *truth),
            (ColumnValues::Int32(values), Value::Integer(number)) => keep(values, *number as i32),
            (ColumnValues::Int32(values), Value::Date(days)) => keep(values, *days),
            (
                ColumnValues::Int64(values),
                Value::Integer(number) | Value::Time(number) | Value::Timestamp { micros: number, .. },
            ) => keep(values, *number),
            (ColumnValues::Float(values), Value::Float(number)) => keep(values, *number as f32),
            (ColumnValues::Double(values), Value::Float(number)) => keep(values, *number),
            (ColumnValues::Bytes(values), Value::Text(text)) => {
                keep(values, ByteArray::from(text.as_str())) + text.len()
            }
            (ColumnValues::Bytes(values), Value::Bytes(bytes)) => {
                keep(values, ByteArray::from(bytes.clone())) + bytes.len()
            }
            _ => 0,
        };
        if let Some(levels) = &mut self.levels {
            levels.push(i16::from(bytes > 0));
        }
        bytes
    }

    fn write(&mut self, column: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let levels = self.levels.as_deref();
        match &mut self.values {
            ColumnValues::Boolean(values) => write_values::<BoolType>(column, values, levels),
            ColumnValues::Int32(values) => write_values::<Int32Type>(column, values, levels),
            ColumnValues::Int64(values) => write_values::<Int64Type>(column, values, levels),
            ColumnValues::Float(values) => write_values::<FloatType>(column, values, levels),
            ColumnValues::Double(values) => write_values::<DoubleType>(column, values, levels),
            ColumnValues::Bytes(values) => write_values::<ByteArrayType>(column, values, levels),
        }?;
        if let Some(levels) = &mut self.levels {
            levels.clear();
        }
        Ok(())
    }
}

/// Adds a value, and returns its size without what it points to.
fn keep<T>(values: &mut Vec<T>, value: T) -> usize {
    values.push(value);
    size_of::<T>()
}

fn write_values<T: ParquetType>(
    column: &mut SerializedColumnWriter<'_>,
    values: &mut Vec<T::T>,
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    column.typed::<T>().write_batch(values, levels, None)?;
    values.clear();
    Ok(())
}
