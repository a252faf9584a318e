//! How a person is reached.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use mortise_contract::approval::{AllowedCalls, ApprovalAnswer, ApprovalQuestion};
use mortise_server::{CallContext, Elicited};
use serde_json::{Map, Value, json};

/// What asking comes to.
pub type ApprovalFuture<'a> = Pin<Box<dyn Future<Output = Result<ApprovalAnswer, NoAnswer>> + Send + 'a>>;

/// Puts questions to a person. Dropping the future withdraws the question.
pub trait ApprovalAsker: Send + Sync + fmt::Debug + 'static {
    /// Who answers, for the record: `client claude-code`.
    fn who(&self) -> String;

    /// Asks and waits for the answer. The caller limits the time.
    fn ask<'a>(&'a self, question: &'a ApprovalQuestion) -> ApprovalFuture<'a>;
}

/// Why a question has no answer; as the end of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoAnswer(pub String);

/// Asks the user of a client, by elicitation.
#[derive(Debug)]
pub struct ClientAsker(CallContext);

impl ClientAsker {
    /// An asker for the client of this request.
    pub fn new(context: CallContext) -> Self {
        Self(context)
    }
}

impl ApprovalAsker for ClientAsker {
    fn who(&self) -> String {
        format!("client {}", self.0.client().name().unwrap_or("without a name"))
    }

    fn ask<'a>(&'a self, question: &'a ApprovalQuestion) -> ApprovalFuture<'a> {
        Box::pin(async move {
            match self.0.elicit(&question.text(), form()).await {
                Ok(Elicited::Accepted(content)) => Ok(read_answer(&content)),
                Ok(Elicited::Declined) => Ok(ApprovalAnswer::Deny),
                Ok(Elicited::Cancelled) => {
                    Err(NoAnswer("the question was closed without an answer".to_owned()))
                }
                Err(error) => Err(NoAnswer(error.to_string())),
            }
        })
    }
}

/// The form of a question: flat, and of strings and numbers only, since clients take no other.
fn form() -> Value {
    json!({
        "type": "object",
        "properties": {
            "decision": {
                "type": "string",
                "title": "Decision",
                "description": "allow: the calls above may be made; deny: none of them",
                "enum": ["allow", "deny"],
            },
            "at_most": {
                "type": "integer",
                "title": "At most",
                "description": "Calls of each tool to allow, in place of the numbers above",
                "minimum": 1,
            },
        },
        "required": ["decision"],
    })
}

/// What a filled-in form says. The client has checked it against the form, and so has the server.
fn read_answer(content: &Map<String, Value>) -> ApprovalAnswer {
    let at_most = content.get("at_most").and_then(Value::as_u64);
    match content.get("decision").and_then(Value::as_str) {
        Some("allow") => ApprovalAnswer::Allow(AllowedCalls { at_most, ..AllowedCalls::default() }),
        _ => ApprovalAnswer::Deny,
    }
}
