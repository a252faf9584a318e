use std::fmt::Write as _;
use std::path::Path;

use rusqlite::Connection;

use super::*;
use crate::data::files::DataFiles;
use crate::data::table::ReadOptions;
use crate::parsers::value::to_json;

fn source(
    folder: &Path,
    name: &str,
    query: &QueryText<'_>,
    stop: &CancellationToken,
) -> Result<QuerySource, QueryError> {
    let file = DataFiles::new(&[folder.to_owned()], None).unwrap().open(name).unwrap();
    match name.ends_with(".db") {
        true => QuerySource::database(OpenDatabase::open(&file, stop).unwrap(), query),
        false => QuerySource::file(Table::open(file, &ReadOptions::default()).unwrap(), query, stop),
    }
}

fn answer(
    folder: &Path,
    name: &str,
    sql: &str,
) -> Result<(Vec<String>, Vec<serde_json::Value>, bool), QueryError> {
    let query = QueryText::parse(sql)?;
    let source = source(folder, name, &query, &CancellationToken::new())?;
    let selection = source.select(&query, 100)?;
    let columns = selection.columns.clone();
    let mut rows = Vec::new();
    let has_more = selection.each_row(|row| rows.push(row.iter().map(to_json).collect()))?;
    Ok((columns, rows, has_more))
}

const PEOPLE: &str = "id,name,price,paid,Name,group,seen\n\
    7,Ann O'Hara,2.5,true,x,a,2024-01-02T10:00:00Z\n\
    8,Bob,,false,y,b,2024-01-02T10:00:00.500Z\n\
    9,Cy,1.0,true,z,a,2024-01-01T09:00:00Z\n";

fn people(sql: &str) -> Result<(Vec<String>, Vec<serde_json::Value>, bool), QueryError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("people.csv"), PEOPLE).unwrap();
    answer(folder.path(), "people.csv", sql)
}

/// What a database made with this SQL answers.
fn database(setup: &str, sql: &str) -> Result<(Vec<String>, Vec<serde_json::Value>, bool), QueryError> {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join("a.db")).unwrap().execute_batch(setup).unwrap();
    answer(folder.path(), "a.db", sql)
}

