//! Code for paths, checked stage by stage and run on samples.

use std::sync::Arc;
use std::time::Duration;

use mortise_contract::RawJson;
use mortise_formats::format::{ErrorBody, ErrorCode};
use mortise_formats::python::Module;
use mortise_script::{
    CallRequest, CallValue, Engine, FailureKind, HostError, HostErrorKind, Limits, Program, ProgramError,
    ToolHost,
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::literal::literal;
use crate::answer::Warning;

/// How long code may take for one path.
pub const SAMPLE_WALL: Duration = Duration::from_secs(5);
/// Bytes of memory that it may use.
const SAMPLE_MEMORY: u64 = 100 << 20;

/// The stages of the check, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// It parses.
    Syntax,
    /// It uses only what is allowed.
    Security,
    /// It has an `extract` that takes a path and returns something.
    Signature,
    /// It ran on every sample and returned a dictionary.
    Sandbox,
    /// Its results were looked at.
    Quality,
}

/// What came of a check.
#[derive(Clone, Debug)]
pub struct CodeReport {
    /// The last stage that was begun.
    pub stage_reached: Stage,
    /// Why it failed there.
    pub error: Option<ErrorBody>,
    /// What it returned for each sample, as far as it came.
    pub results: Vec<Map<String, Value>>,
    /// What is odd about that.
    pub warnings: Vec<Warning>,
}

impl CodeReport {
    fn failed(stage_reached: Stage, error: ErrorBody) -> Self {
        Self { stage_reached, error: Some(error), results: Vec::new(), warnings: Vec::new() }
    }
}

/// Checks code and runs `extract` on every sample; the first stage that fails ends it.
pub async fn check_code(
    engine: &Engine,
    source: &str,
    samples: &[&str],
    cancel: &CancellationToken,
) -> CodeReport {
    let module = match Module::parse(source) {
        Ok(module) => module,
        Err(error) => return CodeReport::failed(Stage::Syntax, error),
    };
    if let Some(error) = ErrorBody::of_many(module.forbidden_in_extractor()) {
        return CodeReport::failed(Stage::Security, error);
    }
    if let Err(error) = module.check_extract() {
        return CodeReport::failed(Stage::Signature, error);
    }
    let mut results = Vec::with_capacity(samples.len());
    for sample in samples {
        match run(engine, module.text(), sample, cancel).await {
            Ok(fields) => results.push(fields),
            Err(mut error) => {
                let warnings = Vec::new();
                // What has no line of its own is about the function as a whole.
                let whole =
                    || module.functions().into_iter().find(|own| own.name == "extract").map(|own| own.line);
                error.line = error.line.or_else(whole);
                return CodeReport { stage_reached: Stage::Sandbox, error: Some(error), results, warnings };
            }
        }
    }
    let warnings = quality(&results);
    CodeReport { stage_reached: Stage::Quality, error: None, results, warnings }
}

async fn run(
    engine: &Engine,
    source: &str,
    sample: &str,
    cancel: &CancellationToken,
) -> Result<Map<String, Value>, ErrorBody> {
    let driver = format!(
        "_mortise_value = extract({})\nemit([type(_mortise_value).__name__, _mortise_value if isinstance(_mortise_value, dict) else None])\n",
        literal(sample)
    );
    let mut program = Program::new(format!("{source}\n\n{driver}"));
    program.limits = Limits { wall: SAMPLE_WALL, memory: SAMPLE_MEMORY, ..Limits::default() };
    let report = engine.run_program(program, Arc::new(NoTools), (), cancel).await.map_err(|error| {
        ErrorBody::new(ErrorCode::SandboxUnavailable, error.to_string(), "try again later")
            .with_retryable(true)
    })?;
    let lines = u32::try_from(source.lines().count()).unwrap_or(u32::MAX);
    if let Some(error) = report.error {
        return Err(failure(&error, lines));
    }
    let emitted = report.emitted.and_then(|emitted| emitted.value().ok()).unwrap_or_default();
    match (&emitted[0], &emitted[1]) {
        (_, Value::Object(fields)) => Ok(fields.clone()),
        (kind, _) => Err(ErrorBody::new(
            ErrorCode::SandboxFailed,
            format!("`extract` returned {}; expected a dict", kind.as_str().unwrap_or("nothing")),
            "return a dict of field names and values",
        )),
    }
}

fn failure(error: &ProgramError, lines: u32) -> ErrorBody {
    let body = match error.kind {
        FailureKind::Time => ErrorBody::new(
            ErrorCode::SandboxTimeout,
            format!("`extract` took longer than {} s for one path", SAMPLE_WALL.as_secs()),
            "remove the endless loop",
        ),
        FailureKind::Cancelled => {
            ErrorBody::new(ErrorCode::Canceled, "the call was canceled", "call it again")
        }
        FailureKind::Memory => ErrorBody::new(
            ErrorCode::SandboxFailed,
            "`extract` used more than 100 MiB for one path",
            "build smaller values",
        ),
        _ => ErrorBody::new(
            ErrorCode::SandboxFailed,
            format!("`extract` raised {}: {}", error.exception, error.message),
            "handle paths of every form, or return fewer fields",
        ),
    };
    match error.line {
        Some(line) if line <= lines => body.at_line(line),
        _ => body,
    }
}

fn quality(results: &[Map<String, Value>]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if !results.is_empty() && results.iter().all(Map::is_empty) {
        warnings.push(Warning::new("WARN_PYTHON_EMPTY", "`extract` returned no field for any sample"));
    }
    let is_identifier = |name: &str| {
        name.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let odd = results.iter().flat_map(Map::keys).find(|name| !is_identifier(name));
    if let Some(name) = odd {
        let message = format!("`extract` returns the key `{name}`, which is no identifier");
        warnings.push(Warning::new("WARN_PYTHON_KEY", message));
    }
    warnings
}

/// Code for paths calls nothing.
struct NoTools;

impl NoTools {
    fn none<T>() -> Result<T, HostError> {
        Err(HostError::new(HostErrorKind::Unavailable, "code for paths has no tools"))
    }
}

impl ToolHost for NoTools {
    async fn call(&self, _request: CallRequest) -> Result<CallValue, HostError> {
        Self::none()
    }

    async fn inspect_tool(&self, _tool_name: String) -> Result<RawJson, HostError> {
        Self::none()
    }

    async fn list_callable_tools(&self) -> Result<RawJson, HostError> {
        Self::none()
    }

    async fn server_status(&self) -> Result<RawJson, HostError> {
        Self::none()
    }
}
