//! Servers that misbehave in every way that concerns an answer: the tester's own stays as promised.

use mortise_samples::mock::{ScenarioTransport, scenarios};
use serde_json::json;

use crate::support::{Assistant, command};

/// Scenarios about frames, lists, results and schemas; others are about time and processes.
const GROUPS: [&str; 5] = ["Frames", "Tool lists", "Results", "Broken contracts", "Schemas"];
/// Those that take longer than they teach.
const SLOW: [&str; 4] = ["endless-cursors", "stdout-flood", "big", "bomb-size"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answer_is_as_advertised_whatever_the_server_does() {
    let assistant = Assistant::new().await;
    let mut tried = 0;
    for scenario in scenarios() {
        if !GROUPS.contains(&scenario.group)
            || scenario.transport == ScenarioTransport::Http
            || SLOW.contains(&scenario.name)
        {
            continue;
        }
        let mut arguments = command(scenario.name);
        arguments["timeout_ms"] = json!(10_000);
        let connected = assistant.call("connect_to_server", arguments).await;
        if connected["success"] == true {
            assistant.call("list_tools", json!({"timeout_ms": 3000})).await;
            let call = json!({"name": "echo", "arguments": {}, "timeout_ms": 500, "include_raw": true});
            assistant.call("call_tool", call).await;
            assistant.call("get_connection_status", json!({})).await;
            assistant.call("get_notifications", json!({})).await;
        }
        tried += 1;
    }
    assert!(tried > 60, "{tried} scenarios");
    assistant.tester.close().await;
}
