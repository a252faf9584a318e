//! Tools as declarations: for LLM providers, in TypeScript, in Python.
//!
//! A tool's output schema is worth most before the tool is called: a model that sees what comes
//! back writes the right field name. Providers differ in what they take, and types can't say
//! everything that a schema can; whatever is left out on the way is in the report that comes with
//! every rendering. All of it is a pure function of the tool and the options.
//!
//! ```
//! use mortise_declare::{Provider, ProviderOptions, ToolDefinition, provider_names, render_tools};
//! use mortise_contract::{Contract, RawJson, ServerName};
//!
//! let contract = Contract::parse(RawJson::parse(
//!     r#"{"name": "now", "description": "The time", "inputSchema": {"type": "object"},
//!         "outputSchema": {"type": "object", "properties": {"utc": {"type": "string"}}, "required": ["utc"]}}"#,
//! )?)?;
//! let tools = [ToolDefinition::of(&ServerName::parse("clock")?, &contract)];
//! let names = provider_names(&tools);
//! let rendered = render_tools(Provider::Anthropic, &tools, &names, &ProviderOptions::default());
//! assert_eq!(rendered.tools[0].json["name"], "mcp__clock__now");
//! assert_eq!(rendered.tools[0].json["description"], "The time\n\nReturns: { utc: string; }");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
pub use signature::{keyword_signature, typescript_signature};
pub use typescript::{TypeScriptForm, TypeScriptOptions, typescript_declarations, typescript_type};
