//! Tools declared with JSON Schemas.

use std::future::Future;
use std::sync::Arc;

use mortise_contract::ToolCall;
use serde_json::Value;

use super::{Tool, ToolDeclaration, declaring, schema};
use crate::{CallContext, Reply, ToolError};

/// Declares a tool with JSON Schemas; see [`Tool::raw`].
#[derive(Clone, Debug)]
pub struct RawTool {
    declaration: ToolDeclaration,
}

impl RawTool {
    pub(super) fn new(name: &str) -> Self {
        Self { declaration: ToolDeclaration::new(name, schema::no_arguments(), None) }
    }

    declaring!();

    /// What the tool takes; the root has `"type": "object"`. Without this the tool takes no arguments.
    #[must_use]
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.declaration.input_schema = schema;
        self
    }

    /// What the tool returns as structured content: any JSON Schema object. Clients
    /// that know only objects get other values wrapped as `{"result": …}`.
    #[must_use]
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.declaration.output_schema = Some(schema);
        self
    }

    /// The code. It answers with anything that becomes a [`Reply`], mostly an [`Answer`](crate::Answer).
    pub fn handler<F, Fut, R>(self, handler: F) -> Tool
    where
        F: Fn(ToolCall, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
        R: Into<Reply>,
    {
        let handler = Arc::new(handler);
        Tool {
            declaration: self.declaration,
            handler: Arc::new(move |call, context| {
                let handler = Arc::clone(&handler);
                Box::pin(async move {
                    match handler(call, context).await {
                        Ok(reply) => reply.into(),
                        Err(error) => error.into(),
                    }
                })
            }),
        }
    }
}
