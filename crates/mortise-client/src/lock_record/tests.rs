//! What a lock entry holds of odd declarations.

use mortise_contract::RawJson;
use serde_json::json;

use super::*;

fn recorded(text: &str) -> Map<String, Value> {
    let contract = Contract::parse(RawJson::parse(text).unwrap()).unwrap();
    LockRecorder::new(&Secrets::default()).tool(&contract).into_owned()
}

fn nested(levels: usize) -> String {
    format!("{}1{}", "[".repeat(levels), "]".repeat(levels))
}

#[test]
fn a_plain_tool_stands_there_as_it_is() {
    let tool = json!({"name": "t", "inputSchema": {"type": "object"}, "x-more": [1, {"a": null}]});
    assert_eq!(Value::Object(recorded(&tool.to_string())), tool);
}

#[test]
fn what_nests_deep_can_be_read_back_and_every_change_shows() {
    let tool = |levels| recorded(&format!(r#"{{"name": "t", "inputSchema": {}}}"#, nested(levels)));
    for levels in [90, 110, 126, 500] {
        let within = format!("{}{}{}", "[".repeat(10), Value::Object(tool(levels)), "]".repeat(10));
        assert!(serde_json::from_str::<Value>(&within).is_ok(), "{levels}");
        assert_ne!(tool(levels), tool(levels - 1), "{levels}");
    }
}

#[test]
fn a_server_can_not_forge_the_hash_of_what_was_left_out() {
    let deep = recorded(&format!(r#"{{"name": "t", "outputSchema": {}}}"#, nested(500)));
    let forged = recorded(&json!({"name": "t", EXACT: deep[EXACT]}).to_string());
    assert_ne!(deep, forged);
}
