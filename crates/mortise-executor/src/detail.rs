//! How much an answer says about a tool, and search results that say so much.

use mortise_contract::NameMap;
use mortise_contract::observed::ObservedShape;
use mortise_contract::text::cut;
use mortise_contract::unwrap::delivered_schema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::inspect::{self, InspectedShape};
use crate::observed::Observer;
use crate::registry::RegisteredTool;

/// Bytes of declarations and schemas in one answer; tools after that are shown briefly.
const DETAILS: usize = 64 * 1024;
/// Characters of a description.
const DESCRIPTION: usize = 160;

// How much an answer says about a tool, beyond what it always says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum ToolDetail {
    // Nothing more.
    #[default]
    Brief,
    // Its Python declaration.
    Types,
    // Everything: in search results its schemas, from `inspect_tool` all that is known.
    Full,
}

/// A tool that a search has found.
#[derive(Debug, Serialize)]
pub(crate) struct FoundTool {
    name: String,
    description: String,
    signature: String,
    server: String,
    #[serde(flatten)]
    details: FoundDetails,
}

#[derive(Debug, Default, Serialize)]
struct FoundDetails {
    #[serde(skip_serializing_if = "Option::is_none")]
    python: Option<String>,
    #[serde(rename = "inputSchema", skip_serializing_if = "Option::is_none")]
    input_schema: Option<Value>,
    /// Null for a tool that declares none.
    #[serde(rename = "outputSchema", skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    #[serde(flatten)]
    observed: Option<InspectedShape>,
}

/// Search results, as text and as facts.
#[derive(Debug)]
pub(crate) struct SearchResults<'a> {
    detail: ToolDetail,
    names: &'a NameMap,
    observer: &'a Observer,
    lines: Vec<String>,
    tools: Vec<FoundTool>,
    bytes: usize,
    /// Tools that were shown briefly because the others took all the room.
    shortened: usize,
}

impl<'a> SearchResults<'a> {
    pub(crate) fn new(detail: ToolDetail, names: &'a NameMap, observer: &'a Observer) -> Self {
        Self { detail, names, observer, lines: Vec::new(), tools: Vec::new(), bytes: 0, shortened: 0 }
    }

    pub(crate) fn add(&mut self, tool: &RegisteredTool) {
        let name = tool.callable.to_string();
        let description =
            cut(inspect::first_line(tool.contract.description().unwrap_or_default()), DESCRIPTION);
        let observed = self.observer.observed(&tool.contract);
        let definition = inspect::definition(tool);
        let signature = inspect::signature_with_observed(&name, &definition, observed.as_deref());
        let details = self.details(tool, observed.as_deref());
        let mut text = signature.clone();
        if !description.is_empty() {
            text.push_str(&format!("\n    {description}"));
        }
        if let Some(python) = &details.python {
            text.push_str(&format!("\n\n{}\n", python.trim_end()));
        }
        for schema in [&details.input_schema, &details.output_schema].into_iter().flatten() {
            text.push_str(&format!("\n{schema:#}\n"));
        }
        if let Some(observed) = &details.observed {
            text.push_str(&format!("\n{}\n", observed.text()));
        }
        self.lines.push(text);
        let server = tool.upstream.name().to_string();
        self.tools.push(FoundTool { name, description, signature, server, details });
    }

    fn details(&mut self, tool: &RegisteredTool, observed: Option<&ObservedShape>) -> FoundDetails {
        let contract = &tool.contract;
        let details = match self.detail {
            ToolDetail::Brief => FoundDetails::default(),
            ToolDetail::Types => {
                FoundDetails { python: Some(inspect::python(tool, self.names)), ..FoundDetails::default() }
            }
            ToolDetail::Full => FoundDetails {
                input_schema: Some(contract.input_schema().cloned().unwrap_or_else(|| json!({}))),
                output_schema: Some(json!(delivered_schema(contract))),
                observed: observed.map(InspectedShape::of),
                ..FoundDetails::default()
            },
        };
        let schemas = [&details.input_schema, &details.output_schema].into_iter().flatten();
        let bytes = schemas.map(|schema| schema.to_string().len()).sum::<usize>()
            + details.python.as_ref().map_or(0, String::len)
            + details.observed.as_ref().map_or(0, |observed| observed.text().len());
        if self.bytes + bytes > DETAILS {
            self.shortened += 1;
            return FoundDetails::default();
        }
        self.bytes += bytes;
        details
    }

    /// The text, and the tools. `more` tools match too and are not shown.
    pub(crate) fn finish(mut self, more: usize) -> (String, Vec<FoundTool>) {
        if self.shortened > 0 {
            let all = self.tools.len();
            self.lines.push(format!(
                "{} of these {all} tools are shown briefly, to keep this answer short; inspect_tool shows one in full.",
                self.shortened
            ));
        }
        if more > 0 {
            self.lines.push(format!("{more} more tools match; a larger limit shows them."));
        }
        (self.lines.join("\n"), self.tools)
    }
}
