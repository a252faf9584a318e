//! The mock: what each scenario puts on the wire.

mod asks;
mod frames;
mod http;
mod lifecycle;
mod lists;
mod process;
mod recorded;
mod results;
mod script;
mod tasks;

use mortise_samples::mock::Mock;
use mortise_testkit::RawPeer;
use serde_json::{Value, json};

/// A peer of a mock with these scenarios.
fn peer(scenarios: &str) -> RawPeer {
    RawPeer::over(Mock::parse(scenarios).unwrap().connect())
}

/// Calls `echo`; the frame that answers it.
async fn echo(peer: &mut RawPeer, text: &str) -> Value {
    peer.request("tools/call", call("echo", &json!({ "text": text }))).await.unwrap()
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

/// Calls the tool that behaves in every scenario.
async fn still_works(peer: &mut RawPeer) {
    let answer = peer.request("tools/call", call("add", &json!({"a": 2, "b": 3}))).await.unwrap();
    assert_eq!(answer["result"]["structuredContent"], json!({"sum": 5}));
}
