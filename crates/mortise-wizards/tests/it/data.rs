//! Scans, previews, scopes, schemas, contracts.

use std::fmt::Write as _;
use std::os::unix::fs::symlink;

use mortise_formats::format::{ErrorBody, ErrorCode};
use mortise_wizards::data::tools::wizards;
use serde_json::{Value, json};

use crate::workbench::Workbench;

const ORDERS: [(&str, &str); 3] = [
    (
        "orders_1.csv",
        "id,total,day\n1,2.5,2024-01-01\n2,3.5,2024-01-02\n3,1,2024-01-03\n4,2,2024-01-04\n5,9,2024-01-05\n",
    ),
    (
        "orders_2.csv",
        "id,total,day\n6,2.5,2024-02-01\n7,3.5,2024-02-02\n8,1,2024-02-03\n9,2,2024-02-04\n10,9,2024-02-05\n",
    ),
    (
        "orders_3.csv",
        "id,total,day\n11,2.5,2024-03-01\n12,3.5,2024-03-02\n13,1,2024-03-03\n14,2,2024-03-04\n15,9,2024-03-05\n",
    ),
];

async fn call(bench: &Workbench, name: &str, arguments: Value) -> Result<Value, ErrorBody> {
    bench.call(&wizards(), name, arguments).await
}

async fn refused(bench: &Workbench, name: &str, arguments: Value) -> (ErrorCode, Option<String>) {
    let body = call(bench, name, arguments).await.expect_err("refused");
    (body.error_code, body.field)
}

