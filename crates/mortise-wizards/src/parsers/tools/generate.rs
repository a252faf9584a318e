//! `generate_parser`: a Python parser from a file or a schema, run on the file before it is returned.

mod options;
mod subject;

use mortise_formats::format::{CaseStatus, Complexity, ErrorBody, ErrorCode, FormatKind, ValidationResults};
use mortise_formats::python::MAX_SOURCE_BYTES;
use mortise_server::CallContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use self::options::Options;
use self::subject::ParserSubject;
use super::code::{Shared, feedback, validated};
use super::input::{COLUMNS_FACT, EXTRA_IMPORTS, GivenSchema, columns_to_keep};
use crate::answer::{Common, NextAction, Phase, WizardResult, Workflow};
use crate::data::data_type::DataType;
use crate::parsers::generate;
use crate::parsers::plan::ParserPlan;
use crate::parsers::value::is_dated;
use crate::store::{DraftKind, NewDraft};
use crate::tool::{Wizard, blocking, without_inner_descriptions};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GenerateParserInput {
    /// The file to read; the parser is run on it. Give this, `schema` or `target_schema`
    #[serde(default)]
    file_path: Option<String>,
    /// The columns to read; without it they are inferred from the file
    #[serde(default)]
    schema: Option<GivenSchema>,
    /// The name or id of an approved contract whose columns to read
    #[serde(default)]
    target_schema: Option<String>,
    /// What the data is, in a few words; it is kept with the draft
    #[serde(default)]
    hint: Option<String>,
    /// Commit the draft at once if the parser is valid and no question is open
    #[serde(default)]
    auto_approve: bool,
    /// How files are read and rows are written
    #[serde(default)]
    options: Options,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "a doc comment would become a description in the tool's schema")]
pub struct GenerateParserOutput {
    /// Names the draft for run_backtest and commit_draft
    pub draft_id: String,
    /// The parser's source
    pub code: String,
    /// Always python
    pub code_language: String,
    /// What it reads, in a sentence
    pub code_description: String,
    /// What checking and running the parser found
    #[schemars(transform = without_inner_descriptions)]
    pub validation_results: ValidationResults,
    /// How much there is to review
    pub estimated_complexity: Complexity,
    /// The parser's name
    pub parser_name: String,
    /// The value of TOPIC
    pub topic: String,
    /// Lines that are neither empty nor comments
    pub lines_of_code: usize,
    /// Columns that need a second look, and why
    pub special_columns: Vec<SpecialColumn>,
    /// What to test besides
    pub suggested_tests: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "a doc comment would become a description in the tool's schema")]
pub struct SpecialColumn {
    /// Its name in the output
    pub name: String,
    /// Why it is special
    pub reason: String,
}

const LONGEST_HINT: usize = 500;

/// How often a converter is made more tolerant, or the whole file looked at, before the parser is shown as it is.
const ATTEMPTS: usize = 6;

pub(super) fn wizard() -> Wizard {
    Wizard::new("generate_parser", FormatKind::Code)
        .description(
            "Writes a Python parser for a CSV, TSV, JSON or NDJSON file (or for a schema), runs it on the real file \
             in a sandbox and compares every cell with an independent reading. The code needs only Python's standard \
             library. Use it after discover_schemas; test the draft on all files with run_backtest.",
        )
        .handler(|wizards, input: GenerateParserInput, context| async move { generate_parser(wizards, input, context).await })
}

