//! Tables in Parquet files, whose footer names columns and types.

mod header;
mod pages;
#[cfg(test)]
pub(crate) mod test_files;
mod weight;

use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use chrono::{DateTime, NaiveDate};
use mortise_contract::text::hex;
use parquet::basic::{Compression, ConvertedType, LogicalType, TimeUnit, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::FileReader as _;
use parquet::record::Field;
use parquet::record::reader::RowIter;
use parquet::schema::types::Type;
use serde_json::{Map, Value};

use self::pages::BoundedFile;
pub use self::pages::Oversized;
use super::{DataSource, FileFormat, Row, Table, mismatch, too_wide};
use crate::data::bounds::{FOOTER_BYTES, RECORD_BYTES};
use crate::data::data_type::DataType;
use crate::data::fault::DataError;
use crate::data::infer::CellKind;

/// What a Parquet file says about a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParquetColumn {
    pub data_type: DataType,
    /// Whether the schema allows that values are missing.
    pub nullable: bool,
    /// How many values are missing, if the file says so.
    pub nulls: Option<u64>,
    /// What is lost: decimals and nested values become text.
    pub loss: Option<&'static str>,
    longs: Longs,
}

/// What whole numbers are where the reader of rows does not say: it knows no nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Longs {
    Numbers,
    Moments,
    Times,
}

const PARQUET: &str = "Parquet file";
/// Digits of a decimal. As text each has all of them, whatever it takes in the file.
const DECIMAL_DIGITS: i32 = 1000;
/// Bytes of a decimal of [`DECIMAL_DIGITS`] digits. A longer one is shown as bytes, since it takes long to write as digits.
const DECIMAL_BYTES: usize = 512;

pub(super) fn open(source: DataSource) -> Result<Table, DataError> {
    let file = bounded(&source)?;
    let metadata = file.metadata();
    readable(&source, metadata)?;
    let fields = metadata.file_metadata().schema_descr().root_schema().get_fields().to_vec();
    too_wide(&source, fields.len())?;
    let mut leaf = 0;
    let mut schema = Vec::new();
    for field in &fields {
        let (data_type, loss) = data_type(field);
        let leaves = count_leaves(field);
        let nulls = match leaves {
            1 => metadata
                .row_groups()
                .iter()
                .map(|group| group.column(leaf).statistics()?.null_count_opt())
                .sum(),
            _ => None,
        };
        leaf += leaves;
        let (nullable, longs) = (field.is_optional(), longs(field));
        schema.push(ParquetColumn { data_type, nullable, nulls, loss, longs });
    }
    let header: Vec<String> = fields.iter().map(|field| field.name().to_owned()).collect();
    Ok(Table {
        format: FileFormat::Parquet,
        dialect: None,
        columns: super::usable_names(&header, header.len()),
        header,
        schema,
        preamble: Vec::new(),
        regularity: 1.0,
        source,
    })
}

fn bounded(source: &DataSource) -> Result<BoundedFile, DataError> {
    let shown = source.shown();
    let failed = |error| DataError::read(shown, 0, error);
    let file = source.file().again()?;
    // The length of the footer stands before the last four bytes.
    let mut length = [0; 4];
    let size = source.file().size();
    if size < 12 {
        return Err(mismatch(source, PARQUET, "it is too short"));
    }
    file.starting_at(size - 8).read_exact(&mut length).map_err(failed)?;
    if u64::from(u32::from_le_bytes(length)) > FOOTER_BYTES.min(size) {
        return Err(mismatch(source, PARQUET, "its footer is larger than it can be"));
    }
    let metadata = guarded(|| ParquetMetaDataReader::new().parse_and_finish(&file));
    let metadata = metadata.map_err(|error| mismatch(source, PARQUET, error.to_string()))?;
    Ok(BoundedFile::new(file, metadata))
}

/// Refuses what the reader of rows has no code for, instead of meeting it in the middle, and codecs whose decoder
/// ignores the size that a page declares: gzip and Brotli go on until memory ends.
fn readable(source: &DataSource, metadata: &ParquetMetaData) -> Result<(), DataError> {
    let unsupported = |kind: String| Err(DataError::Unsupported { path: source.shown().to_owned(), kind });
    let chunks = metadata.row_groups().iter().flat_map(|group| group.columns());
    for codec in chunks.map(|chunk| chunk.compression()) {
        let is_read = matches!(codec, Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::ZSTD(_));
        if !is_read {
            let name = codec.to_string();
            let name = name.split('(').next().unwrap_or_default();
            return unsupported(format!("a Parquet file compressed with {name}"));
        }
    }
    for column in metadata.file_metadata().schema_descr().columns() {
        let name = column.path().string();
        if column.converted_type() == ConvertedType::INTERVAL {
            return unsupported(format!("a Parquet file with intervals in `{name}`"));
        }
        if column.type_precision() > DECIMAL_DIGITS {
            let digits = column.type_precision();
            return unsupported(format!("a Parquet file with decimals of {digits} digits in `{name}`"));
        }
    }
    Ok(())
}

