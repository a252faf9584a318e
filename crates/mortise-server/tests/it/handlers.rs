//! Async functions as the code of tools: their signatures, inputs and errors.

use std::fmt;

use mortise_server::{Answer, BuildError, CallContext, Reply, Server, Tool, ToolError, Tools};
use mortise_testkit::{PeerError, RawPeer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::sample::{connect, noop};

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "snake_case")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

#[derive(Serialize, JsonSchema)]
struct Area {
    area: f64,
}

/// Prints itself, and is no `std::error::Error`.
struct TooLarge(f64);

impl fmt::Display for TooLarge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} is more than 100", self.0)
    }
}

async fn area(shape: Shape) -> Result<Area, TooLarge> {
    let (length, area) = match shape {
        Shape::Circle { radius } => (radius, radius * radius * 3.0),
        Shape::Square { side } => (side, side * side),
    };
    if length > 100.0 { Err(TooLarge(length)) } else { Ok(Area { area }) }
}

async fn version() -> Result<String, ToolError> {
    Ok("7".to_owned())
}

async fn nothing((): (), context: CallContext) -> Result<bool, ToolError> {
    Ok(context.arguments().is_empty())
}

async fn read_missing() -> Result<String, ToolError> {
    Ok(std::fs::read_to_string("/nowhere/at/all")?)
}

/// A reply of its own; the output is declared beside.
async fn replies() -> Result<Reply, ToolError> {
    Ok(Answer::structured(json!({ "area": 1.5 })).into())
}

fn server() -> Result<Server, BuildError> {
    Server::new("handlers", "1")
        .tool(Tool::new("version", version))
        .tool(Tool::new("area", area))
        .tool(Tool::new("nothing", nothing))
        .tool(Tool::new("read_missing", read_missing))
        .tool(Tool::new("replies", replies).returns::<Area>())
        .build()
}

async fn call(peer: &mut RawPeer, tool: &str, arguments: Value) -> Result<Value, PeerError> {
    peer.request("tools/call", json!({ "name": tool, "arguments": arguments })).await
}

#[track_caller]
fn check_text(answer: &Value, is_error: bool, text: &str) {
    let result = &answer["result"];
    assert_eq!(result["isError"].as_bool().unwrap_or_default(), is_error, "{result}");
    assert_eq!(result["content"][0]["text"], text, "{result}");
}

#[tokio::test]
async fn async_functions_answer_calls() -> Result<(), PeerError> {
    let mut peer = connect(&server().unwrap());
    peer.initialize().await?;
    let answer = call(&mut peer, "area", json!({ "shape": "square", "side": 3 })).await?;
    assert_eq!(answer["result"]["structuredContent"], json!({ "area": 9.0 }));
    check_text(
        &call(&mut peer, "area", json!({ "shape": "circle", "radius": 101 })).await?,
        true,
        "101 is more than 100",
    );
    check_text(&call(&mut peer, "nothing", json!({})).await?, false, "true");
    check_text(&call(&mut peer, "version", json!({})).await?, false, "\"7\"");
    let missing = "No such file or directory (os error 2)";
    check_text(&call(&mut peer, "read_missing", json!({})).await?, true, missing);
    let answer = call(&mut peer, "replies", json!({})).await?;
    assert_eq!(answer["result"]["structuredContent"], json!({ "area": 1.5 }));
    let refused = call(&mut peer, "area", json!({ "shape": "line" })).await?;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    Ok(())
}

#[tokio::test]
async fn tools_are_listed_in_the_order_of_registration() -> Result<(), PeerError> {
    let mut peer = connect(&server().unwrap());
    peer.initialize().await?;
    let list = peer.request("tools/list", json!({})).await?;
    let tools = list["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["version", "area", "nothing", "read_missing", "replies"]);
    assert_eq!(tools[4]["outputSchema"], tools[1]["outputSchema"]);
    Ok(())
}

#[test]
fn mistakes_are_reported_when_the_server_is_built() {
    let twice = Server::new("s", "1").tool(noop("a")).tool(noop("a")).build().unwrap_err();
    assert_eq!(twice.to_string(), "two tools are named `a`");
    let beside = Server::new("s", "1").tool(noop("a")).tools(Tools::new([]).unwrap()).build().unwrap_err();
    assert_eq!(
        beside.to_string(),
        "the tool `a` was added to a server that has a set of tools; add it to the set",
    );
}
