//! Both eras, deaths, time and announcements over a line stream.

use mortise_samples::mock::{Mock, MockEnd};
use mortise_testkit::{MODERN_VERSION, PeerError, RawPeer};
use serde_json::{Value, json};
use tokio::time::{Duration, Instant};

use super::{call, echo, peer, still_works};

#[tokio::test]
async fn a_healthy_mock_serves_both_eras() {
    let mut peer = peer("ok");
    let answer = peer.initialize().await.unwrap();
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(
        echo(&mut peer, "hi").await["result"],
        json!({"content": [{"type": "text", "text": "{\"text\":\"hi\"}"}], "structuredContent": {"text": "hi"}})
    );
    let found = peer.modern("server/discover", Value::Null).await.unwrap();
    assert_eq!(found["result"]["supportedVersions"][0], MODERN_VERSION);
    let listed = peer.modern("tools/list", Value::Null).await.unwrap();
    assert_eq!(
        (&listed["result"]["resultType"], &listed["result"]["ttlMs"]),
        (&json!("complete"), &json!(0))
    );
    let unknown = peer.request("tools/call", call("nope", &json!({}))).await.unwrap();
    assert_eq!(unknown["error"]["code"], -32602);
    let unknown = peer.request("nope", Value::Null).await.unwrap();
    assert_eq!(unknown["error"]["code"], -32601);
}

#[tokio::test]
async fn resources_and_prompts_are_there() {
    let mut peer = peer("ok");
    let listed = peer.request("resources/list", Value::Null).await.unwrap();
    assert_eq!(listed["result"]["resources"][1]["uri"], "mock://bytes");
    let read = peer.request("resources/read", json!({"uri": "mock://bytes"})).await.unwrap();
    assert_eq!(read["result"]["contents"][0]["blob"], "AAEC");
    let missing = peer.request("resources/read", json!({"uri": "mock://none"})).await.unwrap();
    assert_eq!(missing["error"]["code"], -32602);
    let prompt = peer.request("prompts/get", json!({"name": "greeting", "arguments": {"who": "you"}}));
    assert_eq!(prompt.await.unwrap()["result"]["messages"][0]["content"]["text"], "Hello, you.");
}

async fn discover(scenario: &str) -> Value {
    peer(scenario).modern("server/discover", Value::Null).await.unwrap()
}

#[tokio::test]
async fn each_way_to_answer_discover() {
    assert_eq!(discover("legacy-only").await["error"]["code"], -32601);
    assert_eq!(discover("discover-invalid").await["error"]["code"], -32602);
    let modern = discover("discover-modern-error").await;
    assert_eq!(
        (&modern["error"]["code"], &modern["error"]["data"]["supported"][0]),
        (&json!(-32022), &json!(MODERN_VERSION))
    );
    assert_eq!(discover("modern-only").await["result"]["supportedVersions"], json!([MODERN_VERSION]));
    assert_eq!(peer("modern-only").initialize().await.unwrap()["error"]["code"], -32022);
    assert_eq!(
        peer("unknown-version").initialize().await.unwrap()["result"]["protocolVersion"],
        "2099-01-01"
    );

    let mut garbage = peer("discover-garbage");
    garbage.start("server/discover", Value::Null).await.unwrap();
    assert_eq!(garbage.next_frame().await.unwrap().json, None);
    assert!(garbage.initialize().await.unwrap()["result"].is_object());
}

#[tokio::test]
async fn an_era_that_is_not_spoken_is_not_understood() {
    let listed = peer("legacy-only").modern("tools/list", Value::Null).await.unwrap();
    assert!(listed["result"]["tools"].is_array() && listed["result"].get("resultType").is_none());
    let refused = peer("modern-only").request("tools/list", Value::Null).await.unwrap();
    assert_eq!(refused["error"]["code"], -32602);
}

#[tokio::test(start_paused = true)]
async fn silence_to_discover_does_not_stop_initialize() {
    let mut peer = peer("discover-silent");
    peer.start("server/discover", Value::Null).await.unwrap();
    assert!(peer.initialize().await.unwrap()["result"].is_object());
    assert_eq!(peer.kept().count(), 0);
}

/// How the mock ends after a call of `echo`, and what it wrote.
async fn end(scenario: &str) -> (MockEnd, Vec<String>) {
    let mock = Mock::parse(scenario).unwrap();
    let (ours, theirs) = tokio::io::duplex(4096);
    let (reader, writer) = tokio::io::split(theirs);
    let served = tokio::spawn(async move { mock.serve(reader, writer).await.unwrap() });
    let mut peer = RawPeer::over(ours);
    peer.start("tools/call", call("echo", &json!({"text": "x"}))).await.ok();
    let frames = peer.rest().await.unwrap();
    (served.await.unwrap(), frames.iter().map(mortise_testkit::LineFrame::text).collect())
}

