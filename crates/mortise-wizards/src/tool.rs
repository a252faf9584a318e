//! How a wizard is declared, and what becomes of its arguments and its result.
//!
//! A wizard is a function from a typed input to [`WizardResult`]; everything on the wire is made here:
//! arguments are refused by name with a code, the result is laid flat with `format` and the common
//! fields, checked against the declared schema before it is sent, and sent as structured content,
//! as JSON text and as a text for people. A failure is a tool error whose text is an
//! [`ErrorBody`] in JSON, so that a model can correct itself.
//!
//! ```
//! use mortise_formats::format::FormatKind;
//! use mortise_wizards::answer::WizardResult;
//! use mortise_wizards::tool::Wizard;
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct Input {
//!     /// Which file
//!     file_path: String,
//!     /// Optional arguments are `Option`, or have a default
//!     #[serde(default)]
//!     rows: Option<u32>,
//! }
//!
//! #[derive(Serialize, JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct Output {
//!     row_count: u64,
//!     #[serde(skip_serializing_if = "Option::is_none")]
//!     note: Option<String>,
//! }
//!
//! let wizard = Wizard::new("count_rows", FormatKind::Metadata)
//!     .description("Counts the rows of a file.")
//!     .read_only()
//!     .handler(|_wizards, _input: Input, _context| async move {
//!         Ok(WizardResult::new(Output { row_count: 3, note: None }).feedback("3 rows"))
//!     });
//! assert_eq!(wizard.name(), "count_rows");
//! ```

mod arguments;
mod blocking;
mod caller;
pub(crate) mod room;
mod schema;
mod send;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::ToolCall;
use mortise_formats::format::{ErrorBody, FormatKind};
use mortise_formats::legacy::add_legacy_schema;
use mortise_server::{CallContext, RegistrationError, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::answer::WizardResult;
use crate::limits::WIZARD_TIME;
use crate::wizards::Wizards;

use caller::{LegacyFields, WizardCaller};

pub use blocking::blocking;
pub(crate) use schema::without_inner_descriptions;
pub use send::RESULT_LIMIT;

type Run = Arc<
    dyn Fn(
            Arc<Wizards>,
            Value,
            CallContext,
        ) -> Pin<Box<dyn Future<Output = Result<WizardResult<Value>, ErrorBody>> + Send>>
        + Send
        + Sync,
>;

/// One wizard, ready to become a tool of a server.
pub struct Wizard {
    declaration: WizardDeclaration,
    input: Value,
    output: Value,
    run: Run,
}

#[derive(Clone, Debug)]
struct WizardDeclaration {
    name: String,
    format: FormatKind,
    description: String,
    read_only: bool,
    time: TimeLimit,
}

/// How long a wizard may take.
#[derive(Clone, Copy, Debug)]
enum TimeLimit {
    Within(Duration),
    /// As the operator has set it for work on whole files.
    Long,
}

impl TimeLimit {
    fn of(self, wizards: &Wizards) -> Duration {
        match self {
            Self::Within(time) => time,
            Self::Long => wizards.options.long_time,
        }
    }
}

/// A wizard without its code.
#[derive(Clone, Debug)]
pub struct WizardBuilder(WizardDeclaration);

impl Wizard {
    /// Begins to declare a wizard.
    #[expect(clippy::new_ret_no_self, reason = "a wizard is complete only with its handler")]
    pub fn new(name: &str, format: FormatKind) -> WizardBuilder {
        WizardBuilder(WizardDeclaration {
            name: name.to_owned(),
            format,
            description: String::new(),
            read_only: false,
            time: TimeLimit::Within(WIZARD_TIME),
        })
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.declaration.name
    }

    /// The format of its results.
    pub fn format(&self) -> FormatKind {
        self.declaration.format
    }

    pub fn input_schema(&self) -> &Value {
        &self.input
    }

    /// What it returns.
    pub fn output_schema(&self) -> &Value {
        &self.output
    }

    /// What it returns, with the old fields while they are written.
    fn returned(&self, legacy: LegacyFields) -> Value {
        let mut schema = self.output.clone();
        if legacy == LegacyFields::Written {
            add_legacy_schema(&self.declaration.name, self.declaration.format, &mut schema);
        }
        schema
    }

    /// Calls the wizard without a server: arguments in, the flat result and the text for people out.
    ///
    /// # Errors
    ///
    /// As the tool: the body of the error result.
    pub async fn call(
        &self,
        wizards: &Arc<Wizards>,
        arguments: Value,
        context: CallContext,
    ) -> Result<(Value, String), ErrorBody> {
        let caller = WizardCaller::new(self, LegacyFields::of(wizards))
            .map_err(|error| send::internal(&error.to_string()))?;
        caller.call(wizards, arguments, context).await
    }

    /// The tool as a server takes it.
    ///
    /// # Errors
    ///
    /// When a schema of ours is at fault.
    pub fn into_tool(self, wizards: &Arc<Wizards>) -> Result<Tool, RegistrationError> {
        let legacy = LegacyFields::of(wizards);
        let caller = Arc::new(WizardCaller::new(&self, legacy)?);
        let output = self.returned(legacy);
        let Self { declaration: WizardDeclaration { name, description, read_only, .. }, input, .. } = self;
        let wizards = Arc::clone(wizards);
        let mut tool = Tool::raw(&name)
            .description(description)
            .input_schema(input)
            .output_schema(output)
            .checks_arguments_itself()
            .closed_world();
        if read_only {
            tool = tool.read_only();
        }
        Ok(tool.handler(move |_call: ToolCall, context: CallContext| {
            let (caller, wizards) = (Arc::clone(&caller), Arc::clone(&wizards));
            async move {
                let arguments = Value::Object(context.arguments().clone());
                match caller.call(&wizards, arguments, context).await {
                    Ok((result, feedback)) => Ok(send::success(result, feedback)),
                    Err(body) => Err(send::failure(&body)),
                }
            }
        }))
    }
}

impl std::fmt::Debug for Wizard {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Wizard").field("declaration", &self.declaration).finish_non_exhaustive()
    }
}

impl WizardBuilder {
    /// What the tool does and when to use it, for the model that chooses.
    #[must_use]
    pub fn description(mut self, description: &str) -> Self {
        description.clone_into(&mut self.0.description);
        self
    }

    /// The tool changes nothing.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.0.read_only = true;
        self
    }

    /// The tool may take as long as [`WizardOptions::long_time`](crate::WizardOptions::long_time) says; it tells its
    /// progress and can be canceled.
    #[must_use]
    pub fn long(mut self) -> Self {
        self.0.time = TimeLimit::Long;
        self
    }

    /// The tool may take this long.
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.0.time = TimeLimit::Within(time);
        self
    }

    /// The code. Dropping the future must stop the work, or soon after [`CallContext::cancellation`] fires.
    ///
    /// `In` and `Out` derive `JsonSchema` with `#[serde(deny_unknown_fields)]`; a field of `Out` that may be
    /// absent is skipped when it is none. `format`, `format_version` and the common fields are added.
    pub fn handler<In, Out, F, Fut>(self, handler: F) -> Wizard
    where
        In: DeserializeOwned + JsonSchema + Send + 'static,
        Out: Serialize + JsonSchema + 'static,
        F: Fn(Arc<Wizards>, In, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<WizardResult<Out>, ErrorBody>> + Send + 'static,
    {
        let handler = Arc::new(handler);
        Wizard {
            input: schema::input::<In>(),
            output: schema::output::<Out>(self.0.format, &self.0.name),
            declaration: self.0,
            run: Arc::new(move |wizards, arguments, context| {
                let handler = Arc::clone(&handler);
                Box::pin(async move {
                    let input = serde_json::from_value(arguments).map_err(arguments::unreadable)?;
                    let WizardResult { result, common, feedback } = handler(wizards, input, context).await?;
                    let result =
                        serde_json::to_value(result).map_err(|error| send::internal(&error.to_string()))?;
                    Ok(WizardResult { result, common, feedback })
                })
            }),
        }
    }
}

#[cfg(test)]
mod tests;
