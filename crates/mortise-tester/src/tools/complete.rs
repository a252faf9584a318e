//! Completing an argument.

use mortise_contract::RawJson;
use serde_json::json;

use crate::callers::Workspace;
use crate::failure::{Failure, Subject, of_call};
use crate::object::Object;
use crate::request::{Report, Request};
use crate::tools::Outcome;
use crate::tools::asking::{Asking, failed};

/// `complete_argument`.
pub(super) async fn complete(workspace: &Workspace, request: &Request) -> Outcome {
    let connection = workspace.connections.usable(request.connection())?;
    let reference = match (request.text("prompt"), request.text("uri_template")) {
        (Some(name), None) => json!({"type": "ref/prompt", "name": name}),
        (None, Some(uri)) => json!({"type": "ref/resource", "uri": uri}),
        _ => {
            return Err(Failure::invalid(
                "one of `prompt` and `uri_template` is wanted",
                "Give `prompt` for an argument of a prompt, or `uri_template` for a variable of a template.",
            ));
        }
    };
    let argument = request.text("argument").unwrap_or_default();
    let value = request.text("value").unwrap_or_default();
    let mut params = json!({"ref": reference, "argument": {"name": argument, "value": value}});
    if let Some(context) = request.arguments.get("context") {
        params["context"] = json!({ "arguments": context });
    }
    let params = RawJson::from_value(&params)
        .map_err(|error| Failure::invalid(format!("the arguments can't be sent: {error}"), "Nest less."))?;
    let (asking, options) = Asking::start(&connection, request);
    let outcome = connection.upstream.complete(&params, options).await;
    asking.keep();
    let result = match outcome {
        Ok(result) => result,
        Err(error) => {
            failed(&connection, &error).await;
            return Err(of_call(&error, Subject::Method("completion/complete")));
        }
    };
    let members = Object::new().object("connection", &connection.brief());
    let members = match result.member("completion").filter(|completion| completion.text().starts_with('{')) {
        Some(completion) => members.verbatim("completion", &completion),
        None => members.verbatim("raw", &result),
    };
    Ok(Report::new(members))
}
