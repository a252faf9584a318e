//! `mortise formats`: do results of tools keep the rules of the output formats.

mod view;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use mortise_formats::check;
use serde_json::Value;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;

/// Arguments of `mortise formats`.
#[derive(Clone, Debug, Args)]
pub(crate) struct FormatsArgs {
    #[command(subcommand)]
    command: FormatsCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum FormatsCommand {
    /// Check the result of a tool against the rules of the output formats
    Check(FormatCheckArgs),
}

#[derive(Clone, Debug, Args)]
struct FormatCheckArgs {
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
    let answer = answer(&args.file)?;
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

fn answer(path: &Path) -> Result<Value, Failure> {
    let name = match path == Path::new("-") {
        true => "stdin".to_owned(),
        false => format!("`{}`", path.display()),
    };
    let text = input::read(path).map_err(|error| match path == Path::new("-") {
        true => Failure::new(Exit::Usage, "cannot read stdin").because(&error),
        false => input::unreadable(path, &error),
    })?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::new(Exit::Usage, format!("{name} is not JSON"))
            .because(&error)
            .hint("`mortise call TOOL --json` prints a result that can be checked")
    })
}
