//! The whole chain: from three files to tables that can be queried.

use std::sync::Arc;

use mortise_formats::format::ErrorCode;
use mortise_wizards::Wizards;
use serde_json::{Value, json};

use crate::bench::Bench;

fn orders(bench: &Bench) -> Vec<String> {
    let file = |day: u32| {
        let mut text = String::from("order_id,customer,amount,order_date,paid\n");
        for row in 1..=5 {
            text.push_str(&format!(
                "{},Customer {row},{row}.5,2024-01-{day:02},{}\n",
                day * 10 + row,
                ["yes", "no"][(row % 2) as usize]
            ));
        }
        bench.file(&format!("orders/2024-01-{day:02}.csv"), text)
    };
    (1..=3).map(file).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn three_files_of_five_rows_become_a_table_of_fifteen() {
    let bench = Bench::new();
    let files = orders(&bench);
    let scan = bench.call("quick_scan", json!({"path": "orders"})).await;
    assert_eq!(scan["file_count"], 3);
    let scope = bench.call("apply_scope", json!({"name": "orders", "files": files})).await;
    let scope_id = &scope["scope"]["scope_id"];
    let discovered = bench.call("discover_schemas", json!({"files": files})).await;
    let schema = &discovered["schemas"][0];
    let columns: Vec<Value> = schema["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| {
            let mut wanted = json!({"name": column["name"], "data_type": column["data_type"], "nullable": column["nullable"]});
            if !column["format"].is_null() {
                wanted["format"] = column["format"].clone();
            }
            wanted
        })
        .collect();
    let approved = bench
        .call(
            "approve_schemas",
            json!({"scope_id": scope_id, "schemas": [{
                "discovery_id": schema["discovery_id"], "name": "orders", "output_table_name": "orders", "columns": columns,
            }]}),
        )
        .await;
    let contract = &approved["contract_id"];
    let parser =
        bench.call("generate_parser", json!({"file_path": files[0], "target_schema": contract})).await;
    assert_eq!(parser["validation_results"]["is_valid"], true, "{parser:#}");
    let tested = bench
        .call(
            "run_backtest",
            json!({"scope_id": scope_id, "draft_id": parser["draft_id"], "contract_id": contract}),
        )
        .await;
    assert_eq!((&tested["success"], &tested["rows_emitted"]), (&json!(true), &json!(15)), "{tested:#}");
    let next = &tested["workflow"]["next_actions"][0];
    let same = json!({"scope_id": scope_id, "draft_id": parser["draft_id"], "contract_id": contract});
    assert_eq!((&next["tool_name"], &next["suggested_params"]), (&json!("execute_pipeline"), &same));
    for format in ["parquet", "csv", "sqlite"] {
        let run = json!({
            "scope_id": scope_id,
            "draft_id": parser["draft_id"],
            "contract_id": contract,
            "config": {"output_format": format, "output_dir": format},
        });
        let done = bench.call("execute_pipeline", run.clone()).await;
        assert_eq!((&done["success"], &done["total_rows"]), (&json!(true), &json!(15)), "{done:#}");
        let again = bench.call("execute_pipeline", run).await;
        assert_eq!(again["success"], false, "a table is never replaced silently: {again:#}");
        let table = done["file_results"][0]["output_file"].as_str().unwrap();
        let query = json!({"source": table, "sql": "select customer, amount where amount > 2 order by amount desc limit 2"});
        let rows = bench.call("query_output", query).await;
        assert_eq!(rows["rows"], json!([["Customer 5", 5.5], ["Customer 4", 4.5]]), "{rows:#}");
        assert_eq!(rows["truncated"], true);
        let drop = json!({"source": table, "sql": "drop table x"});
        assert_eq!(bench.code_of_refusal("query_output", drop).await, ErrorCode::ParamRange);
    }
    // Without a parser, the reader reads by the contract.
    let read = json!({"scope_id": scope_id, "contract_id": contract, "config": {"output_dir": "read"}});
    assert_eq!(bench.call("execute_pipeline", read).await["total_rows"], 15);
    let tested = bench.call("run_backtest", json!({"scope_id": scope_id, "contract_id": contract})).await;
    assert_eq!((&tested["mode"], &tested["files_passed"]), (&json!("schema_only"), &json!(3)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_writes_nothing_and_an_incremental_one_what_is_new() {
    let bench = Bench::new();
    let files = orders(&bench);
    let parser = bench.call("generate_parser", json!({"file_path": files[0]})).await;
    let run = |mode: &str| {
        bench.call(
            "execute_pipeline",
            json!({"files": files, "draft_id": parser["draft_id"], "config": {"mode": mode, "output_dir": "tables"}}),
        )
    };
    assert_eq!(run("dry_run").await["total_rows"], 15);
    assert!(!bench.path("mortise-out/tables").exists());
    assert_eq!(run("incremental").await["files_succeeded"], 3);
    assert_eq!(run("incremental").await["files_skipped"], 3);
    bench.file("orders/2024-01-02.csv", "order_id,customer,amount,order_date,paid\n1,a,x,2024-01-02,no\n");
    let broken = run("incremental").await;
    assert_eq!((&broken["files_failed"], &broken["files_skipped"]), (&json!(1), &json!(2)), "{broken:#}");
    let left = std::fs::read_dir(bench.path("mortise-out/tables/orders")).unwrap().count();
    assert_eq!(left, 3, "a failed file leaves its old table and no part");
}

#[tokio::test(flavor = "multi_thread")]
async fn duckdb_is_refused_with_a_way_out() {
    let bench = Bench::new();
    let arguments = json!({"files": ["a.csv"], "parser_code": "TOPIC = \"a\"\nSINK = \"csv\"\n\n\ndef parse(file_path: str):\n    return []\n",
        "config": {"output_format": "duckdb"}});
    assert_eq!(bench.code_of_refusal("execute_pipeline", arguments).await, ErrorCode::FormatUnsupported);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_needs_another_python_is_not_run() {
    let bench = Bench::new();
    let code = "import polars\n\nTOPIC = \"a\"\nSINK = \"csv\"\n\n\ndef parse(file_path: str):\n    return polars.read_csv(file_path)\n";
    let arguments = json!({"files": ["a.csv"], "parser_code": code});
    let refused = bench.refused("execute_pipeline", arguments).await;
    assert_eq!(refused.error_code, ErrorCode::SandboxUnavailable);
    assert!(refused.reason.contains("`polars`"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_is_committed_and_listed() {
    let bench = Bench::new();
    let files = orders(&bench);
    let parser = bench.call("generate_parser", json!({"file_path": files[0]})).await;
    let listed = bench.call("list_drafts", json!({"kind": "parser"})).await;
    assert_eq!(listed["drafts"][0]["id"], parser["draft_id"]);
    let committed = bench
        .call("commit_draft", json!({"draft_id": parser["draft_id"], "name": "orders", "version": "2"}))
        .await;
    assert_eq!(
        (&committed["committed"]["version"], &committed["committed"]["kind"]),
        (&json!("2.0.0"), &json!("parser"))
    );
    let again = json!({"draft_id": parser["draft_id"]});
    assert_eq!(bench.code_of_refusal("commit_draft", again).await, ErrorCode::DraftState);
}

const NUMBERS: &str = "TOPIC = \"n\"\nSINK = \"csv\"\n\n\ndef parse(file_path: str):\n    with open(file_path) as file:\n        for line in file:\n            yield {\"line\": line.strip()}\n";

#[tokio::test(flavor = "multi_thread")]
async fn files_of_one_name_keep_their_rows_apart() {
    let bench = Bench::new();
    let files = [bench.file("a.csv", "1\n2\n"), bench.file("a.tsv", "3\n"), bench.file("b.csv", "4\n")];
    let run = json!({"files": files, "parser_code": NUMBERS, "config": {"overwrite": true}});
    let done = bench.call("execute_pipeline", run).await;
    assert_eq!((&done["success"], &done["total_rows"]), (&json!(true), &json!(4)), "{done:#}");
    for (table, rows) in [("a.csv.csv", 2), ("a.tsv.csv", 1), ("b.csv", 1)] {
        let text = std::fs::read_to_string(bench.path("mortise-out").join(table)).unwrap();
        assert_eq!(text.lines().count(), rows + 1, "{table}: {text}");
    }
    let twice = json!({"files": ["a.csv", "./a.csv"], "parser_code": NUMBERS});
    let refused = bench.refused("execute_pipeline", twice).await;
    assert_eq!(refused.error_code, ErrorCode::ParamRange);
    assert!(refused.reason.contains("`a.csv` and `./a.csv`"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_never_takes_the_place_of_a_file_that_is_read() {
    let mut bench = Bench::new();
    let mut options = bench.wizards.options.clone();
    options.output.clone_from(&options.roots[0]);
    options.state = options.output.join(".state");
    bench.wizards = Arc::new(Wizards::start(options));
    let file = bench.file("own.csv", "5\n");
    for mode in ["full", "incremental", "dry_run"] {
        let itself =
            json!({"files": [file], "parser_code": NUMBERS, "config": {"mode": mode, "overwrite": true}});
        assert_eq!(bench.code_of_refusal("execute_pipeline", itself).await, ErrorCode::ParamRange, "{mode}");
    }
    assert_eq!(std::fs::read_to_string(bench.path("own.csv")).unwrap(), "5\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_go_below_the_output_folder_only() {
    let bench = Bench::new();
    let file = bench.file("a.csv", "1\n");
    for folder in ["..", "../x", "/tmp", "a/../../x", ".state", ".state/drafts", "a\0b"] {
        for mode in ["full", "dry_run"] {
            let run = json!({"files": [file], "parser_code": NUMBERS, "config": {"mode": mode, "output_dir": folder}});
            let refused = bench.refused("execute_pipeline", run).await;
            assert_eq!(refused.error_code, ErrorCode::PathDenied, "{folder} {mode}");
            assert_eq!(refused.field.as_deref(), Some("config.output_dir"), "{folder} {mode}");
        }
    }
}
