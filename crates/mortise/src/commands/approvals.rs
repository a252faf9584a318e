//! `mortise approvals`: questions of programs that wait for a person, answered from a shell.

use std::time::Duration;

use clap::{Args, Subcommand};
use mortise_contract::approval::{AllowedCalls, ApprovalAnswer, ApprovalDecision, ApprovalQuestion};
use mortise_executor::approvals::{ApprovalStoreError, QuestionId};
use mortise_journal::{DecisionTaken, QuestionTable, RunQuestion};
use serde::Serialize;
use serde_json::Value;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::journal;
use crate::json_text;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::{Mark, Tint, escape};

/// Arguments of `mortise approvals`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ApprovalsArgs {
    #[command(subcommand)]
    action: Option<ApprovalsAction>,
}

#[derive(Clone, Debug, Subcommand)]
enum ApprovalsAction {
    /// Show one question in full
    Show(QuestionArgs),
    /// Allow what a question asks
    Allow(AllowArgs),
    /// Deny what a question asks: the program gets a ToolError of kind denied
    Deny(QuestionArgs),
}

#[derive(Clone, Debug, Args)]
struct QuestionArgs {
    /// The question: RUN/NUMBER, or the beginning of its run's id
    #[arg(value_name = "QUESTION")]
    question: String,
}

#[derive(Clone, Debug, Args)]
struct AllowArgs {
    #[command(flatten)]
    question: QuestionArgs,
    /// At most this many calls of each tool, in place of the number in the question
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    at_most: Option<u64>,
    /// Only calls whose arguments conform to this JSON Schema
    #[arg(long, value_name = "SCHEMA", value_parser = parse_json)]
    arguments: Option<Value>,
}

const EXAMPLES: &str = "\
A program waits here when its client can't be asked. It takes no memory
meanwhile and survives a restart.

Examples:
  mortise approvals
  mortise approvals show 7k2m
  mortise approvals allow 7k2m --at-most 20
  mortise resume 7k2m";

const COLUMNS: [TableColumn; 3] = [
    TableColumn { title: "Question", tint: Some(Tint::Name), fit: Fit::Fixed },
    TableColumn { title: "Asked", tint: Some(Tint::Dim), fit: Fit::Fixed },
    TableColumn { title: "The program wants to", tint: None, fit: Fit::Wraps },
];

fn parse_json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Lists, shows or answers questions.
pub(crate) fn run(app: &App, args: &ApprovalsArgs) -> Result<Exit, Failure> {
    let table = journal::questions(app)?;
    match &args.action {
        None => list(app, &table),
        Some(ApprovalsAction::Show(args)) => show(app, &table, &args.question),
        Some(ApprovalsAction::Allow(args)) => {
            let allowed =
                AllowedCalls { at_most: args.at_most, arguments: args.arguments.clone(), until: None };
            decide(app, &table, &args.question.question, ApprovalAnswer::Allow(allowed))
        }
        Some(ApprovalsAction::Deny(args)) => decide(app, &table, &args.question, ApprovalAnswer::Deny),
    }
}

/// A question as `--json` prints it.
#[derive(Serialize)]
struct ShownQuestion<'a> {
    id: &'a str,
    run: &'a str,
    asked_ms: u64,
    text: String,
    question: &'a ApprovalQuestion,
    decision: Option<&'a ApprovalDecision>,
}

impl<'a> ShownQuestion<'a> {
    fn of(question: &'a RunQuestion) -> Self {
        let asked = &question.asked;
        Self {
            id: asked.id.as_str(),
            run: asked.id.run(),
            asked_ms: question.asked_ms,
            text: asked.question.text(),
            question: &asked.question,
            decision: asked.decision.as_ref(),
        }
    }
}

