//! `mortise install`: writes mortise into another program's file, so that its agent uses all servers.

mod file_change;

use std::path::{Path, PathBuf};

use clap::Args;
use mortise_config::install::{self, InstallEdit, InstallError, Launch};
use mortise_config::programs::{FileScope, PROGRAMS, Program, ProgramFile};
use serde_json::json;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::find::nearest;
use crate::overview::short_path;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::{Mark, Tint, escape};
use crate::{editing, overview, question};

/// Arguments of `mortise install`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  mortise install claude             show the change, ask, write
  mortise install codex --yes        do not ask
  mortise install cursor --project   into this project's .cursor/mcp.json
  mortise install claude --undo      take it out again")]
pub(crate) struct InstallArgs {
    /// The program; without one, the programs are listed
    #[arg(value_name = "PROGRAM")]
    program: Option<String>,
    /// Write the project's file in place of your own
    #[arg(long)]
    project: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// Only show the change
    #[arg(long)]
    dry_run: bool,
    /// Take mortise out of the file; without later changes the old file is restored
    #[arg(long)]
    undo: bool,
}

/// Shows the change, asks and writes.
pub(crate) fn run(app: &App, args: &InstallArgs) -> Result<Exit, Failure> {
    let Some(word) = &args.program else { return list(app) };
    let program = Program::find(word).ok_or_else(|| unknown(word))?;
    let scope = if args.project { FileScope::Project } else { FileScope::User };
    let edit = match args.undo {
        false => install::install(&app.environment, program, scope, &launch(app)).map(Some),
        true => install::undo(&app.environment, program, scope),
    };
    let edit = edit.map_err(|error| refused(program, &error))?;
    let Some(edit) = edit else {
        app.terminal.note(&format!("{} does not have mortise in its file", program.name));
        return Ok(Exit::Ok);
    };
    if !args.undo && edit.is_nothing() {
        let path = short_path(app, &edit.file.path);
        app.terminal.note(&format!("{} has mortise already, in {path}", program.name));
        return Ok(Exit::Ok);
    }
    show(app, args, &edit)?;
    if args.dry_run {
        app.terminal.note("nothing was written");
        return Ok(Exit::Ok);
    }
    if !args.yes {
        if !app.terminal.is_interactive() {
            return Err(Failure::new(Exit::Usage, "there is no terminal to ask on, so nothing was written")
                .hint("`--yes` writes without asking, `--dry-run` only shows the change"));
        }
        if !question::is_yes(app, if args.undo { "Take it out?" } else { "Write it?" }) {
            app.terminal.note("nothing was written");
            return Ok(Exit::Ok);
        }
    }
    write(app, args, program, &edit)
}

fn write(app: &App, args: &InstallArgs, program: &Program, edit: &InstallEdit) -> Result<Exit, Failure> {
    if !args.undo
        && let Err(error) = edit.keep_backup(&app.environment)
    {
        app.terminal.warn(&format!("no copy of the old file could be kept: {error}"));
    }
    edit.file.save().map_err(|error| editing::not_saved(&error))?;
    let text = match args.undo {
        false => format!(
            "{} starts mortise from its next start on; undo it with: mortise install {} --undo{}",
            program.name,
            program.id,
            if args.project { " --project" } else { "" }
        ),
        true => format!("{} no longer starts mortise from its next start on", program.name),
    };
    app.terminal.say_painted(&app.terminal.for_stderr().marked(0, Mark::Good, &escape::text(&text)));
    if !args.undo && overview::look(app).servers.is_empty() {
        app.terminal.warn(
            "no servers are configured for mortise yet; take those that you have with `mortise import`",
        );
    }
    Ok(Exit::Ok)
}

/// The lines that change. Values of other entries are not shown: they may be secrets.
fn show(app: &App, args: &InstallArgs, edit: &InstallEdit) -> Result<(), Failure> {
    let state = if edit.file.before.is_none() { " (a new file)" } else { "" };
    let path = escape::line(&short_path(app, &edit.file.path));
    let mut text =
        format!("{}{}\n", app.terminal.paint(Tint::Heading, &path), app.terminal.paint(Tint::Dim, state));
    let before = edit.file.before.as_deref().unwrap_or_default();
    let change = file_change::view(&app.terminal, before, &edit.file.after, &edit.entry);
    text.push_str(&change.unwrap_or_else(|| entry_alone(app, args, edit)));
    app.print(&text)
}

/// Our entry alone, for a file whose lines do not show the change.
fn entry_alone(app: &App, args: &InstallArgs, edit: &InstallEdit) -> String {
    let (sign, tint) = if args.undo { ("-", Tint::Bad) } else { ("+", Tint::Good) };
    let lines = edit.entry.lines();
    lines
        .map(|line| format!("{}\n", app.terminal.paint(tint, &format!("  {sign} {}", escape::text(line)))))
        .collect()
}

