//! What goes beyond the nine tools.

use serde_json::json;

use crate::support::{Assistant, command};

#[tokio::test]
async fn arguments_are_validated_without_a_call() {
    let assistant = Assistant::new().await;
    assistant.connect("ok").await;
    let valid =
        assistant.ok("validate_arguments", json!({"name": "add", "arguments": {"a": 1, "b": 2}})).await;
    assert_eq!(valid["status"], "valid");
    let invalid = assistant.ok("validate_arguments", json!({"name": "add", "arguments": {"a": "1"}})).await;
    assert_eq!(invalid["status"], "invalid");
    assert_eq!(invalid["total_violations"], 2);
    let status = assistant.ok("get_connection_status", json!({})).await;
    assert_eq!(status["statistics"]["tools_called"], 0);
    assistant.fails("validate_arguments", json!({"name": "nope"}), "tool_not_found").await;
}

#[tokio::test]
async fn connections_live_side_by_side() {
    let assistant = Assistant::new().await;
    for (name, scenario) in [("one", "tools=1"), ("two", "tools=2")] {
        let mut arguments = command(scenario);
        arguments["connection"] = json!(name);
        let connected = assistant.ok("connect_to_server", arguments).await;
        assert_eq!(connected.get("previous_connection"), None);
    }
    let total = |answer: serde_json::Value| answer["metadata"]["total_tools"].clone();
    assert_eq!(total(assistant.ok("list_tools", json!({})).await), 2);
    assert_eq!(total(assistant.ok("list_tools", json!({"connection": "one"})).await), 1);
    assistant.ok("switch_connection", json!({"connection": "one"})).await;
    assert_eq!(total(assistant.ok("list_tools", json!({})).await), 1);
    let listed = assistant.ok("list_connections", json!({})).await;
    assert_eq!(listed["connections"][0]["name"], "one");
    assert_eq!(listed["connections"][0]["is_current"], true);
    assistant.fails("list_tools", json!({"connection": "three"}), "not_connected").await;
    assistant.ok("disconnect", json!({})).await;
    assert_eq!(total(assistant.ok("list_tools", json!({})).await), 2);
    let closed = assistant.ok("disconnect_all", json!({})).await;
    assert_eq!(closed["previous_connections"].as_array().unwrap().len(), 1);
    assistant.fails("list_tools", json!({}), "not_connected").await;
}

#[tokio::test]
async fn there_is_a_limit_to_connections() {
    let assistant = Assistant::new().await;
    let named = |name: usize| {
        let mut arguments = command("ok");
        arguments["connection"] = json!(format!("c{name}"));
        arguments
    };
    for name in 0..mortise_tester::limits::TESTER_CONNECTIONS {
        assistant.ok("connect_to_server", named(name)).await;
    }
    assistant.fails("connect_to_server", named(99), "connection_failed").await;
    // A name in use makes room for itself.
    assistant.ok("connect_to_server", named(0)).await;
    assistant.tester.close().await;
    assistant.fails("list_tools", json!({}), "not_connected").await;
}

#[tokio::test]
async fn what_the_server_asks_is_answered_as_given() {
    let assistant = Assistant::new().await;
    for era in ["legacy-only", "modern-only"] {
        let mut arguments = command(&format!("{era} ask-elicitation"));
        arguments["answers"] = json!({"elicitation": [{"action": "accept", "content": {"name": "Ada"}}]});
        let connected = assistant.ok("connect_to_server", arguments).await;
        assert!(connected["connection"]["client_capabilities"].get("elicitation").is_some(), "{connected:#}");
        assistant.ok("call_tool", json!({"name": "echo", "arguments": {}})).await;
        let notes = assistant.ok("get_notifications", json!({})).await;
        let asked =
            notes["notifications"].as_array().unwrap().iter().find(|entry| entry["kind"] == "request");
        let asked = asked.unwrap_or_else(|| panic!("{notes:#}"));
        assert_eq!(asked["method"], "elicitation/create");
        assert_eq!(asked["answered"]["content"]["name"], "Ada");
    }
}

#[tokio::test]
async fn a_model_and_roots_are_played_as_given() {
    let assistant = Assistant::new().await;
    let said = json!({"role": "assistant", "content": {"type": "text", "text": "yes"}, "model": "m"});
    let root = json!({"uri": "file:///nowhere"});
    for (scenario, answers, method, answered) in [
        ("ask-sampling", json!({"sampling": [said]}), "sampling/createMessage", said.clone()),
        ("ask-roots", json!({"roots": [root]}), "roots/list", json!({"roots": [root]})),
    ] {
        for era in ["legacy-only", "modern-only"] {
            let mut arguments = command(&format!("{era} {scenario}"));
            arguments["answers"] = answers.clone();
            assistant.ok("connect_to_server", arguments).await;
            assistant.ok("call_tool", json!({"name": "echo", "arguments": {}})).await;
            let notes = assistant.ok("get_notifications", json!({})).await;
            let asked = notes["notifications"].as_array().unwrap().iter();
            let asked: Vec<_> = asked.filter(|entry| entry["kind"] == "request").collect();
            assert_eq!(asked.len(), 1, "{era} {scenario}: {notes:#}");
            assert_eq!((&asked[0]["method"], &asked[0]["answered"]), (&json!(method), &answered));
        }
    }
}

