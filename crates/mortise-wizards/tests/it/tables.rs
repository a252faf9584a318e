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
    fs::write(folder.join("assigned.jsonl"), "{}\n").unwrap();
    let arguments = json!({"files": ["n.csv"], "contract_id": contract});
    assert_eq!(bench.code_of_refusal("execute_pipeline", arguments).await, ErrorCode::Io);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_failed_has_no_table_of_its_own() {
    let bench = Bench::new();
    let contract = contract(&bench).await;
    bench.file("a.tsv", "n\nx\n");
    let failed = run(&bench, &contract, &["a.tsv"], "incremental").await;
    assert_eq!(failed["files_failed"], 1, "{failed:#}");
    // What somebody puts there now is theirs, even where it is older than the file.
    let theirs = bench.wizards.options.output.join("a.csv");
    fs::write(&theirs, "theirs").unwrap();
    bench.file("a.tsv", "n\n1\n");
    let refused = run(&bench, &contract, &["a.tsv"], "incremental").await;
    assert_eq!(refused["files_failed"], 1, "{refused:#}");
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
    // And another file may have the place.
    fs::remove_file(&theirs).unwrap();
    bench.file("a.ndjson", "{\"n\": 2}\n");
    let other = run(&bench, &contract, &["a.ndjson"], "incremental").await;
    assert_eq!(tables(&other), ["a.csv"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_after_a_failure_have_no_tables_of_their_own() {
    let bench = Bench::new();
    let contract = contract(&bench).await;
    for (name, text) in [("a.tsv", "n\n1\n"), ("b.tsv", "n\nx\n"), ("c.tsv", "n\n1\n")] {
        bench.file(name, text);
    }
    let config = json!({"output_format": "csv", "fail_fast": true, "max_workers": 1, "mode": "incremental"});
    let arguments = json!({"files": ["a.tsv", "b.tsv", "c.tsv"], "contract_id": contract, "config": config});
    let stopped = bench.call("execute_pipeline", arguments).await;
    assert_eq!((&stopped["files_succeeded"], &stopped["files_skipped"]), (&json!(1), &json!(1)));
    for name in ["a", "b", "c"] {
        bench.file(&format!("{name}.ndjson"), "{\"n\": 2}\n");
    }
    let others = run(&bench, &contract, &["a.ndjson", "b.ndjson", "c.ndjson"], "incremental").await;
    assert_eq!(tables(&others), ["a.ndjson.csv", "b.csv", "c.csv"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_with_nothing_to_do_says_so() {
    let bench = Bench::new();
    let contract = contract(&bench).await;
    bench.file("m.csv", "n\n1\n");
    let run = async |files: Value| {
        let config = json!({"mode": "incremental", "output_format": "parquet"});
        let arguments = json!({"files": files, "contract_id": contract, "config": config});
        bench.try_call("execute_pipeline", arguments).await.unwrap().1
    };
    assert_eq!(run(json!(["n.csv"])).await, "Written: 1 row of 1 file");
    assert_eq!(run(json!(["n.csv"])).await, "Nothing to write: 1 table is newer than its file");
    assert_eq!(run(json!(["n.csv", "m.csv"])).await, "Written: 1 row of 1 file, 1 table up to date");
    assert_eq!(run(json!(["n.csv", "m.csv"])).await, "Nothing to write: 2 tables are newer than their files");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_results_of_files_with_long_paths_stay_within_the_result_limit() {
    let bench = Bench::new();
    let contract = contract(&bench).await;
    let folder =
        [&"deep".repeat(40), &"deeper".repeat(30), &"folder".repeat(30)].map(String::as_str).join("/");
    let files: Vec<String> =
        (0..900).map(|number| bench.file(&format!("{folder}/{number:04}.csv"), "n\n1\n")).collect();
    let arguments = json!({"files": files, "contract_id": contract, "config": {"mode": "dry_run"}});
    let dry = bench.call("execute_pipeline", arguments).await;
    assert_eq!((&dry["files_succeeded"], &dry["truncated"]), (&json!(900), &json!(false)));
    let arguments = json!({"files": files, "contract_id": contract, "config": {"output_format": "csv"}});
    let done = bench.call("execute_pipeline", arguments).await;
    assert_eq!((&done["files_succeeded"], &done["truncated"]), (&json!(900), &json!(true)));
    let scope = bench.call("apply_scope", json!({"name": "all", "files": files})).await;
    assert_eq!((&scope["file_count"], &scope["truncated"]), (&json!(900), &json!(true)));
    let scope_id = &scope["scope"]["scope_id"];
    let tested = bench.call("run_backtest", json!({"scope_id": scope_id, "contract_id": contract})).await;
    assert_eq!(tested["files_passed"], 900);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_as_text_stay_within_the_result_limit() {
    let bench = Bench::new();
    let mut text = format!("a,b,c,d\n{0},{0},{0},{0}\n", "x".repeat(40));
    text.push_str(&"1,2,3,4\n".repeat(9_999));
    let file = bench.file("rows.csv", text);
    for format in ["table", "csv"] {
        let arguments = json!({"source": file, "limit": 10_000, "format": format});
        let found = bench.call("query_output", arguments).await;
        assert_eq!(found["row_count"], 10_000);
        assert_eq!(found["truncated"], format == "table", "a table is as wide as its widest cell");
        assert!(found["text"].as_str().unwrap().trim_end().ends_with('4'), "whole rows only");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_with_a_huge_value_is_still_shown() {
    let bench = Bench::new();
    let file = bench.file("huge.csv", format!("id,text\n1,{}\n2,b\n", "x".repeat(3_000_000)));
    let found = bench.call("query_output", json!({"source": file})).await;
    assert_eq!((&found["row_count"], &found["truncated"]), (&json!(2), &json!(true)));
    assert!(found["rows"][0][1].as_str().unwrap().ends_with("x…"));
    assert_eq!(found["rows"][1], json!([2, "b"]));
}
