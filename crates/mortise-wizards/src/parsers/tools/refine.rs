//! `refine_parser`: mends a parser by the errors that it raised, or says that a person must.

use mortise_formats::format::{ErrorBody, ErrorCode, FormatKind, ValidationResults};
use mortise_formats::python::Module;
use mortise_server::CallContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::code::{Shared, feedback, validated};
use crate::answer::{Common, NextAction, Phase, WizardResult, Workflow};
use crate::parsers::refine::{Constraints, Mended, ToldError, mend};
use crate::parsers::run::ParserContent;
use crate::parsers::validate::Trial;
use crate::tool::{Wizard, blocking, without_inner_descriptions};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RefineInput {
    /// The parser as it is
    current_code: String,
    /// What it raised, as run_backtest tells it
    #[schemars(length(min = 1, max = 1_000))]
    errors: Vec<ErrorInput>,
    /// What is known about columns
    #[serde(default)]
    constraints: ConstraintsInput,
    /// Which attempt this is
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 100))]
    attempt: u32,
    /// After how many a person must look
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 100))]
    max_attempts: u32,
    /// The error types of the attempt before
    #[serde(default)]
    previous_error_types: Vec<String>,
}

fn one() -> u32 {
    1
}

fn three() -> u32 {
    3
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ErrorInput {
    /// The file on which it was raised
    file_path: String,
    /// null_value, type_mismatch, parse_error, value_error, ambiguous_type, schema_mismatch, or a category of run_backtest
    error_type: String,
    /// What was said
    message: String,
    /// The parser's line
    #[serde(default)]
    line_number: Option<u32>,
    /// The value
    #[serde(default)]
    value: Option<String>,
    /// The column
    #[serde(default)]
    column: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct ConstraintsInput {
    /// All columns
    columns: Vec<String>,
    /// Columns that may be empty
    nullable_columns: Vec<String>,
    /// Columns that must have a value
    required_columns: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RefineOutput {
    /// The parser's source, mended where that was possible
    code: String,
    /// Always python
    code_language: &'static str,
    /// What was done, in a sentence
    code_description: String,
    /// What was changed
    changes_made: Vec<String>,
    /// Which attempt this was
    attempt: u32,
    /// retry with the new code, or escalate to a person
    status: RefineStatus,
    /// What to do now
    message: String,
    /// Why a person must look
    #[serde(skip_serializing_if = "Option::is_none")]
    escalation_reason: Option<String>,
    /// What a person can do
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggested_manual_fixes: Vec<String>,
    /// What checking and running the parser found
    #[schemars(transform = without_inner_descriptions)]
    validation_results: ValidationResults,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum RefineStatus {
    /// Run the new code.
    Retry,
    /// A person must look.
    Escalate,
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("refine_parser", FormatKind::Code)
        .description(
            "Mends a generated parser by the errors that it raised: fills or allows missing values, reads days in \
             further formats, cleans numbers. Give the errors of run_backtest with column and value. Answers with \
             the new code and `retry`, or with `escalate` when a person must decide.",
        )
        .read_only()
        .handler(|wizards, input: RefineInput, context| async move { refine_parser(wizards, input, context).await })
}

async fn refine_parser(
    wizards: Shared,
    input: RefineInput,
    context: CallContext,
) -> Result<WizardResult<RefineOutput>, ErrorBody> {
    let module = Module::parse(&input.current_code).map_err(|error| error.at_field("current_code"))?;
    let code = module.text().to_owned();
    let errors: Vec<ToldError> = input.errors.iter().map(told).collect();
    let constraints = Constraints {
        nullable: input.constraints.nullable_columns.clone(),
        required: input.constraints.required_columns.clone(),
    };
    check_constraints(&input.constraints)?;
    let (mended, reason) = match escalation(&input) {
        Some(reason) => (None, Some(reason)),
        None => match mend(&module, &errors, &constraints) {
            Some(mended) => (Some(mended), None),
            None => (None, Some("no fix is known for these errors".to_owned())),
        },
    };
    drop(module);
    let (code, changes) = mended.map_or((code, Vec::new()), |Mended { code, changes }| (code, changes));
    let trial = trial(&wizards, &input.errors).await;
    let results = validated(&wizards, &code, &[], trial, None, context.cancellation()).await?;
    let status = if reason.is_none() { RefineStatus::Retry } else { RefineStatus::Escalate };
    let output = RefineOutput {
        code_language: "python",
        code_description: match changes.len() {
            0 => "The parser as it was.".to_owned(),
            1 => "The parser with one converter changed.".to_owned(),
            count => format!("The parser with {count} converters changed."),
        },
        changes_made: changes,
        attempt: input.attempt,
        status,
        message: match &reason {
            None => format!(
                "run the new code with run_backtest (attempt {} of {})",
                input.attempt, input.max_attempts
            ),
            Some(reason) => format!("a person must look at the parser: {reason}"),
        },
        suggested_manual_fixes: if reason.is_some() { manual_fixes(&input.errors) } else { Vec::new() },
        escalation_reason: reason,
        validation_results: results,
        code,
    };
    let text = feedback(&wizards, &output.code, &output.validation_results);
    let workflow = Workflow::new(Phase::ParserRefinement);
    let workflow = match status {
        RefineStatus::Retry => workflow.then(
            NextAction::new("run_backtest", "run the mended parser on the files")
                .with("parser_code", output.code.as_str()),
        ),
        RefineStatus::Escalate => workflow.needing_approval(),
    };
    let common = Common { workflow: Some(workflow), ..Common::default() };
    Ok(WizardResult::new(output).common(common).feedback(text))
}

fn told(error: &ErrorInput) -> ToldError {
    ToldError {
        error_type: error.error_type.clone(),
        message: error.message.clone(),
        value: error.value.clone(),
        column: error.column.clone(),
    }
}

fn check_constraints(constraints: &ConstraintsInput) -> Result<(), ErrorBody> {
    let both = constraints.nullable_columns.iter().find(|name| constraints.required_columns.contains(name));
    let stray = constraints
        .nullable_columns
        .iter()
        .chain(&constraints.required_columns)
        .find(|name| !constraints.columns.is_empty() && !constraints.columns.contains(name));
    let (name, reason) = match (both, stray) {
        (Some(name), _) => (name, "is said to be both nullable and required"),
        (None, Some(name)) => (name, "is not among `columns`"),
        (None, None) => return Ok(()),
    };
    Err(ErrorBody::new(ErrorCode::ParamRange, format!("`{name}` {reason}"), "name each column once")
        .at_field("constraints"))
}

/// Why no fix is even tried.
fn escalation(input: &RefineInput) -> Option<String> {
    if input.attempt >= input.max_attempts {
        return Some(format!("attempt {} of {} failed", input.attempt, input.max_attempts));
    }
    let recurs = |kind: &String| input.errors.iter().any(|error| error.error_type.eq_ignore_ascii_case(kind));
    if !input.previous_error_types.is_empty() && input.previous_error_types.iter().all(recurs) {
        return Some(format!("no progress: {} again", input.previous_error_types.join(", ")));
    }
    let vague = |error: &&ErrorInput| {
        let word: String =
            error.error_type.to_lowercase().chars().filter(char::is_ascii_alphabetic).collect();
        matches!(word.as_str(), "ambiguoustype" | "schemamismatch" | "schemaviolation")
    };
    let count = input.errors.iter().filter(vague).count();
    (count * 2 > input.errors.len())
        .then(|| format!("{count} of {} errors are about the schema, not about the code", input.errors.len()))
}

fn manual_fixes(errors: &[ErrorInput]) -> Vec<String> {
    let mut fixes: Vec<String> = Vec::new();
    for error in errors {
        let place = match (&error.column, error.line_number) {
            (Some(column), _) => format!("the converter of `{column}`"),
            (None, Some(line)) => format!("line {line}"),
            (None, None) => format!("how `{}` is read", error.file_path),
        };
        let fix = match &error.value {
            Some(value) => format!("decide how {place} reads `{}`", crate::parsers::check::shortened(value)),
            None => format!("look at {place}: {}", crate::parsers::check::shortened(&error.message)),
        };
        if !fixes.contains(&fix) {
            fixes.push(fix);
        }
    }
    fixes.truncate(10);
    fixes
}

/// The file of the first error, if it is there.
async fn trial(wizards: &Shared, errors: &[ErrorInput]) -> Result<Trial, ErrorBody> {
    let name = errors.first().map(|error| error.file_path.clone()).unwrap_or_default();
    let (files, path) = (wizards.files()?, name.clone());
    let file = blocking(move |_| Ok(files.open(&path)?.into_file())).await?;
    Ok(Trial { content: ParserContent::File(file), name, columns: None, reconciler: None })
}
