//! Changes of contracts, from the proposal to the next version.

use mortise_contract::format::ErrorCode;
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
    let with = approve(json!([{"name": "n", "data_type": "int32", "nullable": true, "rename_to": "number"}]));
    assert_eq!(bench.call("approve_schemas", with).await["version"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_in_words_needs_schemas() {
    let bench = Bench::new();
    let (scope_id, contract_id) = agreed(&bench, &["a"]).await;
    let words = json!({"contract_id": contract_id, "amendment_type": "user_requested", "reason": "drop n"});
    let amendment_id = bench.call("propose_amendment", words).await["amendment_id"].clone();
    let approve = json!({"scope_id": scope_id, "amendment_id": amendment_id});
    assert_eq!(bench.code_of_refusal("approve_schemas", approve).await, ErrorCode::ParamMissing);
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
