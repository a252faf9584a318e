//! Tools as the LLM providers take them.

mod arrays;
mod envelope;
mod kinds;
mod links;
mod modern;
mod nulls;
mod position;
mod root;
mod rules;
mod small;
mod strict;
mod tidy;

use serde_json::{Map, Value, json};

use super::definition::{ResultForm, ToolDefinition};
use super::events;
use super::hint::{self, HintStep};
use super::loss::{Action, Loss, Losses, Severity, Side, sort};
use crate::json::measure;
use crate::name::NameLength;
use crate::{NameMap, ServerName, ToolName, limits};
use root::Root;
use rules::{Rules, Subset};

pub use nulls::without_added_nulls;

/// Who takes the tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provider {
    /// OpenAI, Responses API: the one with a field for the output schema.
    OpenAi,
    /// OpenAI, Chat Completions API.
    OpenAiChat,
    /// Anthropic, Messages API.
    Anthropic,
    /// Google Gemini and Vertex AI.
    Gemini,
    /// Amazon Bedrock, Converse API.
    Bedrock,
    /// Mistral.
    Mistral,
    /// Ollama.
    Ollama,
}

/// Whether arguments are to be held to the schema while the model writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StrictRequest {
    /// No.
    #[default]
    Off,
    /// Wherever the schema can be put so that the provider accepts it, with nothing mangled.
    WherePossible,
}

/// What an output shape in a description looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum HintForm {
    /// A TypeScript type: short, and every model reads it.
    #[default]
    Type,
    /// The JSON Schema, if it fits; else the type.
    Schema,
}

/// How tools are rendered for a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderOptions {
    /// What the output shape looks like in a description, where the provider has no field for it.
    pub hint: HintForm,
    /// Bytes of it; at least [`limits::HINT_BYTES_MIN`] count.
    pub hint_bytes: usize,
    /// Bytes of a tool's own description.
    pub description_bytes: usize,
    /// Which form of a result the output schema describes: the one that the model will be shown.
    pub results: ResultForm,
    /// Strict arguments.
    pub strict: StrictRequest,
}

impl Default for ProviderOptions {
    fn default() -> Self {
        Self {
            hint: HintForm::default(),
            hint_bytes: limits::HINT_BYTES,
            description_bytes: limits::DESCRIPTION_BYTES,
            results: ResultForm::AsSent,
            strict: StrictRequest::Off,
        }
    }
}

/// One tool as a provider takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderTool {
    /// The server.
    pub server: ServerName,
    /// The tool's own name.
    pub tool: ToolName,
    /// The name that the provider knows it by.
    pub name: String,
    /// The declaration.
    pub json: Value,
    /// How the output schema went along.
    pub output: OutputForm,
    /// Whether strict arguments are possible.
    pub strict: StrictVerdict,
    /// What could not be kept.
    pub losses: Vec<Loss>,
}

/// How an output schema is shown to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputForm {
    /// Not at all: there is none, or it is not forwarded.
    None,
    /// In a field that the provider has for it.
    Native {
        /// Bytes of the schema.
        bytes: usize,
    },
    /// In the description.
    Hint {
        /// How far it was shortened.
        step: HintStep,
        /// Bytes of it.
        bytes: usize,
        /// Bytes of it if nothing were left out.
        whole_bytes: usize,
    },
}

/// Whether a provider can hold arguments to the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StrictVerdict {
    /// The provider knows no strict mode.
    Unknown,
    /// Yes.
    Possible,
    /// No, for these reasons.
    Impossible(Vec<String>),
}

/// Tools as a provider takes them.
#[derive(Clone, Debug)]
pub struct ProviderTools {
    /// For whom.
    pub provider: Provider,
    /// The tools, in the order of their names.
    pub tools: Vec<ProviderTool>,
    /// From the provider's names back to servers and tools.
    pub names: NameMap,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::OpenAi,
        Self::OpenAiChat,
        Self::Anthropic,
        Self::Gemini,
        Self::Bedrock,
        Self::Mistral,
        Self::Ollama,
    ];

    /// The word on command lines and in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiChat => "openai-chat",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Bedrock => "bedrock",
            Self::Mistral => "mistral",
            Self::Ollama => "ollama",
        }
    }
}

impl ProviderTools {
    /// The value that a request carries for its tools.
    pub fn to_json(&self) -> Value {
        envelope::request(self.provider, self.tools.iter().map(|tool| tool.json.clone()).collect())
    }
}

/// The names that providers know the tools of a catalogue by; they can be taken back.
pub fn provider_names(catalogue: &[ToolDefinition]) -> NameMap {
    let tools = catalogue.iter().map(|tool| (&tool.server, &tool.tool));
    NameMap::with_length(tools, NameLength::Provider)
}

