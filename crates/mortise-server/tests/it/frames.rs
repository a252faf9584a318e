//! Lines that are no messages, and messages at the wrong time.

use mortise_testkit::{PeerError, RawPeer};
use serde_json::{Value, json};

use crate::sample::{connect, server, tools};

/// The next frame of all.
async fn next(peer: &mut RawPeer) -> Result<Value, PeerError> {
    Ok(peer.next_frame().await?.json.unwrap_or_default())
}

#[tokio::test]
async fn a_bad_line_is_answered_and_the_next_one_served() -> Result<(), PeerError> {
    let mut peer = connect(&server(tools()));
    peer.initialize().await?;
    for (line, code) in [
        (b"garbage\n".to_vec(), -32700),
        (b"\xff\xfe\n".to_vec(), -32700),
        (b"\xef\xbb\xbf{}\n".to_vec(), -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} {}\n".to_vec(), -32700),
        ([&b"[".repeat(100_000)[..], b"\n"].concat(), -32700),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n".to_vec(), -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n".to_vec(), -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}\n".to_vec(), -32600),
    ] {
        peer.send_bytes(&line).await?;
        let answer = next(&mut peer).await?;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(code)), "{answer}");
        assert_eq!(peer.request("ping", json!({})).await?["result"], json!({}));
    }
    Ok(())
}

#[tokio::test]
async fn a_line_beyond_the_limit_is_skipped() -> Result<(), PeerError> {
    let mut peer = connect(&server(tools()));
    peer.initialize().await?;
    let limit = mortise_server::limits::LINE_BYTES;
    let mut long = vec![b' '; limit + 1];
    long.push(b'\n');
    peer.send_bytes(&long).await?;
    let answer = next(&mut peer).await?;
    assert_eq!(answer["error"]["code"], -32700);
    assert_eq!(answer["error"]["message"], format!("the line is longer than {limit} bytes"));
    // As long as a line may be: a message and white space up to the limit.
    let mut line = br#"{"jsonrpc":"2.0","id":"long","method":"ping"}"#.to_vec();
    line.resize(limit, b' ');
    line.push(b'\n');
    peer.send_bytes(&line).await?;
    assert_eq!(next(&mut peer).await?, json!({ "jsonrpc": "2.0", "id": "long", "result": {} }));
    Ok(())
}

#[tokio::test]
async fn lines_may_end_like_on_windows_arrive_in_pieces_or_be_empty() -> Result<(), PeerError> {
    let mut peer = connect(&server(tools()));
    peer.initialize().await?;
    peer.send_bytes(b"\n\r\n  \n").await?;
    let line = "{\"jsonrpc\":\"2.0\",\"id\":\"é\",\"method\":\"ping\"}\r\n".as_bytes();
    for byte in line {
        peer.send_bytes(&[*byte]).await?;
        tokio::task::yield_now().await;
    }
    assert_eq!(next(&mut peer).await?, json!({ "jsonrpc": "2.0", "id": "é", "result": {} }));
    Ok(())
}

#[tokio::test]
async fn an_id_in_use_is_refused_and_the_first_request_answered() -> Result<(), PeerError> {
    let (release, released) = tokio::sync::oneshot::channel::<()>();
    let released = std::sync::Arc::new(tokio::sync::Mutex::new(Some(released)));
    let slow = mortise_server::Tool::raw("slow").handler(move |_, _| {
        let released = std::sync::Arc::clone(&released);
        async move {
            let released = released.lock().await.take().expect("called once");
            let _ = released.await;
            Ok(mortise_server::Answer::text("at last"))
        }
    });
    let tools = mortise_server::Tools::new([slow]).unwrap();
    let mut peer = connect(&server(tools));
    peer.initialize().await?;
    let call = json!({ "jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": { "name": "slow" } });
    peer.send(&call).await?;
    peer.send(&call).await?;
    let refusal = next(&mut peer).await?;
    assert_eq!((&refusal["id"], &refusal["error"]["code"]), (&Value::Null, &json!(-32600)));
    // A number is never the same as its digits in a string.
    peer.send(&json!({ "jsonrpc": "2.0", "id": "77", "method": "ping" })).await?;
    assert_eq!(peer.response("77").await?["result"], json!({}));
    release.send(()).unwrap();
    assert_eq!(peer.response(77).await?["result"]["content"][0]["text"], "at last");
    // Answered: the id is free again.
    peer.send(&json!({ "jsonrpc": "2.0", "id": 77, "method": "ping" })).await?;
    assert_eq!(peer.response(77).await?["result"], json!({}));
    Ok(())
}

#[tokio::test]
async fn messages_before_the_beginning_do_no_harm() -> Result<(), PeerError> {
    let mut peer = connect(&server(tools()));
    peer.notify("notifications/initialized", Value::Null).await?;
    peer.notify("notifications/cancelled", json!({ "requestId": 9 })).await?;
    peer.send(&json!({ "jsonrpc": "2.0", "id": 5, "result": {} })).await?;
    peer.send(&json!({ "jsonrpc": "2.0", "id": 5, "error": { "code": 1, "message": "?" } })).await?;
    assert_eq!(peer.request("ping", json!({})).await?["result"], json!({}));
    assert_eq!(peer.request("tools/list", json!({})).await?["error"]["code"], -32602);
    peer.notify("notifications/progress", json!({ "progressToken": 1, "progress": 1 })).await?;
    peer.initialize().await?;
    // Responses to nothing, once and twice.
    for _ in 0..2 {
        peer.send(&json!({ "jsonrpc": "2.0", "id": 5, "result": {} })).await?;
    }
    assert!(peer.request("tools/list", json!({})).await?["result"].is_object());
    Ok(())
}

