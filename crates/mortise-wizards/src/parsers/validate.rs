//! Checks a parser and tries it out: its syntax, its protocol, its rows on the real file and on empty ones.

use std::sync::Arc;
use std::time::Duration;

use mortise_formats::format::{
    BridgeResults, CaseStatus, ErrorBody, ParserExecution, RuntimeFault, TestCase, TestCases,
    ValidationResults,
};
use mortise_formats::python::{BridgeOptions, BridgeReport, Module};
use mortise_script::{Engine, FailureKind};
use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;

use crate::data::bounds::INFLATED_BYTES;
use crate::data::data_type::Column;
use crate::parsers::batch::Batch;
use crate::parsers::check::{self, Breach};
use crate::parsers::columns::Columns;
use crate::parsers::reconcile::{ReconcileFinding, Reconciler};
use crate::parsers::run::{NotRun, ParserContent, ParserFailure, ParserJob, ParserRun, Raised, RowSink, run};
use crate::tool::room::fitting;

const SHOWN_ROWS: usize = 5;

/// What the code itself says, without running it.
#[derive(Clone, Debug)]
pub(crate) struct Static {
    /// What keeps it from being Python.
    pub(crate) syntax: Option<ErrorBody>,
    /// The protocol, if it is Python.
    pub(crate) bridge: Option<BridgeReport>,
}

impl Static {
    pub(crate) fn check(code: &str, extra_imports: &[String]) -> Self {
        match Module::parse(code) {
            Err(error) => Self { syntax: Some(error), bridge: None },
            Ok(module) => {
                let options = BridgeOptions { extra_imports: extra_imports.to_vec() };
                Self { syntax: None, bridge: Some(module.check_bridge(&options)) }
            }
        }
    }

    /// The first thing that is wrong.
    pub(crate) fn error(&self) -> Option<ErrorBody> {
        self.syntax.clone().or_else(|| self.bridge.as_ref()?.error())
    }

    /// The first thing that is wrong with its syntax or its protocol, whatever it imports.
    pub(crate) fn protocol_error(&self) -> Option<ErrorBody> {
        self.syntax.clone().or_else(|| ErrorBody::of_many(self.bridge.as_ref()?.errors.iter().cloned()))
    }

    /// Modules that are not there when the parser runs.
    pub(crate) fn foreign(&self) -> &[String] {
        self.bridge.as_ref().map_or(&[], |bridge| &bridge.foreign_modules)
    }
}

/// A file to try a parser on.
pub(crate) struct Trial {
    pub(crate) content: ParserContent,
    pub(crate) name: String,
    /// The columns that rows must have; none takes them as they are.
    pub(crate) columns: Option<Vec<Column>>,
    pub(crate) reconciler: Option<Reconciler>,
}

#[derive(Debug)]
pub(crate) struct Tried {
    pub(crate) rows: u64,
    /// Why it did not come to its end.
    pub(crate) failure: Option<ParserFailure<Breach>>,
    /// The comparison, if there was one and the parser came to its end.
    pub(crate) finding: Option<ReconcileFinding>,
    pub(crate) preview: Vec<Json>,
}

/// Tries a parser on one file.
pub(crate) async fn try_on(
    engine: &Engine,
    code: &str,
    trial: Trial,
    wall: Option<Duration>,
    cancel: &CancellationToken,
) -> Result<Tried, NotRun> {
    let job = ParserJob {
        code: code.to_owned(),
        content: trial.content,
        name: trial.name,
        wall,
        inflated: INFLATED_BYTES,
    };
    let columns = trial.columns.map_or_else(|| Columns::of_rows(&[]), Columns::of_contract);
    let sink = Comparing { columns, reconciler: trial.reconciler, preview: Vec::new() };
    let ParserRun { rows, sink, failure, .. } = run(engine, job, sink, cancel).await?;
    let Comparing { reconciler, preview, .. } = sink;
    let finding = match (reconciler, &failure) {
        (Some(reconciler), None) => {
            Some(tokio::task::spawn_blocking(|| reconciler.finish()).await.map_err(|_| NotRun::Receiver)?)
        }
        _ => None,
    };
    Ok(Tried { rows, failure, finding, preview })
}

/// Checks rows against their contract and the independent reading.
struct Comparing {
    columns: Columns,
    reconciler: Option<Reconciler>,
    preview: Vec<Json>,
}

impl RowSink for Comparing {
    type Error = Breach;

    fn take(&mut self, batch: Batch) -> Result<(), Breach> {
        if self.preview.is_empty() {
            self.preview = check::preview(&batch, SHOWN_ROWS);
        }
        let typed = self.columns.typed(&batch)?;
        if let Some(reconciler) = &mut self.reconciler {
            reconciler.take(&typed);
        }
        Ok(())
    }
}

