//! What the server checks on behalf of its tools, on the wire.

use mortise_server::Server;
use mortise_testkit::PeerError;
use serde_json::{Value, json};

use crate::sample::{connect, server, tools};

async fn call(server: &Server, params: Value) -> Result<Value, PeerError> {
    let mut peer = connect(server);
    peer.initialize().await?;
    peer.request("tools/call", params).await
}

#[tokio::test]
async fn a_wrong_result_becomes_an_error_that_the_model_reads() -> Result<(), PeerError> {
    let answer = call(&server(tools()), json!({ "name": "liar" })).await?;
    let result = &answer["result"];
    assert_eq!(result["isError"], true);
    assert_eq!(result.get("structuredContent"), None);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with(
            "Output validation error: liar: the structured content breaks the output schema at /n"
        )
    );
    let report = &result["_meta"]["mortise/contract"];
    assert_eq!(report["status"], "invalid");
    assert_eq!(report["total_errors"], 1);
    assert_eq!(report["errors"][0]["instance_path"], "/n");
    Ok(())
}

#[tokio::test]
async fn a_missing_result_becomes_an_error_that_the_model_reads() -> Result<(), PeerError> {
    let answer = call(&server(tools()), json!({ "name": "silent" })).await?;
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(
        answer["result"]["content"],
        json!([{
            "type": "text",
            "text": "Output validation error: silent: it has an output schema but returned no structured content",
        }])
    );
    assert_eq!(answer["result"]["_meta"]["mortise/contract"]["status"], "missing");
    Ok(())
}

#[tokio::test]
async fn a_failure_is_sent_as_it_is() -> Result<(), PeerError> {
    let answer = call(&server(tools()), json!({ "name": "fails" })).await?;
    let expected =
        json!({ "content": [{ "type": "text", "text": "the moon is in the way" }], "isError": true });
    assert_eq!(answer["result"], expected);
    Ok(())
}

#[tokio::test]
async fn bad_arguments_are_an_error_that_the_model_reads() -> Result<(), PeerError> {
    let arguments = json!({ "height_cm": "tall", "weight_kg": 80 });
    let answer = call(&server(tools()), json!({ "name": "bmi", "arguments": arguments })).await?;
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "Input validation error: bmi: /height_cm: expected number, got \"tall\" (schema: {\"type\":\"number\"})"
    );
    Ok(())
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error() -> Result<(), PeerError> {
    let answer = call(&server(tools()), json!({ "name": "gone\u{1b}[31m" })).await?;
    assert_eq!(answer["error"], json!({ "code": -32602, "message": "unknown tool `gone\\u{1b}[31m`" }));
    let bare = Server::new("bare", "1").build().unwrap();
    assert_eq!(call(&bare, json!({ "name": "any" })).await?["error"]["code"], -32602);
    Ok(())
}

#[tokio::test]
async fn malformed_parameters_are_a_protocol_error() -> Result<(), PeerError> {
    for params in [json!({}), json!({ "name": 7 }), json!({ "name": "echo", "arguments": [] })] {
        let answer = call(&server(tools()), params.clone()).await?;
        assert_eq!(answer["error"]["code"], -32602, "{params}");
    }
    Ok(())
}

#[tokio::test]
async fn unschematised_results_can_be_forbidden() -> Result<(), PeerError> {
    let strict = Server::new("strict", "1").tools(tools()).forbid_unschematised().build().unwrap();
    let answer = call(&strict, json!({ "name": "echo", "arguments": { "a": 1 } })).await?;
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(answer["result"]["_meta"]["mortise/contract"]["status"], "unexpected");
    let lax = call(&server(tools()), json!({ "name": "echo", "arguments": { "a": 1 } })).await?;
    assert_eq!(lax["result"]["structuredContent"], json!({ "a": 1 }));
    Ok(())
}

#[tokio::test]
async fn numbers_pass_in_and_out_digit_for_digit() -> Result<(), PeerError> {
    let digits = r#"{"price":1.10,"id":123456789012345678901234567890,"huge":1e400}"#;
    let mut peer = connect(&server(tools()));
    peer.initialize().await?;
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{{"name":"echo","arguments":{digits}}}}}"#
    );
    peer.send_line(&call).await?;
    let text = peer.next_frame().await?.text();
    assert!(text.contains(&format!(r#""structuredContent":{digits}"#)), "{text}");
    assert!(text.contains(&format!(r#""text":{}"#, json!(digits))), "{text}");
    Ok(())
}

#[tokio::test]
async fn a_panic_is_an_error_of_that_call_only() -> Result<(), PeerError> {
    let mut peer = connect(&server(tools()));
    peer.initialize().await?;
    let answer = peer.request("tools/call", json!({ "name": "panics" })).await?;
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(answer["result"]["content"][0]["text"], "the tool `panics` failed unexpectedly");
    let answer = peer.request("tools/call", json!({ "name": "plain" })).await?;
    assert_eq!(answer["result"], json!({ "content": [{ "type": "text", "text": "just text" }] }));
    Ok(())
}
