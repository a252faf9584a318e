//! Calling tools: everything shown, every failure of its own type.

use chrono::DateTime;
use serde_json::{Value, json};

use crate::support::{Assistant, command};

async fn echo(scenarios: &str) -> Value {
    let assistant = Assistant::new().await;
    assistant.connect(scenarios).await;
    assistant
        .call("call_tool", json!({"name": "echo", "arguments": {"text": "hi"}, "timeout_ms": 5000}))
        .await
}

#[tokio::test]
async fn e6_durations_and_stamps() {
    let answer = echo("slow=20").await;
    let execution = &answer["tool_call"]["execution"];
    let stamp = |key: &str| DateTime::parse_from_rfc3339(execution[key].as_str().unwrap()).unwrap();
    assert!(stamp("started_at") <= stamp("completed_at"));
    assert!(execution["duration_ms"].as_u64().unwrap() >= 20, "{execution}");
    assert_eq!(execution["success"], true);
    assert!(answer["metadata"]["request_time_ms"].as_u64() >= execution["duration_ms"].as_u64());
}

#[tokio::test]
async fn e8_a_conforming_call_shows_everything() {
    let answer = echo("ok").await;
    assert_eq!(answer["tool_call"]["tool_name"], "echo");
    assert_eq!(answer["tool_call"]["arguments"], json!({"text": "hi"}));
    let result = &answer["tool_call"]["result"];
    assert_eq!(result["structuredContent"], json!({"text": "hi"}));
    assert_eq!(result["content"], json!([{"type": "text", "text": "{\"text\":\"hi\"}"}]));
    assert_eq!(answer["contract"]["status"], "valid");
    assert_eq!(answer["contract"]["notes"], json!(["mirror_equal"]));
    assert!(answer["contract"]["schema_hash"].is_string());
}

#[tokio::test]
async fn every_content_block_is_there() {
    let answer = echo("many-blocks").await;
    assert!(answer["tool_call"]["result"]["content"].as_array().unwrap().len() > 1, "{answer:#}");
    let answer = echo("unknown-block").await;
    assert_eq!(answer["success"], true, "{answer:#}");
}

#[tokio::test]
async fn e9_a_mismatch_is_shown_with_the_data() {
    let answer = echo("lie-mismatch").await;
    assert_eq!(answer["success"], true);
    assert_eq!(answer["contract"]["status"], "invalid");
    let error = &answer["contract"]["errors"][0];
    assert!(error["instance_path"].is_string() && error["schema_path"].is_string(), "{answer:#}");
    assert!(answer["tool_call"]["result"]["structuredContent"].is_object(), "{answer:#}");
}

#[tokio::test]
async fn other_verdicts_have_their_own_words() {
    for (scenario, status) in [
        ("lie-missing", "missing"),
        ("lie-text", "recovered_from_text"),
        ("structured-without-schema", "unchecked"),
        ("lie-null", "invalid"),
    ] {
        let answer = echo(scenario).await;
        assert_eq!(answer["contract"]["status"], status, "{scenario}: {answer:#}");
    }
    let answer = echo("lie-mirror").await;
    assert_eq!(answer["contract"]["notes"], json!(["mirror_differs"]), "{answer:#}");
    let answer = echo("lie-format").await;
    assert_eq!(answer["contract"]["status"], "valid", "{answer:#}");
    assert!(answer["contract"]["notes"].to_string().contains("format_mismatch"), "{answer:#}");
}

#[tokio::test]
async fn a_strict_caller_gets_a_failure_with_the_payload() {
    let assistant = Assistant::new().await;
    assistant.connect("lie-mismatch").await;
    let arguments = json!({"name": "echo", "arguments": {}, "strict": true});
    let failed = assistant.fails("call_tool", arguments, "execution_error").await;
    assert_eq!(failed["error"]["details"]["reason"], "contract_violation");
    assert!(failed["tool_call"]["result"]["structuredContent"].is_object());
    assert_eq!(failed["contract"]["status"], "invalid");
}

#[tokio::test]
async fn a_strict_caller_gets_a_failure_for_what_can_not_be_checked() {
    let assistant = Assistant::new().await;
    assistant.connect("schema-external").await;
    let arguments = |strict: bool| json!({"name": "bad", "arguments": {"text": "x"}, "strict": strict});
    let answer = assistant.call("call_tool", arguments(false)).await;
    assert_eq!(answer["contract"]["status"], "unchecked", "{answer:#}");
    let failed = assistant.fails("call_tool", arguments(true), "execution_error").await;
    assert_eq!(failed["error"]["details"]["reason"], "unchecked");
    assert!(failed["tool_call"]["result"].is_object(), "{failed:#}");
}

#[tokio::test]
async fn e10_an_unknown_tool_is_not_found() {
    let assistant = Assistant::new().await;
    for scenario in ["ok", "unknown-tool-result"] {
        assistant.connect(scenario).await;
        for name in ["nope", ""] {
            let failed =
                assistant.fails("call_tool", json!({"name": name, "arguments": {}}), "tool_not_found").await;
            assert_eq!(failed["error"]["details"]["tools"], json!(["add", "echo"]));
        }
    }
}

