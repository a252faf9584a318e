//! The trait through which a program's tool calls are answered.

use std::fmt;
use std::future::Future;
use std::time::Instant;

use mortise_contract::RawJson;
use mortise_contract::verdict::Violation;
use serde::{Deserialize, Serialize};

/// Answers what a program asks. Owned by this crate, implemented by its user.
///
/// Every method may be called from any thread and many times at once. A future that is dropped is a call that
/// nobody waits for any more: the program was stopped, or stopped waiting, or the call's time was up.
///
/// This crate has already checked the name against the program's tools, counted the call, and holds the limits
/// on time, size and calls in flight.
pub trait ToolHost: Send + Sync + 'static {
    /// Makes one tool call and gives what the program gets.
    fn call(&self, request: CallRequest) -> impl Future<Output = Result<CallValue, HostError>> + Send;

    /// What `inspect_tool(tool_name=…)` returns inside a program.
    fn inspect_tool(&self, tool_name: String) -> impl Future<Output = Result<RawJson, HostError>> + Send;

    /// What `list_callable_tools()` returns inside a program.
    fn list_callable_tools(&self) -> impl Future<Output = Result<RawJson, HostError>> + Send;

    /// What `server_status()` returns inside a program.
    fn server_status(&self) -> impl Future<Output = Result<RawJson, HostError>> + Send;

    /// Keeps a value for later programs of the same caller; what `keep(value, name)` returns inside a program.
    ///
    /// Keeping the same value under the same name again must change nothing: a run that goes on may ask twice.
    fn keep_value(
        &self,
        _name: String,
        _value: RawJson,
    ) -> impl Future<Output = Result<RawJson, HostError>> + Send {
        async { Err(HostError::keeps_nothing()) }
    }

    /// What `load(name)` returns inside a program.
    fn load_value(&self, _name: String) -> impl Future<Output = Result<RawJson, HostError>> + Send {
        async { Err(HostError::keeps_nothing()) }
    }

    /// Why a name that is none of the program's tools can't be called. The host may know more than that it is none.
    fn unavailable(&self, name: &str) -> HostError {
        HostError::unavailable(name)
    }
}

/// One tool call of a program.
#[derive(Clone)]
pub struct CallRequest {
    /// Number of this call in its program, from 1.
    pub id: u64,
    /// The name under which the program called it.
    pub name: String,
    /// The arguments, a JSON object.
    pub arguments: RawJson,
    /// What the program wants of the result.
    pub wanted: Wanted,
    /// The program stops waiting for the answer at this time.
    pub deadline: Instant,
}

/// What a program wants of a call's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// The value alone.
    #[default]
    Value,
    /// The value and all content blocks: `value, content = await with_content(mcp__s__t())`.
    ValueAndContent,
}

/// What a call gives to its program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallValue {
    /// The JSON, of this form.
    pub json: RawJson,
    /// How the program reads it.
    pub form: ValueForm,
}

/// How a program reads the JSON of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueForm {
    /// It is the value. There is no content beside it.
    Value,
    /// It is a list of content blocks, which are the value and the content. Printing one leaves its data out.
    Content,
    /// It is `[value, content]`.
    ValueAndContent,
}

impl From<RawJson> for CallValue {
    fn from(json: RawJson) -> Self {
        Self { json, form: ValueForm::Value }
    }
}

impl fmt::Debug for CallRequest {
    /// Leaves the arguments out: they may hold what belongs in no log.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CallRequest")
            .field("id", &self.id)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Why a tool call failed. The program gets it as a `ToolError` with the same parts.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
#[serde(deny_unknown_fields)]
pub struct HostError {
    /// The class of failure, `ToolError.kind`.
    pub kind: HostErrorKind,
    /// The whole sentence, `str(error)`.
    pub message: String,
    /// What the tool itself said, `ToolError.message`; without it that is the sentence.
    pub said: Option<String>,
    /// The structured content that the tool sent with its error, `ToolError.structured`.
    pub structured: Option<RawJson>,
    /// The content blocks of the error, a JSON array, `ToolError.content`.
    pub content: Option<Box<RawJson>>,
    /// Where a result breaks its schema, `ToolError.violations`.
    pub violations: Vec<Violation>,
}

/// The class of a failed tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, Serialize, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum HostErrorKind {
    /// The tool itself answered with an error.
    Tool,
    /// The arguments break the tool's input schema.
    Arguments,
    /// The result breaks the tool's output schema, where that is enforced.
    Output,
    /// The server answered with a protocol error.
    Protocol,
    /// The server can't be reached.
    Unreachable,
    /// The tool is blocked or unknown.
    Unavailable,
    /// The call needed the agreement of a person or of the policy, and did not get it.
    Denied,
    /// The call took too long.
    Timeout,
    /// The program has used up its calls.
    Budget,
    /// The result is too large or nests too deeply.
    Size,
    /// Anything else.
    Internal,
}

impl HostErrorKind {
    /// The kind as programs read it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl HostError {
    /// The failure of a call to a tool that is blocked or unknown.
    pub fn unavailable(name: &str) -> Self {
        Self::new(HostErrorKind::Unavailable, format!("'{name}' is not available in execute_program"))
    }

    fn keeps_nothing() -> Self {
        Self::new(HostErrorKind::Unavailable, "values are not kept between programs here")
    }

    /// What it weighs while it waits for its program.
    pub(crate) fn bytes(&self) -> usize {
        let payloads = [self.structured.as_ref(), self.content.as_deref()].into_iter().flatten();
        let payload: usize = payloads.map(|payload| payload.text().len()).sum();
        let violations = self.violations.iter().map(|violation| {
            violation.message.len() + violation.instance_path.len() + violation.schema_path.len()
        });
        let said = self.said.as_ref().map_or(0, String::len);
        self.message.len() + said + payload + violations.sum::<usize>()
    }

    /// A failure with nothing but a sentence.
    pub fn new(kind: HostErrorKind, message: impl Into<String>) -> Self {
        let (said, structured, content) = (None, None, None);
        Self { kind, message: message.into(), said, structured, content, violations: Vec::new() }
    }
}
