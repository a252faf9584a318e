//! Tools offered directly, beside `execute_program`.

use mortise_contract::Mode;
use mortise_testkit::{ScriptedReply, ScriptedServer};
use serde_json::{Value, json};

use crate::bench::{Client, Setup};
use crate::servers::{answering, in_process, mock, promising, scripted, tool};

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().filter_map(|tool| tool["name"].as_str()).collect()
}

#[tokio::test]
async fn exposed_tools_are_listed_with_what_they_declare() {
    let bench = Setup::of([mock("m", "ok"), mock("other", "ok")]).expose(&["mcp__m__*"]).start().await;
    let tools = bench.client().await.tools().await;
    assert_eq!(
        names(&tools),
        [
            "cancel_program",
            "check_program",
            "execute_program",
            "inspect_tool",
            "list_callable_tools",
            "m__add",
            "m__echo",
            "resume_program",
            "search_tools",
            "wait_program"
        ]
    );
    assert_eq!(tools[5]["description"], "Adds two integers.");
    assert_eq!(tools[5]["outputSchema"]["required"], json!(["sum"]));
    assert_eq!(tools[5]["annotations"], json!({ "readOnlyHint": true, "openWorldHint": false }));
}

#[tokio::test]
async fn nothing_is_exposed_unless_asked_for_and_blocked_tools_never() {
    let bench = Setup::of([mock("m", "ok")]).start().await;
    assert_eq!(bench.client().await.tools().await.len(), 8);
    let bench = Setup::of([mock("m", "ok")]).expose(&["*"]).block(&["*__add"]).start().await;
    let mut client = bench.client().await;
    let tools = client.tools().await;
    assert_eq!(
        names(&tools).into_iter().filter(|name| name.starts_with("m__")).collect::<Vec<_>>(),
        ["m__echo"]
    );
    let id = client.start("m__add", json!({ "a": 1, "b": 1 })).await;
    let refused = client.peer.response(id).await.unwrap();
    assert!(refused.get("error").is_some() || refused["result"]["isError"] == true, "{refused}");
}

#[tokio::test]
async fn a_result_is_passed_on_as_its_server_wrote_it() {
    let result = r#"{"content":[{"type":"text","text":"hi","vendor":1}],"structuredContent":{"b":1.10,"a":12345678901234567890123},"_meta":{"x/y":[1]}}"#;
    let bench = Setup::of([answering(vec![(tool("t"), result)])]).expose(&["mcp__s__t"]).start().await;
    let mut client = bench.client().await;
    client.start("s__t", json!({})).await;
    let frame = answer_frame(&mut client).await;
    for part in [
        r#""content":[{"type":"text","text":"hi","vendor":1}]"#,
        r#""structuredContent":{"b":1.10,"a":12345678901234567890123}"#,
        r#""x/y":[1]"#,
    ] {
        assert!(frame.contains(part), "{part} in {frame}");
    }
}

pub(crate) async fn answer_frame(client: &mut Client) -> String {
    loop {
        let frame = client.peer.next_frame().await.unwrap();
        if frame.method().is_none() {
            return frame.text();
        }
    }
}