/// Renders tools; those that `names` does not know are left out. Any subset of a catalogue can be rendered: with the
/// [`provider_names`] of the whole, a tool has the same name in all of them.
pub fn render_tools(
    provider: Provider,
    tools: &[ToolDefinition],
    names: &NameMap,
    options: &ProviderOptions,
) -> ProviderTools {
    let rendered = rendered(provider, tools, names, options);
    for tool in tools {
        let Some(name) = names.callable(&tool.server, &tool.tool) else { continue };
        let at = rendered.binary_search_by(|known| known.name.as_str().cmp(name.as_str()));
        at.into_iter().for_each(|at| log(provider, tool, &rendered[at]));
    }
    ProviderTools { provider, tools: rendered, names: names.clone() }
}

/// The same for those who only look.
pub(super) fn rendered(
    provider: Provider,
    tools: &[ToolDefinition],
    names: &NameMap,
    options: &ProviderOptions,
) -> Vec<ProviderTool> {
    let mut rendered: Vec<ProviderTool> = tools
        .iter()
        .filter_map(|tool| {
            let name = names.callable(&tool.server, &tool.tool)?;
            Some(rendered_tool(provider, tool, name.as_str(), options))
        })
        .collect();
    rendered.sort_by(|a, b| a.name.cmp(&b.name));
    rendered.dedup_by(|a, b| a.name == b.name);
    rendered
}

/// Renders one tool under a name that the provider accepts.
pub fn render_tool(
    provider: Provider,
    tool: &ToolDefinition,
    name: &str,
    options: &ProviderOptions,
) -> ProviderTool {
    let rendered = rendered_tool(provider, tool, name, options);
    log(provider, tool, &rendered);
    rendered
}

fn log(provider: Provider, tool: &ToolDefinition, rendered: &ProviderTool) {
    let (name, target, losses) = (rendered.name.as_str(), provider.as_str(), rendered.losses.len());
    match rendered.output {
        OutputForm::None => events::absent(name, target, tool),
        OutputForm::Native { bytes } => events::forwarded(name, target, "native", bytes, losses),
        OutputForm::Hint { step, bytes, whole_bytes } => {
            events::forwarded(name, target, "hint", bytes, losses);
            if step != HintStep::Full {
                events::reduced(tool, name, target, (whole_bytes, bytes), step.as_str());
            }
        }
    }
}

fn rendered_tool(
    provider: Provider,
    tool: &ToolDefinition,
    name: &str,
    options: &ProviderOptions,
) -> ProviderTool {
    let rules = rules::of(provider);
    let mut input_losses = Losses::new(Side::Input);
    let mut output_losses = Losses::new(Side::Output);
    note_name(tool, name, &mut input_losses);
    let (strict, mut input) = input(rules, tool, options, &mut input_losses);
    let mut description = tool
        .description
        .as_deref()
        .map(|text| tidy::description(text, options.description_bytes, &mut input_losses))
        .unwrap_or_default();
    if description.is_empty() && rules.wants_description {
        let reason = "the provider wants a description; the name stands for it";
        input_losses.add("", "description", (Action::Assumed, Severity::Info), reason).after(name);
        description = name.to_owned();
    }
    let (output, native, hint_losses) = output(rules, tool, options, &mut output_losses, &mut description);
    if let Some(properties) = input.get_mut("properties").and_then(Value::as_object_mut) {
        rules.check_keys(properties, &mut input_losses);
    }
    let is_strict = match (&strict, options.strict) {
        (StrictVerdict::Unknown, _) => None,
        (_, StrictRequest::Off) => rules.always_says_strict.then_some(false),
        (StrictVerdict::Possible, StrictRequest::WherePossible) => Some(true),
        (StrictVerdict::Impossible(_), StrictRequest::WherePossible) => Some(false),
    };
    let parts = envelope::Parts { name, description: &description, input, output: native, strict: is_strict };
    let mut losses = input_losses.finish();
    losses.extend(output_losses.finish());
    losses.extend(hint_losses);
    losses.extend(tool.unsaid());
    sort(&mut losses);
    ProviderTool {
        server: tool.server.clone(),
        tool: tool.tool.clone(),
        name: name.to_owned(),
        json: envelope::tool(rules, parts),
        output,
        strict,
        losses,
    }
}

fn note_name(tool: &ToolDefinition, name: &str, losses: &mut Losses) {
    let plain = format!("mcp__{}__{}", tool.server, tool.tool);
    if name != plain {
        let reason = "providers take 64 of A-Z, a-z, 0-9 and _; names that would be the same carry a suffix";
        losses
            .add("", "name", (Action::Renamed, Severity::Info), reason)
            .before(&Value::from(plain))
            .after(name);
    }
}