pub(crate) struct ParserValidation<'a> {
    /// The interpreter; none if it does not load here.
    pub(crate) engine: Result<Arc<Engine>, ErrorBody>,
    pub(crate) code: &'a str,
    /// Modules that it may import besides.
    pub(crate) extra_imports: &'a [String],
    /// The file to try it on; none says why.
    pub(crate) file: Result<Trial, ErrorBody>,
    /// A file with a header alone, and one with nothing; none if nothing is known of the files.
    pub(crate) edges: Option<Edges>,
    /// How long each run may take.
    pub(crate) wall: Option<Duration>,
}

pub(crate) struct Edges {
    pub(crate) header_only: Vec<u8>,
    pub(crate) empty: Vec<u8>,
    /// The name under which the parser sees them.
    pub(crate) name: String,
}

/// Checks and runs a parser.
pub(crate) async fn validate(
    validation: ParserValidation<'_>,
    cancel: &CancellationToken,
) -> Result<ValidationResults, NotRun> {
    let ParserValidation { engine, code, extra_imports, file, edges, wall } = validation;
    let looked = Static::check(code, extra_imports);
    let mut results = static_results(&looked);
    let skip = match (&engine, results.is_valid, looked.foreign()) {
        (_, false, _) => Some("the code did not pass its checks".to_owned()),
        (_, _, [module, ..]) => Some(format!("`{module}` is not part of the embedded interpreter")),
        (Err(error), _, _) => Some(format!("no interpreter: {}", error.reason)),
        (Ok(_), true, []) => None,
    };
    let (Ok(engine), None) = (engine, &skip) else {
        let reason = skip.unwrap_or_default();
        skip_all(&mut results, &reason);
        return Ok(results);
    };
    match file {
        Err(ErrorBody { reason, .. }) => {
            for case in ["runs_on_file", "row_count", "types", "cells"] {
                results.test_cases.add(case, CaseStatus::Skipped, Some(reason.clone()));
            }
            results.skip_reason = Some(reason);
        }
        Ok(trial) => {
            let tried = try_on(&engine, code, trial, wall, cancel).await?;
            note_trial(&mut results, tried);
        }
    }
    if let Some(edges) = edges {
        let files = [("header_only_file", edges.header_only), ("empty_file", edges.empty)];
        for (case, bytes) in files {
            let trial = Trial {
                content: ParserContent::Bytes(bytes),
                name: edges.name.clone(),
                columns: None,
                reconciler: None,
            };
            let tried = try_on(&engine, code, trial, wall, cancel).await?;
            note_edge(&mut results, case, &tried);
        }
    }
    results.is_valid = results.is_valid && results.test_cases.failed == 0;
    Ok(results)
}

fn static_results(looked: &Static) -> ValidationResults {
    let bridge = looked.bridge.as_ref();
    let valid = looked.error().is_none();
    let mut test_cases = TestCases::default();
    let reason = looked.error().map(|error| error.to_string());
    test_cases.add("bridge_ast", if valid { CaseStatus::Passed } else { CaseStatus::Failed }, reason);
    ValidationResults {
        is_valid: valid,
        execution: ParserExecution::Skipped,
        skip_reason: None,
        syntax_errors: looked.syntax.clone().into_iter().collect(),
        import_errors: bridge.map(|bridge| bridge.forbidden.clone()).unwrap_or_default(),
        runtime_errors: Vec::new(),
        warnings: bridge
            .map(|bridge| bridge.warnings.iter().map(|warning| warning.message.clone()).collect())
            .unwrap_or_default(),
        bridge: BridgeResults {
            valid: bridge.is_some_and(BridgeReport::is_valid),
            topic: bridge.and_then(|bridge| bridge.topic.clone()),
            sink: bridge.and_then(|bridge| bridge.sink.clone()),
            errors: bridge.map(|bridge| bridge.errors.clone()).unwrap_or_default(),
        },
        test_cases,
        row_count: None,
        test_output: None,
        reconciliation: None,
    }
}

fn skip_all(results: &mut ValidationResults, reason: &str) {
    for case in ["runs_on_file", "row_count", "types", "cells", "header_only_file", "empty_file"] {
        results.test_cases.add(case, CaseStatus::Skipped, Some(reason.to_owned()));
    }
    results.skip_reason = Some(reason.to_owned());
}

const PREVIEW_BYTES: usize = 100_000;
/// Most bytes of the report on the compared columns.
const COLUMNS_BYTES: usize = 250_000;

