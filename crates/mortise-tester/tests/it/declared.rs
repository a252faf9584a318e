//! What is advertised: the nine tools as they are fixed, and nothing that a provider refuses.

use mortise_tester::declaration::fixed;
use serde_json::Value;

use crate::support::Assistant;

/// Whether `found` has all that `wanted` has, and the same.
fn covers(found: &Value, wanted: &Value, place: &str) {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => {
            for (key, value) in wanted {
                let place = format!("{place}/{key}");
                covers(found.get(key).unwrap_or_else(|| panic!("{place} is gone")), value, &place);
            }
        }
        _ => assert_eq!(found, wanted, "{place}"),
    }
}

#[tokio::test]
async fn the_nine_tools_are_as_they_are_fixed() {
    let assistant = Assistant::new().await;
    let catalog = assistant.upstream.catalog();
    for fixed in fixed() {
        let contract = catalog.get(&fixed.name).unwrap_or_else(|| panic!("{} is gone", fixed.name));
        assert_eq!(contract.description(), Some(fixed.description.as_str()));
        let mut input = fixed.input.clone();
        let mut returns = fixed.returns.clone();
        if fixed.name == "connect_to_server" {
            // A local server has a command and no URL.
            input.as_object_mut().unwrap().remove("required");
        }
        if fixed.name == "get_connection_status" {
            // Null while there is no connection.
            returns["properties"]["connection"]["type"] = serde_json::json!(["object", "null"]);
        }
        covers(contract.input_schema().unwrap(), &input, &fixed.name);
        assert_eq!(contract.input_schema().unwrap().get("required"), input.get("required"), "{}", fixed.name);
        covers(contract.output_schema().unwrap(), &returns, &fixed.name);
        assert_eq!(contract.output_schema().unwrap().get("required"), None, "{}", fixed.name);
    }
}

#[tokio::test]
async fn every_tool_can_be_declared_to_any_provider() {
    let assistant = Assistant::new().await;
    for contract in &assistant.upstream.catalog().contracts {
        assert!(contract.issues.is_empty(), "{}: {:?}", contract.name, contract.issues);
        let input = contract.input_schema().unwrap();
        for combinator in ["anyOf", "oneOf", "allOf"] {
            assert!(input.get(combinator).is_none(), "{}", contract.name);
        }
        assert!(contract.output_schema().is_some(), "{}", contract.name);
        assert!(contract.description().unwrap().len() < 2_000, "{}", contract.name);
    }
    assert_eq!(assistant.upstream.facts().unwrap().name(), Some("mcp-test-mcp"));
}
