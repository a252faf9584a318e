//! One tool: its contract and the code behind it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use mortise_contract::contract::ContractError;
use mortise_contract::name::ToolName;
use mortise_contract::{Contract, RawJson, ToolCall};
use serde_json::{Map, Value, json};

use crate::registration::RegistrationError;
use crate::{CallContext, Reply};

mod raw;
mod schema;
mod typed;

pub use raw::RawTool;
pub use typed::{IntoReply, Output, TypedTool};

pub(crate) type Handler =
    Arc<dyn Fn(ToolCall, CallContext) -> Pin<Box<dyn Future<Output = Reply> + Send>> + Send + Sync>;

/// A tool ready to be put into [`Tools`](crate::Tools), where it is checked.
///
/// Written with types, whose schemas are derived:
///
/// ```
/// use mortise_server::{Tool, Tools};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Measures { height_cm: f64, weight_kg: f64 }
///
/// #[derive(Serialize, JsonSchema)]
/// struct Bmi { bmi: f64 }
///
/// let tool = Tool::typed::<Measures, Bmi>("calculate_bmi")
///     .description("Body mass index from height and weight")
///     .handler(|input, _context| async move {
///         Ok(Bmi { bmi: input.weight_kg / (input.height_cm / 100.0).powi(2) })
///     });
/// let tools = Tools::new([tool])?;
/// # Ok::<(), mortise_server::RegistrationError>(())
/// ```
///
/// or with JSON Schemas and JSON:
///
/// ```
/// use mortise_server::{Answer, Tool, Tools};
/// use serde_json::json;
///
/// let tool = Tool::raw("count_words")
///     .input_schema(json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] }))
///     .output_schema(json!({ "type": "integer", "minimum": 0 }))
///     .handler(|_call, context| async move {
///         let text = context.arguments()["text"].as_str().unwrap_or_default();
///         Ok(Answer::structured(json!(text.split_whitespace().count())))
///     });
/// let tools = Tools::new([tool])?;
/// # Ok::<(), mortise_server::RegistrationError>(())
/// ```
#[derive(Clone)]
pub struct Tool {
    declaration: Declaration,
    handler: Handler,
}

impl Tool {
    /// A tool with Rust types for input and output. Both derive `schemars::JsonSchema`.
    pub fn typed<In, Out>(name: &str) -> TypedTool<In, Out> {
        TypedTool::new(name)
    }

    /// A tool with JSON Schemas and a handler over JSON.
    pub fn raw(name: &str) -> RawTool {
        RawTool::new(name)
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.declaration.name
    }

    pub(crate) fn handler(&self) -> Handler {
        Arc::clone(&self.handler)
    }

    pub(crate) fn argument_check(&self) -> ArgumentCheck {
        self.declaration.check
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

/// What both builders collect.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    name: String,
    title: Option<String>,
    description: Option<String>,
    input_schema: Value,
    output_schema: Option<Value>,
    /// An output schema given by hand for a typed tool.
    claimed_output: Option<Value>,
    annotations: Map<String, Value>,
    fields: Map<String, Value>,
    check: ArgumentCheck,
}

/// Who checks the arguments of a call against the input schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentCheck {
    Server,
    Handler,
}

impl Declaration {
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
            check: ArgumentCheck::Server,
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

/// The declaring methods that both builders share.
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

#[cfg(test)]
mod tests;
