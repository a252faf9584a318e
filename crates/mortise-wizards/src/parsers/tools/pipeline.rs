//! `execute_pipeline`: the rows of all files as tables.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use futures::StreamExt as _;
use mortise_contract::text::counted;
use mortise_formats::format::{ErrorBody, ErrorCode, FormatKind};
use mortise_server::CallContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::code::Shared;
use super::input;
use crate::answer::{Common, NextAction, Phase, WizardResult, Workflow};
use crate::data::files::{DataFiles, Existing, FileError, settled};
use crate::parsers::check::shortened;
use crate::parsers::pipeline::{FileOutcome, OutputBudget, Pipeline, PipelineMode, TableTarget, TargetError};
use crate::parsers::plan::SinkKind;
use crate::parsers::planning::WantedColumn;
use crate::parsers::subject::named_files;
use crate::store::assigned::{Reservations, TableRecord};
use crate::tool::room::fitting;
use crate::tool::{Wizard, blocking};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PipelineInput {
    /// The files to read
    #[serde(default)]
    files: Vec<String>,
    /// A scope whose files to read, instead of `files`
    #[serde(default)]
    scope_id: Option<String>,
    /// The parser's source
    #[serde(default)]
    parser_code: Option<String>,
    /// A draft of generate_parser, instead of `parser_code`
    #[serde(default)]
    draft_id: Option<String>,
    /// An approved contract that rows must meet; without a parser the built-in reader reads by it
    #[serde(default)]
    contract_id: Option<String>,
    /// How to run
    #[serde(default)]
    config: PipelineConfigInput,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct PipelineConfigInput {
    /// full; incremental: only files whose table is missing or older; dry_run: nothing is written
    mode: PipelineMode,
    /// parquet, csv or sqlite; else the parser's SINK
    output_format: Option<OutputFormat>,
    /// A folder below the output folder
    output_dir: Option<String>,
    /// Stop at the first file that fails
    fail_fast: bool,
    /// Files at once
    #[schemars(range(min = 1, max = 16))]
    max_workers: usize,
    /// Whether rows must meet the contract
    validate_schema: bool,
    /// Replace tables that are there
    overwrite: bool,
}

impl Default for PipelineConfigInput {
    fn default() -> Self {
        Self {
            mode: PipelineMode::Full,
            output_format: None,
            output_dir: None,
            fail_fast: false,
            max_workers: 4,
            validate_schema: true,
            overwrite: false,
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum OutputFormat {
    /// A Parquet file per file.
    Parquet,
    /// A CSV file per file.
    Csv,
    /// An SQLite database per file.
    Sqlite,
    /// Not written here.
    Duckdb,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "a doc comment would become a description in the tool's schema")]
pub struct PipelineOutput {
    /// Names this run
    pub execution_id: String,
    /// Whether no file failed
    pub success: bool,
    /// full, incremental or dry_run
    pub mode: PipelineMode,
    /// parquet, csv or sqlite
    pub output_format: SinkKind,
    /// Files that were looked at
    pub files_processed: usize,
    /// Files whose rows were written
    pub files_succeeded: usize,
    /// Files that failed
    pub files_failed: usize,
    /// Files whose table is newer, or that came after a failure with fail_fast
    pub files_skipped: usize,
    /// Rows of all files
    pub total_rows: u64,
    /// Every file, in order; of many, the first
    pub file_results: Vec<PipelineFile>,
    /// Whether files are missing from the results
    pub truncated: bool,
    /// The folder of the tables
    pub output_dir: String,
    /// What went wrong
    pub errors: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "a doc comment would become a description in the tool's schema")]
pub struct PipelineFile {
    /// The file
    pub input_file: String,
    /// Its table
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_file: Option<String>,
    /// Whether it did not fail
    pub success: bool,
    /// What went wrong
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Rows
    pub rows_processed: u64,
    /// How long it took
    pub duration_ms: u64,
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("execute_pipeline", FormatKind::Metadata)
        .description(
            "Writes the rows of files as tables: Parquet, SQLite or CSV, one per file below the output folder, each \
             whole or not at all. Reads with a parser (`draft_id` or `parser_code`) or, with a `contract_id` alone, \
             with the built-in reader. Try `mode: dry_run` first; look at the result with query_output.",
        )
        .long()
        .handler(|wizards, input: PipelineInput, context| async move { execute_pipeline(wizards, input, context).await })
}

async fn execute_pipeline(
    wizards: Shared,
    input: PipelineInput,
    context: CallContext,
) -> Result<WizardResult<PipelineOutput>, ErrorBody> {
    let (shared, looked) = (Arc::clone(&wizards), input.clone());
    let (files, access, folder, contract) = blocking(move |_| places(&shared, &looked)).await?;
    let code = input::code(&wizards, input.parser_code, input.draft_id).await?;
    let (method, declared) = input::method(&wizards, code, contract.is_some()).await?;
    let sink = sink(input.config.output_format)?.or(declared).unwrap_or_default();
    let state = wizards.options.state.clone();
    let pipeline = Arc::new(Pipeline {
        record: TableRecord::new(&state, access.output()),
        files: access,
        method,
        contract,
        sink,
        folder: folder.clone(),
        mode: input.config.mode,
        existing: if input.config.overwrite { Existing::Replace } else { Existing::Keep },
        budget: Arc::new(OutputBudget::new(wizards.options.output_bytes)),
        cancel: context.cancellation().clone(),
    });
    let planned = Arc::clone(&pipeline);
    let planning = blocking(move |_| {
        let record = &planned.record;
        let tables = match planned.mode {
            PipelineMode::DryRun => {
                planned.targets(&files, &state, &mut record.read()?).map_err(unplanned)?
            }
            _ => record.plan(|assigned| planned.targets(&files, &state, assigned).map_err(unplanned))?,
        };
        let reservations = reservations(&planned, &tables);
        Ok((files.into_iter().zip(tables).collect::<Vec<_>>(), reservations))
    });
    let (jobs, reservations) = planning.await?;
    let Processed { results, skipped, unrecorded } =
        process(&pipeline, jobs, &input.config, &context, reservations).await;
    if context.cancellation().is_cancelled() {
        return Err(ErrorBody::new(
            ErrorCode::Canceled,
            "the pipeline was canceled; tables of files that were done are there",
            "call again with `mode` incremental",
        ));
    }
    let losses = losses(&results);
    let output =
        output(wizards.ids.next(), &input.config, sink, results, skipped, folder.display().to_string());
    let mut common = Common { workflow: Some(next(&output)), ..Common::default() };
    if let Some(reason) = unrecorded {
        let message = format!("an incremental run won't know the tables of this one: {reason}");
        common.warn("WARN_NOT_RECORDED", message);
    }
    for message in losses {
        common.warn("WARN_ENCODING", message);
    }
    let text = summary(&output);
    Ok(WizardResult::new(output).common(common).feedback(text))
}

/// What of files is not in their tables as it was: of the first ones each, of the others how many there are.
fn losses(results: &[(String, FileOutcome, u64)]) -> Vec<String> {
    const TOLD: usize = 20;
    let lossy = results.iter().filter_map(|(path, outcome, _)| match outcome {
        FileOutcome::Written { loss: Some(loss), .. } => Some(format!("`{}`: {loss}", shortened(path))),
        _ => None,
    });
    let mut told: Vec<String> = lossy.collect();
    if told.len() > TOLD {
        let more = told.split_off(TOLD).len() as u64;
        told.push(format!("{} more could not be decoded everywhere", counted(more, "file")));
    }
    told
}

fn summary(output: &PipelineOutput) -> String {
    let tables = || counted(output.files_skipped, "table");
    let nothing = output.files_succeeded == 0 && output.files_failed == 0;
    if output.mode == PipelineMode::Incremental && nothing {
        let newer =
            if output.files_skipped == 1 { "is newer than its file" } else { "are newer than their files" };
        return format!("Nothing to write: {} {newer}", tables());
    }
    let mut text = format!(
        "{}: {} of {}",
        if output.mode == PipelineMode::DryRun { "Dry run" } else { "Written" },
        counted(output.total_rows, "row"),
        counted(output.files_succeeded, "file"),
    );
    if output.files_failed > 0 {
        text.push_str(&format!(", {} failed", output.files_failed));
    }
    match (output.files_skipped, output.mode) {
        (0, _) => {}
        (_, PipelineMode::Incremental) if output.success => {
            text.push_str(&format!(", {} up to date", tables()))
        }
        (skipped, _) => text.push_str(&format!(", {skipped} skipped")),
    }
    text
}

/// The files to read, the access to them, the folder of tables, and the columns that rows must have.
type Places = (Vec<String>, DataFiles, PathBuf, Option<Vec<WantedColumn>>);

fn places(wizards: &Shared, input: &PipelineInput) -> Result<Places, ErrorBody> {
    let files = named_files(&wizards.files_of(&input.files, input.scope_id.as_deref())?)?;
    let access = wizards.files()?;
    let folder = folder(wizards, &access, input.config.output_dir.as_deref())?;
    let has_parser = input.parser_code.is_some() || input.draft_id.is_some();
    let contract = match &input.contract_id {
        Some(id) if input.config.validate_schema || !has_parser => Some(wizards.contract_columns(id)?.1),
        _ => None,
    };
    Ok((files, access, folder, contract))
}

/// The folder of the tables: the output folder or one in it, and never the one of drafts and contracts.
fn folder(wizards: &Shared, access: &DataFiles, wanted: Option<&str>) -> Result<PathBuf, ErrorBody> {
    let Some(raw) = wanted else { return Ok(access.output().to_owned()) };
    let denied = |reason: String| {
        ErrorBody::new(
            ErrorCode::PathDenied,
            reason,
            "name a folder below the output folder, such as `tables`",
        )
    };
    let folder = match access.output_folder(raw) {
        Ok(folder) if folder.starts_with(settled(&wizards.options.state)) => {
            Err(denied("drafts and contracts are kept there, and no tables".to_owned()))
        }
        Ok(folder) => Ok(folder),
        Err(FileError::Denied { path }) => Err(denied(format!("`{path}` is not below the output folder"))),
        Err(error) => Err(error.into()),
    };
    folder.map_err(|error| error.at_field("config.output_dir"))
}

fn unplanned(error: TargetError) -> ErrorBody {
    let reason = error.to_string();
    match error {
        TargetError::Twice { .. } => {
            ErrorBody::new(ErrorCode::ParamRange, reason, "name it once").at_field("files")
        }
        TargetError::Shared { .. } => {
            ErrorBody::new(ErrorCode::ParamRange, reason, "call once for each, with another `output_dir`")
                .at_field("files")
        }
        TargetError::Input { .. } => {
            ErrorBody::new(ErrorCode::ParamRange, reason, "name another folder, such as `tables`")
                .at_field("config.output_dir")
        }
        TargetError::Reserved { .. } => {
            ErrorBody::new(ErrorCode::PathDenied, reason, "name another folder, such as `tables`")
                .at_field("config.output_dir")
        }
        TargetError::Taken { .. } => {
            ErrorBody::new(ErrorCode::ParamRange, reason, "name another folder, such as `tables`")
                .at_field("config.output_dir")
        }
    }
}

fn sink(format: Option<OutputFormat>) -> Result<Option<SinkKind>, ErrorBody> {
    match format {
        None => Ok(None),
        Some(OutputFormat::Parquet) => Ok(Some(SinkKind::Parquet)),
        Some(OutputFormat::Csv) => Ok(Some(SinkKind::Csv)),
        Some(OutputFormat::Sqlite) => Ok(Some(SinkKind::Sqlite)),
        Some(OutputFormat::Duckdb) => Err(ErrorBody::new(
            ErrorCode::FormatUnsupported,
            "DuckDB databases are not written",
            "use `parquet`, which DuckDB reads directly",
        )
        .at_field("config.output_format")),
    }
}

struct Processed {
    results: Vec<(String, FileOutcome, u64)>,
    /// How many were not, after a failure.
    skipped: usize,
    /// Why tables are not recorded as their files' own.
    unrecorded: Option<String>,
}

/// What was reserved for files that are new.
fn reservations(pipeline: &Pipeline, tables: &[TableTarget]) -> Reservations {
    let new = |(number, target): (usize, &TableTarget)| {
        let file = target.file.clone().filter(|_| !target.known && pipeline.mode != PipelineMode::DryRun)?;
        Some((number, pipeline.folder.join(&target.table), file))
    };
    Reservations::new(pipeline.record.clone(), tables.iter().enumerate().filter_map(new).collect())
}

/// All files, some at a time. A table is recorded as its file's own by the thread that puts it in its place, so that a
/// run may be stopped anywhere: this future may be dropped, and threads that were about to finish a table still do.
async fn process(
    pipeline: &Arc<Pipeline>,
    jobs: Vec<(String, TableTarget)>,
    config: &PipelineConfigInput,
    context: &CallContext,
    reservations: Reservations,
) -> Processed {
    let all = jobs.len();
    let one = |(path, target): (String, TableTarget)| {
        let pipeline = Arc::clone(pipeline);
        async move {
            let started = Instant::now();
            let outcome = pipeline.process(&path, &target).await;
            let took = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
            (path, outcome, took)
        }
    };
    let mut running = futures::stream::iter(jobs).map(one).buffered(config.max_workers);
    let mut results = Vec::new();
    let mut unrecorded = None;
    while let Some(result) = running.next().await {
        let failed = matches!(result.1, FileOutcome::Failed { .. });
        if let FileOutcome::Written { unrecorded: Some(reason), .. } = &result.1 {
            unrecorded.get_or_insert_with(|| reason.clone());
        }
        results.push(result);
        #[expect(clippy::cast_precision_loss, reason = "a progress bar has no use for the last digit")]
        context.progress(
            results.len() as f64,
            Some(all as f64),
            Some(&format!("{} of {all} files", results.len())),
        );
        if (failed && config.fail_fast) || context.cancellation().is_cancelled() {
            break;
        }
    }
    drop(running);
    // What failed or was never come to has no table.
    let is_there = |number: usize| {
        let outcome = results.get(number).map(|(_, outcome, _)| outcome);
        matches!(outcome, Some(FileOutcome::Written { output: Some(_), .. } | FileOutcome::Skipped { .. }))
    };
    let released = reservations.release(is_there).await;
    let unrecorded = unrecorded.or(released.err().map(|error| error.reason));
    Processed { skipped: all - results.len(), results, unrecorded }
}

fn output(
    execution_id: String,
    config: &PipelineConfigInput,
    sink: SinkKind,
    results: Vec<(String, FileOutcome, u64)>,
    not_reached: usize,
    output_dir: String,
) -> PipelineOutput {
    let count =
        |wanted: fn(&FileOutcome) -> bool| results.iter().filter(|(_, outcome, _)| wanted(outcome)).count();
    let files_failed = count(|outcome| matches!(outcome, FileOutcome::Failed { .. }));
    let files_succeeded = count(|outcome| matches!(outcome, FileOutcome::Written { .. }));
    let files_skipped = not_reached + count(|outcome| matches!(outcome, FileOutcome::Skipped { .. }));
    let rows =
        |outcome: &FileOutcome| if let FileOutcome::Written { rows, .. } = outcome { *rows } else { 0 };
    let total_rows = results.iter().map(|(_, outcome, _)| rows(outcome)).sum();
    let errors = results.iter().filter_map(|(path, outcome, _)| match outcome {
        FileOutcome::Failed { reason, .. } => Some(format!("{path}: {reason}")),
        _ => None,
    });
    let (errors, _) = fitting(errors.take(100), RESULT_BYTES / 4);
    let files_processed = results.len();
    let (file_results, _) = fitting(results.into_iter().take(MOST_RESULTS).map(told), RESULT_BYTES);
    PipelineOutput {
        execution_id,
        success: files_failed == 0,
        mode: config.mode,
        output_format: sink,
        files_processed,
        files_succeeded,
        files_failed,
        files_skipped,
        total_rows,
        errors,
        truncated: file_results.len() < files_processed,
        file_results,
        output_dir,
    }
}

/// Most files that an answer lists; the counts cover all.
const MOST_RESULTS: usize = 2_000;
const RESULT_BYTES: usize = 600_000;

fn told((input_file, outcome, duration_ms): (String, FileOutcome, u64)) -> PipelineFile {
    let shown = |path: PathBuf| path.display().to_string();
    let (output_file, success, error, rows_processed) = match outcome {
        FileOutcome::Written { rows, output, .. } => (output.map(shown), true, None, rows),
        FileOutcome::Skipped { output } => (Some(shown(output)), true, None, 0),
        FileOutcome::Failed { rows, reason } => (None, false, Some(reason), rows),
    };
    PipelineFile { input_file, output_file, success, error, rows_processed, duration_ms }
}

fn next(output: &PipelineOutput) -> Workflow {
    let workflow = Workflow::new(Phase::Execution);
    let table = output.file_results.iter().find_map(|result| result.output_file.as_deref());
    match (output.mode, table) {
        (PipelineMode::DryRun, _) if output.success => workflow
            .needing_approval()
            .then(NextAction::new("execute_pipeline", "write the tables").after_approval()),
        (_, Some(table)) => {
            workflow.then(NextAction::new("query_output", "look at a table").with("source", table))
        }
        _ => workflow.then(NextAction::new("run_backtest", "see which files fail and why")),
    }
}
