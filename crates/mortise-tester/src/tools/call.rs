//! Calling a tool, and checking arguments without calling.

mod verdict;

use std::sync::Arc;

use mortise_contract::arguments::{ArgumentCheck, ArgumentViolation, check_arguments};
use mortise_contract::json::JsonError;
use mortise_contract::schema::SchemaOptions;
use mortise_contract::{Contract, RawJson, ToolCall, ToolName, ToolOutcome, ToolResult};
use mortise_server::CallContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::answer::{AsSent, ExchangeShown, FailureShown, ToolReport};
use crate::callers::Workspace;
use crate::connection::{BriefConnection, CountedEvent, TestConnection};
use crate::failure::{ErrorType, FailureDetails, Subject, TestFailure, failed_call};
use crate::input::{ConnectionName, GivenObject, TimeoutMs, call_options};
use crate::moment::Moment;
use crate::tools::TestOutcome;
use crate::tools::asking::{Asking, count_failure};

pub(crate) use verdict::ContractShown;

/// Names of tools shown where one is not found.
const NAMES_SHOWN: usize = 100;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct CallToolInput {
    /// Name of the tool to call (as returned by list_tools)
    name: String,
    /// Arguments to pass to the tool (must match tool's input schema)
    #[schemars(required)]
    arguments: Option<GivenObject>,
    connection: Option<ConnectionName>,
    timeout_ms: Option<TimeoutMs>,
    /// Show the frames as sent and received
    #[serde(default)]
    include_raw: bool,
    /// false sends arguments that do not match, to see what the server does
    #[serde(default = "yes")]
    check_arguments: bool,
    /// true makes a result that breaks the output schema, or can't be checked by it, a failure
    #[serde(default)]
    strict: bool,
}

pub(super) fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct AnsweredCall {
    connection: BriefConnection,
    tool_call: ToolCallShown,
    contract: ContractShown,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_exchanges: Option<Vec<ExchangeShown>>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ToolCallShown {
    tool_name: String,
    #[schemars(with = "Map<String, Value>")]
    arguments: AsSent,
    /// The actual result returned by the tool
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<AsSent>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    protocol_faults: Vec<String>,
    execution: ExecutionShown,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct ExecutionShown {
    started_at: String,
    completed_at: String,
    duration_ms: u64,
    success: bool,
}

pub(super) async fn call_tool(
    workspace: Arc<Workspace>,
    input: CallToolInput,
    context: CallContext,
) -> TestOutcome<AnsweredCall> {
    let connection = workspace.connections.usable(ConnectionName::of(input.connection.as_ref()))?;
    let name = input.name.as_str();
    let arguments = GivenObject::or_empty(input.arguments.as_ref());
    let contract = find_tool(&connection, name).await?;
    if let (Some(contract), true) = (&contract, input.check_arguments) {
        refuse_invalid(&workspace, contract, &arguments)
            .inspect_err(|_| connection.statistics.count(CountedEvent::Error))?;
    }
    let tool = ToolName::parse(name).map_err(|_| not_found(&connection, name))?;
    let attempt = CallAttempt { name, arguments: &arguments, started: Moment::now() };
    let (asking, options) = Asking::start(&connection, call_options(&context, input.timeout_ms));
    let call = ToolCall { tool, arguments: arguments.clone() };
    let outcome = connection.upstream.call(call, options).await;
    let took = attempt.started.elapsed_ms();
    let frames = asking.keep();
    let raw_exchanges = input.include_raw.then_some(frames);
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            count_failure(&connection, &error).await;
            let subject = Subject::Tool { name, is_listed: contract.is_some().then_some(true) };
            let tool_call = Some(attempt.shown(None, took, false));
            let shown = FailureShown { tool_call, raw_exchanges, ..FailureShown::default() };
            return Err(failed_call(&error, subject).showing(shown));
        }
    };
    connection.statistics.count(CountedEvent::ToolCalled);
    let contract = ContractShown::of(&outcome, contract.as_deref(), &workspace.schemas);
    let tool_call = attempt.shown(Some(&outcome.result), took, !outcome.result.is_error);
    match answered_failure(name, &outcome, input.strict) {
        Some(failure) => {
            connection.statistics.count(CountedEvent::Error);
            let (tool_call, contract) = (Some(tool_call), Some(contract));
            Err(failure.showing(FailureShown { tool_call, contract, raw_exchanges }))
        }
        None => {
            let connection = connection.brief();
            Ok(ToolReport::new(AnsweredCall { connection, tool_call, contract, raw_exchanges }))
        }
    }
}

