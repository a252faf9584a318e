use serde_json::{Value, json};

use super::broken_up;

#[test]
fn a_schema_takes_few_lines_and_stays_json() {
    let schema = json!({
        "type": "object",
        "properties": {
            "next": {"type": ["string", "null"]},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}},
        },
        "required": ["next", "rows"],
    });
    let text = broken_up(&schema, 0);
    assert_eq!(
        text,
        r#"{
  "type": "object",
  "properties": {
    "next": {"type": ["string", "null"]},
    "rows": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {"id": {"type": "integer"}},
        "required": ["id"]
      }
    }
  },
  "required": ["next", "rows"]
}"#
    );
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), schema);
    assert_eq!(broken_up(&json!({"type": "string"}), 0), r#"{"type": "string"}"#);
}
