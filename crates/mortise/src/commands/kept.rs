//! `mortise kept`: values that programs keep for later ones. Nothing is started or contacted.

use std::time::Duration;

use clap::{Args, Subcommand};
use mortise_contract::RawJson;
use mortise_executor::kept::{KeptEntry, KeptError, KeptFuture, KeptName, KeptOwner, KeptReason, KeptValues};
use mortise_journal::KeptTable;
use serde::Serialize;
use serde_json::json;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::json_text;
use crate::overview::ago;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::units::{self, counted};
use crate::terminal::{Tint, escape};
use crate::{interrupt, journal};

/// Arguments of `mortise kept`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct KeptArgs {
    #[command(subcommand)]
    action: Option<KeptAction>,
    #[command(flatten)]
    owner: OwnerArgs,
}

#[derive(Clone, Debug, Subcommand)]
enum KeptAction {
    /// Print a value as JSON, or the text of a kept output
    Show(ShowKeptArgs),
    /// Remove values
    Remove(RemoveKeptArgs),
}

#[derive(Clone, Debug, Args)]
struct OwnerArgs {
    /// Only values of this caller: what a client calls itself, or `mortise run`
    #[arg(long, value_name = "CALLER")]
    caller: Option<String>,
}

#[derive(Clone, Debug, Args)]
struct ShowKeptArgs {
    /// The name of the value
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    owner: OwnerArgs,
}

#[derive(Clone, Debug, Args)]
struct RemoveKeptArgs {
    /// The names of the values
    #[arg(value_name = "NAME", required_unless_present = "all")]
    names: Vec<String>,
    /// Remove all values, or all of --caller
    #[arg(long, conflicts_with = "names")]
    all: bool,
    #[command(flatten)]
    owner: OwnerArgs,
}

const EXAMPLES: &str = "\
A program keeps a value with `await keep(value, \"name\")`. A later program of the same caller reads it with
`await load(\"name\")`. Output that is too long for an answer is kept under the name `output-RUN`.

Examples:
  mortise kept
  mortise kept show orders
  mortise kept remove orders output-7k2m9q4x0abc
  mortise kept remove --all --caller claude-code";

const COLUMNS: [TableColumn; 5] = [
    TableColumn { title: "Name", tint: Some(Tint::Name), fit: Fit::Fixed },
    TableColumn { title: "Caller", tint: None, fit: Fit::Wraps },
    TableColumn { title: "Size", tint: None, fit: Fit::Fixed },
    TableColumn { title: "Used", tint: None, fit: Fit::Fixed },
    TableColumn { title: "What", tint: None, fit: Fit::Wraps },
];

/// Lists, shows or removes kept values.
pub(crate) fn run(app: &App, args: &KeptArgs) -> Result<Exit, Failure> {
    let table = journal::kept(app)?;
    match &args.action {
        None => list(app, &table, &args.owner),
        Some(KeptAction::Show(args)) => show(app, &table, args),
        Some(KeptAction::Remove(args)) => remove(app, &table, args),
    }
}

/// A value as `--json` lists it.
#[derive(Serialize)]
struct ListedValue<'a> {
    name: &'a str,
    caller: &'a str,
    reason: &'static str,
    bytes: u64,
    shape: &'a str,
    preview: &'a str,
    uri: String,
    kept_ms: u64,
    used_ms: u64,
}

impl<'a> ListedValue<'a> {
    fn of(entry: &'a KeptEntry) -> Self {
        Self {
            name: entry.name.as_str(),
            caller: &entry.caller,
            reason: KeptReason::into(entry.reason),
            bytes: entry.bytes,
            shape: &entry.shape,
            preview: &entry.preview,
            uri: entry.name.uri(),
            kept_ms: entry.kept_ms,
            used_ms: entry.used_ms,
        }
    }
}

