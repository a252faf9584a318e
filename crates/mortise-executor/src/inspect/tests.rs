//! Rows for `inspect`.

use mortise_contract::{RawJson, ServerName};

use super::*;

fn tool(raw: &str) -> Contract {
    Contract::parse(RawJson::parse(raw).unwrap()).unwrap()
}

fn value(contract: &Contract) -> Value {
    serde_json::to_value(found("mcp__f__q", contract)).unwrap()
}

#[test]
fn a_tool_with_an_output_schema_is_shown_whole() {
    let contract = tool(
        r#"{"name":"q","outputSchema":{"type":"array","items":{"properties":{"z":{},"a":{}}}},"description":"Fetch.","inputSchema":{"type":"object","properties":{"ticker":{"type":"string"}},"required":["ticker"]}}"#,
    );
    insta::assert_snapshot!(serde_json::to_string_pretty(&found("mcp__f__q", &contract)).unwrap(), @r#"
    {
      "name": "mcp__f__q",
      "description": "Fetch.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "ticker": {
            "type": "string"
          }
        },
        "required": [
          "ticker"
        ]
      },
      "outputSchema": {
        "type": "array",
        "items": {
          "properties": {
            "z": {},
            "a": {}
          }
        }
      }
    }
    "#);
}

#[test]
fn a_tool_without_one_says_so() {
    for raw in [r#"{"name":"q"}"#, r#"{"name":"q","outputSchema":{}}"#, r#"{"name":"q","outputSchema":null}"#]
    {
        let shown = value(&tool(raw));
        assert_eq!(
            shown,
            json!({"name": "mcp__f__q", "description": "", "inputSchema": {}, "outputSchema": null, "note": NO_SCHEMA_NOTE})
        );
        let keys: Vec<&String> = shown.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["name", "description", "inputSchema", "outputSchema", "note"]);
    }
}

#[test]
fn a_tool_whose_schema_cannot_be_read_does_not_say_that_there_is_none() {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let contract = tool(&format!(r#"{{"name":"q","outputSchema":{{"enum":{deep}}}}}"#));
    let shown = value(&contract);
    assert_eq!((&shown["outputSchema"], &shown["note"]), (&Value::Null, &json!(UNREADABLE_SCHEMA_NOTE)));
}

#[test]
fn a_wrapped_value_is_shown_as_programs_get_it() {
    let shown = |schema: Value| -> Value {
        let contract = tool(&json!({"name": "q", "outputSchema": schema}).to_string());
        value(&contract)
    };
    let wrapper = json!({"type": "object", "properties": {"result": {"type": "array", "items": {"$ref": "#/$defs/Row"}}},
        "required": ["result"], "x-fastmcp-wrap-result": true, "$defs": {"Row": {"type": "object"}}});
    let shown_wrapper = shown(wrapper);
    let keys: Vec<&String> = shown_wrapper.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["name", "description", "inputSchema", "outputSchema", "note"]);
    assert_eq!(
        shown_wrapper["outputSchema"],
        json!({"type": "array", "items": {"$ref": "#/$defs/Row"}, "$defs": {"Row": {"type": "object"}}})
    );
    assert_eq!(shown_wrapper["note"], UNWRAPPED_NOTE);
    let plain = json!({"type": "object", "properties": {"result": {}, "next": {}}, "required": ["result"]});
    assert_eq!(
        (&shown(plain.clone())["outputSchema"], &shown(plain.clone())["note"]),
        (&plain, &Value::Null)
    );
}

#[test]
fn a_missing_tool_is_named_first() {
    assert_eq!(
        not_found("mcp__nonexistent__foo", None, &[]),
        "[Tool not found] 'mcp__nonexistent__foo' is not available in execute_program"
    );
    assert_eq!(
        not_found("a", Some("It is blocked by this server's configuration.".to_owned()), &["b", "c"]),
        "[Tool not found] 'a' is not available in execute_program\nIt is blocked by this server's configuration.\nDid you mean b, c?"
    );
}

#[test]
fn a_signature_shows_what_goes_in_and_comes_out() {
    let shown = |raw: &str| {
        let definition = ToolDefinition::of(&ServerName::parse("f").unwrap(), &tool(raw));
        signature("mcp__f__q", &definition)
    };
    assert_eq!(
        shown(
            r#"{"name":"q","inputSchema":{"type":"object","properties":{"ticker":{"type":"string"},"limit":{"type":"integer"}},"required":["ticker"]},"outputSchema":{"type":"array","items":{"type":"object","properties":{"revenue":{"type":"number"}},"required":["revenue"]}}}"#
        ),
        "mcp__f__q(ticker: string, limit?: number) -> Array<{ revenue: number; }>"
    );
    assert_eq!(shown(r#"{"name":"q"}"#), "mcp__f__q() -> unknown");
    assert_eq!(shown(r#"{"name":"q","outputSchema":{}}"#), "mcp__f__q() -> unknown");
}

fn seen(text: &str) -> ObservedShape {
    ObservedShape::of(&RawJson::parse(text).unwrap(), 1_795_000_000)
}

#[test]
fn what_was_observed_follows_the_fixed_fields() {
    let silent = tool(r#"{"name":"q"}"#);
    let shown = serde_json::to_value(found("mcp__f__q", &silent).with_observed(Some(&seen("[1]")))).unwrap();
    let keys: Vec<&String> = shown.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["name", "description", "inputSchema", "outputSchema", "note", "observedSchema", "observed"]
    );
    assert_eq!(shown["observedSchema"], json!({"type": "array", "items": {"type": "integer"}}));
    assert_eq!(shown["observed"], json!({"calls": 1, "first": "2026-11-18", "last": "2026-11-18"}));
    // What is declared needs no observation.
    let declared = tool(r#"{"name":"q","outputSchema":{"type":"string"}}"#);
    let shown =
        serde_json::to_value(found("mcp__f__q", &declared).with_observed(Some(&seen("[1]")))).unwrap();
    assert_eq!(shown.get("observedSchema"), None);
}

#[test]
fn observed_results_are_marked_in_signatures() {
    let server = ServerName::parse("f").unwrap();
    let signature = |raw: &str, seen: Option<&ObservedShape>| {
        let definition = ToolDefinition::of(&server, &tool(raw));
        signature_with_observed("mcp__f__q", &definition, seen)
    };
    let odd =
        r#"{"name":"q","inputSchema":{"type":"object","properties":{"a":{"enum":[") -> observed x"]}}}}"#;
    assert_eq!(signature(odd, None), "mcp__f__q(a?: \") -> observed x\") -> unknown");
    // A wrapper that was seen is part of the value that programs get.
    let wrapper = seen(r#"{"result": [1]}"#);
    assert_eq!(
        signature(odd, Some(&wrapper)),
        "mcp__f__q(a?: \") -> observed x\") -> observed { result: Array<number>; }"
    );
}