#[tokio::test]
async fn a_mock_dies_when_and_how_it_should() {
    assert_eq!(end("die-at-start=7").await, (MockEnd::Exit(7), vec![]));
    assert_eq!(end("die-before=3").await, (MockEnd::Exit(3), vec![]));
    assert_eq!(end("die-abort").await, (MockEnd::Abort, vec![]));
    assert_eq!(end("die-kill").await, (MockEnd::Kill, vec![]));
    let (how, frames) = end("die-mid").await;
    assert_eq!((how, frames.len()), (MockEnd::Exit(1), 1));
    assert!(serde_json::from_str::<Value>(&frames[0]).is_err(), "{frames:?}");
    let (how, frames) = end("die-after").await;
    assert_eq!((how, frames.len()), (MockEnd::Exit(0), 1));
    assert!(frames[0].contains("structuredContent"));
}

#[tokio::test(start_paused = true)]
async fn a_slow_call_delays_nobody_else() {
    let mut peer = peer("slow=5000");
    let start = Instant::now();
    let id = peer.start("tools/call", call("echo", &json!({}))).await.unwrap();
    still_works(&mut peer).await;
    assert_eq!(start.elapsed(), Duration::ZERO);
    peer.response(id).await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_is_not_answered_unless_the_mock_is_late() {
    for (scenario, answers) in [("slow=5000", 0), ("late=5000", 1)] {
        let mut peer = peer(scenario);
        let id = peer.start("tools/call", call("echo", &json!({}))).await.unwrap();
        peer.notify("notifications/cancelled", json!({"requestId": id})).await.unwrap();
        let silence = peer.called("nothing").await.unwrap_err();
        assert!(matches!(silence, PeerError::TimedOut { .. }), "{silence}");
        assert_eq!(peer.kept().count(), answers, "{scenario}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_hanging_call_leaves_the_others_alone() {
    let mut peer = peer("hang");
    let id = peer.start("tools/call", call("echo", &json!({}))).await.unwrap();
    still_works(&mut peer).await;
    assert!(peer.response(id).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn jitter_and_chaos_follow_from_the_seed() {
    let run = |seed| async move {
        let mock = Mock::new(mortise_samples::mock::plan(["jitter=1000"]).unwrap(), seed);
        let mut peer = RawPeer::over(mock.connect());
        let mut times = Vec::new();
        for _ in 0..5 {
            let start = Instant::now();
            echo(&mut peer, "x").await;
            times.push(start.elapsed().as_millis());
        }
        times
    };
    assert_eq!(run(1).await, run(1).await);
    assert_ne!(run(1).await, run(2).await);
}

#[tokio::test(start_paused = true)]
async fn announcements_reach_legacy_sessions_and_subscriptions() {
    let mut legacy = peer("dynamic");
    legacy.initialize().await.unwrap();
    legacy.request("tools/call", call("change", &json!({}))).await.unwrap();
    assert_eq!(legacy.called("notifications/tools/list_changed").await.unwrap().get("params"), None);
    let listed = legacy.request("tools/list", Value::Null).await.unwrap();
    assert_eq!(listed["result"]["tools"][3]["name"], "added_1");

    let mut modern = peer("list-changed=5");
    let params = mortise_testkit::with_meta(json!({"notifications": {"toolsListChanged": true}}));
    let id = modern.start("subscriptions/listen", params).await.unwrap();
    let acknowledged = modern.called("notifications/subscriptions/acknowledged").await.unwrap();
    assert_eq!(acknowledged["params"]["notifications"], json!({"toolsListChanged": true}));
    let changed = modern.called("notifications/tools/list_changed").await.unwrap();
    assert_eq!(changed["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
}

#[tokio::test(start_paused = true)]
async fn floods_come_at_their_rate() {
    let mut peer = peer("notification-flood=1000").waiting(Duration::from_secs(2));
    peer.initialize().await.unwrap();
    peer.called("nothing").await.unwrap_err();
    let count = peer.kept().filter(|frame| frame.method() == Some("notifications/message")).count();
    assert!((1500..=2100).contains(&count), "{count}");
}

#[tokio::test]
async fn a_second_connection_is_a_new_client_of_the_same_mock() {
    let mock = Mock::parse("dynamic").unwrap();
    let mut first = RawPeer::over(mock.connect());
    first.initialize().await.unwrap();
    first.request("tools/call", call("change", &json!({}))).await.unwrap();
    first.called("notifications/tools/list_changed").await.unwrap();
    drop(first);
    let mut second = RawPeer::over(mock.connect());
    second.request("tools/call", call("change", &json!({}))).await.unwrap();
    let listed = second.request("tools/list", Value::Null).await.unwrap();
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 5);
    assert_eq!(second.kept().count(), 0, "a client that said nothing is told nothing");
}

#[tokio::test]
async fn the_messages_of_the_client_are_remembered() {
    let mock = Mock::parse("ok").unwrap();
    let mut peer = RawPeer::over(mock.connect());
    peer.initialize().await.unwrap();
    peer.request("ping", Value::Null).await.unwrap();
    let methods: Vec<_> = mock.received().iter().map(|message| message["method"].clone()).collect();
    assert_eq!(methods, ["initialize", "notifications/initialized", "ping"]);
}
