//! What a person sees of the wizards' results.

use std::fmt::Write as _;
use std::path::Path;

use mortise_wizards::answer::{Common, DecisionQuestion, ResultWarning, TypedResult};
use mortise_wizards::data::schema::{DiscoveredColumn, DiscoveredSchema};
use mortise_wizards::data::tools::{DiscoverOutput, ScanOutput};
use mortise_wizards::parsers::tools::{BacktestOutput, GenerateParserOutput, PipelineMode, PipelineOutput};
use mortise_wizards::paths::tools::ExtractorOutput;
use serde::Serialize;
use serde_json::Value;

use super::highlight;
use crate::app::App;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::{Mark, Tint, escape, units};

const fn fixed(title: &'static str, tint: Option<Tint>) -> TableColumn {
    TableColumn { title, tint, fit: Fit::Fixed }
}

const fn wraps(title: &'static str) -> TableColumn {
    TableColumn { title, tint: None, fit: Fit::Wraps }
}

/// A value as its wizard writes it in JSON, without the quotes of a string.
fn cell(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => escape::line(&text),
        Ok(Value::Null) | Err(_) => String::new(),
        Ok(other) => escape::line(&other.to_string()),
    }
}

/// A path as the user would name it here.
fn path(app: &App, path: &Path) -> String {
    let here = &app.environment.working_directory;
    // The wizards report files with links resolved.
    let resolved = here.canonicalize();
    let below = path.strip_prefix(here).or_else(|_| path.strip_prefix(resolved.as_ref().unwrap_or(here)));
    escape::line(&below.unwrap_or(path).to_string_lossy())
}

/// A path that the wizards report relative to `base`, as the user would name it here.
fn path_below(app: &App, base: &Path, relative: &str) -> String {
    path(app, &base.join(relative))
}

