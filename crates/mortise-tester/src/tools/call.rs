//! Calling a tool, and checking arguments without calling.

mod verdict;

use std::sync::Arc;

use mortise_contract::arguments::{ArgumentCheck, ArgumentViolation, check_arguments};
use mortise_contract::schema::SchemaOptions;
use mortise_contract::{Contract, RawJson, ToolCall, ToolName, ToolOutcome, ToolResult};
use serde_json::{Value, json};

use crate::callers::Workspace;
use crate::connection::{Connection, Count};
use crate::failure::{ErrorType, Failure, Subject, of_call};
use crate::moment::Moment;
use crate::object::Object;
use crate::request::{Report, Request};
use crate::tools::Outcome;
use crate::tools::asking::{Asking, failed};

/// Names of tools shown where one is not found.
const NAMES_SHOWN: usize = 100;

/// `call_tool`.
pub(super) async fn call(workspace: &Workspace, request: &Request) -> Outcome {
    let connection = workspace.connections.usable(request.connection())?;
    let name = request.arguments.get("name").and_then(Value::as_str).unwrap_or_default();
    let arguments = request.object("arguments");
    let contract = find(&connection, name).await?;
    if let (Some(contract), true) = (&contract, request.flag("check_arguments", true)) {
        refuse_invalid(workspace, contract, &arguments)
            .inspect_err(|_| connection.statistics.count(Count::Error))?;
    }
    let tool = ToolName::parse(name).map_err(|_| not_found(&connection, name))?;
    let attempt = Attempt { connection: &connection, name, arguments: &arguments, started: Moment::now() };
    let (asking, options) = Asking::start(&connection, request);
    let call = ToolCall { tool, arguments: arguments.clone() };
    let outcome = connection.upstream.call(call, options).await;
    let took = attempt.started.elapsed_ms();
    let frames = asking.keep();
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            failed(&connection, &error).await;
            let subject = Subject::Tool { name, is_listed: contract.is_some().then_some(true) };
            let call = Object::new().object("tool_call", &attempt.shown(None, took, false));
            return Err(of_call(&error, subject).showing(call.and(frames)));
        }
    };
    connection.statistics.count(Count::ToolCalled);
    let ended = Ended { attempt, outcome, contract, took, frames };
    ended.report(workspace, request.flag("strict", false))
}

/// A call that was sent.
struct Attempt<'a> {
    connection: &'a Connection,
    name: &'a str,
    arguments: &'a RawJson,
    started: Moment,
}

impl Attempt<'_> {
    /// The `tool_call` member.
    fn shown(&self, result: Option<&ToolResult>, took: u64, success: bool) -> Object {
        let execution = Object::new()
            .set("started_at", self.started.stamp())
            .set("completed_at", Moment::now().stamp())
            .set("duration_ms", took)
            .set("success", success);
        let mut call = Object::new().set("tool_name", self.name).verbatim("arguments", self.arguments);
        if let Some(result) = result {
            call = call.verbatim("result", &result.raw);
            if !result.faults.is_empty() {
                let faults: Vec<String> = result.faults.iter().map(ToString::to_string).collect();
                call = call.set("protocol_faults", faults);
            }
        }
        call.object("execution", &execution)
    }
}

/// A call that was answered.
struct Ended<'a> {
    attempt: Attempt<'a>,
    outcome: ToolOutcome,
    contract: Option<Arc<Contract>>,
    took: u64,
    frames: Object,
}

impl Ended<'_> {
    fn report(self, workspace: &Workspace, strict: bool) -> Outcome {
        let Self { attempt, outcome, contract, took, frames } = self;
        let result = &outcome.result;
        let block = verdict::block(&outcome, contract.as_deref(), &workspace.schemas);
        let is_refused = strict && outcome.verdict.fails_strict();
        let call = attempt.shown(Some(result), took, !result.is_error);
        let members = Object::new().object("tool_call", &call).object("contract", &block).and(frames);
        if result.is_error {
            attempt.connection.statistics.count(Count::Error);
            return Err(tool_error(attempt.name, result).showing(members));
        }
        if is_refused {
            attempt.connection.statistics.count(Count::Error);
            let (what, reason) = match outcome.verdict.is_violation() {
                true => ("breaks the tool's output schema", "contract_violation"),
                false => ("can't be checked by the tool's output schema", "unchecked"),
            };
            let message = format!("the result of `{}` {what}", attempt.name);
            let suggestion = "See `contract` for the reason; without `strict` this is no failure.";
            let details = Object::new().set("reason", reason).set("tool", attempt.name);
            let failure = Failure::new(ErrorType::ExecutionError, message, suggestion);
            return Err(failure.details(details).showing(members));
        }
        let connection = Object::new().object("connection", &attempt.connection.brief());
        Ok(Report::new(connection.and(members)))
    }
}

