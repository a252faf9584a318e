//! What a handler may return, and what it declares thereby.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::schema;
use crate::{Answer, Content, Reply};

/// What a handler of [`Tool::new`](crate::Tool::new) returns when it succeeds.
///
/// | type | the tool's output schema |
/// | --- | --- |
/// | `T: Serialize + JsonSchema` | that of `T` |
/// | [`Output<T>`]: the same with content for people | that of `T` |
/// | [`Answer`], [`Reply`] | none, unless [`Tool::returns`](crate::Tool::returns) names one |
pub trait ToolOutput: Send + 'static {
    /// The output schema that the type stands for.
    fn schema() -> Option<Value>;

    /// The reply that is sent.
    fn into_reply(self) -> Reply;
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

impl<T: Serialize + JsonSchema + Send + 'static> ToolOutput for T {
    fn schema() -> Option<Value> {
        Some(schema::output::<T>())
    }

    fn into_reply(self) -> Reply {
        Output::new(self).into_reply()
    }
}

impl<T: Serialize + JsonSchema + Send + 'static> ToolOutput for Output<T> {
    fn schema() -> Option<Value> {
        Some(schema::output::<T>())
    }

    fn into_reply(self) -> Reply {
        match Answer::serialized(&self.value) {
            Ok(answer) => Answer { content: self.content, ..answer }.into(),
            Err(error) => Answer::error(format!("Output validation error: {error}")).into(),
        }
    }
}

impl ToolOutput for Answer {
    fn schema() -> Option<Value> {
        None
    }

    fn into_reply(self) -> Reply {
        self.into()
    }
}

impl ToolOutput for Reply {
    fn schema() -> Option<Value> {
        None
    }

    fn into_reply(self) -> Reply {
        self
    }
}
