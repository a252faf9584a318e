//! Tool lists, good and bad.

use mortise_testkit::RawPeer;
use serde_json::{Value, json};

use super::{peer, still_works};

/// All pages, at most `pages` of them, and the cursors between them.
async fn walk(peer: &mut RawPeer, pages: usize) -> (Vec<Value>, Vec<Value>) {
    let (mut tools, mut cursors) = (Vec::new(), Vec::new());
    let mut params = Value::Null;
    for _ in 0..pages {
        let page = peer.request("tools/list", params).await.unwrap();
        tools.extend(page["result"]["tools"].as_array().unwrap().clone());
        match page["result"].get("nextCursor") {
            None | Some(Value::Null) => break,
            Some(cursor) => {
                cursors.push(cursor.clone());
                params = json!({ "cursor": cursor });
            }
        }
    }
    (tools, cursors)
}

async fn names(scenario: &str) -> Vec<String> {
    let (tools, _) = walk(&mut peer(scenario), 10_000).await;
    tools.iter().map(|tool| tool["name"].as_str().unwrap_or("-").to_owned()).collect()
}

#[tokio::test]
async fn pages_hold_every_tool_once() {
    for (scenario, count, pages) in
        [("pages", 22, 8), ("tools=250", 250, 3), ("one-per-page=7", 7, 7), ("no-tools", 0, 1), ("ok", 2, 1)]
    {
        let (mut tools, cursors) = walk(&mut peer(scenario), 10_000).await;
        assert_eq!((tools.len(), cursors.len() + 1), (count, pages), "{scenario}");
        tools.dedup();
        assert_eq!(tools.len(), count, "{scenario}");
    }
    assert_eq!(names("empty-cursor").await, ["add", "echo"]);
    assert_eq!(names("null-cursor").await, ["add", "echo"]);
    let refused = peer("pages").request("tools/list", json!({"cursor": "mine"})).await.unwrap();
    assert_eq!(refused["error"]["code"], -32602);
}

#[tokio::test]
async fn cursors_never_end() {
    let (_, cursors) = walk(&mut peer("cursor-loop"), 5).await;
    assert_eq!(cursors, ["again"; 5]);
    let (_, mut cursors) = walk(&mut peer("endless-cursors"), 5).await;
    cursors.dedup();
    assert_eq!(cursors.len(), 5);
}

/// The declaration of the tool that is wrong, as text.
async fn bad(scenario: &str) -> String {
    let mut peer = peer(scenario);
    let (tools, _) = walk(&mut peer, 10).await;
    assert_eq!(
        tools[..2].iter().map(|tool| &tool["name"]).collect::<Vec<_>>(),
        ["add", "echo"],
        "{scenario}"
    );
    still_works(&mut peer).await;
    tools[2].to_string()
}

#[tokio::test]
async fn one_bad_tool_is_among_good_ones() {
    assert!(!bad("no-input-schema").await.contains("inputSchema"));
    assert!(bad("input-schema-null").await.contains(r#""inputSchema":null"#));
    assert!(bad("output-schema-true").await.contains(r#""outputSchema":true"#));
    assert!(bad("output-schema-null").await.contains(r#""outputSchema":null"#));
    assert!(bad("output-schema-list").await.contains(r#""outputSchema":[{"#));
    assert_eq!(bad("tool-not-object").await, "7");
    assert!(!bad("no-name").await.contains(r#""name""#));
    assert!(bad("schema-external").await.contains(r#""$ref":"http://"#));
    assert!(bad("schema-dialect").await.contains("https://example.com/dialect/v9"));
    assert!(bad("schema-array-root").await.contains(r#""outputSchema":{"type":"array""#));
    assert!(
        bad("bomb-exponential=3")
            .await
            .contains(r##"{"anyOf":[{"$ref":"#/$defs/d3"},{"$ref":"#/$defs/d3"}]}"##)
    );
    assert!(bad("bomb-enum=3").await.contains(r#"{"enum":[0,1,2]}"#));
    assert!(bad("bomb-deep=20").await.matches("properties").count() == 20);
    assert!(bad("bomb-size=300000").await.len() > 300_000);
    assert_eq!(names("duplicate-names").await, ["add", "echo", "echo"]);
    assert!(names("odd-names").await.contains(&"weird-name.v2".to_owned()));
}

#[tokio::test]
async fn a_rug_is_pulled_after_the_first_list() {
    let mut peer = peer("rug-pull");
    let (before, _) = walk(&mut peer, 1).await;
    let (after, _) = walk(&mut peer, 1).await;
    assert_eq!(before[0], after[0]);
    assert!(after[1]["description"].as_str().unwrap().contains("evil@example.com"));
    assert_ne!(before[1], after[1]);
}

#[tokio::test]
async fn a_list_can_fail_as_a_whole() {
    let list = |scenario: &'static str| async move {
        peer(scenario).request("tools/list", Value::Null).await.unwrap()
    };
    assert_eq!(list("list-error").await["error"]["code"], -32603);
    assert_eq!(list("list-empty-result").await["result"], json!({}));
    assert!(list("list-not-array").await["result"]["tools"].is_object());
    let mut later = peer("list-error-later");
    assert!(later.request("tools/list", Value::Null).await.unwrap()["result"].is_object());
    assert_eq!(later.request("tools/list", Value::Null).await.unwrap()["error"]["code"], -32603);
}
