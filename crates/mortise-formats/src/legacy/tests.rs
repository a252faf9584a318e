use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};

use super::*;

fn adapt(value: Value) -> Adapted {
    from_legacy("old_tool", &value).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn yaml_python_and_json_find_their_formats() {
    let yaml = adapt(json!({"code_preview": "name: a\ntag: t\n"}));
    assert_eq!(
        yaml.format,
        ToolOutputFormat::Hybrid {
            yaml_rule: "name: a\ntag: t\n".to_owned(),
            python_code: None,
            decision_reason: "taken over from `code_preview`".to_owned(),
            complexity: Complexity::Medium,
        }
    );
    let python = adapt(json!({"parser_code": "```python\nimport csv\n```", "description": "Reads."}));
    assert_eq!(
        python.format,
        ToolOutputFormat::Code {
            code: "import csv\n".to_owned(),
            language: "python".to_owned(),
            description: "Reads.".to_owned(),
        }
    );
    let metadata = adapt(json!({"code_preview": "{\"a\": 1}"}));
    assert_eq!(
        metadata.format,
        ToolOutputFormat::Metadata { data: json!({"a": 1}), format_version: "old_tool.v1".to_owned() }
    );
    assert_eq!(
        python.warning.message,
        "`parser_code` is deprecated and was read as python; it goes in 0.2.0, not before 2027-01-15"
    );
}

#[test]
fn a_null_beside_it_is_absent() {
    let null = adapt(json!({"code_preview": "a: 1", "python_code": null, "complexity": null}));
    assert_eq!(null, adapt(json!({"code_preview": "a: 1"})));
}

#[test]
fn what_nobody_can_tell_is_an_error() {
    let code = |value: Value| from_legacy("t", &value).expect_err("must be refused").error_code;
    assert_eq!(code(json!({"code_preview": "hello world"})), ErrorCode::FormatUnknown);
    assert_eq!(code(json!({"code_preview": null})), ErrorCode::FormatUnknown);
    assert_eq!(code(json!({"code_preview": "x", "language": "cobol"})), ErrorCode::FormatUnknown);
    assert_eq!(code(json!({"code_preview": "def f(:", "format": "code"})), ErrorCode::FormatMismatch);
    assert_eq!(code(json!("text")), ErrorCode::FormatUnknown);
}

#[test]
fn a_declared_language_wins_over_what_the_text_looks_like() {
    let adapted = adapt(json!({"code_preview": "name: foo", "language": "python"}));
    assert_eq!(adapted.format.kind(), FormatKind::Code);
}

#[test]
fn the_old_field_is_written_beside_the_new_ones_with_a_marker() {
    for (tool, kind, text, field, replacement) in [
        (
            "generate_extractor",
            FormatKind::Hybrid,
            "yaml_rule",
            "code_preview",
            json!(["yaml_rule", "python_code"]),
        ),
        ("generate_parser", FormatKind::Code, "code", "code_preview", json!(["code"])),
        ("refine_parser", FormatKind::Code, "code", "refined_code", json!(["code"])),
    ] {
        let Value::Object(mut result) = json!({text: "x", "draft_id": "d"}) else { panic!("an object") };
        assert!(add_legacy_field(tool, kind, &mut result));
        assert_eq!(
            Value::Object(result.clone()),
            json!({text: "x", "draft_id": "d", field: "x", "deprecation": {
                "field": field, "replacement": replacement, "removed_in": "0.2.0", "not_before": "2027-01-15"}})
        );
        let mut schema = json!({"type": "object", "additionalProperties": false,
            "properties": {text: {"type": "string"}, "draft_id": {"type": "string"}}});
        add_legacy_schema(tool, kind, &mut schema);
        assert_eq!(schema["properties"][field]["deprecated"], true);
        let compiled = CompiledSchema::compile(&schema, &SchemaOptions::default()).expect("compiles");
        assert!(matches!(compiled.validate(&Value::Object(result)), Validation::Valid));
    }
    assert!(!add_legacy_field("quick_scan", FormatKind::Metadata, &mut Map::new()));
}

#[test]
fn uses_are_counted_by_tool_and_format() {
    let uses = LegacyUse::default();
    assert_eq!(uses.counts().to_string(), "");
    uses.count_emitted("generate_parser");
    uses.count_emitted("generate_parser");
    uses.count_adapted("old_tool", FormatKind::Hybrid);
    assert_eq!(
        uses.counts().to_string(),
        "legacy_emitted{tool=generate_parser} 2, legacy_adapted{tool=old_tool,format=hybrid} 1"
    );
}

#[test]
fn a_tool_is_warned_of_once_and_the_end_says_how_often() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Level, Metadata, Subscriber};

    struct Warnings(Arc<AtomicUsize>);
    impl Subscriber for Warnings {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, event: &Event<'_>) {
            if *event.metadata().level() == Level::WARN {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    let warnings = Arc::new(AtomicUsize::new(0));
    tracing::subscriber::with_default(Warnings(warnings.clone()), || {
        let uses = LegacyUse::default();
        for tool in ["a", "a", "b", "a"] {
            uses.count_emitted(tool);
        }
        assert_eq!(warnings.load(Ordering::Relaxed), 2);
        uses.log();
        LegacyUse::default().log();
    });
    assert_eq!(warnings.load(Ordering::Relaxed), 3);
}

#[test]
fn the_window_is_sixty_days_and_one_minor_release() {
    let days = |date: &str| {
        let parts: Vec<i64> = date.split('-').map(|part| part.parse().expect("a number")).collect();
        let [year, month, day] = parts[..] else { panic!("a date") };
        // Days since 0000-03-01, with years that start in March.
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1
    };
    assert_eq!(days(NOT_BEFORE) - days(OPENED), 60);
    let version =
        |text: &str| text.split('.').map(|part| part.parse().expect("a number")).collect::<Vec<u32>>();
    // When this fails, this module and all that uses it goes.
    assert!(version(env!("CARGO_PKG_VERSION")) < version(REMOVED_IN));
}
