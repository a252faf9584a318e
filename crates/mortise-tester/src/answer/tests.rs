use mortise_contract::RawJson;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::json;

use super::{AsSent, NoMetadata, ToolAnswer, ToolReport};
use crate::moment::Moment;

fn sent(text: &str) -> AsSent {
    AsSent::new(&RawJson::parse(text).unwrap())
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Body {
    data: AsSent,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Null while there is none
    at: Option<u64>,
}

#[test]
fn every_digit_and_the_order_of_keys_stay() {
    let data = sent(r#"{"z":1.10,"y":12345678901234567890123}"#);
    let report = ToolReport::new(Body { data, reason: None, at: None });
    let text = serde_json::to_string(&ToolAnswer::new(report, Moment::now())).unwrap();
    let wanted = r#"{"success":true,"data":{"z":1.10,"y":12345678901234567890123},"at":null,"metadata":{"#;
    assert!(text.starts_with(wanted), "{text}");
}

#[test]
fn only_what_is_always_there_can_be_null_and_nothing_is_required() {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = SchemaGenerator::new(settings).into_root_schema_for::<ToolAnswer<Body, NoMetadata>>();
    let properties = schema.get("properties").unwrap();
    assert_eq!(properties["reason"], json!({"type": "string"}));
    assert_eq!(properties["at"]["type"], json!(["integer", "null"]));
    assert_eq!(properties["data"], json!({}));
    assert_eq!(properties["error"]["description"], "Present when success is false");
    assert_eq!(properties["connection"]["properties"], json!({"server_url": {"type": "string"}}));
    assert!(!properties.to_string().contains("required"), "{properties}");
}

#[test]
fn what_would_make_an_answer_unreadable_becomes_a_string() {
    let deep = "[".repeat(115) + &"]".repeat(115);
    assert!(sent(&deep).json().text().starts_with('"'));
    let shallow = "[".repeat(100) + &"]".repeat(100);
    assert_eq!(sent(&shallow).json().text(), shallow);
    assert_eq!(sent(r#"["\ud800"]"#).json().text(), r#""[\"\\ud800\"]""#);
}
