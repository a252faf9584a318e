//! The JSON around a tool.

use serde_json::{Map, Value, json};

use super::Provider;
use super::rules::{EnvelopeForm, OutputField, ProviderRules};

/// What a tool is made of.
pub(super) struct EnvelopeParts<'a> {
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) input: Value,
    pub(super) output: Option<Value>,
    pub(super) strict: Option<bool>,
}

pub(super) fn tool(rules: &ProviderRules, parts: EnvelopeParts<'_>) -> Value {
    let mut members = Map::new();
    let mut add = |key: &str, value: Value| drop(members.insert(key.to_owned(), value));
    if rules.envelope == EnvelopeForm::Flat {
        add("type", "function".into());
    }
    add("name", parts.name.into());
    if !parts.description.is_empty() {
        add("description", parts.description.into());
    }
    match rules.envelope {
        EnvelopeForm::Flat | EnvelopeForm::Nested => add("parameters", parts.input),
        EnvelopeForm::Anthropic => add("input_schema", parts.input),
        EnvelopeForm::Gemini => add("parametersJsonSchema", parts.input),
        EnvelopeForm::Bedrock => add("inputSchema", json!({ "json": parts.input })),
    }
    if let Some(strict) = parts.strict {
        add("strict", strict.into());
    }
    let field = match rules.output {
        OutputField::Any(field) | OutputField::Objects(field, _) => Some(field),
        OutputField::None => None,
    };
    if let (Some(field), Some(output)) = (field, parts.output) {
        add(field, output);
    }
    match rules.envelope {
        EnvelopeForm::Nested => json!({ "type": "function", "function": members }),
        EnvelopeForm::Bedrock => json!({ "toolSpec": members }),
        _ => Value::Object(members),
    }
}

/// What a request carries for all tools.
pub(super) fn request(provider: Provider, tools: Vec<Value>) -> Value {
    match provider {
        Provider::Gemini => json!([{ "functionDeclarations": tools }]),
        Provider::Bedrock => json!({ "tools": tools }),
        _ => Value::Array(tools),
    }
}
