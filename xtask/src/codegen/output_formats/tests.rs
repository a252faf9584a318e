use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::calls::CALLS;
use super::layout::{laid_out, shortened, take_programs};
use super::redact::Redaction;

#[test]
fn what_differs_from_run_to_run_is_replaced() {
    let mut redaction = Redaction::new(Path::new("/x/y/data"));
    let first = json!({"draft_id": "deadbeefdeadbeefdeadbeefdeadbeef", "scope_id": "scope_0123abcd0123abcd0123abcd0123abcd", "source_id": "orders",
        "duration_ms": 17, "created_at": "now", "expires_at": "later", "files": [{"path": "/x/y/data/a.csv", "rows": 3}]});
    assert_eq!(
        redaction.value(&first),
        json!({"draft_id": "00000000000000000000000000000001", "scope_id": "scope_00000000000000000000000000000002", "source_id": "orders", "duration_ms": 1,
            "created_at": "2026-01-01T12:00:00Z", "expires_at": "2026-01-02T12:00:00Z",
            "files": [{"path": "/data/a.csv", "rows": 3}]})
    );
    assert_eq!(
        redaction.value(&json!({"contract_id": "contract_cafe0000cafe0000cafe0000cafe0000"}))["contract_id"],
        "contract_00000000000000000000000000000003"
    );
    assert_eq!(
        redaction.text("deadbeefdeadbeefdeadbeefdeadbeef in /x/y/data, cafe0000cafe0000cafe0000cafe0000"),
        "00000000000000000000000000000001 in /data, 00000000000000000000000000000003"
    );
}

#[test]
fn an_id_is_replaced_in_every_place_where_it_stands() {
    let mut redaction = Redaction::new(Path::new("/x"));
    let value = json!({"next": {"about": "commit deadbeefdeadbeefdeadbeefdeadbeef"}, "draft": {"id": "deadbeefdeadbeefdeadbeefdeadbeef"}});
    assert_eq!(
        redaction.value(&value),
        json!({"next": {"about": "commit 00000000000000000000000000000001"}, "draft": {"id": "00000000000000000000000000000001"}})
    );
}

#[test]
fn long_lists_end_with_how_many_more_there_are() {
    assert_eq!(shortened(&json!([1, 2, 3, 4])), json!([1, 2, 3, 4]));
    assert_eq!(shortened(&json!({"a": [1, 2, 3, 4, 5]})), json!({"a": [1, 2, 3, "… and 2 more"]}));
}

#[test]
fn programs_leave_their_place_in_a_result() {
    let mut result = json!({"yaml_rule": "version: 1\n", "reason": "a\nb", "warnings": [{"code": "WARN_X"}],
        "next": {"yaml_rule": "version: 1\n"}});
    let taken = take_programs(&mut result);
    assert_eq!(
        result,
        json!({"yaml_rule": "…", "reason": "a\nb", "warnings": [{"code": "WARN_X"}], "next": {"yaml_rule": "…"}})
    );
    let taken: Vec<(&str, &str, &str)> =
        taken.iter().map(|it| (it.member.as_str(), it.language, it.text.as_str())).collect();
    assert_eq!(taken, [("yaml_rule", "yaml", "version: 1\n")]);
}

#[test]
fn json_is_broken_only_where_a_line_is_too_long() {
    let short = json!({"a": [1, {"b": "c"}]});
    assert_eq!(laid_out(&short), r#"{"a": [1, {"b": "c"}]}"#);
    let (x, y) = ("x".repeat(60), "y".repeat(60));
    let long = json!({"a": 1, "b": [], "c": [x, y], "d": {}, "e": [1]});
    let text = laid_out(&long);
    assert_eq!(
        text,
        format!(
            "{{\n  \"a\": 1, \"b\": [],\n  \"c\": [\n    \"{x}\",\n    \"{y}\"\n  ],\n  \"d\": {{}},\n  \"e\": [1]\n}}"
        )
    );
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), long);
}

#[test]
fn two_calls_of_one_tool_are_told_apart() {
    let titles: BTreeSet<(&str, &str)> = CALLS.iter().map(|call| (call.tool, call.case)).collect();
    assert_eq!(titles.len(), CALLS.len());
}
