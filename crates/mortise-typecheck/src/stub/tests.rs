//! What is read back from a stub.

use std::sync::Arc;

use mortise_contract::{Contract, RawJson, ServerName};

use super::{Rest, Stub};
use crate::request::{Outputs, Tool};

fn tool(outputs: Outputs) -> Tool {
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
    Tool {
        callable: "mcp__market__rows_of_2".to_owned(),
        server: ServerName::parse("market").unwrap(),
        contract: Arc::new(contract.unwrap()),
        outputs,
    }
}

#[test]
fn shapes_and_signature_are_read() {
    let stub = Stub::of(&tool(Outputs::Declared)).unwrap();
    let mut shapes: Vec<(&str, &str, Rest)> =
        stub.shapes.iter().map(|(name, shape)| (name.as_str(), shape.text.as_str(), shape.rest)).collect();
    shapes.sort_by_key(|(name, ..)| *name);
    insta::assert_debug_snapshot!((&stub.module, &stub.signature.text, stub.signature.takes_others, shapes));
}

#[test]
fn without_validation_results_are_anything() {
    let stub = Stub::of(&tool(Outputs::Unknown)).unwrap();
    assert!(stub.signature.text.ends_with("-> Any"), "{}", stub.signature.text);
    assert!(stub.shapes.is_empty());
}

#[test]
fn a_stub_is_of_one_contract() {
    let one = tool(Outputs::Declared);
    let stub = Stub::of(&one).unwrap();
    assert!(stub.is_of(&one));
    assert!(!stub.is_of(&tool(Outputs::Declared)));
}
