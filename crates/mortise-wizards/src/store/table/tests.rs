use arrow_array::cast::AsArray as _;
use arrow_array::types::{Date32Type, Int32Type};

use super::*;
use crate::data::data_type::DataType;
use crate::data::value::Value;

fn columns() -> Vec<Column> {
    let column =
        |name: &str, data_type| Column { name: name.to_owned(), data_type, nullable: true, format: None };
    vec![
        column("id", DataType::Int32),
        column("a \"b\"\n", DataType::String),
        column("day", DataType::Date),
        column("ok", DataType::Boolean),
    ]
}

fn batch() -> TypedBatch {
    TypedBatch {
        first: 1,
        columns: vec![
            vec![Value::Integer(1), Value::Null],
            vec![Value::Text("x, \"y\"\n".to_owned()), Value::Null],
            vec![Value::Date(0), Value::Null],
            vec![Value::Boolean(true), Value::Null],
        ],
    }
}

/// A file in the folder for temporary files, which is itself behind a link on some systems: databases are opened by
/// paths without one.
fn temporary() -> tempfile::NamedTempFile {
    let folder = std::env::temp_dir().canonicalize().unwrap();
    tempfile::NamedTempFile::new_in(folder).unwrap()
}

fn written(kind: SinkKind) -> tempfile::NamedTempFile {
    let file = temporary();
    let mut writer =
        TableWriter::create(kind, file.reopen().unwrap(), file.path(), "tab\"le", &columns()).unwrap();
    writer.write(&batch()).unwrap();
    writer.write(&batch()).unwrap();
    writer.finish().unwrap();
    file
}

#[test]
fn parquet_keeps_types_and_nulls() {
    let file = written(SinkKind::Parquet);
    let reader =
        ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file.reopen().unwrap())
            .unwrap()
            .build()
            .unwrap();
    let batches: Vec<_> = reader.map(Result::unwrap).collect();
    assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 4);
    assert_eq!(batches[0].column(0).as_primitive::<Int32Type>().value(0), 1);
    assert_eq!(batches[0].column(2).as_primitive::<Date32Type>().value(0), 0);
    assert_eq!(batches[0].column(1).null_count(), 2);
    assert_eq!(batches[0].schema().field(1).name(), "a \"b\"\n");
}

#[test]
fn sqlite_has_the_table_under_its_name() {
    let file = written(SinkKind::Sqlite);
    let connection = rusqlite::Connection::open(file.path()).unwrap();
    let read = |row: &rusqlite::Row<'_>| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
    };
    let first = connection.query_row("SELECT * FROM \"tab\"\"le\" LIMIT 1", [], read).unwrap();
    assert_eq!(first, (1, "x, \"y\"\n".to_owned(), "1970-01-01".to_owned()));
}

#[test]
fn csv_quotes_what_needs_it() {
    let file = written(SinkKind::Csv);
    let text = std::fs::read_to_string(file.path()).unwrap();
    let half = "1,\"x, \"\"y\"\"\n\",1970-01-01,true\n,,,\n";
    assert_eq!(text, format!("id,\"a \"\"b\"\"\n\",day,ok\n{half}{half}"));
}

#[test]
fn a_database_in_the_place_of_the_file_is_left_alone() {
    let theirs = written(SinkKind::Sqlite);
    let before = std::fs::read(theirs.path()).unwrap();
    let ours = || tempfile::tempfile().unwrap();
    let begun = |path: &Path| TableWriter::create(SinkKind::Sqlite, ours(), path, "t", &columns());
    assert!(matches!(begun(theirs.path()), Err(TableError::Replaced)));
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().canonicalize().unwrap().join("link.db");
    std::os::unix::fs::symlink(theirs.path(), &link).unwrap();
    assert!(matches!(begun(&link), Err(TableError::Sqlite(_))));
    assert_eq!(std::fs::read(theirs.path()).unwrap(), before);
    // Another empty file is found out in the end: the rows are not in ours.
    let empty = temporary();
    assert!(matches!(begun(empty.path()).unwrap().finish(), Err(TableError::Replaced)));
}
