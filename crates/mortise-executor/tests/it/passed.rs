//! Resources, prompts and log messages of servers, passed on to clients.

use std::sync::Arc;

use mortise_server::{
    Answer, CallContext, Content, Prompt, PromptSet, PromptText, ProtocolError, Resource, ResourceContent,
    ResourceSet, ResourceTemplate, Server, Step, Tool, Tools,
};
use mortise_testkit::{Reply, answer};
use mortise_upstream::server_config::ServerConfig;
use serde_json::{Value, json};

use crate::bench::{Bench, Client, Setup};
use crate::servers::{in_process, scripted, tool};

/// Two notes, one of a family, and a prompt that repeats its argument.
struct Library;

impl ResourceSet for Library {
    fn resources(&self) -> Arc<[Resource]> {
        let note = Resource::new("note://joint", "joint").title("Joints").field("size", json!(9));
        Arc::new([note])
    }

    fn templates(&self) -> Arc<[ResourceTemplate]> {
        Arc::new([ResourceTemplate::new("note://{name}", "any note")])
    }

    async fn read(
        &self,
        uri: String,
        _context: CallContext,
    ) -> Result<Step<Vec<ResourceContent>>, ProtocolError> {
        match uri.as_str() {
            "note://joint" => Ok(Step::Done(vec![ResourceContent::text(&uri, "text/plain", "a mortise")])),
            "note://hidden" => Ok(Step::Done(vec![ResourceContent::text(&uri, "text/plain", "a tenon")])),
            _ => Err(ProtocolError::resource_not_found(&uri)),
        }
    }
}

impl PromptSet for Library {
    fn prompts(&self) -> Arc<[Prompt]> {
        Arc::new([Prompt::new("repeat").description("Says it again").required("word", "What to say")])
    }

    async fn get(&self, name: String, context: CallContext) -> Result<Step<PromptText>, ProtocolError> {
        let said = context.arguments()["word"].as_str().unwrap_or_default();
        let text = PromptText::new().description("again").user(Content::text(format!("{name}: {said}")));
        Ok(Step::Done(text.assistant(Content::text("as you say"))))
    }
}

/// A server with a library and a tool.
fn library(name: &str) -> ServerConfig {
    in_process(name, || {
        let tool = Tool::raw("work").handler(|_, _| async { Ok(Answer::text("done")) });
        let tools = Tools::new([tool]).unwrap();
        let server = Server::builder("library", "1").tools(tools).resources(Library).prompts(Library);
        let server = server.build().unwrap();
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(ours);
            server.serve(reader, writer, std::future::pending()).await;
        });
        theirs
    })
}

/// A client of an executor that has heard that there are resources.
async fn client(bench: &Bench) -> Client {
    let mut client = bench.client().await;
    // Listing them takes place in the background; asking again is how a client without notifications learns of it.
    for _ in 0..1_000 {
        if !resources(&mut client).await.is_empty() {
            break;
        }
        tokio::task::yield_now().await;
    }
    client
}

async fn resources(client: &mut Client) -> Vec<Value> {
    let listed = client.peer.request("resources/list", json!({})).await.unwrap();
    listed["result"]["resources"].as_array().unwrap().clone()
}

#[tokio::test]
async fn resources_of_exposed_servers_are_listed_and_read() {
    let bench = Setup::of([library("library")]).expose(&["mcp__library__*"]).start().await;
    let mut client = client(&bench).await;
    let listed = resources(&mut client).await;
    let expected = json!([{ "uri": "note://joint", "name": "joint", "title": "Joints", "size": 9 }]);
    assert_eq!(json!(listed), expected);
    let templates = client.peer.request("resources/templates/list", json!({})).await.unwrap();
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "note://{name}");
    for (uri, text) in [("note://joint", "a mortise"), ("note://hidden", "a tenon")] {
        let read = client.peer.request("resources/read", json!({ "uri": uri })).await.unwrap();
        let expected = json!([{ "uri": uri, "mimeType": "text/plain", "text": text }]);
        assert_eq!(read["result"]["contents"], expected, "{read}");
    }
    let missing = client.peer.request("resources/read", json!({ "uri": "note://lost" })).await.unwrap();
    assert_eq!(missing["error"]["message"], "no resource at `note://lost`");
}

#[tokio::test]
async fn prompts_of_exposed_servers_carry_the_servers_name() {
    let bench = Setup::of([library("library")]).expose(&["mcp__library__*"]).start().await;
    let mut client = client(&bench).await;
    let listed = client.peer.request("prompts/list", json!({})).await.unwrap();
    assert_eq!(listed["result"]["prompts"][0]["name"], "library__repeat");
    assert_eq!(listed["result"]["prompts"][0]["arguments"][0]["name"], "word");
    let asked = json!({ "name": "library__repeat", "arguments": { "word": "measure" } });
    let got = client.peer.request("prompts/get", asked).await.unwrap();
    assert_eq!(got["result"]["description"], "again");
    let messages = json!([
        { "role": "user", "content": { "type": "text", "text": "repeat: measure" } },
        { "role": "assistant", "content": { "type": "text", "text": "as you say" } },
    ]);
    assert_eq!(got["result"]["messages"], messages);
}

#[tokio::test]
async fn servers_that_are_not_exposed_keep_what_they_have() {
    let shown = library("shown");
    let bench = Setup::of([library("library"), shown]).expose(&["mcp__shown__*"]).start().await;
    let mut client = client(&bench).await;
    assert_eq!(resources(&mut client).await.len(), 1);
    let listed = client.peer.request("prompts/list", json!({})).await.unwrap();
    let prompts: Vec<&Value> =
        listed["result"]["prompts"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(prompts, ["shown__repeat"]);
}

#[tokio::test]
async fn a_servers_log_reaches_the_client_of_the_program() {
    let (config, _) = scripted("s", vec![tool("work")], |request| {
        let log = json!({ "level": "warning", "data": { "grain": "crossed" } });
        let log = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": log });
        let done = json!({ "content": [{ "type": "text", "text": "done" }] });
        vec![Reply::line(&log.to_string()), answer(request, done)]
    });
    let bench = Setup::of([config]).start().await;
    let mut client = bench.client().await;
    let level = client.peer.request("logging/setLevel", json!({ "level": "debug" })).await.unwrap();
    assert_eq!(level["result"], json!({}));
    let id = client.start("execute_program", json!({ "code": "print(await mcp__s__work())" })).await;
    let logged = client.peer.called("notifications/message").await.unwrap();
    assert_eq!(logged["params"]["level"], "warning");
    assert_eq!(logged["params"]["data"], json!({ "grain": "crossed" }));
    assert!(!client.outcome("execute_program", id).await.is_error);
}
