//! Everything that can come out of a request: an answer, a question back, or a refusal.

use mortise_contract::ToolResult;
use mortise_contract::text::error_chain;
use serde_json::{Value, json};

use crate::{Answer, InputRequired};

/// What a tool set makes of a call.
#[derive(Clone, Debug)]
pub enum Reply {
    /// The tool ran; the answer is checked against the tool's output schema and sent.
    Answer(Answer),
    /// The tool needs something from the client first.
    InputRequired(InputRequired),
    /// A result another server gave, passed on verbatim. Only what the client's
    /// protocol version can't carry is changed, and the contract is not checked again.
    Forward(Box<ToolResult>),
    /// The request can't be served at all; a JSON-RPC error that models do not see.
    Refused(ProtocolError),
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

impl From<InputRequired> for Reply {
    fn from(input: InputRequired) -> Self {
        Self::InputRequired(input)
    }
}

impl From<ProtocolError> for Reply {
    fn from(error: ProtocolError) -> Self {
        Self::Refused(error)
    }
}

/// A JSON-RPC error.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct ProtocolError {
    /// The JSON-RPC code.
    pub code: i32,
    /// One sentence for the person who debugs the client.
    pub message: String,
    /// Facts for the client's program.
    pub data: Option<Value>,
}

/// How the message of an error begins that says that the server is too busy.
pub(crate) const OVERLOADED: &str = "overloaded: ";

impl ProtocolError {
    /// The message is not JSON.
    pub const PARSE_ERROR: i32 = -32700;
    /// The message is not a JSON-RPC request.
    pub const INVALID_REQUEST: i32 = -32600;
    /// There is no such method here.
    pub const METHOD_NOT_FOUND: i32 = -32601;
    /// Unknown tool, prompt or resource; malformed parameters; a bad cursor.
    pub const INVALID_PARAMS: i32 = -32602;
    /// The server can't serve this now.
    pub const INTERNAL_ERROR: i32 = -32603;
    /// The client lacks a capability that the request needs.
    pub const MISSING_CAPABILITY: i32 = -32021;

    /// An error with this code.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The parameters name something that is not there, or are malformed.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(Self::INVALID_PARAMS, message)
    }

    /// There is no such method.
    pub fn method_not_found(method: &str) -> Self {
        Self::new(Self::METHOD_NOT_FOUND, format!("no method `{method}`"))
    }

    /// There is no resource at this address.
    pub fn resource_not_found(uri: &str) -> Self {
        Self::invalid_params(format!("no resource at `{uri}`")).with_data(json!({ "uri": uri }))
    }

    /// The server is too busy; `reason` is put into the error's data. Over HTTP the status is 503.
    pub fn overloaded(reason: &str) -> Self {
        Self::new(Self::INTERNAL_ERROR, format!("{OVERLOADED}{reason}"))
            .with_data(json!({ "reason": reason }))
    }

    /// The server stops before the request is done. What it did until then is not undone.
    pub(crate) fn stopping() -> Self {
        Self::new(Self::INTERNAL_ERROR, "the server is stopping; the request was ended before it was done")
            .with_data(json!({ "reason": "stopping" }))
    }

    /// The client did not declare a capability that this request needs.
    pub fn missing_capability(required: Value) -> Self {
        Self::new(Self::MISSING_CAPABILITY, "the client lacks a required capability")
            .with_data(json!({ "requiredCapabilities": required }))
    }

    /// The error object of a response.
    pub(crate) fn to_json(&self) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        error
    }

    /// Adds facts for the client's program.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }
}

/// Why a handler gives up; the caller reads it as a tool error.
///
/// Any `std::error::Error` converts, so `?` works in handlers. To keep that
/// conversion this type is itself no `std::error::Error`.
#[derive(Clone, Debug)]
pub struct ToolError(Box<Reply>);

impl ToolError {
    /// A failure in words that the caller can act on.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Box::new(Reply::Answer(Answer::error(text))))
    }
}

impl<E: std::error::Error + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::new(error_chain(&error))
    }
}

impl From<Answer> for ToolError {
    fn from(answer: Answer) -> Self {
        Self(Box::new(Reply::Answer(Answer { is_error: true, ..answer })))
    }
}

impl From<ToolError> for Reply {
    fn from(error: ToolError) -> Self {
        *error.0
    }
}
