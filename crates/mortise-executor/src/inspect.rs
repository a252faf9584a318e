//! What `inspect_tool` says about one tool. The texts are fixed: models have learnt them.

use std::borrow::Cow;

use mortise_contract::observed::ObservedShape;
use mortise_contract::text::counted;
use mortise_contract::unwrap::{ShapeRule, declared_evidence, delivered_schema};
use mortise_contract::{Contract, NameMap};
use mortise_declare::{
    PythonOptions, ResultForm, ToolDefinition, TypeScriptOptions, keyword_signature, observed_signature,
    python_declarations, typescript_declarations,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::detail::ToolDetail;
use crate::observed::Observer;
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

/// What is shown of a tool: keys in fixed order, schemas as the server wrote them.
#[derive(Clone, Debug, Serialize)]
pub struct InspectedTool<'a> {
    name: &'a str,
    description: &'a str,
    #[serde(rename = "inputSchema")]
    input_schema: Cow<'a, Value>,
    #[serde(rename = "outputSchema")]
    pub(crate) output_schema: Option<Cow<'a, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
    #[serde(flatten)]
    observed: Option<InspectedShape>,
    #[serde(flatten)]
    types: Option<InspectedTypes>,
    #[serde(flatten)]
    further: Option<InspectedFacts<'a>>,
}

/// What was observed of a tool that declares nothing. It stands apart from what is declared.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct InspectedShape {
    #[serde(rename = "observedSchema")]
    schema: Value,
    observed: ObservedFacts,
}

/// How often and when something was observed.
#[derive(Clone, Debug, Serialize)]
pub struct ObservedFacts {
    calls: u64,
    first: Option<String>,
    last: Option<String>,
    /// Whether some results were too large to be looked at as a whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    sampled: bool,
}

impl ObservedFacts {
    /// The facts of a shape.
    pub fn of(shape: &ObservedShape) -> Self {
        Self {
            calls: shape.calls(),
            first: shape.first_day(),
            last: shape.last_day(),
            sampled: shape.is_sampled(),
        }
    }
}

impl InspectedShape {
    pub(crate) fn of(shape: &ObservedShape) -> Self {
        Self { schema: shape.schema().value, observed: ObservedFacts::of(shape) }
    }

    /// The schema below a line that says where it comes from.
    pub(crate) fn text(&self) -> String {
        format!("observed in {}, not declared:\n{:#}", counted(self.observed.calls, "result"), self.schema)
    }
}

/// What is shown of a tool from [`ToolDetail::Types`] on.
#[derive(Clone, Debug, Serialize)]
struct InspectedTypes {
    signature: String,
    python: String,
}

/// What is shown of a tool by [`ToolDetail::Full`].
#[derive(Clone, Debug, Serialize)]
struct InspectedFacts<'a> {
    typescript: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<InspectedExample>,
    server: &'a str,
    wire_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    issues: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
struct InspectedExample {
    synthetic: bool,
    value: Value,
}

/// What is always shown of a tool.
pub fn found<'a>(callable: &'a str, contract: &'a Contract) -> InspectedTool<'a> {
    let output_schema = declared(contract);
    let note = match &output_schema {
        Some(_) => declared_evidence(contract).map(|_| UNWRAPPED_NOTE),
        None => Some(note(contract)),
    };
    InspectedTool {
        name: callable,
        description: contract.description().unwrap_or_default(),
        input_schema: contract.input_schema().map_or_else(|| Cow::Owned(json!({})), Cow::Borrowed),
        output_schema,
        note,
        observed: None,
        types: None,
        further: None,
    }
}

impl InspectedTool<'_> {
    /// What was observed goes beside what is declared, where nothing is.
    pub(crate) fn with_observed(mut self, observed: Option<&ObservedShape>) -> Self {
        self.observed = observed.filter(|_| self.output_schema.is_none()).map(InspectedShape::of);
        self
    }
}

/// What is always shown of a tool, with what was observed of it.
pub(crate) fn found_and_observed<'a>(tool: &'a RegisteredTool, observer: &Observer) -> InspectedTool<'a> {
    let observed = observer.observed(&tool.contract);
    found(tool.callable.as_str(), &tool.contract).with_observed(observed.as_deref())
}

/// What is always shown and, after it, what `detail` asks for.
pub(crate) fn detailed<'a>(
    tool: &'a RegisteredTool,
    names: &NameMap,
    detail: ToolDetail,
    observed: Option<&ObservedShape>,
) -> InspectedTool<'a> {
    let contract = &tool.contract;
    let mut shown = found(tool.callable.as_str(), contract).with_observed(observed);
    if detail == ToolDetail::Brief {
        return shown;
    }
    let definition = definition(tool);
    let signature = signature_with_observed(tool.callable.as_str(), &definition, observed);
    shown.types = Some(InspectedTypes { signature, python: python(tool, names) });
    if detail == ToolDetail::Types {
        return shown;
    }
    let example = definition.example(ResultForm::Unwrapped, EXAMPLE).filter(|_| declared(contract).is_some());
    let typescript = TypeScriptOptions { tool_bytes: TYPES, ..TypeScriptOptions::default() };
    let issues = contract.issues.iter().map(|issue| format!("{}: {}", issue.pointer, issue.message));
    shown.further = Some(InspectedFacts {
        typescript: typescript_declarations(&[definition], names, &typescript).text,
        example: example.map(|value| InspectedExample { synthetic: true, value }),
        server: tool.upstream.name().as_str(),
        wire_name: contract.name.as_str(),
        title: contract.title(),
        annotations: contract.fields.get("annotations").filter(|value| value.is_object()),
        lock: tool.deviation.as_ref().map(|deviation| deviation.sentence()),
        issues: issues.collect(),
    });
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

/// The signature of a tool that declares no result, with what was observed in its place: `mcp__s__t() -> observed { … }`.
pub fn signature_with_observed(
    callable: &str,
    definition: &ToolDefinition,
    observed: Option<&ObservedShape>,
) -> String {
    let Some(observed) = observed else { return signature(callable, definition) };
    observed_signature(&observed_definition(definition, observed.schema().value), callable, SIGNATURE)
}

/// The definition as if what was observed were declared. The value is what programs get, so nothing is taken out of it.
fn observed_definition(definition: &ToolDefinition, schema: Value) -> ToolDefinition {
    ToolDefinition {
        output_schema: Some(schema),
        unreadable_output: None,
        shape_rule: ShapeRule::Keep,
        is_projected: false,
        ..definition.clone()
    }
}

pub(crate) fn python(tool: &RegisteredTool, names: &NameMap) -> String {
    let options = PythonOptions { tool_bytes: TYPES, ..PythonOptions::default() };
    python_declarations(&[definition(tool)], names, &options).text
}

/// The tool as declarations are made from it.
pub(crate) fn definition(tool: &RegisteredTool) -> ToolDefinition {
    ToolDefinition::of(tool.upstream.name(), &tool.contract)
}

/// The first line of a description.
pub fn first_line(description: &str) -> &str {
    description.trim().lines().next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests;