#[tokio::test]
async fn a_scan_counts_files_and_survives_anything() {
    let bench = Workbench::with(&[("a.csv", "1"), ("b.csv", "2"), ("c.json", "{}"), ("sub/d.csv", "3")]);
    symlink(bench.root(), bench.root().join("sub/loop")).unwrap();
    let scan = call(&bench, "quick_scan", json!({"path": "."})).await.unwrap();
    assert_eq!((&scan["file_count"], &scan["total_size"]), (&json!(4), &json!(5)));
    let csv: Vec<&str> = scan["by_extension"]["csv"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(csv, ["a.csv", "b.csv", "sub/d.csv"]);
    assert_eq!(scan["unreadable"][0]["path"], "sub/loop");
    assert_eq!(refused(&bench, "quick_scan", json!({"path": "absent"})).await.0, ErrorCode::FileNotFound);
    assert_eq!(refused(&bench, "quick_scan", json!({"path": "a.csv"})).await.0, ErrorCode::NotADirectory);
    assert_eq!(refused(&bench, "quick_scan", json!({"path": "/etc"})).await.0, ErrorCode::PathDenied);
    assert_eq!(refused(&bench, "quick_scan", json!({"path": "sub/../.."})).await.0, ErrorCode::PathDenied);
    assert_eq!(refused(&bench, "quick_scan", json!({})).await.0, ErrorCode::ParamMissing);
    assert_eq!(refused(&bench, "quick_scan", json!({"path": 12345})).await.0, ErrorCode::ParamType);
    assert_eq!(refused(&bench, "quick_scan", json!({"path": null})).await.0, ErrorCode::ParamMissing);
    assert_eq!(
        refused(&bench, "quick_scan", json!({"path": ".", "max_files": 0})).await,
        (ErrorCode::ParamRange, Some("max_files".to_owned()))
    );
}

#[tokio::test]
async fn a_scan_of_many_files_stays_within_the_result_limit() {
    let bench = Workbench::new();
    for number in 0..12_000 {
        bench.write(&format!("{number:05}.csv"), "");
    }
    let scan = call(&bench, "quick_scan", json!({"path": ".", "max_files": 1_000_000})).await.unwrap();
    assert_eq!((&scan["file_count"], &scan["truncated"]), (&json!(12_000), &json!(true)));
    assert!(scan.to_string().len() < 1_000_000);
}

#[tokio::test]
async fn a_scan_of_many_broken_links_stays_within_the_result_limit() {
    let bench = Workbench::with(&[("a.csv", "1")]);
    let long = "link".repeat(50);
    for number in 0..5_000 {
        symlink("/nowhere/at/all", bench.root().join(format!("{long}_{number}"))).unwrap();
    }
    let scan = call(&bench, "quick_scan", json!({"path": "."})).await.unwrap();
    assert_eq!((&scan["file_count"], &scan["truncated"]), (&json!(1), &json!(true)));
    let told = scan["warnings"][0]["message"].as_str().unwrap();
    assert!(told.starts_with("5000 entries"), "{told}");
}

#[tokio::test]
async fn previews_tell_faults_per_file() {
    let bench = Workbench::with(&[("a.csv", "id|n\n1|2\n3|4\n")]);
    let shown =
        call(&bench, "preview_files", json!({"files": ["a.csv", "no.csv", "/etc/passwd"], "lines": 2}))
            .await
            .unwrap();
    let first = &shown["previews"][0];
    assert_eq!(first["lines"], json!(["id|n", "1|2"]));
    assert_eq!((&first["detected_delimiter"], &first["has_more"]), (&json!("pipe"), &json!(true)));
    assert_eq!(first["header"], json!(["id", "n"]));
    assert_eq!(shown["previews"][1]["error"]["error_code"], "ERR_FILE_NOT_FOUND");
    assert_eq!(shown["previews"][2]["error"]["error_code"], "ERR_PATH_DENIED");
}

#[tokio::test]
async fn samples_hide_what_is_private() {
    let bench = Workbench::with(&[("a.csv", "id,name\n1,Ann\n2,\n")]);
    let arguments = json!({"file_path": "a.csv", "redact_columns": ["name"]});
    let sample = call(&bench, "read_sample", arguments).await.unwrap();
    assert_eq!(sample["rows"], json!([["1", "***"], ["2", "***"]]));
    assert_eq!(sample["redacted"], json!(["name"]));
    let unknown = json!({"file_path": "a.csv", "redact_columns": ["nmae"]});
    assert_eq!(
        refused(&bench, "read_sample", unknown).await,
        (ErrorCode::ParamRange, Some("redact_columns[0]".to_owned()))
    );
    bench.write("b.json", r#"[{"a": null, "b": 1}]"#);
    let sample = call(&bench, "read_sample", json!({"file_path": "b.json"})).await.unwrap();
    assert_eq!(sample["rows"], json!([[null, "1"]]));
}

#[tokio::test]
async fn a_hundred_thousand_rows_are_all_looked_at() {
    let mut text = String::from("id,zip,total,day,name,flag\n");
    for row in 0..100_000 {
        writeln!(text, "{row},{:05},{}.5,2024-01-{:02},name {row},yes", row % 99_999, row, row % 28 + 1)
            .unwrap();
    }
    let bench = Workbench::with(&[("big.csv", &text)]);
    let found =
        call(&bench, "discover_schemas", json!({"files": ["big.csv"], "max_rows": 100_000})).await.unwrap();
    let types: Vec<&str> = found["schemas"][0]["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["data_type"].as_str().unwrap())
        .collect();
    assert_eq!(types, ["int64", "string", "float64", "date", "string", "boolean"]);
    assert_eq!(found["schemas"][0]["rows_analyzed"], 100_000);
}

#[tokio::test]
async fn what_values_cannot_decide_is_a_question() {
    let bench = Workbench::with(&[("a.csv", "id,day\n1,31/05/24\n2,30/04/24\n")]);
    let found = call(&bench, "discover_schemas", json!({"files": ["a.csv"]})).await.unwrap();
    let question = &found["questions"][0];
    assert_eq!(question["blocking"], true);
    let options: Vec<&str> =
        question["options"].as_array().unwrap().iter().map(|option| option["id"].as_str().unwrap()).collect();
    assert_eq!(options, ["%d/%m/%y", "%y/%m/%d"]);
    assert_eq!(found["workflow"]["pending_decisions"][0], question["id"]);
    assert_eq!(found["schemas"][0]["columns"][1]["constraint"]["confidence"], 0.5);
}

async fn approved(bench: &Workbench, columns: Value) -> Result<Value, ErrorBody> {
    let scope = call(bench, "apply_scope", json!({"name": "all", "files": ["a.csv"]})).await.unwrap();
    let found = call(bench, "discover_schemas", json!({"files": ["a.csv"]})).await.unwrap();
    let schema = &found["schemas"][0];
    let arguments = json!({
        "scope_id": scope["scope"]["scope_id"],
        "proposal_hash": schema["proposal_hash"],
        "schemas": [{
            "discovery_id": schema["discovery_id"],
            "name": "a",
            "output_table_name": "a",
            "columns": columns,
        }],
    });
    call(bench, "approve_schemas", arguments).await
}

#[tokio::test]
async fn an_approval_is_checked_before_it_counts() {
    let bench = Workbench::with(&[("a.csv", "id,day\n1,05/06/2024\n2,06/07/2024\n")]);
    let empty = json!({"scope_id": "s", "schemas": []});
    assert_eq!(refused(&bench, "approve_schemas", empty).await.0, ErrorCode::SchemaEmpty);
    let code = |outcome: Result<Value, ErrorBody>| {
        let body = outcome.expect_err("refused");
        (body.error_code, body.field.unwrap_or_default())
    };
    let id = json!({"name": "id", "data_type": "int64"});
    assert_eq!(
        code(approved(&bench, json!([{"name": "id", "data_type": "money"}])).await),
        (ErrorCode::SchemaType, "schemas[0].columns[0].data_type".to_owned())
    );
    assert_eq!(code(approved(&bench, json!([])).await).0, ErrorCode::SchemaEmpty);
    assert_eq!(
        code(approved(&bench, json!([{"name": "_cf_x", "data_type": "int64"}])).await).0,
        ErrorCode::ColumnReserved
    );
    assert_eq!(code(approved(&bench, json!([id, id])).await).0, ErrorCode::ParamRange);
    let open = json!([id, {"name": "day", "data_type": "date"}]);
    assert_eq!(
        code(approved(&bench, open).await),
        (ErrorCode::SchemaUnresolved, "schemas[0].columns[1].format".to_owned())
    );
    let answered =
        json!([id, {"name": "day", "data_type": "date", "format": "%d/%m/%Y", "rename_to": "ordered_on"}]);
    let contract = approved(&bench, answered.clone()).await.unwrap();
    assert_eq!((&contract["version"], &contract["schemas_approved"]), (&json!(1), &json!(1)));
    assert_eq!(contract["warnings"][0]["message"], "`day` is called `ordered_on` in the output");
    let unknown = json!({"scope_id": "nothing", "schemas": [{"discovery_id": "x", "name": "a", "output_table_name": "a", "columns": [id]}]});
    assert_eq!(refused(&bench, "approve_schemas", unknown).await.0, ErrorCode::ScopeNotFound);
}

#[tokio::test]
async fn a_changed_file_makes_an_approval_stale() {
    let bench = Workbench::with(&[("a.csv", "id,n\n1,2\n")]);
    let scope = call(&bench, "apply_scope", json!({"name": "all", "files": ["a.csv"]})).await.unwrap();
    let before = call(&bench, "discover_schemas", json!({"files": ["a.csv"]})).await.unwrap();
    bench.write("a.csv", "id,n\nx,2\n");
    call(&bench, "discover_schemas", json!({"files": ["a.csv"]})).await.unwrap();
    let arguments = json!({
        "scope_id": scope["scope"]["scope_id"],
        "proposal_hash": before["schemas"][0]["proposal_hash"],
        "schemas": [{
            "discovery_id": before["schemas"][0]["discovery_id"],
            "name": "a",
            "output_table_name": "a",
            "columns": [{"name": "id", "data_type": "int64"}],
        }],
    });
    assert_eq!(refused(&bench, "approve_schemas", arguments).await.0, ErrorCode::ApprovalStale);
}

#[tokio::test]
async fn amendments_say_what_would_change() {
    let bench = Workbench::with(&[("a.csv", "id,n\n1,2\n")]);
    let columns = json!([{"name": "id", "data_type": "int64"}, {"name": "n", "data_type": "int32"}]);
    let contract = approved(&bench, columns).await.unwrap();
    let amend = |more: Value| {
        let mut arguments = json!({"contract_id": contract["contract_id"]});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let new =
        json!([{"name": "x", "data_type": "string", "nullable": true}, {"name": "y", "data_type": "date"}]);
    let added = call(
        &bench,
        "propose_amendment",
        amend(json!({"amendment_type": "new_columns", "new_columns": new})),
    );
    let added = added.await.unwrap();
    assert_eq!(
        added["changes"],
        json!([{"column": "x", "to": "string, nullable"}, {"column": "y", "to": "date"}])
    );
    assert_eq!((&added["status"], &added["breaking"]), (&json!("pending"), &json!(false)));
    for (proposed, breaking) in [("int64", false), ("string", true)] {
        let typed = json!({"amendment_type": "type_mismatch", "column": "n", "proposed_type": proposed});
        let typed = call(&bench, "propose_amendment", amend(typed)).await.unwrap();
        assert_eq!((&typed["breaking"], &typed["changes"][0]["from"]), (&json!(breaking), &json!("int32")));
    }
    let nullable = call(
        &bench,
        "propose_amendment",
        amend(json!({"amendment_type": "nullability_change", "column": "id"})),
    );
    assert_eq!(
        nullable.await.unwrap()["changes"],
        json!([{"column": "id", "from": "required", "to": "nullable"}])
    );
    let wrong = [
        (json!({"amendment_type": "type_mismatch", "column": "n"}), ErrorCode::ParamMissing),
        (
            json!({"amendment_type": "type_mismatch", "column": "z", "proposed_type": "date"}),
            ErrorCode::ParamRange,
        ),
        (
            json!({"amendment_type": "type_mismatch", "column": "n", "proposed_type": "money"}),
            ErrorCode::SchemaType,
        ),
        (json!({"amendment_type": "new_columns"}), ErrorCode::ParamMissing),
        (json!({"amendment_type": "other"}), ErrorCode::ParamRange),
    ];
    for (more, code) in wrong {
        assert_eq!(refused(&bench, "propose_amendment", amend(more)).await.0, code);
    }
    let none = json!({"contract_id": "contract_x", "amendment_type": "user_requested"});
    assert_eq!(refused(&bench, "propose_amendment", none).await.0, ErrorCode::ContractNotFound);
}

#[tokio::test]
async fn a_scope_of_three_files_becomes_one_group() {
    let bench = Workbench::with(&ORDERS);
    let scan = call(&bench, "quick_scan", json!({"path": "."})).await.unwrap();
    let files = scan["workflow"]["next_actions"][1]["suggested_params"]["files"].clone();
    let scope =
        call(&bench, "apply_scope", json!({"name": "orders", "files": files, "pattern": "orders_*.csv"}));
    let scope = scope.await.unwrap();
    assert_eq!(scope["file_count"], 3);
    let arguments = json!({"files": scope["scope"]["files"], "scope_id": scope["scope"]["scope_id"]});
    let found = call(&bench, "discover_schemas", arguments).await.unwrap();
    assert_eq!(found["schema_groups"].as_array().unwrap().len(), 1);
    assert_eq!(found["drift"], json!([]));
    let rows: u64 =
        found["schemas"].as_array().unwrap().iter().map(|it| it["rows_analyzed"].as_u64().unwrap()).sum();
    assert_eq!(rows, 15);
    let missing = json!({"files": ["orders_1.csv"], "scope_id": "scope_none"});
    assert_eq!(refused(&bench, "discover_schemas", missing).await.0, ErrorCode::ScopeNotFound);
    let bad = json!({"name": "none", "files": ["no.csv", "/etc/passwd"]});
    assert_eq!(refused(&bench, "apply_scope", bad).await.0, ErrorCode::ParamRange);
    let glob = json!({"name": "x", "files": ["orders_1.csv"], "pattern": "{a"});
    assert_eq!(refused(&bench, "apply_scope", glob).await.0, ErrorCode::GlobInvalid);
}

#[tokio::test]
async fn the_schemas_of_many_files_stay_within_the_result_limit() {
    let header: Vec<String> = (0..40).map(|number| format!("column_number_{number}")).collect();
    let row: Vec<String> = (0..40).map(|number| format!("value {number}")).collect();
    let text = format!("{}\n{}\n", header.join(","), row.join(","));
    let bench = Workbench::new();
    let files: Vec<String> = (0..60).map(|number| format!("file_{number:02}.csv")).collect();
    for file in &files {
        bench.write(file, &text);
    }
    let found = call(&bench, "discover_schemas", json!({"files": files})).await.unwrap();
    assert_eq!((&found["files_analyzed"], &found["truncated"]), (&json!(60), &json!(true)));
    assert_eq!(found["schema_groups"][0]["schema_ids"].as_array().unwrap().len(), 60);
    assert!(found.to_string().len() < 1_000_000);
}

#[tokio::test]
async fn a_very_wide_table_is_told_as_far_as_it_fits() {
    for (columns, all_shown) in [(1_400, true), (10_000, false)] {
        let name = |number: usize| format!("measurement_of_channel_{number:05}");
        let names: Vec<String> = (0..columns).map(name).collect();
        let days: Vec<String> =
            (0..columns).map(|number| format!("0{}/0{}/2024", number % 9 + 1, number % 8 + 1)).collect();
        let text = format!("{}\n{}\n{}\n", names.join(","), days.join(","), days.join(","));
        let bench = Workbench::with(&[("wide.csv", &text), ("wide2.csv", &text)]);
        let found =
            call(&bench, "discover_schemas", json!({"files": ["wide.csv", "wide2.csv"]})).await.unwrap();
        assert!(found.to_string().len() < 1_000_000);
        assert_eq!((&found["files_analyzed"], &found["truncated"]), (&json!(2), &json!(true)));
        let shown = found["schemas"][0]["columns"].as_array().unwrap();
        assert_eq!(shown.len() == columns, all_shown, "{} of {columns}", shown.len());
        assert_eq!((&shown[0]["name"], &shown[0]["data_type"]), (&json!(name(0)), &json!("date")));
        let warned: Vec<&str> = found["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|warning| warning["code"] == "WARN_TRUNCATED")
            .map(|warning| warning["message"].as_str().unwrap())
            .collect();
        let told = |text: &str| warned.iter().any(|warning| warning.contains(text));
        for text in ["1 proposal left out", "columns' evidence left out", "questions left out"] {
            assert!(told(text), "{text}: {warned:?}");
        }
        assert_eq!(told(" columns left out"), !all_shown, "{warned:?}");
    }
}

#[tokio::test]
async fn warnings_that_are_left_out_are_counted() {
    let bench = Workbench::new();
    let folder = "deep".repeat(50);
    for (names, told) in [("", 50), (folder.as_str(), 40)] {
        let files: Vec<String> = (0..60).map(|number| format!("{names}{number:02}.csv")).collect();
        let found = call(&bench, "discover_schemas", json!({"files": files})).await.unwrap();
        let warnings = found["warnings"].as_array().unwrap();
        let missing = warnings.iter().filter(|warning| warning["code"] == "ERR_FILE_NOT_FOUND").count();
        assert_eq!((missing, warnings.len()), (told, told + 1));
        let more = format!("{} more warnings: `failed_files` has them", 60 - told);
        assert_eq!(warnings[told], json!({"code": "WARN_TRUNCATED", "message": more}));
        assert_eq!(
            (found["failed_files"].as_array().unwrap().len(), &found["truncated"]),
            (60, &json!(false))
        );
    }
}

#[tokio::test]
async fn the_warnings_of_a_wide_proposal_are_counted() {
    // Numbers that are nested in a thousand long names: each is a warning.
    let members: Vec<String> = (0..2_000).map(|place| format!("\"{place:0>200}\": {{\"n\": 1}}")).collect();
    let bench = Workbench::with(&[("wide.ndjson", &format!("{{{0}}}\n{{{0}}}\n", members.join(",")))]);
    let found = call(&bench, "discover_schemas", json!({"files": ["wide.ndjson"]})).await.unwrap();
    assert!(found.to_string().len() < 1_000_000);
    let told = found["schemas"][0]["warnings"].as_array().unwrap().len();
    let left_out = format!("{} warnings of the proposal left out; the first are listed", 2_000 - told);
    let warnings = found["warnings"].as_array().unwrap();
    assert!(
        told < 2_000 && warnings.iter().any(|warning| warning["message"] == left_out.as_str()),
        "{told}: {warnings:?}"
    );
}

#[tokio::test]
async fn files_without_a_schema_do_not_stop_the_others() {
    let bench = Workbench::with(&[("a.csv", "id\n1\n2\n"), ("b.json", "{"), ("c.pdf", "%PDF-1.7")]);
    bench.write("e.csv", b"\xef\xbb\xbfid,name\n1,\xe9\xe8\n2,\xe9\n".repeat(3));
    let files = json!(["a.csv", "b.json", "c.pdf", "d.csv", "e.csv"]);
    let found = call(&bench, "discover_schemas", json!({"files": files})).await.unwrap();
    assert_eq!(found["files_analyzed"], 1);
    let codes: Vec<&str> = found["failed_files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|failed| failed["error"]["error_code"].as_str().unwrap())
        .collect();
    assert_eq!(
        codes,
        ["ERR_FORMAT_MISMATCH", "ERR_FORMAT_UNSUPPORTED", "ERR_FILE_NOT_FOUND", "ERR_ENCODING"]
    );
}

#[tokio::test]
async fn every_tool_refuses_what_it_does_not_know_and_repeats_itself() {
    let bench = Workbench::with(&[("a.csv", "id,day\n1,05/06/2024\n2,06/07/2024\n")]);
    for wizard in wizards() {
        assert_eq!(wizard.input_schema()["type"], "object", "{}", wizard.name());
        assert_eq!(wizard.output_schema()["additionalProperties"], false, "{}", wizard.name());
        let body = call(&bench, wizard.name(), json!({"colour": "red"})).await.expect_err("refused");
        let all = body.details.iter().chain([&body]);
        let unknown = all.filter(|body| body.error_code == ErrorCode::ParamUnknown).count();
        assert_eq!(unknown, 1, "{}: {body:?}", wizard.name());
    }
    let calls = [
        ("quick_scan", json!({"path": "."})),
        ("preview_files", json!({"files": ["a.csv"]})),
        ("read_sample", json!({"file_path": "a.csv"})),
        ("discover_schemas", json!({"files": ["a.csv"]})),
    ];
    for (name, arguments) in calls {
        let run = || async {
            let mut result = call(&bench, name, arguments.clone()).await.unwrap();
            result.as_object_mut().unwrap().remove("duration_ms");
            result.to_string()
        };
        assert_eq!(run().await, run().await, "{name}");
    }
}
