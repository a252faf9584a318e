//! Script files.

use mortise_samples::mock::{Mock, MockOptions, Script};
use mortise_testkit::RawPeer;
use serde_json::{Value, json};

use super::call;

const SCRIPT: &str = r#"
version: 1
seed: 7
page_size: 1
tools:
  - declaration: {name: lookup, inputSchema: {type: object}}
    result: {content: [{type: text, text: found}]}
  - declaration: {name: other, inputSchema: {type: object}}
    result: {content: []}
rules:
  - method: tools/call
    tool: lookup
    after: 1
    times: 2
    steps:
      - frame: {jsonrpc: "2.0", method: notifications/progress, params: {progressToken: $progress_token, progress: 1}}
      - result: {content: [], structuredContent: {sent: $arguments}}
  - method: ping
    steps:
      - raw: "oops "
      - error: {code: -32000, message: no ping}
  - method: resources/list
    steps: [{exit: 4}]
"#;

fn peer(text: &str) -> RawPeer {
    RawPeer::over(Mock::new(Script::parse(text).unwrap().plan, 0).connect())
}

#[tokio::test]
async fn a_script_decides_what_is_answered() {
    let mut peer = peer(SCRIPT);
    let page = peer.request("tools/list", Value::Null).await.unwrap();
    assert_eq!(
        (&page["result"]["tools"][0]["name"], &page["result"]["nextCursor"]),
        (&json!("lookup"), &json!("page-1"))
    );
    let mut params = call("lookup", &json!({"key": 1}));
    params["_meta"] = json!({"progressToken": 9});
    let usual = peer.request("tools/call", params.clone()).await.unwrap();
    assert_eq!(usual["result"]["content"][0]["text"], "found");
    for _ in 0..2 {
        let scripted = peer.request("tools/call", params.clone()).await.unwrap();
        assert_eq!(scripted["result"]["structuredContent"], json!({"sent": {"key": 1}}));
        assert_eq!(peer.called("notifications/progress").await.unwrap()["params"]["progressToken"], 9);
    }
    let usual = peer.request("tools/call", params).await.unwrap();
    assert_eq!(usual["result"]["content"][0]["text"], "found");
    peer.start("ping", Value::Null).await.unwrap();
    assert!(peer.next_frame().await.unwrap().text().starts_with("oops {\"jsonrpc\""));
    peer.start("resources/list", Value::Null).await.unwrap();
    assert!(peer.rest().await.unwrap().is_empty());
}

#[test]
fn options_add_to_the_script_and_win_over_its_seed() {
    let mut options = MockOptions { script: Some(SCRIPT.to_owned()), ..MockOptions::default() };
    assert_eq!(options.mock().unwrap().1, 7);
    options.seed = Some(3);
    options.scenarios = vec!["banner".to_owned()];
    assert_eq!(options.mock().unwrap().1, 3);
    options.scenarios = vec!["baner".to_owned()];
    assert_eq!(options.mock().err().unwrap().to_string(), "there is no scenario `baner`");
}

#[test]
fn json_is_read_as_well() {
    let script = r#"{"version": 1, "rules": [{"method": "ping", "steps": ["hang", {"wait_ms": 5}]}]}"#;
    assert!(Script::parse(script).is_ok());
}

#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let message = Script::parse(text).err().unwrap().to_string();
    for part in parts {
        assert!(message.contains(part), "{part} in {message}");
    }
}

#[test]
fn a_wrong_script_says_what_and_where() {
    refused("version: 2", &["the script has version 2"]);
    refused("version: 1\nrule: []", &["rule", "line 2"]);
    refused("version: 1\nscenarios: [nope]", &["there is no scenario `nope`"]);
    refused("version: 1\nrules:\n  - method: ping\n    steps: [explode]", &["explode", "line 4"]);
    refused("", &["unexpected end of input", "line 1"]);
}