/// The input schema as the provider takes it, and whether it can be strict.
fn input(
    rules: &Rules,
    tool: &ToolDefinition,
    options: &ProviderOptions,
    losses: &mut Losses,
) -> (StrictVerdict, Value) {
    let schema = bounded(&tool.input_schema, losses).unwrap_or_else(|| json!({"type": "object"}));
    let schema = kinds::well_formed(modern::modern(schema, losses), losses);
    let schema = tidy::schema(schema, losses);
    let Root { schema, is_partly_read } = root::object_root(schema, rules.root_refuses, losses);
    let schema = match rules.subset {
        Subset::Whole if rules.wants_items => arrays::with_items(schema, losses),
        Subset::Whole => schema,
        Subset::Small => small::reduce(&schema, losses),
    };
    let Some(strict_rules) = &rules.strict else { return (StrictVerdict::Unknown, schema) };
    let mut strict_losses = Losses::new(Side::Input);
    let strictly = match is_partly_read {
        true => Err(vec!["branches at the root allow keys that are not named".to_owned()]),
        false => strict::strict(&schema, strict_rules, &mut strict_losses),
    };
    match strictly {
        Err(reasons) => {
            if options.strict == StrictRequest::WherePossible {
                let reason = format!("strict arguments are not possible: {}", reasons.join("; "));
                losses
                    .add("", "strict", (Action::Dropped, Severity::Warn), reason)
                    .fix("leave out of the input schema what the strict mode does not take");
            }
            (StrictVerdict::Impossible(reasons), schema)
        }
        Ok(strict) if options.strict == StrictRequest::WherePossible => {
            losses.absorb(strict_losses);
            (StrictVerdict::Possible, strict)
        }
        Ok(_) => (StrictVerdict::Possible, schema),
    }
}

/// Where the output schema goes: a field of its own, or the description.
fn output(
    rules: &Rules,
    tool: &ToolDefinition,
    options: &ProviderOptions,
    losses: &mut Losses,
    description: &mut String,
) -> (OutputForm, Option<Value>, Vec<Loss>) {
    let nothing = (OutputForm::None, None, Vec::new());
    if rules.output_field.is_some() {
        let Some(schema) = tool.result_schema(options.results) else { return nothing };
        let Some(schema) = bounded(&schema, losses).filter(Value::is_object) else { return nothing };
        let schema = tidy::schema(schema, losses);
        return (OutputForm::Native { bytes: schema.to_string().len() }, Some(schema), Vec::new());
    }
    let Some(mut model) = tool.output_model(options.results) else { return nothing };
    let budget = options.hint_bytes.max(limits::HINT_BYTES_MIN) - START.len();
    let (text, step, hint_losses) = match schema_hint(tool, options, budget, losses) {
        Some(text) => (text, HintStep::Full, Vec::new()),
        None => {
            let (kind, step) = hint::compact(&model, budget);
            let mut losses = std::mem::take(&mut model.losses);
            if step != HintStep::Full {
                losses.extend(hint::shortened(step, options.hint_bytes));
            }
            let is_gone = step == HintStep::Sentence;
            (if is_gone { "structured JSON, see inspect_tool".to_owned() } else { kind }, step, losses)
        }
    };
    if !description.is_empty() {
        description.push_str("\n\n");
    }
    description.push_str(START);
    description.push_str(&text);
    let whole = if step == HintStep::Full { text.len() } else { hint::whole(&model).len() };
    let form = OutputForm::Hint { step, bytes: START.len() + text.len(), whole_bytes: START.len() + whole };
    (form, None, hint_losses)
}

/// The schema itself, if that is asked for and it fits.
fn schema_hint(
    tool: &ToolDefinition,
    options: &ProviderOptions,
    budget: usize,
    losses: &mut Losses,
) -> Option<String> {
    let schema = tool.result_schema(options.results).filter(|_| options.hint == HintForm::Schema)?;
    let text = tidy::schema(bounded(&schema, losses)?, losses).to_string();
    if text.len() > budget {
        let reason = format!("the schema is longer than {} bytes; the type is shown", options.hint_bytes);
        losses.add("", "budget", (Action::Collapsed, Severity::Info), reason);
        return None;
    }
    Some(text)
}

const START: &str = "Returns: ";

/// The schema, unless it nests so deep that nobody would take it.
fn bounded(schema: &Value, losses: &mut Losses) -> Option<Value> {
    let levels = measure(schema, limits::JSON_DEPTH).levels;
    if levels > limits::JSON_DEPTH {
        let reason = format!("the schema nests deeper than {} levels", limits::JSON_DEPTH);
        losses
            .add("", "$schema", (Action::Truncated, Severity::Error), reason)
            .fix("make the schema less deep");
        return None;
    }
    Some(schema.clone())
}

/// The members of an object schema; a new object if it is none.
fn members(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests;
