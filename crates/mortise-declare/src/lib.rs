//! Declarations of MCP tools.
#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod arguments;
mod declarations;
mod definition;
mod events;
mod example;
mod flags;
mod hint;
pub mod limits;
mod lint;
mod loss;
mod model;
mod naming;
mod prepare;
mod provider;
mod python;
mod signature;
mod text;
mod typescript;

pub use declarations::Declarations;
pub use definition::{ResultForm, RoundedNumber, ToolDefinition};
pub use flags::{Flag, FlagRule};
pub use hint::HintStep;
pub use lint::{LintFinding, LintSubject, LintVerdict, lint};
pub use loss::{Action, Loss, SchemaSide, Severity};
pub use provider::{
    HintForm, OutputForm, PROVIDER_RULES, Provider, ProviderOptions, ProviderRule, ProviderTool,
    ProviderTools, RequestLoss, RuleEvidence, StrictRequest, StrictVerdict, provider_names, render_tool,
    render_tools, without_added_nulls,
};
pub use python::{PythonOptions, python_declarations};
pub use signature::{keyword_signature, observed_signature, typescript_signature};
pub use typescript::{TypeScriptForm, TypeScriptOptions, typescript_declarations, typescript_type};
