//! Which file has which table, and what is in it.

use std::fs;

use mortise_contract::format::ErrorCode;
use serde_json::{Value, json};

use crate::bench::Bench;

/// A contract for files with a whole number `n`.
async fn contract(bench: &Bench) -> Value {
    bench.file("n.csv", "n\n1\n");
    let scope = bench.call("apply_scope", json!({"name": "all", "files": ["n.csv"]})).await;
    let found = bench.call("discover_schemas", json!({"files": ["n.csv"]})).await;
    let schema = json!({"discovery_id": found["schemas"][0]["discovery_id"], "name": "n", "output_table_name": "n",
        "columns": [{"name": "n", "data_type": "int64"}]});
    let approve = json!({"scope_id": scope["scope"]["scope_id"], "schemas": [schema]});
    bench.call("approve_schemas", approve).await["contract_id"].clone()
}

async fn run(bench: &Bench, contract: &Value, files: &[&str], mode: &str) -> Value {
    let config = json!({"mode": mode, "output_format": "csv", "overwrite": mode == "full"});
    let arguments = json!({"files": files, "contract_id": contract, "config": config});
    bench.call("execute_pipeline", arguments).await
}

fn tables(done: &Value) -> Vec<String> {
    let name = |result: &Value| {
        let path = result["output_file"].as_str().unwrap_or("none");
        path.rsplit('/').next().unwrap().to_owned()
    };
    done["file_results"].as_array().unwrap().iter().map(name).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_keeps_its_table_from_run_to_run() {
    let bench = Bench::new();
    let contract = contract(&bench).await;
    bench.file("a.tsv", "n\n1\n");
    bench.file("a.ndjson", "{\"n\": 2}\n{\"n\": 3}\n");
    let first = run(&bench, &contract, &["a.tsv"], "incremental").await;
    assert_eq!((tables(&first), &first["total_rows"]), (vec!["a.csv".to_owned()], &json!(1)));
    // Another file with the same stem is not taken for the one before.
    for mode in ["incremental", "full"] {
        let other = run(&bench, &contract, &["a.ndjson"], mode).await;
        assert_eq!((tables(&other), &other["total_rows"]), (vec!["a.ndjson.csv".to_owned()], &json!(2)));
    }
    let both = run(&bench, &contract, &["a.tsv", "a.ndjson"], "incremental").await;
    assert_eq!(
        (tables(&both), &both["files_skipped"]),
        (vec!["a.csv".to_owned(), "a.ndjson.csv".to_owned()], &json!(2))
    );
    // Files that came together keep their names when one comes alone.
    bench.file("b.tsv", "n\n1\n");
    bench.file("b.ndjson", "{\"n\": 2}\n");
    let both = run(&bench, &contract, &["b.tsv", "b.ndjson"], "incremental").await;
    assert_eq!(tables(&both), ["b.tsv.csv", "b.ndjson.csv"]);
    let one = run(&bench, &contract, &["b.tsv"], "incremental").await;
    assert_eq!((tables(&one), &one["files_skipped"]), (vec!["b.tsv.csv".to_owned()], &json!(1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_run_has_written_is_not_renewed() {
    let bench = Bench::new();
    let contract = contract(&bench).await;
    bench.file("a.tsv", "n\n1\n");
    let theirs = bench.wizards.options.output.join("a.csv");
    fs::write(&theirs, "theirs").unwrap();
    for _ in 0..2 {
        bench.file("a.tsv", "n\n1\n");
        let done = run(&bench, &contract, &["a.tsv"], "incremental").await;
        assert_eq!((&done["files_failed"], &done["files_skipped"]), (&json!(1), &json!(0)), "{done:#}");
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_leaves_nothing_behind() {
    let bench = Bench::new();
    let contract = contract(&bench).await;
    let folder = bench.wizards.options.state.join("tables");
    run(&bench, &contract, &["n.csv"], "dry_run").await;
    assert!(!folder.exists());
    run(&bench, &contract, &["n.csv"], "incremental").await;
    assert!(folder.exists());
    fs::write(folder.join("assigned.json"), "{}").unwrap();
    let arguments = json!({"files": ["n.csv"], "contract_id": contract});
    assert_eq!(bench.code_of_refusal("execute_pipeline", arguments).await, ErrorCode::Io);
}
