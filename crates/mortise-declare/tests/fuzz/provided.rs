//! The law of what providers are sent: arguments that a tool takes stay allowed, or a loss says otherwise.

use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};
use mortise_contract::unwrap::ShapeRule;
use mortise_contract::{ServerName, ToolName};
use mortise_declare::{
    Action, Loss, Provider, ProviderOptions, SchemaSide, Severity, StrictRequest, ToolDefinition, render_tool,
};
use mortise_testkit::fuzz_law;
use mortise_testkit::schemas::{schema, value};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Arguments are objects, and most schemas for them say so.
fn case() -> impl Strategy<Value = (Value, Vec<Value>)> {
    let arguments = value().prop_map(|value| if value.is_object() { value } else { json!({ "a": value }) });
    let schema = (schema(), any::<bool>()).prop_map(|(mut schema, is_plain)| {
        if is_plain && let Value::Object(members) = &mut schema {
            members.insert("type".to_owned(), "object".into());
        }
        schema
    });
    (schema, prop::collection::vec(arguments, 1..12))
}

fn definition(schema: &Value) -> Result<ToolDefinition, TestCaseError> {
    let failed = |error: &dyn std::fmt::Display| TestCaseError::fail(error.to_string());
    Ok(ToolDefinition {
        server: ServerName::parse("s").map_err(|error| failed(&error))?,
        tool: ToolName::parse("t").map_err(|error| failed(&error))?,
        description: None,
        input_schema: schema.clone(),
        declares_input_schema: true,
        rounded_numbers: Vec::new(),
        output_schema: None,
        unreadable_output: None,
        is_projected: false,
        forward_output_schema: false,
        shape_rule: ShapeRule::default(),
    })
}

fn parameters(tool: &Value) -> Option<&Value> {
    let places = [
        "/parameters",
        "/function/parameters",
        "/input_schema",
        "/parametersJsonSchema",
        "/toolSpec/inputSchema/json",
    ];
    places.iter().find_map(|place| tool.pointer(place))
}

/// Whether a loss tells that arguments may be refused that the tool takes.
fn is_told(losses: &[Loss]) -> bool {
    let tells = |loss: &Loss| loss.severity > Severity::Info || loss.action == Action::Assumed;
    losses.iter().filter(|loss| loss.side == SchemaSide::Input).any(tells)
}

/// What a provider is sent is 2020-12 and takes the arguments that the tool takes, unless a loss tells otherwise;
/// what is sent as strict is within the limits of strict modes.
#[test]
fn provided_schemas() {
    fuzz_law(&case(), |(schema, values)| {
        let Ok(natural) = CompiledSchema::compile(&schema, &SchemaOptions::default()) else { return Ok(()) };
        let tool = definition(&schema)?;
        for strict in [StrictRequest::Off, StrictRequest::WherePossible] {
            let options = ProviderOptions { strict, ..ProviderOptions::default() };
            for provider in Provider::ALL {
                let rendered = render_tool(provider, &tool, "mcp__s__t", &options);
                let mut sent = parameters(&rendered.json).cloned().unwrap_or_default();
                if let Value::Object(members) = &mut sent {
                    members.remove("$schema");
                }
                let name = provider.as_str();
                let is_schema = jsonschema::draft202012::meta::is_valid(&sent);
                prop_assert!(is_schema, "{}: {} became {}", name, schema, sent);
                if rendered.json.to_string().contains("\"strict\":true") {
                    let wrong =
                        beyond_strict(&sent, !matches!(provider, Provider::Anthropic | Provider::Bedrock));
                    prop_assert_eq!(wrong, None, "{}: {} became {}", name, schema, sent);
                    // Arguments with null for what is left out are another shape.
                    continue;
                }
                if is_told(&rendered.losses) {
                    continue;
                }
                let compiled = CompiledSchema::compile(&sent, &SchemaOptions::default());
                prop_assert!(compiled.is_ok(), "{}: {} became {}", name, schema, sent);
                let Ok(compiled) = compiled else { continue };
                for value in &values {
                    let is_taken = natural.validate(value) == Validation::Valid;
                    let is_refused = matches!(compiled.validate(value), Validation::Invalid { .. });
                    prop_assert!(
                        !(is_taken && is_refused),
                        "{}: {} under {} became {}, losses {:?}",
                        name,
                        value,
                        schema,
                        sent,
                        rendered.losses
                    );
                }
            }
        }
        Ok(())
    });
}

/// The first thing that a strict mode does not take.
fn beyond_strict(schema: &Value, all_required: bool) -> Option<String> {
    const NEVER: [&str; 12] = [
        "allOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "dependentSchemas",
        "dependentRequired",
        "patternProperties",
        "propertyNames",
        "prefixItems",
        "unevaluatedProperties",
    ];
    let Value::Object(members) = schema else { return Some(format!("{schema} is no object")) };
    if let Some(word) = NEVER.iter().find(|word| members.contains_key(**word)) {
        return Some(format!("`{word}` in {schema}"));
    }
    let is = |kind: &str| match members.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|found| found == kind),
        found => found.is_some_and(|found| found == kind),
    };
    if is("array") && !members.contains_key("items") {
        return Some(format!("no items in {schema}"));
    }
    if all_required && members.contains_key("$ref") && members.len() > 1 {
        return Some(format!("something beside `$ref` in {schema}"));
    }
    let empty = Map::new();
    let map = |keyword: &str| members.get(keyword).and_then(Value::as_object).unwrap_or(&empty);
    if is("object") || members.contains_key("properties") {
        let required = members.get("required").and_then(Value::as_array).map_or(0, Vec::len);
        if members.get("additionalProperties") != Some(&Value::Bool(false)) {
            return Some(format!("an open object in {schema}"));
        }
        if all_required && required != map("properties").len() {
            return Some(format!("an optional key in {schema}"));
        }
    }
    let lists = members.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    let named = ["properties", "$defs", "definitions"].into_iter().flat_map(|keyword| map(keyword).values());
    lists.chain(named).chain(members.get("items")).find_map(|inner| beyond_strict(inner, all_required))
}
