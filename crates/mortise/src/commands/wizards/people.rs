//! The wizards as commands: what they take, and what becomes of the answer.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mortise_wizards::answer::TypedResult;
use serde_json::{Value, json};

use super::calling::{WizardCall, WizardSession};
use super::{PlaceArgs, view};
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;

/// Arguments of `mortise wizards scan`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ScanArgs {
    /// The folder
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// How deep to look
    #[arg(long, value_name = "LEVELS", default_value_t = 5)]
    depth: u32,
    /// Files at most
    #[arg(long, value_name = "COUNT", default_value_t = 1_000)]
    max_files: u32,
    /// Hidden files too
    #[arg(long)]
    hidden: bool,
}

/// Arguments of `mortise wizards describe`.
#[derive(Clone, Debug, Args)]
pub(crate) struct DescribeArgs {
    /// Files, or folders of them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Rows to look at
    #[arg(long, value_name = "COUNT", default_value_t = 1_000)]
    rows: u64,
}

/// Arguments of `mortise wizards extract`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ExtractArgs {
    /// Sample paths, or a folder whose files are the samples
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// What the paths mean: `segment(-2) = client`, `Quarter folder should compute start/end month`
    #[arg(long, value_name = "TEXT")]
    hint: Option<String>,
    /// The source that the paths belong to, whose settings in mortise.yaml then hold
    #[arg(long, value_name = "ID")]
    source: Option<String>,
    /// Keep the rule at once if it fits all paths and no question is open
    #[arg(long)]
    commit: bool,
}

/// Arguments of `mortise wizards parser`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ParserArgs {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Where the parser's rows are to go
    #[arg(long, value_name = "KIND", value_enum, default_value_t)]
    sink: RowFormat,
    /// How ambiguous days are written
    #[arg(long, value_name = "ORDER", value_enum)]
    date_order: Option<DateOrderArg>,
    /// Leave rows with bad cells out and count them, instead of stopping
    #[arg(long)]
    collect_bad_rows: bool,
    /// What stands between cells, instead of what is found
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<String>,
    /// Lines before the table, instead of what is found
    #[arg(long, value_name = "COUNT")]
    skip_rows: Option<u64>,
    /// A cell that means no value (repeatable), instead of the usual ones
    #[arg(long, value_name = "TEXT")]
    null: Vec<String>,
    /// Keep the parser at once if it is valid and no question is open
    #[arg(long)]
    commit: bool,
}

/// Arguments of `mortise wizards backtest`.
#[derive(Clone, Debug, Args)]
pub(crate) struct BacktestArgs {
    /// Files, or folders of them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    code: CodeArgs,
    /// The share of files that must pass
    #[arg(long, value_name = "SHARE", default_value_t = 0.95)]
    target: f64,
    /// Look at all files, however many fail
    #[arg(long)]
    all: bool,
}

/// Arguments of `mortise wizards run`.
#[derive(Clone, Debug, Args)]
pub(crate) struct WizardRunArgs {
    /// Files, or folders of them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    code: CodeArgs,
    /// The kind of table, instead of what the parser says
    #[arg(long, value_name = "KIND", value_enum)]
    format: Option<RowFormat>,
    /// A folder below the output folder
    #[arg(long, value_name = "DIR")]
    into: Option<String>,
    /// Only files whose table is missing or older
    #[arg(long, conflicts_with = "dry_run")]
    incremental: bool,
    /// Read everything and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Replace tables that are there
    #[arg(long)]
    overwrite: bool,
    /// Stop at the first file that fails
    #[arg(long)]
    fail_fast: bool,
}

/// Where the parser comes from.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct CodeArgs {
    /// The parser's Python file
    #[arg(long, value_name = "FILE")]
    parser: Option<PathBuf>,
    /// A draft of `mortise wizards parser`
    #[arg(long, value_name = "ID")]
    draft: Option<String>,
    /// An approved contract, read without a parser
    #[arg(long, value_name = "ID")]
    contract: Option<String>,
}

/// Where rows go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum RowFormat {
    #[default]
    Parquet,
    Sqlite,
    Csv,
}

