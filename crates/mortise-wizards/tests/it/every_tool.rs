//! What holds for every tool.

use mortise_contract::format::ErrorCode;
use mortise_wizards::server;
use serde_json::{Value, json};

use crate::bench::Bench;

#[test]
fn every_tool_declares_what_it_takes_and_returns() {
    for wizard in server::all() {
        let (input, output) = (wizard.input_schema(), wizard.output_schema());
        assert_eq!(
            (&input["type"], &output["type"]),
            (&json!("object"), &json!("object")),
            "{}",
            wizard.name()
        );
        for schema in [input, output] {
            assert_eq!(schema["additionalProperties"], false, "{}", wizard.name());
            assert!(
                ["anyOf", "oneOf", "allOf"].iter().all(|word| schema.get(word).is_none()),
                "{}",
                wizard.name()
            );
        }
    }
}

#[tokio::test]
async fn every_tool_refuses_an_unknown_argument() {
    let bench = Bench::new();
    for wizard in server::all() {
        let refused = bench.refused(wizard.name(), json!({"no_such_argument": 1})).await;
        let codes: Vec<ErrorCode> =
            std::iter::once(&refused).chain(&refused.details).map(|error| error.error_code).collect();
        assert!(codes.contains(&ErrorCode::ParamUnknown), "{}: {refused:?}", wizard.name());
    }
}

#[test]
fn the_server_has_all_of_them() {
    let bench = Bench::new();
    server::server(&bench.wizards).unwrap();
    let names: Vec<String> = server::all().iter().map(|wizard| wizard.name().to_owned()).collect();
    for name in [
        "quick_scan",
        "preview_files",
        "apply_scope",
        "discover_schemas",
        "approve_schemas",
        "propose_amendment",
        "read_sample",
        "generate_parser",
        "refine_parser",
        "fix_parser",
        "run_backtest",
        "execute_pipeline",
        "query_output",
        "commit_draft",
        "list_drafts",
        "recognize_semantic_path",
        "generate_rule_from_semantic",
        "list_semantic_primitives",
        "find_similar_sources",
        "generate_extractor",
    ] {
        assert!(names.iter().any(|own| own == name), "{name} is missing: {names:?}");
    }
}

/// Times and ids differ from run to run, and nothing else.
fn without_times_and_ids(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for name in ["draft_id", "duration_ms", "execution_id", "suggested_params"] {
                members.shift_remove(name);
            }
            members.values_mut().for_each(without_times_and_ids);
        }
        Value::Array(items) => items.iter_mut().for_each(without_times_and_ids),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_runs_give_the_same_bytes() {
    let bench = Bench::new();
    let file = bench.file("orders.csv", "id,day,note\n1,15/01/2024,a\n2,16/01/2024,\n");
    let code = bench.call("generate_parser", json!({"file_path": file})).await["code"].clone();
    let calls = [
        ("generate_parser", json!({"file_path": file})),
        ("run_backtest", json!({"files": [file, "missing.csv"], "parser_code": code})),
        ("execute_pipeline", json!({"files": [file], "parser_code": code, "config": {"mode": "dry_run"}})),
        ("query_output", json!({"source": file, "sql": "select id order by id desc", "format": "table"})),
        (
            "refine_parser",
            json!({"current_code": code, "errors": [
                {"file_path": file, "error_type": "null_value", "message": "m", "column": "id", "value": ""},
            ]}),
        ),
        (
            "fix_parser",
            json!({"parser_code": code, "failures": [{"file_path": file, "error": "bad format"}]}),
        ),
    ];
    for (tool, arguments) in calls {
        let (mut first, mut second) =
            (bench.call(tool, arguments.clone()).await, bench.call(tool, arguments.clone()).await);
        without_times_and_ids(&mut first);
        without_times_and_ids(&mut second);
        assert_eq!(first.to_string(), second.to_string(), "{tool}");
    }
}
