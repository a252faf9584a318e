//! Script files: a mock described by hand, in YAML or JSON.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::action::{MockAction, MockEnd};
use super::frame;
use super::plan::{MockExchange, MockPlan, MockRule};
use super::scenario::{self, ScenarioError};
use super::tool::MockTool;

const VERSION: u64 = 1;

/// A parsed script.
///
/// ```
/// let script = mortise_samples::mock::Script::parse("
/// version: 1
/// scenarios: [tools=50]
/// rules:
///   - method: tools/call
///     tool: echo
///     times: 1
///     steps:
///       - wait_ms: 20
///       - error: {code: -32603, message: not yet}
/// ");
/// assert!(script.is_ok());
/// ```
#[derive(Clone, Default)]
pub struct Script {
    /// How the mock behaves.
    pub plan: MockPlan,
    /// The seed the script asks for.
    pub seed: Option<u64>,
}

/// Why a script can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// It is not YAML or JSON, or not of the form that a script has.
    #[error("the script can't be read: {reason}")]
    Unreadable { reason: String },
    /// It is of another version.
    #[error("the script has version {found}; this mortise reads version {VERSION}")]
    Version { found: u64 },
    /// It names a scenario that is wrong.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
}

impl Script {
    /// Reads a script; unknown keys are refused.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let file: ScriptFile = serde_saphyr::from_str(text)
            .map_err(|error| ScriptError::Unreadable { reason: error.without_snippet().to_string() })?;
        if file.version != VERSION {
            return Err(ScriptError::Version { found: file.version });
        }
        let mut plan = MockPlan::default();
        if !file.tools.is_empty() {
            let tools: Vec<_> = file.tools.into_iter().map(ScriptTool::into_tool).collect();
            plan.map_tools(move |_, _| tools.clone());
        }
        if let Some(size) = file.page_size {
            plan.paging.size = size;
        }
        plan.rules.extend(file.rules.into_iter().map(ScriptRule::into_rule));
        for wanted in &file.scenarios {
            scenario::add(&mut plan, wanted)?;
        }
        Ok(Self { plan, seed: file.seed })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    version: u64,
    seed: Option<u64>,
    #[serde(default)]
    scenarios: Vec<String>,
    #[serde(default)]
    tools: Vec<ScriptTool>,
    page_size: Option<usize>,
    #[serde(default)]
    rules: Vec<ScriptRule>,
}

/// A tool and its one answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptTool {
    declaration: Value,
    result: Value,
}

impl ScriptTool {
    fn into_tool(self) -> MockTool {
        let result = self.result;
        MockTool::new(&self.declaration, move |_| result.clone())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptRule {
    method: String,
    tool: Option<String>,
    #[serde(default)]
    after: u64,
    times: Option<u64>,
    steps: Vec<ScriptStep>,
}

impl ScriptRule {
    fn into_rule(self) -> MockRule {
        let steps = self.steps;
        MockRule {
            method: self.method,
            tool: self.tool,
            after: self.after,
            times: self.times,
            respond: Arc::new(move |exchange| steps.iter().map(|step| step.action(exchange)).collect()),
        }
    }
}

/// One thing to do. `$id`, `$arguments` and `$progress_token` stand for what the request had.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum ScriptStep {
    /// The answer of a healthy server.
    Usual,
    Result(Value),
    Error(ScriptedError),
    Frame(Value),
    /// Text with no newline added.
    Raw(String),
    /// A pause, in milliseconds.
    WaitMs(u64),
    Stderr(String),
    /// No answer, ever.
    Hang,
    /// Exits with this code.
    Exit(u8),
    /// Dies by SIGABRT.
    Abort,
    /// Dies by SIGKILL.
    Kill,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedError {
    code: i32,
    message: String,
    data: Option<Value>,
}

impl ScriptStep {
    fn action(&self, exchange: &MockExchange<'_>) -> MockAction {
        match self {
            Self::Usual => exchange.usual(),
            Self::Result(result) => exchange.result(filled(result, exchange.request)),
            Self::Error(error) => MockAction::frame(frame::error(
                exchange.request,
                error.code,
                &error.message,
                error.data.clone(),
            )),
            Self::Frame(frame) => MockAction::frame(filled(frame, exchange.request).to_string()),
            Self::Raw(text) => MockAction::raw(text.clone()),
            Self::WaitMs(ms) => MockAction::Wait(Duration::from_millis(*ms)),
            Self::Stderr(line) => MockAction::Stderr { line: line.clone(), times: 1 },
            Self::Hang => MockAction::Hang,
            Self::Exit(code) => MockAction::End(MockEnd::Exit(*code)),
            Self::Abort => MockAction::End(MockEnd::Abort),
            Self::Kill => MockAction::End(MockEnd::Kill),
        }
    }
}

/// The value with each placeholder replaced. A script is as deep as its author wrote it.
fn filled(value: &Value, request: &Value) -> Value {
    match value {
        Value::String(text) => match text.as_str() {
            "$id" => request["id"].clone(),
            "$arguments" => request["params"]["arguments"].clone(),
            "$progress_token" => request["params"]["_meta"]["progressToken"].clone(),
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(|item| filled(item, request)).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, member)| (key.clone(), filled(member, request))).collect()
        }
        _ => value.clone(),
    }
}