/// How days are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DateOrderArg {
    /// Day, month, year
    Dmy,
    /// Month, day, year
    Mdy,
    /// Year, month, day
    Ymd,
}

fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Lists the files of a folder.
pub(super) fn scan(app: &App, place: &PlaceArgs, args: &ScanArgs) -> Result<Exit, Failure> {
    let folder = app.environment.absolute(&args.folder);
    let session = WizardSession::new(app, place, std::slice::from_ref(&folder))?;
    let call = session.call(
        app,
        "quick_scan",
        json!({
            "path": text(&folder),
            "max_files": args.max_files,
            "max_depth": args.depth,
            "include_hidden": args.hidden,
        }),
    )?;
    let base = session.base()?;
    show(app, &call, |app, result| view::scan(app, &base, result))
}

/// Shows what is in files.
pub(super) fn describe(app: &App, place: &PlaceArgs, args: &DescribeArgs) -> Result<Exit, Failure> {
    let (session, files) = open(app, place, &args.files)?;
    let call = session.call(app, "discover_schemas", json!({"files": files, "max_rows": args.rows}))?;
    let base = session.base()?;
    show(app, &call, |app, result| view::describe(app, &base, result))?;
    Ok(exit_of(call.result.output.failed_files.is_empty()))
}

/// Writes a rule for paths.
pub(super) fn extract(app: &App, place: &PlaceArgs, args: &ExtractArgs) -> Result<Exit, Failure> {
    let absolute: Vec<PathBuf> = args.paths.iter().map(|path| app.environment.absolute(path)).collect();
    // Sample paths need not exist, so only a folder that does is looked into.
    let existing: Vec<PathBuf> = absolute.iter().filter(|path| path.is_dir()).cloned().collect();
    let place_for =
        if existing.is_empty() { vec![app.environment.working_directory.clone()] } else { existing };
    let session = WizardSession::new(app, place, &place_for)?;
    let mut paths: Vec<String> = Vec::new();
    for (given, absolute) in args.paths.iter().zip(&absolute) {
        match absolute.is_dir() {
            true => {
                for file in session.files_below(absolute)? {
                    paths.push(text(&session.placed(&file)?));
                }
            }
            false => paths.push(text(given)),
        }
    }
    if paths.is_empty() {
        return Err(Failure::new(Exit::Usage, "there are no files there").hint("name paths of files"));
    }
    let mut arguments = json!({"sample_paths": paths, "auto_approve": args.commit});
    insert(&mut arguments, "hint", args.hint.clone());
    insert(&mut arguments, "source_id", args.source.clone());
    let call = session.call(app, "generate_extractor", arguments)?;
    let (rule, about) = view::extractor(app, &call.result, &call.feedback);
    match app.terminal.stdout_is_terminal() {
        _ if app.global.json => app.print_json(&call.json.to_string())?,
        true => app.print(&(rule + &about))?,
        // The rule alone can be written to a file.
        false => {
            app.print(&rule)?;
            app.terminal.say_painted(&about);
        }
    }
    Ok(Exit::Ok)
}

/// Writes a parser and runs it.
pub(super) fn parser(app: &App, place: &PlaceArgs, args: &ParserArgs) -> Result<Exit, Failure> {
    let file = app.environment.absolute(&args.file);
    let session = WizardSession::new(app, place, std::slice::from_ref(&file))?;
    let mut options = json!({
        "sink_type": word(args.sink),
        "bad_cells": if args.collect_bad_rows { "collect" } else { "raise" },
    });
    insert(&mut options, "date_order", args.date_order.map(word));
    insert(&mut options, "delimiter", args.delimiter.clone());
    insert(&mut options, "skip_rows", args.skip_rows);
    insert(&mut options, "null_values", (!args.null.is_empty()).then(|| args.null.clone()));
    let arguments = json!({"file_path": text(&file), "auto_approve": args.commit, "options": options});
    let call = session.call(app, "generate_parser", arguments)?;
    show(app, &call, view::code)?;
    if !app.global.json {
        app.terminal.say(&view::parser(&call.result, &call.feedback));
    }
    Ok(exit_of(call.result.output.validation_results.is_valid))
}

