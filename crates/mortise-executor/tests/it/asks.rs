//! What passes between upstream servers and the client while a program runs: questions, progress, cancellation.

use mortise_upstream::server_config::EraChoice;
use serde_json::{Value, json};

use crate::bench::{Bench, Client, PATIENCE, Setup};
use crate::servers::{mock, scripted, tool, watched_mock};

/// Waits until `condition` holds.
pub(crate) async fn until(condition: impl Fn() -> bool) {
    let held = async {
        while !condition() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, held).await.expect("the condition holds in time");
}

/// Starts a program and answers one question of its server.
async fn asked(
    bench: &Bench,
    capabilities: Value,
    code: &str,
    method: &str,
    answer: Value,
) -> (Value, String) {
    let mut client = bench.client_with(capabilities).await;
    let id = client.start("execute_program", json!({ "code": code })).await;
    let question = client.peer.called(method).await.unwrap();
    client.peer.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer })).await.unwrap();
    let outcome = client.outcome("execute_program", id).await;
    assert!(!outcome.is_error, "{}", outcome.text);
    (question["params"].clone(), outcome.structured["output"].as_str().unwrap().to_owned())
}

const ECHO: &str = "print((await mcp__m__echo(text='x'))['text'])";

#[tokio::test]
async fn a_servers_question_to_the_user_reaches_the_client_of_the_program() {
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let mut config = mock("m", "ask-elicitation");
        config.era = era;
        let bench = Setup::of([config]).start().await;
        let answer = json!({ "action": "accept", "content": { "word": "tenon" } });
        let (question, printed) =
            asked(&bench, json!({ "elicitation": {} }), ECHO, "elicitation/create", answer).await;
        assert_eq!(question["message"], "Which word?", "{era:?}");
        assert_eq!(question["requestedSchema"]["required"], json!(["word"]));
        assert!(printed.contains("tenon"), "{era:?}: {printed}");
    }
}

#[tokio::test]
async fn a_servers_question_to_the_model_reaches_the_client_of_the_program() {
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let mut config = mock("m", "ask-sampling");
        config.era = era;
        let bench = Setup::of([config]).start().await;
        let answer =
            json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "dovetail" } });
        let (question, printed) =
            asked(&bench, json!({ "sampling": {} }), ECHO, "sampling/createMessage", answer).await;
        assert_eq!(question["maxTokens"], 10, "{era:?}");
        assert!(printed.contains("dovetail"), "{era:?}: {printed}");
    }
}

#[tokio::test]
async fn a_client_that_can_not_be_asked_is_not_and_the_server_is_told() {
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let mut config = mock("m", "ask-elicitation");
        config.era = era;
        let bench = Setup::of([config]).start().await;
        let code = format!("try:\n    {ECHO}\nexcept ToolError as e:\n    print(e)");
        let printed = bench.prints(&code).await;
        assert!(printed.contains("elicitation/create"), "{era:?}: {printed}");
    }
}

#[tokio::test]
async fn a_question_is_not_passed_on_when_it_may_be_anyones() {
    let mut config = mock("m", "ask-elicitation");
    config.era = EraChoice::Legacy;
    let bench = Setup::of([config]).start().await;
    let capabilities = json!({ "elicitation": {} });
    let mut first = bench.client_with(capabilities.clone()).await;
    let held = first.start("execute_program", json!({ "code": ECHO })).await;
    let question = first.peer.called("elicitation/create").await.unwrap();
    let mut second = bench.client_with(capabilities).await;
    let refused = second.call("execute_program", json!({ "code": ECHO })).await;
    let output = refused.structured["output"].as_str().unwrap();
    assert!(output.contains("several programs are using this server"), "{output}");
    let answer = json!({ "action": "decline" });
    first.peer.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer })).await.unwrap();
    let outcome = first.outcome("execute_program", held).await;
    assert!(outcome.structured["output"].as_str().unwrap().contains("decline"), "{}", outcome.text);
}

#[tokio::test]
async fn progress_says_what_is_done_and_what_runs() {
    let bench = Setup::of([mock("m", "slow=20")]).start().await;
    let mut client = bench.client().await;
    let code = "for n in range(5):\n    await mcp__m__echo(text='x')";
    let params = json!({ "name": "execute_program", "arguments": { "code": code }, "_meta": { "progressToken": "p" } });
    let id = client.peer.start("tools/call", params).await.unwrap();
    client.peer.response(id).await.unwrap();
    let reports: Vec<Value> = client
        .peer
        .kept()
        .filter_map(|frame| frame.json.clone())
        .filter(|frame| frame["method"] == "notifications/progress")
        .map(|frame| frame["params"].clone())
        .collect();
    assert!(!reports.is_empty());
    let values: Vec<f64> = reports.iter().map(|report| report["progress"].as_f64().unwrap()).collect();
    assert!(values.is_sorted_by(|a, b| a < b), "progress grows: {values:?}");
    assert!(reports.iter().all(|report| report["progressToken"] == "p"));
    let messages: Vec<&str> = reports.iter().filter_map(|report| report["message"].as_str()).collect();
    assert!(messages.iter().any(|message| message.contains("running mcp__m__echo")), "{messages:?}");
}

