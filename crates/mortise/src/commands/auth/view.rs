//! What is shown of logins.

use std::time::{SystemTime, UNIX_EPOCH};

use mortise_client::oauth::{LoginFacts, LoginStatus};
use serde_json::{Value, json};

use crate::app::App;
use crate::failure::Failure;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::{Tint, escape};

const COLUMNS: [TableColumn; 4] = [
    TableColumn { title: "Server", tint: Some(Tint::Name), fit: Fit::Fixed },
    TableColumn { title: "Login", tint: None, fit: Fit::Wraps },
    TableColumn { title: "Scopes", tint: None, fit: Fit::Wraps },
    TableColumn { title: "Issuer", tint: Some(Tint::Dim), fit: Fit::Wraps },
];

/// Prints the logins.
pub(super) fn print(app: &App, logins: &[(String, LoginStatus)]) -> Result<(), Failure> {
    if app.global.json {
        let logins: Vec<Value> = logins.iter().map(|(server, status)| entry(server, status)).collect();
        return app.print_json(&json!({ "logins": logins }).to_string());
    }
    if logins.is_empty() {
        app.terminal.note("no server is reached over HTTP");
        return Ok(());
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let mut table = TerminalTable::new(&COLUMNS, 0);
    for (server, status) in logins {
        let (state, scopes, issuer) = match status {
            LoginStatus::LoggedOut => ("none".to_owned(), String::new(), String::new()),
            LoginStatus::LoggedIn(facts) => {
                (state(facts, now), facts.scopes.join(" "), facts.issuer.clone().unwrap_or_default())
            }
        };
        table.row([server, &state, &scopes, &issuer].map(|cell| escape::line(cell)));
    }
    app.print(&table.render(&app.terminal))
}

fn entry(server: &str, status: &LoginStatus) -> Value {
    match status {
        LoginStatus::LoggedOut => json!({ "server": server, "logged_in": false }),
        LoginStatus::LoggedIn(facts) => json!({
            "server": server,
            "logged_in": true,
            "issuer": facts.issuer,
            "client_id": facts.client_id,
            "scopes": facts.scopes,
            "expires_at": facts.expires_at,
            "renewable": facts.is_renewable,
        }),
    }
}

/// `good for 55 min, renewed automatically`.
fn state(facts: &LoginFacts, now: u64) -> String {
    let validity = match facts.expires_at {
        None => "good".to_owned(),
        Some(at) if at <= now => "expired".to_owned(),
        Some(at) => match (at - now) / 60 {
            minutes @ 0..120 => format!("good for {minutes} min"),
            minutes => format!("good for {} h", minutes / 60),
        },
    };
    match facts.is_renewable {
        true => validity + ", renewed automatically",
        false => validity,
    }
}