/// Runs a parser on all files.
pub(super) fn backtest(app: &App, place: &PlaceArgs, args: &BacktestArgs) -> Result<Exit, Failure> {
    let (session, files) = open(app, place, &args.files)?;
    let mut arguments = json!({
        "files": files,
        "config": {"pass_rate_threshold": args.target, "early_stop_enabled": !args.all, "max_duration_secs": 86_400},
    });
    add_code(app, &mut arguments, &args.code)?;
    let call = session.call(app, "run_backtest", arguments)?;
    show(app, &call, view::backtest)?;
    Ok(exit_of(call.result.output.success))
}

/// Writes the rows of files as tables.
pub(super) fn run(app: &App, place: &PlaceArgs, args: &WizardRunArgs) -> Result<Exit, Failure> {
    let (session, files) = open(app, place, &args.files)?;
    let mode = match (args.incremental, args.dry_run) {
        (true, _) => "incremental",
        (_, true) => "dry_run",
        _ => "full",
    };
    let mut config = json!({"mode": mode, "overwrite": args.overwrite, "fail_fast": args.fail_fast});
    insert(&mut config, "output_format", args.format.map(word));
    insert(&mut config, "output_dir", args.into.clone());
    let mut arguments = json!({"files": files, "config": config});
    add_code(app, &mut arguments, &args.code)?;
    let call = session.call(app, "execute_pipeline", arguments)?;
    show(app, &call, view::pipeline)?;
    Ok(exit_of(call.result.output.success))
}

/// Prints a result: JSON for programs, else what `view` makes of it.
fn show<T>(
    app: &App,
    call: &WizardCall<T>,
    view: impl FnOnce(&App, &TypedResult<T>) -> String,
) -> Result<Exit, Failure> {
    match app.global.json {
        true => app.print_json(&call.json.to_string())?,
        false => app.print(&view(app, &call.result))?,
    }
    Ok(Exit::Ok)
}

fn exit_of(is_good: bool) -> Exit {
    if is_good { Exit::Ok } else { Exit::ToolFailed }
}

/// A session that reads the named files, and their paths; folders are looked into.
fn open(app: &App, place: &PlaceArgs, named: &[PathBuf]) -> Result<(WizardSession, Vec<String>), Failure> {
    let absolute: Vec<PathBuf> = named.iter().map(|path| app.environment.absolute(path)).collect();
    let session = WizardSession::new(app, place, &absolute)?;
    let mut files = Vec::new();
    for path in &absolute {
        match path.is_dir() {
            true => files.extend(scanned(&session, path)?),
            false => files.push(text(path)),
        }
    }
    // A folder and something in it may both be named.
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.clone()));
    match files.is_empty() {
        true => Err(Failure::new(Exit::Usage, "there are no data files there").hint(
            "data files end in .csv, .tsv, .txt, .json, .ndjson, .jsonl or .parquet, plain or with .gz",
        )),
        false => Ok((session, files)),
    }
}

/// The data files below a folder.
fn scanned(session: &WizardSession, folder: &Path) -> Result<Vec<String>, Failure> {
    const ENDINGS: [&str; 8] = ["csv", "tsv", "txt", "tab", "json", "ndjson", "jsonl", "parquet"];
    let is_data = |path: &String| {
        let plain = path.strip_suffix(".gz").unwrap_or(path);
        plain.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending.to_lowercase().as_str()))
    };
    Ok(session.files_below(folder)?.iter().map(|file| text(file)).filter(is_data).collect())
}

fn add_code(app: &App, arguments: &mut Value, code: &CodeArgs) -> Result<(), Failure> {
    if let Some(path) = &code.parser {
        let path = app.environment.absolute(path);
        let source = std::fs::read_to_string(&path).map_err(|error| {
            Failure::new(Exit::Usage, format!("cannot read `{}`", path.display())).because(&error)
        })?;
        insert(arguments, "parser_code", Some(source));
    }
    insert(arguments, "draft_id", code.draft.clone());
    insert(arguments, "contract_id", code.contract.clone());
    Ok(())
}

fn insert(object: &mut Value, name: &str, value: Option<impl Into<Value>>) {
    if let (Value::Object(members), Some(value)) = (object, value) {
        members.insert(name.to_owned(), value.into());
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
