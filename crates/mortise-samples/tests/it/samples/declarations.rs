//! What every sample declares.

use mortise_samples::samples;
use serde_json::Value;

use super::peer;

/// Tools that declare no output schema, to show what that is like.
const WITHOUT_SCHEMA: [&str; 2] = ["search_docs", "describe_climate"];

async fn declared() -> Vec<Value> {
    let mut tools = Vec::new();
    for sample in samples() {
        let list = peer(sample.name).modern("tools/list", Value::Null).await.unwrap();
        let listed = list["result"]["tools"].as_array().unwrap().clone();
        assert!(listed.len() >= 3, "{}", sample.name);
        tools.extend(listed);
    }
    tools
}

#[tokio::test]
async fn every_tool_is_described_and_annotated() {
    for tool in declared().await {
        let name = tool["name"].as_str().unwrap();
        let description = tool["description"].as_str().unwrap();
        assert!((20..2000).contains(&description.len()), "{name}: {description}");
        assert!(description.ends_with(". Sample server: its data is invented."), "{name}: {description}");
        assert!(tool["title"].is_string(), "{name}");
        let annotations = &tool["annotations"];
        assert_eq!(annotations["openWorldHint"], false, "{name}");
        let reads = annotations["readOnlyHint"] == true;
        assert!(
            reads || annotations["destructiveHint"].is_boolean(),
            "{name} says nothing about what it changes"
        );
    }
}

#[tokio::test]
async fn every_tool_but_two_has_an_output_schema() {
    let without: Vec<_> =
        declared().await.into_iter().filter(|tool| tool.get("outputSchema").is_none()).collect();
    let names: Vec<_> = without.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, WITHOUT_SCHEMA);
}

#[tokio::test]
async fn a_cursor_is_a_string_or_absent() {
    let tools = declared().await;
    let paged: Vec<_> =
        tools.iter().filter(|tool| tool.pointer("/outputSchema/properties/next_cursor").is_some()).collect();
    assert_eq!(paged.len(), 3);
    for tool in paged {
        let schema = &tool["outputSchema"];
        assert_eq!(schema["properties"]["next_cursor"]["type"], "string", "{}", tool["name"]);
        assert!(!schema["required"].as_array().unwrap().contains(&"next_cursor".into()), "{}", tool["name"]);
    }
}

#[tokio::test]
async fn input_schemas_are_closed_objects_without_combinators_at_the_root() {
    for tool in declared().await {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{}", tool["name"]);
        assert_eq!(schema["additionalProperties"], false, "{}", tool["name"]);
        for combinator in ["anyOf", "oneOf", "allOf"] {
            assert!(schema.get(combinator).is_none(), "{}", tool["name"]);
        }
    }
}

#[test]
fn names_are_unique_and_found() {
    let names: Vec<_> = samples().iter().map(|sample| sample.name).collect();
    assert_eq!(names, ["financial-data", "doc-retrieval", "weather", "tickets", "inventory"]);
    assert!(mortise_samples::sample("nope").is_none());
}