#[tokio::test]
async fn a_repeated_key_does_not_empty_a_result() {
    let result = r#"{"content":[{"type":"text","text":"first"}],"content":[{"type":"text","text":"last"}],"_meta":{"n":1.10}}"#;
    let bench = Setup::of([answering(vec![(tool("t"), result)])]).expose(&["mcp__s__t"]).start().await;
    let mut client = bench.client().await;
    client.start("s__t", json!({})).await;
    let frame = answer_frame(&mut client).await;
    assert!(frame.contains(r#""content":[{"type":"text","text":"last"}]"#), "{frame}");
    assert!(!frame.contains("first"), "{frame}");
    assert!(frame.contains(r#""n":1.10"#), "{frame}");
}

#[tokio::test]
async fn a_strict_refusal_keeps_every_digit() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "string" } }, "required": ["n"] });
    let result = r#"{"content":[],"structuredContent":{"n":12345678901234567890123}}"#;
    let server = answering(vec![(promising("t", schema), result)]);
    let bench = Setup::of([server]).mode(Mode::Strict).expose(&["*"]).start().await;
    let mut client = bench.client().await;
    client.start("s__t", json!({})).await;
    let frame = answer_frame(&mut client).await;
    assert!(frame.contains(r#""structuredContent":{"n":12345678901234567890123}"#), "{frame}");
}

#[tokio::test]
async fn a_listed_schema_keeps_every_digit() {
    let list = r#"{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"n":{"maximum":12345678901234567890123}}},"outputSchema":{"type":"array"}}]}"#;
    let server = in_process("s", move || {
        let script = move |request: &Value| match request["method"].as_str() {
            Some("tools/list") => {
                vec![ScriptedReply::line(&format!(
                    r#"{{"jsonrpc":"2.0","id":{},"result":{list}}}"#,
                    request["id"]
                ))]
            }
            _ => vec![],
        };
        ScriptedServer::legacy(script).spawn().0
    });
    let bench = Setup::of([server]).expose(&["*"]).start().await;
    let mut client = bench.client().await;
    client.peer.send(&json!({ "jsonrpc": "2.0", "id": 900, "method": "tools/list" })).await.unwrap();
    let frame = answer_frame(&mut client).await;
    assert!(frame.contains(r#""maximum":12345678901234567890123"#), "{frame}");
    assert!(frame.contains(r#""mortise/projected":true"#), "{frame}");
}

#[tokio::test]
async fn errors_of_tool_and_protocol_are_passed_on() {
    let bench = Setup::of([mock("m", "tool-error"), mock("p", "rpc-error")]).expose(&["*"]).start().await;
    let mut client = bench.client().await;
    let failed = client.call("m__echo", json!({ "text": "x" })).await;
    assert_eq!((failed.is_error, failed.text.as_str()), (true, "the text is on holiday"));
    let id = client.start("p__echo", json!({ "text": "x" })).await;
    let refused = client.peer.response(id).await.unwrap();
    assert_eq!(
        refused["error"],
        json!({ "code": -32603, "message": "the database is down", "data": { "retry": false } })
    );
}

#[tokio::test]
async fn a_broken_contract_is_passed_on_with_its_verdict() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    let wrong =
        r#"{"content":[{"type":"text","text":"usable"}],"structuredContent":{"n":"many"},"_meta":{"own":1}}"#;
    let right = r#"{"content":[],"structuredContent":{"n":1}}"#;
    let server = || {
        answering(vec![
            (promising("wrong", schema.clone()), wrong),
            (promising("right", schema.clone()), right),
        ])
    };
    let bench = Setup::of([server()]).expose(&["*"]).start().await;
    let mut client = bench.client().await;
    let id = client.start("s__wrong", json!({})).await;
    let result = client.peer.response(id).await.unwrap()["result"].clone();
    assert_eq!(result["structuredContent"], json!({ "n": "many" }), "warn never blocks: {result}");
    assert_eq!(result["_meta"]["own"], 1);
    let verdict = &result["_meta"]["mortise/contract"];
    assert_eq!(
        (&verdict["status"], &verdict["errors"][0]["instance_path"]),
        (&json!("invalid"), &json!("/n")),
        "{result}"
    );
    let id = client.start("s__right", json!({})).await;
    let result = client.peer.response(id).await.unwrap()["result"].clone();
    assert_eq!(
        result,
        json!({ "content": [{ "type": "text", "text": "{\"n\":1}" }], "structuredContent": { "n": 1 } })
    );
    let strict = Setup::of([server()]).mode(Mode::Strict).expose(&["*"]).start().await;
    let mut client = strict.client().await;
    let id = client.start("s__wrong", json!({})).await;
    let result = client.peer.response(id).await.unwrap()["result"].clone();
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(result["_meta"]["mortise/contract"]["status"], "invalid", "{result}");
    assert!(result["content"][0]["text"].as_str().unwrap().contains("/n: "), "{result}");
}

#[tokio::test]
async fn questions_and_progress_come_through() {
    let bench =
        Setup::of([mock("m", "ask-elicitation"), mock("p", "progress=1")]).expose(&["*"]).start().await;
    let mut client = bench.client_with(json!({ "elicitation": {} })).await;
    let id = client.start("m__echo", json!({ "text": "x" })).await;
    let question = client.peer.called("elicitation/create").await.unwrap();
    let answer = json!({ "action": "accept", "content": { "word": "tenon" } });
    client.peer.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer })).await.unwrap();
    let answered = client.peer.response(id).await.unwrap();
    assert!(
        answered["result"]["structuredContent"]["text"].as_str().unwrap().contains("tenon"),
        "{answered}"
    );
    let params = json!({ "name": "p__echo", "arguments": { "text": "x" }, "_meta": { "progressToken": 7 } });
    let id = client.peer.start("tools/call", params).await.unwrap();
    let progress = client.peer.called("notifications/progress").await.unwrap();
    assert_eq!(
        (&progress["params"]["progressToken"], &progress["params"]["total"]),
        (&json!(7), &json!(10.0)),
        "{progress}"
    );
    client.peer.response(id).await.unwrap();
}

#[tokio::test]
async fn the_tool_gets_its_own_name_and_the_arguments_digit_for_digit() {
    let (config, received) = scripted("s", vec![tool("my-tool.v2")], |request| {
        vec![mortise_testkit::answer(request, json!({ "content": [] }))]
    });
    let bench = Setup::of([config]).expose(&["*"]).start().await;
    let mut client = bench.client().await;
    let call = r#"{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"s__my_tool_v2","arguments":{"big":12345678901234567890,"f":1.10}}}"#;
    client.peer.send_line(call).await.unwrap();
    client.peer.response(99).await.unwrap();
    let received = received.lock().unwrap();
    let call = received.iter().find(|request| request["method"] == "tools/call").unwrap();
    assert_eq!(call["params"]["name"], "my-tool.v2");
    assert_eq!(call["params"]["arguments"]["big"], 12345678901234567890_u64);
}
