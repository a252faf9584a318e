//! Questions back to the client: elicitation, sampling, roots.

use std::collections::BTreeMap;

use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};
use serde_json::{Map, Value, json};

/// One question to the client.
#[derive(Clone, Debug, PartialEq)]
pub struct InputRequest {
    kind: InputKind,
    params: Value,
}

/// What a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// Something from the user, by form.
    ElicitForm,
    /// Something the user does at a web address.
    ElicitUrl,
    /// A completion by the client's model.
    Sample,
    /// The client's directories.
    ListRoots,
}

impl InputRequest {
    /// Asks the user to fill in a form. `schema` is an object of primitives and enums.
    pub fn form(message: &str, schema: Value) -> Self {
        let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
        Self { kind: InputKind::ElicitForm, params }
    }

    /// Asks the user to visit a web address.
    pub fn url(message: &str, url: &str, id: &str) -> Self {
        let params = json!({ "mode": "url", "message": message, "url": url, "elicitationId": id });
        Self { kind: InputKind::ElicitUrl, params }
    }

    /// Asks the client's model; `params` are those of `sampling/createMessage`.
    pub fn sample(params: Value) -> Self {
        Self { kind: InputKind::Sample, params }
    }

    /// Asks for the client's roots.
    pub fn list_roots() -> Self {
        Self { kind: InputKind::ListRoots, params: Value::Null }
    }

    /// A question that another server asked, to be passed on: `elicitation/create`,
    /// `sampling/createMessage` or `roots/list` with its own parameters.
    pub fn parse(method: &str, params: Value) -> Option<Self> {
        let kind = match method {
            "elicitation/create" if params.get("mode") == Some(&json!("url")) => InputKind::ElicitUrl,
            "elicitation/create" => InputKind::ElicitForm,
            "sampling/createMessage" => InputKind::Sample,
            "roots/list" => InputKind::ListRoots,
            _ => return None,
        };
        Some(Self { kind, params })
    }

    /// What it asks for.
    pub fn kind(&self) -> InputKind {
        self.kind
    }

    /// The JSON-RPC method.
    pub fn method(&self) -> &'static str {
        match self.kind {
            InputKind::ElicitForm | InputKind::ElicitUrl => "elicitation/create",
            InputKind::Sample => "sampling/createMessage",
            InputKind::ListRoots => "roots/list",
        }
    }

    /// The parameters.
    pub fn params(&self) -> &Value {
        &self.params
    }

    pub(crate) fn to_json(&self) -> Value {
        match &self.params {
            Value::Null => json!({ "method": self.method() }),
            params => json!({ "method": self.method(), "params": params }),
        }
    }

    /// Checks what came back: a form that was accepted must match the schema it asked for.
    pub(crate) fn check(&self, answer: &Value) -> Result<(), AskError> {
        if self.kind != InputKind::ElicitForm || answer.get("action") != Some(&json!("accept")) {
            return Ok(());
        }
        let (Some(schema), Some(content)) = (self.params.get("requestedSchema"), answer.get("content"))
        else {
            return Ok(());
        };
        let Ok(schema) = CompiledSchema::compile(schema, &SchemaOptions::default()) else { return Ok(()) };
        match schema.validate(content) {
            Validation::Invalid { violations, total, .. } => Err(AskError::BadAnswer {
                reason: violations.first().map(|first| first.sentence(total)).unwrap_or_default(),
            }),
            Validation::Valid | Validation::Unchecked { .. } => Ok(()),
        }
    }
}

impl InputKind {
    /// The client capability this needs, in the form of `requiredCapabilities`.
    pub(crate) fn capability(self) -> Value {
        match self {
            Self::ElicitForm => json!({ "elicitation": { "form": {} } }),
            Self::ElicitUrl => json!({ "elicitation": { "url": {} } }),
            Self::Sample => json!({ "sampling": {} }),
            Self::ListRoots => json!({ "roots": {} }),
        }
    }
}

