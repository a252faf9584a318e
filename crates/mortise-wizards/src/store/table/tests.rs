use ::parquet::file::reader::{FileReader as _, SerializedFileReader};
use ::parquet::record::Field;

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
    let reader = SerializedFileReader::new(file.reopen().unwrap()).unwrap();
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    let fields = |row: usize| -> Vec<(String, Field)> { rows[row].clone().into_columns() };
    let named = |fields: [Field; 4]| -> Vec<(String, Field)> {
        columns().into_iter().map(|column| column.name).zip(fields).collect()
    };
    let text = Field::Str("x, \"y\"\n".to_owned());
    let full = named([Field::Int(1), text, Field::Date(0), Field::Bool(true)]);
    let empty = named([const { Field::Null }; 4]);
    assert_eq!([fields(0), fields(1), fields(2), fields(3)], [full.clone(), empty.clone(), full, empty]);
    assert_eq!((rows.len(), reader.num_row_groups()), (4, 1));
}

#[test]
fn parquet_has_every_type_and_says_which_moments_have_a_zone() {
    let column = |data_type, format: Option<&str>| Column {
        name: format!("{data_type}"),
        data_type,
        nullable: false,
        format: format.map(str::to_owned),
    };
    let mut columns: Vec<Column> = DataType::ALL.iter().map(|own| column(*own, None)).collect();
    columns
        .push(Column { name: "zoned".to_owned(), ..column(DataType::Timestamp, Some("%Y-%m-%d %H:%M%z")) });
    let moment = Value::Timestamp { micros: 1_000_000, zoned: false };
    let values = vec![
        vec![Value::Integer(i64::MAX)],
        vec![Value::Integer(-7)],
        vec![Value::Float(0.5)],
        vec![Value::Float(0.25)],
        vec![Value::Text("é".to_owned())],
        vec![Value::Boolean(false)],
        vec![Value::Date(-1)],
        vec![moment.clone()],
        vec![Value::Time(1)],
        vec![Value::Bytes(vec![0, 255])],
        vec![moment],
    ];
    let file = temporary();
    let mut writer =
        TableWriter::create(SinkKind::Parquet, file.reopen().unwrap(), file.path(), "t", &columns).unwrap();
    writer.write(&TypedBatch { first: 1, columns: values }).unwrap();
    writer.finish().unwrap();
    let reader = SerializedFileReader::new(file.reopen().unwrap()).unwrap();
    let row = reader.get_row_iter(None).unwrap().next().unwrap().unwrap();
    let fields: Vec<Field> = row.into_columns().into_iter().map(|(_, field)| field).collect();
    assert_eq!(
        fields,
        [
            Field::Long(i64::MAX),
            Field::Int(-7),
            Field::Double(0.5),
            Field::Float(0.25),
            Field::Str("é".to_owned()),
            Field::Bool(false),
            Field::Date(-1),
            Field::TimestampMicros(1_000_000),
            Field::TimeMicros(1),
            Field::Bytes(vec![0, 255].into()),
            Field::TimestampMicros(1_000_000),
        ]
    );
    let schema = reader.metadata().file_metadata().schema_descr();
    let is_in_utc = |place: usize| match schema.column(place).logical_type_ref() {
        Some(::parquet::basic::LogicalType::Timestamp(clock)) => clock.is_adjusted_to_u_t_c,
        other => panic!("{other:?}"),
    };
    assert_eq!((is_in_utc(7), is_in_utc(10)), (false, true));
}

#[test]
fn a_parquet_table_of_many_rows_has_several_groups() {
    let columns = [Column { name: "n".to_owned(), data_type: DataType::Int64, nullable: true, format: None }];
    let file = temporary();
    let mut writer =
        TableWriter::create(SinkKind::Parquet, file.reopen().unwrap(), file.path(), "t", &columns).unwrap();
    let rows = |first: i64| {
        (first..first + 600_000).map(|n| if n % 2 == 0 { Value::Integer(n) } else { Value::Null })
    };
    for first in [0, 600_000] {
        writer.write(&TypedBatch { first: 1, columns: vec![rows(first).collect()] }).unwrap();
    }
    writer.finish().unwrap();
    let reader = SerializedFileReader::new(file.reopen().unwrap()).unwrap();
    let groups: Vec<i64> = reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
    assert_eq!(groups, [1 << 20, 1_200_000 - (1 << 20)]);
    let last = reader.get_row_iter(None).unwrap().nth(1_199_998).unwrap().unwrap();
    assert_eq!(last.into_columns(), [("n".to_owned(), Field::Long(1_199_998))]);
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
