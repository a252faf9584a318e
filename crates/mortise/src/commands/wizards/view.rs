//! What a person sees of the wizards' results.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::highlight;
use crate::app::App;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::{Tint, escape};

const fn fixed(title: &'static str, tint: Option<Tint>) -> TableColumn {
    TableColumn { title, tint, fit: Fit::Fixed }
}

const fn wraps(title: &'static str) -> TableColumn {
    TableColumn { title, tint: None, fit: Fit::Wraps }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => escape::line(text),
        other => escape::line(&other.to_string()),
    }
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A path as the user would name it here.
fn path(app: &App, value: &Value) -> String {
    let path = Path::new(value.as_str().unwrap_or_default());
    let here = &app.environment.working_directory;
    // Files are told with links resolved.
    let resolved = here.canonicalize();
    let below = path.strip_prefix(here).or_else(|_| path.strip_prefix(resolved.as_ref().unwrap_or(here)));
    escape::line(&below.unwrap_or(path).to_string_lossy())
}

/// The same for one that the wizards tell as it is seen from `base`.
fn path_below(app: &App, base: &Path, value: &Value) -> String {
    let whole = base.join(value.as_str().unwrap_or_default());
    path(app, &Value::from(whole.to_string_lossy()))
}

/// Values in a row; quotes where it could not be seen where one ends.
fn listed<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    let shown = values.map(|value| {
        let text = cell(value);
        if text.contains(", ") { format!("\"{text}\"") } else { text }
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// A count with its noun.
fn counted(count: &Value, one: &str) -> String {
    let plural = if count.as_u64() == Some(1) { "" } else { "s" };
    format!("{} {one}{plural}", count.as_u64().unwrap_or(0))
}

/// A size as people read it.
fn size(bytes: &Value) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let bytes = bytes.as_u64().unwrap_or(0);
    match UNITS.into_iter().find(|(_, one)| bytes >= *one) {
        Some((unit, one)) => format!("{}.{} {unit}", bytes / one, bytes % one * 10 / one),
        None => format!("{bytes} B"),
    }
}

/// The files of a folder.
pub(super) fn scan(app: &App, base: &Path, result: &Value) -> String {
    let mut table = TerminalTable::new(
        &[fixed("KIND", Some(Tint::Type)), fixed("SIZE", None), fixed("PATH", Some(Tint::Name))],
        0,
    );
    for (kind, files) in result["by_extension"].as_object().into_iter().flatten() {
        for file in items(files) {
            table.row([escape::line(kind), size(&file["size"]), path_below(app, base, &file["path"])]);
        }
    }
    let more = if result["truncated"] == true { ", there are more" } else { "" };
    let head = format!("{}, {}{more}\n", counted(&result["file_count"], "file"), size(&result["total_size"]));
    let mut text = table.render(&app.terminal) + &head;
    for entry in items(&result["unreadable"]) {
        let (path, reason) = (path_below(app, base, &entry["path"]), cell(&entry["reason"]));
        _ = writeln!(text, "{} {path}: {reason}", app.terminal.paint(Tint::Warn, "unreadable:"));
    }
    text
}

/// The schemas of files.
pub(super) fn describe(app: &App, base: &Path, result: &Value) -> String {
    let mut text = String::new();
    for schema in items(&result["schemas"]) {
        let confidence = schema["confidence"].as_f64().unwrap_or(0.0) * 100.0;
        let (format, rows) = (cell(&schema["format"]), counted(&schema["rows_analyzed"], "row"));
        let about = match items(&schema["columns"]).next() {
            Some(_) => format!("{format}, {rows} looked at, {confidence:.0} % sure"),
            None => "there are no columns in it".to_owned(),
        };
        let file = path_below(app, base, &schema["source_file"]);
        let (file, about) = (app.terminal.paint(Tint::Heading, &file), app.terminal.paint(Tint::Dim, &about));
        _ = writeln!(text, "{file}: {about}");
        let columns = [
            fixed("COLUMN", Some(Tint::Name)),
            fixed("TYPE", Some(Tint::Type)),
            fixed("NULLS", None),
            wraps("VALUES"),
            wraps("NOTES"),
        ];
        let mut table = TerminalTable::new(&columns, 2);
        for column in items(&schema["columns"]) {
            table.row([
                cell(&column["name"]),
                cell(&column["data_type"]),
                nulls(column),
                listed(items(&column["sample_values"]).take(3)),
                notes(column),
            ]);
        }
        text.push_str(&table.render(&app.terminal));
        warnings(app, &mut text, &schema["warnings"]);
        text.push('\n');
    }
    for group in items(&result["schema_groups"]) {
        let ids: Vec<&Value> = items(&group["schema_ids"]).collect();
        let of_group = items(&result["schemas"]).filter(|schema| ids.contains(&&schema["discovery_id"]));
        let files: Vec<String> =
            of_group.map(|schema| path_below(app, base, &schema["source_file"])).collect();
        if files.len() > 1 {
            _ = writeln!(text, "{} {}", app.terminal.paint(Tint::Dim, "same columns:"), files.join(", "));
        }
    }
    // The other warnings say again what follows.
    let left_out = items(&result["warnings"]).filter(|warning| warning["code"] == "WARN_TRUNCATED");
    warnings(app, &mut text, &left_out.cloned().collect());
    for drift in items(&result["drift"]) {
        let files: Vec<String> = items(&drift["files"]).map(|file| path_below(app, base, file)).collect();
        let files = files.join(", ");
        let (column, kind) = (cell(&drift["column"]), cell(&drift["kind"]));
        _ = writeln!(text, "{} {column} {kind} in {files}", app.terminal.paint(Tint::Warn, "drift:"));
    }
    for failed in items(&result["failed_files"]) {
        let (path, error) = (path(app, &failed["path"]), cell(&failed["error"]["reason"]));
        _ = writeln!(text, "{} {path}: {error}", app.terminal.paint(Tint::Bad, "failed:"));
    }
    questions(app, &mut text, result);
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn nulls(column: &Value) -> String {
    match column["null_percentage"].as_f64() {
        Some(share) if share > 0.0 => format!("{share:.0} %"),
        _ if column["nullable"] == true => "allowed".to_owned(),
        _ => String::new(),
    }
}

fn notes(column: &Value) -> String {
    let mut notes: Vec<String> = Vec::new();
    if column["constraint"]["needs_human_decision"] == true {
        notes.push("needs a decision".to_owned());
    }
    notes.extend(column["format"].as_str().map(escape::line));
    if let Some(near) = column["near_miss"]["type"].as_str() {
        let share = column["near_miss"]["share"].as_f64().unwrap_or(0.0) * 100.0;
        notes.push(format!("{share:.0} % {near}"));
    }
    let others = items(&column["alternative_types"]).map(cell).collect::<Vec<_>>().join(", ");
    if !others.is_empty() {
        notes.push(format!("or {others}"));
    }
    notes.join("; ")
}

fn warnings(app: &App, text: &mut String, warnings: &Value) {
    for warning in items(warnings) {
        let message = warning["message"].as_str().map_or_else(|| cell(warning), escape::line);
        _ = writeln!(text, "{} {message}", app.terminal.paint(Tint::Warn, "warning:"));
    }
}

fn questions(app: &App, text: &mut String, result: &Value) {
    for question in items(&result["questions"]) {
        _ = writeln!(text, "{} {}", app.terminal.paint(Tint::Heading, "?"), cell(&question["question"]));
        for option in items(&question["options"]) {
            let (id, label) = (cell(&option["id"]), cell(&option["label"]));
            _ = writeln!(
                text,
                "    {id}: {label}  {}",
                app.terminal.paint(Tint::Dim, &cell(&option["description"]))
            );
        }
    }
}

/// A rule; and what is beside it: Python, what it reads from the paths, what is to be known.
pub(super) fn extractor(app: &App, result: &Value, feedback: &str) -> (String, String) {
    let rule = highlight::yaml(&app.terminal, result["yaml_rule"].as_str().unwrap_or_default());
    let mut text = String::new();
    if let Some(code) = result["python_code"].as_str() {
        text.push_str("\n# --- Python, for what the rule can't say ---\n\n");
        text.push_str(&highlight::python(&app.terminal, code));
    }
    let mut table =
        TerminalTable::new(&[fixed("STATUS", Some(Tint::Good)), wraps("FIELDS"), wraps("PATH")], 2);
    for preview in items(&result["preview_results"]) {
        let fields = preview["fields"].as_object().into_iter().flatten();
        let fields: Vec<String> =
            fields.map(|(name, value)| format!("{}={}", escape::line(name), cell(value))).collect();
        table.row([cell(&preview["status"]), fields.join(" "), cell(&preview["path"])]);
    }
    text.push('\n');
    text.push_str(&table.render(&app.terminal));
    warnings(app, &mut text, &result["warnings"]);
    questions(app, &mut text, result);
    _ = writeln!(text, "\n{}", escape::text(feedback));
    (rule, text)
}

/// A parser's code, as it can be written to a file.
pub(super) fn code(app: &App, result: &Value) -> String {
    highlight::python(&app.terminal, result["code"].as_str().unwrap_or_default())
}

/// What was found about a parser. It goes beside the code, so that the code alone can be written to a file.
pub(super) fn parser(result: &Value, feedback: &str) -> String {
    let results = &result["validation_results"];
    let mut text = format!("\n{feedback}\n");
    for case in items(&results["test_cases"]["items"]) {
        let reason = case["reason"].as_str().map(|reason| format!(": {reason}")).unwrap_or_default();
        _ = writeln!(text, "    {} {}{reason}", cell(&case["status"]), cell(&case["name"]));
    }
    let reconciliation = &results["reconciliation"];
    if reconciliation.is_object() {
        _ = writeln!(
            text,
            "  Reconciliation: {}, {} expected, {} read",
            cell(&reconciliation["status"]),
            counted(&reconciliation["rows_expected"], "row"),
            reconciliation["rows_actual"]
        );
        for mismatch in items(&reconciliation["mismatches"]) {
            _ = writeln!(
                text,
                "    row {}, {}: expected {}, read {}",
                mismatch["row"],
                cell(&mismatch["column"]),
                mismatch["expected"],
                mismatch["actual"]
            );
        }
    }
    for warning in items(&result["warnings"]) {
        _ = writeln!(text, "  warning: {}", cell(&warning["message"]));
    }
    for question in items(&result["questions"]) {
        _ = writeln!(text, "  ? {}", cell(&question["question"]));
        for option in items(&question["options"]) {
            let (label, description) = (cell(&option["label"]), cell(&option["description"]));
            _ = writeln!(text, "      {label}: {description}");
        }
        let kind = question["id"].as_str().unwrap_or_default();
        let answer = match kind.split_once(':').map_or(kind, |(kind, _)| kind) {
            "date_format" => "--date-order dmy, mdy or ymd; until then the column is text",
            "null_tokens" => "--null for each text that means no value",
            _ => continue,
        };
        _ = writeln!(text, "      answer with {answer}");
    }
    _ = write!(text, "  Draft: {}", cell(&result["draft_id"]));
    text
}

/// What a backtest found.
pub(super) fn backtest(app: &App, result: &Value) -> String {
    let columns = [
        fixed("STATUS", Some(Tint::Type)),
        fixed("ROWS", None),
        fixed("FILE", Some(Tint::Name)),
        fixed("KIND", Some(Tint::Warn)),
        wraps("ERROR"),
    ];
    let mut table = TerminalTable::new(&columns, 0);
    for file in items(&result["results"]) {
        let (status, rows, path) = (cell(&file["status"]), cell(&file["rows"]), path(app, &file["path"]));
        table.row([status, rows, path, cell(&file["category"]), cell(&file["error"])]);
    }
    let rate = result["final_pass_rate"].as_f64().unwrap_or(0.0) * 100.0;
    let good = result["success"] == true;
    let verdict = format!(
        "{} of {} {} ({rate:.0} %), {}: {}",
        result["files_passed"],
        counted(&result["files_tested"], "file"),
        if result["files_tested"] == 1 { "passes" } else { "pass" },
        counted(&result["rows_emitted"], "row"),
        cell(&result["termination_reason"]).replace('_', " ")
    );
    let tint = if good { Tint::Good } else { Tint::Bad };
    let mut text = table.render(&app.terminal) + &app.terminal.paint(tint, &verdict) + "\n";
    if let Some(reason) = result["skip_reason"].as_str() {
        _ = writeln!(text, "skipped: {}", escape::line(reason));
    }
    warnings(app, &mut text, &result["warnings"]);
    text
}

/// What a pipeline wrote.
pub(super) fn pipeline(app: &App, result: &Value) -> String {
    let columns = [fixed("ROWS", None), fixed("FILE", Some(Tint::Name)), wraps("TABLE"), wraps("ERROR")];
    let mut table = TerminalTable::new(&columns, 0);
    for file in items(&result["file_results"]) {
        table.row([
            cell(&file["rows_processed"]),
            path(app, &file["input_file"]),
            path(app, &file["output_file"]),
            cell(&file["error"]),
        ]);
    }
    let is_incremental = result["mode"] == "incremental";
    let nothing = result["files_succeeded"] == 0 && result["files_failed"] == 0;
    let verdict = match is_incremental && nothing {
        true => format!("nothing to write: {} up to date", counted(&result["files_skipped"], "table")),
        false => {
            let written = if result["mode"] == "dry_run" { "would be written" } else { "written" };
            let (rows, files) =
                (counted(&result["total_rows"], "row"), counted(&result["files_succeeded"], "file"));
            let mut verdict = format!("{rows} of {files} {written} as {}", cell(&result["output_format"]));
            let idle = if is_incremental { "up to date" } else { "not come to" };
            for (count, what) in [(&result["files_failed"], "failed"), (&result["files_skipped"], idle)] {
                if *count != 0 {
                    _ = write!(verdict, ", {count} {what}");
                }
            }
            verdict
        }
    };
    let tint = if result["success"] == true { Tint::Good } else { Tint::Bad };
    let mut text = table.render(&app.terminal) + &app.terminal.paint(tint, &verdict) + "\n";
    let exists = |error: &Value| error.as_str().is_some_and(|error| error.ends_with("exists already"));
    warnings(app, &mut text, &result["warnings"]);
    if items(&result["errors"]).any(exists) {
        let hint = "--overwrite replaces tables; --incremental does only what is new";
        _ = writeln!(text, "{} {hint}", app.terminal.paint(Tint::Dim, "hint:"));
    }
    text
}