#[tokio::test]
async fn methods_that_nobody_knows_are_refused() -> Result<(), PeerError> {
    let mut peer = connect(&server(tools()));
    peer.initialize().await?;
    let answer = peer.request("tools/cal\u{7}l", json!({})).await?;
    assert_eq!(answer["error"], json!({ "code": -32601, "message": "no method `tools/cal\\u{7}l`" }));
    for method in ["resources/list", "resources/templates/list", "prompts/list"] {
        assert_eq!(peer.request(method, json!({})).await?["error"]["code"], -32601, "{method}");
    }
    // What the modern era has dropped.
    for (method, params) in [
        ("ping", json!({})),
        ("logging/setLevel", json!({ "level": "info" })),
        ("logging/setLevel", json!({})),
        ("resources/subscribe", json!({ "uri": "a:b" })),
    ] {
        assert_eq!(peer.modern(method, params).await?["error"]["code"], -32601, "{method}");
    }
    Ok(())
}

#[tokio::test]
async fn the_end_of_input_ends_the_server_after_its_answers() -> Result<(), PeerError> {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(theirs);
    let server = server(tools());
    let serving = tokio::spawn(async move { server.serve(reader, writer, std::future::pending()).await });
    let mut peer = RawPeer::over(ours);
    peer.initialize().await?;
    let id = peer.start("tools/call", json!({ "name": "primes" })).await?;
    peer.close().await?;
    assert_eq!(peer.response(id).await?["result"]["structuredContent"], json!({ "result": [2, 3, 5] }));
    assert!(peer.rest().await?.is_empty());
    serving.await.unwrap();
    Ok(())
}

#[tokio::test]
async fn input_that_ends_before_it_begins_is_no_fault() -> Result<(), PeerError> {
    let (ours, theirs) = tokio::io::duplex(64);
    let (reader, writer) = tokio::io::split(theirs);
    let server = server(tools());
    let serving = tokio::spawn(async move { server.serve(reader, writer, std::future::pending()).await });
    drop(ours);
    serving.await.unwrap();
    Ok(())
}

/// A tool that asks the client for its roots.
fn asking() -> mortise_server::Server {
    let ask = mortise_server::Tool::raw("ask").handler(|_, context| async move {
        let answer = context.ask(mortise_server::InputRequest::list_roots()).await?;
        Ok(mortise_server::Answer::text(answer.to_string()))
    });
    server(mortise_server::Tools::new([ask]).expect("one tool"))
}

#[tokio::test]
async fn a_string_never_answers_a_question_with_a_number() -> Result<(), PeerError> {
    let mut peer = connect(&asking());
    peer.initialize_as(mortise_testkit::LEGACY_VERSION, json!({ "roots": {} })).await?;
    peer.send(&json!({ "jsonrpc": "2.0", "id": "5", "method": "tools/call", "params": { "name": "ask" } }))
        .await?;
    let question = next(&mut peer).await?;
    let number = question["id"].as_i64().expect("our ids are numbers");
    let answer = |id: Value, name: &str| json!({ "jsonrpc": "2.0", "id": id, "result": { "roots": [{ "uri": name }] } });
    peer.send(&answer(json!(number.to_string()), "file:///wrong")).await?;
    peer.send(&answer(json!(number), "file:///right")).await?;
    let called = next(&mut peer).await?;
    assert_eq!(called["id"], "5");
    assert!(called.to_string().contains("file:///right"), "{called}");
    Ok(())
}

#[tokio::test]
async fn a_number_and_its_digits_in_a_string_are_two_requests() -> Result<(), PeerError> {
    let mut peer = connect(&asking());
    peer.initialize_as(mortise_testkit::LEGACY_VERSION, json!({ "roots": {} })).await?;
    let call = |id: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "ask" } });
    peer.send(&call(json!(5))).await?;
    let first = next(&mut peer).await?;
    peer.send(&call(json!("5"))).await?;
    let second = next(&mut peer).await?;
    assert_eq!((&first["method"], &second["method"]), (&json!("roots/list"), &json!("roots/list")));
    // Taking one back leaves the other alone.
    peer.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 5 } }),
    )
    .await?;
    peer.send(&json!({ "jsonrpc": "2.0", "id": second["id"], "result": { "roots": [] } })).await?;
    let mut answered = next(&mut peer).await?;
    // The question of the call that was taken back may be withdrawn first.
    while answered["method"].is_string() {
        answered = next(&mut peer).await?;
    }
    assert_eq!((&answered["id"], answered["result"].is_object()), (&json!("5"), true), "{answered}");
    Ok(())
}

#[tokio::test]
async fn a_client_that_no_longer_reads_ends_the_connection() {
    let (mut requests, reader) = tokio::io::duplex(1 << 16);
    let (writer, answers) = tokio::io::duplex(1 << 16);
    let server = server(tools());
    let serving = tokio::spawn(async move { server.serve(reader, writer, std::future::pending()).await });
    drop(answers);
    // The client still writes, and never closes its side.
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    tokio::io::AsyncWriteExt::write_all(&mut requests, ping).await.expect("the server reads");
    tokio::time::timeout(std::time::Duration::from_secs(30), serving)
        .await
        .expect("an end")
        .expect("no panic");
}
