//! More than there is room for: requests, connections, file descriptors.

use std::process::Stdio;

use mortise_server::limits;
use mortise_server::{Answer, ProtocolError, Reply, Tool, Tools};
use mortise_testkit::http::{HttpConnection, HttpMessage};
use mortise_testkit::{MODERN_VERSION, PeerError, with_meta};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use crate::examples::example;
use crate::http::{Running, response};
use crate::sample::{noop, server};

/// A set of tools of which one finds no room and one talks of it.
fn crowded() -> Tools {
    Tools::new([
        Tool::raw("crowded")
            .handler(|_, _| async { Ok(Reply::from(ProtocolError::overloaded("2,000 programs wait"))) }),
        Tool::raw("talks").handler(|_, _| async { Ok(Answer::text("overloaded: not really")) }),
    ])
    .unwrap()
}

#[track_caller]
fn check_overload(refused: &HttpMessage) {
    assert_eq!((refused.status(), refused.header("retry-after")), (503, Some("10")), "{}", refused.text());
    assert_eq!(refused.header("content-type"), Some("application/json"));
    let refusal: Value = serde_json::from_str(&refused.text()).unwrap();
    let error = json!({
        "code": -32603,
        "message": "overloaded: 2,000 programs wait",
        "data": { "reason": "2,000 programs wait" },
    });
    assert_eq!(refusal, json!({ "jsonrpc": "2.0", "id": 1, "error": error }));
}

#[tokio::test]
async fn overload_is_status_503_in_both_eras_and_nothing_else_is() -> Result<(), PeerError> {
    let running = Running::start(&server(crowded()), |options| options).await;
    check_overload(&running.modern("tools/call", json!({ "name": "crowded" })).await?);
    let talked = running.modern("tools/call", json!({ "name": "talks" })).await?;
    assert_eq!(talked.status(), 200);
    assert_eq!(response(&talked, 1)["result"]["content"][0]["text"], "overloaded: not really");

    let session = running.initialize(json!({})).await?;
    let call =
        |name: &str| json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name } });
    check_overload(&running.legacy(&session, &call("crowded")).await?);
    // The id is free again, and the session lives.
    assert_eq!(running.legacy(&session, &call("talks")).await?.status(), 200);
    Ok(())
}

async fn ask(connection: &mut HttpConnection) -> Result<(), PeerError> {
    let message =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": with_meta(json!({})) });
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", MODERN_VERSION),
        ("mcp-method", "tools/list"),
    ];
    connection.send("POST /mcp", &headers, message.to_string().as_bytes()).await
}

#[tokio::test]
async fn a_connection_too_many_waits_until_another_ends() -> Result<(), PeerError> {
    let tools = Tools::new([noop("a")]).unwrap();
    let running = Running::start(&server(tools), |options| options.connections(2)).await;
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut connection = HttpConnection::open(running.address).await?;
        ask(&mut connection).await?;
        assert_eq!(connection.response().await?.status(), 200);
        open.push(connection);
    }
    let mut third = HttpConnection::open(running.address).await?;
    ask(&mut third).await?;
    // The others are served meanwhile, time and again.
    for _ in 0..10 {
        for connection in &mut open {
            ask(connection).await?;
            assert_eq!(connection.response().await?.status(), 200);
        }
    }
    assert!(!third.has_answered());
    open.pop();
    assert_eq!(third.response().await?.status(), 200);
    Ok(())
}

/// Asks for `/livez`, as everyone may.
async fn knock(connection: &mut HttpConnection) -> Result<u16, PeerError> {
    connection.send("GET /livez", &[], b"").await?;
    Ok(connection.response().await?.status())
}

