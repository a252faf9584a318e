//! Which file has which table, and what is in it.

use std::fs;

use mortise_formats::format::ErrorCode;
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
    assert_eq!(
        (&found["values_cut"], &found["columns_left_out"], &found["rows_left_out"]),
        (&json!(1), &Value::Null, &Value::Null)
    );
    assert!(found["rows"][0][1].as_str().unwrap().ends_with("x…"));
    assert_eq!(found["rows"][1], json!([2, "b"]));
}

fn warned(found: &Value) -> Vec<&str> {
    let warnings = found["warnings"].as_array().unwrap();
    warnings.iter().map(|warning| warning["message"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_of_a_table_does_not_fit_is_counted() {
    let bench = Bench::new();
    // Each row has 60 kB in every one of twenty columns: eight of them fit, once.
    let header: Vec<String> = (0..20).map(|place| format!("c{place}")).collect();
    let row = vec!["x".repeat(60_000); 20].join(",");
    let wide = bench.file("wide.csv", format!("{}\n{row}\n{row}\n", header.join(",")));
    let found = bench.call("query_output", json!({"source": wide})).await;
    let counts = ["column_count", "columns_left_out", "row_count", "rows_left_out", "values_cut"]
        .map(|name| found[name].as_u64().unwrap_or_default());
    // Values are cut first, and then all columns fit; the second row does not.
    assert_eq!(counts, [20, 0, 1, 1, 20], "{:?}", warned(&found));
    assert_eq!(
        warned(&found),
        ["20 long values cut to 20000 characters", "1 row left out; narrow the query with `where`"]
    );
    let header: Vec<String> = (0..40).map(|place| format!("c{place}")).collect();
    let row = vec!["x".repeat(20_000); 40].join(",");
    let wide = bench.file("wider.csv", format!("{}\n{row}\n{row}\n", header.join(",")));
    let found = bench.call("query_output", json!({"source": wide, "format": "csv"})).await;
    let counts = ["column_count", "columns_left_out", "row_count", "rows_left_out"]
        .map(|name| found[name].as_u64().unwrap_or_default());
    assert_eq!(counts, [22, 18, 1, 1]);
    assert_eq!(found["columns"][21], "c21");
    let header: Vec<String> = (0..5_000).map(|place| format!("{place:0>100}")).collect();
    let row = vec!["1"; 5_000].join(",");
    let long = bench.file("names.csv", format!("{}\n{row}\n", header.join(",")));
    let found = bench.call("query_output", json!({"source": long})).await;
    assert_eq!((found["column_count"].as_u64().unwrap(), &found["columns_left_out"]), (970, &json!(4030)));
    assert_eq!(found["rows"][0].as_array().unwrap().len(), 970);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_or_a_column_that_is_not_there_is_told_with_those_that_are() {
    let bench = Bench::new();
    let tables: String = (0..25).map(|number| format!("CREATE TABLE orders_{number:02} (x);")).collect();
    rusqlite::Connection::open(bench.path("a.db")).unwrap().execute_batch(&tables).unwrap();
    let refused =
        bench.refused("query_output", json!({"source": "a.db", "sql": "select * from order_07"})).await;
    assert_eq!((refused.error_code, refused.field.as_deref()), (ErrorCode::ParamRange, Some("sql")));
    assert_eq!(refused.reason, "`a.db`: the database has no table `order_07`");
    assert!(
        refused
            .suggestion
            .starts_with("did you mean `orders_07`? say `select * from` one of `orders_00`, `orders_01`,"),
        "{}",
        refused.suggestion
    );
    assert!(refused.suggestion.ends_with("`orders_19` and 5 more"), "{}", refused.suggestion);
    let file = bench.file("a.csv", "price,id\n1,2\n");
    let refused = bench.refused("query_output", json!({"source": file, "sql": "select prise"})).await;
    assert_eq!(refused.reason, "there is no column `prise`");
    assert_eq!(refused.suggestion, "did you mean `price`? use one of `price`, `id`");
}
