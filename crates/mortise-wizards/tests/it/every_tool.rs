//! What holds for every tool.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::time::{Duration, SystemTime};

use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};
use mortise_formats::format::ErrorCode;
use mortise_wizards::server;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::workbench::Workbench;

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

/// One call of every tool, each with what came of those before it.
async fn all_in_turn(bench: &Workbench) -> Vec<(String, Value)> {
    let wizards = server::all();
    let results = RefCell::new(Vec::new());
    let call = async |tool: &str, arguments: Value| {
        let result =
            bench.call(&wizards, tool, arguments).await.unwrap_or_else(|error| panic!("{tool}: {error}"));
        results.borrow_mut().push((tool.to_owned(), result.clone()));
        result
    };
    let file = "orders/2024-01-01.csv";
    let files = json!([file, "orders/2024-01-02.csv"]);
    let paths = json!([
        "d/mission_042/2024-01-15/a.csv",
        "d/mission_043/2024-01-16/b.csv",
        "d/mission_044/2024-01-17/c.csv"
    ]);
    call("quick_scan", json!({"path": "."})).await;
    call("preview_files", json!({"files": files})).await;
    call("read_sample", json!({"file_path": file})).await;
    let scope =
        call("apply_scope", json!({"name": "orders", "files": files})).await["scope"]["scope_id"].clone();
    let found = call("discover_schemas", json!({"files": files, "scope_id": scope})).await;
    let columns = json!([{"name": "id", "data_type": "int64"}, {"name": "day", "data_type": "date", "format": "%d/%m/%Y"},
        {"name": "note", "data_type": "string", "nullable": true}]);
    let schema = json!({"discovery_id": found["schemas"][0]["discovery_id"], "name": "orders", "output_table_name": "orders", "columns": columns});
    let approved = call("approve_schemas", json!({"scope_id": scope, "schemas": [schema]})).await;
    let nullable = json!({"contract_id": approved["contract_id"], "amendment_type": "nullability_change", "column": "id"});
    call("propose_amendment", nullable).await;
    call("recognize_semantic_path", json!({"sample_paths": paths})).await;
    call(
        "generate_rule_from_semantic",
        json!({"expression": "year_folder > files", "sample_paths": ["a/2024/x"]}),
    )
    .await;
    call("list_semantic_primitives", json!({})).await;
    call("find_similar_sources", json!({"expression": "entity_folder(x) > files"})).await;
    let hint = "compute weekday from date";
    call("generate_extractor", json!({"sample_paths": paths, "hint": hint})).await;
    let parser =
        call("generate_parser", json!({"file_path": file, "target_schema": approved["contract_id"]})).await;
    let error =
        json!({"file_path": file, "error_type": "null_value", "message": "m", "column": "id", "value": ""});
    call("refine_parser", json!({"current_code": parser["code"], "errors": [error]})).await;
    let failure = json!({"file_path": file, "error": "bad format", "category": "FormatMismatch"});
    call("fix_parser", json!({"parser_code": parser["code"], "failures": [failure]})).await;
    call("run_backtest", json!({"scope_id": scope, "draft_id": parser["draft_id"]})).await;
    let written = call("execute_pipeline", json!({"scope_id": scope, "draft_id": parser["draft_id"]})).await;
    call(
        "query_output",
        json!({"source": written["file_results"][0]["output_file"], "sql": "select id order by id desc"}),
    )
    .await;
    call("commit_draft", json!({"draft_id": parser["draft_id"]})).await;
    call("list_drafts", json!({})).await;
    call("list_pending_review", json!({"type": "unmatched_files"})).await;
    results.into_inner()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_keeps_its_schema_and_repeats_itself_to_the_byte() {
    let run = async || {
        let bench = Workbench::new();
        for day in 1..=2 {
            let name = format!("orders/2024-01-0{day}.csv");
            bench.write(&name, format!("id,day,note\n{day},15/01/2024,a\n2,16/01/2024,\n"));
            let file = File::options().write(true).open(bench.root().join(&name)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)).unwrap();
        }
        let root = bench.root().canonicalize().unwrap();
        let results = all_in_turn(&bench).await;
        for (tool, result) in &results {
            let wizard = server::all().into_iter().find(|wizard| wizard.name() == tool).unwrap();
            let schema = CompiledSchema::compile(wizard.output_schema(), &SchemaOptions::default()).unwrap();
            assert_eq!(schema.validate(result), Validation::Valid, "{tool}: {result:#}");
        }
        let text = |(tool, mut result): (String, Value)| {
            result.as_object_mut().unwrap().shift_remove("duration_ms");
            for file in result["file_results"].as_array_mut().into_iter().flatten() {
                file.as_object_mut().unwrap().shift_remove("duration_ms");
            }
            (tool, result.to_string().replace(root.to_str().unwrap(), "ROOT"))
        };
        results.into_iter().map(text).collect::<Vec<_>>()
    };
    let (first, second) = (run().await, run().await);
    for (one, other) in first.iter().zip(&second) {
        assert_eq!(one, other);
    }
    let called: BTreeSet<String> = first.into_iter().map(|(tool, _)| tool).collect();
    let all: BTreeSet<String> = server::all().iter().map(|wizard| wizard.name().to_owned()).collect();
    assert_eq!(called, all);
}
