//! The declarations of one run, whatever they are written in.

use mortise_contract::NameMap;
use mortise_declare::{
    Declarations, HintForm, Loss, ProviderOptions, ProviderTools, PythonOptions, RequestLoss, Severity,
    StrictRequest, StrictVerdict, ToolDefinition, TypeScriptForm, TypeScriptOptions, python_declarations,
    render_tools, typescript_declarations,
};
use serde_json::{Map, Value, json};

use super::{DeclareArgs, DeclareTarget, OutputHint, count_of};
use crate::app::App;
use crate::terminal::pretty;

/// What was rendered.
pub(super) enum Rendered {
    /// JSON for a provider.
    Provider(ProviderTools),
    /// Source text, and the callable names in it.
    Source { language: &'static str, declared: Declarations, names: Map<String, Value> },
}

/// The options that the command line asks for.
pub(super) fn provider_options(args: &DeclareArgs) -> ProviderOptions {
    ProviderOptions {
        hint: match args.hint {
            OutputHint::Type => HintForm::Type,
            OutputHint::Schema => HintForm::Schema,
        },
        hint_bytes: args.hint_bytes,
        results: args.results(),
        strict: if args.strict_arguments { StrictRequest::WherePossible } else { StrictRequest::Off },
        ..ProviderOptions::default()
    }
}

/// Renders the tools for the target, under the names that programs and those that providers know them by.
pub(super) fn render(
    args: &DeclareArgs,
    tools: &[ToolDefinition],
    (names, provider_names): (&NameMap, &NameMap),
) -> Rendered {
    let target = args.target.unwrap_or(DeclareTarget::Typescript);
    if let Some(provider) = target.provider() {
        return Rendered::Provider(render_tools(provider, tools, provider_names, &provider_options(args)));
    }
    let results = args.results();
    let (language, declared) = match target {
        DeclareTarget::Python => {
            let options =
                PythonOptions { results, extra_items: args.typing_extensions, ..PythonOptions::default() };
            ("python", python_declarations(tools, names, &options))
        }
        _ => {
            let form = if args.module { TypeScriptForm::Module } else { TypeScriptForm::Ambient };
            let options = TypeScriptOptions { form, results, ..TypeScriptOptions::default() };
            ("typescript", typescript_declarations(tools, names, &options))
        }
    };
    let callable = |tool: &ToolDefinition| names.callable(&tool.server, &tool.tool).map(ToString::to_string);
    let place = |tool: &ToolDefinition| json!({"server": tool.server.as_str(), "tool": tool.tool.as_str()});
    Rendered::Source {
        language,
        declared,
        names: tools.iter().filter_map(|tool| Some((callable(tool)?, place(tool)))).collect(),
    }
}

impl Rendered {
    /// What is asked for, nothing around it.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Provider(tools) => pretty::indent(&tools.to_json().to_string()) + "\n",
            Self::Source { declared, .. } => declared.text.clone(),
        }
    }

    /// The same with names and losses, for programs.
    pub(super) fn report(&self) -> String {
        let losses: Vec<Value> = self
            .losses()
            .into_iter()
            .flat_map(|(tool, losses)| {
                losses.iter().map(move |loss| {
                    let mut entry = loss.to_json();
                    entry["target"] = self.target().into();
                    entry["tool"] = tool.into();
                    entry
                })
            })
            .collect();
        let losses: Vec<Value> =
            self.request_losses().iter().map(|loss| self.request_entry(loss)).chain(losses).collect();
        let report = match self {
            Self::Provider(rendered) => {
                let name = |tool: &mortise_declare::ProviderTool| {
                    let place = json!({"server": tool.server.as_str(), "tool": tool.tool.as_str()});
                    (tool.name.clone(), place)
                };
                let strict = |tool: &mortise_declare::ProviderTool| {
                    let verdict = match &tool.strict {
                        StrictVerdict::Unknown => return None,
                        StrictVerdict::Possible => json!({"possible": true}),
                        StrictVerdict::Impossible(reasons) => json!({"possible": false, "reasons": reasons}),
                    };
                    Some((tool.name.clone(), verdict))
                };
                json!({
                    "target": self.target(),
                    "tools": rendered.to_json(),
                    "names": rendered.tools.iter().map(name).collect::<Map<_, _>>(),
                    "strict": rendered.tools.iter().filter_map(strict).collect::<Map<_, _>>(),
                    "losses": losses,
                })
            }
            Self::Source { declared, names, .. } => {
                json!({"target": self.target(), "text": declared.text, "names": names, "losses": losses})
            }
        };
        report.to_string()
    }

    /// What the provider would refuse of all tools together.
    fn request_losses(&self) -> &[RequestLoss] {
        match self {
            Self::Provider(rendered) => &rendered.request_losses,
            Self::Source { .. } => &[],
        }
    }

    fn request_entry(&self, loss: &RequestLoss) -> Value {
        let mut entry = loss.loss.to_json();
        entry["target"] = self.target().into();
        entry["tool"] = Value::Null;
        entry["tools"] = json!(loss.tools);
        entry
    }

    fn target(&self) -> &'static str {
        match self {
            Self::Provider(rendered) => rendered.provider.as_str(),
            Self::Source { language, .. } => language,
        }
    }

    fn losses(&self) -> Vec<(&str, &[Loss])> {
        match self {
            Self::Provider(rendered) => {
                rendered.tools.iter().map(|tool| (tool.name.as_str(), tool.losses.as_slice())).collect()
            }
            Self::Source { declared, .. } => {
                declared.losses.iter().map(|(tool, losses)| (tool.as_str(), losses.as_slice())).collect()
            }
        }
    }

    /// One event for every tool that the provider would refuse as its server declares it.
    pub(super) fn log_refusals(&self) {
        for (tool, losses) in self.losses() {
            let keywords: Vec<&str> = losses
                .iter()
                .filter(|loss| loss.severity == Severity::Error)
                .map(|loss| loss.keyword.as_str())
                .collect();
            if !keywords.is_empty() {
                let (provider, losses) = (self.target(), keywords.join(", "));
                tracing::warn!(
                    event = "mortise.provider.rejects",
                    tool,
                    provider,
                    losses,
                    "the provider would refuse the tool as it is declared"
                );
            }
        }
    }

    /// Says on stderr what is refused of all tools together, and that something was lost, if it can matter.
    pub(super) fn note_losses(&self, app: &App) {
        for RequestLoss { loss, .. } in self.request_losses() {
            app.terminal.warn(&format!("{}: {}; --lint names the tools", self.target(), loss.reason));
        }
        let matters = |losses: &&[Loss]| losses.iter().any(|loss| loss.severity > Severity::Info);
        let tools = self.losses().into_iter().map(|(_, losses)| losses).filter(matters).count();
        if tools > 0 {
            app.terminal.note(&format!(
                "not everything of {} could be kept; --json lists what was lost, --lint says what to do",
                count_of(tools)
            ));
        }
    }
}