/// Runs the library on untrusted bytes. A panic becomes an error: for the caller the file is damaged.
fn guarded<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    let damaged = |_| Err(ParquetError::General("it is damaged".to_owned()));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(damaged)
}

fn count_leaves(field: &Type) -> usize {
    match field.is_group() {
        true => field.get_fields().iter().map(|inner| count_leaves(inner)).sum(),
        false => 1,
    }
}

fn longs(field: &Type) -> Longs {
    match field.get_basic_info().logical_type_ref() {
        Some(LogicalType::Timestamp(clock)) if clock.unit == TimeUnit::NANOS => Longs::Moments,
        Some(LogicalType::Time(clock)) if clock.unit == TimeUnit::NANOS => Longs::Times,
        _ => Longs::Numbers,
    }
}

/// A row in which nanoseconds are microseconds, which the reader of rows knows.
fn in_micros(record: parquet::record::Row, longs: &[Longs]) -> parquet::record::Row {
    if longs.iter().all(|longs| *longs == Longs::Numbers) {
        return record;
    }
    let mut fields = record.into_columns();
    for ((_, field), longs) in fields.iter_mut().zip(longs) {
        match (&*field, longs) {
            (Field::Long(nanos), Longs::Moments) => *field = Field::TimestampMicros(nanos.div_euclid(1000)),
            (Field::Long(nanos), Longs::Times) => *field = Field::TimeMicros(nanos.div_euclid(1000)),
            _ => {}
        }
    }
    parquet::record::Row::new(fields)
}

fn data_type(field: &Type) -> (DataType, Option<&'static str>) {
    if field.is_group()
        || field.get_basic_info().has_repetition()
            && field.get_basic_info().repetition() == parquet::basic::Repetition::REPEATED
    {
        return (DataType::String, Some("nested values are given as JSON text"));
    }
    let info = field.get_basic_info();
    let decimal = (DataType::String, Some("decimals are given as text, so that no digit is lost"));
    let plain = |data_type| (data_type, None);
    match (info.logical_type_ref(), info.converted_type(), field.get_physical_type()) {
        (Some(LogicalType::Decimal { .. }), _, _) | (_, ConvertedType::DECIMAL, _) => decimal,
        (Some(LogicalType::Date), _, _) | (_, ConvertedType::DATE, _) => plain(DataType::Date),
        (Some(LogicalType::Time(clock)), _, _) if clock.unit == TimeUnit::NANOS => {
            (DataType::Time, Some("times are given to the microsecond"))
        }
        (Some(LogicalType::Timestamp(clock)), _, _) if clock.unit == TimeUnit::NANOS => {
            (DataType::Timestamp, Some("moments are given to the microsecond"))
        }
        (_, _, PhysicalType::INT96) => {
            (DataType::Timestamp, Some("moments of 96 bits are given to the millisecond"))
        }
        (Some(LogicalType::Time { .. }), _, _)
        | (_, ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS, _) => plain(DataType::Time),
        (Some(LogicalType::Timestamp { .. }), _, _)
        | (_, ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS, _) => {
            plain(DataType::Timestamp)
        }
        (Some(LogicalType::Float16), _, _) => plain(DataType::Float32),
        (_, ConvertedType::UINT_64, _) => {
            (DataType::String, Some("unsigned numbers of 64 bits are given as text"))
        }
        (_, _, PhysicalType::BOOLEAN) => plain(DataType::Boolean),
        (_, ConvertedType::UINT_32, _) | (_, _, PhysicalType::INT64) => plain(DataType::Int64),
        (_, _, PhysicalType::INT32) => plain(DataType::Int32),
        (_, _, PhysicalType::FLOAT) => plain(DataType::Float32),
        (_, _, PhysicalType::DOUBLE) => plain(DataType::Float64),
        (Some(LogicalType::String | LogicalType::Json | LogicalType::Enum), _, _)
        | (_, ConvertedType::UTF8 | ConvertedType::JSON | ConvertedType::ENUM, _) => plain(DataType::String),
        _ => plain(DataType::Binary),
    }
}

pub(super) fn rows(table: &Table) -> Result<ParquetRows, DataError> {
    Ok(ParquetRows {
        rows: Some(bounded(&table.source)?.rows()),
        path: table.shown().to_owned(),
        width: table.columns.len(),
        longs: table.schema.iter().map(|column| column.longs).collect(),
    })
}