/// How another program starts this one.
fn launch(app: &App) -> Launch {
    let mut args = vec!["serve".to_owned()];
    for file in &app.connect.config {
        args.extend(["--config".to_owned(), app.environment.absolute(file).display().to_string()]);
    }
    let executable = app.environment.executable.clone().unwrap_or_else(|| PathBuf::from("mortise"));
    let text = executable.to_string_lossy();
    // Package runners keep their copies for a while only.
    let runner = if text.contains("/_npx/") {
        Some(("npx", ["-y", "mortise-mcp"].as_slice()))
    } else if text.contains("/uv/archive-v") || text.contains("/uv/environments-v") {
        Some(("uvx", ["mortise-mcp"].as_slice()))
    } else {
        None
    };
    if let Some((command, first)) = runner {
        args.splice(0..0, first.iter().map(|word| (*word).to_owned()));
        return Launch { command: command.to_owned(), args };
    }
    let command = if is_on_path(app, &executable) { "mortise".to_owned() } else { text.into_owned() };
    Launch { command, args }
}

/// Whether `mortise` on the `PATH` is this very program.
fn is_on_path(app: &App, executable: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let path = app.environment.variable("PATH").unwrap_or_default();
    let first = std::env::split_paths(path).map(|folder| folder.join("mortise")).find(|file| file.is_file());
    first.is_some_and(|found| real(&found).is_some() && real(&found) == real(executable))
}

fn unknown(word: &str) -> Failure {
    let failure = Failure::new(Exit::Usage, format!("`{word}` is not a program that mortise knows"));
    match nearest(word, PROGRAMS.iter().map(|program| program.id)) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`mortise install` lists the programs"),
    }
}

fn refused(program: &Program, error: &InstallError) -> Failure {
    let failure = Failure::from_error(Exit::Configuration, error);
    match error {
        InstallError::ReadOnly { .. } => {
            Failure::from_error(Exit::Usage, error).hint(format!("its documentation: {}", program.source))
        }
        InstallError::NoFile { .. } => {
            Failure::from_error(Exit::Usage, error).hint(match program.files.len() {
                1 => "leave out `--project`".to_owned(),
                _ => "set HOME".to_owned(),
            })
        }
        InstallError::Layout { entry, .. } => failure.hint(format!("add this yourself:\n{entry}")),
        InstallError::Syntax { .. } => failure.hint("correct it there first; nothing was written"),
        InstallError::Read { .. } => failure,
    }
}

const COLUMNS: [TableColumn; 4] = [
    TableColumn { title: "", tint: None, fit: Fit::Fixed },
    TableColumn { title: "Name", tint: Some(Tint::Name), fit: Fit::Fixed },
    TableColumn { title: "Program", tint: None, fit: Fit::Fixed },
    TableColumn { title: "File", tint: Some(Tint::Dim), fit: Fit::Wraps },
];

/// The programs that mortise can be written into, those with a file first.
fn list(app: &App) -> Result<Exit, Failure> {
    if app.global.json {
        app.print_json(&table_json())?;
        return Ok(Exit::Ok);
    }
    let launch = launch(app);
    let mut rows = Vec::new();
    for program in PROGRAMS.iter().filter(|program| program.entry.is_some()) {
        let Ok(edit) = install::install(&app.environment, program, FileScope::User, &launch) else {
            continue;
        };
        let has_entry = matches!(install::undo(&app.environment, program, FileScope::User), Ok(Some(_)));
        let (order, mark, state) = match (has_entry, edit.file.before.is_some()) {
            (true, _) => (0, Mark::Good, ", has mortise"),
            (false, true) => (1, Mark::Note, ""),
            (false, false) => (2, Mark::Note, ", not there"),
        };
        let path = format!("{}{state}", short_path(app, &edit.file.path));
        rows.push((order, mark, [program.id.to_owned(), program.name.to_owned(), escape::line(&path)]));
    }
    rows.sort_by_key(|(order, ..)| *order);
    let mut table = TerminalTable::new(&COLUMNS, 0);
    rows.into_iter().for_each(|(_, mark, cells)| table.marked_row(mark, cells));
    app.print(&table.render(&app.terminal))?;
    app.terminal.note("`mortise install NAME` shows the change and asks before it writes");
    Ok(Exit::Ok)
}

/// The whole table, of which `docs/reference/programs.md` is made.
fn table_json() -> String {
    let file = |file: &ProgramFile| {
        let scope = if file.scope == FileScope::User { "user" } else { "project" };
        json!({ "scope": scope, "location": file.shown(), "key": file.keys.join(".") })
    };
    let program = |program: &Program| {
        let files: Vec<_> = program.files.iter().map(file).collect();
        let installs = program.entry.is_some();
        json!({ "id": program.id, "name": program.name, "installs": installs, "files": files, "source": program.source })
    };
    json!({ "programs": PROGRAMS.iter().map(program).collect::<Vec<_>>() }).to_string()
}
