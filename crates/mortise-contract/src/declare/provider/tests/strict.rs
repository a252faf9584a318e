//! What strict modes are granted and refused.

use serde_json::{Value, json};

use super::{Provider, ProviderTool, StrictVerdict, strictly};

#[track_caller]
fn refused(provider: Provider, schema: Value, reason: &str) -> ProviderTool {
    let rendered = strictly(provider, schema);
    assert_eq!(rendered.strict, StrictVerdict::Impossible(vec![reason.to_owned()]));
    rendered
}

#[test]
fn an_object_that_names_no_key_takes_any_and_cannot_be_strict() {
    let open = "keys that are not named are allowed";
    for provider in [Provider::OpenAi, Provider::Anthropic] {
        for schema in [
            json!({"type": "object"}),
            json!({"type": "object", "properties": {}}),
            json!({"type": "object", "properties": {}, "additionalProperties": true}),
        ] {
            refused(provider, schema, open);
        }
        let nothing = json!({"type": "object", "properties": {}, "additionalProperties": false});
        assert_eq!(strictly(provider, nothing).strict, StrictVerdict::Possible);
    }
    refused(Provider::OpenAi, json!({"type": "object", "enum": [{"a": 1}]}), open);
}
