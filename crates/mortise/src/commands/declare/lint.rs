//! `mortise declare --lint`: which providers would refuse or weaken which tool.

use mortise_contract::NameMap;
use mortise_contract::declare::{LintFinding, LintVerdict, Provider, ToolDefinition, lint};
use serde_json::{Value, json};

use super::render::provider_options;
use super::{DeclareArgs, rejected};
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::session::Connected;
use crate::terminal::table::{Column, Fit, Table};
use crate::terminal::{Terminal, Tint, escape};

/// Prints the findings; with `--strict` a refusal is a failure.
pub(super) fn run(
    app: &App,
    args: &DeclareArgs,
    tools: &[ToolDefinition],
    names: &NameMap,
    connected: &[Connected],
) -> Result<Exit, Failure> {
    let chosen = match args.target {
        None => Provider::ALL.to_vec(),
        Some(target) => match target.provider() {
            Some(provider) => vec![provider],
            None => return Err(Failure::new(Exit::Usage, "--lint is about LLM providers only")),
        },
    };
    let mut findings = lint(tools, &chosen, names, &provider_options(args));
    findings.extend(rejected::findings(connected, &chosen));
    match app.global.json {
        true => app.print_json(&Value::from(findings.iter().map(entry).collect::<Vec<_>>()).to_string())?,
        false if findings.is_empty() => app.terminal.say("nothing is refused and nothing is lost"),
        false => app.print(&view(&app.terminal, &findings))?,
    }
    let is_refused = findings.iter().any(|finding| finding.verdict == LintVerdict::Refused);
    match app.connect.strict && is_refused {
        true => Err(Failure::new(Exit::SchemaUnusable, "a provider would refuse a tool as it is declared")),
        false => Ok(Exit::Ok),
    }
}

fn entry(finding: &LintFinding) -> Value {
    let mut entry = finding.loss.to_json();
    entry["tool"] = finding.name.as_str().into();
    entry["verdict"] = finding.verdict.as_str().into();
    entry["providers"] =
        json!(finding.providers.iter().map(|provider| provider.as_str()).collect::<Vec<_>>());
    entry
}

fn view(terminal: &Terminal, findings: &[LintFinding]) -> String {
    let mut out = String::new();
    let mut at = 0;
    while let Some(first) = findings.get(at) {
        let of_tool: Vec<&LintFinding> =
            findings[at..].iter().take_while(|finding| finding.name == first.name).collect();
        at += of_tool.len();
        out.push_str(&terminal.paint(Tint::Name, &escape::line(&first.name)));
        out.push('\n');
        let mut table = Table::new(
            &[
                Column { title: "", tint: Some(Tint::Warn), fit: Fit::Fixed },
                Column { title: "by", tint: None, fit: Fit::Wraps },
                Column { title: "where", tint: Some(Tint::Dim), fit: Fit::Wraps },
                Column { title: "why", tint: None, fit: Fit::Wraps },
                Column { title: "what to do", tint: None, fit: Fit::Wraps },
            ],
            2,
        );
        for finding in of_tool {
            table.row([
                finding.verdict.as_str().to_owned(),
                providers(&finding.providers),
                escape::line(&place(finding)),
                escape::line(&why(finding)),
                finding.loss.fix.unwrap_or_default().to_owned(),
            ]);
        }
        out.push_str(&table.render(terminal));
        out.push('\n');
    }
    out
}

fn providers(providers: &[Provider]) -> String {
    match providers.len() == Provider::ALL.len() {
        true => "all".to_owned(),
        false => providers.iter().map(|provider| provider.as_str()).collect::<Vec<_>>().join(", "),
    }
}

/// The reason; for a text that stands out also the words.
fn why(finding: &LintFinding) -> String {
    match (&finding.loss.before_excerpt, finding.verdict) {
        (Some(words), LintVerdict::Flagged) => format!("{}: `{words}`", finding.loss.reason),
        _ => finding.loss.reason.clone(),
    }
}

/// `input /properties/a: $ref`.
fn place(finding: &LintFinding) -> String {
    let loss = &finding.loss;
    let pointer = if loss.pointer.is_empty() { "/" } else { &loss.pointer };
    format!("{} {pointer}: {}", loss.side.as_str(), loss.keyword)
}
