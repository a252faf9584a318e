//! Serving over a line stream, in both eras.

use mortise_server::{BuildError, PROTOCOL_VERSIONS, Server, Tools};
use mortise_testkit::{PeerError, RawPeer};
use serde_json::{Value, json};

use crate::sample::{connect, noop, server, tools};

#[tokio::test]
async fn a_legacy_client_lists_and_calls() -> Result<(), PeerError> {
    let mut peer = connect(&server(tools()));
    let opened = peer.initialize().await?;
    assert_eq!(
        opened["result"],
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "logging": {}, "tools": { "listChanged": true } },
            "serverInfo": { "name": "sample", "version": "1.2.3" },
            "instructions": "Ask it.",
        })
    );
    let listed = peer.request("tools/list", json!({})).await?;
    let names: Vec<_> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(
        names,
        ["bmi", "bmi_in_words", "primes", "liar", "silent", "fails", "panics", "plain", "echo"]
    );
    assert_eq!(listed["result"].as_object().unwrap().len(), 1, "no cache hints for an old client");
    let arguments = json!({ "height_cm": 200, "weight_kg": 80 });
    let called = peer.request("tools/call", json!({ "name": "bmi", "arguments": arguments })).await?;
    assert_eq!(
        called["result"],
        json!({ "content": [{ "type": "text", "text": "{\"bmi\":20.0}" }], "structuredContent": { "bmi": 20.0 } })
    );
    Ok(())
}

#[tokio::test]
async fn a_modern_client_lists_and_calls_without_a_session() -> Result<(), PeerError> {
    let mut peer = connect(&server(tools()));
    let identity = json!({ "io.modelcontextprotocol/serverInfo": { "name": "sample", "version": "1.2.3" } });
    let found = peer.modern("server/discover", json!({})).await?;
    assert_eq!(found["result"]["supportedVersions"], json!(PROTOCOL_VERSIONS));
    assert_eq!(found["result"]["_meta"], identity);
    let listed = peer.modern("tools/list", json!({})).await?;
    assert_eq!(listed["result"]["resultType"], "complete");
    assert_eq!(listed["result"]["ttlMs"], 60_000);
    assert_eq!(listed["result"]["cacheScope"], "public");
    assert_eq!(listed["result"]["_meta"], identity);
    let called = peer.modern("tools/call", json!({ "name": "primes" })).await?;
    assert_eq!(
        called["result"],
        json!({
            "resultType": "complete",
            "content": [{ "type": "text", "text": "[2,3,5]" }],
            "structuredContent": [2, 3, 5],
            "_meta": identity,
        })
    );
    Ok(())
}

/// The tool and a result of `primes`, as a client of this version sees them.
async fn primes_as(version: &str) -> Result<(Value, Value), PeerError> {
    let mut peer = connect(&server(tools()));
    let opened = peer.initialize_as(version, json!({})).await?;
    assert_eq!(opened["result"]["protocolVersion"], version);
    let listed = peer.request("tools/list", json!({})).await?;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let tool = tools.iter().find(|tool| tool["name"] == "primes").unwrap().clone();
    let mut called = peer.request("tools/call", json!({ "name": "primes" })).await?;
    Ok((tool, called["result"].take()))
}

#[tokio::test]
async fn each_version_gets_what_it_can_carry() -> Result<(), PeerError> {
    let text = json!([{ "type": "text", "text": "[2,3,5]" }]);
    for version in ["2024-11-05", "2025-03-26"] {
        let (tool, result) = primes_as(version).await?;
        assert_eq!(
            tool,
            json!({ "name": "primes", "inputSchema": { "type": "object", "additionalProperties": false } })
        );
        assert_eq!(result, json!({ "content": text }));
    }
    for version in ["2025-06-18", "2025-11-25"] {
        let (tool, result) = primes_as(version).await?;
        let array = json!({
            "type": "array",
            "items": { "$ref": "#/properties/result/$defs/n" },
            "$defs": { "n": { "type": "integer" } },
        });
        let projected = json!({ "mortise/projected": true });
        let schema = json!({ "type": "object", "properties": { "result": array }, "required": ["result"] });
        assert_eq!(tool["outputSchema"], schema);
        assert_eq!(tool["_meta"], projected);
        assert_eq!(
            result,
            json!({ "content": text, "structuredContent": { "result": [2, 3, 5] }, "_meta": projected })
        );
    }
    Ok(())
}

#[tokio::test]
async fn a_version_from_the_future_is_answered_with_the_newest_that_has_sessions() -> Result<(), PeerError> {
    let mut peer = connect(&server(tools()));
    let opened = peer.initialize_as("2099-01-01", json!({})).await?;
    assert_eq!(opened["result"]["protocolVersion"], "2025-11-25");
    Ok(())
}

#[tokio::test]
async fn an_unknown_modern_version_is_refused_with_the_known_ones() -> Result<(), PeerError> {
    let mut peer = connect(&server(tools()));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = peer.request("tools/list", json!({ "_meta": meta })).await?;
    assert_eq!(answer["error"]["code"], -32022);
    assert_eq!(answer["error"]["data"], json!({ "supported": PROTOCOL_VERSIONS, "requested": "2099-01-01" }));
    Ok(())
}

#[tokio::test]
async fn a_client_may_look_first_and_then_open_a_session() -> Result<(), PeerError> {
    let mut peer = connect(&server(tools()));
    peer.modern("server/discover", json!({})).await?;
    peer.initialize().await?;
    assert!(peer.request("tools/list", json!({})).await?["result"]["tools"].is_array());
    Ok(())
}

