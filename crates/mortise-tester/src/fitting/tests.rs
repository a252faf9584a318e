use mortise_contract::{RawJson, SchemaCache};
use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::Fitter;

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Promise {
    name: Option<String>,
    schema: Map<String, Value>,
}

#[test]
fn a_member_of_another_type_is_noted_and_left_out() {
    let schemas = SchemaCache::default();
    let fitter = Fitter::<Promise>::new(&schemas);
    let mut fitting = fitter.object();
    for (key, text) in [("name", "7"), ("schema", r#"{"a": 1.10}"#), ("other", "[1]")] {
        fitting.take(key, &RawJson::parse(text).unwrap());
    }
    assert_eq!(
        serde_json::to_string(&fitting.finish()).unwrap(),
        r#"{"schema":{"a": 1.10},"other":[1],"notes":["`name` is a number, see raw"]}"#
    );
}