#[track_caller]
fn check_rows(sql: &str, expected: &str) {
    let (_, rows, _) = people(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    assert_eq!(serde_json::Value::Array(rows).to_string(), expected, "{sql}");
}

#[track_caller]
fn check_refused(sql: &str, expected: &str) {
    let error = people(sql).unwrap_err();
    assert_eq!(error.to_string(), expected, "{sql}");
}

#[test]
fn queries_of_the_earlier_dialect_still_have_answers() {
    check_rows("select id where id = 7", "[[7]]");
    check_rows("SELECT id FROM anything WHERE id <> 7 OR price >= 2.5;", "[[7],[8],[9]]");
    check_rows("select id where not (id = 7)", "[[8],[9]]");
    check_rows("select id where name = 'Ann O''Hara'", "[[7]]");
    check_rows("select id where name like 'Ann%' and name like '%h_ra'", "[]");
    check_rows("select id where name like '%H_ra'", "[[7]]");
    check_rows("select id where id in (1, 7, 9) and id not in (9)", "[[7]]");
    check_rows("select `id` where price is null", "[[8]]");
    check_rows("select id from 'people.csv' where \"price\" is not null", "[[7],[9]]");
    check_rows("select id where price != 1", "[[7]]");
    check_rows("select id where paid = true", "[[7],[9]]");
    check_rows("select id where paid = 'true' and id > '7'", "[[9]]");
    check_rows("select id where paid <> 'TRUE'", "[[8]]");
    check_rows("select group where group = 'b'", "[[\"b\"]]");
    check_rows("select id order by group desc, id limit 1", "[[8]]");
}

#[test]
fn rows_without_a_value_come_last_in_either_order() {
    check_rows("select id order by price", "[[9],[7],[8]]");
    check_rows("select id order by price desc limit 3", "[[7],[9],[8]]");
    check_rows("select id order by price nulls first, id", "[[8],[9],[7]]");
    check_rows("select id order by paid, price desc", "[[8],[7],[9]]");
}

#[test]
fn values_keep_their_types() {
    check_rows("select * where id = 7", "[[7,\"Ann O'Hara\",2.5,true,\"x\",\"a\",\"2024-01-02T10:00:00Z\"]]");
    check_rows(
        "select paid, count(*), sum(paid), max(price) group by paid order by paid",
        "[[false,1,0,null],[true,2,2,2.5]]",
    );
}

#[test]
fn columns_that_differ_in_case_are_told_apart() {
    let (columns, rows, _) = people("select *").unwrap();
    assert_eq!(columns, ["id", "name", "price", "paid", "Name", "group", "seen"]);
    assert_eq!(rows[0][4], "x");
    check_rows("select Name, \"name\" where Name = 'y'", "[[\"y\",\"Bob\"]]");
}

#[test]
fn a_query_has_all_of_sqlites_select() {
    check_rows("select upper(name) as n, round(price * 2) where id = 7", "[[\"ANN O'HARA\",5.0]]");
    check_rows("with a as (select id, price from t where price is not null) select count(*) from a", "[[2]]");
    check_rows("select a.id from t a join t b on b.id = a.id + 1 order by 1", "[[7],[8]]");
    check_rows("select id where price is distinct from 1.0", "[[7],[8]]");
    check_rows("select id -- the key\nwhere id > 7 /* and more */ order by id limit 1 offset 1", "[[9]]");
}

#[test]
fn more_rows_than_asked_for_are_noticed() {
    assert_eq!(people("select id limit 2").unwrap().1.len(), 2);
    assert!(people("select id limit 2").unwrap().2);
    assert!(!people("select id limit 3").unwrap().2);
    assert!(people("select id limit 0").unwrap().2);
}

#[test]
fn what_is_no_query_is_refused() {
    let rest = "is not possible here: a query begins with SELECT and only reads";
    check_refused("drop table t", &format!("`DROP` {rest}"));
    check_refused("pragma table_info(t)", &format!("`PRAGMA` {rest}"));
    check_refused("attach 'x' as y", &format!("`ATTACH` {rest}"));
    check_refused("explain select 1", &format!("`EXPLAIN` {rest}"));
    check_refused("", &format!("`` {rest}"));
    check_refused("select * from t; delete from t", "only one statement is possible");
    check_refused("select * from a join b", "there is no table `b`: the file is one table");
    check_refused("select prise", "there is no column `prise`");
    check_refused("select \"prise\"", "there is no column `prise`");
    check_refused("select * where nope = 1", "there is no column `nope`");
    check_refused("select * order by nope", "there is no column `nope`");
    check_refused("select * where name = 'x", "unrecognized token: \"'x\"");
    check_refused("select id where", "incomplete input");
    check_refused("select id from t where order by", "near \"order\": syntax error");
    assert!(matches!(people(&format!("select {}", "x".repeat(10_000))), Err(QueryError::TooLong)));
}

#[test]
fn nothing_but_the_table_can_be_read_or_done() {
    let refused = |sql: &str| {
        let error = people(sql).unwrap_err();
        assert!(
            matches!(error, QueryError::NotAllowed { .. } | QueryError::OnlyOneTable { .. }),
            "{sql}: {error}"
        );
    };
    refused("select load_extension('x') from t");
    refused("select zeroblob(1000000000) from t");
    check_refused("select readfile('/etc/passwd') from t", "no such function: readfile");
    refused("select instr(name, 'n') from t");
    refused("select type from t, sqlite_master");
    refused("select * from t, pragma_database_list");
    refused("select * from t, json_each('[1]')");
    refused("with recursive n(i) as (select 1 union all select i + 1 from n) select i from n, t");
    refused("with x as (select 1) select * from x, dbstat, t");
}

#[test]
fn a_query_that_holds_too_much_ends_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = String::from("id,text\n");
    for id in 0..300 {
        writeln!(rows, "{id},{}", "x".repeat(20_000)).unwrap();
    }
    std::fs::write(folder.path().join("a.csv"), rows).unwrap();
    let sql = "select row_number() over (order by a.id + b.id, a.text || b.text) as n from t a, t b";
    let error = answer(folder.path(), "a.csv", sql).unwrap_err();
    assert!(matches!(error, QueryError::TooMuchMemory), "{error}");
}

#[test]
fn both_sides_of_a_join_read_the_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = String::from("id,text\n");
    for id in 0..300 {
        writeln!(rows, "{id},{}", "x".repeat(1_000)).unwrap();
    }
    std::fs::write(folder.path().join("a.csv"), rows).unwrap();
    let sql = "select count(*) as n, sum(length(a.text || b.text)) as m from t a, t b";
    let (_, rows, _) = answer(folder.path(), "a.csv", sql).unwrap();
    assert_eq!(rows, [serde_json::json!([90_000, 180_000_000])]);
}

