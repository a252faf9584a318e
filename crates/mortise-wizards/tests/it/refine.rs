//! `refine_parser` and `fix_parser`.

use mortise_formats::format::ErrorCode;
use serde_json::{Value, json};

use crate::bench::Bench;

async fn parser(bench: &Bench) -> String {
    let schema = json!({"name": "orders", "columns": [
        {"name": "id", "data_type": "int64"},
        {"name": "price", "data_type": "float64"},
        {"name": "day", "data_type": "date"},
    ]});
    bench.call("generate_parser", json!({"schema": schema})).await["code"].as_str().unwrap().to_owned()
}

fn error(kind: &str, column: &str, value: &str) -> Value {
    json!({"file_path": "orders.csv", "error_type": kind, "message": "it failed", "column": column, "value": value})
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_mended_and_the_new_code_runs() {
    let bench = Bench::new();
    bench.file("orders.csv", "id,price,day\n1,N/A,2024-01-05\n,2.5,12/25/2024\n");
    let code = parser(&bench).await;
    let errors = [
        error("null_value", "id", ""),
        error("type_mismatch", "price", "N/A"),
        error("parse_error", "day", "12/25/2024"),
    ];
    let arguments = json!({
        "current_code": code,
        "errors": errors,
        "constraints": {"nullable_columns": ["price"], "required_columns": ["id"]},
    });
    let result = bench.call("refine_parser", arguments).await;
    assert_eq!((&result["status"], &result["format"]), (&json!("retry"), &json!("code")), "{result:#}");
    assert_eq!(result["changes_made"].as_array().unwrap().len(), 3);
    assert_eq!(result["validation_results"]["execution"], "passed", "{result:#}");
    assert_eq!(
        result["validation_results"]["test_output"],
        json!([{"id": 1, "price": null, "day": "2024-01-05"}, {"id": 0, "price": 2.5, "day": "2024-12-25"}])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cleaned_column_still_refuses_what_is_another_number() {
    let bench = Bench::new();
    let code = parser(&bench).await;
    for (cell, expected) in [("1,234,567", Some(1_234_567.0)), ("12,50", None), ("4/5", None), ("1$2", None)]
    {
        bench.file(
            "orders.csv",
            format!("id,price,day\n1,\"{cell}\",2024-01-05\n2,\"$ 1,000.50\",2024-01-06\n"),
        );
        let arguments =
            json!({"current_code": code, "errors": [error("value_error", "price", "$ 1,000.50")]});
        let result = bench.call("refine_parser", arguments).await;
        assert_eq!(result["status"], "retry", "{result:#}");
        let results = &result["validation_results"];
        match expected {
            Some(number) => {
                let prices = [&results["test_output"][0]["price"], &results["test_output"][1]["price"]];
                assert_eq!(prices, [&json!(number), &json!(1000.5)], "{result:#}");
            }
            None => assert_eq!(results["execution"], "failed", "{cell}: {result:#}"),
        }
    }
    let refused = json!({"current_code": code, "errors": [error("value_error", "price", "12,50")]});
    assert_eq!(bench.call("refine_parser", refused).await["status"], "escalate");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_null_of_json_is_filled_and_nested_values_become_json() {
    let bench = Bench::new();
    bench.file("orders.json", r#"[{"id": 1, "tags": 7}, {"id": null, "tags": {"a": [true, null]}}]"#);
    let schema = json!({"name": "orders", "columns": [
        {"name": "id", "data_type": "int64"},
        {"name": "tags", "data_type": "int64"},
    ]});
    let made = json!({"schema": schema, "options": {"file_format": "json"}});
    let code = bench.call("generate_parser", made).await["code"].clone();
    let error = |kind: &str, column: &str, value: Value| json!({"file_path": "orders.json", "error_type": kind, "message": "it failed", "column": column, "value": value});
    let errors = [
        error("null_value", "id", Value::Null),
        error("type_mismatch", "tags", json!("{'a': [True, None]}")),
    ];
    let result = bench.call("refine_parser", json!({"current_code": code, "errors": errors})).await;
    assert_eq!(
        result["validation_results"]["test_output"],
        json!([{"id": 1, "tags": "7"}, {"id": 0, "tags": "{\"a\":[true,null]}"}]),
        "{result:#}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_must_look_when_nothing_helps() {
    let bench = Bench::new();
    let code = parser(&bench).await;
    let refine = |more: Value| {
        let mut arguments = json!({"current_code": code, "errors": [error("null_value", "id", "")]});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        bench.call("refine_parser", arguments)
    };
    let last = refine(json!({"attempt": 3, "max_attempts": 3})).await;
    assert_eq!(
        (&last["status"], &last["escalation_reason"]),
        (&json!("escalate"), &json!("attempt 3 of 3 failed"))
    );
    assert_eq!(last["code"], json!(code));
    let again = refine(json!({"attempt": 2, "previous_error_types": ["null_value"]})).await;
    assert_eq!(again["escalation_reason"], "no progress: null_value again");
    let vague =
        refine(json!({"errors": [error("ambiguous_type", "id", "x"), error("schema_mismatch", "id", "x")]}))
            .await;
    assert_eq!(vague["status"], "escalate");
    let foreign =
        json!({"current_code": "TOPIC = \"a\"\nSINK = \"csv\"\ndef parse(file_path: str):\n    return []\n"});
    let foreign = refine(foreign).await;
    assert_eq!(foreign["escalation_reason"], "no fix is known for these errors");
    assert!(!foreign["suggested_manual_fixes"].as_array().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn fixes_come_with_snippets_that_parse() {
    let bench = Bench::new();
    let code = parser(&bench).await;
    let failure = |category: &str, column: &str| json!({"file_path": "a.csv", "error": "it failed", "category": category, "column": column, "sample_values": ["x"]});
    let arguments = json!({"parser_code": code, "failures": [
        failure("NullNotAllowed", "a\"b\n"), failure("NullNotAllowed", "a\"b\n"), failure("TypeMismatch", "price"),
    ]});
    let result = bench.call("fix_parser", arguments).await;
    assert_eq!(
        (&result["issues_analyzed"], &result["fixes"][0]["fix_type"]),
        (&json!(3), &json!("null_handling"))
    );
    assert_eq!(result["fixes"][0]["confidence"], 0.9);
    assert!(result["fixes"][0]["code_snippet"].as_str().unwrap().starts_with("COLUMNS[\"a\\\"b\\n\"]"));
    for (value, converter) in [("1.5", "float"), ("00501", "str")] {
        let failure = json!({"file_path": "a.csv", "error": "no", "category": "TypeMismatch", "column": "id", "sample_values": [value]});
        let result = bench.call("fix_parser", json!({"parser_code": code, "failures": [failure]})).await;
        let expected = format!("COLUMNS[\"id\"] = ({converter}, False)\n");
        assert_eq!(result["fixes"][0]["code_snippet"], expected, "{result:#}");
    }
    let broken = json!({"parser_code": "def f(:", "failures": [failure("Unknown", "x")]});
    assert_eq!(bench.code_of_refusal("fix_parser", broken).await, ErrorCode::PythonSyntax);
}
