//! A mock that serves a recording.

use mortise_contract::recording::Recording;
use mortise_samples::mock::{Mock, MockOptions};
use mortise_testkit::RawPeer;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::call;

const HEADER: &str = r#"{"mortise_recording":1,"server":"shop","started":"2026-11-18T09:00:00Z"}"#;

/// A recording of requests with what the server answered: `result` or `error` and its text.
fn recording(exchanges: &[(&str, &str, &str)]) -> Recording {
    let mut text = format!("{HEADER}\n");
    for (id, (request, member, answer)) in exchanges.iter().enumerate() {
        let lines = format!(
            "{{\"ms\":1,\"from\":\"client\",\"message\":{{\"jsonrpc\":\"2.0\",\"id\":{id},{request}}}}}\n\
             {{\"ms\":2,\"from\":\"server\",\"message\":{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{member}\":{answer}}}}}\n"
        );
        text.push_str(&lines);
    }
    Recording::parse(&text).unwrap()
}

fn legacy() -> Recording {
    recording(&[
        (
            r#""method":"server/discover","params":{"_meta":{}}"#,
            "error",
            r#"{"code":-32601,"message":"Method not found"}"#,
        ),
        (
            r#""method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}"#,
            "result",
            r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"4"},"instructions":"Ask."}"#,
        ),
        (
            r#""method":"tools/list""#,
            "result",
            r#"{"tools":[{"name":"price","inputSchema":{"type":"object"}}]}"#,
        ),
        (
            r#""method":"tools/call","params":{"name":"price","arguments":{"item":"tea","n":1},"_meta":{"progressToken":0}}"#,
            "result",
            r#"{"content":[{"type":"text","text":"first"}], "z":1.10,"a":123456789012345678901234567890}"#,
        ),
        (
            r#""method":"tools/call","params":{"arguments":{"n":1,"item":"tea"},"name":"price"}"#,
            "result",
            r#"{"content":[{"type":"text","text":"second"}]}"#,
        ),
        (
            r#""method":"tools/call","params":{"name":"price","arguments":{"item":"none"}}"#,
            "error",
            r#"{"code":-32000,"message":"no such item","data":{"k":1.0}}"#,
        ),
    ])
}

/// What the mock writes in answer to one line.
async fn answer(mock: &Mock, line: &str) -> String {
    let mut client = BufReader::new(mock.connect());
    client.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    let mut answer = String::new();
    client.read_line(&mut answer).await.unwrap();
    answer
}

fn peer(recording: &Recording) -> RawPeer {
    RawPeer::over(Mock::of_recording(recording).connect())
}

#[tokio::test]
async fn results_and_errors_come_byte_for_byte() {
    let mock = Mock::of_recording(&legacy());
    let line = r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"price","arguments":{"n":1,"item":"tea"}}}"#;
    assert_eq!(
        answer(&mock, line).await,
        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"first\"}], \"z\":1.10,\"a\":123456789012345678901234567890}}\n"
    );
    let line = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"price","arguments":{"item":"none"}}}"#;
    assert_eq!(
        answer(&mock, line).await,
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32000,\"message\":\"no such item\",\"data\":{\"k\":1.0}}}\n"
    );
}

#[tokio::test]
async fn equal_requests_are_answered_in_order_and_the_last_answer_stays() {
    let mut peer = peer(&legacy());
    peer.initialize().await.unwrap();
    let request = || call("price", &json!({"item": "tea", "n": 1}));
    for expected in ["first", "second", "second"] {
        let answer = peer.request("tools/call", request()).await.unwrap();
        assert_eq!(answer["result"]["content"][0]["text"], expected);
    }
    peer.initialize().await.unwrap();
    let answer = peer.request("tools/call", request()).await.unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], "first");
}

