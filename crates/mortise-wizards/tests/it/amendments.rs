//! Changes of contracts, from the proposal to the next version.

use mortise_formats::format::ErrorCode;
use serde_json::{Value, json};

use crate::bench::Bench;

const COLUMNS: &str = r#"[{"name": "id", "data_type": "int64"}, {"name": "n", "data_type": "int32"}]"#;

/// The scope and the contract of one file, with one schema for each name.
async fn agreed(bench: &Bench, names: &[&str]) -> (Value, Value) {
    bench.file("a.csv", "id,n\n1,\n2,3\n");
    let scope = bench.call("apply_scope", json!({"name": "all", "files": ["a.csv"]})).await;
    let found = bench.call("discover_schemas", json!({"files": ["a.csv"]})).await;
    let columns: Value = serde_json::from_str(COLUMNS).unwrap();
    let schema = |name: &&str| json!({"discovery_id": found["schemas"][0]["discovery_id"], "name": name, "output_table_name": name, "columns": columns});
    let schemas: Vec<Value> = names.iter().map(schema).collect();
    let scope_id = scope["scope"]["scope_id"].clone();
    let approved = bench.call("approve_schemas", json!({"scope_id": scope_id, "schemas": schemas})).await;
    (scope_id, approved["contract_id"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approved_amendment_is_the_next_version() {
    let bench = Bench::new();
    let (scope_id, contract_id) = agreed(&bench, &["a"]).await;
    let passed = async |contract: &Value| {
        bench.call("run_backtest", json!({"scope_id": scope_id, "contract_id": contract})).await["files_passed"].clone()
    };
    assert_eq!(passed(&contract_id).await, 0, "a value is missing");
    let nullable = json!({"contract_id": contract_id, "amendment_type": "nullability_change", "column": "n"});
    let proposed = bench.call("propose_amendment", nullable.clone()).await;
    let next = &proposed["workflow"]["next_actions"][0];
    let approve = json!({"scope_id": scope_id, "amendment_id": proposed["amendment_id"]});
    assert_eq!((&next["tool_name"], &next["suggested_params"]), (&json!("approve_schemas"), &approve));
    assert_eq!(passed(&contract_id).await, 0, "nobody has agreed yet");
    let approved = bench.call("approve_schemas", approve.clone()).await;
    assert_eq!((&approved["version"], &approved["schemas_approved"]), (&json!(2), &json!(1)));
    assert_eq!(passed(&approved["contract_id"]).await, 1);
    assert_eq!(passed(&contract_id).await, 0, "the old version stays what it was");
    assert_eq!(passed(&json!("a")).await, 1, "the name means the newest");
    // Neither the same change again, nor one of a version that is over.
    assert_eq!(bench.code_of_refusal("approve_schemas", approve).await, ErrorCode::ApprovalStale);
    let late = bench.call("propose_amendment", nullable).await;
    let late = json!({"scope_id": scope_id, "amendment_id": late["amendment_id"]});
    assert_eq!(bench.code_of_refusal("approve_schemas", late).await, ErrorCode::ApprovalStale);
    // Types and new columns as well.
    let contract_id = &approved["contract_id"];
    let typed = json!({"contract_id": contract_id, "amendment_type": "type_mismatch", "column": "n", "proposed_type": "boolean"});
    let typed = bench.call("propose_amendment", typed).await;
    let approve = json!({"scope_id": scope_id, "amendment_id": typed["amendment_id"]});
    let contract_id = bench.call("approve_schemas", approve).await["contract_id"].clone();
    assert_eq!(passed(&contract_id).await, 0, "3 is no boolean");
    let new = json!([{"name": "x", "data_type": "string"}]);
    let new = json!({"contract_id": contract_id, "amendment_type": "new_columns", "new_columns": new});
    let new = bench.call("propose_amendment", new).await;
    let approve = json!({"scope_id": scope_id, "amendment_id": new["amendment_id"]});
    let contract_id = bench.call("approve_schemas", approve).await["contract_id"].clone();
    let tested = bench.call("run_backtest", json!({"scope_id": scope_id, "contract_id": contract_id})).await;
    assert_eq!(tested["results"][0]["error"], "there is no column `x`");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_must_have_the_change_that_it_is_about() {
    let bench = Bench::new();
    let (scope_id, contract_id) = agreed(&bench, &["a"]).await;
    let nullable = json!({"contract_id": contract_id, "amendment_type": "nullability_change", "column": "n"});
    let amendment_id = bench.call("propose_amendment", nullable).await["amendment_id"].clone();
    let found = bench.call("discover_schemas", json!({"files": ["a.csv"]})).await;
    let approve = |columns: Value| {
        let schema = json!({"discovery_id": found["schemas"][0]["discovery_id"], "name": "a", "output_table_name": "a", "columns": columns});
        json!({"scope_id": scope_id, "amendment_id": amendment_id, "schemas": [schema]})
    };
    let without = approve(serde_json::from_str(COLUMNS).unwrap());
    assert_eq!(bench.code_of_refusal("approve_schemas", without).await, ErrorCode::ParamRange);
    let foreign = json!({"scope_id": "scope_other", "amendment_id": amendment_id});
    assert_eq!(bench.code_of_refusal("approve_schemas", foreign).await, ErrorCode::ParamRange);
    let unknown = json!({"scope_id": scope_id, "amendment_id": "../contracts/x"});
    assert_eq!(bench.code_of_refusal("approve_schemas", unknown).await, ErrorCode::ParamRange);
    assert_eq!(
        bench.code_of_refusal("approve_schemas", json!({"scope_id": scope_id})).await,
        ErrorCode::ParamMissing
    );
    // Nothing else is approved under its name.
    let id = json!({"name": "id", "data_type": "int64"});
    let n = |more: Value| {
        let mut column = json!({"name": "n", "data_type": "int32", "nullable": true});
        column.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        column
    };
    for (columns, field) in [
        (json!([n(json!({}))]), "schemas[0].columns"),
        (json!([n(json!({})), id]), "schemas[0].columns"),
        (json!([id, n(json!({"rename_to": "number"}))]), "schemas[0].columns[1].rename_to"),
        (json!([id, n(json!({"data_type": "int64"}))]), "schemas[0].columns[1].data_type"),
        (
            json!([{"name": "id", "data_type": "int64", "nullable": true}, n(json!({}))]),
            "schemas[0].columns[0].nullable",
        ),
    ] {
        let refused = bench.refused("approve_schemas", approve(columns)).await;
        assert_eq!((refused.error_code, refused.field.as_deref()), (ErrorCode::ParamRange, Some(field)));
    }
    let with = approve(json!([id, n(json!({}))]));
    assert_eq!(bench.call("approve_schemas", with).await["version"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_one_schema_is_no_change_of_another() {
    let bench = Bench::new();
    let (scope_id, contract_id) = agreed(&bench, &["a", "b"]).await;
    let nullable = json!({"contract_id": contract_id, "amendment_type": "nullability_change", "column": "n", "schema": "b"});
    let amendment_id = bench.call("propose_amendment", nullable).await["amendment_id"].clone();
    let found = bench.call("discover_schemas", json!({"files": ["a.csv"]})).await;
    let schema = |name: &str, nullable: bool| {
        let columns = json!([{"name": "id", "data_type": "int64"}, {"name": "n", "data_type": "int32", "nullable": nullable}]);
        json!({"discovery_id": found["schemas"][0]["discovery_id"], "name": name, "output_table_name": name, "columns": columns})
    };
    let approve =
        |schemas: Value| json!({"scope_id": scope_id, "amendment_id": amendment_id, "schemas": schemas});
    for (schemas, field) in [
        (json!([schema("a", true), schema("b", false)]), "schemas[0].columns[1].nullable"),
        (json!([schema("b", true)]), "schemas"),
        (json!([schema("a", false), schema("b", true), schema("c", true)]), "schemas[2]"),
    ] {
        let refused = bench.refused("approve_schemas", approve(schemas)).await;
        assert_eq!((refused.error_code, refused.field.as_deref()), (ErrorCode::ParamRange, Some(field)));
    }
    bench.call("approve_schemas", approve(json!([schema("b", true), schema("a", false)]))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_type_is_approved_with_the_form_of_its_values() {
    let bench = Bench::new();
    let (scope_id, contract_id) = agreed(&bench, &["a"]).await;
    let dated = json!({"contract_id": contract_id, "amendment_type": "type_mismatch", "column": "n", "proposed_type": "date"});
    let amendment_id = bench.call("propose_amendment", dated).await["amendment_id"].clone();
    let found = bench.call("discover_schemas", json!({"files": ["a.csv"]})).await;
    let columns = json!([{"name": "id", "data_type": "int64"}, {"name": "n", "data_type": "date", "format": "%d.%m.%Y"}]);
    let schema = json!({"discovery_id": found["schemas"][0]["discovery_id"], "name": "a", "output_table_name": "a", "columns": columns});
    let approve = json!({"scope_id": scope_id, "amendment_id": amendment_id, "schemas": [schema]});
    assert_eq!(bench.call("approve_schemas", approve).await["version"], 2);
}

/// Approves all of these at once.
async fn at_once(bench: &Bench, calls: Vec<Value>) -> Vec<Result<Value, ErrorCode>> {
    let calls = calls.into_iter().map(|call| async {
        let outcome = bench.try_call("approve_schemas", call).await;
        outcome.map(|(result, _)| result).map_err(|error| error.error_code)
    });
    futures::future::join_all(calls).await
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_approves_while_another_does() {
    let bench = Bench::with(|options| options.patience = std::time::Duration::ZERO);
    let (scope_id, contract_id) = agreed(&bench, &["a"]).await;
    let nullable = json!({"contract_id": contract_id, "amendment_type": "nullability_change", "column": "n"});
    let amendment_id = bench.call("propose_amendment", nullable).await["amendment_id"].clone();
    let approve = json!({"scope_id": scope_id, "amendment_id": amendment_id});
    let lock = bench.wizards.options.state.join("approvals/.lock");
    let another = std::fs::File::options().write(true).open(lock).unwrap();
    another.lock().unwrap();
    let refused = bench.refused("approve_schemas", approve.clone()).await;
    assert_eq!((refused.error_code, refused.retryable), (ErrorCode::Io, Some(true)), "{refused}");
    drop(another);
    assert_eq!(bench.call("approve_schemas", approve).await["version"], 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn approvals_at_once_get_versions_of_their_own() {
    let bench = Bench::new();
    let (scope_id, contract_id) = agreed(&bench, &["a"]).await;
    let found = bench.call("discover_schemas", json!({"files": ["a.csv"]})).await;
    let columns: Value = serde_json::from_str(COLUMNS).unwrap();
    let schema = json!({"discovery_id": found["schemas"][0]["discovery_id"], "name": "a", "output_table_name": "a", "columns": columns});
    let nullable = json!({"contract_id": contract_id, "amendment_type": "nullability_change", "column": "n"});
    let amendment_id = bench.call("propose_amendment", nullable).await["amendment_id"].clone();
    let agreeing = json!({"scope_id": scope_id, "amendment_id": amendment_id});
    let agreed = at_once(&bench, vec![agreeing; 8]).await;
    assert_eq!(agreed.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{agreed:?}");
    assert_eq!(agreed.iter().filter(|outcome| **outcome == Err(ErrorCode::ApprovalStale)).count(), 7);
    let approving = json!({"scope_id": scope_id, "schemas": [schema]});
    let approved = at_once(&bench, vec![approving; 8]).await;
    let mut versions: Vec<u64> =
        approved.into_iter().map(|outcome| outcome.unwrap()["version"].as_u64().unwrap()).collect();
    versions.sort_unstable();
    assert_eq!(versions, [3, 4, 5, 6, 7, 8, 9, 10]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_in_words_needs_schemas() {
    let bench = Bench::new();
    let (scope_id, contract_id) = agreed(&bench, &["a"]).await;
    let words = json!({"contract_id": contract_id, "amendment_type": "user_requested", "reason": "drop n"});
    let amendment_id = bench.call("propose_amendment", words).await["amendment_id"].clone();
    let mut approve = json!({"scope_id": scope_id, "amendment_id": amendment_id});
    assert_eq!(bench.code_of_refusal("approve_schemas", approve.clone()).await, ErrorCode::ParamMissing);
    // The contract as it is does not do what was asked for.
    let found = bench.call("discover_schemas", json!({"files": ["a.csv"]})).await;
    let mut columns: Value = serde_json::from_str(COLUMNS).unwrap();
    approve["schemas"] = json!([{"discovery_id": found["schemas"][0]["discovery_id"], "name": "a", "output_table_name": "a", "columns": columns}]);
    assert_eq!(bench.code_of_refusal("approve_schemas", approve.clone()).await, ErrorCode::ParamRange);
    columns.as_array_mut().unwrap().pop();
    approve["schemas"][0]["columns"] = columns;
    assert_eq!(bench.call("approve_schemas", approve).await["version"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_several_schemas_must_be_named() {
    let bench = Bench::new();
    let (scope_id, contract_id) = agreed(&bench, &["a", "b"]).await;
    let mut nullable =
        json!({"contract_id": contract_id, "amendment_type": "nullability_change", "column": "n"});
    assert_eq!(bench.code_of_refusal("propose_amendment", nullable.clone()).await, ErrorCode::ParamMissing);
    nullable["schema"] = json!("c");
    assert_eq!(bench.code_of_refusal("propose_amendment", nullable.clone()).await, ErrorCode::ParamRange);
    nullable["schema"] = json!("b");
    let amendment_id = bench.call("propose_amendment", nullable).await["amendment_id"].clone();
    bench.call("approve_schemas", json!({"scope_id": scope_id, "amendment_id": amendment_id})).await;
    for (name, passed) in [("a", 0), ("b", 1)] {
        let tested = bench.call("run_backtest", json!({"files": ["a.csv"], "contract_id": name})).await;
        assert_eq!(tested["files_passed"], passed, "{name}");
    }
}
