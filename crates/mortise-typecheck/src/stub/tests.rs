//! What is read back from a stub.

use std::sync::Arc;

use mortise_contract::{Contract, RawJson, ServerName};

use super::{OtherKeys, Stub};
use crate::request::{CheckedTool, Outputs};

fn tool(outputs: Outputs) -> CheckedTool {
    let contract = Contract::parse(
        RawJson::parse(
            r#"{"name": "rows-of", "inputSchema": {"type": "object", "properties": {
                "ticker": {"type": "string"}, "limit": {"type": "integer"}, "max-age": {"type": "integer"}},
                "required": ["ticker"]},
              "outputSchema": {"type": "array", "items": {"type": "object", "properties": {
                "day": {"type": "string"}, "odd key": {"type": "integer"},
                "owner": {"type": "object", "properties": {"name": {"type": "string"}}, "additionalProperties": false},
                "prices": {"type": "object", "properties": {"eur": {"type": "number"}},
                  "additionalProperties": {"type": "number"}}},
                "required": ["day"]}}}"#,
        )
        .unwrap(),
    );
    CheckedTool {
        callable: "mcp__market__rows_of_2".to_owned(),
        server: ServerName::parse("market").unwrap(),
        contract: Arc::new(contract.unwrap()),
        outputs,
    }
}

#[test]
fn shapes_and_signature_are_read() {
    let stub = Stub::of(&tool(Outputs::Declared), None).unwrap();
    assert_eq!(stub.module, "_declared_mcp__market__rows_of_2");
    // A name that Python does not have goes through `**`, so others must be taken.
    assert!(stub.signature.takes_others);
    let required: Vec<(&str, bool)> = stub
        .signature
        .parameters
        .iter()
        .map(|parameter| (parameter.name.as_str(), parameter.is_required))
        .collect();
    assert_eq!(required, [("ticker", true), ("limit", false)]);
    assert!(stub.signature.text.starts_with("mcp__market__rows_of_2(*, ticker: str, limit: int = ..."));
    let rest = |key: &str| {
        let has = |shape: &&super::ObjectShape| shape.keys.iter().any(|known| known == key);
        stub.shapes.values().find(has).map(|shape| shape.rest)
    };
    assert_eq!(rest("odd key"), Some(OtherKeys::Open));
    assert_eq!(rest("name"), Some(OtherKeys::Closed));
    assert_eq!(rest("eur"), Some(OtherKeys::Typed));
}

#[test]
fn without_validation_results_are_anything() {
    let stub = Stub::of(&tool(Outputs::Unknown), None).unwrap();
    assert!(stub.signature.text.ends_with("-> Any"), "{}", stub.signature.text);
    assert!(stub.shapes.is_empty());
}

#[test]
fn a_stub_is_of_one_contract() {
    let one = tool(Outputs::Declared);
    let stub = Stub::of(&one, None).unwrap();
    assert!(stub.is_of(&one, None));
    assert!(!stub.is_of(&tool(Outputs::Declared), None));
}
