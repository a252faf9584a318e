//! The reference pages say what the registries say.

use std::fs;
use std::path::Path;

use mortise_samples::mock::{ScenarioTransport, scenarios};
use mortise_samples::samples;
use serde_json::Value;

use crate::samples::peer;

/// The part of a page between its marks.
fn generated_part(page: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(page);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (_, rest) = text.split_once("<!-- from the code -->\n").expect("a mark where the table begins");
    let (part, _) = rest.split_once("<!-- end -->").expect("a mark where the table ends");
    part.to_owned()
}

#[track_caller]
fn check(page: &str, expected: &str) {
    if generated_part(page) != expected {
        panic!("docs/reference/{page} is stale; between its marks belongs:\n{expected}");
    }
}

#[test]
fn every_scenario_is_in_the_reference() {
    let mut table = String::new();
    let mut group = "";
    for scenario in scenarios() {
        if scenario.group != group {
            group = scenario.group;
            table += &format!(
                "\n### {group}\n\n| scenario | what happens | default | over |\n| --- | --- | --- | --- |\n"
            );
        }
        let default = scenario.number.map(|number| number.default.to_string()).unwrap_or_default();
        let over = match scenario.transport {
            ScenarioTransport::Any => "",
            ScenarioTransport::Stdio => "stdio",
            ScenarioTransport::Http => "HTTP",
        };
        table += &format!("| `{}` | {} | {default} | {over} |\n", scenario.usage(), scenario.about);
    }
    check("mock.md", &format!("{table}\n"));
}

#[tokio::test]
async fn every_sample_and_tool_is_in_the_reference() {
    let mut text = String::new();
    for sample in samples() {
        text += &format!(
            "\n### `{}`: {}\n\n| tool | arguments | changes things |\n| --- | --- | --- |\n",
            sample.name, sample.about
        );
        let list = peer(sample.name).modern("tools/list", Value::Null).await.unwrap();
        for tool in list["result"]["tools"].as_array().unwrap() {
            text += &format!(
                "| `{}` | {} | {} |\n",
                tool["name"].as_str().unwrap(),
                arguments(tool),
                effect(tool)
            );
        }
    }
    check("samples.md", &format!("{text}\n"));
}

/// The argument names, optional ones with a question mark.
fn arguments(tool: &Value) -> String {
    let schema = &tool["inputSchema"];
    let required =
        |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|one| one == name));
    let names = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    let names: Vec<_> =
        names.map(|name| if required(name) { format!("`{name}`") } else { format!("`{name}?`") }).collect();
    names.join(", ")
}

fn effect(tool: &Value) -> &'static str {
    let annotations = &tool["annotations"];
    match (annotations["readOnlyHint"] == true, annotations["destructiveHint"] == true) {
        (true, _) => "no",
        (_, true) => "overwrites or deletes",
        _ => "adds",
    }
}
