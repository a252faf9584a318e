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
use crate::answer::ResultWarning;

/// How long code may take for one path.
const SAMPLE_WALL: Duration = Duration::from_secs(5);
/// Bytes of memory that it may use.
const SAMPLE_MEMORY: u64 = 100 << 20;

/// What `extract` returned for each sample, and what is odd about that.
#[derive(Clone, Debug)]
pub(crate) struct SampledCode {
    pub(crate) results: Vec<Map<String, Value>>,
    pub(crate) warnings: Vec<ResultWarning>,
}

/// Checks code and runs `extract` on every sample; the first stage that fails ends it.
pub(crate) async fn check_code(
    engine: &Engine,
    source: &str,
    samples: &[&str],
    cancel: &CancellationToken,
) -> Result<SampledCode, ErrorBody> {
    let module = Module::parse(source)?;
    if let Some(error) = ErrorBody::of_many(module.forbidden_in_extractor()) {
        return Err(error);
    }
    module.check_extract()?;
    let mut results = Vec::with_capacity(samples.len());
    for sample in samples {
        let fields = run(engine, module.text(), sample, cancel).await.map_err(|mut error| {
            // What has no line of its own is about the function as a whole.
            let whole =
                || module.functions().into_iter().find(|own| own.name == "extract").map(|own| own.line);
            error.line = error.line.or_else(whole);
            error
        })?;
        results.push(fields);
    }
    let warnings = quality(&results);
    Ok(SampledCode { results, warnings })
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

fn quality(results: &[Map<String, Value>]) -> Vec<ResultWarning> {
    let mut warnings = Vec::new();
    if !results.is_empty() && results.iter().all(Map::is_empty) {
        warnings.push(ResultWarning::new("WARN_PYTHON_EMPTY", "`extract` returned no field for any sample"));
    }
    let is_identifier = |name: &str| {
        name.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let odd = results.iter().flat_map(Map::keys).find(|name| !is_identifier(name));
    if let Some(name) = odd {
        let message = format!("`extract` returns the key `{name}`, which is no identifier");
        warnings.push(ResultWarning::new("WARN_PYTHON_KEY", message));
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