#[tokio::test]
async fn notifications_and_breaches_are_kept() {
    let assistant = Assistant::new().await;
    assistant.connect("wrong-id").await;
    let call = json!({"name": "echo", "arguments": {}, "timeout_ms": 200});
    assistant.fails("call_tool", call, "timeout").await;
    let notes = assistant.ok("get_notifications", json!({})).await;
    assert!(notes["protocol_faults"].as_object().is_some_and(|faults| !faults.is_empty()), "{notes:#}");
}

#[tokio::test]
async fn completion_is_asked_for() {
    let assistant = Assistant::new().await;
    assistant.connect("ok").await;
    let arguments = json!({"prompt": "greeting", "argument": "who", "value": "w"});
    let completed = assistant.ok("complete_argument", arguments).await;
    assert_eq!(completed["completion"]["values"], json!(["world"]));
    assistant.fails("complete_argument", json!({"argument": "who"}), "invalid_arguments").await;
}

#[tokio::test]
async fn a_sweep_looks_at_everything_in_one_call() {
    let assistant = Assistant::new().await;
    assistant.connect("ok").await;
    let quick = assistant.ok("test_server", json!({})).await;
    assert_eq!(quick["exit_class"], "ok");
    assert_eq!(quick["summary"]["calls"], 0);
    let full = assistant.ok("test_server", json!({"mode": "full"})).await;
    assert_eq!(full["summary"]["failed"], 0, "{full:#}");
    assert!(full["summary"]["calls"].as_u64().unwrap() > 2);
    let names: Vec<&str> =
        full["items"].as_array().unwrap().iter().filter_map(|item| item["name"].as_str()).collect();
    assert_eq!(
        names,
        [
            "add",
            "echo",
            "resources/list",
            "mock://text",
            "resources/templates/list",
            "prompts/list",
            "greeting"
        ]
    );
    assistant.connect("lie-mismatch").await;
    let full = assistant.ok("test_server", json!({"mode": "full"})).await;
    assert_eq!(full["exit_class"], "contract_violated");
    assert_eq!(full["items"][1]["status"], "fail", "{full:#}");
    assistant.fails("test_server", json!({"mode": "other"}), "invalid_arguments").await;
}

#[tokio::test]
async fn a_sweep_counts_its_calls_and_shows_each() {
    let assistant = Assistant::new().await;
    assistant.connect("ok").await;
    let full = assistant.ok("test_server", json!({"mode": "full"})).await;
    let add = &full["items"][0];
    assert_eq!(add["calls"][0]["verdict"], "valid", "{add:#}");
    assert_eq!(add["calls"][2]["kind"], "invalid", "{add:#}");
    assert!(add["ms"].is_u64() && add["calls"][0]["ms"].is_u64(), "{add:#}");
    let calls: usize = full["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|item| Some(item["calls"].as_array()?.len()))
        .sum();
    assert_eq!(full["summary"]["calls"], calls);
    let status = assistant.ok("get_connection_status", json!({})).await;
    let statistics = &status["statistics"];
    assert_eq!(statistics["tools_called"], calls, "{status:#}");
    assert_eq!((&statistics["resources_read"], &statistics["prompts_retrieved"]), (&json!(1), &json!(1)));
    // The invalid call of `add` is answered with a tool error.
    assert_eq!(statistics["errors"], 1);
}

#[tokio::test]
async fn a_sweep_blames_only_the_tool_that_ends_the_server() {
    let assistant = Assistant::new().await;
    assistant.connect("die-before=3").await;
    let full = assistant.ok("test_server", json!({"mode": "full"})).await;
    let failed: Vec<&serde_json::Value> =
        full["items"].as_array().unwrap().iter().filter(|item| item["status"] == "fail").collect();
    assert_eq!(failed.len(), 1, "{full:#}");
    assert_eq!(failed[0]["name"], "echo");
    let status = assistant.ok("get_connection_status", json!({})).await;
    assert_eq!(status["connected"], true, "the server was started again: {status:#}");
}

#[tokio::test]
async fn what_is_broken_about_the_server_itself_fails_in_a_sweep() {
    let assistant = Assistant::new().await;
    for (scenario, item) in [
        ("cursor-loop", "protocol_fault"),
        ("tool-not-object", "rejected_tool"),
        ("no-version", "protocol_fault"),
    ] {
        assistant.connect(scenario).await;
        let full = assistant.ok("test_server", json!({"mode": "full"})).await;
        assert_eq!(full["exit_class"], "failed", "{scenario}");
        let items = full["items"].as_array().unwrap();
        let failed: Vec<&serde_json::Value> = items.iter().filter(|item| item["status"] == "fail").collect();
        assert!(failed.iter().all(|failed| failed["kind"] == "server"), "{scenario}: {full:#}");
        assert!(failed.iter().any(|failed| failed["name"] == item), "{scenario}: {full:#}");
        assert_eq!(full["summary"]["failed"], failed.len(), "{scenario}");
    }
}

#[tokio::test]
async fn unknown_answers_are_refused() {
    let assistant = Assistant::new().await;
    let mut arguments = command("ok");
    arguments["answers"] = json!({"elicitations": []});
    assistant.fails("connect_to_server", arguments, "invalid_arguments").await;
}

#[tokio::test]
async fn null_arguments_are_none() {
    let assistant = Assistant::new().await;
    assistant.connect("ok").await;
    let answer = assistant.ok("call_tool", json!({"name": "echo", "arguments": null})).await;
    assert_eq!(answer["tool_call"]["arguments"], json!({}));
    assistant.ok("get_prompt", json!({"name": "greeting", "arguments": null})).await;
    assistant.ok("validate_arguments", json!({"name": "echo", "arguments": null})).await;
}
