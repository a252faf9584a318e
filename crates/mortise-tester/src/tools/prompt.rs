//! Getting a prompt.

use std::sync::Arc;

use mortise_client::CallError;
use mortise_contract::RawJson;
use mortise_contract::json::{JsonKind, escape_token};
use mortise_server::CallContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::{ExchangeShown, FailureShown, RetrievedAt, ToolReport};
use crate::callers::Workspace;
use crate::connection::{BriefConnection, CountedEvent};
use crate::failure::{FailureDetails, Subject, TestFailure, failed_call};
use crate::fitting::{Fitted, Fitter};
use crate::input::{ConnectionName, GivenObject, TimeoutMs, call_options};
use crate::moment::Moment;
use crate::tools::TestOutcome;
use crate::tools::asking::{Asking, count_failure, is_listed, text};
use crate::tools::call::{ArgumentViolationShown, yes};

#[derive(Deserialize, JsonSchema)]
pub(crate) struct GetPromptInput {
    /// Name of the prompt to retrieve (as returned by list_prompts)
    name: String,
    /// Arguments for the prompt (must match prompt's argument schema)
    arguments: Option<GivenObject>,
    connection: Option<ConnectionName>,
    timeout_ms: Option<TimeoutMs>,
    /// Show the frames as sent and received
    #[serde(default)]
    include_raw: bool,
    /// false sends arguments that do not match, to see what the server does
    #[serde(default = "yes")]
    check_arguments: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct GotPrompt {
    connection: BriefConnection,
    prompt: Fitted<GotPromptPromise>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_exchanges: Option<Vec<ExchangeShown>>,
}

#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its schema is used: the members are the server's")]
pub(crate) struct GotPromptPromise {
    name: String,
    description: String,
    messages: Vec<PromptMessagePromise>,
}

#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its schema is used: the members are the server's")]
struct PromptMessagePromise {
    role: String,
    content: PromptContentPromise,
}

#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its schema is used: the members are the server's")]
struct PromptContentPromise {
    #[schemars(rename = "type")]
    kind: String,
    text: String,
}

pub(super) async fn get_prompt(
    workspace: Arc<Workspace>,
    input: GetPromptInput,
    context: CallContext,
) -> TestOutcome<GotPrompt, RetrievedAt> {
    let connection = workspace.connections.usable(ConnectionName::of(input.connection.as_ref()))?;
    let name = input.name.as_str();
    let given = input.arguments.as_ref().map(GivenObject::json);
    let plain = call_options(&context, input.timeout_ms);
    if input.check_arguments {
        let checked = match refuse_other_than_strings(given) {
            Ok(()) => refuse_missing(&connection.upstream.prompts(plain.clone()).await, name, given),
            refused => refused,
        };
        checked.inspect_err(|_| connection.statistics.count(CountedEvent::Error))?;
    }
    let (asking, options) = Asking::start(&connection, plain.clone());
    let outcome = connection.upstream.get_prompt(name, given, options).await;
    let frames = asking.keep();
    let raw_exchanges = input.include_raw.then_some(frames);
    let result = match outcome {
        Ok(result) => result,
        Err(error) => {
            count_failure(&connection, &error).await;
            let is_listed = match &error {
                CallError::Rpc { .. } => is_listed(&connection.upstream.prompts(plain).await, "name", name),
                _ => None,
            };
            let failure = failed_call(&error, Subject::Prompt { name, is_listed });
            return Err(failure.showing(FailureShown { raw_exchanges, ..FailureShown::default() }));
        }
    };
    connection.statistics.count(CountedEvent::PromptRetrieved);
    let prompt = shown(&workspace, name, &result);
    let body = GotPrompt { connection: connection.brief(), prompt, raw_exchanges };
    Ok(ToolReport { body, metadata: RetrievedAt { retrieved_at: Moment::now().stamp() } })
}

/// The prompt with every message as sent; one of another form than promised is under `raw`.
fn shown(workspace: &Workspace, name: &str, result: &RawJson) -> Fitted<GotPromptPromise> {
    let fitter = Fitter::new(&workspace.schemas);
    let mut prompt = fitter.object();
    prompt.put("name", RawJson::string(name));
    if let Some(description) = result.member("description") {
        prompt.take("description", &description);
    }
    let messages = result.member("messages").and_then(|messages| messages.elements().ok());
    let Some(messages) = messages else {
        prompt.note("the answer has no list `messages`");
        prompt.put_raw(result);
        return prompt.finish();
    };
    let fitter = Fitter::<PromptMessagePromise>::new(&workspace.schemas);
    let messages: Vec<RawJson> = messages.iter().map(|message| shown_message(&fitter, message)).collect();
    prompt.put("messages", RawJson::array(&messages));
    if let Some(meta) = result.member("_meta") {
        prompt.take("_meta", &meta);
    }
    prompt.finish()
}

fn shown_message(fitter: &Fitter<'_, PromptMessagePromise>, message: &RawJson) -> RawJson {
    let mut fitting = fitter.object();
    for (key, value) in message.members().unwrap_or_default() {
        fitting.take(&key, &value);
    }
    if fitting.has_notes() || message.kind() != JsonKind::Object {
        fitting.put_raw(message);
    }
    fitting.finish().into_json()
}

/// The protocol wants strings for the arguments of a prompt.
fn refuse_other_than_strings(arguments: Option<&RawJson>) -> Result<(), TestFailure> {
    let members = arguments.and_then(|arguments| arguments.members().ok()).unwrap_or_default();
    let wrong = members.iter().filter(|(_, value)| value.kind() != JsonKind::String);
    let wrong = wrong.map(|(key, _)| ArgumentViolationShown {
        instance_path: format!("/{}", escape_token(key)),
        keyword: "type".to_owned(),
        ..ArgumentViolationShown::default()
    });
    let suggestion = "Give every argument as a string, or send them all the same with check_arguments false.";
    refuse(wrong.collect(), "the arguments of a prompt must be strings", suggestion)
}

/// Refuses arguments without those that the prompt requires. A prompt that is not listed is the server's to judge.
fn refuse_missing(
    listed: &Result<Vec<RawJson>, CallError>,
    name: &str,
    arguments: Option<&RawJson>,
) -> Result<(), TestFailure> {
    let prompts = listed.iter().flatten();
    let prompt = prompts.into_iter().find(|prompt| text(prompt, "name").as_deref() == Some(name));
    let declared = prompt.and_then(|prompt| prompt.member("arguments")?.value().ok());
    let declared = declared.as_ref().and_then(Value::as_array).into_iter().flatten();
    let missing: Vec<&str> = declared
        .filter(|argument| argument["required"] == true)
        .filter_map(|argument| argument["name"].as_str())
        .filter(|required| arguments.and_then(|given| given.member(required)).is_none())
        .collect();
    let named = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let wrong = missing.iter().map(|name| ArgumentViolationShown {
        keyword: "required".to_owned(),
        message: Some(format!("`{name}` is missing")),
        ..ArgumentViolationShown::default()
    });
    let suggestion =
        format!("Give {named} in `arguments`, or send them all the same with check_arguments false.");
    refuse(wrong.collect(), &format!("the prompt `{name}` requires {named}"), &suggestion)
}

/// The failure for these violations, if there are any.
fn refuse(
    violations: Vec<ArgumentViolationShown>,
    message: &str,
    suggestion: &str,
) -> Result<(), TestFailure> {
    if violations.is_empty() {
        return Ok(());
    }
    let details = FailureDetails {
        sent: Some(false),
        violations: Some(violations),
        ..FailureDetails::reason("own_check")
    };
    Err(TestFailure::invalid(message, suggestion).details(details))
}
