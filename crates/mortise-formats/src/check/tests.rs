use serde_json::json;

use super::*;

const RULE: &str = "version: 1\nrules:\n  - {name: a, glob: '*.csv', tag: t}\n";
const EXTRACT: &str = "def extract(path: str) -> dict:\n    return {'a': path}\n";
const PARSER: &str = "TOPIC = 'a'\nSINK = 'csv'\ndef parse(file_path: str):\n    return []\n";

/// The rules that hold, and those that are broken with the first reason.
fn found(answer: Value, tool: Option<&str>) -> Vec<String> {
    let report = check(&answer, tool);
    let rows = report.rules.iter().filter_map(|(rule, outcome)| match outcome {
        RuleOutcome::Holds => Some(format!("{} ok", rule.as_str())),
        RuleOutcome::Broken(errors) => {
            Some(format!("{} {}: {}", rule.as_str(), errors[0].error_code, errors[0].reason))
        }
        RuleOutcome::NotApplicable => None,
    });
    rows.collect()
}

fn hybrid() -> Value {
    json!({"format": "hybrid", "yaml_rule": RULE, "python_code": EXTRACT, "decision_reason": "why", "complexity": "complex"})
}

#[test]
fn results_of_all_formats_hold() {
    let code =
        json!({"format": "code", "code": PARSER, "code_language": "python", "code_description": "Reads."});
    assert_eq!(found(code, Some("generate_parser")), ["code ok", "one_format ok", "presence ok"]);
    let rule = json!({"format": "yaml_rule", "yaml_rule": RULE, "schema_version": "extraction_rules.v1", "expression": "files"});
    assert_eq!(found(rule, None), ["yaml_rule ok", "one_format ok", "presence ok"]);
    assert_eq!(found(hybrid(), Some("generate_extractor")), ["hybrid ok", "one_format ok", "presence ok"]);
    let metadata = json!({"format": "metadata", "format_version": "quick_scan.v1", "file_count": 4});
    assert_eq!(found(metadata, Some("quick_scan")), ["metadata ok", "one_format ok", "presence ok"]);
}

#[test]
fn a_whole_answer_is_looked_into() {
    let value = hybrid();
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "content": [{"type": "text", "text": value.to_string()}, {"type": "text", "text": "feedback"}],
        "structuredContent": value}});
    assert_eq!(found(answer, None), ["hybrid ok", "one_format ok", "presence ok", "transport ok"]);
    let called = json!({"tool": "generate_parser", "verdict": {}, "result": {
        "content": [{"type": "text", "text": value.to_string()}], "structuredContent": value}});
    assert!(found(called, None)[0].starts_with("hybrid ERR_FORMAT_MIXED"));
    let unequal = json!({"content": [{"type": "text", "text": "{}"}], "structuredContent": value});
    assert_eq!(
        found(unequal, None)[3],
        "transport ERR_INTERNAL_CONTRACT: the first text block and `structuredContent` differ"
    );
    let unstructured = json!({"content": [{"type": "text", "text": value.to_string()}]});
    assert_eq!(
        found(unstructured, None)[3],
        "transport ERR_INTERNAL_CONTRACT: `structuredContent` is absent"
    );
    let prose = json!({"content": [{"type": "text", "text": "done"}]});
    assert_eq!(
        found(prose, None),
        ["one_format ERR_FORMAT_UNKNOWN: the result is neither structured nor JSON in its first text block"]
    );
}

#[test]
fn code_must_parse_be_described_and_keep_the_bridge_protocol() {
    let with = |code: &str, language: &str, description: &str| json!({"format": "code", "code": code, "code_language": language, "code_description": description});
    assert!(found(with("x = (", "python", "d"), None)[0].starts_with("code ERR_PYTHON_SYNTAX"));
    assert_eq!(
        found(with("x = 1", "python", " "), None)[0],
        "code ERR_PARAM_MISSING: `code_description` is empty"
    );
    assert_eq!(found(with("x = 1", "python", "d"), None)[0], "code ok");
    assert!(
        found(with("x = 1", "python", "d"), Some("generate_parser"))[0]
            .starts_with("code ERR_BRIDGE_PROTOCOL")
    );
    let mut promised = with("x = 1", "python", "d");
    promised["validation_results"] = json!({"bridge": {"valid": true}});
    assert!(found(promised, None)[0].starts_with("code ERR_BRIDGE_PROTOCOL"));
    let report = check(&with("fn main() {}", "rust", "d"), None);
    assert_eq!(report.notes, ["the rust in `code` was not parsed; only Python is"]);
    assert!(report.holds());
    assert_eq!(
        found(json!({"format": "code", "code": "x", "code_language": null}), None),
        [
            "code ERR_PARAM_MISSING: `code_language` is null; the format requires it",
            "presence ERR_PARAM_TYPE: `code_language` is null"
        ]
    );
}

#[test]
fn old_fields_are_broken_unless_announced() {
    let old = json!({"draft_id": "d", "code_preview": "import csv"});
    assert_eq!(found(old, None)[0], "code ERR_PARAM_UNKNOWN: `code_preview` does not say what it holds");
    let mut beside = hybrid();
    beside["code_preview"] = json!(RULE);
    assert!(found(beside.clone(), None)[0].starts_with("hybrid ERR_PARAM_UNKNOWN"));
    beside["deprecation"] = json!({"field": "code_preview"});
    assert_eq!(found(beside, None)[0], "hybrid ok");
}

