//! Connecting and disconnecting: one current connection, never a silent change.

use mortise_samples::mock::{Mock, Script};
use serde_json::json;

use crate::support::{Assistant, command};

/// What the mock asks in `ask-elicitation`.
const QUESTION: &str = "Which word?";

/// Every tool that needs a connection, with arguments that are fine.
const NEEDING: [(&str, &str); 14] = [
    ("list_tools", "{}"),
    ("call_tool", r#"{"name":"echo","arguments":{}}"#),
    ("list_resources", "{}"),
    ("read_resource", r#"{"uri":"mock://text"}"#),
    ("list_prompts", "{}"),
    ("get_prompt", r#"{"name":"greeting"}"#),
    ("list_resource_templates", "{}"),
    ("validate_arguments", r#"{"name":"echo"}"#),
    ("complete_argument", r#"{"prompt":"greeting","argument":"who"}"#),
    ("test_server", "{}"),
    ("get_server_capabilities", "{}"),
    ("get_notifications", "{}"),
    ("get_raw_exchange", "{}"),
    ("switch_connection", r#"{"connection":"other"}"#),
];

#[tokio::test]
async fn e1_status_before_any_connection() {
    let status = Assistant::new().await.ok("get_connection_status", json!({})).await;
    assert_eq!(status["connected"], false);
    assert_eq!(status["connection"], json!(null));
    assert_eq!(status["message"], "Not connected to any MCP server");
    assert_eq!(status["tester"]["served_over"], "stdio");
}

#[tokio::test]
async fn e2_nothing_works_unconnected() {
    let assistant = Assistant::new().await;
    for (tool, arguments) in NEEDING {
        let arguments = serde_json::from_str(arguments).unwrap();
        let failed = assistant.fails(tool, arguments, "not_connected").await;
        let suggestion = failed["error"]["suggestion"].as_str().unwrap();
        assert!(suggestion.contains("connect_to_server"), "{suggestion}");
        assert_eq!(failed["connection"], json!({}));
    }
}

#[tokio::test]
async fn e3_a_dead_port_is_echoed() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let assistant = Assistant::new().await;
    let failed = assistant.fails("connect_to_server", json!({"url": url}), "connection_failed").await;
    assert_eq!(failed["error"]["details"]["server_url"], url);
    assert_eq!(failed["error"]["details"]["reason"], "unreachable");
    let status = assistant.ok("get_connection_status", json!({})).await;
    assert_eq!(status["connected"], false);
}

#[tokio::test]
async fn a_command_that_is_not_there_or_dies_tells_why() {
    let assistant = Assistant::new().await;
    let missing = json!({"command": "/nowhere/server", "args": ["a b"]});
    let failed = assistant.fails("connect_to_server", missing, "connection_failed").await;
    assert_eq!(failed["error"]["details"]["reason"], "spawn");
    assert_eq!(failed["error"]["details"]["server_url"], "/nowhere/server 'a b'");
    let failed = assistant.fails("connect_to_server", command("die-at-start=3"), "connection_failed").await;
    let details = &failed["error"]["details"];
    assert_eq!(details["exit_code"], 3, "{failed:#}");
    let mut elsewhere = command("ok");
    elsewhere["cwd"] = json!("/nowhere/at-all");
    let failed = assistant.fails("connect_to_server", elsewhere, "connection_failed").await;
    assert_eq!(failed["error"]["details"]["reason"], "cwd", "{failed:#}");
    let message = failed["error"]["message"].as_str().unwrap();
    assert!(message.ends_with("in `/nowhere/at-all`: there is no such directory"), "{message}");
    assert!(details["stderr"].as_str().unwrap().contains("mock: no such database"), "{failed:#}");
}

#[tokio::test]
async fn e4_a_bad_kind_of_auth_shows_no_secret() {
    let assistant = Assistant::new().await;
    for auth in [json!({"type": "magic", "token": "s3cr3t-token"}), json!(["s3cr3t-token"])] {
        let arguments = json!({"url": "http://127.0.0.1:9/mcp", "auth": auth});
        let failed = assistant.fails("connect_to_server", arguments, "invalid_arguments").await;
        assert!(!failed.to_string().contains("s3cr3t"), "{failed:#}");
    }
}

#[tokio::test]
async fn a_secret_that_a_server_repeats_is_not_shown() {
    let assistant = Assistant::new().await;
    let arguments =
        json!({"command": "sh", "args": ["-c", "echo $KEY >&2; exit 3"], "env": {"KEY": "s3cr3t-value"}});
    let failed = assistant.fails("connect_to_server", arguments, "connection_failed").await;
    assert_eq!(failed["error"]["details"]["exit_code"], 3, "{failed:#}");
    assert!(!failed.to_string().contains("s3cr3t"), "{failed:#}");
}

#[tokio::test]
async fn neither_and_both_of_url_and_command_are_refused() {
    let assistant = Assistant::new().await;
    assistant.fails("connect_to_server", json!({}), "invalid_arguments").await;
    let both = json!({"url": "http://127.0.0.1:9/", "command": "x"});
    assistant.fails("connect_to_server", both, "invalid_arguments").await;
    assistant.fails("connect_to_server", json!({"url": 7}), "invalid_arguments").await;
    assistant.fails("connect_to_server", json!({"url": ""}), "invalid_arguments").await;
    assistant.fails("connect_to_server", json!({"command": ""}), "invalid_arguments").await;
    assistant
        .fails("connect_to_server", json!({"url": "", "command": "/no/such"}), "connection_failed")
        .await;
}

#[tokio::test]
async fn an_address_without_its_scheme_is_told_from_a_command() {
    let assistant = Assistant::new().await;
    let arguments = json!({"url": "example.invalid/mcp"});
    let failed = assistant.fails("connect_to_server", arguments, "connection_failed").await;
    let suggestion = failed["error"]["suggestion"].as_str().unwrap();
    assert!(suggestion.contains("write http:// or https:// before it"), "{suggestion}");
}

#[tokio::test]
async fn what_an_http_status_asks_for_is_suggested() {
    let assistant = Assistant::new().await;
    for (scenario, words) in [
        ("redirect-elsewhere", "another address"),
        ("http-403", "`auth` or `headers`"),
        ("http-404", "many servers use /mcp"),
        ("http-503", "try again later"),
        ("sse-cut", "the address of an MCP server"),
    ] {
        let mock = Mock::parse(scenario).unwrap();
        let http = mock.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let failed =
            assistant.fails("connect_to_server", json!({"url": http.url()}), "connection_failed").await;
        let error = &failed["error"];
        assert!(error["suggestion"].as_str().unwrap().contains(words), "{scenario}: {error:#}");
        assert!(!error["message"].as_str().unwrap().contains("the process"), "{scenario}: {error:#}");
    }
}

#[tokio::test]
async fn tokens_that_a_server_repeats_are_in_no_answer() {
    let assistant = Assistant::new().await;
    let mut arguments = command("ask-elicitation");
    // What the mock says, as if it repeated what it was given.
    arguments["env"] = json!({"API_TOKEN": "mortise-mock", "QUESTION": QUESTION, "PLACE": "mock://text"});
    arguments["answers"] = json!({"elicitation": [{"action": "accept", "content": {"name": "Ada"}}]});
    let connected = assistant.ok("connect_to_server", arguments).await;
    assert_eq!(connected["connection"]["server_info"]["name"], "[redacted]");
    let answer = assistant.ok("call_tool", json!({"name": "echo", "arguments": {}})).await;
    assert!(!answer.to_string().contains("mortise-mock"), "{answer:#}");
    let notes = assistant.ok("get_notifications", json!({})).await;
    let asked = notes["notifications"].as_array().unwrap().iter().find(|entry| entry["kind"] == "request");
    let asked = asked.unwrap_or_else(|| panic!("{notes:#}"))["params"].to_string();
    assert!(asked.contains("[redacted]") && !asked.contains(QUESTION), "{notes:#}");
    // What only the environment holds stays word for word in what was asked for.
    let listed = assistant.ok("list_resources", json!({})).await;
    assert_eq!(listed["resources"][0]["uri"], "mock://text", "{listed:#}");
}

/// A tool that repeats what its server was given: a token, a number, a value of the address.
const REPEATING: &str = "version: 1
tools: [{declaration: {name: t, inputSchema: {type: object}}, result: {}}]
rules:
  - method: tools/call
    steps:
      - result:
          content: [{type: text, text: '{\"s3cr3t\\u002dt0ken\":87654321}'}]
          structuredContent:
            s3cr3t-t0ken: 1
            list: [87654321, 1]
            pin: 187654321
            address: 'token=a%2fsecret%2Fvalue, a/secret/value'
            total: 87654321
";

#[tokio::test]
async fn a_token_is_hidden_as_a_key_as_a_number_and_in_any_escapes() {
    let mock = Mock::new(Script::parse(REPEATING).unwrap().plan, 0);
    let http = mock.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let assistant = Assistant::new().await;
    let url = format!("{}?token=a%2Fsecret%2Fvalue", http.url());
    let headers = json!({"X-Api-Key": "87654321"});
    assistant.ok("connect_to_server", json!({"url": url, "auth": "s3cr3t-t0ken", "headers": headers})).await;
    let answer = assistant.ok("call_tool", json!({"name": "t", "include_raw": true})).await;
    let result = &answer["tool_call"]["result"];
    assert_eq!(
        result["structuredContent"],
        json!({
            "[redacted]": 1, "list": ["[redacted]", 1], "pin": "[redacted]",
            "address": "token=[redacted], [redacted]",
            // As our own answers count.
            "total": 87_654_321,
        })
    );
    assert_eq!(result["content"][0]["text"], "{\"[redacted]\":[redacted]}");
    let frame = answer["raw_exchanges"][0]["response"].as_str().unwrap();
    for secret in ["s3cr3t", "87654321", "secret%2Fvalue", "a/secret"] {
        assert!(!frame.contains(secret), "{secret}: {frame}");
    }
}

#[tokio::test]
async fn a_password_that_is_a_word_of_our_answers_breaks_none_of_them() {
    let assistant = Assistant::new().await;
    let mut arguments = command("ok");
    arguments["env"] =
        json!({"PASSWORD": "metadata", "TOKEN": "recovered_from_text", "API_KEY": "execution"});
    assistant.ok("connect_to_server", arguments).await;
    for (tool, arguments) in NEEDING.iter().filter(|(tool, _)| *tool != "switch_connection") {
        assistant.ok(tool, serde_json::from_str(arguments).unwrap()).await;
    }
}

#[tokio::test]
async fn e5_a_second_connection_closes_the_first_and_says_so() {
    let assistant = Assistant::new().await;
    let first = assistant.connect("ok").await;
    assert_eq!(first["connection"]["transport"], "stdio");
    assert_eq!(first.get("previous_connection"), None);
    assistant.ok("call_tool", json!({"name": "echo", "arguments": {"text": "x"}})).await;
    let status = assistant.ok("get_connection_status", json!({})).await;
    assert_eq!(
        status["statistics"],
        json!({"tools_called": 1, "resources_read": 0, "prompts_retrieved": 0, "errors": 0})
    );
    let second = assistant.connect("tools=3").await;
    let previous = &second["previous_connection"];
    assert_eq!(previous["server_url"], first["connection"]["server_url"]);
    assert!(previous["disconnected_at"].is_string());
    let status = assistant.ok("get_connection_status", json!({})).await;
    assert_eq!(status["connected"], true);
    assert_eq!(status["statistics"]["tools_called"], 0);
    let tools = assistant.ok("list_tools", json!({})).await;
    assert_eq!(tools["metadata"]["total_tools"], 3);
}

#[tokio::test]
async fn a_connect_that_fails_keeps_the_connection_that_was_there() {
    let assistant = Assistant::new().await;
    let first = assistant.connect("tools=3").await;
    let missing = json!({"command": "/nowhere/server"});
    let failed = assistant.fails("connect_to_server", missing, "connection_failed").await;
    assert_eq!(failed.get("previous_connection"), None, "{failed:#}");
    assert_eq!(failed["connection"]["server_url"], first["connection"]["server_url"]);
    assert!(failed["error"]["suggestion"].as_str().unwrap().contains("is still open"), "{failed:#}");
    let tools = assistant.ok("list_tools", json!({})).await;
    assert_eq!(tools["metadata"]["total_tools"], 3);
}

#[tokio::test]
async fn e16_disconnecting_twice_is_fine() {
    let assistant = Assistant::new().await;
    let connected = assistant.connect("ok").await;
    let closed = assistant.ok("disconnect", json!({})).await;
    assert_eq!(closed["previous_connection"]["server_url"], connected["connection"]["server_url"]);
    assert_eq!(closed["previous_connection"]["connected_at"], connected["connection"]["connected_at"]);
    let again = assistant.ok("disconnect", json!({})).await;
    assert_eq!(again.get("previous_connection"), None);
    assert_eq!(again["message"], "Not connected to any MCP server; nothing to do");
    let unknown = assistant.ok("disconnect", json!({"connection": "nope"})).await;
    assert_eq!(unknown["message"], "There is no connection `nope`; nothing to do");
    assistant.fails("list_tools", json!({}), "not_connected").await;
}

#[tokio::test]
async fn e17_connecting_at_once_is_done_in_turn() {
    let assistant = Assistant::new().await;
    let connects =
        (0..6).map(|number| assistant.call("connect_to_server", command(&format!("tools={}", number + 1))));
    let answers = futures::future::join_all(connects).await;
    assert!(answers.iter().all(|answer| answer["success"] == true));
    // All but the first found one to close.
    let closing = answers.iter().filter(|answer| answer.get("previous_connection").is_some()).count();
    assert_eq!(closing, 5);
    let listed = assistant.ok("list_connections", json!({})).await;
    assert_eq!(listed["connections"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_deployed_server_is_reached_with_headers_that_are_not_shown() {
    let mock = Mock::parse("ok").unwrap();
    let http = mock.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let assistant = Assistant::new().await;
    let arguments = json!({
        "url": http.url(), "headers": {"X-Api-Key": "k3y-value"}, "auth": "t0ken-value", "args": ["x"], "timeout_ms": 30000,
    });
    let connected = assistant.ok("connect_to_server", arguments).await;
    let connection = &connected["connection"];
    assert_eq!(connection["transport"], "streaming-http");
    assert_eq!(connection["server_url"], http.url());
    assert_eq!(connection["headers_provided"], json!(["X-Api-Key"]));
    assert_eq!(connection["auth_type"], "bearer");
    assert_eq!(connected["warnings"].as_array().unwrap().len(), 1);
    let status = assistant.ok("get_connection_status", json!({})).await;
    for shown in [connected, status] {
        assert!(!shown.to_string().contains("-value"), "{shown:#}");
    }
}

#[tokio::test]
async fn server_info_and_era_are_shown() {
    let assistant = Assistant::new().await;
    for (scenario, era) in [("legacy-only", "legacy"), ("modern-only", "modern")] {
        let connected = assistant.connect(scenario).await;
        assert_eq!(connected["connection"]["era"], era);
        assert!(connected["connection"]["server_info"]["name"].is_string(), "{connected:#}");
        let shown = assistant.ok("get_server_capabilities", json!({})).await;
        assert!(shown["server"]["capabilities"].is_object());
        assert!(shown["raw"].is_object());
    }
}