struct CallAttempt<'a> {
    name: &'a str,
    arguments: &'a RawJson,
    started: Moment,
}

impl CallAttempt<'_> {
    fn shown(&self, result: Option<&ToolResult>, duration_ms: u64, success: bool) -> ToolCallShown {
        let faults = result.into_iter().flat_map(|result| &result.faults);
        ToolCallShown {
            tool_name: self.name.to_owned(),
            arguments: AsSent::new(self.arguments),
            result: result.map(|result| AsSent::new(&result.raw)),
            protocol_faults: faults.map(ToString::to_string).collect(),
            execution: ExecutionShown {
                started_at: self.started.stamp(),
                completed_at: Moment::now().stamp(),
                duration_ms,
                success,
            },
        }
    }
}

/// Why a call that was answered is a failure all the same.
fn answered_failure(name: &str, outcome: &ToolOutcome, strict: bool) -> Option<TestFailure> {
    if outcome.result.is_error {
        return Some(tool_error(name, &outcome.result));
    }
    if !strict || !outcome.verdict.fails_strict() {
        return None;
    }
    let (what, reason) = match outcome.verdict.is_violation() {
        true => ("breaks the tool's output schema", "contract_violation"),
        false => ("can't be checked by the tool's output schema", "unchecked"),
    };
    let message = format!("the result of `{name}` {what}");
    let suggestion = "See `contract` for the reason; without `strict` this is not a failure.";
    let details = FailureDetails { tool: Some(name.to_owned()), ..FailureDetails::reason(reason) };
    Some(TestFailure::new(ErrorType::ExecutionError, message, suggestion).details(details))
}

fn tool_error(name: &str, result: &ToolResult) -> TestFailure {
    let said = result.texts().next().unwrap_or("it gave no text").to_owned();
    let message = format!("the tool `{name}` returned an error: {said}");
    let details = FailureDetails {
        tool: Some(name.to_owned()),
        content: result.raw.member("content").as_ref().map(AsSent::new),
        structured_content: result.structured.as_ref().map(AsSent::new),
        ..FailureDetails::reason("is_error")
    };
    let suggestion = "Read what the tool says; change the arguments, or mend the tool.";
    TestFailure::new(ErrorType::ExecutionError, message, suggestion).details(details)
}

/// What the server says about a tool; `None` when it can't be asked which tools it has.
async fn find_tool(connection: &TestConnection, name: &str) -> Result<Option<Arc<Contract>>, TestFailure> {
    if let Some(contract) = connection.upstream.catalog().get(name) {
        return Ok(Some(contract.clone()));
    }
    let Ok(catalog) = connection.upstream.refresh().await else { return Ok(None) };
    match catalog.get(name) {
        Some(contract) => Ok(Some(contract.clone())),
        None => {
            connection.statistics.count(CountedEvent::Error);
            Err(not_found(connection, name))
        }
    }
}

fn not_found(connection: &TestConnection, name: &str) -> TestFailure {
    let catalog = connection.upstream.catalog();
    let names = catalog.contracts.iter().take(NAMES_SHOWN).map(|contract| contract.name.to_string());
    let details = FailureDetails {
        tool: Some(name.to_owned()),
        tools: Some(names.collect()),
        total_tools: Some(catalog.contracts.len()),
        ..FailureDetails::reason("not_listed")
    };
    TestFailure::new(
        ErrorType::ToolNotFound,
        format!("the server does not list a tool `{name}`"),
        "Use one of the names in `details.tools`; list_tools shows them with their schemas.",
    )
    .details(details)
}

