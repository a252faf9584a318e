//! What `inspect_tool` says about one tool. The texts are fixed: models have learnt them.

use std::borrow::Cow;

use mortise_contract::unwrap::{declared_evidence, delivered_schema};
use mortise_contract::{Contract, NameMap};
use mortise_declare::{
    PythonOptions, ResultForm, ToolDefinition, TypeScriptOptions, keyword_signature, python_declarations,
    typescript_declarations,
};
use serde_json::{Map, Value, json};

use crate::detail::Detail;
use crate::registry::RegisteredTool;

/// The note of a tool that declares no output schema.
pub const NO_SCHEMA_NOTE: &str = "No output schema defined by the upstream server. Inspect the return value in your script (e.g., print(type(result), result[:1])) to determine the structure.";

/// The note of a tool whose output schema is there but can't be read.
pub const UNREADABLE_SCHEMA_NOTE: &str = "The upstream server declares an output schema that can't be read. Inspect the return value in your script (e.g., print(type(result), result[:1])) to determine the structure.";

/// The note of a tool whose server wraps its values.
pub const UNWRAPPED_NOTE: &str = "The upstream server sends this value as {\"result\": value}. Programs get the value itself, without the wrapper.";

/// Bytes of the types in a signature.
const SIGNATURE: usize = 400;
/// Bytes of the types of one tool in each language; longer ones are shortened by structure.
const TYPES: usize = 8 * 1024;
/// Bytes of a made-up result.
const EXAMPLE: usize = 512;

/// The fields for a tool that is there: keys in fixed order, schemas as the server wrote them.
pub fn found(callable: &str, contract: &Contract) -> Map<String, Value> {
    let mut shown = Map::new();
    shown.insert("name".to_owned(), json!(callable));
    shown.insert("description".to_owned(), json!(contract.description().unwrap_or_default()));
    shown.insert("inputSchema".to_owned(), contract.input_schema().cloned().unwrap_or_else(|| json!({})));
    match declared(contract) {
        Some(schema) => {
            shown.insert("outputSchema".to_owned(), schema.into_owned());
            if declared_evidence(contract).is_some() {
                shown.insert("note".to_owned(), json!(UNWRAPPED_NOTE));
            }
        }
        None => {
            shown.insert("outputSchema".to_owned(), Value::Null);
            shown.insert("note".to_owned(), json!(note(contract)));
        }
    }
    shown
}

/// The fields of [`found`] and, after them, what `detail` asks for.
pub(crate) fn detailed(tool: &RegisteredTool, names: &NameMap, detail: Detail) -> Map<String, Value> {
    let contract = &tool.contract;
    let mut shown = found(tool.callable.as_str(), contract);
    if detail == Detail::Brief {
        return shown;
    }
    let definition = definition(tool);
    shown.insert("signature".to_owned(), signature(tool.callable.as_str(), &definition).into());
    shown.insert("python".to_owned(), python(tool, names).into());
    if detail == Detail::Types {
        return shown;
    }
    let example = definition.example(ResultForm::Unwrapped, EXAMPLE).filter(|_| declared(contract).is_some());
    let typescript = TypeScriptOptions { tool_bytes: TYPES, ..TypeScriptOptions::default() };
    let issues: Vec<String> =
        contract.issues.iter().map(|issue| format!("{}: {}", issue.pointer, issue.message)).collect();
    let further = [
        ("typescript", Some(json!(typescript_declarations(&[definition], names, &typescript).text))),
        ("example", example.map(|value| json!({ "synthetic": true, "value": value }))),
        ("server", Some(json!(tool.upstream.name().as_str()))),
        ("wire_name", Some(json!(contract.name.as_str()))),
        ("title", contract.title().map(Value::from)),
        ("annotations", contract.fields.get("annotations").filter(|value| value.is_object()).cloned()),
        ("lock", tool.deviation.as_ref().map(|deviation| json!(deviation.sentence()))),
        ("issues", (!issues.is_empty()).then(|| json!(issues))),
    ];
    shown.extend(further.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
    shown
}

/// The note of a tool without an output schema that says anything.
fn note(contract: &Contract) -> &'static str {
    if contract.unreadable_output().is_some() { UNREADABLE_SCHEMA_NOTE } else { NO_SCHEMA_NOTE }
}

/// The schema of the value that programs get, where it says anything: an empty one is as good as none.
fn declared(contract: &Contract) -> Option<Cow<'_, Value>> {
    delivered_schema(contract).filter(|schema| match &**schema {
        Value::Null => false,
        Value::Object(members) => !members.is_empty(),
        _ => true,
    })
}

/// The first line for a tool that is not there, why it is withheld, and up to three names that look like it.
pub fn not_found(asked: &str, why: Option<String>, similar: &[&str]) -> String {
    let mut text = format!("[Tool not found] '{asked}' is not available in execute_program");
    if let Some(why) = why {
        text.push_str(&format!("\n{why}"));
    }
    if !similar.is_empty() {
        text.push_str(&format!("\nDid you mean {}?", similar.join(", ")));
    }
    text
}

/// `mcp__s__t(ticker: string, limit?: number) -> Array<{ revenue: number; }>`, for search results and listings.
pub fn signature(callable: &str, definition: &ToolDefinition) -> String {
    keyword_signature(definition, callable, SIGNATURE)
}

/// The Python declaration of a tool.
pub(crate) fn python(tool: &RegisteredTool, names: &NameMap) -> String {
    let options = PythonOptions { tool_bytes: TYPES, ..PythonOptions::default() };
    python_declarations(&[definition(tool)], names, &options).text
}

/// The tool as declarations are made from it.
pub(crate) fn definition(tool: &RegisteredTool) -> ToolDefinition {
    ToolDefinition::of(tool.upstream.name(), &tool.contract)
}

fn cut(text: String, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// The first sentence or line of a description, at most `characters` long.
pub fn one_line(description: &str, characters: usize) -> String {
    let line = description.trim().lines().next().unwrap_or_default().trim();
    cut(line.to_owned(), characters)
}

#[cfg(test)]
mod tests;
