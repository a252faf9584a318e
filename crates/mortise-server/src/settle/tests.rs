//! Rows of answers and the results they become.

use mortise_contract::Contract;

use serde_json::{Map, json};

use super::*;
use crate::ToolList;
use crate::result_text::Cache;

const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";

fn list(output: Option<Value>) -> ToolList {
    let mut tool = json!({ "name": "t", "inputSchema": { "type": "object" } });
    if let Some(schema) = output {
        tool["outputSchema"] = schema;
    }
    ToolList::new([Contract::parse(RawJson::from_value(&tool).unwrap()).unwrap()]).unwrap()
}

fn finished(result: ResultText, version: &str) -> Value {
    let client = Client::new(version, Map::new());
    let mut result: Value =
        serde_json::from_str(result.finish(&client, Cache::No, &json!("S")).text()).unwrap();
    if version == MODERN {
        // Every modern result has these two.
        assert_eq!(result["resultType"], "complete");
        let fields = result.as_object_mut().unwrap();
        fields.shift_remove("resultType");
        let meta = fields["_meta"].as_object_mut().unwrap();
        assert_eq!(meta.shift_remove("io.modelcontextprotocol/serverInfo"), Some(json!("S")));
        if meta.is_empty() {
            fields.shift_remove("_meta");
        }
    }
    result
}

fn settled(output: Option<Value>, answer: Answer, version: &str, rule: Unschematised) -> Value {
    let list = list(output);
    let client = Client::new(version, Map::new());
    finished(settle_answer(list.entry("t").unwrap(), answer, &client, rule), version)
}

#[track_caller]
fn check_settled(output: Option<Value>, answer: Answer, version: &str, expected: Value) {
    assert_eq!(settled(output, answer, version, Unschematised::Allowed), expected);
}

/// An output that breaks the contract: an error without structured content and with a report.
#[track_caller]
fn check_violation(output: Option<Value>, answer: Answer, rule: Unschematised, status: &str, text: &str) {
    for version in [LEGACY, MODERN] {
        let result = settled(output.clone(), answer.clone(), version, rule);
        assert_eq!(result["isError"], true);
        assert_eq!(result.get("structuredContent"), None);
        assert_eq!(
            result["content"],
            json!([{ "type": "text", "text": format!("Output validation error: t: {text}") }])
        );
        assert_eq!(result["_meta"][CONTRACT_META]["status"], status);
    }
}

fn object() -> Option<Value> {
    Some(json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] }))
}

#[test]
fn an_answer_that_conforms_is_sent_with_its_json_text() {
    let expected =
        json!({ "content": [{ "type": "text", "text": "{\"n\":1}" }], "structuredContent": { "n": 1 } });
    check_settled(object(), Answer::structured(json!({ "n": 1 })), LEGACY, expected.clone());
    check_settled(object(), Answer::structured(json!({ "n": 1 })), MODERN, expected);
}

#[test]
fn an_author_may_give_both() {
    check_settled(
        object(),
        Answer::structured(json!({ "n": 1 })).and_text("one"),
        MODERN,
        json!({ "content": [{ "type": "text", "text": "one" }], "structuredContent": { "n": 1 } }),
    );
    // An image is no text: the JSON text is still needed.
    check_settled(
        object(),
        Answer::structured(json!({ "n": 1 })).and(Content::image(b"", "image/png")),
        MODERN,
        json!({
            "content": [
                { "type": "image", "data": "", "mimeType": "image/png" },
                { "type": "text", "text": "{\"n\":1}" },
            ],
            "structuredContent": { "n": 1 },
        }),
    );
}

#[test]
fn structured_content_must_be_there_and_conform() {
    check_violation(
        object(),
        Answer::text("one"),
        Unschematised::Allowed,
        "missing",
        "it has an output schema but returned no structured content",
    );
    check_violation(
        object(),
        Answer::structured(json!({ "n": "one" })).and_text("one"),
        Unschematised::Allowed,
        "invalid",
        r#"the structured content breaks the output schema at /n: expected integer, got "one""#,
    );
    check_violation(
        Some(json!({ "type": "object", "properties": { "n": {} }, "additionalProperties": false })),
        Answer::structured(json!({ "extra": 1 })),
        Unschematised::Allowed,
        "invalid",
        "the structured content breaks the output schema at the root: unexpected property `extra`",
    );
}