#[tokio::test]
async fn connections_without_a_token_make_room_for_others() -> Result<(), PeerError> {
    let tools = Tools::new([noop("a")]).unwrap();
    let running = Running::start(&server(tools), |options| options).await;
    let mut known = HttpConnection::open(running.address).await?;
    ask(&mut known).await?;
    assert_eq!(known.response().await?.status(), 200);

    let mut strangers = Vec::new();
    for _ in 0..limits::HTTP_STRANGERS {
        let mut stranger = HttpConnection::open(running.address).await?;
        assert_eq!(knock(&mut stranger).await?, 200);
        strangers.push(stranger);
    }
    // One more, and the oldest is closed.
    let mut newest = HttpConnection::open(running.address).await?;
    assert_eq!(knock(&mut newest).await?, 200);
    assert!(knock(&mut strangers[0]).await.is_err());
    assert_eq!(knock(&mut strangers[1]).await?, 200);
    // The one that was admitted stays, though it is older than all.
    ask(&mut known).await?;
    assert_eq!(known.response().await?.status(), 200);
    Ok(())
}

/// The parameters of a call by a client without a name, as one that begins a session has none yet.
fn named(tool: &str) -> Value {
    json!({ "name": tool, "_meta": { "io.modelcontextprotocol/clientInfo": { "name": "", "version": "1" } } })
}

/// Calls a tool of a modern server.
async fn start_call(connection: &mut HttpConnection, tool: &str) -> Result<(), PeerError> {
    let params = with_meta(named(tool));
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", MODERN_VERSION),
        ("mcp-method", "tools/call"),
        ("mcp-name", tool),
    ];
    connection.send("POST /mcp", &headers, message.to_string().as_bytes()).await
}

#[tokio::test]
async fn a_client_that_does_not_read_its_answer_can_not_ask_for_more() -> Result<(), PeerError> {
    // More than the system's own buffers take.
    const ANSWER: usize = 24 * 1024 * 1024;
    let text = "x".repeat(ANSWER);
    let large = Tool::raw("large").handler(move |_, _| {
        let answer = Answer::text(text.clone());
        async { Ok(answer) }
    });
    let tools = Tools::new([large, noop("small")]).unwrap();
    let running = Running::start(&server(tools), |options| options.unread_bytes(ANSWER)).await;
    let mut unread = HttpConnection::open(running.address).await?;
    start_call(&mut unread, "large").await?;
    // Past the head the answer is on its way, and counted. A call that is let in before has other words for it.
    unread.skip(16 * 1024).await?;
    let refused = running.modern("tools/call", named("small")).await?;
    assert_eq!((refused.status(), refused.header("retry-after")), (503, Some("10")));
    assert!(refused.text().contains("answers to this client have not been read"), "{}", refused.text());
    // Another client can begin a session all the same.
    running.initialize(json!({})).await?;
    // Who closes the connections, or reads, may ask again.
    drop(unread);
    while running.modern("tools/call", named("small")).await?.status() != 200 {}
    Ok(())
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn without_file_descriptors_the_server_waits_and_recovers() -> Result<(), PeerError> {
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -n 32; exec \"$0\" 127.0.0.1:0"])
        .arg(example("conformance"))
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let url = BufReader::new(child.stderr.take().unwrap()).lines().next_line().await?.unwrap();
    let address = url.trim_start_matches("http://").trim_end_matches("/mcp").parse().unwrap();
    let mut first = HttpConnection::open(address).await?;
    ask(&mut first).await?;
    assert_eq!(first.response().await?.status(), 200);

    let mut more = Vec::new();
    for _ in 0..64 {
        let mut connection = HttpConnection::open(address).await?;
        ask(&mut connection).await?;
        more.push(connection);
    }
    // Who is in is served while others can't come in.
    for _ in 0..20 {
        ask(&mut first).await?;
        assert_eq!(first.response().await?.status(), 200);
    }
    assert!(!more.last().unwrap().has_answered(), "64 connections fit into 32 file descriptors");
    let mut last = more.pop().unwrap();
    drop(more);
    assert_eq!(last.response().await?.status(), 200);
    assert!(child.try_wait()?.is_none());
    Ok(())
}
