//! What was found, as a table or as JSON. No secret is shown.

use mortise_config::discover::{FoundFile, FoundState};
use mortise_config::programs::FileScope;
use serde_json::json;

use super::{Fate, Offer};
use crate::app::App;
use crate::failure::Failure;
use crate::overview::short_path;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::{Mark, Tint, escape};

const COLUMNS: [TableColumn; 4] = [
    TableColumn { title: "", tint: None, fit: Fit::Fixed },
    TableColumn { title: "Server", tint: Some(Tint::Name), fit: Fit::Fixed },
    TableColumn { title: "Starts or contacts", tint: None, fit: Fit::Wraps },
    TableColumn { title: "", tint: Some(Tint::Dim), fit: Fit::Wraps },
];

/// Prints what was found, by file.
pub(super) fn print(app: &App, found: &[FoundFile], offers: &[Offer<'_>]) -> Result<(), Failure> {
    if app.global.json {
        return app.print_json(&json(found, offers));
    }
    if found.is_empty() {
        app.terminal.note("no servers were found in the files of other programs");
        return Ok(());
    }
    let mut text = String::new();
    for file in found {
        let program = file.program.map_or("File", |program| program.name);
        let scope = if file.scope == FileScope::Project { ", from this project" } else { "" };
        let path = escape::line(&short_path(app, &file.path));
        let heading = [(Some(Tint::Heading), program), (None, "  "), (Some(Tint::Dim), &path), (None, scope)];
        text.push_str(&app.terminal.pieces(&heading));
        text.push('\n');
        match &file.servers {
            Err(reason) => {
                let reason = format!("can't be read: {}", escape::line(reason));
                text.push_str(&app.terminal.marked(2, Mark::Bad, &reason));
            }
            Ok(_) => text.push_str(&table(file, offers).render(&app.terminal)),
        }
    }
    app.print(&text)
}

fn table(file: &FoundFile, offers: &[Offer<'_>]) -> TerminalTable {
    let mut table = TerminalTable::new(&COLUMNS, 2).without_titles();
    for offer in offers.iter().filter(|offer| std::ptr::eq(offer.file, file)) {
        let (mark, words) = words(offer);
        table.marked_row(
            mark,
            [&offer.server.name, &offer.server.action, &words].map(|cell| escape::line(cell)),
        );
    }
    table
}

fn words(offer: &Offer<'_>) -> (Mark, String) {
    let text = |text: &str| text.to_owned();
    match (&offer.fate, &offer.server.state) {
        (_, FoundState::Unusable(reason)) => (Mark::Bad, reason.clone()),
        (_, FoundState::Mortise) => (Mark::Note, text("is mortise itself")),
        (Fate::Known, _) => (Mark::Note, text("is here already")),
        (Fate::Later, _) => (Mark::Note, text("another one above has this name")),
        (_, FoundState::Disabled(_)) => (Mark::Good, text("is switched off, and stays so")),
        (Fate::Taken | Fate::Open | Fate::Closed, FoundState::Usable(_)) => (Mark::Good, String::new()),
    }
}

fn json(found: &[FoundFile], offers: &[Offer<'_>]) -> String {
    let servers = |file: &FoundFile| -> Vec<_> {
        let of_file = offers.iter().filter(|offer| std::ptr::eq(offer.file, file));
        let one = |offer: &Offer<'_>| {
            let fate = match offer.fate {
                Fate::Open => "open",
                Fate::Taken => "taken",
                Fate::Known => "known",
                Fate::Later => "same_name",
                Fate::Closed => "unusable",
            };
            json!({ "name": offer.server.name, "action": offer.server.action, "state": fate, "detail": words(offer).1 })
        };
        of_file.map(one).collect()
    };
    let files: Vec<_> = found
        .iter()
        .map(|file| {
            json!({
                "program": file.program.map(|program| program.id),
                "path": file.path.to_string_lossy(),
                "from_project": file.scope == FileScope::Project,
                "error": file.servers.as_ref().err(),
                "servers": servers(file),
            })
        })
        .collect();
    json!({ "files": files }).to_string()
}