pub(super) struct ParquetRows {
    /// None after a failure: what state it has then is not known.
    rows: Option<RowIter<'static>>,
    path: String,
    width: usize,
    longs: Vec<Longs>,
}

impl ParquetRows {
    pub(super) fn read(&mut self, row: &mut Row, before: u64) -> Result<bool, DataError> {
        row.clear(self.width);
        let failed = |error: ParquetError| match Oversized::behind(&error) {
            Some(oversized) => {
                DataError::Oversized { path: self.path.clone(), oversized: Box::new(oversized.clone()) }
            }
            None => DataError::Mismatch {
                path: self.path.clone(),
                format: PARQUET,
                reason: format!("row {}: {error}", before + 1),
            },
        };
        let Some(rows) = &mut self.rows else { return Ok(false) };
        let record = match guarded(|| rows.next().transpose()) {
            Ok(Some(record)) => in_micros(record, &self.longs),
            Ok(None) => return Ok(false),
            Err(error) => {
                self.rows = None;
                return Err(failed(error));
            }
        };
        let mut bytes = 0;
        for (_, field) in record.get_column_iter() {
            let cell = cell(field);
            bytes += match field {
                // They are written with two digits each.
                Field::Bytes(data) => data.len() as u64,
                _ => cell.as_ref().map_or(0, |(text, _)| text.len() as u64),
            };
            if bytes > RECORD_BYTES {
                self.rows = None;
                return Err(DataError::LongRecord { path: self.path.clone(), row: before });
            }
            row.push(cell.as_ref().map(|(text, kind)| (text.as_str(), *kind)));
        }
        Ok(true)
    }
}

fn cell(field: &Field) -> Option<(String, CellKind)> {
    let number = |text: String| Some((text, CellKind::Number));
    match field {
        Field::Null => None,
        Field::Bool(value) => Some((value.to_string(), CellKind::Boolean)),
        Field::Byte(value) => number(value.to_string()),
        Field::Short(value) => number(value.to_string()),
        Field::Int(value) => number(value.to_string()),
        Field::Long(value) => number(value.to_string()),
        Field::UByte(value) => number(value.to_string()),
        Field::UShort(value) => number(value.to_string()),
        Field::UInt(value) => number(value.to_string()),
        Field::ULong(value) => number(value.to_string()),
        Field::Float16(value) => number(decimal(value.to_f32(), f64::from(value.to_f32()))),
        Field::Float(value) => number(decimal(value, f64::from(*value))),
        Field::Double(value) => number(decimal(value, *value)),
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => {
            Some((json(field).to_string(), CellKind::Nested))
        }
        other => Some((text(other), CellKind::Text)),
    }
}

/// A number that is whole and small enough to be exact without a point, since programs keep integers like that where
/// some are missing; any other with one or with an exponent, so that it is not taken for one whose digits all count.
fn decimal(shown: impl std::fmt::Display + std::fmt::Debug, value: f64) -> String {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT { format!("{shown}") } else { format!("{shown:?}") }
}

fn text(field: &Field) -> String {
    match field {
        Field::Str(text) => text.clone(),
        Field::Bytes(bytes) => hex(bytes.data()),
        Field::Decimal(decimal) if decimal.data().len() > DECIMAL_BYTES => hex(decimal.data()),
        Field::Date(days) => {
            NaiveDate::from_epoch_days(*days).map_or_else(|| days.to_string(), |day| day.to_string())
        }
        Field::TimestampMillis(millis) => moment(millis.checked_mul(1000)),
        Field::TimestampMicros(micros) => moment(Some(*micros)),
        Field::TimeMillis(millis) => time(i64::from(*millis) * 1000),
        Field::TimeMicros(micros) => time(*micros),
        other => other.to_string(),
    }
}

fn moment(micros: Option<i64>) -> String {
    let moment = micros.and_then(DateTime::from_timestamp_micros);
    moment.map_or_else(String::new, |moment| moment.naive_utc().format("%Y-%m-%dT%H:%M:%S%.6f").to_string())
}

fn time(micros: i64) -> String {
    let (seconds, rest) = (micros / 1_000_000, micros % 1_000_000);
    format!("{:02}:{:02}:{:02}.{rest:06}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn json(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Bool(value) => Value::Bool(*value),
        Field::Group(row) => {
            let members = row.get_column_iter().map(|(name, field)| (name.clone(), json(field)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        Field::ListInternal(list) => Value::Array(list.elements().iter().map(json).collect()),
        Field::MapInternal(map) => {
            let members = map.entries().iter().map(|(key, value)| (text(key), json(value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        other => match cell(other) {
            Some((text, CellKind::Number)) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            Some((text, _)) => Value::String(text),
            None => Value::Null,
        },
    }
}
