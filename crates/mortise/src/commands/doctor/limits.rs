//! Every limit in one table, put together from the tables of the crates.

use mortise_contract::limits::Limit;
use serde_json::Value;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Tint;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};

/// The areas in the order in which they are shown.
const AREAS: [&str; 13] = [
    "program", "upstream", "tester", "wizards", "journal", "config", "schema", "http", "server", "declare",
    "formats", "observed", "name",
];

/// The tables of the crates. A limit that is shown below that of another crate stands behind it.
const TABLES: [&[Limit]; 12] = [
    mortise_contract::limits::LIMITS,
    mortise_script::limits::LIMITS,
    mortise_wizards::limits::LIMITS,
    mortise_config::limits::LIMITS,
    mortise_client::limits::LIMITS,
    mortise_executor::limits::LIMITS,
    mortise_executor::limits::CHECKER_LIMITS,
    mortise_journal::limits::LIMITS,
    mortise_tester::limits::LIMITS,
    mortise_server::limits::LIMITS,
    mortise_declare::limits::LIMITS,
    mortise_formats::limits::LIMITS,
];

/// Every limit, by area.
fn all() -> Vec<&'static Limit> {
    let mut limits: Vec<&Limit> = Vec::new();
    for limit in TABLES.into_iter().flatten() {
        let above = limit
            .after
            .and_then(|name| limits.iter().position(|other| other.area == limit.area && other.name == name));
        limits.insert(above.map_or(limits.len(), |above| above + 1), limit);
    }
    limits.sort_by_key(|limit| AREAS.iter().position(|area| *area == limit.area));
    limits
}

/// Prints the table.
pub(super) fn run(app: &App) -> Result<Exit, Failure> {
    if app.global.json {
        let limits: Vec<Value> = all()
            .into_iter()
            .map(|limit| {
                serde_json::json!({
                    "area": limit.area,
                    "name": limit.name,
                    "value": limit.value,
                    "setting": limit.setting,
                })
            })
            .collect();
        app.print_json(&serde_json::json!({ "limits": limits }).to_string())?;
        return Ok(Exit::Ok);
    }
    let columns = [
        TableColumn { title: "Area", tint: Some(Tint::Dim), fit: Fit::Fixed },
        TableColumn { title: "Limit", tint: Some(Tint::Name), fit: Fit::Wraps },
        TableColumn { title: "Value", tint: None, fit: Fit::Fixed },
        TableColumn { title: "Setting", tint: Some(Tint::Type), fit: Fit::Wraps },
    ];
    let mut table = TerminalTable::new(&columns, 0);
    for limit in all() {
        table
            .row([limit.area, limit.name, limit.value, limit.setting.unwrap_or_default()].map(str::to_owned));
    }
    app.print_paged(&table.render(&app.terminal))?;
    Ok(Exit::Ok)
}

#[cfg(test)]
mod tests;
