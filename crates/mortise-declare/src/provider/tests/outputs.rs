//! Output schemas on their way into a field, or into the description.

use serde_json::{Value, json};

use super::{OutputForm, Provider, ProviderTool, input, reasons, render, tool};

fn sent(provider: Provider, output: Value) -> (Option<Value>, ProviderTool) {
    let rendered = render(provider, &tool(input(), Some(output)));
    let field = rendered.json.get("output_schema").or(rendered.json.get("responseJsonSchema")).cloned();
    (field, rendered)
}

#[test]
fn an_output_schema_is_cleaned_as_an_input_schema_is() {
    let old = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {
        "pair": {"type": "array", "items": [{"type": "string"}], "additionalItems": false},
        "odd": {"type": "string[]"}, "list": {"type": "array"}}});
    let (field, rendered) = sent(Provider::OpenAi, old);
    let pair = json!({"type": "array", "prefixItems": [{"type": "string"}], "items": false});
    assert_eq!(
        field.unwrap()["properties"],
        json!({"pair": pair, "odd": {}, "list": {"type": "array", "items": {}}})
    );
    assert_eq!(reasons(&rendered), ["info items", "error type", "info additionalItems", "info items"]);
    let (field, rendered) = sent(
        Provider::Gemini,
        json!({"type": "object", "properties": {"a": {"const": 1}}, "minProperties": 1}),
    );
    assert_eq!(field.unwrap(), json!({"type": "object", "properties": {"a": {"enum": [1]}}}));
    assert_eq!(reasons(&rendered), ["warn minProperties", "info const"]);
}

#[test]
fn what_is_no_object_does_not_vanish() {
    let (field, rendered) = sent(Provider::OpenAi, json!(true));
    assert_eq!((field, reasons(&rendered)), (Some(json!({})), vec!["info outputSchema".to_owned()]));
    let (field, rendered) = sent(Provider::OpenAi, json!("string"));
    assert_eq!((field, reasons(&rendered)), (None, vec!["warn outputSchema".to_owned()]));
    let list = json!({"type": "array", "items": {"type": "string"}});
    assert_eq!(sent(Provider::OpenAi, list.clone()).0, Some(list.clone()));
    for output in
        [list, json!({"$ref": "#/$defs/L", "$defs": {"L": {"type": "array", "items": {"type": "string"}}}})]
    {
        let (field, rendered) = sent(Provider::Gemini, output);
        assert_eq!(field, None);
        assert_eq!(rendered.json["description"], "Does it\n\nReturns: Array<string>");
        assert!(matches!(rendered.output, OutputForm::Hint { .. }));
        assert_eq!(
            (reasons(&rendered), rendered.losses[0].rule),
            (vec!["info type".to_owned()], Some("gemini.result"))
        );
    }
}
