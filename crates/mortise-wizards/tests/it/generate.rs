//! `generate_parser`: valid code from schemas and files, run and reconciled.

use mortise_formats::format::ErrorCode;
use serde_json::{Value, json};

use crate::bench::{Bench, case};

fn sample_data() -> Value {
    json!({"name": "sample_data", "columns": [
        {"name": "id", "data_type": "int64"},
        {"name": "name", "data_type": "string"},
        {"name": "value", "data_type": "float64", "nullable": true},
    ]})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_alone_gives_a_valid_parser() {
    let bench = Bench::new();
    let result = bench.call("generate_parser", json!({"schema": sample_data()})).await;
    assert_eq!(
        (&result["parser_name"], &result["topic"]),
        (&json!("sample_data_parser"), &json!("sample_data"))
    );
    assert_eq!(result["format"], "code");
    assert_eq!(result["validation_results"]["is_valid"], true, "{result:#}");
    assert_eq!(result["validation_results"]["execution"], "skipped");
    assert_eq!(case(&result, "runs_on_file")["status"], "skipped");
    assert_eq!(case(&result, "header_only_file")["status"], "passed", "{result:#}");
    assert_eq!(case(&result, "empty_file")["status"], "passed");
    let code = result["code"].as_str().unwrap();
    for line in ["TOPIC = \"sample_data\"\n", "SINK = \"parquet\"\n", "def parse(file_path: str):\n"] {
        assert!(code.contains(line), "{code}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_schema_is_refused() {
    let bench = Bench::new();
    let code = |schema: Value| bench.code_of_refusal("generate_parser", json!({"schema": schema}));
    assert_eq!(code(json!({"name": "x", "columns": []})).await, ErrorCode::SchemaEmpty);
    let column = |data_type: &str, name: &str| json!({"name": "x", "columns": [{"name": name, "data_type": data_type}]});
    assert_eq!(code(column("money", "a")).await, ErrorCode::SchemaType);
    assert_eq!(code(column("int64", "_cf_job_id")).await, ErrorCode::ColumnReserved);
    assert_eq!(bench.code_of_refusal("generate_parser", json!({})).await, ErrorCode::ParamMissing);
    let sink = json!({"schema": sample_data(), "options": {"sink_type": "xml"}});
    let refused = bench.refused("generate_parser", sink).await;
    assert_eq!(
        (refused.error_code, refused.field.as_deref()),
        (ErrorCode::ParamRange, Some("options.sink_type"))
    );
    assert_eq!(
        bench.code_of_refusal("generate_parser", json!({"file_path": "nothing.csv"})).await,
        ErrorCode::FileNotFound
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_becomes_a_topic() {
    let bench = Bench::new();
    let mut schema = sample_data();
    schema["name"] = json!("Sales Data 2024");
    let result = bench.call("generate_parser", json!({"schema": schema})).await;
    assert_eq!(result["topic"], "sales_data_2024");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_with_words_gaps_and_compact_days_is_reconciled() {
    let bench = Bench::new();
    let file = bench.file(
        "orders.csv",
        "id,active,price,order_date,note\n\
         1,yes,1.5,20240115,first\n\
         2,no,NA,20240116,\"a, \"\"b\"\"\nc\"\n\
         3,YES,2.25,20240117,\n",
    );
    let result = bench.call("generate_parser", json!({"file_path": file})).await;
    let results = &result["validation_results"];
    assert_eq!(results["is_valid"], true, "{result:#}");
    assert_eq!(results["execution"], "passed");
    assert_eq!(results["row_count"], 3);
    assert_eq!(results["reconciliation"]["status"], "passed");
    assert_eq!(
        results["test_output"][1],
        json!({"id": 2, "active": false, "price": null, "order_date": "2024-01-16", "note": "a, \"b\"\nc"})
    );
    for name in
        ["bridge_ast", "runs_on_file", "row_count", "types", "cells", "header_only_file", "empty_file"]
    {
        assert_eq!(case(&result, name)["status"], "passed", "{name}");
    }
    let types: Vec<&Value> = results["reconciliation"]["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| &column["data_type"])
        .collect();
    assert_eq!(types, ["int64", "boolean", "float64", "date", "string"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_file_is_read() {
    let bench = Bench::new();
    let text = "\u{feff}id;größe;wann\r\n1;1,234.5;2024-01-15T10:00:00Z\r\n2;7;2024-01-15T10:00:00+02:00\r\n";
    let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut zipped, text.as_bytes()).unwrap();
    let files = [
        bench.file("semicolons.csv", text),
        bench.file("zipped.csv.gz", zipped.finish().unwrap()),
        bench.file("tabs.tsv", "a\tb\n1\tx\n2\ty\n"),
        bench.file("latin.csv", b"name,n\nJos\xe9,1\nZo\xeb,2\nAndr\xe9 Mu\xf1oz,3\n"),
        bench.file(
            "wide.csv",
            "\u{feff}a,b\n1,x\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
        ),
        bench.file("array.json", r#"[{"a": 1, "b": {"c": [1]}}, {"a": 2.5}]"#),
        bench.file("one.json", r#"{"a": 1, "when": "2024-01-15"}"#),
        bench.file("lines.ndjson", "{\"a\": true, \"b\": \"x\"}\n\n{\"a\": false}\n"),
        bench.file("single.csv", "name\nAnn\nBob\n"),
        bench.file("headless.csv", "1,2.5,x\n2,3.5,y\n3,4.5,z\n"),
        bench.file("twice.csv", "a,a,b\n1,2,3\n4,5,6\n"),
        bench.file("short.csv", "a,b,c\n1,2,3\n4,5\n"),
        bench.file("spaces.csv", "a, b ,c\n 1 , x ,2024-01-05\n2,y,2024-1-6\n"),
    ];
    for file in files {
        let result = bench.call("generate_parser", json!({"file_path": file})).await;
        let results = &result["validation_results"];
        assert_eq!(results["is_valid"], true, "{file}: {result:#}\n{}", result["code"].as_str().unwrap());
        assert_eq!(results["reconciliation"]["status"], "passed", "{file}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_type_that_only_the_end_of_a_file_has_is_found() {
    let bench = Bench::new();
    let mut text = String::from("id,code\n");
    for row in 0..1500 {
        text.push_str(&format!("{row},{row}\n"));
    }
    text.push_str("1500,A7\n");
    let file = bench.file("late.csv", text);
    let result = bench.call("generate_parser", json!({"file_path": file})).await;
    assert_eq!(result["validation_results"]["is_valid"], true, "{result:#}");
    assert!(result["code"].as_str().unwrap().contains("\"code\": (str, False)"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_no_number_in_whatever_row_or_file_it_comes() {
    let bench = Bench::new();
    let numbers: String = (1..=1500).map(|row| format!("{row},{row}.5\n")).collect();
    let late = bench.file("late.csv", format!("zip,weight\n{numbers}00501,1.5\n"));
    let result = bench.call("generate_parser", json!({"file_path": late})).await;
    assert_eq!(result["validation_results"]["is_valid"], true, "{result:#}");
    assert!(result["code"].as_str().unwrap().contains("\"zip\": (str, False)"), "{result:#}");

    let first = bench.file("first.csv", "zip,weight\n10115,1.5\n-20095,\"1,234.5\"\n+0,7\n");
    let draft = bench.call("generate_parser", json!({"file_path": first})).await;
    assert_eq!(draft["validation_results"]["is_valid"], true, "{draft:#}");
    for (name, row) in [
        ("zeros", "00501,1"),
        ("lines", "1_000,1"),
        ("digits", "\u{661}\u{662},1"),
        ("nan", "1,nan"),
        ("infinite", "1,-inf"),
        ("huge", "1,1e999"),
        ("code", "1,01.5"),
        ("decimal", "1,\"12,50\""),
    ] {
        let file = bench.file(&format!("{name}.csv"), format!("zip,weight\n{row}\n"));
        let arguments = json!({"files": [file], "draft_id": draft["draft_id"]});
        let result = bench.call("run_backtest", arguments).await;
        assert_eq!(result["files_failed"], 1, "{row}: {result:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ambiguous_days_stay_text_until_their_order_is_told() {
    let bench = Bench::new();
    let file = bench.file("days.csv", "id,day\n1,01/02/2024\n2,03/04/2024\n");
    let asked = bench.call("generate_parser", json!({"file_path": file})).await;
    assert!(asked["code"].as_str().unwrap().contains("\"day\": (str, False)"), "{asked:#}");
    assert_eq!(asked["questions"].as_array().unwrap().len(), 1);
    let told = json!({"file_path": file, "options": {"date_order": "dmy"}});
    let told = bench.call("generate_parser", told).await;
    assert_eq!(told["questions"], Value::Null);
    assert_eq!(told["validation_results"]["test_output"][0]["day"], "2024-02-01");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_stays_open_beside_a_column_with_the_end_of_its_name() {
    let bench = Bench::new();
    let file = bench.file("days.csv", "day,due:day\n2024-01-13,01/02/2024\n2024-01-14,03/04/2024\n");
    let asked = bench.call("generate_parser", json!({"file_path": file})).await;
    let questions = asked["questions"].as_array().unwrap();
    assert!(questions[0]["id"].as_str().unwrap().ends_with(":due:day"), "{asked:#}");
    assert_eq!(questions[0]["blocking"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_order_of_days_is_told_for_timestamps_too() {
    let bench = Bench::new();
    let file = bench.file("moments.csv", "id,at\n1,05/06/2024 10:00\n2,07/08/2024 11:30:15\n");
    for (order, expected) in [("dmy", "2024-06-05T10:00:00"), ("mdy", "2024-05-06T10:00:00")] {
        let told = json!({"file_path": file, "options": {"date_order": order}});
        let told = bench.call("generate_parser", told).await;
        assert_eq!(told["questions"], Value::Null, "{told:#}");
        assert_eq!(told["validation_results"]["is_valid"], true, "{told:#}");
        assert_eq!(told["validation_results"]["test_output"][0]["at"], expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_that_the_file_breaks_is_shown_as_broken() {
    let bench = Bench::new();
    let file = bench.file("orders.csv", "id,name,value\n1,a,1.5\nx,b,2\n");
    let result = bench.call("generate_parser", json!({"file_path": file, "schema": sample_data()})).await;
    assert_eq!(result["validation_results"]["is_valid"], false);
    assert_eq!(result["validation_results"]["execution"], "failed");
    let fault = &result["validation_results"]["runtime_errors"][0];
    assert_eq!(fault["type"], "CellError");
    assert!(
        fault["message"].as_str().unwrap().starts_with("row 2, column 'id': 'x' can't be converted"),
        "{fault}"
    );
    assert_eq!(case(&result, "cells")["status"], "skipped");
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_rows_are_left_out_when_asked_for() {
    let bench = Bench::new();
    let file = bench.file("orders.csv", "id,name,value\n1,a,1.5\nx,b,2\n3,c,\n");
    let arguments = json!({"file_path": file, "schema": sample_data(), "options": {"bad_cells": "collect"}});
    let result = bench.call("generate_parser", arguments).await;
    assert_eq!(result["validation_results"]["is_valid"], true, "{result:#}");
    assert_eq!(result["validation_results"]["row_count"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn further_modules_of_python_run_and_others_are_skipped() {
    let bench = Bench::new();
    let file = bench.file("orders.csv", "id,name\n1,a\n2,b\n");
    for (module, execution) in [("zoneinfo", "passed"), ("lxml", "skipped")] {
        let arguments = json!({"file_path": file, "options": {"extra_imports": [module]}});
        let draft = bench.call("generate_parser", arguments).await;
        assert_eq!(draft["validation_results"]["execution"], execution, "{draft:#}");
        let arguments = json!({"files": [file], "draft_id": draft["draft_id"]});
        let result = bench.call("run_backtest", arguments).await;
        assert_eq!(result["execution"], execution, "{result:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approved_draft_is_committed_at_once() {
    let bench = Bench::new();
    let file = bench.file("orders.csv", "id\n1\n2\n");
    let result = bench.call("generate_parser", json!({"file_path": file, "auto_approve": true})).await;
    let drafts = bench.call("list_drafts", json!({"status": "committed"})).await;
    assert_eq!(drafts["drafts"][0]["id"], result["draft_id"]);
    assert!(bench.path("mortise-out/parsers/orders_parser/1.0.0/parser.py").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_strptime_and_readers_would_not_take_is_refused_at_its_field() {
    let bench = Bench::new();
    let column = |name: &str, format: &str| json!({"name": name, "data_type": "date", "format": format});
    let schema = |name: &str, column: Value| json!({"schema": {"name": name, "columns": [column]}});
    for (arguments, field) in [
        (schema("x", column("day", "%Q-%m")), "schema.columns[0].format"),
        (schema("x", column("day", "%Y-%m-%d|")), "schema.columns[0].format"),
        (schema("x", column("day", "%Y-%m-%")), "schema.columns[0].format"),
        (schema("x", column(" ", "%Y-%m-%d")), "schema.columns[0].name"),
        (schema("", column("day", "%Y-%m-%d")), "schema.name"),
        (
            schema("x", json!({"name": "a", "data_type": "string", "rename_to": ""})),
            "schema.columns[0].rename_to",
        ),
        (json!({"schema": sample_data(), "options": {"date_format": "%E"}}), "options.date_format"),
    ] {
        let error = bench.refused("generate_parser", arguments).await;
        assert_eq!(
            (error.error_code, error.field.as_deref()),
            (ErrorCode::ParamRange, Some(field)),
            "{error}"
        );
    }
    let several = schema("x", column("day", "%Y-%m-%d|%d/%m/%Y"));
    assert_eq!(bench.call("generate_parser", several).await["validation_results"]["is_valid"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parser_that_would_be_too_long_asks_for_a_schema() {
    let bench = Bench::new();
    let names: Vec<String> = (0..2500).map(|number| format!("c{number}_{}", "x".repeat(100))).collect();
    let file = bench.file("wide.csv", format!("{}\n{}\n", names.join(","), vec!["1"; 2500].join(",")));
    let error = bench.refused("generate_parser", json!({"file_path": file})).await;
    assert_eq!(error.error_code, ErrorCode::OutputTooLarge, "{error}");
    assert!(error.suggestion.contains("give `schema` with the columns you need"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unusual_cells_are_read_alike_by_parsers_and_readers() {
    let bench = Bench::new();
    let files = [
        bench.file("nulls.csv", "id,n\n1,nULL\n2,7\n3,NuLL\n"),
        bench.file("nulls.json", r#"[{"a": "nULL"}, {"a": "x"}, {"a": null}]"#),
        bench.file("long.csv", format!("id,text\n1,{}\n2,b\n", "x".repeat(200_000))),
        bench.file("fine.csv", "id,at\n1,2024-01-01 10:00:00.1234567\n2,2024-01-01 10:00:01.1234567\n"),
        bench.file(
            "numbers.ndjson",
            "{\"a\": 1.50, \"n\": {\"z\": 1.0, \"z\": [1e5, 1e16, 0.00001, 12345678901234567890123, \"\\u00e9\"]}}\n{\"a\": \"x\"}\n",
        ),
        bench.file("lines.ndjson", "{\n\"a\": 1\n}\n"),
    ];
    for file in files {
        let result = bench.call("generate_parser", json!({"file_path": file})).await;
        let results = &result["validation_results"];
        assert_eq!(results["is_valid"], true, "{file}: {results:#}\n{}", result["code"].as_str().unwrap());
        assert_eq!(results["reconciliation"]["status"], "passed", "{file}");
    }
    let spread = bench.file("spread.ndjson", "{\n\"a\": 1\n}\n{\n\"a\": 2\n}\n");
    let error = bench.refused("generate_parser", json!({"file_path": spread})).await;
    assert_eq!(error.error_code, ErrorCode::FormatMismatch, "{error}");
    assert!(error.reason.ends_with("not one object per line"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_text_for_people_tells_what_really_happened() {
    let bench = Bench::new();
    bench.file("good.csv", "id,name,value\n1,a,1.5\n2,b,\n");
    bench.file("bad.csv", "id,name,value\n1,a,1.5\nx,b,2\n");
    let text = async |arguments: Value| bench.try_call("generate_parser", arguments).await.unwrap().1;
    insta::assert_snapshot!(text(json!({"file_path": "good.csv"})).await, @r"
    Generated Python Parser
      Language: Python 3.10+
      Bridge Protocol: ✓ Valid
      Validation: 7 test cases passed
      → Ready for backtest
    ");
    let failed = text(json!({"file_path": "bad.csv", "schema": sample_data()})).await;
    assert!(failed.ends_with("before backtest") && failed.contains(" failed\n"), "{failed}");
    let skipped = text(json!({"schema": sample_data()})).await;
    assert!(
        skipped.contains("  Validation: skipped (") && skipped.ends_with("→ Ready for backtest"),
        "{skipped}"
    );
}
