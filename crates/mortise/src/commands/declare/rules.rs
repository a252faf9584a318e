//! `mortise declare --rules`: what providers ask of tools, and where that is written.

use mortise_declare::{PROVIDER_RULES, Provider, ProviderRule};
use serde_json::{Value, json};

use super::providers;
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Tint;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};

/// Prints the rules of the chosen providers.
pub(super) fn run(app: &App, chosen: &[Provider]) -> Result<Exit, Failure> {
    let is_chosen = |rule: &&&ProviderRule| rule.providers.iter().any(|one| chosen.contains(one));
    let rules: Vec<&ProviderRule> = PROVIDER_RULES.iter().filter(is_chosen).copied().collect();
    match app.global.json {
        true => {
            let rules: Vec<Value> = rules.into_iter().map(entry).collect();
            app.print_json(&json!({ "rules": rules }).to_string())?;
        }
        false => app.print(&view(app, &rules))?,
    }
    Ok(Exit::Ok)
}

fn entry(rule: &ProviderRule) -> Value {
    json!({
        "id": rule.id,
        "providers": rule.providers.iter().map(|provider| provider.as_str()).collect::<Vec<_>>(),
        "rule": rule.what,
        "limit": rule.limit,
        "evidence": rule.evidence.as_str(),
        "read": rule.read,
        "source": rule.source,
        "url": rule.url,
    })
}

fn view(app: &App, rules: &[&ProviderRule]) -> String {
    let mut table = TerminalTable::new(
        &[
            TableColumn { title: "Rule", tint: Some(Tint::Name), fit: Fit::Wraps },
            TableColumn { title: "Of", tint: None, fit: Fit::Wraps },
            TableColumn { title: "What", tint: None, fit: Fit::Wraps },
            TableColumn { title: "Known from", tint: Some(Tint::Dim), fit: Fit::Wraps },
            TableColumn { title: "Read", tint: Some(Tint::Dim), fit: Fit::Fixed },
        ],
        0,
    );
    for rule in rules {
        table.row([
            rule.id.to_owned(),
            providers(rule.providers),
            rule.what.to_owned(),
            format!("{}: {} {}", rule.evidence.as_str(), rule.source, rule.url),
            rule.read.to_owned(),
        ]);
    }
    table.render(&app.terminal)
}
