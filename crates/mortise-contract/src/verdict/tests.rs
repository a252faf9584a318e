//! The edge matrix, and what a verdict looks like.

use serde_json::{Value, json};

use super::{Era, JudgeOptions, Mode, Status, Verdict, judge, judge_at_once};
use crate::{Contract, RawJson, SchemaCache, ToolResult};

#[derive(serde::Deserialize)]
struct Case {
    name: String,
    #[serde(default, deserialize_with = "present")]
    output: Option<Value>,
    result: Box<serde_json::value::RawValue>,
    warn: String,
    strict: String,
    off: Option<String>,
    forbid: Option<String>,
}

/// Keeps a null apart from an absent key.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    serde::Deserialize::deserialize(deserializer).map(Some)
}

fn contract(output: Option<&Value>) -> Contract {
    let mut tool = json!({"name": "t", "inputSchema": {"type": "object"}});
    if let Some(output) = output {
        tool["outputSchema"] = output.clone();
    }
    Contract::parse(RawJson::from_value(&tool).unwrap()).unwrap()
}

fn shown(verdict: &Verdict) -> String {
    let mut words = vec![match &verdict.status {
        Status::Unchecked { reason } | Status::Malformed { reason } => {
            format!("{}({reason})", verdict.status.as_str())
        }
        status => status.as_str().to_owned(),
    }];
    words.extend(verdict.error_code().map(|code| code.to_string()));
    if verdict.is_refused() {
        words.push("refused".to_owned());
    }
    words.extend(verdict.notes.iter().cloned());
    words.extend(verdict.recovered.iter().map(|raw| format!("= {}", raw.text())));
    words.join(" ")
}

#[test]
fn the_edge_matrix() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../tests/cases/verdicts.json")).unwrap();
    let cache = SchemaCache::default();
    for case in cases {
        let contract = contract(case.output.as_ref());
        let result = ToolResult::parse(RawJson::parse(case.result.get()).unwrap()).unwrap();
        let judged = |mode: Mode, forbid_unschematised: bool| {
            let options = JudgeOptions {
                mode,
                forbid_unschematised,
                era: Some(Era::Legacy),
                ..JudgeOptions::default()
            };
            shown(&judge(&contract, &result, &options, &cache))
        };
        assert_eq!(judged(Mode::Warn, false), case.warn, "{}, warn", case.name);
        assert_eq!(judged(Mode::Strict, false), case.strict, "{}, strict", case.name);
        assert_eq!(judged(Mode::Off, false), case.off.as_deref().unwrap_or("off"), "{}, off", case.name);
        if let Some(expected) = &case.forbid {
            assert_eq!(&judged(Mode::Warn, true), expected, "{}, forbid", case.name);
        }
    }
}

fn judge_raw(output: &Value, result: &str, options: &JudgeOptions) -> Verdict {
    let result = ToolResult::parse(RawJson::parse(result).unwrap()).unwrap();
    judge(&contract(Some(output)), &result, options, &SchemaCache::default())
}

