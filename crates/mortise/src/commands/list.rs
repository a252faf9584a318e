//! `mortise list`: the configured servers and what is known about them. Nothing is started.

use clap::Args;
use serde_json::json;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::overview::{self, Overview, ServerState, short_path};
use crate::servers;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::{Tint, escape};

/// Arguments of `mortise list`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ListArgs {}

const COLUMNS: [TableColumn; 5] = [
    TableColumn { title: "", tint: None, fit: Fit::Fixed },
    TableColumn { title: "Server", tint: Some(Tint::Name), fit: Fit::Fixed },
    TableColumn { title: "State", tint: None, fit: Fit::Wraps },
    TableColumn { title: "Starts or contacts", tint: None, fit: Fit::Wraps },
    TableColumn { title: "File", tint: Some(Tint::Dim), fit: Fit::Wraps },
];

/// Prints the servers.
pub(crate) fn run(app: &App, _: &ListArgs) -> Result<Exit, Failure> {
    let overview = overview::look(app);
    if app.global.json {
        app.print_json(&json(&overview))?;
        return Ok(exit(&overview));
    }
    if let Some(path) = &overview.untrusted {
        app.terminal.warn(&format!("`{}` is not trusted and not used: mortise trust", path.display()));
    }
    if let Some(problem) = &overview.problem {
        app.terminal.warn(problem);
    }
    if overview.servers.is_empty() {
        if overview.problem.is_none() {
            app.terminal.note(&format!("no servers are configured: {}", servers::WAYS.join("; ")));
        }
        return Ok(exit(&overview));
    }
    let first = overview.servers.first().map(|row| row.file.clone());
    let one_file = first.filter(|file| overview.servers.iter().all(|row| row.file == *file));
    let mut text = table(app, &overview, one_file.is_some()).render(&app.terminal);
    if let Some(file) = one_file {
        let file = format!("in {}", escape::line(&short_path(app, &file)));
        text.push_str(&format!("{}\n", app.terminal.paint(Tint::Dim, &file)));
    }
    app.print(&text)?;
    Ok(exit(&overview))
}

fn exit(overview: &Overview) -> Exit {
    if overview.problem.is_some() { Exit::Configuration } else { Exit::Ok }
}

/// One row per server; the column of files is left out where they are all of one.
fn table(app: &App, overview: &Overview, is_one_file: bool) -> TerminalTable {
    let mut table = TerminalTable::new(&COLUMNS, 0);
    for row in &overview.servers {
        let words = match &row.state {
            ServerState::LoginWanted => format!("login needed: mortise login {}", row.name),
            state => state.words(),
        };
        let file = if is_one_file { String::new() } else { short_path(app, &row.file) };
        let texts = [&row.name, &words, &row.action, &file].map(|cell| escape::line(cell));
        table.marked_row(row.state.mark(), texts);
    }
    table
}

fn json(overview: &Overview) -> String {
    let servers: Vec<_> = overview
        .servers
        .iter()
        .map(|row| {
            let tools = match row.state {
                ServerState::Seen { tools, .. } => Some(tools),
                _ => None,
            };
            json!({
                "name": row.name, "state": row.state.label(), "detail": row.state.words(), "tools": tools,
                "action": row.action, "file": row.file.to_string_lossy(),
            })
        })
        .collect();
    let untrusted = overview.untrusted.as_ref().map(|path| path.to_string_lossy());
    json!({ "servers": servers, "untrusted": untrusted, "problem": overview.problem }).to_string()
}
