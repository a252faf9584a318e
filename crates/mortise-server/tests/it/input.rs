//! Questions back to the client, in both eras.

use mortise_server::limits::QUESTIONS_PER_CALL;
use mortise_server::{Answer, Elicited, InputRequest, InputRequired, Reply, Tool, Tools};
use mortise_testkit::{PeerError, RawPeer, with_meta};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::sample::{connect, server};

fn form() -> Value {
    json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] })
}

fn asking() -> Tools {
    Tools::new([
        // In the middle of the call.
        Tool::raw("greets").handler(|_, context| async move {
            let Elicited::Accepted(content) = context.elicit("Your name?", form()).await? else {
                return Ok(Answer::text("never mind"));
            };
            context.progress(1.0, None, None);
            Ok(Answer::text(format!("Hello, {}!", content["name"].as_str().unwrap_or_default())))
        }),
        // Two questions at once.
        Tool::raw("pairs").handler(|_, context| async move {
            let (one, two) = tokio::join!(
                context.ask(InputRequest::sample(json!({ "messages": [], "maxTokens": 1 }))),
                context.ask(InputRequest::list_roots()),
            );
            Ok(Answer::text(format!("{} {}", one?["model"], two?["roots"])))
        }),
        // By a reply and a second call.
        Tool::raw("confirms").input_schema(json!({ "type": "object" })).handler(|_, context| async move {
            if context.state() == Some(&json!({ "asked": 1 })) && context.answer("sure").is_some() {
                return Ok(Reply::from(Answer::text(format!(
                    "{}",
                    context.answer("sure").unwrap()["action"]
                ))));
            }
            let question = InputRequest::form("Sure?", json!({ "type": "object", "properties": {} }));
            Ok(InputRequired::new().ask("sure", question).state(json!({ "asked": 1 })).into())
        }),
    ])
    .unwrap()
}

const ABLE: &str = r#"{"elicitation":{},"sampling":{},"roots":{}}"#;

fn able() -> Value {
    serde_json::from_str(ABLE).unwrap()
}

async fn legacy() -> Result<RawPeer, PeerError> {
    let mut peer = connect(&server(asking()));
    peer.initialize_as("2025-11-25", able()).await?;
    Ok(peer)
}

/// Waits for a question of the server and answers it.
async fn answer(peer: &mut RawPeer, method: &str, result: Value) -> Result<Value, PeerError> {
    let mut question = peer.called(method).await?;
    peer.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result })).await?;
    Ok(question["params"].take())
}

#[tokio::test]
async fn a_legacy_client_is_asked_by_request() -> Result<(), PeerError> {
    let mut peer = legacy().await?;
    let id = peer.start("tools/call", json!({ "name": "greets" })).await?;
    let accepted = json!({ "action": "accept", "content": { "name": "Ada" } });
    let question = answer(&mut peer, "elicitation/create", accepted).await?;
    assert_eq!((&question["message"], &question["requestedSchema"]), (&json!("Your name?"), &form()));
    assert_eq!(peer.response(id).await?["result"]["content"][0]["text"], "Hello, Ada!");

    let id = peer.start("tools/call", json!({ "name": "greets" })).await?;
    answer(&mut peer, "elicitation/create", json!({ "action": "decline" })).await?;
    assert_eq!(peer.response(id).await?["result"]["content"][0]["text"], "never mind");
    Ok(())
}

#[tokio::test]
async fn an_answer_that_is_none_is_an_error_of_the_call() -> Result<(), PeerError> {
    let mut peer = legacy().await?;
    for (result, words) in [
        (json!({ "action": "accept", "content": { "name": 7 } }), "/name"),
        (json!({ "action": "accept", "content": {} }), "usable: at the root: missing required property `name`"),
        (json!({ "action": "shrug" }), "no `action`"),
    ] {
        let id = peer.start("tools/call", json!({ "name": "greets" })).await?;
        answer(&mut peer, "elicitation/create", result).await?;
        let response = peer.response(id).await?;
        assert_eq!(response["result"]["isError"], true);
        let text = response["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("the client's answer is not usable: ") && text.contains(words), "{text}");
    }
    let id = peer.start("tools/call", json!({ "name": "greets" })).await?;
    let question = peer.called("elicitation/create").await?;
    let error = json!({ "code": -1, "message": "no screen" });
    peer.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "error": error })).await?;
    let text = &peer.response(id).await?["result"]["content"][0]["text"];
    assert_eq!(*text, "the client answered `elicitation/create` with an error: no screen (-1)");
    Ok(())
}

