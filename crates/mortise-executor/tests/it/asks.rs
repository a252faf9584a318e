//! What passes between upstream servers and the client while a program runs: questions, progress, cancellation.

use std::sync::Mutex;
use std::time::Duration;

use mortise_client::server_config::{EraChoice, ServerConfig};
use mortise_server::limits::QUESTIONS_PER_CALL;
use mortise_testkit::{ScriptedReply, answer};
use serde_json::{Value, json};

use crate::bench::{Bench, Client, PATIENCE, Setup};
use crate::servers::{Received, called, mock, scripted, tool, watched_mock};

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
    (question["params"].clone(), outcome.facts["output"].as_str().unwrap().to_owned())
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

/// A server over a pipe. `quick` answers at once, `early` waits, and a call of `late` makes the server log and ask
/// with what `meta` makes of the first call that waits. What it is answered is the result of all that wait.
fn gossip(meta: impl Fn(&Value) -> Value + Send + Sync + 'static) -> (ServerConfig, Received) {
    let waiting: Mutex<Vec<Value>> = Mutex::default();
    scripted("s", vec![tool("quick"), tool("early"), tool("late")], move |request| {
        let mut waiting = waiting.lock().unwrap();
        match request["params"]["name"].as_str() {
            Some("quick") => return vec![answer(request, json!({ "content": [] }))],
            Some("early") => waiting.push(request.clone()),
            Some(_) => {
                waiting.push(request.clone());
                let meta = meta(&waiting[0]);
                let log = json!({ "level": "error", "data": "of the first client", "_meta": meta });
                let ask = json!({ "message": "to the first client", "requestedSchema": {}, "_meta": meta });
                let frame = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "method": method, "params": params });
                let log = frame("notifications/message", log);
                let mut ask = frame("elicitation/create", ask);
                ask["id"] = json!("q");
                return vec![ScriptedReply::Frame(log), ScriptedReply::Frame(ask)];
            }
            None => {
                let error = request["error"]["message"].as_str();
                let said = error.or(request["result"]["action"].as_str()).unwrap_or_default();
                let result = json!({ "content": [{ "type": "text", "text": said }] });
                return waiting.drain(..).map(|call| answer(&call, result.clone())).collect();
            }
        }
        Vec::new()
    })
}

/// Whether a client was asked or got a log message.
fn was_addressed(client: &Client) -> bool {
    let addressed = ["elicitation/create", "notifications/message"];
    client.peer.kept().any(|frame| frame.method().is_some_and(|method| addressed.contains(&method)))
}

async fn two_clients(bench: &Bench) -> (Client, Client) {
    let capabilities = json!({ "elicitation": {} });
    (bench.client_with(capabilities.clone()).await, bench.client_with(capabilities).await)
}

#[tokio::test]
async fn what_names_no_call_reaches_no_client_once_several_have_called() {
    let bench = Setup::of([gossip(|_| json!({})).0]).start().await;
    let (mut first, mut second) = two_clients(&bench).await;
    // From here on only the second client has a call under way.
    first.call("execute_program", json!({ "code": "await mcp__s__quick()" })).await;
    let answered = second.call("execute_program", json!({ "code": "print(await mcp__s__late())" })).await;
    let output = answered.facts["output"].as_str().unwrap();
    assert!(output.contains("several clients call this server and the message names no call"), "{output}");
    first.peer.request("ping", json!({})).await.unwrap();
    assert!(!was_addressed(&first) && !was_addressed(&second));
}

#[tokio::test]
async fn what_names_its_call_reaches_the_client_of_that_call() {
    let token = |call: &Value| json!({ "progressToken": call["params"]["_meta"]["progressToken"] });
    let (config, received) = gossip(token);
    let bench = Setup::of([config]).start().await;
    let (mut first, mut second) = two_clients(&bench).await;
    let early = first.start("execute_program", json!({ "code": "print(await mcp__s__early())" })).await;
    until(|| called(&received) == ["early"]).await;
    let late = second.start("execute_program", json!({ "code": "print(await mcp__s__late())" })).await;
    let question = first.peer.called("elicitation/create").await.unwrap();
    assert_eq!(question["params"]["message"], "to the first client");
    let logged = first.peer.called("notifications/message").await.unwrap();
    assert_eq!(logged["params"]["data"], "of the first client");
    let declined = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } });
    first.peer.send(&declined).await.unwrap();
    assert_eq!(first.outcome("execute_program", early).await.facts["output"], "decline\n");
    assert_eq!(second.outcome("execute_program", late).await.facts["output"], "decline\n");
    assert!(!was_addressed(&second));
}