fn tool_error(name: &str, result: &ToolResult) -> Failure {
    let said = result.texts().next().unwrap_or("it gave no text").to_owned();
    let message = format!("the tool `{name}` returned an error: {said}");
    let mut details = Object::new().set("reason", "is_error").set("tool", name);
    if let Some(content) = result.raw.member("content") {
        details = details.verbatim("content", &content);
    }
    if let Some(structured) = &result.structured {
        details = details.verbatim("structuredContent", structured);
    }
    let suggestion = "Read what the tool says; change the arguments, or mend the tool.";
    Failure::new(ErrorType::ExecutionError, message, suggestion).details(details)
}

/// What the server says about a tool; `None` when it can't be asked which tools it has.
async fn find(connection: &Connection, name: &str) -> Result<Option<Arc<Contract>>, Failure> {
    if let Some(contract) = connection.upstream.catalog().get(name) {
        return Ok(Some(contract.clone()));
    }
    let Ok(catalog) = connection.upstream.refresh().await else { return Ok(None) };
    match catalog.get(name) {
        Some(contract) => Ok(Some(contract.clone())),
        None => {
            connection.statistics.count(Count::Error);
            Err(not_found(connection, name))
        }
    }
}

fn not_found(connection: &Connection, name: &str) -> Failure {
    let catalog = connection.upstream.catalog();
    let names: Vec<&str> =
        catalog.contracts.iter().take(NAMES_SHOWN).map(|contract| contract.name.as_str()).collect();
    let details = Object::new()
        .set("reason", "not_listed")
        .set("tool", name)
        .set("tools", names)
        .set("total_tools", catalog.contracts.len());
    Failure::new(
        ErrorType::ToolNotFound,
        format!("the server does not list a tool `{name}`"),
        "Use one of the names in `details.tools`; list_tools shows them with their schemas.",
    )
    .details(details)
}

fn refuse_invalid(workspace: &Workspace, contract: &Contract, arguments: &RawJson) -> Result<(), Failure> {
    let unreadable = |error: mortise_contract::json::JsonError| {
        Failure::invalid(format!("the arguments can't be read: {error}"), "Give a JSON object.")
    };
    let value = arguments.value().map_err(unreadable)?;
    match check_arguments(contract, &value, &SchemaOptions::default(), &workspace.schemas) {
        ArgumentCheck::Invalid { violations, total } => {
            let first = violations.first().map(|found| found.violation.message.clone()).unwrap_or_default();
            let details = Object::new()
                .set("reason", "own_check")
                .set("tool", contract.name.as_str())
                .set("sent", false)
                .set("violations", shown(&violations))
                .set("total_violations", total);
            let message =
                format!("the arguments do not match the input schema of `{}`: {first}", contract.name);
            let suggestion = "Correct the places in `details.violations`, or send them all the same with check_arguments false.";
            Err(Failure::invalid(message, suggestion).details(details))
        }
        ArgumentCheck::Valid | ArgumentCheck::NoSchema | ArgumentCheck::Unchecked { .. } => Ok(()),
    }
}

fn shown(violations: &[ArgumentViolation]) -> Vec<Value> {
    violations
        .iter()
        .map(|found| {
            let violation = &found.violation;
            json!({
                "instance_path": violation.instance_path,
                "schema_path": violation.schema_path,
                "keyword": violation.keyword,
                "message": violation.message,
                "value_excerpt": violation.value_excerpt,
                "schema_part": found.schema_part,
            })
        })
        .collect()
}

/// `validate_arguments`.
pub(super) async fn validate(workspace: &Workspace, request: &Request) -> Outcome {
    let connection = workspace.connections.usable(request.connection())?;
    let name = request.arguments.get("name").and_then(Value::as_str).unwrap_or_default();
    let Some(contract) = find(&connection, name).await? else {
        return Err(not_found(&connection, name));
    };
    let arguments = request.object("arguments").value().unwrap_or_default();
    let found = check_arguments(&contract, &arguments, &SchemaOptions::default(), &workspace.schemas);
    let (status, reason, violations, total) = match &found {
        ArgumentCheck::Valid => ("valid", None, Vec::new(), 0),
        ArgumentCheck::Invalid { violations, total } => ("invalid", None, shown(violations), *total),
        ArgumentCheck::NoSchema => ("unchecked", Some("the tool has no input schema"), Vec::new(), 0),
        ArgumentCheck::Unchecked { reason } => ("unchecked", Some(reason.as_str()), Vec::new(), 0),
    };
    let members = Object::new()
        .object("connection", &connection.brief())
        .set("tool_name", name)
        .set("status", status)
        .set_some("reason", reason)
        .set("violations", violations)
        .set("total_violations", total);
    Ok(Report::new(members))
}
