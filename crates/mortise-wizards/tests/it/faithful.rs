//! Values come out as they went in, or somebody hears of it.

use mortise_formats::format::ErrorCode;
use mortise_wizards::data::data_type::DataType;
use mortise_wizards::data::files::DataFiles;
use mortise_wizards::data::table::{ReadOptions, Table};
use serde_json::{Value, json};

use crate::bench::Bench;

/// A contract with these columns for files like this one.
async fn contract(bench: &Bench, file: &str, columns: Value) -> Value {
    let scope = bench.call("apply_scope", json!({"name": "all", "files": [file]})).await;
    let found = bench.call("discover_schemas", json!({"files": [file]})).await;
    let schema = json!({"discovery_id": found["schemas"][0]["discovery_id"], "name": "t", "output_table_name": "t",
        "columns": columns});
    let approve = json!({"scope_id": scope["scope"]["scope_id"], "schemas": [schema]});
    bench.call("approve_schemas", approve).await["contract_id"].clone()
}

/// What the pipeline says, with the table of the one file as CSV.
async fn run(bench: &Bench, mut arguments: Value) -> (Value, String) {
    arguments["config"] = json!({"output_format": "csv", "overwrite": true});
    let done = bench.call("execute_pipeline", arguments).await;
    let table = done["file_results"][0]["output_file"].as_str().map(str::to_owned);
    (done, table.map(|table| std::fs::read_to_string(table).unwrap()).unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_json_that_are_no_values_in_csv_stay_texts() {
    let bench = Bench::new();
    let file = bench.file(
        "lands.json",
        r#"[{"id": 1, "c": "NA"}, {"id": 2, "c": "null"}, {"id": 3, "c": ""}, {"id": 4}]"#,
    );
    let result = bench.call("generate_parser", json!({"file_path": file})).await;
    let results = &result["validation_results"];
    assert_eq!(results["is_valid"], true, "{result:#}");
    let values: Vec<&Value> =
        results["test_output"].as_array().unwrap().iter().map(|row| &row["c"]).collect();
    assert_eq!(values, [&json!("NA"), &json!("null"), &json!(""), &Value::Null]);
    let columns = json!([
        {"name": "id", "data_type": "int64"},
        {"name": "c", "data_type": "string", "nullable": true},
    ]);
    let contract = contract(&bench, &file, columns).await;
    let (done, table) = run(&bench, json!({"files": [file], "contract_id": contract})).await;
    assert_eq!(table, "id,c\n1,NA\n2,null\n3,\n4,\n", "{done:#}");
    let tested = bench.call("run_backtest", json!({"files": [file], "contract_id": contract})).await;
    assert_eq!(tested["files_passed"], 1, "{tested:#}");
    // A caller may know better.
    let options = json!({"file_path": file, "options": {"null_values": ["NA"]}});
    let result = bench.call("generate_parser", options).await;
    let results = &result["validation_results"];
    assert_eq!(
        (&results["is_valid"], &results["test_output"][0]["c"]),
        (&json!(true), &Value::Null),
        "{result:#}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn cells_beyond_the_header_are_not_left_out() {
    let bench = Bench::new();
    let file = bench.file("notes.csv", "id,amount,note\n1,5,ok\n2,6,late, paid cash\n3,7,fine\n");
    let result = bench.call("generate_parser", json!({"file_path": file})).await;
    let results = &result["validation_results"];
    assert_eq!(results["is_valid"], false, "{result:#}");
    assert_eq!(results["runtime_errors"][0]["message"], "row 2, line 3: 4 cells for 3 columns");
    let collecting = json!({"file_path": file, "options": {"bad_cells": "collect"}});
    let results = bench.call("generate_parser", collecting).await["validation_results"].clone();
    assert_eq!((&results["is_valid"], &results["row_count"]), (&json!(true), &json!(2)), "{results:#}");
    let columns = json!([
        {"name": "id", "data_type": "int64"},
        {"name": "amount", "data_type": "int64"},
        {"name": "note", "data_type": "string"},
    ]);
    let contract = contract(&bench, &file, columns).await;
    let (done, _) = run(&bench, json!({"files": [file], "contract_id": contract})).await;
    let error = done["file_results"][0]["error"].as_str().unwrap();
    assert_eq!(error, "row 2, column `id`: the row has 4 cells for 3 columns");
    let tested = bench.call("run_backtest", json!({"files": [file], "contract_id": contract})).await;
    assert_eq!(tested["results"][0]["error"], "row 2: the row has 4 cells for 3 columns");
    // Delimiters at the end of a line are no cells that anybody misses.
    let file = bench.file("ends.csv", "id,amount\n1,5,\n2,6\n3,7\n4,8\n");
    let result = bench.call("generate_parser", json!({"file_path": file})).await;
    assert_eq!(result["validation_results"]["is_valid"], true, "{result:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_reader_cannot_decode_is_told() {
    let bench = Bench::new();
    let mut bytes = b"id,name\n".to_vec();
    bytes.extend(b"1,plain\n".repeat(140_000));
    bytes.extend(b"2,Zo\xeb\n");
    let file = bench.file("late.csv", bytes);
    let columns = json!([{"name": "id", "data_type": "int64"}, {"name": "name", "data_type": "string"}]);
    let contract = contract(&bench, &file, columns).await;
    let (done, _) = run(&bench, json!({"files": [file], "contract_id": contract})).await;
    assert_eq!(done["total_rows"], 140_001, "{done:#}");
    let warning =
        json!({"code": "WARN_ENCODING", "message": "`late.csv`: 1 place could not be decoded as utf-8"});
    assert_eq!(done["warnings"], json!([warning]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_column_whose_values_come_late_has_their_type() {
    let bench = Bench::new();
    let file = bench.file("any.csv", "a\n1\n");
    let code = "TOPIC = \"late\"\nSINK = \"parquet\"\n\n\ndef parse(file_path: str):\n    \
                for row in range(5000):\n        yield {\"row\": row, \"late\": 7 if row == 4500 else None}\n";
    let (done, table) = run(&bench, json!({"files": [file], "parser_code": code})).await;
    assert_eq!((&done["success"], &done["total_rows"]), (&json!(true), &json!(5000)), "{done:#}");
    assert!(table.starts_with("row,late\n0,\n1,\n") && table.contains("\n4500,7\n"));
    let tested = bench.call("run_backtest", json!({"files": [file], "parser_code": code})).await;
    assert_eq!(tested["files_passed"], 1, "{tested:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_knows_the_type_of_a_column_that_a_file_leaves_empty() {
    let bench = Bench::new();
    let full = bench.file("full.csv", "id,n\n1,\n2,5\n3,6\n");
    let empty = bench.file("empty.csv", "id,n\n1,\n2,\n3,\n");
    let draft = bench.call("generate_parser", json!({"file_path": full})).await["draft_id"].clone();
    let done = bench.call("execute_pipeline", json!({"files": [full, empty], "draft_id": draft})).await;
    assert_eq!(done["files_succeeded"], 2, "{done:#}");
    let files = DataFiles::new(std::slice::from_ref(&bench.wizards.options.output), None).unwrap();
    let types = ["full.parquet", "empty.parquet"].map(|name| {
        let table = Table::open(files.open(name).unwrap(), &ReadOptions::default()).unwrap();
        table.schema().iter().map(|column| column.data_type).collect::<Vec<_>>()
    });
    assert_eq!(types, [[DataType::Int64; 2], [DataType::Int64; 2]]);
    // That is for runs, and no news for people.
    let drafts = bench.call("list_drafts", json!({})).await;
    assert_eq!(drafts["drafts"][0]["facts"]["columns"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_windows_added_to_an_encoding_is_read_in_python_too() {
    let bench = Bench::new();
    let mut text = "番号,会社,備考\n1,㈱山田商店,①はじめての注文です\n".to_owned();
    for row in 2..40 {
        text.push_str(&format!("{row},鈴木製作所,ありがとうございます。またよろしくお願いします\n"));
    }
    let (bytes, encoding, is_lossy) = encoding_rs::SHIFT_JIS.encode(&text);
    assert_eq!((encoding, is_lossy), (encoding_rs::SHIFT_JIS, false));
    let file = bench.file("orders.csv", bytes);
    let result = bench.call("generate_parser", json!({"file_path": file})).await;
    let results = &result["validation_results"];
    assert_eq!(results["is_valid"], true, "{result:#}");
    let first = &results["test_output"][0];
    assert_eq!((&first["会社"], &first["備考"]), (&json!("㈱山田商店"), &json!("①はじめての注文です")));
    assert!(result["code"].as_str().unwrap().contains("encoding=\"cp932\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_strptime_reads_is_read_by_the_independent_reader_too() {
    let bench = Bench::new();
    let file = bench.file(
        "visits.csv",
        "id,day,at,token\n1,02 Jan 2024,02 Jan 2024 10:30,00ff\n2,13 Feb 2024,13 Feb 2024 23:59,0a0b\n",
    );
    let columns = json!([
        {"name": "id", "data_type": "int64"},
        {"name": "day", "data_type": "date", "format": "%d %b %Y"},
        {"name": "at", "data_type": "timestamp", "format": "%d %b %Y %H:%M"},
        {"name": "token", "data_type": "binary", "format": "hex"},
    ]);
    let arguments = json!({"file_path": file, "schema": {"name": "visits", "columns": columns}});
    let result = bench.call("generate_parser", arguments).await;
    let results = &result["validation_results"];
    assert_eq!(results["is_valid"], true, "{result:#}");
    assert_eq!(results["reconciliation"]["status"], "passed");
    let contract = contract(&bench, &file, columns).await;
    let (done, table) = run(&bench, json!({"files": [file], "contract_id": contract})).await;
    let rows = ["1,2024-01-02,2024-01-02T10:30:00,00ff", "2,2024-02-13,2024-02-13T23:59:00,0a0b"];
    assert_eq!(table, format!("id,day,at,token\n{}\n", rows.join("\n")), "{done:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contract_has_no_format_that_nobody_can_read() {
    let bench = Bench::new();
    let file = bench.file("days.csv", "day\n2024-01-15\n");
    let scope = bench.call("apply_scope", json!({"name": "all", "files": [file]})).await;
    let found = bench.call("discover_schemas", json!({"files": [file]})).await;
    let schema = json!({"discovery_id": found["schemas"][0]["discovery_id"], "name": "t", "output_table_name": "t",
        "columns": [{"name": "day", "data_type": "date", "format": "YYYY-MM-DD"}]});
    let approve = json!({"scope_id": scope["scope"]["scope_id"], "schemas": [schema]});
    let error = bench.refused("approve_schemas", approve).await;
    assert_eq!(
        (error.error_code, error.field.as_deref()),
        (ErrorCode::ParamRange, Some("schemas[0].columns[0].format")),
        "{error}"
    );
}
