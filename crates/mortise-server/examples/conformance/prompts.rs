//! The suite's prompts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mortise_server::{
    CallContext, ChangeSignal, Changes, Content, InputRequest, InputRequired, Prompt, PromptSet, PromptText,
    ProtocolError, RequestStep,
};
use serde_json::json;

use crate::PNG;

/// Clones share one list.
#[derive(Clone)]
pub(crate) struct Prompts {
    has_passing: Arc<AtomicBool>,
    signal: ChangeSignal,
}

impl Prompts {
    pub(crate) fn new() -> Self {
        Self { has_passing: Arc::default(), signal: ChangeSignal::new() }
    }

    /// Adds a prompt, or takes it away again.
    pub(crate) fn change(&self) {
        self.has_passing.fetch_xor(true, Ordering::Relaxed);
        self.signal.fire();
    }
}

impl PromptSet for Prompts {
    fn prompts(&self) -> Arc<[Prompt]> {
        let mut prompts = vec![
            Prompt::new("test_simple_prompt").description("A prompt without arguments"),
            Prompt::new("test_prompt_with_arguments")
                .description("A prompt with two arguments")
                .required("arg1", "First test argument")
                .required("arg2", "Second test argument"),
            Prompt::new("test_prompt_with_embedded_resource")
                .description("A prompt with a resource in it")
                .required("resourceUri", "URI of the resource to embed"),
            Prompt::new("test_prompt_with_image").description("A prompt with an image in it"),
            Prompt::new("test_input_required_result_prompt").description("A prompt that asks first"),
        ];
        if self.has_passing.load(Ordering::Relaxed) {
            prompts.push(Prompt::new("test_passing").description("Here for a moment"));
        }
        prompts.into()
    }

    async fn get(
        &self,
        name: String,
        context: CallContext,
    ) -> Result<RequestStep<PromptText>, ProtocolError> {
        let argument =
            |name: &str| context.arguments().get(name).and_then(|value| value.as_str()).unwrap_or_default();
        let text = match name.as_str() {
            "test_prompt_with_arguments" => {
                let (one, two) = (argument("arg1"), argument("arg2"));
                PromptText::new()
                    .user(Content::text(format!("Prompt with arguments: arg1='{one}', arg2='{two}'")))
            }
            "test_prompt_with_embedded_resource" => {
                let text = "Embedded resource content for testing.";
                PromptText::new()
                    .user(Content::resource_text(argument("resourceUri"), "text/plain", text))
                    .user(Content::text("Please process the embedded resource above."))
            }
            "test_prompt_with_image" => PromptText::new()
                .user(Content::image(PNG, "image/png"))
                .user(Content::text("Please analyze the image above.")),
            "test_input_required_result_prompt" => match context.answer("user_context") {
                Some(answer) => {
                    PromptText::new().user(Content::text(format!("Context: {}", answer["content"])))
                }
                None => {
                    let schema = json!({
                        "type": "object", "properties": { "context": { "type": "string" } }, "required": ["context"],
                    });
                    let question = InputRequest::form("What context should the prompt use?", schema);
                    return Ok(InputRequired::new().ask("user_context", question).into());
                }
            },
            _ => PromptText::new().user(Content::text("This is a simple prompt for testing.")),
        };
        Ok(RequestStep::Done(text))
    }

    fn changes(&self) -> Changes {
        self.signal.changes()
    }
}
