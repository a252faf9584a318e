//! Async functions as the code of tools.

use std::fmt::Display;
use std::future::Future;

use mortise_contract::ToolCall;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::ToolOutput;
use crate::{Answer, CallContext, Reply, ToolError};

/// The code of a tool: an async function, or a closure that returns a future.
///
/// ```
/// # use mortise_server::{Answer, CallContext, Output, ToolError};
/// # struct City; struct Weather;
/// async fn get_weather(city: City) -> Result<Weather, ToolError>
/// # { Err(ToolError::new("")) }
/// async fn get_forecast(city: City, context: CallContext) -> Result<Output<Weather>, ToolError>
/// # { Err(ToolError::new("")) }
/// async fn list_cities() -> Result<Vec<String>, std::io::Error>
/// # { Ok(Vec::new()) }
/// ```
///
/// The input derives `Deserialize` and `JsonSchema`. It is a struct, a map, an enum whose variants are all
/// objects (`#[serde(tag = "kind")]`), or `()` for a tool without arguments. [`ToolOutput`] lists what a function
/// may return. Its error is a [`ToolError`], or any type that is `Display`: the caller reads what it prints.
///
/// `Arguments` only keeps the implementations for the three signatures apart.
pub trait ToolHandler<Arguments>: Send + Sync + 'static {
    /// What the arguments of a call become.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// What a call returns when it succeeds.
    type Output: ToolOutput;

    /// Runs one call.
    fn handle(
        &self,
        input: Self::Input,
        context: CallContext,
    ) -> impl Future<Output = Result<Self::Output, ToolError>> + Send;
}

impl<F, Fut, Out, Error> ToolHandler<()> for F
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Out, Error>> + Send,
    Out: ToolOutput,
    Error: HandlerError,
{
    type Input = ();
    type Output = Out;

    async fn handle(&self, (): (), _: CallContext) -> Result<Out, ToolError> {
        self().await.map_err(Error::into_tool_error)
    }
}

impl<F, Fut, In, Out, Error> ToolHandler<(In,)> for F
where
    F: Fn(In) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Out, Error>> + Send,
    In: DeserializeOwned + JsonSchema + Send,
    Out: ToolOutput,
    Error: HandlerError,
{
    type Input = In;
    type Output = Out;

    async fn handle(&self, input: In, _: CallContext) -> Result<Out, ToolError> {
        self(input).await.map_err(Error::into_tool_error)
    }
}

impl<F, Fut, In, Out, Error> ToolHandler<(In, CallContext)> for F
where
    F: Fn(In, CallContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Out, Error>> + Send,
    In: DeserializeOwned + JsonSchema + Send,
    Out: ToolOutput,
    Error: HandlerError,
{
    type Input = In;
    type Output = Out;

    async fn handle(&self, input: In, context: CallContext) -> Result<Out, ToolError> {
        self(input, context).await.map_err(Error::into_tool_error)
    }
}

/// What a handler may fail with: [`ToolError`], which has no `Display` for this reason, and all that has.
pub trait HandlerError: Send {
    /// The error that the caller reads.
    fn into_tool_error(self) -> ToolError;
}

impl HandlerError for ToolError {
    fn into_tool_error(self) -> ToolError {
        self
    }
}

impl<E: Display + Send> HandlerError for E {
    fn into_tool_error(self) -> ToolError {
        // The alternate form prints the causes too, for error types that know it.
        ToolError::new(format!("{self:#}"))
    }
}

/// Reads the arguments from their text, where numbers still have all their digits, and runs the handler.
pub(super) async fn answer<Arguments, H: ToolHandler<Arguments>>(
    handler: &H,
    takes_nothing: bool,
    call: &ToolCall,
    context: CallContext,
) -> Reply {
    // `()` and unit structs read `null`.
    let arguments = if takes_nothing { "null" } else { call.arguments.text() };
    match serde_json::from_str::<H::Input>(arguments) {
        Ok(input) => handler.handle(input, context).await.map_or_else(Reply::from, ToolOutput::into_reply),
        Err(error) => Answer::error(format!("Input validation error: {}: {error}", call.tool)).into(),
    }
}