#[test]
fn the_modern_era_notes_no_roots() {
    let options = JudgeOptions { era: Some(Era::Modern), ..JudgeOptions::default() };
    let verdict =
        judge_raw(&json!({"type": "array"}), r#"{"content": [], "structuredContent": []}"#, &options);
    assert_eq!(shown(&verdict), "valid");
}

#[test]
fn numbers_that_a_double_can_not_hold_are_noted() {
    let numbers = |text: &str| {
        let result = format!(r#"{{"content": [], "structuredContent": {{"n": {text}}}}}"#);
        shown(&judge_raw(
            &json!({"type": "object", "properties": {"n": {"type": "number"}}}),
            &result,
            &JudgeOptions::default(),
        ))
    };
    assert_eq!(numbers("1e400"), "valid number_out_of_range");
    assert_eq!(
        numbers("[1e400, 123456789012345678901234567890]"),
        "invalid -32602 number_out_of_range precision_loss"
    );
    assert_eq!(numbers("1.10"), "valid");
}

#[test]
fn a_value_too_deep_to_read_is_unchecked() {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let result = format!(r#"{{"content": [], "structuredContent": {deep}}}"#);
    let verdict = judge_raw(&json!({"type": "array"}), &result, &JudgeOptions::default());
    assert_eq!(shown(&verdict), "unchecked(JSON nests deeper than 128 levels)");
}

#[test]
fn a_schema_that_can_not_be_read_is_unchecked_and_strict_refuses() {
    let deep = format!("{}1{}", r#"{"not":"#.repeat(200), "}".repeat(200));
    let tool = format!(r#"{{"name": "t", "outputSchema": {deep}}}"#);
    let contract = Contract::parse(RawJson::parse(&tool).unwrap()).unwrap();
    let judged = |mode: Mode, result: &str| {
        let result = ToolResult::parse(RawJson::parse(result).unwrap()).unwrap();
        let options = JudgeOptions { mode, ..JudgeOptions::default() };
        let verdict = judge_at_once(&contract, &result, &options, &SchemaCache::default());
        shown(&verdict.unwrap())
    };
    let reason = "unchecked(the schema can't be read: JSON nests deeper than 128 levels)";
    let structured = r#"{"content": [], "structuredContent": {"any": "thing"}}"#;
    assert_eq!(judged(Mode::Warn, structured), reason);
    assert_eq!(judged(Mode::Strict, structured), format!("{reason} refused"));
    assert_eq!(judged(Mode::Strict, r#"{"content": []}"#), format!("{reason} refused missing_structured"));
}

#[test]
fn a_value_too_large_to_read_is_unchecked() {
    let result =
        |bytes: usize| format!(r#"{{"content": [], "structuredContent": "{}"}}"#, "x".repeat(bytes - 2));
    let judged = |bytes: usize| {
        shown(&judge_raw(&json!({"type": "string"}), &result(bytes), &JudgeOptions::default()))
    };
    assert_eq!(judged(16 << 20), "valid");
    assert_eq!(judged((16 << 20) + 1), "unchecked(JSON of 16777217 bytes; the limit is 16777216)");
}

#[test]
fn listing_compiles_nothing_and_calls_compile_once() {
    let cache = SchemaCache::default();
    let contract = contract(Some(&json!({"type": "object"})));
    assert_eq!(cache.compilations(), 0);
    let result =
        ToolResult::parse(RawJson::parse(r#"{"content": [], "structuredContent": {}}"#).unwrap()).unwrap();
    for _ in 0..2 {
        judge(&contract, &result, &JudgeOptions::default(), &cache);
    }
    assert_eq!(cache.compilations(), 1);
}

#[test]
fn a_tool_that_is_declared_anew_without_its_bad_schema_is_fine_again() {
    let cache = SchemaCache::default();
    let result =
        ToolResult::parse(RawJson::parse(r#"{"content": [], "structuredContent": {}}"#).unwrap()).unwrap();
    let judged =
        |output: &Value| judge(&contract(Some(output)), &result, &JudgeOptions::default(), &cache).status;
    assert!(matches!(judged(&json!({"type": "strin"})), Status::Unchecked { .. }));
    assert_eq!(judged(&json!({"type": "object"})), Status::Valid);
}

#[test]
fn the_verdict_object() {
    let options = JudgeOptions { era: Some(Era::Modern), ..JudgeOptions::default() };
    let schema = json!({"type": "object", "properties": {"a": {"items": {"type": "string"}}}});
    let many = format!(r#"{{"content": [], "structuredContent": {{"a": [{}0]}}}}"#, "1,".repeat(11));
    let mut verdict = judge_raw(&schema, &many, &options);
    verdict.ms = Some(7);
    let object = verdict.to_json();
    let keys: Vec<&String> = object.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "status",
            "code",
            "tool",
            "schema_hash",
            "dialect",
            "mode",
            "era",
            "errors",
            "total_errors",
            "truncated",
            "notes",
            "ms"
        ]
    );
    assert_eq!(object["errors"].as_array().unwrap().len(), 10);
    assert_eq!(
        object["errors"][0],
        json!({
            "instance_path": "/a/0",
            "schema_path": "/properties/a/items/type",
            "keyword": "type",
            "message": "expected string, got 1",
            "value_excerpt": "1",
        })
    );
    assert_eq!(object["code"], -32602);
    assert_eq!(
        verdict.refusal().as_deref(),
        Some("at /a/0: expected string, got 1, and 11 more (code -32602)")
    );
    let rest = |key: &str| object[key].clone();
    assert_eq!(
        [
            rest("status"),
            rest("tool"),
            rest("dialect"),
            rest("mode"),
            rest("era"),
            rest("total_errors"),
            rest("truncated"),
            rest("ms")
        ],
        [
            json!("invalid"),
            json!("t"),
            json!("2020-12"),
            json!("warn"),
            json!("modern"),
            json!(12),
            json!(true),
            json!(7)
        ]
    );
    assert_eq!(rest("schema_hash").as_str().map(str::len), Some(64));
    let unchecked = judge_raw(&json!(true), r#"{"content": []}"#, &options).to_json();
    assert_eq!(unchecked["reason"], "the schema is a boolean, not an object");
    assert_eq!(unchecked.get("code"), None);
    let missing = judge_raw(&json!({"type": "object"}), r#"{"content": []}"#, &options);
    assert_eq!(missing.to_json()["code"], -32600);
    assert_eq!(missing.refusal().as_deref(), Some("expected structured content, got none (code -32600)"));
}

/// What is said at once of a result, once the schema is compiled; `later` if nothing is.
#[track_caller]
fn check_at_once(output: Option<Value>, result: &Value, mode: Mode, expected: &str) {
    let (contract, cache) = (contract(output.as_ref()), SchemaCache::default());
    let options = JudgeOptions { mode, ..JudgeOptions::default() };
    let result = ToolResult::parse(RawJson::from_value(result).unwrap()).unwrap();
    let judged = || judge_at_once(&contract, &result, &options, &cache);
    let is_compiled = output.is_none() || result.is_error || mode == Mode::Off;
    assert_eq!(judged().is_some(), is_compiled, "compiling takes its time");
    let verdict = judge(&contract, &result, &options, &cache);
    let at_once = judged();
    assert_eq!(at_once.as_ref().map_or("later", |verdict| verdict.status.as_str()), expected);
    assert!(at_once.is_none_or(|at_once| at_once == verdict));
}

#[test]
fn small_and_clear_results_are_judged_at_once() {
    let numbers = || Some(json!({"type": "array", "items": {"type": "integer"}}));
    let structured = |value: Value| json!({"content": [], "structuredContent": value});
    check_at_once(None, &structured(json!([1])), Mode::Warn, "no_schema");
    check_at_once(numbers(), &json!({"content": [], "isError": true}), Mode::Warn, "tool_error");
    check_at_once(numbers(), &structured(json!([1])), Mode::Off, "off");
    check_at_once(Some(json!({"$ref": "http://x/"})), &structured(json!([1])), Mode::Warn, "unchecked");
    check_at_once(numbers(), &structured(json!([1])), Mode::Warn, "valid");
    check_at_once(numbers(), &structured(json!(["one"])), Mode::Warn, "invalid");
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    check_at_once(numbers(), &text("[1]"), Mode::Warn, "recovered_from_text");
    check_at_once(numbers(), &text("no [1"), Mode::Warn, "missing");

    let many: Vec<u32> = (0..15_000).collect();
    check_at_once(numbers(), &structured(json!(many)), Mode::Warn, "valid");
    let mut wrong = json!(many);
    wrong[9_000] = json!("one");
    check_at_once(numbers(), &structured(wrong), Mode::Warn, "later");
    check_at_once(numbers(), &text(&json!(many).to_string()), Mode::Warn, "later");
    check_at_once(numbers(), &text(&json!(many).to_string()), Mode::Strict, "missing");
    let too_many: Vec<u32> = (0..30_000).collect();
    check_at_once(numbers(), &structured(json!(too_many)), Mode::Warn, "later");

    // How long it takes by a schema that refers to itself is known only when it is done.
    let tree = || Some(json!({"type": "object", "additionalProperties": {"$ref": "#"}}));
    check_at_once(tree(), &structured(json!({"a": {"b": {}}})), Mode::Warn, "valid");
    check_at_once(tree(), &structured(json!({"a": {"b": 1}})), Mode::Warn, "later");
}
