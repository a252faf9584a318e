//! What callers from elsewhere may not do.

use mortise_samples::mock::Mock;
use mortise_tester::{Permissions, TesterOptions};
use serde_json::json;

use crate::support::{Assistant, command, environment};

#[tokio::test]
async fn callers_from_elsewhere_start_no_commands_and_use_no_logins() {
    let assistant = Assistant::with(TesterOptions::remote(environment())).await;
    let failed = assistant.fails("connect_to_server", command("ok"), "connection_failed").await;
    assert_eq!(failed["error"]["details"]["reason"], "commands_not_allowed");
    let failed = assistant.fails("connect_to_server", json!({"url": "./server"}), "connection_failed").await;
    assert_eq!(failed["error"]["details"]["reason"], "commands_not_allowed");
    let login = json!({"url": "https://example.com/mcp", "auth": "oauth"});
    let failed = assistant.fails("connect_to_server", login, "connection_failed").await;
    assert_eq!(failed["error"]["details"]["reason"], "logins_not_allowed");
    let status = assistant.ok("get_connection_status", json!({})).await;
    assert_eq!(
        status["tester"],
        json!({
            "served_over": "streaming-http", "may_start_commands": false, "may_reach_private_addresses": false,
        })
    );
}

#[tokio::test]
async fn callers_from_elsewhere_reach_no_private_address_by_any_spelling() {
    let mock = Mock::parse("ok").unwrap();
    let http = mock.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let port = http.url().rsplit(':').next().unwrap().split('/').next().unwrap().to_owned();
    let assistant = Assistant::with(TesterOptions::remote(environment())).await;
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "2130706433",
        "0x7f.1",
        "[::ffff:127.0.0.1]",
        "169.254.169.254",
        "0.0.0.0",
    ] {
        let arguments = json!({"url": format!("http://{host}:{port}/mcp"), "timeout_ms": 5000});
        let failed = assistant.fails("connect_to_server", arguments, "connection_failed").await;
        let message = failed["error"]["message"].as_str().unwrap();
        assert!(message.contains("private address"), "{host}: {message}");
    }
    assert_eq!(mock.received(), Vec::<serde_json::Value>::new());
}

#[tokio::test]
async fn the_operator_can_allow_private_addresses() {
    let mock = Mock::parse("ok").unwrap();
    let http = mock.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let permissions = Permissions { private_addresses: true, ..Permissions::REMOTE };
    let assistant =
        Assistant::with(TesterOptions { permissions, ..TesterOptions::remote(environment()) }).await;
    assistant.ok("connect_to_server", json!({"url": http.url()})).await;
}
