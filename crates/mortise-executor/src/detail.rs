//! How much an answer says about a tool, and search results that say so much.

use serde_json::{Map, Value, json};

use mortise_contract::NameMap;
use mortise_contract::unwrap::delivered_schema;

use crate::inspect;
use crate::registry::RegisteredTool;

/// Bytes of declarations and schemas in one answer; tools after that are shown briefly.
const DETAILS: usize = 64 * 1024;
/// Characters of a description.
const DESCRIPTION: usize = 160;

/// How much an answer says about a tool, beyond what it always says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Detail {
    /// Nothing more.
    #[default]
    Brief,
    /// Its Python declaration.
    Types,
    /// Everything: in search results its schemas, from `inspect_tool` all that is known.
    Full,
}

impl Detail {
    /// The words for it in calls.
    pub(crate) const WORDS: [&str; 3] = ["brief", "types", "full"];

    /// What a caller asks for.
    pub(crate) fn parse(value: Option<&Value>) -> Self {
        match value.and_then(Value::as_str) {
            Some("types") => Self::Types,
            Some("full") => Self::Full,
            _ => Self::Brief,
        }
    }
}

/// Search results, as text and as entries.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    detail: Detail,
    names: &'a NameMap,
    lines: Vec<String>,
    entries: Vec<Value>,
    /// Bytes of details so far.
    bytes: usize,
    /// Tools that were shown briefly because the others took all the room.
    shortened: usize,
}

impl<'a> Found<'a> {
    pub(crate) fn new(detail: Detail, names: &'a NameMap) -> Self {
        Self { detail, names, lines: Vec::new(), entries: Vec::new(), bytes: 0, shortened: 0 }
    }

    pub(crate) fn add(&mut self, tool: &RegisteredTool) {
        let description = inspect::one_line(tool.contract.description().unwrap_or_default(), DESCRIPTION);
        let signature = inspect::signature(tool.callable.as_str(), &inspect::definition(tool));
        let details = self.details(tool);
        let mut text = signature.clone();
        if !description.is_empty() {
            text.push_str(&format!("\n    {description}"));
        }
        for detail in details.values() {
            match detail.as_str() {
                Some(declaration) => text.push_str(&format!("\n\n{}\n", declaration.trim_end())),
                None => text.push_str(&format!("\n{detail:#}\n")),
            }
        }
        self.lines.push(text);
        let mut entry = json!({
            "name": tool.callable.as_str(), "description": description, "signature": signature,
            "server": tool.upstream.name().as_str(),
        });
        if let Value::Object(entry) = &mut entry {
            entry.extend(details);
        }
        self.entries.push(entry);
    }

    fn details(&mut self, tool: &RegisteredTool) -> Map<String, Value> {
        let mut details = Map::new();
        match self.detail {
            Detail::Brief => {}
            Detail::Types => {
                drop(details.insert("python".to_owned(), inspect::python(tool, self.names).into()))
            }
            Detail::Full => {
                let contract = &tool.contract;
                let input = contract.input_schema().cloned().unwrap_or_else(|| json!({}));
                details.insert("inputSchema".to_owned(), input);
                details.insert("outputSchema".to_owned(), json!(delivered_schema(contract)));
            }
        }
        let bytes: usize = details.values().map(|detail| detail.to_string().len()).sum();
        if self.bytes + bytes > DETAILS {
            self.shortened += 1;
            return Map::new();
        }
        self.bytes += bytes;
        details
    }

    /// The text, and the entries. `more` tools match too and are not shown.
    pub(crate) fn finish(mut self, more: usize) -> (String, Vec<Value>) {
        if self.shortened > 0 {
            let all = self.entries.len();
            self.lines.push(format!(
                "{} of these {all} tools are shown briefly, to keep this answer short; inspect_tool shows one in full.",
                self.shortened
            ));
        }
        if more > 0 {
            self.lines.push(format!("{more} more tools match; a larger limit shows them."));
        }
        (self.lines.join("\n"), self.entries)
    }
}
