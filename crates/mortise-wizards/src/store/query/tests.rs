use super::*;

fn columns() -> Vec<String> {
    ["id", "name", "price"].map(str::to_owned).to_vec()
}

fn values(id: i64, name: &str, price: Option<f64>) -> Vec<Value> {
    vec![Value::Integer(id), Value::Text(name.to_owned()), price.map_or(Value::Null, Value::Float)]
}

#[track_caller]
fn admits(condition: &str, expected: bool) {
    let query = parse(&format!("select * from t where {condition}")).unwrap();
    let (columns, values) = (columns(), values(7, "Ann O'Hara", Some(2.5)));
    assert_eq!(query.admits(&Row { columns: &columns, values: &values }), expected, "{condition}");
}

#[test]
fn conditions_hold_or_do_not() {
    admits("id = 7", true);
    admits("id <> 7 or price >= 2.5", true);
    admits("not (id = 7)", false);
    admits("name = 'Ann O''Hara'", true);
    admits("name like 'Ann%' and name like '%h_ra'", false);
    admits("name like '%H_ra'", true);
    admits("id in (1, 7, 9)", true);
    admits("id not in (1)", true);
    admits("price is null", false);
    admits("\"price\" is not null", true);
    admits("name > 5", false);
}

#[test]
fn a_missing_value_fulfils_no_comparison() {
    let query = parse("SELECT id WHERE price != 1").unwrap();
    let (columns, values) = (columns(), values(1, "x", None));
    assert!(!query.admits(&Row { columns: &columns, values: &values }));
}

#[test]
fn rows_are_sorted_with_missing_values_last() {
    let query = parse("select * order by price desc, id").unwrap();
    let mut rows =
        [values(3, "", None), values(2, "", Some(1.0)), values(1, "", Some(1.0)), values(4, "", Some(9.0))];
    rows.sort_by(|left, right| query.compare(&columns(), left, right));
    let ids: Vec<&Value> = rows.iter().map(|row| &row[0]).collect();
    assert_eq!(ids, [&Value::Integer(4), &Value::Integer(1), &Value::Integer(2), &Value::Integer(3)]);
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    assert_eq!(parse(text).unwrap_err().to_string(), expected);
}

#[test]
fn everything_else_is_refused_by_name() {
    let rest = "is not possible here: a query is SELECT columns, WHERE, ORDER BY and LIMIT";
    refused("drop table t", &format!("`DROP` {rest}"));
    refused("select count(*) from t", &format!("`count()` {rest}"));
    refused("select * from a join b", &format!("`JOIN` {rest}"));
    refused("select * from a, b", &format!("`JOIN` {rest}"));
    refused("select id from t group by id", &format!("`GROUP` {rest}"));
    refused(
        "select * from t where id = (select 1)",
        "expected a number, or text in single quotes at character 28, found `(`",
    );
    refused("select * from t; delete from t", &format!("`DELETE` {rest}"));
    refused("select", "expected a column or `*` at character 7, found the end of the query");
    refused(
        "select * where name = 'x",
        "expected a closing quote at character 23, found the end of the query",
    );
    refused("select * limit -1", "expected a whole number at character 16, found -1");
    refused(
        &format!("select * where {}id = 1", "(".repeat(200)),
        "the query is too long or nests too deeply",
    );
}

#[test]
fn unknown_columns_are_found_wherever_they_are() {
    for text in ["select nope", "select * where nope = 1", "select * order by nope"] {
        assert_eq!(parse(text).unwrap().unknown_column(&columns()).as_deref(), Some("nope"), "{text}");
    }
    assert_eq!(
        parse("select id where name is null order by price").unwrap().unknown_column(&columns()),
        None
    );
}
