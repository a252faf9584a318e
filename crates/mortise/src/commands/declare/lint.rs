//! `mortise export --lint`: which providers would refuse or weaken which tool.

use mortise_contract::{Mode, NameMap};
use mortise_declare::{
    LintFinding, LintSubject, LintVerdict, PROVIDER_RULES, ProviderOptions, ProviderRule, StrictRequest,
    ToolDefinition, lint,
};
use serde_json::{Value, json};

use super::listed::ListedServer;
use super::render::provider_options;
use super::{DeclareArgs, LintFailOn, providers};
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::{Mark, Terminal, Tint, escape};

/// Tools named of those that are too much for one request; `--json` names all of them.
const TOOLS_SHOWN: usize = 10;

/// Prints the findings, and fails for those that `--fail-on` names.
pub(super) fn run(
    app: &App,
    args: &DeclareArgs,
    tools: &[ToolDefinition],
    names: &NameMap,
    listed: &[ListedServer],
) -> Result<Exit, Failure> {
    let chosen = args.chosen_providers()?;
    let mut findings = lint(tools, &chosen, names, &provider_options(args));
    findings.extend(listed.iter().flat_map(|server| server.findings(&chosen)));
    match app.global.json {
        true => app.print_json(&Value::from(findings.iter().map(entry).collect::<Vec<_>>()).to_string())?,
        false if findings.is_empty() => app.terminal.say_painted(&app.terminal.for_stderr().marked(
            0,
            Mark::Good,
            "Nothing is refused and nothing is lost",
        )),
        false => app.print(&view(&app.terminal, &findings))?,
    }
    let refused = refusals(&findings);
    if !args.strict_arguments {
        let options = ProviderOptions { strict: StrictRequest::WherePossible, ..provider_options(args) };
        let more = refusals(&lint(tools, &chosen, names, &options)).saturating_sub(refused);
        if more > 0 {
            let what = if more == 1 { "1 more refusal".to_owned() } else { format!("{more} more refusals") };
            app.terminal
                .note(&format!("strict modes have rules of their own: --strict-arguments shows {what}"));
        }
    }
    // `--strict` is a short form from before there was `--fail-on`.
    let is_strict = app.connect.mode() == Some(Mode::Strict);
    match args.fail_on {
        LintFailOn::Any if !findings.is_empty() && refused == 0 => {
            Err(Failure::new(Exit::SchemaUnusable, "a provider would weaken a tool as it is declared"))
        }
        _ if refused > 0 && (is_strict || args.fail_on != LintFailOn::Never) => {
            Err(Failure::new(Exit::SchemaUnusable, "a provider would refuse a tool as it is declared"))
        }
        _ => Ok(Exit::Ok),
    }
}

fn refusals(findings: &[LintFinding]) -> usize {
    findings.iter().filter(|finding| finding.is_refusal()).count()
}

fn entry(finding: &LintFinding) -> Value {
    let mut entry = finding.loss.to_json();
    if let Value::Object(members) = &mut entry {
        members.shift_remove("rule");
    }
    match &finding.subject {
        LintSubject::Tool(name) => entry["tool"] = name.as_str().into(),
        LintSubject::Request(tools) => {
            entry["tool"] = Value::Null;
            entry["tools"] = json!(tools);
        }
    }
    entry["rules"] = json!(finding.rules);
    entry["verdict"] = finding.verdict.as_str().into();
    entry["providers"] =
        json!(finding.providers.iter().map(|provider| provider.as_str()).collect::<Vec<_>>());
    entry
}

fn view(terminal: &Terminal, findings: &[LintFinding]) -> String {
    let mut out = String::new();
    let mut at = 0;
    while let Some(first) = findings.get(at) {
        let heading = heading(first);
        let of_tool: Vec<&LintFinding> =
            findings[at..].iter().take_while(|finding| self::heading(finding) == heading).collect();
        at += of_tool.len();
        out.push_str(&terminal.paint(Tint::Name, &escape::line(heading)));
        out.push('\n');
        let mut table = TerminalTable::new(
            &[
                TableColumn { title: "", tint: Some(Tint::Warn), fit: Fit::Fixed },
                TableColumn { title: "By", tint: None, fit: Fit::Wraps },
                TableColumn { title: "Where", tint: Some(Tint::Dim), fit: Fit::Wraps },
                TableColumn { title: "Why", tint: None, fit: Fit::Wraps },
                TableColumn { title: "What to do", tint: None, fit: Fit::Wraps },
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
    out.push_str(&rules_behind(terminal, findings));
    out
}

fn heading(finding: &LintFinding) -> &str {
    match &finding.subject {
        LintSubject::Tool(name) => name,
        LintSubject::Request(_) => "All tools together",
    }
}

/// Where the rules that findings name are written, and when that was read.
fn rules_behind(terminal: &Terminal, findings: &[LintFinding]) -> String {
    let is_named = |rule: &&&ProviderRule| findings.iter().any(|finding| finding.rules.contains(&rule.id));
    let mut table = TerminalTable::new(
        &[
            TableColumn { title: "Rule", tint: None, fit: Fit::Wraps },
            TableColumn { title: "Known from", tint: Some(Tint::Dim), fit: Fit::Wraps },
            TableColumn { title: "Read", tint: Some(Tint::Dim), fit: Fit::Fixed },
        ],
        2,
    );
    let mut is_empty = true;
    for rule in PROVIDER_RULES.iter().filter(is_named) {
        is_empty = false;
        let known = format!("{}: {} {}", rule.evidence.as_str(), rule.source, rule.url);
        table.row([rule.id.to_owned(), known, rule.read.to_owned()]);
    }
    match is_empty {
        true => String::new(),
        false => format!("{}\n{}", terminal.paint(Tint::Heading, "Rules"), table.render(terminal)),
    }
}

/// The reason; for a text that stands out also the words.
fn why(finding: &LintFinding) -> String {
    match (&finding.loss.before_excerpt, finding.verdict) {
        (Some(words), LintVerdict::Flagged) => format!("{}: `{words}`", finding.loss.reason),
        _ => finding.loss.reason.clone(),
    }
}

/// `input /properties/a: $ref`, or the tools that are too much.
fn place(finding: &LintFinding) -> String {
    let loss = &finding.loss;
    if let LintSubject::Request(tools) = &finding.subject {
        let more = tools.len().saturating_sub(TOOLS_SHOWN);
        let shown = tools.iter().take(TOOLS_SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
        return if more > 0 { format!("{shown} and {more} more") } else { shown };
    }
    let pointer = if loss.pointer.is_empty() { "/" } else { &loss.pointer };
    format!("{} {pointer}: {}", loss.side.as_str(), loss.keyword)
}
