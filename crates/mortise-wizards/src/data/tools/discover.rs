//! `discover_schemas`: what is in files, with evidence.

mod fitting;

use std::sync::Arc;
use std::time::Instant;

use mortise_formats::format::{ErrorBody, FormatKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::preview::FileFault;
use super::{plural, scope_must_exist, sorted};
use crate::answer::{Common, DecisionQuestion, NextAction, Phase, ResultWarning, WizardResult, Workflow};
use crate::data::contracts::{OpenColumn, Proposal};
use crate::data::discover::{Drift, SchemaGroup, drift, groups, questions};
use crate::data::fault::DataError;
use crate::data::files::DataFiles;
use crate::data::schema::{DiscoveredSchema, InferOptions, infer};
use crate::data::table::{ReadOptions, Table};
use crate::tool::{Wizard, blocking};
use crate::wizards::Wizards;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DiscoverInput {
    /// The files
    #[schemars(length(min = 1, max = 1000))]
    files: Vec<String>,
    /// The scope they belong to
    #[serde(default)]
    scope_id: Option<String>,
    /// Rows of each file to look at
    #[serde(default = "max_rows")]
    #[schemars(range(min = 1, max = 10_000_000))]
    max_rows: u64,
}

fn max_rows() -> u64 {
    1_000
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscoverOutput {
    /// Files with a schema
    pub files_analyzed: usize,
    /// A proposal for each of them, in the order of their paths
    pub schemas: Vec<DiscoveredSchema>,
    /// Files without
    pub failed_files: Vec<FailedFile>,
    /// Files with the same columns
    pub schema_groups: Vec<SchemaGroup>,
    /// Where files that belong together differ
    pub drift: Vec<Drift>,
    /// Whether proposals, columns, evidence or differences were left out to keep the result small; warnings say what
    pub truncated: bool,
    /// How long it took
    pub duration_ms: u64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailedFile {
    /// The file
    pub path: String,
    /// Why it has no schema
    pub error: FileFault,
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("discover_schemas", FormatKind::Metadata)
        .description(
            "Infers the columns and types of tables by elimination, with evidence: which values struck out which types, \
             every date format that still fits, near misses. What the values can't decide, such as day before month, \
             comes as a question instead of a guess. Finds files with the same schema and where files of a kind \
             differ. Reads CSV, TSV, JSON, NDJSON and Parquet, also with gzip.",
        )
        .long()
        .handler(|wizards: Arc<Wizards>, input: DiscoverInput, context| async move {
            blocking(move |stop| {
                let started = Instant::now();
                scope_must_exist(&wizards, input.scope_id.as_ref())?;
                let files = wizards.files()?.until(stop);
                let (mut schemas, mut failed_files) = (Vec::new(), Vec::new());
                let paths = sorted(&input.files);
                for (index, path) in paths.iter().enumerate() {
                    match one(&files, path, input.max_rows, stop) {
                        Ok(schema) => schemas.push(schema),
                        Err(DataError::Canceled) => return Err(DataError::Canceled.into()),
                        Err(error) => {
                            let error = ErrorBody::from(error).into();
                            failed_files.push(FailedFile { path: path.clone(), error });
                        }
                    }
                    context.progress(index as f64 + 1.0, Some(paths.len() as f64), Some(path));
                }
                // Two names of one file are one file.
                schemas.sort_by(|one, other| one.source_file.cmp(&other.source_file));
                schemas.dedup_by(|one, other| one.source_file == other.source_file);
                for schema in &schemas {
                    wizards.contracts().keep_proposal(&proposal(schema))?;
                }
                let schema_groups = groups(&schemas);
                let questions = questions(&schemas, &schema_groups);
                let mut output = DiscoverOutput {
                    files_analyzed: schemas.len(),
                    drift: drift(&schemas),
                    failed_files,
                    schema_groups,
                    truncated: false,
                    schemas,
                    duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
                };
                let (questions, left_out) = fitting::shorten(&mut output, questions);
                Ok(done(output, questions, &left_out, input.scope_id.as_deref()))
            })
            .await
        })
}

fn one(
    files: &DataFiles,
    path: &str,
    max_rows: u64,
    stop: &CancellationToken,
) -> Result<DiscoveredSchema, DataError> {
    let table = Table::open(files.open(path)?, &ReadOptions::default())?;
    infer(&table, &InferOptions { max_rows, ..InferOptions::default() }, stop)
}

fn proposal(schema: &DiscoveredSchema) -> Proposal {
    let open = schema.columns.iter().filter(|column| column.constraint.needs_human_decision);
    Proposal {
        discovery_id: schema.discovery_id.clone(),
        source_file: schema.source_file.clone(),
        proposal_hash: schema.proposal_hash.clone(),
        open: open
            .map(|column| OpenColumn {
                name: column.name.clone(),
                options: column
                    .constraint
                    .human_question
                    .iter()
                    .flat_map(|question| &question.options)
                    .map(|option| option.id.clone())
                    .collect(),
            })
            .collect(),
    }
}

fn done(
    output: DiscoverOutput,
    questions: Vec<DecisionQuestion>,
    left_out: &[String],
    scope_id: Option<&str>,
) -> WizardResult<DiscoverOutput> {
    let open = questions.iter().filter(|question| question.blocking).count();
    let mut feedback = format!(
        "{} in {}",
        plural(output.files_analyzed, "schema", "schemas"),
        plural(output.schema_groups.len(), "group", "groups")
    );
    if open > 0 {
        feedback.push_str(&format!("; {} to answer first", plural(open, "question", "questions")));
    }
    if !output.drift.is_empty() {
        feedback.push_str(&format!(
            "; {} between files",
            plural(output.drift.len(), "difference", "differences")
        ));
    }
    let mut approve =
        NextAction::new("approve_schemas", "approve the columns, after the questions are answered");
    if let Some(scope_id) = scope_id {
        approve = approve.with("scope_id", scope_id);
    }
    let mut workflow = Workflow::new(Phase::SchemaInference)
        .needing_approval()
        .pending(&questions)
        .then(approve.after_approval());
    if let Some(first) = output.schemas.first() {
        workflow = workflow.then(
            NextAction::new("generate_parser", "write a parser and run it on the file")
                .with("file_path", first.source_file.clone()),
        );
    }
    let shared = output.schema_groups.iter().filter(|group| group.schema_ids.len() > 1);
    let options = shared.map(|group| {
        format!("approve one schema for the {} files of `{}`", group.schema_ids.len(), group.name)
    });
    workflow.bulk_approval_options = fitting::repeated(options).0;
    let mut common = Common { questions, workflow: Some(workflow), ..Common::default() };
    for text in left_out {
        common.warn("WARN_TRUNCATED", text);
    }
    let failed = output.failed_files.iter().map(|failed| {
        let reason = format!("`{}` has no schema: {}", failed.path, failed.error.reason);
        ResultWarning::new(&failed.error.error_code, reason)
    });
    let drift = output.drift.iter().map(|drift| {
        let files = plural(drift.files.len(), "file", "files");
        ResultWarning::new("WARN_DRIFT", format!("`{}` differs in {files}: {}", drift.column, drift.detail))
    });
    for (list, (kept, more)) in
        [("failed_files", fitting::repeated(failed)), ("drift", fitting::repeated(drift))]
    {
        common.warnings.extend(kept);
        if more > 0 {
            let more = plural(more, "more warning", "more warnings");
            common.warn("WARN_TRUNCATED", format!("{more}: `{list}` has them"));
        }
    }
    WizardResult::new(output).feedback(feedback).common(common)
}
