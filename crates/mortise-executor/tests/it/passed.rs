//! Resources, prompts and log messages of servers, passed on to clients.

use std::sync::Arc;

use mortise_client::server_config::{EraChoice, ServerConfig};
use mortise_server::{
    Answer, CallContext, Content, Prompt, PromptSet, PromptText, ProtocolError, RequestStep, Resource,
    ResourceContent, ResourceSet, ResourceTemplate, Server, Tool, Tools,
};
use mortise_testkit::{ScriptedReply, ScriptedServer, answer, handshake};
use serde_json::{Value, json};

use crate::asks::until;
use crate::bench::{Bench, Client, Setup};
use crate::servers::{Received, in_process, scripted, tool, watched_mock};

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
    ) -> Result<RequestStep<Vec<ResourceContent>>, ProtocolError> {
        match uri.as_str() {
            "note://joint" => {
                Ok(RequestStep::Done(vec![ResourceContent::text(&uri, "text/plain", "a mortise")]))
            }
            "note://hidden" => {
                Ok(RequestStep::Done(vec![ResourceContent::text(&uri, "text/plain", "a tenon")]))
            }
            _ => Err(ProtocolError::resource_not_found(&uri)),
        }
    }
}

impl PromptSet for Library {
    fn prompts(&self) -> Arc<[Prompt]> {
        Arc::new([Prompt::new("repeat").description("Says it again").required("word", "What to say")])
    }

    async fn get(
        &self,
        name: String,
        context: CallContext,
    ) -> Result<RequestStep<PromptText>, ProtocolError> {
        let said = context.arguments()["word"].as_str().unwrap_or_default();
        let text = PromptText::new().description("again").user(Content::text(format!("{name}: {said}")));
        Ok(RequestStep::Done(text.assistant(Content::text("as you say"))))
    }
}

/// A server with a library and a tool.
pub(crate) fn library(name: &str) -> ServerConfig {
    in_process(name, || {
        let tool = Tool::raw("work").handler(|_, _| async { Ok(Answer::text("done")) });
        let tools = Tools::new([tool]).unwrap();
        let server = Server::new("library", "1").tools(tools).resources(Library).prompts(Library);
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
async fn tools_that_are_exposed_later_bring_their_resources() {
    let library = library("library");
    let bench = Setup::of([library.clone()]).start().await;
    let capabilities = |opened: &Value| {
        let all = opened["result"]["capabilities"].as_object().unwrap();
        (all.contains_key("resources"), all.contains_key("prompts"))
    };
    let mut early = bench.connect();
    // Kept values are resources, so there may be some at any time.
    assert_eq!(capabilities(&early.initialize().await.unwrap()), (true, false));
    let listed = early.request("resources/list", json!({})).await.unwrap();
    assert_eq!(listed["result"]["resources"], json!([]));
    let exposing = Setup::of([library]).expose(&["mcp__library__*"]);
    bench.service.reconfigure(exposing.into_service()).await;
    let mut late = bench.connect();
    assert_eq!(capabilities(&late.initialize().await.unwrap()), (true, true));
    let listed = late.request("resources/list", json!({})).await.unwrap();
    assert_eq!(listed["result"]["resources"][0]["uri"], "note://joint");
    let listed = late.request("prompts/list", json!({})).await.unwrap();
    assert_eq!(listed["result"]["prompts"][0]["name"], "library__repeat");
}

/// A server that says that it logs, and what it is told.
fn logging(name: &str) -> (ServerConfig, Received) {
    let received = Received::default();
    let kept = received.clone();
    let config = in_process(name, move || {
        let kept = kept.clone();
        let script = move |request: &Value| {
            kept.lock().unwrap().push(request.clone());
            match request["method"].as_str() {
                Some("initialize") => {
                    let version = &request["params"]["protocolVersion"];
                    let info = json!({ "name": "logging", "version": "0" });
                    let capabilities = json!({ "tools": {}, "logging": {} });
                    let opened = json!({ "protocolVersion": version, "capabilities": capabilities, "serverInfo": info });
                    vec![answer(request, opened)]
                }
                Some("tools/list") => vec![answer(request, json!({ "tools": [tool("work")] }))],
                Some("logging/setLevel") => vec![answer(request, json!({}))],
                Some("tools/call") => vec![answer(request, json!({ "content": [] }))],
                _ => handshake(request).unwrap_or_default(),
            }
        };
        ScriptedServer::new(script).spawn().0
    });
    (config, received)
}

/// The levels that a server was told.
fn levels(received: &Received) -> Vec<String> {
    let received = received.lock().unwrap();
    let told = received.iter().filter(|request| request["method"] == "logging/setLevel");
    told.map(|request| request["params"]["level"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn servers_that_log_are_told_what_clients_want_to_hear() {
    let (config, told) = logging("l");
    let (silent, untold) = scripted("s", vec![tool("work")], |request| vec![answer(request, json!({}))]);
    let bench = Setup::of([config, silent]).start().await;
    let mut client = bench.client().await;
    assert!(levels(&told).is_empty(), "nobody has asked for anything");
    client.peer.request("logging/setLevel", json!({ "level": "error" })).await.unwrap();
    assert_eq!(levels(&told), ["error"]);
    let mut curious = bench.client().await;
    curious.peer.request("logging/setLevel", json!({ "level": "debug" })).await.unwrap();
    client.peer.request("logging/setLevel", json!({ "level": "warning" })).await.unwrap();
    assert_eq!(levels(&told), ["error", "debug", "debug"], "the most detailed that anyone wants");
    bench.upstream("l").reconnect().await;
    until(|| levels(&told).len() == 4).await;
    assert_eq!(levels(&told)[3], "debug", "a new connection is told too");
    assert!(levels(&untold).is_empty());
}

#[tokio::test]
async fn a_modern_server_is_told_with_every_call() {
    let (mut config, mock) = watched_mock("m", "ok");
    config.era = EraChoice::Modern;
    let bench = Setup::of([config]).start().await;
    let mut client = bench.client().await;
    client.peer.request("logging/setLevel", json!({ "level": "notice" })).await.unwrap();
    client.call("execute_program", json!({ "code": "await mcp__m__echo(text='x')" })).await;
    let received = mock.received();
    let call = received.iter().find(|request| request["method"] == "tools/call").unwrap();
    assert_eq!(call["params"]["_meta"]["io.modelcontextprotocol/logLevel"], "notice");
    assert!(received.iter().all(|request| request["method"] != "logging/setLevel"));
}

#[tokio::test]
async fn a_servers_log_reaches_the_client_of_the_program() {
    let (config, _) = scripted("s", vec![tool("work")], |request| {
        let log = json!({ "level": "warning", "data": { "grain": "crossed" } });
        let log = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": log });
        let done = json!({ "content": [{ "type": "text", "text": "done" }] });
        vec![ScriptedReply::line(&log.to_string()), answer(request, done)]
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
