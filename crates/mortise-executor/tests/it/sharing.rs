//! Many clients and many programs at once.

use std::time::{Duration, Instant};

use mortise_executor::tools::ANSWER_META;
use mortise_script::Share;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::asks::until;
use crate::bench::{Outcome, Setup};
use crate::servers::{echoing, mock, sample, watched_mock};

#[tokio::test]
async fn programs_of_many_clients_do_not_mix() {
    let bench = Setup::of([mock("m", "jitter=20"), sample("weather")]).start().await;
    let mut running = JoinSet::new();
    for number in 0..30 {
        let mut client = bench.client().await;
        running.spawn(async move {
            let code = format!(
                "import asyncio\nfound = await asyncio.gather(*(mcp__m__echo(text=f'{number}-{{i}}') for i in range(5)))\n\
                 print([f['text'] for f in found] == [f'{number}-{{i}}' for i in range(5)])\nemit({number})"
            );
            (number, client.call("execute_program", json!({ "code": code })).await)
        });
    }
    let ended: Vec<(i32, Outcome)> = running.join_all().await;
    assert_eq!(ended.len(), 30);
    for (number, outcome) in ended {
        assert_eq!(outcome.facts["output"], "True\n", "{}", outcome.text);
        assert_eq!(outcome.facts["result"], number);
        assert_eq!(outcome.facts["ledger"]["calls"], 5);
    }
}

#[tokio::test]
async fn sessions_take_turns_whatever_their_clients_call_themselves() {
    let (config, received) = echoing("s", &["t"]);
    // Memory for one program at a time.
    let bench = Setup::of([config]).capacity(|capacity| capacity.memory = 39 << 20).start().await;
    bench.executor().warm_up().await.unwrap();
    let (mut busy, mut other) = (bench.client().await, bench.client().await);
    let program = |name: &str| json!({ "code": format!("await mcp__s__t(name='{name}')") });
    let mut ids = Vec::new();
    for number in 0..12 {
        ids.push(busy.start("execute_program", program(&format!("busy {number}"))).await);
    }
    // Requests are taken up in order: once this one is answered, the programs are in the queue.
    busy.tools().await;
    other.call("execute_program", program("other")).await;
    for id in ids {
        busy.peer.response(id).await.unwrap();
    }
    let received = received.lock().unwrap();
    let order: Vec<&Value> = received
        .iter()
        .filter(|request| request["method"] == "tools/call")
        .map(|request| &request["params"]["arguments"]["name"])
        .collect();
    assert_eq!(order.len(), 13);
    let turn = order.iter().position(|name| **name == "other").unwrap();
    assert!(turn < 11, "{order:?}");
}

#[tokio::test]
async fn a_session_with_all_it_may_hold_leaves_room_for_another() {
    let (config, mock) = watched_mock("m", "hang");
    let bench = Setup::of([config])
        .capacity(|capacity| {
            capacity.memory = 210 << 20;
            capacity.share = Share::Half;
        })
        .start()
        .await;
    bench.executor().warm_up().await.unwrap();
    let (mut greedy, mut other) = (bench.client().await, bench.client().await);
    let mut held = Vec::new();
    for _ in 0..12 {
        let code = "await mcp__m__echo(text='x')";
        held.push(greedy.start("execute_program", json!({ "code": code, "check": "off" })).await);
    }
    until(|| mock.received().iter().filter(|request| request["method"] == "tools/call").count() >= 4).await;
    let small = other.call("execute_program", json!({ "code": "print('small')" })).await;
    assert_eq!(small.facts["output"], "small\n", "{}", small.text);
    assert!(
        held.iter().all(|id| greedy.peer.kept().all(|frame| !frame.answers(&json!(id)))),
        "the greedy session holds what it held"
    );
}

