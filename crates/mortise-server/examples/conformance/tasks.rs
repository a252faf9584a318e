//! Tools whose calls are answered with tasks.

use std::time::Duration;

use mortise_server::{Answer, CallContext, Elicited, InputRequired, ProtocolError, Reply, Tool, ToolError};
use serde_json::json;

use crate::input::{ask_name, name};

/// Longer than a client waits for a result before it gets a task.
const LONG: Duration = Duration::from_secs(1);

pub(crate) fn tools() -> Vec<Tool> {
    vec![
        Tool::raw("greet")
            .description("Greets at once")
            .input_schema(json!({ "type": "object", "properties": { "name": { "type": "string" } } }))
            .handler(|_, context| async move {
                let name = context.arguments().get("name").and_then(|name| name.as_str()).unwrap_or("you");
                Ok(Answer::text(format!("Hello, {name}!")))
            }),
        Tool::raw("slow_compute")
            .description("Takes its time")
            .input_schema(json!({
                "type": "object",
                "properties": { "seconds": { "type": "number", "minimum": 0 }, "label": { "type": "string" } },
            }))
            .may_take_long()
            .handler(|_, context| async move { slow_compute(&context).await }),
        Tool::raw("failing_job").description("Fails after a second").needs_tasks().handler(|_, _| async {
            tokio::time::sleep(LONG).await;
            Err::<Answer, _>(ToolError::new("the job failed, as it always does"))
        }),
        Tool::raw("protocol_error_job")
            .description("Ends with a protocol error")
            .may_take_long()
            .handler(|_, _| async {
                tokio::time::sleep(LONG).await;
                Ok(Reply::from(ProtocolError::new(ProtocolError::INTERNAL_ERROR, "the job broke")))
            }),
        Tool::raw("confirm_delete")
            .description("Asks the user in the middle of the task")
            .input_schema(json!({ "type": "object", "properties": { "filename": { "type": "string" } } }))
            .may_take_long()
            .handler(|_, context| async move {
                let confirmed = context.elicit("Delete the file?", confirmation()).await?;
                Ok(Answer::text(match confirmed {
                    Elicited::Accepted(_) => "deleted",
                    Elicited::Declined | Elicited::Cancelled => "kept",
                }))
            }),
        Tool::raw("multi_input")
            .description("Asks the user two questions at once")
            .may_take_long()
            .handler(|_, context| async move {
                let (first, second) = tokio::join!(
                    context.ask(ask_name("What is your first name?")),
                    context.ask(ask_name("What is your last name?")),
                );
                Ok(Answer::text(format!("{} {}", first?["content"]["name"], second?["content"]["name"])))
            }),
        Tool::raw("test_tool_with_task")
            .description("Asks first, and then takes its time")
            .needs_tasks()
            .handler(|_, context| async move {
                let Some(name) = name(&context, "user_name") else {
                    return Ok(InputRequired::new().ask("user_name", ask_name("What is your name?")).into());
                };
                tokio::time::sleep(LONG).await;
                Ok(Reply::from(Answer::text(format!("Hello, {name}, after a while!"))))
            }),
    ]
}

async fn slow_compute(context: &CallContext) -> Result<Answer, ToolError> {
    let argument = |name: &str| context.arguments().get(name).cloned().unwrap_or_default();
    let seconds = argument("seconds").as_f64().unwrap_or_default();
    context.progress(0.0, Some(seconds), Some("computing"));
    tokio::select! {
        () = tokio::time::sleep(Duration::try_from_secs_f64(seconds)?) => {}
        () = context.cancellation().cancelled() => return Err(ToolError::new("cancelled")),
    }
    Ok(Answer::text(format!("computed {} for {seconds} s", argument("label").as_str().unwrap_or("nothing"))))
}

fn confirmation() -> serde_json::Value {
    json!({ "type": "object", "properties": { "confirm": { "type": "boolean" } }, "required": ["confirm"] })
}
