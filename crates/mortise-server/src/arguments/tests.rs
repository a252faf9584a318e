//! Arguments against input schemas.

use mortise_contract::Contract;
use serde_json::json;

use super::*;
use crate::ToolList;

#[track_caller]
fn check(schema: Value, arguments: &str, expected: Result<(), &str>) {
    let tool = json!({ "name": "t", "inputSchema": schema });
    let contract = Contract::parse(RawJson::from_value(&tool).unwrap()).unwrap();
    let list = ToolList::new([contract]).unwrap();
    let seen = check_arguments(list.entry("t").unwrap(), &RawJson::parse(arguments).unwrap());
    let seen = seen.map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(seen, expected.map_err(str::to_owned));
}

#[test]
fn arguments_that_fit_pass() {
    check(json!({ "type": "object" }), r#"{"anything":[1,null]}"#, Ok(()));
    check(json!({ "type": "object", "required": ["a"] }), r#"{"a":1e400}"#, Ok(()));
}

#[test]
fn values_are_the_same_whether_the_check_needed_them_or_not() {
    let simple = json!({ "type": "object", "properties": { "a": { "type": "integer" } } });
    let combined = json!({ "type": "object", "not": { "required": ["z"] } });
    for schema in [simple, combined] {
        let tool = json!({ "name": "t", "inputSchema": schema });
        let contract = Contract::parse(RawJson::from_value(&tool).unwrap()).unwrap();
        let list = ToolList::new([contract]).unwrap();
        let arguments = RawJson::parse(r#"{"a":1,"b":[{"c":"d"}]}"#).unwrap();
        let checked = check_arguments(list.entry("t").unwrap(), &arguments).unwrap();
        assert_eq!(Value::Object(checked.values().clone()), json!({ "a": 1, "b": [{ "c": "d" }] }));
    }
}

#[test]
fn a_misfit_is_told_with_its_path_and_the_part_of_the_schema() {
    check(
        json!({ "type": "object", "properties": { "height": { "type": "number" } } }),
        r#"{"height":"tall"}"#,
        Err(r#"/height: expected number, got "tall" (schema: {"type":"number"})"#),
    );
    check(
        json!({ "type": "object", "required": ["a"] }),
        "{}",
        Err(r#"the arguments: missing required property `a` (schema: {"type":"object","required":["a"]})"#),
    );
}

#[test]
fn a_tool_that_takes_nothing_says_so() {
    check(
        json!({ "type": "object", "additionalProperties": false }),
        r#"{"a":1}"#,
        Err(
            r#"the arguments: no property is allowed here (schema: {"type":"object","additionalProperties":false})"#,
        ),
    );
}

#[test]
fn a_long_schema_is_cut_down_to_the_keyword() {
    let properties: Map<String, Value> =
        (0..50).map(|index| (format!("property-{index}"), json!({ "type": "string" }))).collect();
    check(
        json!({ "type": "object", "properties": properties, "required": ["a"] }),
        "{}",
        Err(r#"the arguments: missing required property `a` (schema: {"required":["a"]})"#),
    );
}

#[test]
fn the_first_misfits_are_shown_and_the_rest_counted() {
    let properties: Map<String, Value> =
        (0..8).map(|index| (format!("p{index}"), json!({ "const": 1 }))).collect();
    let arguments: Map<String, Value> = (0..8).map(|index| (format!("p{index}"), json!(2))).collect();
    let list = ToolList::new([Contract::parse(
        RawJson::from_value(
            &json!({ "name": "t", "inputSchema": { "type": "object", "properties": properties } }),
        )
        .unwrap(),
    )
    .unwrap()])
    .unwrap();
    let arguments = RawJson::from_value(&Value::Object(arguments)).unwrap();
    let text = check_arguments(list.entry("t").unwrap(), &arguments).unwrap_err().to_string();
    assert_eq!(text.lines().count(), SHOWN + 1);
    assert!(text.ends_with("and 3 more"), "{text}");
}

#[test]
fn arguments_that_can_be_read_two_ways_are_refused() {
    let open = || json!({ "type": "object" });
    check(open(), r#"{"a":1,"a":2}"#, Err("the arguments: the key `a` occurs twice"));
    check(open(), r#"{"a":[{"b":1,"\u0062":2}]}"#, Err("/a/0: the key `b` occurs twice"));
    check(open(), "[]", Err("the arguments are not a JSON object"));
}
