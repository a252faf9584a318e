use mortise_contract::{RawJson, SchemaCache};
use serde_json::json;

use super::Fitting;

#[test]
fn a_member_of_another_type_is_noted_and_left_out() {
    let properties = json!({"name": {"type": "string"}, "schema": {"type": "object"}});
    let schemas = SchemaCache::default();
    let mut fitting = Fitting::new(Some(&properties), &schemas);
    for (key, text) in [("name", "7"), ("schema", r#"{"a": 1.10}"#), ("other", "[1]")] {
        fitting.take(key, &RawJson::parse(text).unwrap());
    }
    assert_eq!(
        fitting.finish().text(),
        r#"{"schema":{"a": 1.10},"other":[1],"notes":["`name` is a number, see raw"]}"#
    );
}
