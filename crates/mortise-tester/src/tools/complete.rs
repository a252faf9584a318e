//! Completing an argument.

use std::collections::BTreeMap;
use std::sync::Arc;

use mortise_contract::RawJson;
use mortise_contract::json::JsonKind;
use mortise_server::CallContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::answer::{AsSent, ToolReport};
use crate::callers::Workspace;
use crate::connection::BriefConnection;
use crate::failure::{Subject, TestFailure, failed_call};
use crate::input::{ConnectionName, TimeoutMs, call_options};
use crate::tools::TestOutcome;
use crate::tools::asking::{Asking, count_failure};

#[derive(Deserialize, JsonSchema)]
pub(crate) struct CompleteArgumentInput {
    /// Name of the prompt whose argument is completed
    prompt: Option<String>,
    /// Resource template whose variable is completed, instead of prompt
    uri_template: Option<String>,
    /// Name of the argument or variable
    argument: String,
    /// What has been typed so far
    value: Option<String>,
    /// Arguments that are filled in already
    context: Option<BTreeMap<String, String>>,
    connection: Option<ConnectionName>,
    timeout_ms: Option<TimeoutMs>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct CompletedArgument {
    connection: BriefConnection,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Map<String, Value>")]
    completion: Option<AsSent>,
    /// The result, where it holds no completion
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<AsSent>,
}

pub(super) async fn complete_argument(
    workspace: Arc<Workspace>,
    input: CompleteArgumentInput,
    context: CallContext,
) -> TestOutcome<CompletedArgument> {
    let connection = workspace.connections.usable(ConnectionName::of(input.connection.as_ref()))?;
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let reference = match (given(input.prompt), given(input.uri_template)) {
        (Some(name), None) => json!({"type": "ref/prompt", "name": name}),
        (None, Some(uri)) => json!({"type": "ref/resource", "uri": uri}),
        _ => {
            return Err(TestFailure::invalid(
                "one of `prompt` and `uri_template` is wanted",
                "Give `prompt` for an argument of a prompt, or `uri_template` for a variable of a template.",
            ));
        }
    };
    let argument = json!({"name": input.argument, "value": input.value.unwrap_or_default()});
    let mut params = json!({"ref": reference, "argument": argument});
    if let Some(arguments) = input.context {
        params["context"] = json!({ "arguments": arguments });
    }
    let params = RawJson::from_value(&params).map_err(|error| {
        TestFailure::invalid(format!("the arguments can't be sent: {error}"), "Nest less.")
    })?;
    let (asking, options) = Asking::start(&connection, call_options(&context, input.timeout_ms));
    let outcome = connection.upstream.complete(&params, options).await;
    asking.keep();
    let result = match outcome {
        Ok(result) => result,
        Err(error) => {
            count_failure(&connection, &error).await;
            return Err(failed_call(&error, Subject::Method("completion/complete")));
        }
    };
    let completion = result.member("completion").filter(|completion| completion.kind() == JsonKind::Object);
    Ok(ToolReport::new(CompletedArgument {
        connection: connection.brief(),
        raw: completion.is_none().then(|| AsSent::new(&result)),
        completion: completion.as_ref().map(AsSent::new),
    }))
}
