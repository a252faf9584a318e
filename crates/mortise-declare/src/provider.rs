//! Tools as the LLM providers take them.

mod added_nulls;
mod arrays;
mod bare_reference;
mod clean_texts;
mod envelope;
mod inline;
mod links;
mod listed_subset;
mod malformed;
mod modern;
mod output;
mod request;
mod root;
mod rule_table;
mod rules;
mod schema_walk;
mod small_subset;
mod strict;

use mortise_contract::json::measure;
use mortise_contract::limits::JSON_DEPTH;
use mortise_contract::name::NameLength;
use mortise_contract::{NameMap, ServerName, ToolName};
use serde_json::{Map, Value, json};

use super::definition::{ResultForm, ToolDefinition};
use super::events;
use super::hint::HintStep;
use super::loss::{Action, Loss, Losses, SchemaSide, Severity, sort};
use crate::limits;
use output::Placed;
use root::Root;
use rules::{ProviderRules, Subset};

pub use added_nulls::without_added_nulls;
pub use request::RequestLoss;
pub use rule_table::{PROVIDER_RULES, ProviderRule, RuleEvidence};

/// Who takes the tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provider {
    /// OpenAI, Responses API: the one with a field for the output schema.
    OpenAi,
    /// OpenAI, Chat Completions API.
    OpenAiChat,
    /// OpenAI's models on Azure, Chat Completions API.
    AzureOpenAi,
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
    /// Arguments are not held to the schema by the provider.
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
    /// The declaration, as the provider's API takes it.
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
    /// As a type in the description.
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
    /// Strict mode takes the schema.
    Possible,
    /// No, for these reasons.
    Impossible(Vec<String>),
}

/// Tools as a provider takes them.
#[derive(Clone, Debug)]
pub struct ProviderTools {
    /// The provider that the tools are rendered for.
    pub provider: Provider,
    /// The tools, in the order of their names.
    pub tools: Vec<ProviderTool>,
    /// What the provider would refuse of all tools together.
    pub request_losses: Vec<RequestLoss>,
    /// From the provider's names back to servers and tools.
    pub names: NameMap,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::OpenAi,
        Self::OpenAiChat,
        Self::AzureOpenAi,
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
            Self::AzureOpenAi => "azure-openai",
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
    let (rendered, request_losses) = rendered(provider, tools, names, options);
    for tool in tools {
        let Some(name) = names.callable(&tool.server, &tool.tool) else { continue };
        let at = rendered.binary_search_by(|known| known.name.as_str().cmp(name.as_str()));
        at.into_iter().for_each(|at| log(provider, tool, &rendered[at]));
    }
    ProviderTools { provider, tools: rendered, request_losses, names: names.clone() }
}

/// [`render_tools`] without a word in the log.
pub(super) fn rendered(
    provider: Provider,
    tools: &[ToolDefinition],
    names: &NameMap,
    options: &ProviderOptions,
) -> (Vec<ProviderTool>, Vec<RequestLoss>) {
    let mut rendered: Vec<(&ToolDefinition, ProviderTool)> = tools
        .iter()
        .filter_map(|tool| {
            let name = names.callable(&tool.server, &tool.tool)?;
            Some((tool, rendered_tool(provider, tool, name.as_str(), options, None)))
        })
        .collect();
    rendered.sort_by(|(_, a), (_, b)| a.name.cmp(&b.name));
    rendered.dedup_by(|(_, a), (_, b)| a.name == b.name);
    let rules = rules::rules_of(provider);
    let withheld = request::beyond_strict(rules, options, rendered.iter().map(|(_, tool)| tool));
    for (at, reason) in &withheld.tools {
        let (definition, tool) = &mut rendered[*at];
        *tool = rendered_tool(provider, definition, &tool.name, options, Some(reason));
    }
    let rendered: Vec<ProviderTool> = rendered.into_iter().map(|(_, tool)| tool).collect();
    let losses = request::losses(rules, withheld, &rendered);
    (rendered, losses)
}

