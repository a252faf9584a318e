use mortise_contract::{Contract, RawJson, ToolResult};
use serde_json::{Value, json};

use super::{from_result, is_error_in_words, is_silent};

fn contract() -> Contract {
    let raw = json!({
        "name": "lies",
        "inputSchema": {"type": "object", "title": "liesArguments"},
        "outputSchema": {"type": "object", "title": "Reading", "properties": {"n": {"type": "integer"}}},
    });
    Contract::parse(RawJson::from_value(&raw).unwrap()).unwrap()
}

fn result(text: &str, meta: &Value) -> ToolResult {
    let raw = json!({"isError": true, "content": [{"type": "text", "text": text}], "_meta": meta});
    ToolResult::parse(RawJson::from_value(&raw).unwrap()).unwrap()
}

#[track_caller]
fn check(text: &str, is_withheld: bool) {
    assert_eq!(from_result(&contract(), &result(text, &json!({}))).is_some(), is_withheld, "{text}");
}

#[test]
fn the_words_of_each_sdk_are_known() {
    check("Output validation error: 'seven' is not of type 'integer'", true);
    check("Output validation error: outputSchema defined but no structured output returned", true);
    check("MCP error -32602: Output validation error: Invalid structured content for tool lies: [", true);
    check("Error calling tool 'lies': Output validation error: None is not of type 'object'", true);
    check("Error executing tool lies: 1 validation error for Reading\nn\n  Input should be", true);
    check("Error executing tool lies: 2 validation errors for Reading\nn", true);
    check("Error calling tool 'lies': structured_content must be a dict or None. Got str: 'x'.", true);
    check("validating tool output: validating root: /n: has type \"string\"", true);
    check(
        "Validation failed: structuredContent does not match tool outputSchema. Validation errors: [n]",
        true,
    );
}

#[test]
fn refusals_of_arguments_are_something_else() {
    check("unknown city", false);
    check("Input validation error: 'n' is a required property", false);
    check("Error executing tool lies: 1 validation error for liesArguments\ncity\n  Field required", false);
    check("Error calling tool 'lies': 1 validation error for call[lies]", false);
    check("the log holds the words \"Output validation error\" twice", false);
}

#[test]
fn our_own_verdict_is_read_from_the_metadata() {
    for (status, is_withheld) in
        [("invalid", true), ("missing", true), ("unexpected", true), ("unchecked", false)]
    {
        let result = result("it failed", &json!({"mortise/contract": {"status": status}}));
        assert_eq!(from_result(&contract(), &result).is_some(), is_withheld, "{status}");
    }
}

#[test]
fn a_crash_that_says_nothing_is_told_from_a_refusal() {
    let is = |text: &str| is_silent(&contract(), &result(text, &json!({})));
    assert!(is("Error executing tool lies") && is("Error calling tool 'lies'"));
    assert!(!is("Error executing tool lies: no such city") && !is("Error executing tool other"));
}

#[test]
fn an_error_that_is_only_said_is_no_success() {
    let is = |text: &str| is_error_in_words(&result(text, &json!({})));
    assert!(is("Error: no such table: a") && is("Error executing query"));
    assert!(!is("Errors are listed below") && !is("no Error: here"));
}
