use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};

fn examples() -> [ToolOutputFormat; 6] {
    let hybrid = |python_code: Option<&str>| ToolOutputFormat::Hybrid {
        yaml_rule: "version: 1".to_owned(),
        python_code: python_code.map(str::to_owned),
        decision_reason: "why".to_owned(),
        complexity: Complexity::Medium,
    };
    [
        ToolOutputFormat::Code {
            code: "x = 1".to_owned(),
            language: "python".to_owned(),
            description: "Sets x.".to_owned(),
        },
        ToolOutputFormat::YamlRule {
            yaml: "version: 1".to_owned(),
            schema_version: EXTRACTION_RULES_V1.to_owned(),
            metadata: Some(json!({"a": [1]})),
        },
        hybrid(None),
        hybrid(Some("def extract(path): return {}")),
        ToolOutputFormat::Metadata {
            data: json!({"file_count": 4}),
            format_version: "quick_scan.v1".to_owned(),
        },
        ToolOutputFormat::Metadata { data: json!([1]), format_version: "list.v1".to_owned() },
    ]
}

#[track_caller]
fn check_error(value: Value, expected: &str) {
    let error = ToolOutputFormat::parse(&value).expect_err("must be refused");
    assert_eq!(error.to_string(), expected);
}

#[track_caller]
fn check_schema(schema: &Value, value: &Value) {
    let compiled = CompiledSchema::compile(schema, &SchemaOptions::default()).expect("schema");
    assert!(matches!(compiled.validate(value), Validation::Valid), "{value} against {schema}");
}

#[test]
fn both_forms_are_read_back_and_fit_their_schemas() {
    for example in examples() {
        let standalone = example.to_standalone();
        let flat = Value::Object(example.to_flat());
        assert_eq!(ToolOutputFormat::parse(&standalone).as_ref(), Ok(&example));
        assert_eq!(ToolOutputFormat::parse(&flat).as_ref(), Ok(&example));
        check_schema(&standalone_schema(example.kind()), &standalone);
        check_schema(&flat_schema(example.kind()), &flat);
    }
}

#[test]
fn the_forms_are_as_documented() {
    let [code, rule, hybrid, ..] = examples();
    assert_eq!(
        code.to_standalone(),
        json!({"format": "code", "code": "x = 1", "language": "python", "description": "Sets x."})
    );
    assert_eq!(
        Value::Object(code.to_flat()),
        json!({"format": "code", "code": "x = 1", "code_language": "python", "code_description": "Sets x."})
    );
    assert_eq!(
        Value::Object(rule.to_flat()),
        json!({"format": "yaml_rule", "yaml_rule": "version: 1", "schema_version": "extraction_rules.v1",
            "metadata": {"a": [1]}})
    );
    assert_eq!(
        hybrid.to_standalone(),
        json!({"format": "hybrid", "yaml_rule": "version: 1", "decision_reason": "why", "complexity": "medium"})
    );
}

#[test]
fn null_is_absent_for_optional_fields_and_missing_for_required_ones() {
    let absent =
        json!({"format": "hybrid", "yaml_rule": "a: 1", "decision_reason": "r", "complexity": "simple"});
    let mut null = absent.clone();
    null["python_code"] = Value::Null;
    assert_eq!(ToolOutputFormat::parse(&null), ToolOutputFormat::parse(&absent));
    let beside =
        json!({"format": "yaml_rule", "rule": {"name": "a"}, "schema_version": "extraction_rules.v1"});
    check_error(beside, "ERR_PARAM_MISSING at `yaml_rule`: `yaml_rule` is absent; the format requires it");
    let mut missing = absent;
    missing["yaml_rule"] = Value::Null;
    check_error(missing, "ERR_PARAM_MISSING at `yaml_rule`: `yaml_rule` is null; the format requires it");
}

#[test]
fn the_format_is_known_without_being_named() {
    for example in examples() {
        let mut flat = example.to_flat();
        flat.remove("format");
        assert_eq!(ToolOutputFormat::parse(&Value::Object(flat)), Ok(example));
    }
}

#[test]
fn older_names_of_the_rule_are_read() {
    for name in ["rule", "yaml", "yaml_rule", "extraction_rule"] {
        let value = json!({"format": "yaml_rule", name: "a: 1", "schema_version": "extraction_rules.v1"});
        let read = ToolOutputFormat::parse(&value);
        assert!(matches!(read, Ok(ToolOutputFormat::YamlRule { yaml, .. }) if yaml == "a: 1"), "{name}");
    }
}