#[test]
fn an_error_is_never_validated() {
    let expected = json!({ "content": [{ "type": "text", "text": "no" }], "isError": true });
    check_settled(object(), Answer::error("no"), LEGACY, expected.clone());
    check_settled(object(), Answer::error("no"), MODERN, expected);
    check_settled(
        object(),
        Answer::error("no").and_structured(json!({ "why": "other" })),
        MODERN,
        json!({
            "content": [{ "type": "text", "text": "no" }],
            "structuredContent": { "why": "other" },
            "isError": true,
        }),
    );
}

#[test]
fn falsy_values_are_present() {
    for value in [json!(null), json!(false), json!(0), json!(""), json!([])] {
        let expected = json!({
            "content": [{ "type": "text", "text": value.to_string() }],
            "structuredContent": value,
        });
        check_settled(Some(json!({})), Answer::structured(value), MODERN, expected);
    }
    check_violation(
        Some(json!({ "type": "string" })),
        Answer::structured(json!(null)),
        Unschematised::Allowed,
        "invalid",
        r#"the structured content breaks the output schema at the root: expected string, got null"#,
    );
}

#[test]
fn without_a_schema_anything_goes_by_default() {
    check_settled(
        None,
        Answer::structured(json!({ "n": 1 })),
        MODERN,
        json!({ "content": [{ "type": "text", "text": "{\"n\":1}" }], "structuredContent": { "n": 1 } }),
    );
    check_settled(None, Answer::content([]), MODERN, json!({ "content": [] }));
}

#[test]
fn without_a_schema_structured_content_can_be_forbidden() {
    let text = "it has no output schema, so it must return content and no structured content";
    check_violation(None, Answer::structured(json!({})), Unschematised::Forbidden, "unexpected", text);
    check_violation(None, Answer::content([]), Unschematised::Forbidden, "unexpected", text);
    let plain = settled(None, Answer::text("fine"), MODERN, Unschematised::Forbidden);
    assert_eq!(plain, json!({ "content": [{ "type": "text", "text": "fine" }] }));
}

#[test]
fn old_clients_get_other_roots_wrapped_and_the_natural_text() {
    check_settled(
        Some(json!({ "type": "array" })),
        Answer::structured(json!([1])),
        LEGACY,
        json!({
            "content": [{ "type": "text", "text": "[1]" }],
            "structuredContent": { "result": [1] },
            "_meta": { "mortise/projected": true },
        }),
    );
    // The schema decides and not the value: an object under a union is wrapped as well.
    check_settled(
        Some(json!({ "anyOf": [{ "type": "object" }, { "type": "null" }] })),
        Answer::structured(json!({})),
        LEGACY,
        json!({
            "content": [{ "type": "text", "text": "{}" }],
            "structuredContent": { "result": {} },
            "_meta": { "mortise/projected": true },
        }),
    );
    // Without a schema the value decides.
    check_settled(
        None,
        Answer::structured(json!("x")),
        LEGACY,
        json!({
            "content": [{ "type": "text", "text": "\"x\"" }],
            "structuredContent": { "result": "x" },
            "_meta": { "mortise/projected": true },
        }),
    );
    check_settled(
        None,
        Answer::structured(json!({})),
        LEGACY,
        json!({ "content": [{ "type": "text", "text": "{}" }], "structuredContent": {} }),
    );
}

#[test]
fn clients_before_structured_content_get_text_only() {
    for version in ["2024-11-05", "2025-03-26"] {
        check_settled(
            object(),
            Answer::structured(json!({ "n": 1 })),
            version,
            json!({ "content": [{ "type": "text", "text": "{\"n\":1}" }] }),
        );
        check_settled(
            None,
            Answer::content([Content::resource_link("file:///a", "A")]),
            version,
            json!({ "content": [{ "type": "text", "text": "A: file:///a" }] }),
        );
    }
}

