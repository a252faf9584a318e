//! Broken and odd frames.

use mortise_testkit::{LineFrame, PeerError};
use serde_json::{Value, json};

use super::{call, echo, peer, still_works};

/// Every frame that follows a call of `echo`, until the answer to `add`.
async fn frames(scenario: &str) -> Vec<LineFrame> {
    let mut peer = peer(scenario);
    peer.start("tools/call", call("echo", &json!({"text": "x"}))).await.unwrap();
    still_works(&mut peer).await;
    peer.kept().cloned().collect()
}

/// The one frame that answers `echo`, as text.
async fn one(scenario: &str) -> String {
    let frames = frames(scenario).await;
    assert_eq!(frames.len(), 1, "{scenario}");
    frames[0].text()
}

#[tokio::test]
async fn ids_are_wrong_in_each_way() {
    let id = |text: String| serde_json::from_str::<Value>(&text).unwrap()["id"].clone();
    assert_eq!(id(one("wrong-id").await), 987_654_321);
    assert_eq!(id(one("string-id").await), "1");
    assert_eq!(id(one("null-id").await), Value::Null);
    assert_eq!(frames("duplicate-response").await.len(), 2);
}

#[tokio::test]
async fn members_are_too_many_or_too_few() {
    let both: Value = serde_json::from_str(&one("both").await).unwrap();
    assert!(both["result"].is_object() && both["error"].is_object());
    assert_eq!(one("neither").await, r#"{"jsonrpc":"2.0","id":1}"#);
    assert!(!one("no-version").await.contains("jsonrpc"));
    assert!(one("batch").await.starts_with("[{"));
}

#[tokio::test]
async fn texts_are_not_json_in_each_way() {
    for scenario in ["bad-utf8", "lone-surrogate", "bom", "trailing-garbage", "deep=200"] {
        assert_eq!(frames(scenario).await[0].json, None, "{scenario}");
    }
    assert!(frames("bad-utf8").await[0].raw.contains(&0xe9));
    assert!(
        one("big-numbers")
            .await
            .contains(r#""huge":1e400,"long":123456789012345678901234567890,"price":1.10"#)
    );
    assert!(one("duplicate-keys").await.contains(r#""text":"first","text":"second""#));
    assert!(frames("pretty").await.len() > 5);
}

#[tokio::test]
async fn a_line_that_is_no_json_is_refused() {
    let mut peer = peer("ok");
    peer.send_line("hello?").await.unwrap();
    assert_eq!(peer.response(Value::Null).await.unwrap()["error"]["code"], -32700);
    still_works(&mut peer).await;
}

#[tokio::test]
async fn sizes_are_as_asked() {
    assert!(one("big=100000").await.len() > 100_000);
    assert!(one("deep=1000").await.contains(&"[".repeat(1000)));
}

#[tokio::test(start_paused = true)]
async fn a_half_frame_stays_half() {
    let mut peer = peer("half-frame");
    peer.start("tools/call", call("echo", &json!({"text": "x"}))).await.unwrap();
    assert!(matches!(peer.next_frame().await, Err(PeerError::TimedOut { .. })));
    peer.close().await.unwrap();
    let frames = peer.rest().await.unwrap();
    assert_eq!((frames.len(), &frames[0].json), (1, &None));
}

#[tokio::test(start_paused = true)]
async fn split_and_trickled_frames_arrive_whole() {
    let split = echo(&mut peer("split-frame"), "x").await;
    assert_eq!(split["result"]["structuredContent"]["text"], "naïve");
    let trickled = echo(&mut peer("trickle=10"), "x").await;
    assert_eq!(trickled["result"]["structuredContent"]["text"], "x");
}

#[tokio::test]
async fn noise_on_stdout_comes_before_the_answers() {
    assert_eq!(frames("banner").await[0].text(), "Mock server v1 starting...");
    assert!(frames("ansi-stdout").await[0].text().contains("\x1b[32m"));
    assert_eq!(frames("stdout-flood=150").await.len(), 151);
    assert!(one("crlf").await.ends_with("}\r"));
}