/// Renders one tool under a name that the provider accepts.
pub fn render_tool(
    provider: Provider,
    tool: &ToolDefinition,
    name: &str,
    options: &ProviderOptions,
) -> ProviderTool {
    let rendered = rendered_tool(provider, tool, name, options, None);
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

/// One tool; with a reason `not_strict` it is not strict, whatever is asked for.
fn rendered_tool(
    provider: Provider,
    tool: &ToolDefinition,
    name: &str,
    options: &ProviderOptions,
    not_strict: Option<&str>,
) -> ProviderTool {
    let rules = rules::rules_of(provider);
    let mut input_losses = Losses::new(SchemaSide::Input);
    let mut output_losses = Losses::new(SchemaSide::Output);
    note_name(tool, name, &mut input_losses);
    let (strict, mut input) = input(rules, tool, options, not_strict, &mut input_losses);
    let mut description = tool
        .description
        .as_deref()
        .map(|text| {
            clean_texts::clean_description(
                text,
                options.description_bytes,
                rules.description,
                &mut input_losses,
            )
        })
        .unwrap_or_default();
    if let Some(rule) = rules.wants_description.filter(|_| description.is_empty()) {
        let reason = "the provider wants a description; the name stands for it";
        input_losses.add("", "description", (Action::Assumed, Severity::Info), reason).after(name).rule(rule);
        description = name.to_owned();
    }
    let Placed { form: output, native, hint_losses } =
        output::place(rules, tool, options, &mut output_losses, &mut description);
    if let Some(properties) = input.get_mut("properties").and_then(Value::as_object_mut) {
        rules.check_keys(properties, &mut input_losses);
    }
    let is_strict = match (&strict, options.strict) {
        (StrictVerdict::Unknown, _) => None,
        (_, StrictRequest::Off) => rules.always_says_strict.then_some(false),
        (StrictVerdict::Possible, StrictRequest::WherePossible) => Some(true),
        (StrictVerdict::Impossible(_), StrictRequest::WherePossible) => Some(false),
    };
    let parts =
        envelope::EnvelopeParts { name, description: &description, input, output: native, strict: is_strict };
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
            .after(name)
            .rule(&rule_table::NAME);
    }
}

/// The input schema as the provider takes it, and whether it can be strict.
fn input(
    rules: &ProviderRules,
    tool: &ToolDefinition,
    options: &ProviderOptions,
    not_strict: Option<&str>,
    losses: &mut Losses,
) -> (StrictVerdict, Value) {
    let schema = bounded(&tool.input_schema, losses).unwrap_or_else(|| json!({"type": "object"}));
    let schema = cleaned(schema, losses);
    let Root { schema, is_partly_read } = root::object_root(schema, &rules.root_refuses, losses);
    let schema = in_subset(rules, schema, losses);
    let Some(strict_rules) = &rules.strict else { return (StrictVerdict::Unknown, schema) };
    let mut strict_losses = Losses::new(SchemaSide::Input);
    let strictly = match (not_strict, is_partly_read) {
        (Some(reason), _) => Err(vec![reason.to_owned()]),
        (None, true) => Err(vec!["branches at the root allow keys that are not named".to_owned()]),
        (None, false) => strict::strict(&schema, strict_rules, &mut strict_losses),
    };
    match strictly {
        Err(reasons) => {
            if options.strict == StrictRequest::WherePossible {
                let reason = format!("strict arguments are not possible: {}", reasons.join("; "));
                // What all tools have too much of together is reported once, with their names.
                let severity = if not_strict.is_some() { Severity::Info } else { Severity::Warn };
                losses
                    .add("", "strict", (Action::Dropped, severity), reason)
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

/// The schema in the words of 2020-12, well-formed, with clean texts.
fn cleaned(schema: Value, losses: &mut Losses) -> Value {
    let schema = malformed::well_formed(modern::modern(schema, losses), losses);
    clean_texts::clean_schema(schema, losses)
}

/// The schema in as much of JSON Schema as the provider reads.
fn in_subset(rules: &ProviderRules, schema: Value, losses: &mut Losses) -> Value {
    match (rules.subset, rules.wants_items) {
        (Subset::Whole, Some(rule)) => arrays::with_items(schema, rule, losses),
        (Subset::Whole, None) => schema,
        (Subset::Listed, _) => listed_subset::listed(schema, losses),
        (Subset::Small, _) => small_subset::reduce(&schema, losses),
    }
}

/// The schema, unless it nests deeper than any provider takes.
fn bounded(schema: &Value, losses: &mut Losses) -> Option<Value> {
    let levels = measure(schema, JSON_DEPTH).levels;
    if levels > JSON_DEPTH {
        let reason = format!("the schema nests deeper than {} levels", JSON_DEPTH);
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