#[test]
fn a_query_that_nobody_waits_for_stops() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.csv"), format!("id\n{}", "1\n".repeat(5_000))).unwrap();
    for sql in ["select count(*) from t a, t b", "select id"] {
        let query = QueryText::parse(sql).unwrap();
        let stop = CancellationToken::new();
        let source = source(folder.path(), "a.csv", &query, &stop).unwrap();
        let selection = source.select(&query, 10_000).unwrap();
        stop.cancel();
        let error = selection.each_row(|_| {}).unwrap_err();
        assert!(matches!(error, QueryError::Data(DataError::Canceled)), "{sql}: {error}");
    }
}

#[test]
fn a_file_that_breaks_off_is_an_error_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let row = format!("1,{}\n", "x".repeat(17 << 20));
    std::fs::write(folder.path().join("a.csv"), format!("id,text\n{}{row}", "1,a\n".repeat(300_000)))
        .unwrap();
    let error = answer(folder.path(), "a.csv", "select count(*)").unwrap_err();
    assert!(matches!(error, QueryError::Data(_)), "{error}");
}

#[test]
fn a_table_with_more_columns_than_sqlite_can_have_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..2_500).map(|number| format!("c{number}")).collect();
    let cells: Vec<String> = (0..2_500).map(|number| number.to_string()).collect();
    let rows = format!("{}\n{}\n", names.join(","), cells.join(","));
    std::fs::write(folder.path().join("a.csv"), rows).unwrap();
    let query = QueryText::parse("select *").unwrap();
    let all = source(folder.path(), "a.csv", &query, &CancellationToken::new()).unwrap();
    let selection = all.select(&query, 1).unwrap();
    assert_eq!((selection.columns.len(), selection.columns_left_out), (2_000, 500));
    let (columns, rows, _) = answer(folder.path(), "a.csv", "select c2499, c1 where c2498 = 2498").unwrap();
    assert_eq!(
        (columns, rows[0].to_string()),
        (vec!["c2499".to_owned(), "c1".to_owned()], "[2499,1]".to_owned())
    );
}

#[test]
fn rows_of_a_database_come_with_their_types() {
    let setup = "CREATE TABLE \"odd \"\" name\" (a, b, c, d, e);
        INSERT INTO \"odd \"\" name\" VALUES (1, 2.5, 'x', x'00ff', NULL), (2, 0, '', NULL, 1)";
    let (columns, rows, _) = database(setup, "select * from \"ODD \"\" name\" order by a").unwrap();
    assert_eq!(columns, ["a", "b", "c", "d", "e"]);
    assert_eq!(rows[0].to_string(), "[1,2.5,\"x\",\"00ff\",null]");
    assert_eq!(database(setup, "select a where b = 0").unwrap().1[0].to_string(), "[2]");
}

#[test]
fn columns_that_are_computed_on_reading_are_left_out() {
    let setup = "CREATE TABLE t (a, b AS (hex(a)) VIRTUAL, c AS (a + 1) STORED); INSERT INTO t VALUES (1)";
    let (columns, rows, _) = database(setup, "select *").unwrap();
    assert_eq!(columns, ["a", "c"]);
    assert_eq!(rows[0].to_string(), "[1,2]");
    assert!(matches!(database(setup, "select b"), Err(QueryError::NoSuchColumn { .. })));
    assert!(matches!(database(setup, "select b from main.t"), Err(QueryError::NotAllowed { .. })));
}

#[test]
fn one_of_several_tables_must_be_named() {
    let setup = "CREATE TABLE b (x); CREATE TABLE a (y); INSERT INTO b VALUES (7); INSERT INTO a VALUES (7);
        CREATE VIEW v AS SELECT 1";
    let error = database(setup, "select *").unwrap_err();
    assert!(matches!(&error, QueryError::NoTableNamed { tables } if *tables == ["a", "b"]), "{error}");
    assert_eq!(database(setup, "select * from b").unwrap().1[0].to_string(), "[7]");
    assert_eq!(database(setup, "select y from a join b on x = y").unwrap().1[0].to_string(), "[7]");
    assert!(matches!(database(setup, "select * from v"), Err(QueryError::NotAllowed { .. })));
    // Another table is not given instead, even where there is only one.
    let error = database("CREATE TABLE orders (x)", "select * from order_").unwrap_err();
    assert_eq!(error.to_string(), "the database has no table `order_`");
}

#[test]
fn moments_are_sorted_by_time() {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let compare = file_table::compare_moments;
    assert_eq!(compare("2024-01-02T10:00:00Z", "2024-01-02T10:00:00.500Z"), Less);
    assert_eq!(compare("2024-01-02T10:00:01Z", "2024-01-02T10:00:00.500Z"), Greater);
    assert_eq!(compare("2024-01-02T10:00:00", "2024-01-02T10:00:00"), Equal);
}