async fn generate_parser(
    wizards: Shared,
    input: GenerateParserInput,
    context: CallContext,
) -> Result<WizardResult<GenerateParserOutput>, ErrorBody> {
    check(&input)?;
    let cancel = context.cancellation().clone();
    let mut subject = ParserSubject::find(&wizards, &input, &cancel).await?;
    let (plan, code, results) = written(&wizards, &mut subject, &input.options, &context, &cancel).await?;
    let mut common = subject.common();
    let mut facts =
        json!({"topic": plan.topic(), "valid": results.is_valid, COLUMNS_FACT: columns_to_keep(&plan)});
    if let (Some(facts), false) = (facts.as_object_mut(), plan.imports.is_empty()) {
        facts.insert(EXTRA_IMPORTS.to_owned(), plan.imports.clone().into());
    }
    let draft = NewDraft {
        kind: DraftKind::Parser,
        name: plan.parser_name(),
        files: vec![("parser.py".to_owned(), code.clone())],
        sample_paths: input.file_path.iter().cloned().collect(),
        user_hints: input.hint.clone(),
        facts,
    };
    let commit = input.auto_approve && results.is_valid && !common.is_blocked();
    let drafts = std::sync::Arc::clone(&wizards.drafts);
    let issued = blocking(move |_| {
        let issued = drafts.put(draft)?;
        if commit {
            drafts.commit(&issued.id)?;
        }
        Ok(issued)
    })
    .await?;
    for warning in issued.warnings {
        common.warn("WARN_DRAFT_DROPPED", warning);
    }
    if input.auto_approve && !commit {
        common.warn(
            "WARN_NOT_COMMITTED",
            "the draft is not committed: the parser has problems or questions are open",
        );
    }
    let mut output = output(&plan, code, results, issued.id);
    if let Some(description) = input.schema.as_ref().and_then(|schema| schema.description.as_deref()) {
        output.code_description = format!("{} ({})", output.code_description, description.trim());
    }
    common.workflow = Some(next(&output, &common, input.file_path.as_deref()));
    let text = feedback(&wizards, &output.code, &output.validation_results);
    Ok(WizardResult::new(output).common(common).feedback(text))
}

fn check(input: &GenerateParserInput) -> Result<(), ErrorBody> {
    if input.file_path.is_none() && input.schema.is_none() && input.target_schema.is_none() {
        return Err(ErrorBody::new(
            ErrorCode::ParamMissing,
            "neither `file_path` nor `schema` nor `target_schema` is given",
            "give the file to read as `file_path`",
        )
        .at_field("file_path"));
    }
    if input.hint.as_ref().is_some_and(|hint| hint.chars().count() > LONGEST_HINT) {
        let reason = format!("the hint is longer than {LONGEST_HINT} characters");
        return Err(ErrorBody::new(ErrorCode::HintTooLong, reason, "say it in fewer words").at_field("hint"));
    }
    input.options.check()
}

/// The parser, written and tried until it is as good as it gets.
///
/// Types come from the file's beginning. Where a later cell is spelled in an unusual way, its converter is made
/// more tolerant; where it is of another type, the whole file decides.
async fn written(
    wizards: &Shared,
    subject: &mut ParserSubject,
    options: &Options,
    context: &CallContext,
    cancel: &CancellationToken,
) -> Result<(ParserPlan, String, ValidationResults), ErrorBody> {
    let mut tolerant: Vec<String> = Vec::new();
    let mut attempt = 0;
    loop {
        attempt += 1;
        context.progress(
            f64::from(u32::try_from(attempt).unwrap_or(0)),
            None,
            Some("writing and running the parser"),
        );
        let mut plan = subject.plan(options);
        for column in &mut plan.columns {
            column.tolerant = tolerant.contains(&column.name);
        }
        let code = generate::parser(&plan);
        if code.len() > MAX_SOURCE_BYTES {
            return Err(too_large(code.len(), plan.columns.len()));
        }
        let trial = subject.trial(wizards, options, cancel).await?;
        let edges = subject.edges(&plan);
        let results = validated(wizards, &code, &options.extra_imports, trial, Some(edges), cancel).await?;
        if attempt >= ATTEMPTS {
            return Ok((plan, code, results));
        }
        match failed_column(&results).filter(|column| !tolerant.contains(column)) {
            Some(column)
                if plan.columns.iter().any(|own| own.name == column && can_tolerate(own.data_type)) =>
            {
                tolerant.push(column);
            }
            _ if runs(&results) || !subject.look_at_all(wizards, cancel).await? => {
                return Ok((plan, code, results));
            }
            _ => {}
        }
    }
}

