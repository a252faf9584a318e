//! Tools declared with Rust types.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Declaration, Tool, declaring, schema};
use crate::{Answer, CallContext, Content, Reply, ToolError};

/// Declares a tool with types; see [`Tool::typed`].
#[derive(Clone, Debug)]
pub struct TypedTool<In, Out> {
    declaration: Declaration,
    types: PhantomData<fn(In) -> Out>,
}

impl<In, Out> TypedTool<In, Out> {
    pub(super) fn new(name: &str) -> Self {
        Self { declaration: Declaration::new(name, Value::Null, None), types: PhantomData }
    }

    declaring!();

    /// The output schema in writing. It must be that of the output type, or registration fails.
    #[must_use]
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.declaration.claimed_output = Some(schema);
        self
    }

    /// The code. It returns the output, an [`Output`] with content of its own, or a [`Reply`].
    pub fn handler<F, Fut>(mut self, handler: F) -> Tool
    where
        In: DeserializeOwned + JsonSchema + Send + 'static,
        Out: Serialize + JsonSchema + 'static,
        F: Fn(In, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoReply<Out>,
    {
        self.declaration.input_schema = schema::input::<In>();
        self.declaration.output_schema = Some(schema::output::<Out>());
        let handler = Arc::new(handler);
        Tool {
            declaration: self.declaration,
            handler: Arc::new(move |call, context| {
                let handler = Arc::clone(&handler);
                Box::pin(async move {
                    // From the text, where numbers still have all their digits.
                    match serde_json::from_str::<In>(call.arguments.text()) {
                        Ok(input) => handler(input, context).await.into_reply(),
                        Err(error) => {
                            Answer::error(format!("Input validation error: {}: {error}", call.tool)).into()
                        }
                    }
                })
            }),
        }
    }
}

/// An output together with content for people.
///
/// ```
/// # use mortise_server::Output;
/// # #[derive(serde::Serialize)] struct Bmi { bmi: f64 }
/// let output = Output::new(Bmi { bmi: 22.5 }).text("BMI 22.5, normal");
/// ```
#[derive(Clone, Debug)]
pub struct Output<T> {
    value: T,
    content: Vec<Content>,
}

impl<T> Output<T> {
    /// An output that has no content yet.
    pub fn new(value: T) -> Self {
        Self { value, content: Vec::new() }
    }

    /// Adds a text block.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.content(Content::text(text))
    }

    /// Adds a block.
    #[must_use]
    pub fn content(mut self, block: Content) -> Self {
        self.content.push(block);
        self
    }
}

/// What a typed handler may return for an output type `T`.
pub trait IntoReply<T> {
    /// The reply it stands for.
    fn into_reply(self) -> Reply;
}

impl<T: Serialize> IntoReply<T> for Result<T, ToolError> {
    fn into_reply(self) -> Reply {
        self.map(Output::new).into_reply()
    }
}

impl<T: Serialize> IntoReply<T> for Result<Output<T>, ToolError> {
    fn into_reply(self) -> Reply {
        match self {
            Ok(output) => match Answer::serialized(&output.value) {
                Ok(answer) => Answer { content: output.content, ..answer }.into(),
                Err(error) => Answer::error(format!("Output validation error: {error}")).into(),
            },
            Err(error) => error.into(),
        }
    }
}

impl<T> IntoReply<T> for Result<Reply, ToolError> {
    fn into_reply(self) -> Reply {
        self.unwrap_or_else(Into::into)
    }
}