#[tokio::test]
async fn both_eras_work_on_one_line() -> Result<(), PeerError> {
    let mut peer = connect(&server(tools()));
    peer.initialize().await?;
    let modern = peer.modern("tools/call", json!({ "name": "primes" })).await?;
    let legacy = peer.request("tools/call", json!({ "name": "primes" })).await?;
    assert_eq!(modern["result"]["structuredContent"], json!([2, 3, 5]));
    assert_eq!(legacy["result"]["structuredContent"], json!({ "result": [2, 3, 5] }));
    Ok(())
}

async fn all_pages(peer: &mut RawPeer) -> Result<(Vec<String>, usize), PeerError> {
    let (mut names, mut cursor, mut pages) = (Vec::new(), Value::Null, 0);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
        let mut page = peer.request("tools/list", params).await?;
        let tools = page["result"]["tools"].as_array().unwrap();
        names.extend(tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
        pages += 1;
        cursor = page["result"]["nextCursor"].take();
        if cursor.is_null() {
            return Ok((names, pages));
        }
    }
}

#[tokio::test]
async fn long_lists_come_in_pages_of_two_hundred() -> Result<(), PeerError> {
    // In the order of registration, which is not that of the names.
    let expected: Vec<String> = (0..401).rev().map(|index| format!("tool-{index:03}")).collect();
    let tools = Tools::new(expected.iter().map(|name| noop(name))).unwrap();
    let mut peer = connect(&server(tools));
    peer.initialize().await?;
    assert_eq!(all_pages(&mut peer).await?, (expected, 3));
    let bad = peer.request("tools/list", json!({ "cursor": "made up" })).await?;
    assert_eq!(bad["error"]["code"], -32602);
    Ok(())
}

#[tokio::test]
async fn a_schema_keeps_its_order_and_its_digits() -> Result<(), PeerError> {
    let declared = r#"{"name":"odd","x-vendor":{"z":1,"a":2},"inputSchema":{"type":"object","properties":{"z":{"maximum":1.10},"a":{"multipleOf":123456789012345678901234567890}}},"annotations":{"custom":[true]}}"#;
    let contract =
        mortise_contract::Contract::parse(mortise_contract::RawJson::parse(declared).unwrap()).unwrap();
    let set = Forwarded(std::sync::Arc::new(mortise_server::ToolList::forwarded([contract])));
    let server = Server::new("proxy", "1").tools(set).build().unwrap();
    let mut peer = connect(&server);
    peer.initialize().await?;
    let id = peer.start("tools/list", json!({})).await?;
    let frame = peer.next_frame().await?;
    assert_eq!(frame.text(), format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{declared}]}}}}"#));
    Ok(())
}

/// Tools of another server; calling them answers with nothing.
struct Forwarded(std::sync::Arc<mortise_server::ToolList>);

impl mortise_server::ToolSet for Forwarded {
    fn tools(&self) -> std::sync::Arc<mortise_server::ToolList> {
        std::sync::Arc::clone(&self.0)
    }

    async fn call(
        &self,
        _: mortise_contract::ToolCall,
        _: mortise_server::CallContext,
    ) -> mortise_server::Reply {
        mortise_server::Answer::default().into()
    }
}

#[test]
fn a_server_needs_a_name_a_version_and_short_instructions() {
    assert_eq!(Server::new("", "1").build().unwrap_err(), BuildError::Empty { part: "name" });
    assert_eq!(Server::new("a", "").build().unwrap_err(), BuildError::Empty { part: "version" });
    Server::new("a", "1").instructions(&"é".repeat(2_000)).build().unwrap();
    let error = Server::new("a", "1").instructions(&"é".repeat(2_001)).build().unwrap_err();
    assert_eq!(error, BuildError::InstructionsTooLong { length: 2_001, limit: 2_000 });
}

/// Tools that are listed when somebody says so.
struct Late(tokio::sync::watch::Receiver<bool>, Tools);

impl mortise_server::ToolSet for Late {
    fn tools(&self) -> std::sync::Arc<mortise_server::ToolList> {
        self.1.tools()
    }

    async fn ready_to_list(&self) {
        self.0.clone().wait_for(|is_known| *is_known).await.unwrap();
    }

    async fn call(
        &self,
        call: mortise_contract::ToolCall,
        context: mortise_server::CallContext,
    ) -> mortise_server::Reply {
        mortise_server::ToolSet::call(&self.1, call, context).await
    }
}

#[tokio::test]
async fn a_list_waits_for_its_tools_and_holds_up_nothing_else() -> Result<(), PeerError> {
    let known = tokio::sync::watch::Sender::new(false);
    let tools = Late(known.subscribe(), Tools::new([noop("late")]).unwrap());
    let server = Server::new("late", "1").tools(std::sync::Arc::new(tools)).build().unwrap();
    let mut peer = connect(&server);
    peer.initialize().await?;
    let listing = peer.start("tools/list", json!({})).await?;
    let called = peer.request("tools/call", json!({ "name": "late", "arguments": {} })).await?;
    assert_eq!(called["result"]["isError"], Value::Null, "{called}");
    known.send_replace(true);
    assert_eq!(peer.response(listing).await?["result"]["tools"][0]["name"], "late");
    Ok(())
}
