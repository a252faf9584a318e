//! A server with one tool of every kind, and a client at the other end of a pipe.

use mortise_server::{Answer, Content, Output, Server, Tool, ToolError, Tools};
use mortise_testkit::RawPeer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Measures {
    pub(crate) height_cm: f64,
    pub(crate) weight_kg: f64,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Bmi {
    pub(crate) bmi: f64,
}

pub(crate) fn tools() -> Tools {
    Tools::new([
        Tool::new("bmi", |input: Measures| async move {
            Ok::<_, ToolError>(Bmi { bmi: input.weight_kg / (input.height_cm / 100.0).powi(2) })
        }).description("Body mass index"),
        Tool::new("bmi_in_words", |input: Measures| async move {
            let bmi = input.weight_kg / (input.height_cm / 100.0).powi(2);
            Ok::<_, ToolError>(Output::new(Bmi { bmi }).text(format!("BMI {bmi:.1}")))
        }),
        Tool::raw("primes")
            .output_schema(json!({ "type": "array", "items": { "$ref": "#/$defs/n" }, "$defs": { "n": { "type": "integer" } } }))
            .handler(|_, _| async { Ok(Answer::structured(json!([2, 3, 5]))) }),
        Tool::raw("liar")
            .output_schema(json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] }))
            .handler(|_, _| async { Ok(Answer::structured(json!({ "n": "many" }))) }),
        Tool::raw("silent")
            .output_schema(json!({ "type": "object" }))
            .handler(|_, _| async { Ok(Answer::text("nothing structured")) }),
        Tool::raw("fails").output_schema(json!({ "type": "object" })).handler(|_, _| async {
            Err::<Answer, _>(ToolError::new("the moon is in the way"))
        }),
        Tool::raw("panics").handler(|_, _| async {
            if true {
                panic!("a handler that panics");
            }
            Ok(Answer::default())
        }),
        Tool::raw("plain").handler(|_, _| async { Ok(Answer::content([Content::text("just text")])) }),
        Tool::raw("echo")
            .input_schema(json!({ "type": "object" }))
            .handler(|call, _| async move { Ok(Answer::structured_raw(call.arguments)) }),
    ])
    .expect("every tool is without fault")
}

/// A tool that does nothing.
pub(crate) fn noop(name: &str) -> Tool {
    Tool::raw(name).handler(|_, _| async { Ok(Answer::text("done")) })
}

pub(crate) fn server(tools: Tools) -> Server {
    Server::new("sample", "1.2.3").instructions("Ask it.").tools(tools).build().expect("a name and a version")
}

/// A client at the other end of a pipe; the server goes when the client does.
pub(crate) fn connect(server: &Server) -> RawPeer {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(theirs);
    let server = server.clone();
    tokio::spawn(async move { server.serve(reader, writer, std::future::pending()).await });
    RawPeer::over(ours)
}
