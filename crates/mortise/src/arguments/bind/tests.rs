//! Which argument a word means.

use mortise_contract::{Contract, RawJson};

use super::super::{ArgumentNames, assemble};
use super::*;

const FORECAST: &str = r#"{"name": "forecast", "inputSchema": {"type": "object", "required": ["city"], "properties": {
    "city": {"type": "string"}, "days": {"type": "integer"}, "with_wind": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}}}}}"#;
const ADD: &str = r#"{"name": "add", "inputSchema": {"type": "object", "required": ["a", "b"], "properties": {
    "a": {"type": "integer"}, "b": {"type": "integer"}}}}"#;
const JOIN: &str = r#"{"name": "join", "inputSchema": {"type": "object", "required": ["parts"], "properties": {
    "parts": {"type": "array", "items": {"type": "string"}}}}}"#;
const NOW: &str = r#"{"name": "now", "inputSchema": {"type": "object", "additionalProperties": false}}"#;

/// `--x` is an option, `a=b` a pair, anything else a bare value.
fn word(text: &str) -> ArgumentWord {
    match (text.strip_prefix("--"), text.split_once('=')) {
        (Some(option), _) => match option.split_once('=') {
            Some((name, value)) => {
                ArgumentWord::Option { name: name.to_owned(), value: Some(value.to_owned()) }
            }
            None => ArgumentWord::Option { name: option.to_owned(), value: None },
        },
        (None, Some((name, value))) => ArgumentWord::Named(Pair::text(name, value)),
        (None, None) => ArgumentWord::Bare(text.to_owned()),
    }
}

fn bound(tool: &str, base: Option<&str>, line: &str) -> Result<String, String> {
    let contract = Contract::parse(RawJson::parse(tool).unwrap()).unwrap();
    let our_options = ["json".to_owned(), "timeout".to_owned()];
    let names = ArgumentNames::Declared;
    let name = contract.name.to_string();
    let binding = Binding { tool: &name, contract: &contract, our_options: &our_options, names };
    let words = line.split_whitespace().map(word).collect();
    let pairs = bind(&binding, base, words).map_err(|failure| format!("{failure:?}"))?;
    let arguments = assemble(contract.input_schema(), base, &pairs, names);
    arguments.map(|arguments| arguments.text().to_owned()).map_err(|failure| format!("{failure:?}"))
}

#[track_caller]
fn check(tool: &str, line: &str, expected: &str) {
    assert_eq!(bound(tool, None, line).as_deref(), Ok(expected));
}

#[track_caller]
fn check_refused(tool: &str, line: &str, expected: &str) {
    let failure = bound(tool, None, line).unwrap_err();
    assert!(failure.contains(expected), "{failure}");
}

#[test]
fn options_are_arguments() {
    check(FORECAST, "--city Oslo --days 3", r#"{"city":"Oslo","days":3}"#);
    check(FORECAST, "--city=Oslo --with-wind", r#"{"city":"Oslo","with_wind":true}"#);
    check(FORECAST, "--withWind false --city Oslo", r#"{"with_wind":false,"city":"Oslo"}"#);
    check(FORECAST, "--no-with-wind --city Oslo", r#"{"with_wind":false,"city":"Oslo"}"#);
    check(FORECAST, "--with_wind Oslo", r#"{"with_wind":true,"city":"Oslo"}"#);
    check(FORECAST, "--tags a --tags b", r#"{"tags":["a","b"]}"#);
}

#[test]
fn one_value_without_a_name_is_the_one_required_argument() {
    check(FORECAST, "Oslo", r#"{"city":"Oslo"}"#);
    check(FORECAST, "days=2 Oslo", r#"{"days":2,"city":"Oslo"}"#);
    check(ADD, "a=1 2", r#"{"a":1,"b":2}"#);
    check(JOIN, "a b c", r#"{"parts":["a","b","c"]}"#);
    assert_eq!(bound(ADD, Some(r#"{"b": 2}"#), "1").as_deref(), Ok(r#"{"b":2,"a":1}"#));
}

#[test]
fn what_can_mean_several_is_refused_with_the_way_to_say_it() {
    check_refused(ADD, "1 2", "name each value: mortise call add a=1 b=2");
    check_refused(FORECAST, "city=Oslo 3", "takes 4 arguments");
    check_refused(NOW, "5", "`now` takes no arguments");
    check_refused(FORECAST, "--city", "write --city TEXT, or city=TEXT");
    check_refused(FORECAST, "--cty Oslo", "did you mean `city`?");
    check_refused(FORECAST, "--jsno", "did you mean `--json`?");
    check_refused(FORECAST, "--colour red", "it takes city, days");
}