#[tokio::test]
async fn arguments_are_checked_before_they_are_sent() {
    let assistant = Assistant::new().await;
    assistant.connect("ok").await;
    let bad = json!({"name": "add", "arguments": {"a": "1"}});
    let failed = assistant.fails("call_tool", bad.clone(), "invalid_arguments").await;
    assert_eq!(failed["error"]["details"]["sent"], false);
    assert_eq!(failed["error"]["details"]["total_violations"], 2, "{failed:#}");
    // The mock answers them with a tool error of its own.
    let mut sent = bad;
    sent["check_arguments"] = json!(false);
    assistant.fails("call_tool", sent, "execution_error").await;
}

#[tokio::test]
async fn e11_a_tool_error_keeps_text_and_structure() {
    let failed = echo("tool-error-structured").await;
    assert_eq!(failed["error"]["type"], "execution_error");
    let details = &failed["error"]["details"];
    assert_eq!(details["reason"], "is_error");
    assert!(details["content"][0]["text"].is_string(), "{failed:#}");
    assert!(details.get("structuredContent").is_some(), "{failed:#}");
    assert_eq!(failed["tool_call"]["execution"]["success"], false);
    assert_eq!(failed["contract"]["status"], "unchecked");
    assert_eq!(failed["contract"]["reason"], "is_error");
    let failed = echo("rpc-error").await;
    assert_eq!(failed["error"]["type"], "execution_error");
    assert!(failed["error"]["details"]["code"].is_i64(), "{failed:#}");
    assert!(failed["error"]["details"].get("data").is_some(), "{failed:#}");
}

#[tokio::test]
async fn e12_a_tool_that_does_not_answer_times_out() {
    let assistant = Assistant::new().await;
    assistant.connect("hang").await;
    let arguments = json!({"name": "echo", "arguments": {}, "timeout_ms": 50});
    let failed = assistant.fails("call_tool", arguments, "timeout").await;
    assert_eq!(failed["error"]["details"]["tool"], "echo");
    assert_eq!(failed["error"]["details"]["seconds"], 0.05);
    assert_eq!(failed["tool_call"]["execution"]["success"], false);
    // The connection lives on.
    assistant.ok("call_tool", json!({"name": "add", "arguments": {"a": 1, "b": 2}})).await;
}

#[tokio::test]
async fn e13_a_crash_is_known_afterwards() {
    let assistant = Assistant::new().await;
    for (scenario, key, value) in
        [("die-before=3", "exit_code", json!(3)), ("die-kill", "signal", json!("SIGKILL"))]
    {
        assistant.connect(scenario).await;
        let failed =
            assistant.fails("call_tool", json!({"name": "echo", "arguments": {}}), "transport_error").await;
        assert_eq!(failed["error"]["details"][key], value, "{failed:#}");
        let status = assistant.ok("get_connection_status", json!({})).await;
        assert_eq!(status["connected"], false);
        assert_eq!(status["connection"]["state"], "failed");
        assert_eq!(status["statistics"]["errors"], 1);
        let again =
            assistant.fails("call_tool", json!({"name": "echo", "arguments": {}}), "not_connected").await;
        assert!(again["error"]["message"].as_str().unwrap().contains("is lost"), "{again:#}");
    }
}

#[tokio::test]
async fn e15_omitted_arguments_are_an_empty_object() {
    let assistant = Assistant::new().await;
    assistant.connect("ok").await;
    for arguments in [json!({"name": "echo"}), json!({"name": "echo", "arguments": {}})] {
        let answer = assistant.ok("call_tool", arguments).await;
        assert_eq!(answer["tool_call"]["arguments"], json!({}));
        assert_eq!(answer["tool_call"]["result"]["structuredContent"], json!({"text": ""}));
    }
    assistant.fails("call_tool", json!({"name": "echo", "arguments": 7}), "invalid_arguments").await;
    assistant.fails("call_tool", json!({}), "invalid_arguments").await;
}

#[tokio::test]
async fn every_digit_of_a_result_is_kept() {
    let assistant = Assistant::new().await;
    assistant.connect("big-numbers").await;
    let call = mortise_contract::ToolCall {
        tool: mortise_contract::ToolName::parse("call_tool").unwrap(),
        arguments: mortise_contract::RawJson::parse(r#"{"name":"echo","arguments":{}}"#).unwrap(),
    };
    let outcome = assistant.upstream.call(call, mortise_client::CallOptions::default()).await.unwrap();
    let text = outcome.result.structured.unwrap().text().to_owned();
    assert!(text.contains("1e400") && text.contains("1.10"), "{text}");
}

#[tokio::test]
async fn frames_are_shown_when_asked_for() {
    let assistant = Assistant::new().await;
    let mut arguments = command("ok");
    arguments["env"] = json!({"KEY": "hi there"});
    assistant.ok("connect_to_server", arguments).await;
    let call = json!({"name": "echo", "arguments": {"text": "hi there"}, "include_raw": true});
    let answer = assistant.ok("call_tool", call).await;
    let exchange = &answer["raw_exchanges"][0];
    assert_eq!(exchange["method"], "tools/call");
    assert!(exchange["request"].as_str().unwrap().contains("[redacted]"), "{exchange:#}");
    assert!(exchange["response"].as_str().unwrap().starts_with("{\"jsonrpc\""), "{exchange:#}");
    let latest = assistant.ok("get_raw_exchange", json!({})).await;
    assert_eq!(latest["exchanges"], answer["raw_exchanges"]);
    assistant.ok("list_tools", json!({})).await;
    let latest = assistant.ok("get_raw_exchange", json!({"count": 2})).await;
    assert_eq!(latest["exchanges"][1]["method"], "tools/list");
}
