//! Servers inside this process: the mock, the samples, and tools that answer what a test says.

use std::sync::{Arc, Mutex};

use mortise_client::server_config::{InProcess, ServerConfig, StdioConfig, Transport};
use mortise_contract::ServerName;
use mortise_samples::mock::Mock;
use mortise_testkit::{ScriptedReply, ScriptedServer, answer};
use serde_json::{Value, json};

/// A server reached by `connect`.
pub(crate) fn in_process(
    name: &str,
    connect: impl Fn() -> tokio::io::DuplexStream + Send + Sync + 'static,
) -> ServerConfig {
    ServerConfig::new(ServerName::parse(name).unwrap(), Transport::InProcess(InProcess::new(connect)))
}

/// The mock under this name, behaving as the scenarios say.
pub(crate) fn mock(name: &str, scenarios: &str) -> ServerConfig {
    watched_mock(name, scenarios).0
}

/// The same, and the mock itself, which knows what it received.
pub(crate) fn watched_mock(name: &str, scenarios: &str) -> (ServerConfig, Mock) {
    let mock = Mock::parse(scenarios).unwrap();
    let served = mock.clone();
    (in_process(name, move || served.connect()), mock)
}

/// A sample server.
pub(crate) fn sample(name: &'static str) -> ServerConfig {
    in_process(name, move || {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let server = mortise_samples::sample(name).unwrap().server().unwrap();
        tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(ours);
            server.serve(reader, writer, std::future::pending()).await;
        });
        theirs
    })
}

/// A server whose program does not exist.
pub(crate) fn broken(name: &str) -> ServerConfig {
    let command = StdioConfig::new("/nowhere/at-all", Vec::new());
    ServerConfig::new(ServerName::parse(name).unwrap(), Transport::Stdio(command))
}

/// A tool that takes anything and promises nothing.
pub(crate) fn tool(name: &str) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

/// A tool with an output schema.
pub(crate) fn promising(name: &str, output_schema: Value) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" }, "outputSchema": output_schema })
}

/// What a scripted server was asked, in order.
pub(crate) type Received = Arc<Mutex<Vec<Value>>>;

/// A server with these tools that answers every call by what `reply` makes of its request.
pub(crate) fn scripted(
    name: &str,
    tools: Vec<Value>,
    reply: impl Fn(&Value) -> Vec<ScriptedReply> + Send + Sync + 'static,
) -> (ServerConfig, Received) {
    let received = Received::default();
    let (kept, reply) = (received.clone(), Arc::new(reply));
    let config = in_process(name, move || {
        let (kept, reply, tools) = (kept.clone(), reply.clone(), tools.clone());
        let script = move |request: &Value| {
            kept.lock().unwrap().push(request.clone());
            match request["method"].as_str() {
                Some("tools/list") => vec![answer(request, json!({ "tools": tools }))],
                _ => reply(request),
            }
        };
        ScriptedServer::legacy(script).spawn().0
    });
    (config, received)
}

/// The server `s` with these tools, each answering with one result, written as it is.
pub(crate) fn answering(tools: Vec<(Value, &str)>) -> ServerConfig {
    let results: Vec<(String, String)> = tools
        .iter()
        .map(|(tool, result)| (tool["name"].as_str().unwrap().to_owned(), (*result).to_owned()))
        .collect();
    let declarations = tools.into_iter().map(|(tool, _)| tool).collect();
    let reply = move |request: &Value| {
        let wanted = request["params"]["name"].as_str().unwrap_or_default();
        let result = results.iter().find(|(name, _)| name == wanted).map_or("{}", |(_, result)| result);
        vec![ScriptedReply::line(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request["id"]))]
    };
    scripted("s", declarations, reply).0
}

/// The server `s` whose tools echo their arguments as text.
pub(crate) fn echoing(name: &str, tools: &[&str]) -> (ServerConfig, Received) {
    let tools = tools.iter().map(|name| tool(name)).collect();
    scripted(name, tools, |request| {
        let text = request["params"]["arguments"].to_string();
        vec![answer(request, json!({ "content": [{ "type": "text", "text": text }] }))]
    })
}

/// The names of the tools that were called, as they went over the wire.
pub(crate) fn called(received: &Received) -> Vec<String> {
    let received = received.lock().unwrap();
    let calls = received.iter().filter(|request| request["method"] == "tools/call");
    calls.map(|request| request["params"]["name"].as_str().unwrap().to_owned()).collect()
}