fn too_large(bytes: usize, columns: usize) -> ErrorBody {
    ErrorBody::new(
        ErrorCode::OutputTooLarge,
        format!("a parser for {columns} columns has {bytes} bytes; at most {MAX_SOURCE_BYTES} are checked"),
        "give `schema` with the columns you need",
    )
    .at_field("schema")
}

fn can_tolerate(data_type: DataType) -> bool {
    is_dated(data_type) || matches!(data_type, DataType::Float64 | DataType::Float32 | DataType::Time)
}

/// Whether the parser came to the file's end, and read every cell as the types say.
fn runs(results: &ValidationResults) -> bool {
    let failed = |name: &str| {
        results.test_cases.items.iter().any(|case| case.name == name && case.status == CaseStatus::Failed)
    };
    !["runs_on_file", "types", "cells"].into_iter().any(failed)
}

/// The column of the cell on which the parser failed: `row 3, column 'price': …`, as generated parsers say it.
fn failed_column(results: &ValidationResults) -> Option<String> {
    let fault = results.runtime_errors.first().filter(|fault| fault.class == "CellError")?;
    let (_, rest) = fault.message.split_once(", column ")?;
    let quote = rest.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    let (name, _) = rest[1..].split_once(&format!("{quote}: "))?;
    Some(name.to_owned())
}

fn output(
    plan: &ParserPlan,
    code: String,
    results: ValidationResults,
    draft_id: String,
) -> GenerateParserOutput {
    let counted = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    GenerateParserOutput {
        draft_id,
        lines_of_code: code.lines().filter(counted).count(),
        code,
        code_language: "python".to_owned(),
        code_description: generate::description(plan),
        validation_results: results,
        estimated_complexity: plan.complexity(),
        parser_name: plan.parser_name(),
        topic: plan.topic(),
        special_columns: plan.columns.iter().filter_map(special).collect(),
        suggested_tests: suggested_tests(plan),
    }
}

fn special(column: &crate::parsers::plan::PlanColumn) -> Option<SpecialColumn> {
    let reason = match (column.data_type, &column.format) {
        (DataType::Boolean, _) => "words for true and false".to_owned(),
        (data_type, Some(format)) if is_dated(data_type) => format!("{data_type} written as {format}"),
        (data_type, None) if is_dated(data_type) => format!("{data_type} in ISO form"),
        _ if column.tolerant => "thousands are grouped by commas".to_owned(),
        _ => return None,
    };
    Some(SpecialColumn { name: column.name.clone(), reason })
}

fn suggested_tests(plan: &ParserPlan) -> Vec<String> {
    let mut tests = vec!["a file of every month or source, with run_backtest".to_owned()];
    if let Some(column) = plan.columns.iter().find(|column| !column.nullable) {
        tests.push(format!("a row without a value for `{}`, which is required", column.name));
    }
    if let Some(column) = plan.columns.iter().find(|column| is_dated(column.data_type)) {
        tests.push(format!("a day written in another form in `{}`", column.name));
    }
    tests
}

fn next(output: &GenerateParserOutput, common: &Common, file: Option<&str>) -> Workflow {
    let workflow = Workflow::new(Phase::ParserGeneration).needing_approval().pending(&common.questions);
    let files: Vec<&str> = file.into_iter().collect();
    match output.validation_results.is_valid {
        true => workflow
            .then(
                NextAction::new("run_backtest", "run the parser on all files of this kind")
                    .with("draft_id", output.draft_id.as_str())
                    .with("files", files),
            )
            .then(
                NextAction::new("commit_draft", "keep the parser under its name and a version")
                    .after_approval()
                    .with("draft_id", output.draft_id.as_str()),
            ),
        false => {
            workflow.then(NextAction::new("refine_parser", "mend the parser by the errors that it raised"))
        }
    }
}

#[cfg(test)]
mod tests;