/// Values in a row; quotes where it could not be seen where one ends.
fn listed(values: &[String]) -> String {
    let shown = values.iter().map(|value| {
        let text = escape::line(value);
        if text.contains(", ") { format!("\"{text}\"") } else { text }
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// A count with its noun.
fn counted(count: u64, one: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {one}{plural}")
}

/// The files of a folder.
pub(super) fn scan(app: &App, base: &Path, result: &TypedResult<ScanOutput>) -> String {
    let ScanOutput { by_extension, file_count, total_size, truncated, unreadable, .. } = &result.output;
    let mut table = TerminalTable::new(
        &[fixed("Kind", Some(Tint::Type)), fixed("Size", None), fixed("Path", Some(Tint::Name))],
        0,
    );
    for (kind, files) in by_extension {
        for file in files {
            table.row([escape::line(kind), units::size(file.size), path_below(app, base, &file.path)]);
        }
    }
    let more = if *truncated { ", there are more" } else { "" };
    let head = format!("{}, {}{more}\n", counted(*file_count as u64, "file"), units::size(*total_size));
    let mut text = table.render(&app.terminal) + &head;
    for entry in unreadable {
        let (path, reason) = (path_below(app, base, &entry.path), escape::line(&entry.reason));
        text.push_str(&app.terminal.marked(0, Mark::Warn, &format!("Unreadable: {path}: {reason}")));
    }
    text
}

/// The schemas of files.
pub(super) fn describe(app: &App, base: &Path, result: &TypedResult<DiscoverOutput>) -> String {
    let DiscoverOutput { schemas, schema_groups, drift, failed_files, .. } = &result.output;
    let mut text = String::new();
    for schema in schemas {
        describe_schema(app, base, &mut text, schema);
    }
    for group in schema_groups {
        let of_group = schemas.iter().filter(|schema| group.schema_ids.contains(&schema.discovery_id));
        let files: Vec<String> = of_group.map(|schema| path_below(app, base, &schema.source_file)).collect();
        if files.len() > 1 {
            text.push_str(&app.terminal.marked(
                0,
                Mark::Note,
                &format!("Same columns: {}", files.join(", ")),
            ));
        }
    }
    // The other warnings say again what follows.
    warnings(
        app,
        &mut text,
        result.common.warnings.iter().filter(|warning| warning.code == "WARN_TRUNCATED"),
    );
    for drift in drift {
        let files: Vec<String> = drift.files.iter().map(|file| path_below(app, base, file)).collect();
        let files = files.join(", ");
        let (column, kind) = (escape::line(&drift.column), cell(&drift.kind));
        text.push_str(&app.terminal.marked(0, Mark::Warn, &format!("Drift: {column} {kind} in {files}")));
    }
    for failed in failed_files {
        let (path, error) = (path(app, Path::new(&failed.path)), escape::line(&failed.error.reason));
        text.push_str(&app.terminal.marked(0, Mark::Bad, &format!("Failed: {path}: {error}")));
    }
    questions(app, &mut text, &result.common);
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn describe_schema(app: &App, base: &Path, text: &mut String, schema: &DiscoveredSchema) {
    let confidence = schema.confidence * 100.0;
    let (format, rows) = (cell(&schema.format), counted(schema.rows_analyzed, "row"));
    let about = match schema.columns.is_empty() {
        false => format!("{format}, {rows} looked at, {confidence:.0} % sure"),
        true => "there are no columns in it".to_owned(),
    };
    let file = path_below(app, base, &schema.source_file);
    let (file, about) = (app.terminal.paint(Tint::Heading, &file), app.terminal.paint(Tint::Dim, &about));
    _ = writeln!(text, "{file}: {about}");
    let columns = [
        fixed("Column", Some(Tint::Name)),
        fixed("Type", Some(Tint::Type)),
        fixed("Nulls", None),
        wraps("Values"),
        wraps("Notes"),
    ];
    let mut table = TerminalTable::new(&columns, 2);
    for column in &schema.columns {
        let shown = &column.sample_values[..column.sample_values.len().min(3)];
        table.row([
            escape::line(&column.name),
            cell(&column.data_type),
            nulls(column),
            listed(shown),
            notes(column),
        ]);
    }
    text.push_str(&table.render(&app.terminal));
    warnings(app, text, &schema.warnings);
    text.push('\n');
}

fn nulls(column: &DiscoveredColumn) -> String {
    match column.null_percentage {
        share if share > 0.0 => format!("{share:.0} %"),
        _ if column.nullable => "allowed".to_owned(),
        _ => String::new(),
    }
}

fn notes(column: &DiscoveredColumn) -> String {
    let mut notes: Vec<String> = Vec::new();
    if column.constraint.needs_human_decision {
        notes.push("needs a decision".to_owned());
    }
    notes.extend(column.format.as_deref().map(escape::line));
    if let Some(near) = &column.near_miss {
        notes.push(format!("{:.0} % {}", near.share * 100.0, near.type_name));
    }
    if !column.alternative_types.is_empty() {
        let others: Vec<String> = column.alternative_types.iter().map(|other| escape::line(other)).collect();
        notes.push(format!("or {}", others.join(", ")));
    }
    notes.join("; ")
}

fn warnings<'a>(app: &App, text: &mut String, warnings: impl IntoIterator<Item = &'a ResultWarning>) {
    for warning in warnings {
        let message = escape::line(&warning.message);
        text.push_str(&app.terminal.marked(0, Mark::Warn, &message));
    }
}

fn questions(app: &App, text: &mut String, common: &Common) {
    for question in &common.questions {
        let asked = escape::line(&question.question);
        _ = writeln!(text, "{} {asked}", app.terminal.paint(Tint::Heading, "?"));
        for option in &question.options {
            let (id, label) = (escape::line(&option.id), escape::line(&option.label));
            let about = app.terminal.paint(Tint::Dim, &escape::line(&option.description));
            _ = writeln!(text, "    {id}: {label}  {about}");
        }
    }
}

/// A rule; and what is beside it: Python, what it reads from the paths, what is to be known.
pub(super) fn extractor(
    app: &App,
    result: &TypedResult<ExtractorOutput>,
    feedback: &str,
) -> (String, String) {
    let rule = highlight::yaml(&app.terminal, &result.output.yaml_rule);
    let mut text = String::new();
    if let Some(code) = &result.output.python_code {
        text.push_str("\n# --- Python, for what the rule can't say ---\n\n");
        text.push_str(&highlight::python(&app.terminal, code));
    }
    let mut table =
        TerminalTable::new(&[fixed("Status", Some(Tint::Good)), wraps("Fields"), wraps("Path")], 2);
    for preview in &result.output.preview_results {
        let field = |(name, value): (&String, &Value)| format!("{}={}", escape::line(name), cell(value));
        let fields: Vec<String> = preview.fields.iter().map(field).collect();
        table.row([cell(&preview.status), fields.join(" "), escape::line(&preview.path)]);
    }
    text.push('\n');
    text.push_str(&table.render(&app.terminal));
    warnings(app, &mut text, &result.common.warnings);
    questions(app, &mut text, &result.common);
    _ = writeln!(text, "\n{}", escape::text(feedback));
    (rule, text)
}

/// A parser's code, as it can be written to a file.
pub(super) fn code(app: &App, result: &TypedResult<GenerateParserOutput>) -> String {
    highlight::python(&app.terminal, &result.output.code)
}

/// What was found about a parser. It goes beside the code, so that the code alone can be written to a file.
pub(super) fn parser(result: &TypedResult<GenerateParserOutput>, feedback: &str) -> String {
    let results = &result.output.validation_results;
    let mut text = format!("\n{feedback}\n");
    for case in &results.test_cases.items {
        let reason = case.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        _ = writeln!(text, "    {} {}{reason}", cell(&case.status), escape::line(&case.name));
    }
    if let Some(reconciliation) = &results.reconciliation {
        _ = writeln!(
            text,
            "  Reconciliation: {}, {} expected, {} read",
            cell(&reconciliation.status),
            counted(reconciliation.rows_expected, "row"),
            reconciliation.rows_actual
        );
        for mismatch in &reconciliation.mismatches {
            let column = escape::line(&mismatch.column);
            let (row, expected, actual) = (mismatch.row, &mismatch.expected, &mismatch.actual);
            _ = writeln!(text, "    row {row}, {column}: expected {expected}, read {actual}");
        }
    }
    for warning in &result.common.warnings {
        _ = writeln!(text, "  warning: {}", escape::line(&warning.message));
    }
    for question in &result.common.questions {
        parser_question(&mut text, question);
    }
    _ = write!(text, "  Draft: {}", escape::line(&result.output.draft_id));
    text
}

fn parser_question(text: &mut String, question: &DecisionQuestion) {
    _ = writeln!(text, "  ? {}", escape::line(&question.question));
    for option in &question.options {
        let (label, description) = (escape::line(&option.label), escape::line(&option.description));
        _ = writeln!(text, "      {label}: {description}");
    }
    let kind = question.id.split_once(':').map_or(question.id.as_str(), |(kind, _)| kind);
    let answer = match kind {
        "date_format" => "--date-order dmy, mdy or ymd; until then the column is text",
        "null_tokens" => "--null for each text that means no value",
        _ => return,
    };
    _ = writeln!(text, "      answer with {answer}");
}

/// What a backtest found.
pub(super) fn backtest(app: &App, result: &TypedResult<BacktestOutput>) -> String {
    let output = &result.output;
    let columns = [
        fixed("Status", Some(Tint::Type)),
        fixed("Rows", None),
        fixed("File", Some(Tint::Name)),
        fixed("Kind", Some(Tint::Warn)),
        wraps("Error"),
    ];
    let mut table = TerminalTable::new(&columns, 0);
    for file in &output.results {
        let path = path(app, Path::new(&file.path));
        table.row([cell(&file.status), file.rows.to_string(), path, cell(&file.category), cell(&file.error)]);
    }
    let verdict = format!(
        "{} of {} {} ({:.0} %), {}: {}",
        output.files_passed,
        counted(output.files_tested as u64, "file"),
        if output.files_tested == 1 { "passes" } else { "pass" },
        output.final_pass_rate * 100.0,
        counted(output.rows_emitted, "row"),
        cell(&output.termination_reason).replace('_', " ")
    );
    let mark = if output.success { Mark::Good } else { Mark::Bad };
    let mut text = table.render(&app.terminal) + &app.terminal.marked(0, mark, &verdict);
    if let Some(reason) = &output.skip_reason {
        text.push_str(&app.terminal.marked(0, Mark::Note, &format!("Skipped: {}", escape::line(reason))));
    }
    warnings(app, &mut text, &result.common.warnings);
    text
}

/// What a pipeline wrote.
pub(super) fn pipeline(app: &App, result: &TypedResult<PipelineOutput>) -> String {
    let output = &result.output;
    let columns = [fixed("Rows", None), fixed("File", Some(Tint::Name)), wraps("Table"), wraps("Error")];
    let mut table = TerminalTable::new(&columns, 0);
    for file in &output.file_results {
        let written = file.output_file.as_deref().unwrap_or_default();
        table.row([
            file.rows_processed.to_string(),
            path(app, Path::new(&file.input_file)),
            path(app, Path::new(written)),
            cell(&file.error),
        ]);
    }
    let mark = if output.success { Mark::Good } else { Mark::Bad };
    let verdict = app.terminal.marked(0, mark, &pipeline_verdict(output));
    let mut text = table.render(&app.terminal) + &verdict;
    warnings(app, &mut text, &result.common.warnings);
    if output.errors.iter().any(|error| error.ends_with("exists already")) {
        let hint = "--overwrite replaces tables; --incremental does only what is new";
        text.push_str(&app.terminal.hang(&[(Some(Tint::Name), "hint: ")], None, hint));
    }
    text
}

fn pipeline_verdict(output: &PipelineOutput) -> String {
    let is_incremental = output.mode == PipelineMode::Incremental;
    if is_incremental && output.files_succeeded == 0 && output.files_failed == 0 {
        return format!("Nothing to write: {} up to date", counted(output.files_skipped as u64, "table"));
    }
    let written = if output.mode == PipelineMode::DryRun { "would be written" } else { "written" };
    let (rows, files) = (counted(output.total_rows, "row"), counted(output.files_succeeded as u64, "file"));
    let mut verdict = format!("{rows} of {files} {written} as {}", output.output_format.as_str());
    let idle = if is_incremental { "up to date" } else { "not come to" };
    for (count, what) in [(output.files_failed, "failed"), (output.files_skipped, idle)] {
        if count != 0 {
            _ = write!(verdict, ", {count} {what}");
        }
    }
    verdict
}