fn note_trial(results: &mut ValidationResults, tried: Tried) {
    let ran = tried.failure.is_none();
    results.execution = if ran { ParserExecution::Passed } else { ParserExecution::Failed };
    results.row_count = Some(tried.rows);
    let (preview, _) = fitting(tried.preview, PREVIEW_BYTES);
    results.test_output = (!preview.is_empty()).then_some(Json::Array(preview));
    let failure = tried.failure.as_ref().map(explain);
    results.runtime_errors.extend(tried.failure.as_ref().map(fault));
    let refused = matches!(tried.failure, Some(ParserFailure::Refused(_)));
    let verdict = |good: bool| if good { CaseStatus::Passed } else { CaseStatus::Failed };
    results.test_cases.add(
        "runs_on_file",
        verdict(ran || refused),
        failure.clone().filter(|_| !ran && !refused),
    );
    let not_run = || Some("the parser did not come to its end".to_owned());
    let alone = || Some("there is no independent reading to compare with".to_owned());
    match &tried.finding {
        Some(finding) => {
            let rows = &finding.reconciliation;
            let (expected, actual) = (rows.rows_expected, rows.rows_actual);
            let why = finding
                .broken
                .clone()
                .unwrap_or_else(|| format!("the parser gave {actual} rows, the file has {expected}"));
            results.test_cases.add(
                "row_count",
                verdict(finding.rows_agree),
                Some(why).filter(|_| !finding.rows_agree),
            );
            results.test_cases.add("types", CaseStatus::Passed, None);
            let why = format!("{} cells differ from the independent reading", finding.differing);
            results.test_cases.add(
                "cells",
                verdict(finding.cells_agree),
                Some(why).filter(|_| !finding.cells_agree),
            );
        }
        None if ran => {
            results.test_cases.add("row_count", CaseStatus::Skipped, alone());
            results.test_cases.add("types", CaseStatus::Skipped, alone());
            results.test_cases.add("cells", CaseStatus::Skipped, alone());
        }
        None => {
            results.test_cases.add("row_count", CaseStatus::Skipped, not_run());
            match refused {
                true => results.test_cases.add("types", CaseStatus::Failed, failure),
                false => results.test_cases.add("types", CaseStatus::Skipped, not_run()),
            }
            results.test_cases.add("cells", CaseStatus::Skipped, not_run());
        }
    }
    results.reconciliation = tried.finding.map(|finding| finding.reconciliation);
    if let Some(reconciliation) = &mut results.reconciliation {
        let (columns, more) = fitting(std::mem::take(&mut reconciliation.columns), COLUMNS_BYTES);
        reconciliation.columns = columns;
        if more > 0 {
            results.warnings.push(format!("what was compared in {more} more columns is left out"));
        }
    }
}

fn note_edge(results: &mut ValidationResults, case: &str, tried: &Tried) {
    let problem = match &tried.failure {
        Some(failure) => Some(explain(failure)),
        None if tried.rows > 0 => Some(format!("it gave {} rows of a file that has none", tried.rows)),
        None => None,
    };
    let status = if problem.is_none() { CaseStatus::Passed } else { CaseStatus::Failed };
    results.test_cases.add(case, status, problem);
}

pub(crate) fn explain(failure: &ParserFailure<Breach>) -> String {
    match failure {
        ParserFailure::Raised(raised) => {
            let Raised { class, message, line, .. } = raised.as_ref();
            let place = line.map(|line| format!(" on line {line}")).unwrap_or_default();
            format!("{class}{place}: {message}")
        }
        ParserFailure::Stopped { message, .. } => message.clone(),
        ParserFailure::Refused(breach) => breach.to_string(),
    }
}

fn fault(failure: &ParserFailure<Breach>) -> RuntimeFault {
    match failure {
        ParserFailure::Raised(raised) => {
            RuntimeFault { class: raised.class.clone(), message: raised.message.clone(), line: raised.line }
        }
        ParserFailure::Stopped { kind, message } => {
            let class = match kind {
                FailureKind::Time => "TimeoutError",
                FailureKind::Memory => "MemoryError",
                FailureKind::Cancelled => "CancelledError",
                _ => "SystemError",
            };
            RuntimeFault { class: class.to_owned(), message: message.clone(), line: None }
        }
        ParserFailure::Refused(breach) => {
            RuntimeFault { class: "ContractError".to_owned(), message: breach.to_string(), line: None }
        }
    }
}

trait Add {
    fn add(&mut self, name: &str, status: CaseStatus, reason: Option<String>);
}

impl Add for TestCases {
    fn add(&mut self, name: &str, status: CaseStatus, reason: Option<String>) {
        match status {
            CaseStatus::Passed => self.passed += 1,
            CaseStatus::Failed => self.failed += 1,
            CaseStatus::Skipped => self.skipped += 1,
        }
        self.items.push(TestCase { name: name.to_owned(), status, reason });
    }
}
