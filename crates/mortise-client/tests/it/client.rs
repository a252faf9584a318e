//! One server, typed calls.

use std::error::Error;

use mortise_client::{CallError, Client, ClientError, ConnectError};
use mortise_contract::Mode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::process::{Lives, until_gone};
use crate::support::{PATIENCE, example};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Reading {
    station: String,
    /// More digits than a double has.
    count: u64,
}

async fn connected() -> Client {
    Client::stdio(example("raw_server")).arg("plain").start_timeout(PATIENCE).connect().await.unwrap()
}

#[tokio::test]
async fn a_typed_call_gives_the_value() {
    let client = connected().await;
    let reading = Reading { station: "Säntis".to_owned(), count: 12_345_678_901_234_567_890 };
    assert_eq!(client.call::<Reading>("echo", &reading).await.unwrap(), reading);
    // Without the wrapper that the tool declares.
    assert_eq!(client.call::<f64>("number", json!({ "number": 22.5 })).await.unwrap(), 22.5);
    // A text, and JSON in a text.
    assert_eq!(client.call::<String>("says", json!({ "text": "1.10" })).await.unwrap(), "1.10");
    assert_eq!(client.call::<[u8; 2]>("says", json!({ "text": "[1, 2]" })).await.unwrap(), [1, 2]);
    client.close().await;
}

#[tokio::test]
async fn a_raw_call_gives_the_bytes_and_the_verdict() {
    let client = connected().await;
    let outcome = client.call_raw("number", json!({ "number": 1 })).await.unwrap();
    assert_eq!(outcome.result.structured.unwrap().text(), r#"{"result":1}"#);
    assert!(outcome.verdict.errors.is_empty());
    let names: Vec<_> = client.tools().contracts.iter().map(|tool| tool.name.to_string()).collect();
    assert_eq!(names.first().map(String::as_str), Some("echo"));
    client.close().await;
}

#[tokio::test]
async fn what_goes_wrong_is_told_apart() {
    let client = connected().await;
    let failed = client.call::<Value>("fails", json!({})).await.unwrap_err();
    assert_eq!(failed.to_string(), "`fails` failed: the moon is in the way");
    let broken = client.call::<f64>("number", json!({ "number": "many" })).await.unwrap_err();
    assert!(matches!(broken, ClientError::Call(CallError::Violation { .. })), "{broken:?}");
    let other = client.call::<bool>("number", json!({ "number": 1 })).await.unwrap_err();
    assert_eq!(other.to_string(), "the result of `number` is not the value that was asked for");
    assert!(other.source().is_some());
    let keys = std::collections::BTreeMap::from([((1, 2), 3)]);
    let unwritable = client.call::<Value>("echo", keys).await.unwrap_err();
    assert_eq!(unwritable.to_string(), "the arguments of `echo` can't be written as JSON");
    let nameless = client.call::<Value>("", json!({})).await.unwrap_err();
    assert_eq!(nameless.to_string(), "`` is not a tool name");
    client.close().await;
}

#[tokio::test]
async fn a_mode_and_variables_can_be_set() {
    let client = Client::stdio(example("raw_server"))
        .env("STATION", "Säntis")
        .mode(Mode::Warn)
        .start_timeout(PATIENCE)
        .connect()
        .await
        .unwrap();
    assert_eq!(client.call::<String>("number", json!({ "number": "many" })).await.unwrap(), "many");
    let environment: Value = client.call("environment", json!({})).await.unwrap();
    let variables = environment["variables"].as_array().unwrap();
    assert!(variables.contains(&json!("STATION=Säntis")), "{variables:?}");
    assert!(variables.iter().any(|variable| variable.as_str().unwrap().starts_with("PATH=")));
    client.close().await;
}

#[tokio::test]
async fn a_server_that_can_not_be_started_is_an_error() {
    let error = Client::stdio("/nowhere/server").connect().await.unwrap_err();
    assert!(matches!(error, ConnectError::Spawn { .. }), "{error:?}");
}

#[tokio::test]
async fn dropping_a_client_ends_its_server() {
    let lives = Lives::new();
    let client = Client::stdio(example("raw_server"))
        .args(["family".to_owned(), lives.path.to_string_lossy().into_owned()])
        .start_timeout(PATIENCE)
        .connect()
        .await
        .unwrap();
    let (_, server) = lives.next().await;
    let (_, grandchild) = lives.next().await;
    drop(client);
    until_gone(server).await;
    until_gone(grandchild).await;
}