/// A reply that asks the client for input and expects the same call again with the answers.
///
/// A client of 2026-07-28 gets it as it is. For an older client the questions are
/// asked one by one as requests to it, and the handler is called again with
/// the answers: a handler needs only this one form for both.
///
/// ```
/// use mortise_server::{InputRequest, InputRequired};
/// use serde_json::json;
///
/// let ask = InputRequired::new()
///     .ask("name", InputRequest::form("Your name?", json!({
///         "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"],
///     })))
///     .state(json!({ "step": 1 }));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputRequired {
    pub(crate) requests: BTreeMap<String, InputRequest>,
    pub(crate) state: Option<Value>,
}

impl InputRequired {
    /// A request without questions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a question; its answer comes back under `key`, see [`CallContext::answer`](crate::CallContext::answer).
    #[must_use]
    pub fn ask(mut self, key: impl Into<String>, request: InputRequest) -> Self {
        self.requests.insert(key.into(), request);
        self
    }

    /// What the handler wants back with the answers, see [`CallContext::state`](crate::CallContext::state).
    /// It travels through the client, readable but sealed against change, bound
    /// to this request and its arguments. No secrets.
    #[must_use]
    pub fn state(mut self, state: Value) -> Self {
        self.state = Some(state);
        self
    }
}

/// What the user did with an elicitation.
#[derive(Clone, Debug, PartialEq)]
pub enum Elicited {
    /// Agreed; for a form, with the fields filled in.
    Accepted(Map<String, Value>),
    /// The user declined.
    Declined,
    /// Closed it without an answer.
    Cancelled,
}

impl Elicited {
    pub(crate) fn parse(answer: &Value) -> Result<Self, AskError> {
        match answer.get("action").and_then(Value::as_str) {
            Some("accept") => Ok(Self::Accepted(
                answer.get("content").and_then(Value::as_object).cloned().unwrap_or_default(),
            )),
            Some("decline") => Ok(Self::Declined),
            Some("cancel") => Ok(Self::Cancelled),
            _ => Err(AskError::BadAnswer { reason: "no `action` of accept, decline or cancel".to_owned() }),
        }
    }
}

/// Why a question to the client has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of a variant says what its fields hold")]
pub enum AskError {
    /// The client did not say that it can answer such a question.
    #[error("the client does not support `{method}`")]
    Unsupported {
        /// The method of the question.
        method: &'static str,
    },
    /// The client answered with an error.
    #[error("the client answered `{method}` with an error: {message} ({code})")]
    Failed {
        /// The method of the question.
        method: &'static str,
        /// The JSON-RPC code.
        code: i32,
        /// The client's words.
        message: String,
    },
    /// The answer is not what was asked for.
    #[error("the client's answer is not usable: {reason}")]
    BadAnswer {
        /// What is wrong with it.
        reason: String,
    },
    /// No answer came in time.
    #[error("no answer to `{method}` within {seconds} s")]
    TimedOut {
        /// The method of the question.
        method: &'static str,
        seconds: u64,
    },
    /// The client or the call went away.
    #[error("the call ended before the client answered")]
    Gone,
    /// The call has put as many questions as a call may.
    #[error("the call has asked its client {limit} questions already, the limit")]
    TooManyQuestions {
        /// Questions that a call may put.
        limit: usize,
    },
    /// The question is too large to be put.
    #[error("the question `{method}` has {bytes} bytes; at most {limit} are passed on")]
    TooLarge {
        /// The method of the question.
        method: &'static str,
        /// The size of its parameters.
        bytes: usize,
        /// The size that a question may have.
        limit: usize,
    },
    /// Too many calls wait for an answer of their client.
    #[error("too many calls wait for input: {waiting} of at most {limit}")]
    TooMany {
        /// Calls that wait.
        waiting: usize,
        /// Calls that may wait.
        limit: usize,
    },
}
