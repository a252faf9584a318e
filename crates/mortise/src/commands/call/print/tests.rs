//! Payloads and verdicts as people see them.

use std::time::Duration;

use mortise_contract::verdict::{JudgeOptions, judge};
use mortise_contract::{Contract, RawJson, SchemaCache, ToolOutcome, ToolResult};

use super::{Listed, payload, verdict};
use crate::terminal::Terminal;

fn result(text: &str) -> ToolResult {
    ToolResult::parse(RawJson::parse(text).unwrap()).unwrap()
}

/// A result of a tool without a schema.
fn unchecked(result: ToolResult) -> ToolOutcome {
    let tool = r#"{"name": "t", "inputSchema": {"type": "object"}}"#;
    let contract = Contract::parse(RawJson::parse(tool).unwrap()).unwrap();
    let verdict = judge(&contract, &result, &JudgeOptions::default(), &SchemaCache::default());
    ToolOutcome { result, verdict, elapsed: Duration::from_millis(7) }
}

#[track_caller]
fn check_payload(text: &str, expected: &str) {
    assert_eq!(payload(&Terminal::plain(None), &unchecked(result(text))).0, expected);
}

/// No schema, where such a tool must return content and no structured content.
const FORBIDDEN: &str = "none";

#[track_caller]
fn check_verdict(schema: &str, text: &str, expected: &str) {
    let tool = match schema {
        "" | FORBIDDEN => r#"{"name": "t", "inputSchema": {"type": "object"}}"#.to_owned(),
        schema => {
            format!(r#"{{"name": "t", "inputSchema": {{"type": "object"}}, "outputSchema": {schema}}}"#)
        }
    };
    let contract = Contract::parse(RawJson::parse(&tool).unwrap()).unwrap();
    let result = result(text);
    let options = JudgeOptions { forbid_unschematised: schema == FORBIDDEN, ..JudgeOptions::default() };
    let judged = judge(&contract, &result, &options, &SchemaCache::default());
    let outcome = ToolOutcome { result, verdict: judged, elapsed: Duration::from_millis(7) };
    assert_eq!(verdict(&Terminal::plain(None), &outcome, Listed::Here), expected);
}

#[test]
fn texts_are_printed_as_they_are() {
    check_payload(
        r#"{"content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two\n"}]}"#,
        "one\ntwo\n",
    );
    check_payload(r#"{"content": []}"#, "");
}

#[test]
fn structured_values_keep_their_digits() {
    check_payload(
        r#"{"content": [], "structuredContent": {"z": 1.10, "a": [123456789012345678901234567890]}}"#,
        "{\n  \"z\": 1.10,\n  \"a\": [\n    123456789012345678901234567890\n  ]\n}\n",
    );
    check_payload(r#"{"content": [], "structuredContent": null}"#, "null\n");
}

#[test]
fn a_text_that_only_repeats_the_value_is_left_out() {
    check_payload(
        r#"{"content": [{"type": "text", "text": "{\"a\": 1}"}], "structuredContent": {"a":1}}"#,
        "{\n  \"a\": 1\n}\n",
    );
    check_payload(
        r#"{"content": [{"type": "text", "text": "It is 1."}], "structuredContent": {"a":1}}"#,
        "It is 1.\n\n{\n  \"a\": 1\n}\n",
    );
}

#[test]
fn a_text_beside_one_that_repeats_the_value_is_kept() {
    check_payload(
        r#"{"content": [{"type": "text", "text": "{\"a\":1}"}, {"type": "text", "text": "15 min delayed"}],
            "structuredContent": {"a": 1}}"#,
        "15 min delayed\n\n{\n  \"a\": 1\n}\n",
    );
    check_payload(
        r#"{"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "\"a\""}, {"type": "text", "text": "b"}],
            "structuredContent": "a"}"#,
        "b\n\n\"a\"\n",
    );
}

#[test]
fn what_is_no_text_is_described() {
    check_payload(
        r#"{"content": [{"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"},
            {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "file:///a", "name": "a"},
            {"type": "resource", "resource": {"uri": "file:///b", "text": "inside"}},
            {"type": "hologram", "n": 1e400}]}"#,
        "[image image/png, 5 bytes]\n[audio audio/wav, 2 bytes]\n[resource link file:///a]\n\
         [resource file:///b]\ninside\n{\"type\": \"hologram\", \"n\": 1e400}\n",
    );
}

#[test]
fn a_terminal_never_gets_control_sequences() {
    let hostile = unchecked(result(
        "{\"content\": [{\"type\": \"text\", \"text\": \"\\u001b[2Jx\\rpaid\"}], \"structuredContent\": {\"a\": \"\u{202e}\"}}",
    ));
    assert_eq!(
        payload(&Terminal::plain(Some(80)), &hostile).0,
        "\\u{1b}[2Jx\\u{d}paid\n\n{\n  \"a\": \"\\u202e\"\n}\n"
    );
    assert_eq!(
        payload(&Terminal::plain(None), &hostile).0,
        "\u{1b}[2Jx\rpaid\n\n{\n  \"a\": \"\u{202e}\"\n}\n"
    );
}

const OBJECT: &str = r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#;

#[test]
fn a_kept_contract_is_one_line() {
    check_verdict(
        OBJECT,
        r#"{"content": [], "structuredContent": {"n": 1}}"#,
        "✓ Contract kept (JSON Schema 2020-12) · 7 ms\n",
    );
}

#[test]
fn every_violation_says_where_what_was_expected_and_what_came() {
    check_verdict(
        OBJECT,
        r#"{"content": [], "structuredContent": {"n": "one"}}"#,
        "✗ Contract broken, 1 violation (JSON Schema 2020-12) · 7 ms\n\
         \u{20} /n: expected integer, got \"one\"\n\
         \u{20}   by /properties/n/type\n",
    );
}

#[test]
fn what_was_not_checked_says_why() {
    check_verdict(
        "",
        r#"{"content": [{"type": "text", "text": "hi"}]}"#,
        "· No contract: the tool declares no output schema · 7 ms\n",
    );
    check_verdict(
        OBJECT,
        r#"{"content": [{"type": "text", "text": "no"}], "isError": true}"#,
        "✗ The tool answered with an error, which is not checked · 7 ms\n",
    );
    check_verdict(
        r#"{"$ref": "https://example.com/s.json"}"#,
        r#"{"content": [], "structuredContent": {}}"#,
        "! Contract not checked: external reference `https://example.com/s.json` at `/$ref` is not fetched · 7 ms\n",
    );
}

#[test]
fn missing_and_recovered_values_are_told_apart() {
    check_verdict(
        OBJECT,
        r#"{"content": [{"type": "text", "text": "plain"}]}"#,
        "✗ Contract broken: there is an output schema and no structured content · 7 ms\n",
    );
    check_verdict(
        OBJECT,
        r#"{"content": [{"type": "text", "text": "{\"n\": 1}"}]}"#,
        "! Contract kept by the text only (JSON Schema 2020-12): there is no structured content · 7 ms\n",
    );
}

#[test]
fn a_tool_without_a_schema_that_must_have_content_is_told_what_is_missing() {
    check_verdict(
        FORBIDDEN,
        r#"{"content": []}"#,
        "✗ Contract broken: there is no output schema and no content · 7 ms\n  · no content\n",
    );
    check_verdict(
        FORBIDDEN,
        r#"{"content": [], "structuredContent": {}}"#,
        "✗ Contract broken: there is structured content and no output schema · 7 ms\n  · structured without schema\n",
    );
}
