//! Getting a prompt.

use mortise_client::CallError;
use mortise_contract::RawJson;
use serde_json::{Value, json};

use crate::callers::Workspace;
use crate::connection::Count;
use crate::failure::{Failure, Subject, of_call};
use crate::fitting::Fitting;
use crate::moment::Moment;
use crate::object::{Object, embedded};
use crate::request::{Report, Request};
use crate::tools::asking::{Asking, failed, is_listed, text};
use crate::tools::{Outcome, returned};

/// `get_prompt`.
pub(super) async fn get(workspace: &Workspace, request: &Request) -> Outcome {
    let connection = workspace.connections.usable(request.connection())?;
    let name = request.arguments.get("name").and_then(Value::as_str).unwrap_or_default();
    let given = request.arguments.get("arguments").filter(|given| !given.is_null());
    let arguments = given.map(|_| request.object("arguments"));
    if request.flag("check_arguments", true) {
        let checked = match refuse_other_than_texts(given) {
            Ok(()) => refuse_missing(&connection.upstream.prompts(request.options()).await, name, given),
            refused => refused,
        };
        checked.inspect_err(|_| connection.statistics.count(Count::Error))?;
    }
    let (asking, options) = Asking::start(&connection, request);
    let outcome = connection.upstream.get_prompt(name, arguments.as_ref(), options).await;
    let frames = asking.keep();
    let result = match outcome {
        Ok(result) => result,
        Err(error) => {
            failed(&connection, &error).await;
            let is_listed = match &error {
                CallError::Rpc { .. } => {
                    is_listed(&connection.upstream.prompts(request.options()).await, "name", name)
                }
                _ => None,
            };
            return Err(of_call(&error, Subject::Prompt { name, is_listed }).showing(frames));
        }
    };
    connection.statistics.count(Count::PromptRetrieved);
    let members = Object::new()
        .object("connection", &connection.brief())
        .object("prompt", &shown(workspace, name, &result))
        .and(frames);
    let metadata = Object::new().set("retrieved_at", Moment::now().stamp());
    Ok(Report::new(members).about(metadata))
}

/// The prompt with every message as sent; one of another form than promised is under `raw`.
fn shown(workspace: &Workspace, name: &str, result: &RawJson) -> Object {
    let mut prompt =
        Fitting::new(returned("get_prompt", "/properties/prompt/properties"), &workspace.schemas);
    prompt.put(|object| object.set("name", name));
    if let Some(description) = result.member("description") {
        prompt.take("description", &description);
    }
    let messages = result.member("messages").and_then(|messages| messages.elements().ok());
    let Some(messages) = messages else {
        prompt.note("the answer has no list `messages`");
        prompt.put(|object| object.verbatim("raw", result));
        return prompt.finish();
    };
    let properties = returned("get_prompt", "/properties/prompt/properties/messages/items/properties");
    let texts: Vec<String> = messages
        .iter()
        .map(|message| {
            let mut fitting = Fitting::new(properties, &workspace.schemas);
            for (key, value) in message.members().unwrap_or_default() {
                fitting.take(&key, &value);
            }
            let fitted = fitting.finish();
            match fitted.text().contains("\"notes\"") || message.members().is_err() {
                true => fitted.json("raw", &embedded(message)).text(),
                false => fitted.text(),
            }
        })
        .collect();
    prompt.put(|object| object.json("messages", &format!("[{}]", texts.join(","))));
    if let Some(meta) = result.member("_meta") {
        prompt.take("_meta", &meta);
    }
    prompt.finish()
}

/// The protocol wants texts for the arguments of a prompt.
fn refuse_other_than_texts(arguments: Option<&Value>) -> Result<(), Failure> {
    let members = arguments.and_then(Value::as_object).into_iter().flatten();
    let wrong: Vec<Value> = members
        .filter(|(_, value)| !value.is_string())
        .map(|(key, _)| json!({"instance_path": format!("/{}", mortise_contract::json::escape_token(key)), "keyword": "type"}))
        .collect();
    let suggestion = "Give every argument as a string, or send them all the same with check_arguments false.";
    refuse(wrong, "the arguments of a prompt must be strings", suggestion)
}

/// Refuses arguments without those that the prompt requires. A prompt that is not listed is the server's to judge.
fn refuse_missing(
    listed: &Result<Vec<RawJson>, CallError>,
    name: &str,
    arguments: Option<&Value>,
) -> Result<(), Failure> {
    let prompts = listed.iter().flatten();
    let prompt = prompts.into_iter().find(|prompt| text(prompt, "name").as_deref() == Some(name));
    let declared = prompt.and_then(|prompt| prompt.member("arguments")?.value().ok());
    let declared = declared.as_ref().and_then(Value::as_array).into_iter().flatten();
    let missing: Vec<&str> = declared
        .filter(|argument| argument["required"] == true)
        .filter_map(|argument| argument["name"].as_str())
        .filter(|required| arguments.and_then(|given| given.get(required)).is_none())
        .collect();
    let named = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let wrong = missing.iter().map(
        |name| json!({"instance_path": "", "keyword": "required", "message": format!("`{name}` is missing")}),
    );
    let suggestion =
        format!("Give {named} in `arguments`, or send them all the same with check_arguments false.");
    refuse(wrong.collect(), &format!("the prompt `{name}` requires {named}"), &suggestion)
}

/// The failure for these violations, if there are any.
fn refuse(violations: Vec<Value>, message: &str, suggestion: &str) -> Result<(), Failure> {
    if violations.is_empty() {
        return Ok(());
    }
    let details = Object::new().set("reason", "own_check").set("sent", false).set("violations", violations);
    Err(Failure::invalid(message, suggestion).details(details))
}
