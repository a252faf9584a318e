use serde_json::json;

use super::without_only_null;

#[test]
fn what_was_always_null_may_be_anything() {
    let schema = json!({
        "type": "object",
        "properties": {
            "next": {"type": "null"},
            "note": {"type": ["string", "null"]},
            "rows": {"type": "array", "items": {"type": "null"}},
            "type": {"type": "string"},
        },
        "required": ["next"],
    });
    let checked = json!({
        "type": "object",
        "properties": {
            "next": {},
            "note": {"type": ["string", "null"]},
            "rows": {"type": "array", "items": {}},
            "type": {"type": "string"},
        },
        "required": ["next"],
    });
    assert_eq!(without_only_null(schema), checked);
}