#[tokio::test]
async fn a_legacy_recording_serves_modern_clients() {
    let mut peer = peer(&legacy());
    let found = peer.modern("server/discover", Value::Null).await.unwrap();
    let expected = json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
        "capabilities": {"tools": {}},
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "shop", "version": "4"}},
        "instructions": "Ask.",
    });
    assert_eq!(found["result"], expected);
    let listed = peer.modern("tools/list", Value::Null).await.unwrap();
    assert_eq!(
        listed["result"],
        json!({"tools": [{"name": "price", "inputSchema": {"type": "object"}}], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"})
    );
}

#[tokio::test]
async fn a_modern_recording_serves_legacy_clients() {
    let modern = recording(&[
        (
            r#""method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#,
            "result",
            r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"9"}}}"#,
        ),
        (
            r#""method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#,
            "result",
            r#"{"resultType":"complete","tools":[],"ttlMs":5}"#,
        ),
    ]);
    let mut peer = peer(&modern);
    let answer = peer.initialize().await.unwrap();
    let expected = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "new", "version": "9"},
    });
    assert_eq!(answer["result"], expected);
    let listed = peer.request("tools/list", Value::Null).await.unwrap();
    assert_eq!(listed["result"], json!({"resultType": "complete", "tools": [], "ttlMs": 5}));
    assert_eq!(peer.request("ping", Value::Null).await.unwrap()["result"], json!({}));
}

#[tokio::test]
async fn without_an_opening_the_capabilities_follow_from_the_requests() {
    let bare = recording(&[(r#""method":"prompts/list""#, "result", r#"{"prompts":[]}"#)]);
    let answer = peer(&bare).initialize().await.unwrap();
    assert_eq!(answer["result"]["capabilities"], json!({"prompts": {}}));
    assert_eq!(answer["result"]["serverInfo"], json!({"name": "shop", "version": "unknown"}));
}

#[tokio::test]
async fn what_was_not_recorded_is_refused_with_the_nearest_request() {
    let mut peer = peer(&legacy());
    let refused = peer.request("tools/call", call("price", &json!({"item": "tea", "n": 2}))).await.unwrap();
    assert_eq!(
        refused["error"],
        json!({
            "code": -32602,
            "message": "the recording has no request tools/call {\"arguments\":{\"item\":\"tea\",\"n\":2},\"name\":\"price\"}; \
                        the nearest is tools/call {\"arguments\":{\"item\":\"tea\",\"n\":1},\"name\":\"price\"} on line 8, \
                        which differs at /arguments/n",
            "data": {"nearest": {"line": 8, "differs": ["/arguments/n"]}},
        })
    );
    let refused = peer.request("resources/list", Value::Null).await.unwrap();
    assert_eq!(refused["error"]["message"], "the recording has no `resources/list`");
    assert_eq!(refused["error"]["code"], -32601);
}

#[tokio::test]
async fn a_request_without_a_recorded_answer_is_refused() {
    let text = format!(
        "{HEADER}\n{{\"ms\":1,\"from\":\"client\",\"message\":{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}}}}\n"
    );
    let refused = peer(&Recording::parse(&text).unwrap()).request("tools/list", Value::Null).await.unwrap();
    assert_eq!(refused["error"]["message"], "the recording has this request on line 2 and no answer to it");
}

#[tokio::test]
async fn progress_comes_again_under_the_token_of_the_client() {
    let text = format!(
        "{HEADER}\n\
         {{\"ms\":1,\"from\":\"client\",\"message\":{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"x\",\"_meta\":{{\"progressToken\":\"old\"}}}}}}}}\n\
         {{\"ms\":2,\"from\":\"server\",\"message\":{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":\"old\",\"progress\":0.50}}}}}}\n\
         {{\"ms\":3,\"from\":\"server\",\"message\":{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"content\":[]}}}}}}\n"
    );
    let mock = Mock::of_recording(&Recording::parse(&text).unwrap());
    let line =
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":5}}}"#;
    assert_eq!(
        answer(&mock, line).await,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":5,\"progress\":0.50}}\n"
    );
}

#[tokio::test]
async fn scenarios_change_what_a_recording_answers() {
    let options = MockOptions {
        scenarios: vec!["legacy-only".to_owned()],
        recording: Some(legacy()),
        ..MockOptions::default()
    };
    let (mock, _) = options.mock().unwrap();
    let mut peer = RawPeer::over(mock.connect());
    let refused = peer.modern("server/discover", Value::Null).await.unwrap();
    assert_eq!(refused["error"]["code"], -32601);
    assert_eq!(peer.initialize().await.unwrap()["result"]["instructions"], "Ask.");
}