#[test]
fn every_digit_survives() {
    let digits = r#"{ "n" : 123456789012345678901234567890, "price":1.10,
        "huge": 1e400, "text": "a  \" \\ b" }"#;
    let compact = r#"{"n":123456789012345678901234567890,"price":1.10,"huge":1e400,"text":"a  \" \\ b"}"#;
    let list = list(None);
    for (version, sent) in [(LEGACY, compact.to_owned()), (MODERN, compact.to_owned())] {
        let client = Client::new(version, Map::new());
        let answer = Answer::structured_raw(RawJson::parse(digits).unwrap());
        let result = settle_answer(list.entry("t").unwrap(), answer, &client, Unschematised::Allowed);
        let result = result.finish(&client, Cache::No, &json!({}));
        let text = result.text();
        assert!(text.contains(&format!(r#""structuredContent":{sent}"#)), "{text}");
        assert!(text.contains(&format!(r#""text":{}"#, json!(compact))), "{text}");
    }
    let client = Client::new(LEGACY, Map::new());
    let answer = Answer::structured_raw(RawJson::parse("[1.10]").unwrap());
    let result = settle_answer(list.entry("t").unwrap(), answer, &client, Unschematised::Allowed);
    let result = result.finish(&client, Cache::No, &json!({}));
    assert!(result.text().contains(r#""structuredContent":{"result":[1.10]}"#));
}

#[test]
fn a_value_too_deep_to_send_is_an_error_of_that_call() {
    let mut deep = json!(0);
    for _ in 0..500 {
        deep = json!([deep]);
    }
    let result = settled(None, Answer::structured(deep), MODERN, Unschematised::Allowed);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Output validation error: t: the structured content can't be read: "), "{text}");
    assert_eq!(result["isError"], true);
}

#[test]
fn a_fact_in_meta_keeps_its_digits_on_one_line() {
    let fact = RawJson::parse("{\n\"n\": 12345678901234567890.10}").unwrap();
    let answer = Answer::text("done").meta("x/n", json!(1)).meta_raw("x/raw", &fact);
    let list = list(None);
    let client = Client::new(LEGACY, Map::new());
    let result = settle_answer(list.entry("t").unwrap(), answer, &client, Unschematised::Allowed);
    assert_eq!(
        result.finish(&client, Cache::No, &json!("S")).text(),
        r#"{"content":[{"type":"text","text":"done"}],"_meta":{"x/n":1,"x/raw":{ "n": 12345678901234567890.10}}}"#
    );
}

#[track_caller]
fn check_forwarded(output: Option<Value>, result: &str, version: &str, expected: &str) {
    let list = list(output);
    let client = Client::new(version, Map::new());
    let result = ToolResult::parse(RawJson::parse(result).unwrap()).unwrap();
    let text =
        forward_result(list.entry("t").unwrap(), &result, &client).finish(&client, Cache::No, &json!({}));
    assert_eq!(text.text(), expected);
}

#[test]
fn a_forwarded_result_keeps_what_nobody_knows() {
    check_forwarded(
        None,
        r#"{"x-vendor": 1.10, "content": [{"type":"hologram","data":1e400}], "structuredContent": {"b":1,"a":2}}"#,
        MODERN,
        concat!(
            r#"{"resultType":"complete","x-vendor":1.10,"content":[{"type":"hologram","data":1e400}],"#,
            r#""structuredContent":{"b":1,"a":2},"_meta":{"io.modelcontextprotocol/serverInfo":{}}}"#,
        ),
    );
    check_forwarded(
        Some(json!({ "type": "array" })),
        r#"{"resultType":"complete","x-vendor": 1.10, "content": [], "structuredContent": [1.10]}"#,
        LEGACY,
        concat!(
            r#"{"x-vendor":1.10,"content":[{"type":"text","text":"[1.10]"}],"#,
            r#""structuredContent":{"result":[1.10]},"_meta":{"mortise/projected":true}}"#,
        ),
    );
    check_forwarded(
        None,
        r#"{"content": [{"type":"text","text":"as said"}], "structuredContent": {"a":2}}"#,
        "2025-03-26",
        r#"{"content":[{"type":"text","text":"as said"}]}"#,
    );
}

#[test]
fn a_forwarded_link_reaches_clients_that_know_links() {
    let link = r#"{"content":[{"type":"resource_link","uri":"file:///a","name":"A","size":1.10},{"type":"hologram"}],"x":1.10}"#;
    check_forwarded(None, link, LEGACY, link);
    check_forwarded(
        None,
        link,
        "2025-03-26",
        r#"{"content":[{"type":"text","text":"A: file:///a"},{"type":"hologram"}],"x":1.10}"#,
    );
    // The link is no text: the value still needs one.
    check_forwarded(
        None,
        r#"{"content":[{"type":"resource_link","uri":"file:///a","name":"A"}],"structuredContent":{"a":2}}"#,
        "2025-03-26",
        r#"{"content":[{"type":"text","text":"A: file:///a"},{"type":"text","text":"{\"a\":2}"}]}"#,
    );
    let plain = r#"{"x":1.10,"content":"odd"}"#;
    check_forwarded(None, plain, "2025-03-26", plain);
}