#[test]
fn mixed_formats_are_refused() {
    check_error(
        json!({"format": "code", "code": "x", "yaml_rule": "a: 1"}),
        "ERR_FORMAT_MIXED at `code`: both `code` and `yaml_rule` are there; a result has one format",
    );
    check_error(
        json!({"code": "x", "python_code": "y"}),
        "ERR_FORMAT_MIXED at `code`: both `code` and `python_code` are there; a result has one format",
    );
    check_error(
        json!({"format": "yaml_rule", "yaml_rule": "a: 1", "python_code": "y"}),
        "ERR_FORMAT_MIXED at `python_code`: `python_code` belongs to `hybrid`, and the format is `yaml_rule`",
    );
    check_error(
        json!({"python_code": "y"}),
        "ERR_FORMAT_MIXED at `python_code`: `python_code` without `yaml_rule`; the rule is always there",
    );
}

#[test]
fn wrong_values_say_what_was_expected() {
    check_error(json!([1]), "ERR_PARAM_TYPE: the result is an array; expected an object");
    check_error(
        json!({"format": "text"}),
        "ERR_PARAM_RANGE at `format`: `text` is not a format; expected `code`, `yaml_rule`, `hybrid` or `metadata`",
    );
    check_error(
        json!({"format": "hybrid", "yaml_rule": "a: 1", "decision_reason": "r", "complexity": "Moderate"}),
        "ERR_PARAM_RANGE at `complexity`: `Moderate` is not a complexity; expected `simple`, `medium` or `complex`",
    );
    check_error(json!({"code": 1}), "ERR_PARAM_TYPE at `code`: `code` is a number; expected a string");
    check_error(
        json!({"result": 1}),
        "ERR_FORMAT_UNKNOWN at `format`: no `format`, and no field that shows it: `code`, `yaml_rule` or `format_version`",
    );
}

#[test]
fn an_error_body_omits_what_is_absent_and_fits_its_schema() {
    let small = ErrorBody::new(ErrorCode::NoPaths, "no paths", "give some");
    assert_eq!(
        small.to_value(),
        json!({"error_code": "ERR_NO_PATHS", "reason": "no paths", "suggestion": "give some"})
    );
    let full = small
        .clone()
        .with_subcode(Subcode::YamlSyntax)
        .at_field("a.b")
        .at_line(3)
        .at_column(4)
        .with_retryable(true)
        .with_details(vec![small; 30]);
    assert_eq!(full.details.len(), MAX_DETAILS);
    check_schema(&error_schema(), &full.to_value());
    assert_eq!(ErrorBody::parse(&full.to_value().to_string()).expect("reads"), full);
    assert_eq!(full.to_string(), "ERR_NO_PATHS (ERR_YAML_SYNTAX) at `a.b` on line 3, column 4: no paths");
}

#[test]
fn every_code_is_read_back() {
    for code in ErrorCode::ALL {
        assert_eq!(ErrorCode::parse(code.as_str()), Some(*code));
        assert!(code.as_str().starts_with("ERR_"));
    }
    assert_eq!(ErrorCode::parse("ERR_NONE"), None);
    assert_eq!(ErrorCode::ALL.len(), 52);
}

#[test]
fn client_types_read_results_with_and_without_nulls() {
    let absent = json!({"format": "hybrid", "draft_id": "0a1b2c3d", "yaml_rule": "version: 1",
        "decision_reason": "r", "complexity": "simple", "some_later_field": 1,
        "preview_results": [{"path": "a/b", "status": "COMPLETE", "fields": {"year": 2024}}]});
    let mut null = absent.clone();
    null["python_code"] = Value::Null;
    null["warnings"] = Value::Null;
    let read = PathfinderOutput::parse(&absent.to_string()).expect("reads");
    assert_eq!(PathfinderOutput::parse(&null.to_string()), Ok(read.clone()));
    assert_eq!(read.preview_results[0].status, PathStatus::Complete);
    let mut mixed = absent;
    mixed["code"] = json!("x");
    let error = PathfinderOutput::parse(&mixed.to_string()).expect_err("mixed");
    assert_eq!(error.error_code, ErrorCode::FormatMixed);
    let error = ParserOutput::parse("[]").expect_err("not an object");
    assert_eq!(error.error_code, ErrorCode::FormatMismatch);
}

proptest! {
    #[test]
    fn any_hybrid_survives_both_forms(yaml_rule: String, python_code: Option<String>, decision_reason: String) {
        let format =
            ToolOutputFormat::Hybrid { yaml_rule, python_code, decision_reason, complexity: Complexity::Complex };
        prop_assert_eq!(ToolOutputFormat::parse(&format.to_standalone()), Ok(format.clone()));
        prop_assert_eq!(ToolOutputFormat::parse(&Value::Object(format.to_flat())), Ok(format));
    }
}
