//! Serving over a line stream, in both eras.

use mortise_testkit::PeerError;
use serde_json::json;

use crate::sample::{connect, server, tools};

#[tokio::test]
async fn a_legacy_client_lists_and_calls() -> Result<(), PeerError> {
    let mut peer = connect(&server(tools()));
    let opened = peer.initialize().await?;
    assert_eq!(opened["result"]["serverInfo"], json!({ "name": "sample", "version": "1.2.3" }));
    assert_eq!(opened["result"]["protocolVersion"], "2025-11-25");
    let listed = peer.request("tools/list", json!({})).await?;
    let names: Vec<_> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(
        names,
        ["bmi", "bmi_in_words", "echo", "fails", "liar", "panics", "plain", "primes", "silent"]
    );
    let called = peer
        .request("tools/call", json!({ "name": "bmi", "arguments": { "height_cm": 200, "weight_kg": 80 } }))
        .await?;
    assert_eq!(
        called["result"],
        json!({ "content": [{ "type": "text", "text": "{\"bmi\":20.0}" }], "structuredContent": { "bmi": 20.0 } })
    );
    Ok(())
}

#[tokio::test]
async fn a_modern_client_calls_without_a_session() -> Result<(), PeerError> {
    let mut peer = connect(&server(tools()));
    let called = peer.modern("tools/call", json!({ "name": "primes" })).await?;
    assert_eq!(
        called["result"],
        json!({
            "resultType": "complete",
            "content": [{ "type": "text", "text": "[2,3,5]" }],
            "structuredContent": [2, 3, 5],
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "sample", "version": "1.2.3" } },
        })
    );
    Ok(())
}