#[test]
fn rules_must_conform() {
    let with = |name: &str, rule: &str| json!({"format": "yaml_rule", name: rule, "schema_version": "extraction_rules.v1"});
    assert_eq!(
        found(with("yaml_rule", "name: a\ntag: t\n"), None)[0],
        "yaml_rule ERR_YAML_INVALID: neither `glob` nor `semantic`; a rule says which paths it is for"
    );
    assert_eq!(
        found(with("extraction_rule", RULE), None)[0],
        "yaml_rule ERR_PARAM_UNKNOWN: the rule is in a field with an older name"
    );
    let other = json!({"format": "yaml_rule", "yaml_rule": "a: 1", "schema_version": "other.v2"});
    assert_eq!(check(&other, None).notes, ["`other.v2` is not known here; only the YAML was parsed"]);
}

#[test]
fn a_hybrid_keeps_all_its_parts() {
    let with = |field: &str, value: Value| {
        let mut hybrid = hybrid();
        hybrid[field] = value;
        hybrid
    };
    assert!(found(with("yaml_rule", json!("a: [")), None)[0].starts_with("hybrid ERR_YAML_INVALID"));
    assert!(
        found(with("python_code", json!("import socket")), None)[0]
            .starts_with("hybrid ERR_PYTHON_FORBIDDEN")
    );
    assert_eq!(
        found(with("decision_reason", json!("")), None)[0],
        "hybrid ERR_PARAM_MISSING: `decision_reason` is empty"
    );
    assert!(found(with("complexity", json!("Complex")), None)[0].starts_with("hybrid ERR_PARAM_RANGE"));
    assert_eq!(
        found(hybrid(), Some("generate_parser"))[0],
        "hybrid ERR_FORMAT_MIXED: `generate_parser` returns a rule with code; only `generate_extractor` does"
    );
    assert_eq!(
        found(with("python_code", Value::Null), None),
        ["hybrid ok", "one_format ok", "presence ERR_PARAM_TYPE: `python_code` is null"]
    );
}

#[test]
fn metadata_is_structured_and_versioned() {
    let with =
        |version: &str| json!({"format": "metadata", "format_version": version, "rows": [{"cell": "[1]"}]});
    assert_eq!(found(with("quick_scan.v1"), None)[0], "metadata ok");
    assert_eq!(
        found(with("1"), None)[0],
        "metadata ERR_PARAM_RANGE: `format_version` is `1`; expected `<tool>.v1`"
    );
    assert_eq!(
        found(with("a.v1"), Some("b"))[0],
        "metadata ERR_PARAM_RANGE: `format_version` is `a.v1`; expected `b.v1`"
    );
    let hidden = json!({"format": "metadata", "format_version": "a.v1", "report": "{\"a\": 1}"});
    assert_eq!(found(hidden, None)[0], "metadata ERR_PARAM_TYPE: `report` is JSON inside a string");
}

#[test]
fn mixed_formats_are_one_error() {
    let mixed = json!({"format": "code", "code": "x = 1", "yaml_rule": RULE});
    assert_eq!(
        found(mixed, None)[0],
        "one_format ERR_FORMAT_MIXED: both `code` and `yaml_rule` are there; a result has one format"
    );
    assert!(found(json!([1]), None)[0].starts_with("one_format ERR_PARAM_TYPE"));
}

#[test]
fn errors_have_a_body_and_no_structured_value() {
    let error = |text: &str| json!({"isError": true, "content": [{"type": "text", "text": text}]});
    let good = r#"{"error_code": "ERR_NO_PATHS", "reason": "none", "suggestion": "give some"}"#;
    assert_eq!(found(error(good), None), ["errors ok"]);
    assert!(check(&error(good), None).is_error);
    assert!(
        found(error("it failed"), None)[0]
            .starts_with("errors ERR_FORMAT_MISMATCH: the first text block is not an error body")
    );
    assert_eq!(
        found(error(r#"{"error_code": "ERR_NO_PATHS", "reason": "", "suggestion": "x"}"#), None)[0],
        "errors ERR_PARAM_MISSING: `reason` is empty"
    );
    let mut structured = error(good);
    structured["structuredContent"] = json!({"a": 1});
    assert!(found(structured, None)[0].starts_with("errors ERR_INTERNAL_CONTRACT"));
    assert_eq!(
        found(json!({"isError": true, "content": []}), None)[0],
        "errors ERR_PARAM_MISSING: the error has no text block"
    );
}

#[test]
fn a_null_is_found_wherever_it_is_except_in_data() {
    let result = json!({
        "format": "metadata",
        "format_version": "query_output.v1",
        "rows": [[1, null], {"a": null}],
        "questions": [{"id": "a"}, {"id": "b", "context": null}],
        "workflow": {"progress": null, "next_actions": [null]},
    });
    let report = check(&result, None);
    let RuleOutcome::Broken(errors) = report.outcome(FormatRule::Presence) else { panic!("{report:?}") };
    let mut fields: Vec<&str> = errors.iter().filter_map(|error| error.field.as_deref()).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["questions[1].context", "workflow.progress"]);
}

#[test]
fn a_report_is_json_without_nulls() {
    let report = check(&json!({"format": "metadata", "format_version": "a.v1"}), None).to_value();
    assert_eq!(report["ok"], true);
    assert_eq!(report["format"], "metadata");
    assert_eq!(report["rules"][3], json!({"rule": "metadata", "status": "ok", "number": 4}));
    assert_eq!(report["rules"][0]["status"], "not_applicable");
    assert!(report.get("notes").is_none());
}