#[tokio::test]
async fn a_session_with_all_calls_it_may_have_leaves_a_server_to_others() {
    let (mut config, mock) = watched_mock("m", "hang");
    config.in_flight = 4;
    let setup = Setup::of([config]).expose(&["mcp__m__*"]).limits(|limits| limits.calls_in_flight = 8);
    let bench = setup.capacity(|capacity| capacity.share = Share::Half).start().await;
    let received = |tool: &str| {
        let calls = mock.received().into_iter().filter(|request| request["method"] == "tools/call");
        calls.filter(|call| call["params"]["name"] == tool).count()
    };
    let mut greedy = bench.client().await;
    let code = "import asyncio\nawait asyncio.gather(*[mcp__m__echo(text='x') for _ in range(8)])";
    for _ in 0..2 {
        greedy.start("execute_program", json!({ "code": code, "check": "off" })).await;
    }
    until(|| received("echo") == 2).await;
    // The places that are left are there for a program of another session, and for a call of a third.
    let (mut second, mut third) = (bench.client().await, bench.client().await);
    let code = json!({ "code": "await mcp__m__add(a=1, b=1)", "check": "off" });
    second.start("execute_program", code).await;
    until(|| received("add") == 1).await;
    third.start("m__add", json!({ "a": 1, "b": 2 })).await;
    until(|| received("add") == 2).await;
    assert_eq!(received("echo"), 2, "half of the places");
}

#[tokio::test]
async fn one_client_runs_several_programs_at_once() {
    let bench = Setup::of([mock("m", "slow=50")]).start().await;
    let mut client = bench.client().await;
    let mut ids = Vec::new();
    for number in 0..8 {
        let code = format!("print((await mcp__m__echo(text='{number}'))['text'])");
        ids.push(client.start("execute_program", json!({ "code": code })).await);
    }
    for (number, id) in ids.into_iter().enumerate() {
        assert_eq!(client.outcome("execute_program", id).await.facts["output"], format!("{number}\n"));
    }
}

#[tokio::test]
async fn hostile_programs_do_not_keep_small_ones_out() {
    let limits = |limits: &mut mortise_script::Limits| limits.wall = Duration::from_secs(20);
    let bench =
        Setup::of([mock("m", "ok")]).limits(limits).capacity(|capacity| capacity.running = 2).start().await;
    bench.executor().warm_up().await.unwrap();
    let mut hostile = bench.client().await;
    for _ in 0..4 {
        hostile.start("execute_program", json!({ "code": "while True:\n    pass" })).await;
    }
    let start = Instant::now();
    for _ in 0..3 {
        assert_eq!(bench.prints("print((await mcp__m__add(a=1, b=1))['sum'])").await, "2\n");
    }
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
}

#[tokio::test]
async fn programs_past_the_queue_are_refused_and_those_in_it_run() {
    let bench = Setup::of([mock("m", "slow=300")])
        .capacity(|capacity| {
            capacity.running = 1;
            capacity.waiting = 2;
            // A program that waits for a call gives its place away; memory it keeps.
            capacity.memory = 300 << 20;
        })
        .start()
        .await;
    bench.executor().warm_up().await.unwrap();
    let mut client = bench.client().await;
    let mut ids = Vec::new();
    for _ in 0..12 {
        ids.push(
            client
                .start("execute_program", json!({ "code": "await mcp__m__echo(text='x')\nprint('ran')" }))
                .await,
        );
    }
    let (mut ran, mut refused) = (0, 0);
    for id in ids {
        let response = client.peer.response(id).await.unwrap();
        match response.get("error") {
            Some(error) => {
                assert!(error["message"].as_str().unwrap().starts_with("overloaded: "), "{error}");
                refused += 1;
            }
            None => {
                assert_eq!(response["result"]["_meta"][ANSWER_META]["output"], "ran\n", "{response}");
                ran += 1;
            }
        }
    }
    assert!(ran >= 3 && refused >= 1, "{ran} ran, {refused} refused");
    let later = client.call("execute_program", json!({ "code": "print('later')" })).await;
    assert_eq!(later.facts["output"], "later\n");
}

#[tokio::test]
async fn short_questions_are_answered_while_programs_run() {
    let bench = Setup::of([mock("m", "hang")]).start().await;
    let mut client = bench.client().await;
    let held = client.start("execute_program", json!({ "code": "await mcp__m__echo(text='x')" })).await;
    assert!(!client.call("inspect_tool", json!({ "tool_name": "mcp__m__add" })).await.is_error);
    assert_eq!(client.call("search_tools", json!({ "query": "add" })).await.facts["total"], 2);
    assert_eq!(client.peer.request("ping", Value::Null).await.unwrap()["result"], json!({}));
    assert!(client.peer.kept().all(|frame| !frame.answers(&json!(held))));
}