#[tokio::test]
async fn a_client_that_can_not_answer_is_not_asked() -> Result<(), PeerError> {
    let mut peer = connect(&server(asking()));
    peer.initialize().await?;
    let response = peer.request("tools/call", json!({ "name": "greets" })).await?;
    assert_eq!(response["result"]["isError"], true);
    assert_eq!(response["result"]["content"][0]["text"], "the client does not support `elicitation/create`");
    let response = peer.request("tools/call", json!({ "name": "confirms" })).await?;
    assert_eq!(response["error"]["code"], -32021);
    let modern = peer.modern("tools/call", json!({ "name": "confirms" })).await?;
    assert_eq!(modern["error"]["data"], json!({ "requiredCapabilities": { "elicitation": { "form": {} } } }));
    Ok(())
}

#[tokio::test]
async fn a_reply_that_asks_is_bridged_for_a_legacy_client() -> Result<(), PeerError> {
    let mut peer = legacy().await?;
    let id = peer.start("tools/call", json!({ "name": "confirms" })).await?;
    answer(&mut peer, "elicitation/create", json!({ "action": "accept", "content": {} })).await?;
    assert_eq!(peer.response(id).await?["result"]["content"][0]["text"], "\"accept\"");
    Ok(())
}

async fn modern_call(peer: &mut RawPeer, mut params: Value) -> Result<Value, PeerError> {
    params["_meta"] = json!({ "io.modelcontextprotocol/clientCapabilities": able() });
    peer.request("tools/call", with_meta(params)).await
}

#[tokio::test]
async fn a_modern_client_is_asked_by_the_result_while_the_call_waits() -> Result<(), PeerError> {
    let mut peer = connect(&server(asking()));
    let asked = modern_call(&mut peer, json!({ "name": "greets" })).await?;
    let asked = &asked["result"];
    assert_eq!(asked["resultType"], "input_required");
    assert_eq!(
        asked["inputRequests"],
        json!({ "input_0": {
            "method": "elicitation/create",
            "params": { "mode": "form", "message": "Your name?", "requestedSchema": form() },
        } })
    );
    let state = asked["requestState"].clone();
    // Without the answer it asks again, under a new state.
    let again = modern_call(&mut peer, json!({ "name": "greets", "requestState": state })).await?;
    assert_eq!(again["result"]["inputRequests"], asked["inputRequests"]);
    let answers = json!({ "input_0": { "action": "accept", "content": { "name": "Ada" } } });
    let retry = json!({ "name": "greets", "requestState": again["result"]["requestState"], "inputResponses": answers });
    let done = modern_call(&mut peer, retry.clone()).await?;
    assert_eq!(done["result"]["content"][0]["text"], "Hello, Ada!");
    // A state is good once.
    let gone = modern_call(&mut peer, retry).await?;
    assert_eq!(gone["error"]["code"], -32602);
    Ok(())
}

#[tokio::test]
async fn two_questions_go_out_together() -> Result<(), PeerError> {
    let mut peer = connect(&server(asking()));
    let asked = modern_call(&mut peer, json!({ "name": "pairs" })).await?;
    let keys: Vec<_> = asked["result"]["inputRequests"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["input_0", "input_1"]);
    let answers = json!({ "input_0": { "model": "m" }, "input_1": { "roots": [] } });
    let retry = json!({ "name": "pairs", "requestState": asked["result"]["requestState"], "inputResponses": answers });
    let done = modern_call(&mut peer, retry).await?;
    assert_eq!(done["result"]["content"][0]["text"], "\"m\" []");
    Ok(())
}

