use super::*;

#[track_caller]
fn check_sql(sql: &str, expected: &str) {
    let known = KnownNames {
        table: "t".to_owned(),
        renamed: vec![("Id".to_owned(), "Id (2)".to_owned())],
        booleans: vec!["paid".to_owned()],
        ..KnownNames::default()
    };
    assert_eq!(QueryText::parse(sql).unwrap().for_sqlite(&known, 10), expected);
}

#[test]
fn what_is_left_out_is_added() {
    check_sql("select a", "select a FROM \"t\"  LIMIT 11");
    check_sql("select a where b = 'from;' -- limit", "select a  FROM \"t\" where b = 'from;' LIMIT 11");
    check_sql("select (select 1 from x) a limit 99 ;", "select (select 1 from x) a  FROM \"t\" limit 11");
    check_sql("select a from x limit 9 offset 1", "select a from x limit 9 offset 1");
    check_sql("with x as (select 1) select * from x", "with x as (select 1) select * from x LIMIT 11");
}

#[test]
fn missing_values_are_sorted_last() {
    check_sql(
        "select a from x order by f(a, b), c desc limit 5",
        "select a from x order by f(a, b) NULLS LAST, c desc NULLS LAST limit 11",
    );
    check_sql(
        "select a, row_number() over (order by a) from x order by a nulls first",
        "select a, row_number() over (order by a) from x order by a nulls first LIMIT 11",
    );
}

#[test]
fn columns_get_the_names_that_sqlite_knows() {
    check_sql("select Id, id, [Id] from x", "select \"Id (2)\", id, \"Id (2)\" from x LIMIT 11");
    check_sql(
        "select 'Id' from x where paid = 'True' and b = 'true'",
        "select 'Id' from x where paid = true and b = 'true' LIMIT 11",
    );
    let bare = QueryText::parse("select group from x order by group").unwrap();
    let bare = bare.with_bare_columns(&["group".to_owned(), "order".to_owned()]);
    assert_eq!(
        bare.for_sqlite(&KnownNames::default(), 1),
        "select \"group\" from x order by \"group\" NULLS LAST LIMIT 2"
    );
}

#[test]
fn the_first_table_is_found_wherever_it_is() {
    let table = |sql| QueryText::parse(sql).unwrap().table();
    assert_eq!(table("select a from 'my table' where b"), Some("my table".to_owned()));
    assert_eq!(table("select a from (select b from `x``y`)"), Some("x`y".to_owned()));
    assert_eq!(table("select a where b is distinct from c"), None);
}
