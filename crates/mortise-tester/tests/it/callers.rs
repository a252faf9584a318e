//! Several callers of one tester: none reaches what another has opened.

use std::time::Duration;

use mortise_client::server_config::{EraChoice, HttpConfig, Transport};
use mortise_samples::mock::Mock;
use mortise_server::{HttpOptions, HttpServer};
use mortise_tester::{Permissions, TesterOptions};
use serde_json::json;

use crate::support::{Assistant, PATIENCE, command, environment, tested_server};

fn remote() -> TesterOptions {
    TesterOptions { permissions: Permissions::LOCAL, ..TesterOptions::remote(environment()) }
}

#[tokio::test]
async fn two_sessions_share_neither_connections_nor_traffic() {
    let first = Assistant::with(remote()).await;
    let second = first.neighbour().await;
    first.connect("ok").await;
    first.ok("call_tool", json!({"name": "echo", "arguments": {"text": "private"}})).await;

    for tool in ["list_tools", "get_raw_exchange", "get_notifications", "get_server_capabilities"] {
        for named in [json!({}), json!({"connection": "default"})] {
            let refused = second.fails(tool, named, "not_connected").await;
            assert!(!refused.to_string().contains("private"), "{refused}");
        }
    }
    let call = json!({"name": "echo", "arguments": {"text": "x"}, "connection": "default"});
    second.fails("call_tool", call, "not_connected").await;
    assert_eq!(second.ok("get_connection_status", json!({})).await["connected"], false);
    assert_eq!(second.ok("list_connections", json!({})).await["connections"], json!([]));
    assert_eq!(second.ok("disconnect_all", json!({})).await["previous_connections"], json!([]));

    let replaced = second.connect("ok").await;
    assert_eq!(replaced.get("previous_connection"), None);
    let kept = first.ok("get_raw_exchange", json!({})).await;
    assert!(kept["exchanges"][0]["request"].as_str().unwrap().contains("private"));
}

#[tokio::test]
async fn the_end_of_a_session_ends_its_servers() {
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let first = Assistant::with(remote()).await;
    let second = first.neighbour().await;
    let script = format!("echo $$ > {}; exec {} ok", pid_file.display(), tested_server());
    second.ok("connect_to_server", json!({"command": "/bin/sh", "args": ["-c", script]})).await;
    let pid = std::fs::read_to_string(&pid_file).unwrap();
    let process = std::path::PathBuf::from(format!("/proc/{}", pid.trim()));
    assert!(process.exists() || !cfg!(target_os = "linux"));
    second.leave().await;
    let ended = async {
        while process.exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("the server ends with the session");
    assert_eq!(first.ok("list_connections", json!({})).await["connections"], json!([]));
}

#[tokio::test]
async fn a_caller_that_does_not_call_loses_its_connections() {
    let idle = Some(Duration::from_millis(1));
    let assistant = Assistant::with(TesterOptions { idle, ..remote() }).await;
    assistant.connect("ok").await;
    let ended =
        async { while assistant.ok("get_connection_status", json!({})).await["connected"] == true {} };
    tokio::time::timeout(PATIENCE, ended).await.expect("the connection ends");
}

/// A client of 2026-07-28 over HTTP, for whom every request stands alone.
async fn modern(assistant: &Assistant, url: &str) -> Assistant {
    assistant.over(Transport::Http(HttpConfig::new(url)), EraChoice::Modern).await
}

#[tokio::test]
async fn without_sessions_a_connection_is_known_by_a_handle_alone() {
    let mock = Mock::parse("ok").unwrap();
    let target = mock.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let host = Assistant::with(remote()).await;
    let server = host.tester.server().unwrap();
    let http = HttpServer::bind(&server, HttpOptions::new("127.0.0.1:0".parse().unwrap())).await.unwrap();
    let url = http.url();
    let serving = tokio::spawn(http.run(std::future::pending()));
    let first = modern(&host, &url).await;
    let second = modern(&host, &url).await;

    let connected = first.ok("connect_to_server", json!({"url": target.url()})).await;
    let handle = connected["connection"]["name"].as_str().unwrap();
    let bits = handle.strip_prefix("default-").unwrap();
    assert!(bits.len() == 32 && bits.bytes().all(|byte| byte.is_ascii_hexdigit()), "{handle}");
    assert!(connected["message"].as_str().unwrap().contains("pass its `name` as `connection`"));

    let named = json!({"connection": handle});
    assert_eq!(first.ok("list_tools", named.clone()).await["connection"]["name"], handle);
    let unnamed = first.fails("list_tools", json!({}), "not_connected").await;
    assert_eq!(unnamed["error"]["message"], "this request names no connection");
    let guesses = [json!({}), json!({"connection": "default"}), json!({"connection": "default-0"})];
    for guess in guesses {
        second.fails("get_raw_exchange", guess, "not_connected").await;
    }
    assert_eq!(second.ok("list_connections", json!({})).await["connections"], json!([]));
    assert_eq!(second.ok("disconnect_all", json!({})).await["previous_connections"], json!([]));
    let other = second.ok("connect_to_server", json!({"url": target.url()})).await;
    assert_ne!(other["connection"]["name"], handle);

    // Connecting again under the handle keeps it; after a disconnect it is good for nothing.
    let again = json!({"url": target.url(), "connection": handle});
    let again = first.ok("connect_to_server", again).await;
    assert_eq!(
        (&again["connection"]["name"], &again["previous_connection"]["name"]),
        (&json!(handle), &json!(handle))
    );
    first.ok("disconnect", named.clone()).await;
    first.fails("list_tools", named, "not_connected").await;
    serving.abort();
}

#[tokio::test]
async fn a_connection_of_one_caller_is_not_in_the_way_of_anothers() {
    let first = Assistant::with(remote()).await;
    let second = first.neighbour().await;
    let mut slow = command("hang-start");
    slow["timeout_ms"] = json!(600_000);
    let waiting = first.call("connect_to_server", slow);
    let quick = second.connect("ok");
    tokio::select! {
        biased;
        answer = waiting => panic!("a server that says nothing is not connected: {answer}"),
        connected = quick => assert_eq!(connected["success"], true),
    }
}
