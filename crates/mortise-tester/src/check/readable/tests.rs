use mortise_contract::verdict::Era;
use mortise_contract::{Contract, RawJson};
use serde_json::{Value, json};

use super::problems;

#[track_caller]
fn check(declaration: &Value, era: Era, expected: &[&str]) {
    let contract = Contract::parse(RawJson::from_value(declaration).unwrap()).unwrap();
    let problems = problems(&contract, era);
    let places: Vec<&str> = problems.iter().map(|problem| problem.instance_path.as_str()).collect();
    assert_eq!(places, expected, "{declaration}");
}

#[test]
fn an_output_schema_without_an_object_at_its_root_is_read_only_by_clients_of_the_modern_era() {
    let input = json!({"type": "object"});
    for output in [json!({"type": "array"}), json!({"type": "string"}), json!({"type": ["object", "null"]})] {
        let declaration = json!({"name": "t", "inputSchema": input, "outputSchema": output});
        check(&declaration, Era::Legacy, &["/outputSchema/type"]);
        check(&declaration, Era::Modern, &[]);
    }
    let union = json!({"name": "t", "inputSchema": input, "outputSchema": {"anyOf": [{"type": "object"}]}});
    check(&union, Era::Legacy, &["/outputSchema"]);
    check(&union, Era::Modern, &[]);
}

#[test]
fn what_no_client_of_either_era_reads() {
    for era in [Era::Legacy, Era::Modern] {
        check(&json!({"name": "t", "inputSchema": {"type": "object"}}), era, &[]);
        check(&json!({"name": "t"}), era, &[""]);
        check(&json!({"name": "t", "inputSchema": {}}), era, &["/inputSchema"]);
        check(&json!({"name": "t", "inputSchema": true}), era, &["/inputSchema"]);
        check(
            &json!({"name": "t", "inputSchema": {"type": "object"}, "description": null}),
            era,
            &["/description"],
        );
        let hint =
            json!({"name": "t", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": "yes"}});
        check(&hint, era, &["/annotations/readOnlyHint"]);
    }
}
