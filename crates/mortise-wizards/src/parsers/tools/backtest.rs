//! `run_backtest`: a parser on all files.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mortise_contract::text::counted;
use mortise_formats::format::{ErrorBody, ErrorCode, FormatKind, ParserExecution};
use mortise_server::CallContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::code::Shared;
use super::input::{self, MethodError};
use crate::answer::{Common, NextAction, Phase, WizardResult, Workflow};
use crate::parsers::backtest::{BacktestConfig, BacktestReport, FileResult, Termination, backtest};
use crate::parsers::category::Category;
use crate::parsers::subject::{ParserTester, named_files};
use crate::tool::room::fitting;
use crate::tool::{Wizard, blocking};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BacktestInput {
    /// The files to run on, as quick_scan lists them
    #[serde(default)]
    files: Vec<String>,
    /// A scope whose files to run on, instead of `files`
    #[serde(default)]
    scope_id: Option<String>,
    /// The parser's source
    #[serde(default)]
    parser_code: Option<String>,
    /// A draft of generate_parser, instead of `parser_code`
    #[serde(default)]
    draft_id: Option<String>,
    /// An approved contract that rows must meet; alone it is tested with the built-in reader
    #[serde(default)]
    contract_id: Option<String>,
    /// When to stop, and what to aim at
    #[serde(default)]
    config: BacktestConfigInput,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct BacktestConfigInput {
    /// quick: 3 rounds, 60 s, 0.80; thorough: 20 rounds, 600 s, 0.99
    preset: Option<Preset>,
    /// A file whose share of passes is below this is a bad file (0.8)
    #[schemars(range(min = 0.0, max = 1.0))]
    high_failure_threshold: Option<f64>,
    /// Stop after three bad files (true)
    early_stop_enabled: Option<bool>,
    /// Look for bad files after this many (10)
    #[schemars(range(min = 1))]
    check_after_n_files: Option<usize>,
    /// Rounds at most (10)
    #[schemars(range(min = 1, max = 100))]
    max_iterations: Option<usize>,
    /// The share of files that must pass (0.95)
    #[schemars(range(min = 0.0, max = 1.0))]
    pass_rate_threshold: Option<f64>,
    /// Seconds at most (300)
    #[schemars(range(min = 1, max = 86_400))]
    max_duration_secs: Option<u64>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Preset {
    /// A first look.
    Quick,
    /// Before it is relied on.
    Thorough,
}

impl BacktestConfigInput {
    fn config(&self) -> BacktestConfig {
        let usual = BacktestConfig::default();
        let base = match self.preset {
            None => usual,
            Some(Preset::Quick) => BacktestConfig {
                max_iterations: 3,
                max_duration: Duration::from_secs(60),
                target: 0.80,
                plateau_gain: 0.05,
                plateau_rounds: 2,
                ..usual
            },
            Some(Preset::Thorough) => BacktestConfig {
                max_iterations: 20,
                max_duration: Duration::from_secs(600),
                target: 0.99,
                plateau_gain: 0.005,
                plateau_rounds: 5,
                ..usual
            },
        };
        BacktestConfig {
            high_failure_threshold: self.high_failure_threshold.unwrap_or(base.high_failure_threshold),
            early_stop: self.early_stop_enabled.unwrap_or(base.early_stop),
            check_after: self.check_after_n_files.unwrap_or(base.check_after),
            max_iterations: self.max_iterations.unwrap_or(base.max_iterations),
            target: self.pass_rate_threshold.unwrap_or(base.target),
            max_duration: self.max_duration_secs.map_or(base.max_duration, Duration::from_secs),
            ..base
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "a doc comment would become a description in the tool's schema")]
pub struct BacktestOutput {
    /// Whether all files were run on and enough of them pass
    pub success: bool,
    /// The share of tested files that pass
    pub final_pass_rate: f64,
    /// The share that was aimed at
    pub target_pass_rate: f64,
    /// Rounds
    pub iterations_run: usize,
    /// Why it ended
    pub termination_reason: Termination,
    /// Files that were run on
    pub files_tested: usize,
    /// Files that passed
    pub files_passed: usize,
    /// Files that failed
    pub files_failed: usize,
    /// Files that were never run on, since it ended before
    pub files_not_tested: usize,
    /// Rows that came out
    pub rows_emitted: u64,
    /// Rows that the parser left out
    pub rows_rejected: u64,
    /// Files that passed though their rows could not be counted independently
    pub files_not_reconciled: usize,
    /// How long it took
    pub duration_ms: u64,
    /// Whether bad files ended it
    pub early_stopped: bool,
    /// Kinds of failures, most frequent first
    pub failure_categories: Vec<CategoryCount>,
    /// Files that failed, at most five
    pub top_failing_files: Vec<String>,
    /// Every file that was run on, by path; of many, all that failed and some that passed
    pub results: Vec<BacktestFile>,
    /// Whether files are missing from the results
    pub truncated: bool,
    /// Whether anything was run: passed, failed or skipped
    #[schemars(with = "String")]
    pub execution: ParserExecution,
    /// Why nothing was run
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_reason: Option<String>,
    /// parser, or schema_only for a contract without a parser
    pub mode: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "a doc comment would become a description in the tool's schema")]
pub struct CategoryCount {
    /// The kind
    pub category: Category,
    /// How many files
    pub count: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "a doc comment would become a description in the tool's schema")]
pub struct BacktestFile {
    /// The file
    pub path: String,
    /// passed or failed
    pub status: String,
    /// Rows that came out
    pub rows: u64,
    /// The kind of failure
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// What went wrong
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("run_backtest", FormatKind::Metadata)
        .description(
            "Runs a parser on every file and reports which pass: parse() must end, rows must meet the contract and \
             row counts must agree with an independent reading. Give `draft_id` or `parser_code`; a `contract_id` \
             alone tests the approved schema. Failures come with a category for fix_parser and refine_parser.",
        )
        .read_only()
        .long()
        .handler(|wizards, input: BacktestInput, context| async move { run_backtest(wizards, input, context).await })
}

async fn run_backtest(
    wizards: Shared,
    input: BacktestInput,
    context: CallContext,
) -> Result<WizardResult<BacktestOutput>, ErrorBody> {
    let started = Instant::now();
    let asked = RepeatedArguments {
        files: input.files.clone(),
        scope_id: input.scope_id.clone(),
        draft_id: input.draft_id.clone(),
        contract_id: input.contract_id.clone(),
    };
    let shared = Arc::clone(&wizards);
    let (named, scope_id, contract_id) = (input.files, input.scope_id, input.contract_id);
    let (files, access, contract) = blocking(move |_| {
        let files = named_files(&shared.files_of(&named, scope_id.as_deref())?)?;
        let contract = contract_id.map(|id| shared.contract_columns(&id).map(|(_, columns)| columns));
        Ok((files, shared.files()?, contract.transpose()?))
    })
    .await?;
    let code = input::code(&wizards, input.parser_code, input.draft_id).await?;
    let mut config = input.config.config();
    // Some time is left to report what was found.
    config.max_duration = config.max_duration.min(wizards.options.long_time.mul_f64(0.9));
    let mode = if code.is_some() { "parser" } else { "schema_only" };
    let method = match input::method(&wizards, code, contract.is_some()).await {
        Ok((method, _)) => method,
        Err(MethodError::Refused(error)) => return Err(error),
        Err(MethodError::Unavailable(error)) => {
            return Ok(skipped(&config, &asked, &error.reason, files.len(), started));
        }
    };
    let cancel = context.cancellation().clone();
    let tester = Arc::new(ParserTester { files: access, method, contract, cancel: cancel.clone() });
    let history = wizards.history();
    let told = |done: usize, total: usize| {
        #[expect(clippy::cast_precision_loss, reason = "a progress bar has no use for the last digit")]
        context.progress(done as f64, Some(total as f64), Some(&format!("{done} of {total} files")));
    };
    let test = move |path: String, left: Duration| {
        let tester = Arc::clone(&tester);
        async move { tester.test(path, left).await }
    };
    let report = backtest(&files, &config, &history, cancel.clone(), test, told).await;
    if cancel.is_cancelled() {
        return Err(ErrorBody::new(ErrorCode::Canceled, "the backtest was canceled", "call again"));
    }
    wizards.note_history(&report.results);
    Ok(done(&config, &asked, report, mode, started))
}

/// What the backtest was asked for, as the next tool takes it too.
struct RepeatedArguments {
    files: Vec<String>,
    scope_id: Option<String>,
    draft_id: Option<String>,
    contract_id: Option<String>,
}

impl RepeatedArguments {
    /// More files than this are not said again.
    const REPEATED: usize = 20;

    /// The action with the same arguments; code is not said again either.
    fn of(&self, mut action: NextAction) -> NextAction {
        let given =
            [("scope_id", &self.scope_id), ("draft_id", &self.draft_id), ("contract_id", &self.contract_id)];
        for (name, value) in given {
            if let Some(value) = value {
                action = action.with(name, value.clone());
            }
        }
        match (1..=Self::REPEATED).contains(&self.files.len()) {
            true => action.with("files", self.files.clone()),
            false => action,
        }
    }
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

fn skipped(
    config: &BacktestConfig,
    asked: &RepeatedArguments,
    reason: &str,
    files: usize,
    started: Instant,
) -> WizardResult<BacktestOutput> {
    let report = BacktestReport {
        results: Vec::new(),
        untested: files,
        iterations: 0,
        termination: Termination::NoProgressPossible,
    };
    let mut done = done(config, asked, report, "parser", started);
    done.result.success = false;
    done.result.execution = ParserExecution::Skipped;
    done.result.skip_reason = Some(reason.to_owned());
    done.feedback = format!("Backtest skipped: {reason}");
    done
}

fn done(
    config: &BacktestConfig,
    asked: &RepeatedArguments,
    report: BacktestReport,
    mode: &'static str,
    started: Instant,
) -> WizardResult<BacktestOutput> {
    let rate = report.pass_rate();
    let passed = report.results.iter().filter(|result| result.passed()).count();
    let failed: Vec<&FileResult> = report.results.iter().filter(|result| !result.passed()).collect();
    let (results, _) = fitting(shown(&report.results).into_iter().map(told), RESULT_BYTES);
    let output = BacktestOutput {
        success: rate >= config.target && report.untested == 0,
        final_pass_rate: rate,
        target_pass_rate: config.target,
        iterations_run: report.iterations,
        termination_reason: report.termination,
        files_tested: report.results.len(),
        files_passed: passed,
        files_failed: failed.len(),
        files_not_tested: report.untested,
        rows_emitted: report.results.iter().map(|result| result.rows).sum(),
        rows_rejected: report.results.iter().map(|result| result.rejected).sum(),
        files_not_reconciled: report
            .results
            .iter()
            .filter(|result| result.passed() && !result.reconciled)
            .count(),
        duration_ms: milliseconds(started),
        early_stopped: report.termination == Termination::EarlyStopped,
        failure_categories: categories(&failed),
        top_failing_files: failed.iter().take(5).map(|result| result.path.clone()).collect(),
        truncated: results.len() < report.results.len(),
        results,
        execution: if failed.is_empty() { ParserExecution::Passed } else { ParserExecution::Failed },
        skip_reason: None,
        mode: mode.to_owned(),
    };
    let mut text = format!(
        "Backtest: {passed} of {} {} ({:.0} %), {}",
        counted(output.files_tested, "file"),
        if output.files_tested == 1 { "passes" } else { "pass" },
        rate * 100.0,
        counted(output.rows_emitted, "row")
    );
    let mut common = Common { workflow: Some(next(&output, asked)), ..Common::default() };
    if output.files_not_tested > 0 && output.files_tested > 0 {
        let files = counted(output.files_not_tested, "file");
        text.push_str(&format!(", {files} not tested"));
        common.warn("WARN_NOT_TESTED", format!("{files} not tested: the backtest ended before"));
    }
    if output.files_not_reconciled > 0 {
        let files = counted(output.files_not_reconciled, "file");
        let text = format!("the rows of {files} were not counted: the reader sees no such table there");
        common.warn("WARN_NOT_RECONCILED", text);
    }
    WizardResult::new(output).common(common).feedback(text)
}

fn categories(failed: &[&FileResult]) -> Vec<CategoryCount> {
    let mut counts: BTreeMap<Category, usize> = BTreeMap::new();
    for (category, _) in failed.iter().filter_map(|result| result.failure.as_ref()) {
        *counts.entry(*category).or_default() += 1;
    }
    let mut counts: Vec<_> =
        counts.into_iter().map(|(category, count)| CategoryCount { category, count }).collect();
    counts.sort_by_key(|count| std::cmp::Reverse(count.count));
    counts
}

/// Most files that an answer lists; the counts cover all.
const MOST_RESULTS: usize = 2_000;
const RESULT_BYTES: usize = 700_000;

/// The results to list: failed ones come before passed ones when there is no room for all.
fn shown(results: &[FileResult]) -> Vec<&FileResult> {
    let mut shown: Vec<&FileResult> = results.iter().collect();
    if shown.len() > MOST_RESULTS {
        shown.sort_by_key(|result| result.passed());
        shown.truncate(MOST_RESULTS);
        shown.sort_by(|left, right| left.path.cmp(&right.path));
    }
    shown
}

fn told(result: &FileResult) -> BacktestFile {
    BacktestFile {
        path: result.path.clone(),
        status: if result.passed() { "passed" } else { "failed" }.to_owned(),
        rows: result.rows,
        category: result.failure.as_ref().map(|(category, _)| *category),
        error: result.failure.as_ref().map(|(_, message)| message.clone()),
    }
}

fn next(output: &BacktestOutput, asked: &RepeatedArguments) -> Workflow {
    let workflow = Workflow::new(Phase::Backtest);
    match output.success {
        true => workflow.needing_approval().then(
            asked
                .of(NextAction::new("execute_pipeline", "write the rows of all files as tables"))
                .after_approval(),
        ),
        false if output.files_failed == 0 && output.files_tested > 0 => workflow.then(
            asked.of(NextAction::new("run_backtest", "test all files, with a larger `max_duration_secs`")),
        ),
        false => workflow
            .then(NextAction::new("fix_parser", "see what the failures have in common"))
            .then(NextAction::new("refine_parser", "mend the parser by the errors")),
    }
}
