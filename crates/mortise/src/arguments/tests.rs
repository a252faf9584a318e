//! What the words of a command line become.

use serde_json::{Value, json};

use super::{ArgumentNames, Pair, assemble};

fn schema() -> Value {
    json!({"type": "object", "required": ["ticker"], "properties": {
        "ticker": {"type": "string"},
        "limit": {"type": "integer", "maximum": 100},
        "ratio": {"type": "number"},
        "exact": {"type": "boolean"},
        "period": {"enum": ["annual", "quarter", 3]},
        "since": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "mixed": {"type": ["string", "integer"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "filter": {"$ref": "#/$defs/Filter"},
        "free": {}},
        "$defs": {"Filter": {"type": "object", "properties": {"x": {"type": "integer"}}}}})
}

fn pair(word: &str) -> Result<Pair, super::Failure> {
    let (name, value) = word.split_once('=').unwrap();
    match name.strip_suffix(':') {
        Some(name) => Pair::json(name, value),
        None => Ok(Pair::text(name, value)),
    }
}

fn arguments(base: Option<&str>, words: &[&str]) -> Result<String, String> {
    let told = |failure: super::Failure| format!("{failure:?}");
    let pairs = words.iter().map(|word| pair(word)).collect::<Result<Vec<_>, _>>().map_err(told)?;
    let arguments = assemble(Some(&schema()), base, &pairs, ArgumentNames::Declared).map_err(told)?;
    Ok(arguments.text().to_owned())
}

#[track_caller]
fn check(words: &[&str], expected: &str) {
    assert_eq!(arguments(None, words).as_deref(), Ok(expected));
}

#[track_caller]
fn check_refused(words: &[&str], expected: &str) {
    let failure = arguments(None, words).unwrap_err();
    assert!(failure.contains(expected), "{failure}");
}

#[test]
fn a_value_is_read_by_its_declared_type() {
    check(&["ticker=5", "limit=5", "exact=true"], r#"{"ticker":"5","limit":5,"exact":true}"#);
    check(&["ticker=true", "ratio=-1.50e3"], r#"{"ticker":"true","ratio":-1.50e3}"#);
    check(
        &["ticker=", "limit=123456789012345678901234567890"],
        r#"{"ticker":"","limit":123456789012345678901234567890}"#,
    );
    check(&["ticker=a=b:=c", "limit=1.0"], r#"{"ticker":"a=b:=c","limit":1.0}"#);
}

#[test]
fn fixed_values_and_unions_take_the_narrowest_reading() {
    check(&["period=annual"], r#"{"period":"annual"}"#);
    check(&["period=3"], r#"{"period":3}"#);
    check(&["since=null"], r#"{"since":null}"#);
    check(&["since=2020-01-01"], r#"{"since":"2020-01-01"}"#);
    check(&["mixed=7"], r#"{"mixed":7}"#);
    check(&["mixed=x7"], r#"{"mixed":"x7"}"#);
    check(&["free=[1]"], r#"{"free":[1]}"#);
    check(&["free=hello there"], r#"{"free":"hello there"}"#);
}

#[test]
fn arrays_are_json_or_repeated_names() {
    check(&[r#"tags=["a", "b"]"#], r#"{"tags":["a", "b"]}"#);
    check(&["tags=a", "tags=b"], r#"{"tags":["a","b"]}"#);
    check(&["tags=a,b"], r#"{"tags":["a,b"]}"#);
    check(&[r#"filter={"x": 1}"#], r#"{"filter":{"x": 1}}"#);
}

#[test]
fn raw_json_is_sent_as_it_is() {
    check(&[r#"ticker:="5""#, "limit:=1e400"], r#"{"ticker":"5","limit":1e400}"#);
}

#[test]
fn pairs_go_over_the_base() {
    let base = r#"{"limit": 1.10, "ticker": "A", "big": 1e400}"#;
    assert_eq!(
        arguments(Some(base), &["ticker=B"]).as_deref(),
        Ok(r#"{"limit":1.10,"ticker":"B","big":1e400}"#)
    );
    assert!(arguments(Some("[1]"), &[]).unwrap_err().contains("the arguments are not a JSON object"));
}

#[test]
fn what_does_not_fit_is_refused_in_plain_words() {
    check_refused(&["limit=many"], "`limit` must be a whole number");
    check_refused(&["limit=1.5"], "must be a whole number");
    check_refused(&["exact=yes"], "must be true or false");
    check_refused(&["period=monthly"], "must be one of annual, quarter, 3");
    check_refused(&["filter=x"], "give JSON");
    check_refused(&["ticker=a", "ticker=b"], "given twice");
    check_refused(&["limit:=hunter2"], "is not JSON");
}

#[test]
fn what_may_be_a_secret_is_not_repeated() {
    let schema = json!({"properties": {"api_key": {"type": "integer"}, "pages": {"type": "integer"}}});
    for (name, value) in [("api_key", "hunter2".to_owned()), ("pages", "hunter2".repeat(10))] {
        let pairs = [Pair::text(name, value)];
        let failure = assemble(Some(&schema), None, &pairs, ArgumentNames::Declared).unwrap_err();
        assert!(!failure.one_line().contains("hunter2"), "{failure:?}");
    }
}

#[test]
fn a_misspelt_name_gets_the_nearest_one() {
    check_refused(&["tikcer=A"], "did you mean `ticker`?");
    check_refused(&["colour=red"], "it takes ticker, limit");
}
