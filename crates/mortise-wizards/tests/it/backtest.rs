//! `run_backtest`: parse() runs on every file.

use mortise_formats::format::ErrorCode;
use serde_json::{Value, json};

use crate::bench::Bench;

const HEAD: &str = "TOPIC = \"orders\"\nSINK = \"parquet\"\n\n\n";

fn parser(body: &str) -> String {
    format!("{HEAD}def parse(file_path: str):\n{body}")
}

async fn backtest(bench: &Bench, code: &str, files: &[&str]) -> Value {
    bench.call("run_backtest", json!({"files": files, "parser_code": code})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn good_files_pass_and_a_missing_one_is_named() {
    let bench = Bench::new();
    for number in 1..=3 {
        bench.file(&format!("{number}.csv"), "id,name\n1,a\n2,b\n");
    }
    let draft = bench.call("generate_parser", json!({"file_path": "1.csv"})).await;
    let arguments = json!({"files": ["1.csv", "2.csv", "3.csv"], "draft_id": draft["draft_id"]});
    let result = bench.call("run_backtest", arguments).await;
    assert_eq!((&result["final_pass_rate"], &result["success"]), (&json!(1.0), &json!(true)), "{result:#}");
    assert_eq!((&result["rows_emitted"], &result["mode"]), (&json!(6), &json!("parser")));
    let arguments = json!({"files": ["1.csv", "missing.csv"], "draft_id": draft["draft_id"]});
    let result = bench.call("run_backtest", arguments).await;
    assert_eq!(result["failure_categories"], json!([{"category": "FileNotFound", "count": 1}]));
    assert_eq!(
        (&result["success"], &result["termination_reason"]),
        (&json!(false), &json!("no_progress_possible"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_failure_has_its_category() {
    let bench = Bench::new();
    bench.file("a.csv", "id,name\n1,a\n2,b\n");
    let rows = [
        ("    raise ValueError('no')\n    yield {}\n", "ParseError"),
        ("    yield {'id': 1, 'name': 'a'}\n", "ParseError"),
        ("    yield {'id': 1}\n    yield {'no': 2}\n", "SchemaViolation"),
        ("    return {}['x']\n", "SchemaViolation"),
        ("    return [1, 2]\n", "SchemaViolation"),
        ("    return open('b.csv').read()\n", "FileNotFound"),
        ("    return 5\n", "TypeMismatch"),
        ("    import os\n    os._exit(0)\n    yield {}\n", "Unknown"),
    ];
    for (body, category) in rows {
        if body.contains("os._exit") {
            // Refused before it runs.
            let arguments = json!({"files": ["a.csv"], "parser_code": parser(body)});
            assert_eq!(bench.code_of_refusal("run_backtest", arguments).await, ErrorCode::PythonForbidden);
            continue;
        }
        let result = backtest(&bench, &parser(body), &["a.csv"]).await;
        assert_eq!(result["failure_categories"][0]["category"], category, "{body}: {result:#}");
        assert_eq!(result["final_pass_rate"], 0.0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn types_and_gaps_against_a_contract_have_their_categories() {
    let bench = Bench::new();
    bench.file("a.csv", "id,name\n1,a\n2,b\n");
    let scope = bench.call("apply_scope", json!({"name": "all", "files": ["a.csv"]})).await;
    let found = bench.call("discover_schemas", json!({"files": ["a.csv"]})).await;
    let schema = json!({"discovery_id": found["schemas"][0]["discovery_id"], "name": "a", "output_table_name": "a",
        "columns": [{"name": "id", "data_type": "int64"}, {"name": "name", "data_type": "string"}]});
    let approve = json!({"scope_id": scope["scope"]["scope_id"], "schemas": [schema]});
    let contract = bench.call("approve_schemas", approve).await["contract_id"].clone();
    for (body, expected) in [
        ("    return [{'id': 1, 'name': 'a'}, {'id': 2, 'name': 'b'}]\n", None),
        ("    return [{'id': '1', 'name': 'a'}, {'id': '2', 'name': 'b'}]\n", Some("TypeMismatch")),
        ("    return [{'id': 1, 'name': 'a'}, {'id': None, 'name': 'b'}]\n", Some("NullNotAllowed")),
        ("    return [{'id': 1}, {'id': 2}]\n", Some("SchemaViolation")),
        ("    return [{'id': 1, 'name': 'a'}]\n", Some("ParseError")),
        ("    raise RuntimeError('x')\n    yield {}\n", Some("Unknown")),
    ] {
        let arguments = json!({"files": ["a.csv"], "parser_code": parser(body), "contract_id": contract});
        let result = bench.call("run_backtest", arguments).await;
        let category = result["failure_categories"].get(0).map(|it| it["category"].as_str().unwrap());
        assert_eq!(category, expected, "{body}: {result:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_counted_whatever_their_columns_are_called() {
    let bench = Bench::new();
    bench.file("a.csv", "id,name\n1,a\n2,b\n");
    bench.file("a.ndjson", "{\"id\": 1}\n{\"id\": 2}\n");
    bench.file("log.txt", "one line\nand another: with more\nlast\n");
    let one = parser("    yield {'number': 1}\n");
    let result = backtest(&bench, &one, &["a.csv", "a.ndjson"]).await;
    assert_eq!(result["files_failed"], 2, "{result:#}");
    assert_eq!(result["results"][0]["error"], "the parser gave 1 rows, the file has 2");
    let two = parser("    return [{'number': 1}, {'number': 2}]\n");
    let result = backtest(&bench, &two, &["a.csv", "a.ndjson"]).await;
    assert_eq!((&result["files_passed"], &result["files_not_reconciled"]), (&json!(2), &json!(0)));
    // What is a row of free text only its parser knows; that this was not looked at is said.
    let result = backtest(&bench, &one, &["log.txt"]).await;
    assert_eq!(
        (&result["files_passed"], &result["files_not_reconciled"]),
        (&json!(1), &json!(1)),
        "{result:#}"
    );
    assert_eq!(result["warnings"][0]["code"], "WARN_NOT_RECONCILED");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_within_an_object_are_no_failure() {
    let bench = Bench::new();
    let rows: Vec<Value> = (0..100).map(|id| json!({"id": id, "meta": "own"})).collect();
    bench.file("wrapped.json", json!({"meta": "about", "rows": rows}).to_string());
    bench.file("empty.json", "{\"meta\": \"about\", \"rows\": []}");
    bench.file("pages.json", json!([{"rows": rows}, {"rows": rows}]).to_string());
    let read = |picked: &str| {
        let body = format!(
            "    with open(file_path) as file:\n        found = json.load(file)\n    pages = found if isinstance(found, \
             list) else [found]\n    return [{picked} for page in pages for row in page['rows']]\n"
        );
        format!("import json\n\n{}", parser(&body))
    };
    let not_reconciled = async |code: String, files: &[&str]| {
        let result = backtest(&bench, &code, files).await;
        assert_eq!(result["files_passed"], files.len(), "{result:#}");
        result["files_not_reconciled"].clone()
    };
    assert_eq!(not_reconciled(read("row"), &["wrapped.json", "empty.json", "pages.json"]).await, 3);
    // Rows of its members may have the object's own names, too.
    assert_eq!(not_reconciled(read("{'meta': row['meta']}"), &["wrapped.json"]).await, 1);
    bench.file("one.json", "{\"id\": 1, \"name\": \"a\"}");
    let one = "    yield {'id': 1, 'name': 'a'}\n";
    assert_eq!(not_reconciled(parser(one), &["one.json"]).await, 0);
    // Who reads the object itself has one row.
    let twice = backtest(&bench, &parser(&one.repeat(2)), &["one.json"]).await;
    assert_eq!(twice["results"][0]["error"], "the parser gave 2 rows, the file has 1", "{twice:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn code_that_breaks_the_protocol_is_never_run() {
    let bench = Bench::new();
    bench.file("a.csv", "id\n1\n");
    for code in [
        "# TOPIC = \"a\"\nSINK = \"csv\"\n\n\ndef parse(file_path: str):\n    return []\n",
        "TOPIC = \"a\"\nSINK = \"csv\"\n\n\ndef outer():\n    def parse(file_path: str):\n        return []\n",
        "TOPIC = \"a\"\nSINK = \"csv\"\n\n\nasync def parse(file_path: str):\n    return []\n",
    ] {
        for tool in ["run_backtest", "execute_pipeline"] {
            let arguments = json!({"files": ["a.csv"], "parser_code": code});
            let refused = bench.refused(tool, arguments).await;
            assert_eq!(refused.error_code, ErrorCode::BridgeProtocol, "{tool}: {code}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_were_never_tested_are_no_success() {
    let bench = Bench::new();
    let files: Vec<String> = (0..12)
        .map(|number| bench.file(&format!("{number:02}.csv"), if number < 3 { "id\nx\n" } else { "id\n1\n" }))
        .collect();
    let body = "    with open(file_path) as file:\n        lines = file.read().split()[1:]\n    \
                return [{'id': int(line)} for line in lines]\n";
    let config = |early: bool| json!({"pass_rate_threshold": 0.5, "early_stop_enabled": early});
    let arguments =
        |early: bool| json!({"files": files, "parser_code": parser(body), "config": config(early)});
    let result = bench.call("run_backtest", arguments(true)).await;
    assert_eq!(
        (&result["termination_reason"], &result["final_pass_rate"], &result["success"]),
        (&json!("early_stopped"), &json!(0.7), &json!(false)),
        "{result:#}"
    );
    assert_eq!((&result["files_tested"], &result["files_not_tested"]), (&json!(10), &json!(2)));
    assert_eq!(result["warnings"][0]["code"], "WARN_NOT_TESTED");
    let result = bench.call("run_backtest", arguments(false)).await;
    assert_eq!((&result["success"], &result["files_not_tested"]), (&json!(true), &json!(0)), "{result:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_parser_times_out() {
    let bench = Bench::new();
    bench.file("a.csv", "id\n1\n");
    let arguments = json!({
        "files": ["a.csv"],
        "parser_code": parser("    while True:\n        pass\n    yield {}\n"),
        "config": {"max_duration_secs": 1},
    });
    let result = bench.call("run_backtest", arguments).await;
    assert_eq!(result["termination_reason"], "timeout", "{result:#}");
    assert_eq!(result["results"][0]["category"], "Timeout");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_skipped_and_never_passes() {
    let bench = Bench::new();
    bench.file("a.csv", "id\n1\n");
    let code = format!("import polars\n{}", parser("    return polars.read_csv(file_path)\n"));
    let result = backtest(&bench, &code, &["a.csv"]).await;
    assert_eq!((&result["execution"], &result["success"]), (&json!("skipped"), &json!(false)));
    assert_eq!(result["files_tested"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contract_alone_is_tested_with_the_reader() {
    let bench = Bench::new();
    assert_eq!(
        bench.code_of_refusal("run_backtest", json!({"files": ["a.csv"]})).await,
        ErrorCode::ParamMissing
    );
    assert_eq!(
        bench.code_of_refusal("run_backtest", json!({"files": ["a.csv"], "contract_id": "nope"})).await,
        ErrorCode::ContractNotFound
    );
}
