//! What answers with code share: the validation of a parser with the interpreter of these wizards.

use std::sync::Arc;
use std::time::Duration;

use mortise_formats::feedback::{CodeFeedback, Marks};
use mortise_formats::format::{ErrorBody, ErrorCode, ValidationResults};
use mortise_formats::python::Module;
use tokio_util::sync::CancellationToken;

use crate::parsers::run::NotRun;
use crate::parsers::validate::{Edges, ParserValidation, Trial, validate};
use crate::wizards::Wizards;

/// How long one run of a validation may take.
pub(super) const VALIDATION_WALL: Duration = Duration::from_secs(240);

/// Checks and runs a parser with the interpreter of these wizards.
pub(super) async fn validated(
    wizards: &Wizards,
    code: &str,
    extra_imports: &[String],
    file: Result<Trial, ErrorBody>,
    edges: Option<Edges>,
    cancel: &CancellationToken,
) -> Result<ValidationResults, ErrorBody> {
    let engine = wizards.engine().await;
    let validation =
        ParserValidation { engine, code, extra_imports, file, edges, wall: Some(VALIDATION_WALL) };
    let results = validate(validation, cancel).await.map_err(not_run)?;
    match cancel.is_cancelled() {
        true => Err(ErrorBody::new(ErrorCode::Canceled, "the call was canceled", "call again")),
        false => Ok(results),
    }
}

pub(super) fn not_run(error: NotRun) -> ErrorBody {
    let busy = matches!(error, NotRun::Busy(_));
    ErrorBody::new(ErrorCode::SandboxFailed, error.to_string(), "call again").with_retryable(busy)
}

/// The text for people about a parser.
pub(super) fn feedback(wizards: &Wizards, code: &str, results: &ValidationResults) -> String {
    let marks = if wizards.options.ascii { Marks::Ascii } else { Marks::Unicode };
    match Module::parse(code) {
        Ok(module) => CodeFeedback::python(module.min_version(), results).render(marks),
        Err(error) => error.to_string(),
    }
}

/// Runs of one call share their wizards.
pub(super) type Shared = Arc<Wizards>;