fn refuse_invalid(
    workspace: &Workspace,
    contract: &Contract,
    arguments: &RawJson,
) -> Result<(), TestFailure> {
    let unreadable = |error: JsonError| {
        TestFailure::invalid(format!("the arguments can't be read: {error}"), "Give a JSON object.")
    };
    let value = arguments.value().map_err(unreadable)?;
    match check_arguments(contract, &value, &SchemaOptions::default(), &workspace.schemas) {
        ArgumentCheck::Invalid { violations, total } => {
            let first = violations.first().map(|found| found.violation.message.clone()).unwrap_or_default();
            let details = FailureDetails {
                tool: Some(contract.name.to_string()),
                sent: Some(false),
                violations: Some(violations.iter().map(ArgumentViolationShown::of).collect()),
                total_violations: Some(total),
                ..FailureDetails::reason("own_check")
            };
            let message =
                format!("the arguments do not match the input schema of `{}`: {first}", contract.name);
            let suggestion = "Correct the places in `details.violations`, or send them all the same with check_arguments false.";
            Err(TestFailure::invalid(message, suggestion).details(details))
        }
        ArgumentCheck::Valid | ArgumentCheck::NoSchema | ArgumentCheck::Unchecked { .. } => Ok(()),
    }
}

// Where arguments break a schema. Of the arguments of the tester's own tools only place and keyword are shown.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ArgumentViolationShown {
    pub(crate) instance_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) schema_path: Option<String>,
    pub(crate) keyword: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value_excerpt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) schema_part: Option<String>,
}

impl ArgumentViolationShown {
    fn of(found: &ArgumentViolation) -> Self {
        let violation = found.violation.clone();
        Self {
            instance_path: violation.instance_path,
            schema_path: Some(violation.schema_path),
            keyword: violation.keyword,
            message: Some(violation.message),
            value_excerpt: Some(violation.value_excerpt),
            schema_part: Some(found.schema_part.clone()),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ValidateArgumentsInput {
    /// Name of the tool (as returned by list_tools)
    name: String,
    /// Arguments to check
    arguments: Option<GivenObject>,
    connection: Option<ConnectionName>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ValidatedArguments {
    connection: BriefConnection,
    tool_name: String,
    status: ArgumentStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    violations: Vec<ArgumentViolationShown>,
    total_violations: usize,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum ArgumentStatus {
    Valid,
    Invalid,
    Unchecked,
}

pub(super) async fn validate_arguments(
    workspace: Arc<Workspace>,
    input: ValidateArgumentsInput,
    _: CallContext,
) -> TestOutcome<ValidatedArguments> {
    let connection = workspace.connections.usable(ConnectionName::of(input.connection.as_ref()))?;
    let Some(contract) = find_tool(&connection, &input.name).await? else {
        return Err(not_found(&connection, &input.name));
    };
    let arguments = GivenObject::or_empty(input.arguments.as_ref()).value().unwrap_or_default();
    let found = check_arguments(&contract, &arguments, &SchemaOptions::default(), &workspace.schemas);
    let mut validated = ValidatedArguments {
        connection: connection.brief(),
        tool_name: input.name,
        status: ArgumentStatus::Unchecked,
        reason: None,
        violations: Vec::new(),
        total_violations: 0,
    };
    match found {
        ArgumentCheck::Valid => validated.status = ArgumentStatus::Valid,
        ArgumentCheck::Invalid { violations, total } => {
            validated.status = ArgumentStatus::Invalid;
            validated.violations = violations.iter().map(ArgumentViolationShown::of).collect();
            validated.total_violations = total;
        }
        ArgumentCheck::NoSchema => validated.reason = Some("the tool has no input schema".to_owned()),
        ArgumentCheck::Unchecked { reason } => validated.reason = Some(reason),
    }
    Ok(ToolReport::new(validated))
}
