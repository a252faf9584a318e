use std::fs;
use std::path::Path;

use crate::data::files::DataFiles;

use super::*;

fn opened(folder: &Path) -> Result<OpenDatabase, DatabaseError> {
    let file = DataFiles::new(&[folder.to_owned()], None).unwrap().open("a.db").unwrap();
    assert!(is_database(&file).unwrap());
    OpenDatabase::open(&file, &CancellationToken::new())
}

#[test]
fn tables_that_hold_rows_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let sql = "CREATE TABLE b (x INTEGER PRIMARY KEY AUTOINCREMENT); CREATE TABLE a (y, z AS (y + 1));
        CREATE VIEW v AS SELECT 1; CREATE VIRTUAL TABLE f USING fts5(x)";
    Connection::open(folder.path().join("a.db")).unwrap().execute_batch(sql).unwrap();
    let database = opened(folder.path()).unwrap();
    assert_eq!(database.tables[..2], ["a", "b"]);
    assert!(
        !database.tables.iter().any(|table| ["f", "v"].contains(&table.as_str())),
        "{:?}",
        database.tables
    );
    let columns = OpenDatabase::columns(&database.connection, "a").unwrap();
    assert_eq!(columns, (vec!["y".to_owned()], vec!["z".to_owned()]));
}

#[test]
fn a_database_without_a_table_is_empty() {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join("a.db")).unwrap().execute_batch("CREATE VIEW v AS SELECT 1").unwrap();
    assert!(matches!(opened(folder.path()), Err(DatabaseError::Empty)));
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
        let _ = opened(folder.path()).map(|database| assert_eq!(database.tables, ["t"], "{cut}"));
    }
    let mut garbled = whole;
    garbled[100..].fill(0xa5);
    fs::write(&path, garbled).unwrap();
    assert!(matches!(opened(folder.path()), Err(DatabaseError::Unreadable(_))));
}
