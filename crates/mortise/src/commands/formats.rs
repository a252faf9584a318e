//! `mortise formats`: do results of tools keep the rules of the output formats.

mod view;

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use mortise_formats::check;
use serde_json::Value;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;

/// The largest result that is read: what fits one frame.
const LIMIT: u64 = 64 * 1024 * 1024;

/// Arguments of `mortise formats`.
#[derive(Clone, Debug, Args)]
pub(crate) struct FormatsArgs {
    #[command(subcommand)]
    command: FormatsCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum FormatsCommand {
    /// Check the result of a tool against the rules of the output formats
    Check(CheckArgs),
}

#[derive(Clone, Debug, Args)]
struct CheckArgs {
    /// The result as JSON: of tools/call, the response around it, or its structured value; - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The tool that returned it; then what only that tool must keep is checked too
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
}

/// Checks a result; exit 6 when it breaks a rule.
pub(crate) fn run(app: &App, args: &FormatsArgs) -> Result<Exit, Failure> {
    let FormatsCommand::Check(args) = &args.command;
    let answer = answer(app, &args.file)?;
    let report = check::check(&answer, args.tool.as_deref());
    match app.global.json {
        true => app.print_json(&report.to_value().to_string())?,
        false => app.print(&view::view(&app.terminal, &report))?,
    }
    Ok(match report.holds() {
        true => Exit::Ok,
        false => Exit::ContractViolated,
    })
}

fn answer(app: &App, path: &Path) -> Result<Value, Failure> {
    let name = match path == Path::new("-") {
        true => "stdin".to_owned(),
        false => format!("`{}`", path.display()),
    };
    let failed =
        |error: std::io::Error| Failure::new(Exit::Usage, format!("cannot read {name}")).because(&error);
    let text = match path == Path::new("-") {
        true => read(std::io::stdin().lock()).map_err(failed)?,
        false => {
            let file = std::fs::File::open(app.environment.absolute(path)).map_err(failed)?;
            read(file).map_err(failed)?
        }
    };
    serde_json::from_str(&text).map_err(|error| {
        Failure::new(Exit::Usage, format!("{name} is not JSON"))
            .because(&error)
            .hint("`mortise call TOOL --json` prints a result that can be checked")
    })
}

fn read(input: impl Read) -> std::io::Result<String> {
    let mut text = String::new();
    let length = input.take(LIMIT + 1).read_to_string(&mut text)?;
    match length as u64 > LIMIT {
        true => Err(std::io::Error::new(
            std::io::ErrorKind::FileTooLarge,
            format!("it is larger than {LIMIT} bytes"),
        )),
        false => Ok(text),
    }
}
