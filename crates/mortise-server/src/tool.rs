//! One tool: its contract and the code behind it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use mortise_contract::contract::ContractError;
use mortise_contract::name::ToolName;
use mortise_contract::{Contract, RawJson, ToolCall};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use crate::registration::RegistrationError;
use crate::tasks::TaskUse;
use crate::{CallContext, Reply};

mod absent;
mod handler;
mod output;
mod raw;
mod schema;

pub use absent::absent_is_not_null;
pub use handler::{HandlerError, ToolHandler};
pub use output::{Output, ToolOutput};
pub use raw::RawTool;

/// The declaring methods that [`Tool`] and [`RawTool`] share.
macro_rules! declaring {
    () => {
        /// A short name for people.
        #[must_use]
        pub fn title(mut self, title: impl Into<String>) -> Self {
            self.declaration.title = Some(title.into());
            self
        }

        /// What the tool does and when to use it, for the model that chooses. Most useful words first.
        #[must_use]
        pub fn description(mut self, description: impl Into<String>) -> Self {
            self.declaration.description = Some(description.into());
            self
        }

        /// The tool changes nothing.
        #[must_use]
        pub fn read_only(self) -> Self {
            self.annotation("readOnlyHint", serde_json::Value::Bool(true))
        }

        /// Calling the tool twice with the same arguments has the effect of calling it once.
        #[must_use]
        pub fn idempotent(self) -> Self {
            self.annotation("idempotentHint", serde_json::Value::Bool(true))
        }

        /// The tool adds but never deletes or overwrites.
        #[must_use]
        pub fn additive(self) -> Self {
            self.annotation("destructiveHint", serde_json::Value::Bool(false))
        }

        /// The tool touches nothing outside the server.
        #[must_use]
        pub fn closed_world(self) -> Self {
            self.annotation("openWorldHint", serde_json::Value::Bool(false))
        }

        /// Calls may take long. A client that knows tasks gets one when a call has not ended after 250 ms: it asks
        /// for the result from time to time, may cancel, and sees the last progress message meanwhile. The handler
        /// stays as it is. Other clients wait for the result.
        #[must_use]
        pub fn may_take_long(self) -> Self {
            self.task_after($crate::tasks::TASK_PATIENCE)
        }

        /// [`may_take_long`](Self::may_take_long) with another time for calls to end in.
        #[must_use]
        pub fn task_after(mut self, after: std::time::Duration) -> Self {
            let is_required = self.declaration.task.is_some_and(|task| task.is_required);
            self.declaration.task = Some($crate::tasks::TaskUse { after, is_required });
            self
        }

        /// Calls always take long, so a client that does not know tasks is refused. Implies
        /// [`may_take_long`](Self::may_take_long).
        #[must_use]
        pub fn needs_tasks(mut self) -> Self {
            let after = self.declaration.task.map_or($crate::tasks::TASK_PATIENCE, |task| task.after);
            self.declaration.task = Some($crate::tasks::TaskUse { after, is_required: true });
            self
        }

        /// The handler checks the arguments itself, for instance to answer every failure in a form of
        /// its own. It gets any JSON object.
        #[must_use]
        pub fn checks_arguments_itself(mut self) -> Self {
            self.declaration.check = $crate::tool::ArgumentChecker::Handler;
            self
        }

        /// Sets one annotation by its name on the wire.
        #[must_use]
        pub fn annotation(mut self, name: &str, value: serde_json::Value) -> Self {
            self.declaration.annotations.insert(name.to_owned(), value);
            self
        }

        /// Sets one more field of the tool object, such as `icons` or `_meta`.
        #[must_use]
        pub fn field(mut self, name: &str, value: serde_json::Value) -> Self {
            self.declaration.fields.insert(name.to_owned(), value);
            self
        }
    };
}
pub(crate) use declaring;

pub(crate) type Handler =
    Arc<dyn Fn(ToolCall, CallContext) -> Pin<Box<dyn Future<Output = Reply> + Send>> + Send + Sync>;

/// A tool: what it declares, and the code behind it.
///
/// The code is an async function over Rust types, from which the schemas are derived:
///
/// ```
/// use mortise_server::{Server, Tool, ToolError};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Measures { height_cm: f64, weight_kg: f64 }
///
/// #[derive(Serialize, JsonSchema)]
/// struct Bmi { bmi: f64 }
///
/// async fn calculate_bmi(measures: Measures) -> Result<Bmi, ToolError> {
///     Ok(Bmi { bmi: measures.weight_kg / (measures.height_cm / 100.0).powi(2) })
/// }
///
/// let tool = Tool::new("calculate_bmi", calculate_bmi).description("Body mass index from height and weight");
/// let server = Server::new("health", "1.0.0").tool(tool).build()?;
/// # Ok::<(), mortise_server::BuildError>(())
/// ```
///
/// Or it works on JSON, with JSON Schemas:
///
/// ```
/// use mortise_server::{Answer, Server, Tool};
/// use serde_json::json;
///
/// let tool = Tool::raw("count_words")
///     .input_schema(json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] }))
///     .output_schema(json!({ "type": "integer", "minimum": 0 }))
///     .handler(|_call, context| async move {
///         let text = context.arguments()["text"].as_str().unwrap_or_default();
///         Ok(Answer::structured(json!(text.split_whitespace().count())))
///     });
/// let server = Server::new("words", "1.0.0").tool(tool).build()?;
/// # Ok::<(), mortise_server::BuildError>(())
/// ```
#[derive(Clone)]
pub struct Tool {
    declaration: ToolDeclaration,
    handler: Handler,
}

