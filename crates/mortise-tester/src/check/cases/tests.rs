use serde_json::{Value, json};

use super::{CaseFile, UnknownVariable, filled};

#[track_caller]
fn refused(text: &str, expected: &str) {
    let error = CaseFile::parse(text, "c.yaml").unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn what_is_not_understood_is_refused() {
    refused("version: 2\ncases: [{call: a}]", "`c.yaml` has version 2");
    refused("version: 1\ncases: []", "`c.yaml` has no cases");
    refused("version: 1\ncases: [{call: a, expekt: {}}]", "expekt");
    refused("version: 1\ncases: [{arguments: {}}]", "call");
    refused("[", "can't be read");
}

#[test]
fn a_case_that_can_not_be_run_is_refused_with_its_place() {
    let case = |case: &str| format!("version: 1\ncases:\n  - {{call: fine}}\n  - {case}");
    refused(
        &case("{name: x, call: a, expect: {at: {b: 1}}}"),
        "c.yaml:4:5: in the case `x`, `expect.at` has `b`",
    );
    refused(&case("{call: a, save: {v: '~/b'}}"), "`save` has `~/b`");
    refused(&case("{call: a, expect: {schema: {type: text}}}"), "`expect.schema` can't be used");
    let later = case("{call: a, expect: {schema: {type: '${kind}'}, at: {'': 1, /a~1b: 2}}}");
    assert!(CaseFile::parse(&later, "c.yaml").is_ok());
}

#[test]
fn variables_are_filled_in() {
    let Value::Object(variables) = json!({"id": 7, "city": "Bern"}) else { panic!() };
    let fill = |value: Value| filled(&value, &variables);
    assert_eq!(fill(json!({"a": ["${id}"]})), Ok(json!({"a": [7]})));
    assert_eq!(fill(json!("in ${city}: ${id}$")), Ok(json!("in Bern: 7$")));
    assert_eq!(fill(json!("${nope}")), Err(UnknownVariable { name: "nope".to_owned() }));
    assert_eq!(fill(json!("${open")), Ok(json!("${open")));
}
