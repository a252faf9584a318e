//! The sample servers, over the wire.

mod declarations;
mod documents;
mod financial;
mod inventory;
mod tickets;
mod weather;

use mortise_samples::sample;
use mortise_testkit::RawPeer;
use serde_json::{Value, json};

/// A peer of a sample server of its own.
pub(crate) fn peer(name: &str) -> RawPeer {
    let server = sample(name).unwrap().server().unwrap();
    let (ours, theirs) = tokio::io::duplex(1024 * 1024);
    let (reader, writer) = tokio::io::split(theirs);
    tokio::spawn(async move { server.serve(reader, writer, std::future::pending()).await });
    RawPeer::over(ours)
}

/// The result of a call, which must not be an error: then it has passed its own schema.
async fn call(peer: &mut RawPeer, tool: &str, arguments: Value) -> Value {
    let answer = peer.modern("tools/call", json!({"name": tool, "arguments": arguments})).await.unwrap();
    assert!(answer["result"]["isError"] != true && answer.get("error").is_none(), "{answer}");
    answer["result"].clone()
}

/// The structured content of a call.
async fn value(peer: &mut RawPeer, tool: &str, arguments: Value) -> Value {
    call(peer, tool, arguments).await["structuredContent"].clone()
}

/// The text of the error of a call.
async fn refused(peer: &mut RawPeer, tool: &str, arguments: Value) -> String {
    let answer = peer.modern("tools/call", json!({"name": tool, "arguments": arguments})).await.unwrap();
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

/// All items under `key`, page by page.
async fn walk(peer: &mut RawPeer, tool: &str, mut arguments: Value, key: &str) -> Vec<Value> {
    let mut items = Vec::new();
    for _ in 0..100 {
        let page = value(peer, tool, arguments.clone()).await;
        items.extend(page[key].as_array().unwrap().clone());
        match page.get("next_cursor") {
            None => return items,
            Some(cursor) => arguments["cursor"] = cursor.clone(),
        }
    }
    panic!("the pages of {tool} do not end");
}
