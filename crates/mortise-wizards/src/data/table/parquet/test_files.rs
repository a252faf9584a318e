//! Parquet files for tests.

use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, DataType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;

/// Writes the values of one column of one row group.
pub(crate) type WriteColumn = Box<dyn Fn(&mut SerializedColumnWriter<'_>)>;

/// A column in which every row has one value.
pub(crate) fn column<T: DataType>(values: Vec<T::T>) -> WriteColumn {
    leveled::<T>(values, None, None)
}

pub(crate) fn texts(values: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> WriteColumn {
    let values = values.into_iter().map(|value| ByteArray::from(value.into()));
    column::<ByteArrayType>(values.collect())
}

/// A column in which some rows have no value.
pub(crate) fn optional<T: DataType>(values: Vec<Option<T::T>>) -> WriteColumn {
    let levels = values.iter().map(|value| i16::from(value.is_some())).collect();
    leveled::<T>(values.into_iter().flatten().collect(), Some(levels), None)
}

pub(crate) fn leveled<T: DataType>(
    values: Vec<T::T>,
    definition: Option<Vec<i16>>,
    repetition: Option<Vec<i16>>,
) -> WriteColumn {
    Box::new(move |column| {
        let (definition, repetition) = (definition.as_deref(), repetition.as_deref());
        column.typed::<T>().write_batch(&values, definition, repetition).unwrap();
    })
}

/// A file with these fields, such as `required int64 id;`, and the columns of its row groups.
pub(crate) fn parquet_file(
    fields: &str,
    properties: WriterProperties,
    groups: &[Vec<WriteColumn>],
) -> Vec<u8> {
    let schema = parse_message_type(&format!("message m {{ {fields} }}")).unwrap();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties)).unwrap();
    for columns in groups {
        let mut group = writer.next_row_group().unwrap();
        for write in columns {
            let mut column = group.next_column().unwrap().unwrap();
            write(&mut column);
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}
