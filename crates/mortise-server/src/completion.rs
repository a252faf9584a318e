//! The seam for completion of arguments.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

use serde_json::{Value, json};

use crate::{CallContext, ProtocolError};

/// Most values in one answer; the protocol's own bound.
const VALUE_LIMIT: usize = 100;

/// Completes arguments of prompts and of resource templates.
pub trait Completer: Send + Sync + 'static {
    /// Values that the argument could take.
    fn complete(
        &self,
        request: CompletionRequest,
        context: CallContext,
    ) -> impl Future<Output = Result<Completions, ProtocolError>> + Send;
}

/// What is to be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionRequest {
    /// Whose argument.
    pub reference: CompletionReference,
    /// The argument's name.
    pub argument: String,
    /// What is typed so far.
    pub value: String,
    /// Other arguments that are already filled in.
    pub resolved: BTreeMap<String, String>,
}

/// What the argument belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompletionReference {
    /// The prompt of this name.
    Prompt(String),
    /// The resource template with this URI template.
    Resource(String),
}

/// Proposed values, best first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    values: Vec<String>,
    total: usize,
}

impl Completions {
    /// These values. The first 100 are sent, with the total number.
    pub fn new(values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut values: Vec<String> = values.into_iter().map(Into::into).collect();
        let total = values.len();
        values.truncate(VALUE_LIMIT);
        Self { values, total }
    }

    pub(crate) fn to_json(&self) -> Value {
        let has_more = self.total > self.values.len();
        json!({ "values": self.values, "total": self.total, "hasMore": has_more })
    }
}

/// [`Completer`] behind a pointer.
pub(crate) trait DynCompleter: Send + Sync + 'static {
    fn complete(
        &self,
        request: CompletionRequest,
        context: CallContext,
    ) -> Pin<Box<dyn Future<Output = Result<Completions, ProtocolError>> + Send + '_>>;
}

impl<T: Completer> DynCompleter for T {
    fn complete(
        &self,
        request: CompletionRequest,
        context: CallContext,
    ) -> Pin<Box<dyn Future<Output = Result<Completions, ProtocolError>> + Send + '_>> {
        Box::pin(Completer::complete(self, request, context))
    }
}
