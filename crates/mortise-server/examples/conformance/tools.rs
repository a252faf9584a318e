//! The suite's tools.

use std::time::Duration;

use mortise_server::{
    Answer, CallContext, Content, Elicited, InputKind, InputRequest, LogLevel, ProtocolError,
    RegistrationError, Reply, Tool, ToolError, Tools,
};
use serde_json::{Value, json};

use crate::prompts::Prompts;
use crate::{PNG, input, tasks};

const PAUSE: Duration = Duration::from_millis(50);

pub(crate) fn tools(prompts: &Prompts) -> Result<Tools, RegistrationError> {
    let mut tools = vec![
        Tool::raw("test_simple_text")
            .description("Returns one text")
            .handler(|_, _| async { Ok(Answer::text("This is a simple text response for testing.")) }),
        Tool::raw("test_image_content")
            .description("Returns one image")
            .handler(|_, _| async { Ok(Answer::content([Content::image(PNG, "image/png")])) }),
        Tool::raw("test_audio_content")
            .description("Returns one sound")
            .handler(|_, _| async { Ok(Answer::content([Content::audio(&silence(), "audio/wav")])) }),
        Tool::raw("test_embedded_resource").description("Returns one resource").handler(|_, _| async {
            let text = "This is an embedded resource content.";
            Ok(Answer::content([Content::resource_text("test://embedded-resource", "text/plain", text)]))
        }),
        Tool::raw("test_multiple_content_types").description("Returns three kinds of content").handler(
            |_, _| async {
                let json = r#"{"test":"data","value":123}"#;
                Ok(Answer::text("Multiple content types test:")
                    .and(Content::image(PNG, "image/png"))
                    .and(Content::resource_text("test://mixed-content-resource", "application/json", json)))
            },
        ),
        Tool::raw("test_error_handling").description("Always fails").handler(|_, _| async {
            Err::<Answer, _>(ToolError::new("This tool intentionally returns an error for testing"))
        }),
        Tool::raw("test_tool_with_logging")
            .description("Logs three messages")
            .handler(|_, context| log(context)),
        Tool::raw("test_logging_tool").description("Logs three messages").handler(|_, context| log(context)),
        Tool::raw("test_tool_with_progress").description("Reports progress").handler(
            |_, context| async move {
                for step in [0.0, 50.0, 100.0] {
                    context.progress(step, Some(100.0), None);
                    tokio::time::sleep(PAUSE).await;
                }
                Ok(Answer::text("Progress reported"))
            },
        ),
        Tool::raw("test_reconnection").description("Takes a moment").handler(|_, _| async {
            tokio::time::sleep(PAUSE * 2).await;
            Ok(Answer::text("Reconnection test completed"))
        }),
        Tool::raw("test_missing_capability").description("Needs sampling").handler(|_, context| async move {
            if context.client().supports(InputKind::Sample) {
                Ok(Reply::from(Answer::text("sampling is there")))
            } else {
                Ok(ProtocolError::missing_capability(json!({ "sampling": {} })).into())
            }
        }),
        Tool::raw("test_sampling")
            .description("Asks the client's model")
            .input_schema(json!({
                "type": "object", "properties": { "prompt": { "type": "string" } }, "required": ["prompt"],
            }))
            .handler(|_, context| async move {
                let answer =
                    context.ask(InputRequest::sample(sampling(&context.arguments()["prompt"], 100))).await?;
                Ok(Answer::text(format!("LLM response: {}", input::text_of(&answer))))
            }),
        Tool::raw("test_elicitation")
            .description("Asks the user")
            .input_schema(json!({
                "type": "object", "properties": { "message": { "type": "string" } }, "required": ["message"],
            }))
            .handler(|_, context| async move {
                let message = context.arguments()["message"].as_str().unwrap_or_default().to_owned();
                let answer = context.elicit(
                    &message,
                    json!({
                        "type": "object",
                        "properties": {
                            "username": { "type": "string", "description": "User's response" },
                            "email": { "type": "string", "description": "User's email address" },
                        },
                        "required": ["username", "email"],
                    }),
                );
                Ok(Answer::text(format!("User response: {}", in_words(&answer.await?))))
            }),
        eliciting(
            "test_elicitation_sep1034_defaults",
            json!({
                "type": "object",
                "properties": {
                    "name": { "type": "string", "default": "John Doe" },
                    "age": { "type": "integer", "default": 30 },
                    "score": { "type": "number", "default": 95.5 },
                    "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
                    "verified": { "type": "boolean", "default": true },
                },
            }),
        ),
        eliciting("test_elicitation_sep1330_enums", enums()),
        Tool::raw("json_schema_2020_12_tool")
            .description("Tool with JSON Schema 2020-12 features")
            .input_schema(vocabulary())
            .handler(|call, _| async move { Ok(Answer::text(call.arguments.text())) }),
        Tool::raw("test_custom_header")
            .description("Takes an argument that clients repeat in a header")
            .input_schema(json!({
                "type": "object", "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
            }))
            .handler(|call, _| async move { Ok(Answer::text(call.arguments.text())) }),
    ];
    tools.extend(input::tools());
    tools.extend(tasks::tools());
    let prompts = prompts.clone();
    tools.push(Tool::raw("test_trigger_prompt_change").description("Changes the list of prompts").handler(
        move |_, _| {
            prompts.change();
            async { Ok(Answer::text("the prompts changed")) }
        },
    ));
    let tools = Tools::new(tools)?;
    let own = tools.clone();
    tools.add(Tool::raw("test_trigger_tool_change").description("Changes the list of tools").handler(
        move |_, _| {
            let passing = || {
                Tool::raw("test_passing")
                    .description("Here for a moment")
                    .handler(|_, _| async { Ok(Answer::text("here for a moment")) })
            };
            if !own.remove("test_passing") {
                // Another call may have added it in the meantime, which is a change as well.
                let _ = own.add(passing());
            }
            async { Ok(Answer::text("the tools changed")) }
        },
    ))?;
    Ok(tools)
}

async fn log(context: CallContext) -> Result<Answer, ToolError> {
    for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        context.log(LogLevel::Info, json!(message));
        tokio::time::sleep(PAUSE).await;
    }
    Ok(Answer::text("Logged three messages"))
}

fn eliciting(name: &str, schema: Value) -> Tool {
    Tool::raw(name).description("Asks the user").handler(move |_, context| {
        let schema = schema.clone();
        async move {
            let answer = context.elicit("Please fill in the form", schema).await?;
            Ok(Answer::text(format!("Elicitation completed: {}", in_words(&answer))))
        }
    })
}

fn in_words(answer: &Elicited) -> String {
    match answer {
        Elicited::Accepted(content) => format!("action=accept, content={}", json!(content)),
        Elicited::Declined => "action=decline, content={}".to_owned(),
        Elicited::Cancelled => "action=cancel, content={}".to_owned(),
    }
}

pub(crate) fn sampling(prompt: &Value, tokens: u32) -> Value {
    json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }], "maxTokens": tokens })
}

fn enums() -> Value {
    let titled = json!([
        { "const": "value1", "title": "First Option" },
        { "const": "value2", "title": "Second Option" },
        { "const": "value3", "title": "Third Option" },
    ]);
    let plain = json!(["option1", "option2", "option3"]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": plain },
            "titledSingle": { "type": "string", "oneOf": titled },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled } },
        },
    })
}

fn vocabulary() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

/// An empty wave file.
fn silence() -> Vec<u8> {
    let mut wav = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
    wav.extend_from_slice(b"\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0");
    wav
}
