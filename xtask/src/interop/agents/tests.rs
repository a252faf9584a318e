use std::io::{Read, Write};
use std::net::TcpStream;

use super::*;

fn script() -> Vec<ScriptedCall> {
    let call = |tool: &str| ScriptedCall {
        about: tool.to_owned(),
        tool: tool.to_owned(),
        arguments: serde_json::Map::new(),
        shows: vec!["[ok]\n".to_owned()],
        image: None,
    };
    vec![call("first"), call("second")]
}

fn send(model: &Model, head: &str, body: &str) -> String {
    let mut connection = TcpStream::connect(model.address()).unwrap();
    write!(connection, "{head} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_model_makes_the_next_call_of_the_script_to_claude_code() {
    let model = Model::start(&ClaudeCode, script()).unwrap();
    let mut request = json!({
        "tools": [{ "name": "mcp__mortise__execute_program", "description": "runs" }],
        "messages": [{ "role": "user", "content": [{ "type": "text", "text": "go" }] }],
    });
    let answer = send(&model, "POST /v1/messages?beta=true", &request.to_string());
    assert!(answer.contains("mcp__mortise__first"), "{answer}");
    let result = json!({ "type": "tool_result", "tool_use_id": "scripted_0", "content": "[ok]\nyes" });
    request["messages"][0] = json!({ "role": "user", "content": [result] });
    let answer = send(&model, "POST /v1/messages", &request.to_string());
    assert!(answer.contains("mcp__mortise__second"), "{answer}");
    assert_eq!(model.requests().len(), 2);
    assert_eq!(ClaudeCode.results(&request)[0].text, "[ok]\nyes");
}

#[test]
fn the_model_waits_for_servers_that_claude_code_still_connects_to() {
    let request = json!({ "tools": [{ "name": "WaitForMcpServers" }], "messages": [] });
    let events = ClaudeCode.answer("/v1/messages", &request, &script()).unwrap();
    assert_eq!(events[1]["content_block"]["name"], "WaitForMcpServers");
}

#[test]
fn the_model_makes_the_next_call_of_the_script_to_codex() {
    let model = Model::start(&Codex, script()).unwrap();
    let output = json!([{ "type": "input_text", "text": "[ok]\n" },
        { "type": "input_image", "image_url": "data:image/png;base64,AA==" }]);
    let request = json!({ "input": [{ "type": "function_call_output", "output": output }] });
    let answer = send(&model, "POST /v1/responses", &request.to_string());
    assert!(answer.contains("\"name\":\"second\""), "{answer}");
    let shown = &Codex.results(&request)[0];
    assert_eq!(shown.images, ["data:image/png;base64,AA=="]);
}

#[test]
fn what_would_leave_the_machine_is_refused_and_kept() {
    let model = Model::start(&Codex, script()).unwrap();
    assert!(send(&model, "CONNECT example.org:443", "").starts_with("HTTP/1.1 403"));
    assert_eq!(model.refused(), ["example.org:443"]);
    assert!(model.requests().is_empty());
}

#[test]
fn a_result_as_json_lacks_the_lines_of_the_text() {
    let call = &script()[0];
    let shown = |text: &str| ShownResult { text: text.to_owned(), images: Vec::new() };
    assert_eq!(judge_result(call, Some(&shown("[ok]\nyes")), &Value::Null), Vec::<String>::new());
    let as_json = shown(&json!({ "output": "[ok]\nyes" }).to_string());
    assert_eq!(judge_result(call, Some(&as_json), &Value::Null).len(), 1);
    assert_eq!(judge_result(call, None, &Value::Null).len(), 1);
}

#[test]
fn an_image_that_is_missing_or_changed_is_noticed() {
    let block = json!({ "type": "image", "mimeType": "image/png", "data": "AA==" });
    let healthy =
        json!({ "tools": [{ "declaration": { "name": "chart" }, "result": { "content": [block] } }] });
    let call = ScriptedCall { image: Some("chart".to_owned()), ..script()[0].clone() };
    let shown = |images: &[&str]| ShownResult {
        text: "[ok]\n".to_owned(),
        images: images.iter().map(|image| (*image).to_owned()).collect(),
    };
    assert!(judge_result(&call, Some(&shown(&["data:image/png;base64,AA=="])), &healthy).is_empty());
    assert_eq!(judge_result(&call, Some(&shown(&["data:image/png;base64,BB=="])), &healthy).len(), 1);
    assert_eq!(judge_result(&call, Some(&shown(&[])), &healthy).len(), 1);
}