impl Tool {
    /// A tool whose code is an async function; [`ToolHandler`] lists the signatures it may have.
    ///
    /// The input and output schemas are those of the function's types.
    pub fn new<Arguments, H: ToolHandler<Arguments>>(name: &str, handler: H) -> Self {
        let input = schema::input::<H::Input>();
        let handler = Arc::new(handler);
        Self {
            declaration: ToolDeclaration::new(name, input.schema, H::Output::schema()),
            handler: Arc::new(move |call, context| {
                let handler = Arc::clone(&handler);
                Box::pin(async move { handler::answer(&*handler, input.takes_nothing, &call, context).await })
            }),
        }
    }

    /// A tool with JSON Schemas and a handler over JSON.
    pub fn raw(name: &str) -> RawTool {
        RawTool::new(name)
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.declaration.name
    }

    declaring!();

    /// Declares `T` as the output, for a handler that returns an [`Answer`](crate::Answer) or a [`Reply`].
    #[must_use]
    pub fn returns<T: JsonSchema>(mut self) -> Self {
        self.declaration.output_schema = Some(schema::output::<T>());
        self
    }

    /// The output schema in writing. It must be that of the output type, or registration fails.
    #[must_use]
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.declaration.claimed_output = Some(schema);
        self
    }

    pub(crate) fn handler(&self) -> Handler {
        Arc::clone(&self.handler)
    }

    pub(crate) fn argument_check(&self) -> ArgumentChecker {
        self.declaration.check
    }

    pub(crate) fn task_use(&self) -> Option<TaskUse> {
        self.declaration.task
    }

    pub(crate) fn contract(&self) -> Result<Contract, RegistrationError> {
        self.declaration.contract()
    }
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Tool").field("declaration", &self.declaration).finish_non_exhaustive()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ToolDeclaration {
    name: String,
    title: Option<String>,
    description: Option<String>,
    input_schema: Value,
    output_schema: Option<Value>,
    /// An output schema given by hand for a typed tool.
    claimed_output: Option<Value>,
    annotations: Map<String, Value>,
    fields: Map<String, Value>,
    check: ArgumentChecker,
    task: Option<TaskUse>,
}

/// Who checks the arguments of a call against the input schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentChecker {
    Server,
    Handler,
}

impl ToolDeclaration {
    fn new(name: &str, input_schema: Value, output_schema: Option<Value>) -> Self {
        Self {
            name: name.to_owned(),
            title: None,
            description: None,
            input_schema,
            output_schema,
            claimed_output: None,
            annotations: Map::new(),
            fields: Map::new(),
            check: ArgumentChecker::Server,
            task: None,
        }
    }

    fn contract(&self) -> Result<Contract, RegistrationError> {
        let tool = self.name.clone();
        ToolName::parse(&tool).map_err(|source| RegistrationError::BadName { tool: tool.clone(), source })?;
        if let (Some(claimed), Some(derived)) = (&self.claimed_output, &self.output_schema)
            && !schema::same(claimed, derived)
        {
            return Err(RegistrationError::OutputSchemasDisagree { tool });
        }
        let mut fields = Map::new();
        fields.insert("name".to_owned(), json!(tool));
        fields.extend(self.title.as_ref().map(|title| ("title".to_owned(), json!(title))));
        fields.extend(self.description.as_ref().map(|text| ("description".to_owned(), json!(text))));
        fields.insert("inputSchema".to_owned(), self.input_schema.clone());
        fields.extend(self.output_schema.as_ref().map(|schema| ("outputSchema".to_owned(), schema.clone())));
        if !self.annotations.is_empty() {
            fields.insert("annotations".to_owned(), Value::Object(self.annotations.clone()));
        }
        fields.extend(self.fields.clone());
        let unreadable = |source| ContractError::Unreadable { source };
        let raw = RawJson::from_value(&Value::Object(fields))
            .map_err(|error| RegistrationError::NotATool { tool: tool.clone(), source: unreadable(error) })?;
        Contract::parse(raw).map_err(|source| RegistrationError::NotATool { tool, source })
    }
}

#[cfg(test)]
mod tests;