/// Leaves the question of a call open until a limit of `setup` ends the call; the result holds `wanted`.
async fn leaves_open(era: EraChoice, setup: impl FnOnce(Setup) -> Setup, wanted: &str) {
    let program = format!("try:\n    {ECHO}\nexcept ToolError as e:\n    print('late:', e)");
    let mut config = mock("m", "ask-elicitation");
    config.era = era;
    let bench = setup(Setup::of([config])).start().await;
    let mut client = bench.client_with(json!({ "elicitation": {} })).await;
    let id = client.start("execute_program", json!({ "code": program })).await;
    let question = client.peer.called("elicitation/create").await.unwrap();
    let ended = client.peer.response(id).await.unwrap();
    assert!(ended.to_string().contains(wanted), "{era:?}: {ended}");
    let void = client.peer.called("notifications/cancelled").await.unwrap();
    assert_eq!(void["params"]["requestId"], question["id"], "{era:?} {wanted}");
}

#[tokio::test]
async fn an_open_question_holds_up_no_limit_and_is_withdrawn() {
    // Long enough for the question to be put on a busy machine.
    const LIMIT: Duration = Duration::from_secs(5);
    let program = |setup: Setup| setup.limits(|limits| limits.wall = LIMIT);
    let call = |setup: Setup| setup.limits(|limits| limits.call = LIMIT);
    tokio::join!(
        leaves_open(EraChoice::Legacy, program, "Execution exceeded 5s limit"),
        leaves_open(EraChoice::Modern, program, "Execution exceeded 5s limit"),
        leaves_open(EraChoice::Legacy, call, "late: 'mcp__m__echo' timed out"),
        leaves_open(EraChoice::Modern, call, "late: 'mcp__m__echo' timed out"),
    );
}

#[tokio::test]
async fn a_server_that_asks_without_end_is_refused_after_ten_questions() {
    let mut config = mock("m", "ask-endlessly");
    config.era = EraChoice::Legacy;
    let bench = Setup::of([config]).start().await;
    let mut client = bench.client_with(json!({ "elicitation": {} })).await;
    let id = client.start("execute_program", json!({ "code": ECHO })).await;
    for _ in 0..QUESTIONS_PER_CALL {
        let question = client.peer.called("elicitation/create").await.unwrap();
        let answer = json!({ "action": "accept", "content": { "word": "again" } });
        client.peer.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer })).await.unwrap();
    }
    let outcome = client.outcome("execute_program", id).await;
    let output = outcome.facts["output"].as_str().unwrap();
    assert!(output.contains("the call has asked its client 10 questions already"), "{output}");
    assert!(!was_addressed(&client));
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
            client.call("execute_program", json!({ "code": "print(1)" })).await.facts["output"],
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
    assert!(left.elapsed() < Duration::from_secs(4), "{:?}", left.elapsed());
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
    assert!(left.elapsed() < Duration::from_secs(4), "{:?}", left.elapsed());
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
    assert!(left.elapsed() < Duration::from_secs(4), "{:?}", left.elapsed());
}

#[tokio::test]
async fn the_end_of_a_program_ends_its_calls() {
    let (config, mock) = watched_mock("m", "hang");
    let bench = Setup::of([config]).start().await;
    let code = "import asyncio\ntask = asyncio.create_task(mcp__m__echo(text='x'))\nawait asyncio.sleep(0.2)\nprint('end')";
    let ran = bench.run(code).await;
    assert_eq!(ran.facts["output"], "end\n");
    assert_eq!(ran.only_call()["error"], "abandoned: the program ended or stopped waiting first");
    until(|| was_cancelled(&mock)).await;
}

#[tokio::test]
async fn the_trace_of_a_request_goes_along_with_its_calls() {
    let (config, received) =
        scripted("s", vec![tool("t")], |request| vec![answer(request, json!({ "content": [] }))]);
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
