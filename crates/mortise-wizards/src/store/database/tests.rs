use std::fs;

use crate::data::files::Files;

use super::*;

/// What a database made with this SQL has to say.
fn opened(sql: &str, name: Option<&str>) -> Result<(Vec<String>, Vec<Vec<Value>>), DatabaseError> {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join("a.db")).unwrap().execute_batch(sql).unwrap();
    read(folder.path(), name)
}

fn read(
    folder: &std::path::Path,
    name: Option<&str>,
) -> Result<(Vec<String>, Vec<Vec<Value>>), DatabaseError> {
    let file = Files::new(&[folder.to_owned()], None).unwrap().open("a.db").unwrap();
    assert!(is_database(&file).unwrap());
    let table = DatabaseTable::open(&file, name, &CancellationToken::new())?;
    let mut rows = Vec::new();
    table.rows(|row| {
        rows.push(row);
        rows.len() < 3
    })?;
    Ok((table.columns().to_vec(), rows))
}

#[test]
fn rows_come_with_their_types_until_no_more_are_wanted() {
    let sql = "CREATE TABLE \"odd \"\" name\" (a, b, c, d, e);
               INSERT INTO \"odd \"\" name\" VALUES (1, 2.5, 'x', x'00ff', NULL), (2, 0, '', NULL, 1), (3, 0, 0, 0, 0), (4, 0, 0, 0, 0)";
    let (columns, rows) = opened(sql, Some("ODD \" name")).unwrap();
    assert_eq!(columns, ["a", "b", "c", "d", "e"]);
    assert_eq!(rows.len(), 3);
    let first = [
        Value::Integer(1),
        Value::Float(2.5),
        Value::Text("x".to_owned()),
        Value::Bytes(vec![0, 255]),
        Value::Null,
    ];
    assert_eq!(rows[0], first);
}

#[test]
fn columns_that_are_worked_out_on_reading_are_left_out() {
    let sql = "CREATE TABLE t (a, b AS (hex(a)) VIRTUAL, c AS (a + 1) STORED); INSERT INTO t VALUES (1)";
    let (columns, rows) = opened(sql, None).unwrap();
    assert_eq!(columns, ["a", "c"]);
    assert_eq!(rows, [[Value::Integer(1), Value::Integer(2)]]);
}

#[test]
fn rows_with_more_than_the_file_has_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let text = "x".repeat(10_000);
    let insert = format!("CREATE TABLE t (a); INSERT INTO t VALUES ('{text}')");
    Connection::open(folder.path().join("a.db")).unwrap().execute_batch(&insert).unwrap();
    let file = Files::new(&[folder.path().to_owned()], None).unwrap().open("a.db").unwrap();
    let mut table = DatabaseTable::open(&file, None, &CancellationToken::new()).unwrap();
    table.rows(|_| true).unwrap();
    table.bytes = 9_999;
    assert!(matches!(table.rows(|_| true), Err(DatabaseError::Overlapping)));
}

#[test]
fn rows_that_nobody_waits_for_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let sql = "CREATE TABLE t (x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) \
               INSERT INTO t SELECT i FROM n";
    Connection::open(folder.path().join("a.db")).unwrap().execute_batch(sql).unwrap();
    let file = Files::new(&[folder.path().to_owned()], None).unwrap().open("a.db").unwrap();
    let stop = CancellationToken::new();
    let table = DatabaseTable::open(&file, None, &stop).unwrap();
    let mut rows = 0;
    let read = table.rows(|_| {
        rows += 1;
        stop.cancel();
        true
    });
    assert!(matches!(read, Err(DatabaseError::Unreadable(_))), "{read:?}");
    assert!(rows < 50_000, "{rows}");
}

#[test]
fn one_of_several_tables_must_be_named() {
    let sql = "CREATE TABLE b (x); CREATE TABLE a (y); INSERT INTO b VALUES (7); CREATE VIEW v AS SELECT 1";
    let error = opened(sql, None).unwrap_err();
    assert!(matches!(&error, DatabaseError::Several { tables } if *tables == ["a", "b"]), "{error}");
    assert_eq!(opened(sql, Some("b")).unwrap().1, [[Value::Integer(7)]]);
    let error = opened(sql, Some("v")).unwrap_err();
    assert!(
        matches!(&error, DatabaseError::NoSuchTable { name, tables } if name == "v" && *tables == ["a", "b"]),
        "{error}"
    );
    // Another table is not given instead, even where there is only one.
    let error = opened("CREATE TABLE orders (x)", Some("order")).unwrap_err();
    assert_eq!(error.to_string(), "the database has no table `order`");
    assert!(matches!(opened("CREATE VIEW v AS SELECT 1", None), Err(DatabaseError::Empty)));
}

#[test]
fn a_damaged_database_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let sql = "CREATE TABLE t (x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) \
               INSERT INTO t SELECT i FROM n";
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let whole = fs::read(&path).unwrap();
    for cut in [16, 100, 512, 4096, whole.len() / 2] {
        fs::write(&path, &whole[..cut]).unwrap();
        let _ = read(folder.path(), None).map(|(columns, _)| assert_eq!(columns, ["x"], "{cut}"));
    }
    let mut garbled = whole;
    garbled[100..].fill(0xa5);
    fs::write(&path, garbled).unwrap();
    assert!(matches!(read(folder.path(), None), Err(DatabaseError::Unreadable(_))));
}
