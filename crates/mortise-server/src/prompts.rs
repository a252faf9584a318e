//! The seam for prompts.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use mortise_contract::RawJson;

use crate::resources::RequestStep;
use crate::{CallContext, Changes, Content, Prompt, ProtocolError};

/// A set of prompts that a [`Server`](crate::Server) serves. The list is sent in the order of names.
pub trait PromptSet: Send + Sync + 'static {
    /// The prompts as they are now.
    fn prompts(&self) -> Arc<[Prompt]>;

    /// Fills in one prompt of the list. Its arguments are [`CallContext::arguments`];
    /// those that are required are there.
    fn get(
        &self,
        name: String,
        context: CallContext,
    ) -> impl Future<Output = Result<RequestStep<PromptText>, ProtocolError>> + Send;

    /// Whether the server declares prompts to clients that connect now, even while the list is empty.
    fn is_offered(&self) -> bool {
        true
    }

    /// Fires when [`PromptSet::prompts`] begins to return something else.
    fn changes(&self) -> Changes {
        Changes::never()
    }
}

/// A prompt, filled in.
#[derive(Clone, Debug, Default)]
pub struct PromptText {
    pub(crate) description: Option<String>,
    messages: Vec<(&'static str, Content)>,
}

impl PromptText {
    /// A prompt with no messages yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What the prompt is for.
    #[must_use]
    pub fn description(mut self, description: &str) -> Self {
        self.description = Some(description.to_owned());
        self
    }

    /// Adds what the user says.
    #[must_use]
    pub fn user(mut self, content: Content) -> Self {
        self.messages.push(("user", content));
        self
    }

    /// Adds what the assistant says.
    #[must_use]
    pub fn assistant(mut self, content: Content) -> Self {
        self.messages.push(("assistant", content));
        self
    }

    pub(crate) fn messages_json(&self) -> RawJson {
        let message = |(role, content): &(&str, Content)| {
            RawJson::object([("role", &RawJson::string(role)), ("content", &content.to_json())])
        };
        RawJson::array(&self.messages.iter().map(message).collect::<Vec<_>>())
    }
}

/// [`PromptSet`] behind a pointer.
pub(crate) trait DynPromptSet: Send + Sync + 'static {
    fn prompts(&self) -> Arc<[Prompt]>;
    fn get(
        &self,
        name: String,
        context: CallContext,
    ) -> Pin<Box<dyn Future<Output = Result<RequestStep<PromptText>, ProtocolError>> + Send + '_>>;
    fn is_offered(&self) -> bool;
    fn changes(&self) -> Changes;
}

impl<T: PromptSet> DynPromptSet for T {
    fn prompts(&self) -> Arc<[Prompt]> {
        PromptSet::prompts(self)
    }
    fn get(
        &self,
        name: String,
        context: CallContext,
    ) -> Pin<Box<dyn Future<Output = Result<RequestStep<PromptText>, ProtocolError>> + Send + '_>> {
        Box::pin(PromptSet::get(self, name, context))
    }
    fn is_offered(&self) -> bool {
        PromptSet::is_offered(self)
    }
    fn changes(&self) -> Changes {
        PromptSet::changes(self)
    }
}