fn list(app: &App, table: &QuestionTable) -> Result<Exit, Failure> {
    let open = table.open_questions().map_err(|error| failed(&error))?;
    if app.global.json {
        let shown: Vec<ShownQuestion<'_>> = open.iter().map(ShownQuestion::of).collect();
        app.print_json(&json_text::of(&shown)?)?;
        return Ok(Exit::Ok);
    }
    if open.is_empty() {
        app.terminal.note("no program waits for an answer");
        return Ok(Exit::Ok);
    }
    let mut rows = TerminalTable::new(&COLUMNS, 0);
    for question in &open {
        let (id, asked) = (question.asked.id.as_str(), age(question.asked_ms));
        rows.row([escape::line(id), asked, escape::line(&question.asked.question.summary())]);
    }
    app.print(&rows.render(&app.terminal))?;
    if let Some(first) = open.first() {
        app.terminal.note(&format!(
            "`mortise approvals allow {}` allows it, then `mortise resume {}`",
            first.asked.id,
            first.asked.id.run()
        ));
    }
    Ok(Exit::Ok)
}

fn show(app: &App, table: &QuestionTable, name: &str) -> Result<Exit, Failure> {
    let question = find(table, name)?;
    if app.global.json {
        app.print_json(&json_text::of(&ShownQuestion::of(&question))?)?;
        return Ok(Exit::Ok);
    }
    let mut text = format!("{}\n", escape::text(&question.asked.question.text()));
    if let Some(decision) = &question.asked.decision {
        let word = if matches!(decision.answer, ApprovalAnswer::Deny) { "denied" } else { "allowed" };
        text.push_str(&format!("{word} by {} {}\n", escape::line(&decision.who), age(decision.at_ms)));
    }
    app.print(&text)?;
    Ok(Exit::Ok)
}

fn decide(app: &App, table: &QuestionTable, name: &str, answer: ApprovalAnswer) -> Result<Exit, Failure> {
    let question = find(table, name)?;
    let id = &question.asked.id;
    let is_denied = matches!(answer, ApprovalAnswer::Deny);
    let who = format!("{} in a shell", user());
    let decision = ApprovalDecision { answer, who, at_ms: journal::now_ms() };
    match table.decide(id, &decision).map_err(|error| failed(&error))? {
        DecisionTaken::Yes => {
            let word = if is_denied { "denied" } else { "allowed" };
            let terminal = app.terminal.for_stderr();
            app.terminal.stderr(&terminal.marked(0, Mark::Good, &format!("{word} {id}")));
            app.terminal.note(&format!("if nothing waits for it: mortise resume {}", id.run()));
            Ok(Exit::Ok)
        }
        DecisionTaken::Late => {
            Err(Failure::new(Exit::Usage, format!("question `{id}` has been answered already"))
                .hint(format!("`mortise approvals show {id}` shows by whom")))
        }
        DecisionTaken::NoQuestion => Err(unknown(name)),
    }
}

/// The question of a name: `RUN/NUMBER`, or the only open one of a run.
fn find(table: &QuestionTable, name: &str) -> Result<RunQuestion, Failure> {
    if let Some(id) = QuestionId::parse(name)
        && let Some(question) = table.question(&id).map_err(|error| failed(&error))?
    {
        return Ok(question);
    }
    let open = table.open_questions().map_err(|error| failed(&error))?;
    let mut meant = open.into_iter().filter(|question| question.asked.id.as_str().starts_with(name));
    match (meant.next(), meant.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => {
            Err(Failure::new(Exit::Usage, format!("`{name}` is the beginning of several questions"))
                .hint("`mortise approvals` lists them"))
        }
        (None, _) => Err(unknown(name)),
    }
}

fn unknown(name: &str) -> Failure {
    Failure::new(Exit::Usage, format!("there is no question `{name}`"))
        .hint("`mortise approvals` lists the questions that wait")
}

fn failed(error: &ApprovalStoreError) -> Failure {
    Failure::from_error(Exit::Configuration, error)
}

/// `3 min ago`.
fn age(at_ms: u64) -> String {
    let passed = Duration::from_millis(journal::now_ms().saturating_sub(at_ms)).as_secs();
    match passed {
        0..60 => format!("{passed} s ago"),
        60..3600 => format!("{} min ago", passed / 60),
        3600..86_400 => format!("{} h ago", passed / 3600),
        _ => format!("{} days ago", passed / 86_400),
    }
}

/// Who answers: the number of the user, which needs no look-up.
fn user() -> String {
    #[cfg(unix)]
    return format!("user {}", rustix::process::getuid().as_raw());
    #[cfg(not(unix))]
    "the user".to_owned()
}