fn list(app: &App, table: &KeptTable, owner: &OwnerArgs) -> Result<Exit, Failure> {
    let (entries, now) = (entries(table, owner)?, journal::now_ms());
    if app.global.json {
        let values: Vec<ListedValue<'_>> = entries.iter().map(ListedValue::of).collect();
        app.print_json(&json_text::of(&values)?)?;
        return Ok(Exit::Ok);
    }
    if entries.is_empty() {
        app.terminal.note("no value is kept: programs keep values with `await keep(value, \"name\")`");
        return Ok(Exit::Ok);
    }
    let mut rows = TerminalTable::new(&COLUMNS, 0).right_aligned(&[2]);
    for entry in &entries {
        rows.row([
            entry.name.to_string(),
            escape::line(&entry.caller),
            units::size(entry.bytes),
            ago(Duration::from_millis(now.saturating_sub(entry.used_ms))),
            escape::line(&what(entry)),
        ]);
    }
    app.print_paged(&rows.render(&app.terminal))?;
    Ok(Exit::Ok)
}

fn what(entry: &KeptEntry) -> String {
    match entry.reason {
        KeptReason::Asked => entry.shape.clone(),
        KeptReason::CutOutput => "output that was too long for an answer".to_owned(),
    }
}

fn show(app: &App, table: &KeptTable, args: &ShowKeptArgs) -> Result<Exit, Failure> {
    let entry = find(table, &args.name, &args.owner)?;
    let value: RawJson = wait_for(table.load(&entry.caller, &entry.name))?;
    match (entry.reason, value.value()) {
        (KeptReason::CutOutput, Ok(serde_json::Value::String(text))) if !app.global.json => {
            app.print_paged(&escape::text(&text))?;
        }
        _ => app.print_json(value.text())?,
    }
    Ok(Exit::Ok)
}

fn remove(app: &App, table: &KeptTable, args: &RemoveKeptArgs) -> Result<Exit, Failure> {
    let chosen = match args.all {
        true => entries(table, &args.owner)?,
        // All names are looked up first: a wrong one removes nothing.
        false => {
            let found = args.names.iter().map(|name| find(table, name, &args.owner));
            found.collect::<Result<Vec<_>, _>>()?
        }
    };
    let mut removed = 0;
    for entry in &chosen {
        removed += usize::from(wait_for(table.remove(&entry.caller, &entry.name))?);
    }
    if app.global.json {
        app.print_json(&json!({ "removed": removed }).to_string())?;
        return Ok(Exit::Ok);
    }
    app.terminal.note(&format!("removed {}", counted(removed, "value")));
    Ok(Exit::Ok)
}

fn entries(table: &KeptTable, owner: &OwnerArgs) -> Result<Vec<KeptEntry>, Failure> {
    let whose = owner.caller.clone().map_or(KeptOwner::Everyone, KeptOwner::Caller);
    wait_for(table.list(whose))
}

/// The only value of a name.
fn find(table: &KeptTable, name: &str, owner: &OwnerArgs) -> Result<KeptEntry, Failure> {
    let name = KeptName::parse(name).map_err(|error| failed(&error))?;
    let known = entries(table, owner)?;
    let mut meant = known.iter().filter(|entry| entry.name == name);
    match (meant.next(), meant.next()) {
        (Some(only), None) => Ok(only.clone()),
        (Some(one), Some(other)) => {
            let message = format!(
                "`{name}` is kept by several callers, `{}` and `{}` among them",
                escape::line(&one.caller),
                escape::line(&other.caller)
            );
            Err(Failure::new(Exit::Usage, message).hint("say whose with --caller"))
        }
        (None, _) => Err(failed(&KeptError::no_value(&name, known.iter().map(|entry| entry.name.as_str())))),
    }
}

fn wait_for<T>(work: KeptFuture<T>) -> Result<T, Failure> {
    interrupt::block_on_plainly(async { work.await.map_err(|error| failed(&error)) })
}

fn failed(error: &KeptError) -> Failure {
    match error {
        KeptError::Store { .. } => Failure::from_error(Exit::Configuration, error),
        KeptError::NoValue { .. } => {
            Failure::from_error(Exit::Usage, error).hint("`mortise kept` lists what is kept")
        }
        _ => Failure::from_error(Exit::Usage, error),
    }
}