#[tokio::test]
async fn nobody_is_told_about_progress_who_did_not_ask() {
    let bench = Setup::of([mock("m", "ok")]).start().await;
    let mut client = bench.client().await;
    client.call("execute_program", json!({ "code": "await mcp__m__echo(text='x')" })).await;
    assert!(client.peer.kept().all(|frame| frame.method() != Some("notifications/progress")));
}

/// Starts a program whose call hangs, and waits until its server has got the call.
async fn hanging(bench: &Bench, mock: &mortise_samples::mock::Mock) -> (Client, i64) {
    let mut client = bench.client().await;
    let code = "print('before')\nawait mcp__m__echo(text='x')";
    let id = client.start("execute_program", json!({ "code": code })).await;
    until(|| mock.received().iter().any(|message| message["method"] == "tools/call")).await;
    (client, id)
}

fn was_cancelled(mock: &mortise_samples::mock::Mock) -> bool {
    mock.received().iter().any(|message| message["method"] == "notifications/cancelled")
}

#[tokio::test]
async fn cancelling_a_program_reaches_the_server_it_waits_for() {
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let (mut config, mock) = watched_mock("m", "hang");
        config.era = era;
        let bench = Setup::of([config]).start().await;
        let (mut client, id) = hanging(&bench, &mock).await;
        client.peer.notify("notifications/cancelled", json!({ "requestId": id })).await.unwrap();
        until(|| was_cancelled(&mock)).await;
        assert_eq!(
            client.call("execute_program", json!({ "code": "print(1)" })).await.structured["output"],
            "1\n"
        );
        let answered = client.peer.kept().any(|frame| frame.answers(&json!(id)));
        assert!(!answered, "a cancelled request is not answered ({era:?})");
    }
}

#[tokio::test]
async fn a_client_that_goes_away_ends_its_program_and_its_calls() {
    let (config, mock) = watched_mock("m", "hang");
    let bench = Setup::of([config]).start().await;
    let (client, _) = hanging(&bench, &mock).await;
    let left = std::time::Instant::now();
    drop(client);
    until(|| was_cancelled(&mock)).await;
    // Others may have some seconds to finish; a program that nobody reads has none.
    assert!(left.elapsed() < std::time::Duration::from_secs(4), "{:?}", left.elapsed());
}

#[tokio::test]
async fn a_client_that_goes_away_stops_a_computing_program() {
    let bench = Setup::of([mock("m", "ok")]).start().await;
    let mut client = bench.client().await;
    let code = "await mcp__m__echo(text='x')\nwhile True:\n    pass";
    let params = json!({ "name": "execute_program", "arguments": { "code": code }, "_meta": { "progressToken": "p" } });
    client.peer.start("tools/call", params).await.unwrap();
    client.peer.called("notifications/progress").await.unwrap();
    client.peer.close().await.unwrap();
    // The rest of the stream: the connection ends once nothing runs for it any more.
    let left = std::time::Instant::now();
    client.peer.rest().await.unwrap();
    assert!(left.elapsed() < std::time::Duration::from_secs(4), "{:?}", left.elapsed());
}

#[tokio::test]
async fn a_call_of_an_exposed_tool_ends_with_its_client() {
    let (config, mock) = watched_mock("m", "hang");
    let bench = Setup::of([config]).expose(&["mcp__m__*"]).start().await;
    let mut client = bench.client().await;
    client.start("m__echo", json!({ "text": "x" })).await;
    until(|| mock.received().iter().any(|message| message["method"] == "tools/call")).await;
    let left = std::time::Instant::now();
    drop(client);
    until(|| was_cancelled(&mock)).await;
    assert!(left.elapsed() < std::time::Duration::from_secs(4), "{:?}", left.elapsed());
}

#[tokio::test]
async fn the_end_of_a_program_ends_its_calls() {
    let (config, mock) = watched_mock("m", "hang");
    let bench = Setup::of([config]).start().await;
    let code = "import asyncio\ntask = asyncio.create_task(mcp__m__echo(text='x'))\nawait asyncio.sleep(0.2)\nprint('end')";
    let ran = bench.run(code).await;
    assert_eq!(ran.structured["output"], "end\n");
    assert_eq!(ran.only_call()["error"], "abandoned: the program ended or stopped waiting first");
    until(|| was_cancelled(&mock)).await;
}

#[tokio::test]
async fn the_trace_of_a_request_goes_along_with_its_calls() {
    let (config, received) = scripted("s", vec![tool("t")], |request| {
        vec![mortise_testkit::answer(request, json!({ "content": [] }))]
    });
    let bench = Setup::of([config]).start().await;
    let mut client = bench.client().await;
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let params = json!({
        "name": "execute_program", "arguments": { "code": "await mcp__s__t()" },
        "_meta": { "traceparent": trace, "private": "stays here" },
    });
    let id = client.peer.start("tools/call", params).await.unwrap();
    client.peer.response(id).await.unwrap();
    let received = received.lock().unwrap();
    let call = received.iter().find(|request| request["method"] == "tools/call").unwrap();
    assert_eq!(call["params"]["_meta"]["traceparent"], trace);
    assert_eq!(call["params"]["_meta"].get("private"), None);
}