#[tokio::test]
async fn a_state_is_good_for_its_own_request_only() -> Result<(), PeerError> {
    let server = server(asking());
    let mut peer = connect(&server);
    let arguments = json!({ "a": { "x": 1, "y": 2 } });
    let asked = modern_call(&mut peer, json!({ "name": "confirms", "arguments": arguments })).await?;
    let state = asked["result"]["requestState"].as_str().unwrap().to_owned();
    let answers = json!({ "sure": { "action": "accept" } });
    let retry = |name: &str, arguments: Value, state: &str| json!({ "name": name, "arguments": arguments, "requestState": state, "inputResponses": answers });
    let mut tampered = state.clone();
    let last = tampered.pop().unwrap();
    tampered.push(if last == 'A' { 'B' } else { 'A' });
    for params in [
        retry("confirms", arguments.clone(), &tampered),
        retry("confirms", arguments.clone(), "invented"),
        retry("confirms", json!({ "a": 2 }), &state),
        retry("greets", json!({}), &state),
    ] {
        let refused = modern_call(&mut peer, params.clone()).await?;
        assert_eq!(refused["error"]["code"], -32602, "{params}");
        let message = "`requestState` is not one of ours, or not for this request";
        assert_eq!(refused["error"]["message"], message);
    }
    // Another connection and another order of keys are the same request.
    let mut other = connect(&server);
    let done = modern_call(&mut other, retry("confirms", json!({ "a": { "y": 2, "x": 1 } }), &state)).await?;
    assert_eq!(done["result"]["content"][0]["text"], "\"accept\"");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_too_long_for_its_client_is_stopped() -> Result<(), PeerError> {
    let (say, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let tool = Tool::raw("waits").handler(move |_, context| {
        let say = say.clone();
        async move {
            let answer = context.elicit("Anyone there?", form()).await;
            let _ = say.send(answer.unwrap_err());
            Ok(Answer::text("gave up"))
        }
    });
    let mut peer = connect(&server(Tools::new([tool]).unwrap()));
    let asked = modern_call(&mut peer, json!({ "name": "waits" })).await?;
    tokio::time::advance(mortise_server::limits::CALL_PARKED).await;
    assert_eq!(heard.recv().await, Some(mortise_server::AskError::Gone));
    let late = json!({ "name": "waits", "requestState": asked["result"]["requestState"] });
    assert_eq!(modern_call(&mut peer, late).await?["error"]["code"], -32602);
    Ok(())
}

#[tokio::test]
async fn the_number_of_calls_that_wait_is_bounded() -> Result<(), PeerError> {
    let mut peer = connect(&server(asking()));
    for _ in 0..mortise_server::limits::CALLS_PARKED {
        assert!(modern_call(&mut peer, json!({ "name": "greets" })).await?["result"].is_object());
    }
    let refused = modern_call(&mut peer, json!({ "name": "greets" })).await?;
    assert_eq!(refused["error"]["code"], -32603);
    assert_eq!(refused["error"]["data"]["reason"], "too many calls wait for input: 1000 of at most 1000");
    Ok(())
}

#[tokio::test]
async fn a_handler_that_never_stops_asking_is_stopped() -> Result<(), PeerError> {
    let tool = Tool::raw("nags")
        .handler(|_, _| async { Ok(InputRequired::new().ask("again", InputRequest::list_roots())) });
    let mut peer = connect(&server(Tools::new([tool]).unwrap()));
    peer.initialize_as("2025-11-25", able()).await?;
    let id = peer.start("tools/call", json!({ "name": "nags" })).await?;
    for _ in 0..QUESTIONS_PER_CALL {
        answer(&mut peer, "roots/list", json!({ "roots": [] })).await?;
    }
    let response = peer.response(id).await?;
    assert_eq!(response["error"]["message"], "the call has asked its client 10 questions already, the limit");
    Ok(())
}

/// A tool that asks `questions` times in the middle of its call.
fn asks_often(questions: usize) -> Tools {
    let tool = Tool::raw("asks").handler(move |_, context| async move {
        for _ in 0..questions {
            context.ask(InputRequest::list_roots()).await?;
        }
        Ok(Answer::text("done"))
    });
    Tools::new([tool]).unwrap()
}

#[tokio::test]
async fn a_call_puts_ten_questions_and_no_more() -> Result<(), PeerError> {
    for (questions, text) in [
        (QUESTIONS_PER_CALL, "done"),
        (QUESTIONS_PER_CALL + 1, "the call has asked its client 10 questions already, the limit"),
    ] {
        let mut peer = connect(&server(asks_often(questions)));
        peer.initialize_as("2025-11-25", able()).await?;
        let id = peer.start("tools/call", json!({ "name": "asks" })).await?;
        for _ in 0..QUESTIONS_PER_CALL {
            answer(&mut peer, "roots/list", json!({ "roots": [] })).await?;
        }
        assert_eq!(peer.response(id).await?["result"]["content"][0]["text"], text);
    }
    Ok(())
}

#[tokio::test]
async fn a_modern_call_that_waited_counts_its_questions_too() -> Result<(), PeerError> {
    let mut peer = connect(&server(asks_often(QUESTIONS_PER_CALL + 1)));
    let mut reply = modern_call(&mut peer, json!({ "name": "asks" })).await?;
    for _ in 0..QUESTIONS_PER_CALL {
        let state = reply["result"]["requestState"].take();
        let answers = json!({ "input_0": { "roots": [] } });
        let retry = json!({ "name": "asks", "requestState": state, "inputResponses": answers });
        reply = modern_call(&mut peer, retry).await?;
    }
    let text = &reply["result"]["content"][0]["text"];
    assert_eq!(*text, "the call has asked its client 10 questions already, the limit");
    Ok(())
}

/// A tool that stops waiting for its question when it is told to, or leaves it open in a task of its own.
fn impatient(enough: &CancellationToken) -> Tools {
    let (gives_up, leaves) = (enough.clone(), enough.clone());
    Tools::new([
        Tool::raw("gives_up").handler(move |_, context| {
            let enough = gives_up.clone();
            async move {
                tokio::select! {
                    _ = context.elicit("Your name?", form()) => Ok(Answer::text("answered")),
                    () = enough.cancelled() => Ok(Answer::text("in time")),
                }
            }
        }),
        Tool::raw("leaves").handler(move |_, context| {
            let enough = leaves.clone();
            async move {
                tokio::spawn(async move { context.elicit("Your name?", form()).await });
                enough.cancelled().await;
                Ok(Answer::text("in time"))
            }
        }),
    ])
    .unwrap()
}

#[tokio::test]
async fn a_question_holds_up_no_call_and_ends_with_it() -> Result<(), PeerError> {
    for tool in ["gives_up", "leaves"] {
        let enough = CancellationToken::new();
        let mut peer = connect(&server(impatient(&enough)));
        peer.initialize_as("2025-11-25", able()).await?;
        let id = peer.start("tools/call", json!({ "name": tool })).await?;
        let question = peer.called("elicitation/create").await?;
        enough.cancel();
        assert_eq!(peer.response(id).await?["result"]["content"][0]["text"], "in time", "{tool}");
        let void = peer.called("notifications/cancelled").await?;
        assert_eq!(void["params"]["requestId"], question["id"], "{tool}");
        // An answer that comes all the same harms nothing.
        peer.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } }))
            .await?;
        assert!(peer.request("ping", json!({})).await?["result"].is_object(), "{tool}");
    }
    Ok(())
}

#[tokio::test]
async fn a_cancelled_call_withdraws_its_question() -> Result<(), PeerError> {
    let mut peer = legacy().await?;
    let id = peer.start("tools/call", json!({ "name": "greets" })).await?;
    let question = peer.called("elicitation/create").await?;
    peer.notify("notifications/cancelled", json!({ "requestId": id })).await?;
    let void = peer.called("notifications/cancelled").await?;
    assert_eq!(void["params"]["requestId"], question["id"]);
    Ok(())
}

#[tokio::test]
async fn a_modern_client_gets_the_result_of_a_call_that_stopped_waiting() -> Result<(), PeerError> {
    let enough = CancellationToken::new();
    let mut peer = connect(&server(impatient(&enough)));
    let asked = modern_call(&mut peer, json!({ "name": "gives_up" })).await?;
    enough.cancel();
    let mut state = asked["result"]["requestState"].clone();
    // The handler notices within a turn or two of the runtime.
    let done = loop {
        let mut reply = modern_call(&mut peer, json!({ "name": "gives_up", "requestState": state })).await?;
        match reply["result"]["requestState"].take() {
            Value::Null => break reply,
            next => state = next,
        }
    };
    assert_eq!(done["result"]["content"][0]["text"], "in time");
    Ok(())
}
