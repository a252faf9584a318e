//! `mortise serve`: the executor as an MCP server, over stdio and HTTP, in both eras.

mod reload;
mod starting;

use std::io::{BufRead as _, BufReader, Write as _};

use mortise_testkit::{LEGACY_VERSION, RawChild};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::ending::{Hanging, Lifeline, signal};
use crate::listening::{Listening, Session, response};
use crate::program::{World, binary};

const WEATHER: &str =
    "print((await mcp__sample_weather__get_weather(city='Oslo'))['temperature']['celsius'])";

fn program(code: &str) -> Value {
    json!({ "name": "execute_program", "arguments": { "code": code } })
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

/// A served client over stdio.
fn over_stdio(world: &World, arguments: &[&str]) -> RawChild {
    RawChild::spawn(world.command(arguments).into()).unwrap()
}

fn output(response: &Value) -> &str {
    response["result"]["_meta"]["mortise/answer"]["output"].as_str().unwrap_or_else(|| panic!("{response}"))
}

#[test]
fn a_legacy_client_lists_inspects_and_runs_over_stdio() {
    let world = World::new();
    block_on(async {
        let mut served = over_stdio(&world, &["serve", "--samples"]);
        let opened = served.peer.initialize().await.unwrap();
        assert_eq!(opened["result"]["serverInfo"]["name"], "mortise");
        assert!(opened["result"]["instructions"].as_str().unwrap().contains("execute_program"));
        let ran = served.peer.request("tools/call", program(WEATHER)).await.unwrap();
        assert_eq!(ran["result"]["content"][0]["text"], "[Script executed successfully]\n-3.4\n");
        let listed = served.peer.request("tools/list", json!({})).await.unwrap();
        assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 8);
        let asked = json!({ "name": "inspect_tool", "arguments": { "tool_name": "mcp__sample_weather__get_weather" } });
        let inspected = served.peer.request("tools/call", asked).await.unwrap();
        assert_eq!(inspected["result"]["_meta"]["mortise/answer"]["wire_name"], "get_weather");
        let text = inspected["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("its data is invented"), "{text}");
        let (status, stderr) = served.finish().await.unwrap();
        assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
    });
}

#[test]
fn a_modern_client_runs_over_stdio() {
    let world = World::new();
    block_on(async {
        let mut served = over_stdio(&world, &["serve", "--samples"]);
        let ran = served.peer.modern("tools/call", program(WEATHER)).await.unwrap();
        assert_eq!(output(&ran), "-3.4\n");
        assert_eq!(ran["result"]["resultType"], "complete");
        assert_eq!(served.finish().await.unwrap().0.code(), Some(0));
    });
}

#[test]
fn samples_that_were_locked_are_not_held_back() {
    let world = World::new();
    world.run(&["lock", "--samples"]).expect_exit(0);
    let code = WEATHER.replace("sample_", "");
    let ran = world.run(&["run", "--samples", "--lock", "enforce", "-c", &code]).expect_exit(0);
    assert!(ran.stdout == "-3.4\n" && !ran.stderr.contains("held back"), "{}", ran.stderr);
    block_on(async {
        let mut served = over_stdio(&world, &["serve", "--samples", "--lock", "enforce"]);
        let ran = served.peer.modern("tools/call", program(WEATHER)).await.unwrap();
        assert_eq!(output(&ran), "-3.4\n");
        let (status, stderr) = served.finish().await.unwrap();
        assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
    });
}

#[test]
fn the_end_of_stdin_ends_it_and_its_servers() {
    let world = World::new();
    let mut served = Hanging::start(&world, &["serve", "--server", "m=sh server.sh"]);
    drop(served.child.stdin.take());
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
    served.assert_server_ends();
}

#[test]
fn a_request_to_stop_ends_it_and_its_servers() {
    for wanted in [Signal::TERM, Signal::INT] {
        let world = World::new();
        let mut served = Hanging::start(&world, &["serve", "--server", "m=sh server.sh"]);
        // Waiting would close it, and that is another way to end.
        let _stdin = served.child.stdin.take();
        signal(&served.child, wanted);
        assert_eq!(served.child.wait().unwrap().code(), Some(0));
        served.assert_server_ends();
    }
}

/// The response among the frames of a body.
#[test]
fn clients_of_both_eras_run_over_http() {
    let world = World::new();
    let served = Listening::start(&world, &["serve", "--samples"]);
    let caller = served.caller();
    block_on(async {
        let ran = caller.modern("tools/call", program(WEATHER)).await;
        assert_eq!(output(&response(&ran)), "-3.4\n");
        let ran = served.session().await.call("execute_program", json!({ "code": WEATHER })).await;
        assert_eq!(output(&ran), "-3.4\n");
    });
    assert_eq!(served.stop(), "");
}

#[test]
fn many_small_programs_over_http_all_succeed() {
    let world = World::new();
    let served = Listening::start(&world, &["serve", "--samples"]);
    block_on(async {
        let mut running = tokio::task::JoinSet::new();
        for number in 0..250 {
            let caller = served.caller();
            running.spawn(async move {
                let ran = caller.modern("tools/call", program(&format!("print({number} * 2)"))).await;
                assert_eq!(output(&response(&ran)), format!("{}\n", number * 2));
            });
        }
        assert_eq!(running.join_all().await.len(), 250);
        // And one after the other, each with a call.
        for _ in 0..50 {
            let ran = served.modern("tools/call", program(WEATHER)).await;
            assert_eq!(output(&response(&ran)), "-3.4\n");
        }
    });
    served.stop();
}

/// Types that the checker follows until its stack or its time is gone.
fn deadly() -> [String; 2] {
    let stack = "class X:\n    type A = X.A | int\ndef f(a: X.A): a.y\n";
    [stack.to_owned(), format!("a = (1, '')\n{}a.missing\n", "a = (a, a)\n".repeat(60))]
}

#[test]
fn hostile_sessions_cost_others_neither_their_checks_nor_their_programs() {
    let world = World::new();
    let served = Listening::start(&world, &["serve", "--samples"]);
    block_on(async {
        let (first, second, other) = tokio::join!(served.session(), served.session(), served.session());
        let attack = async |session: &Session| {
            for code in deadly().iter().cycle().take(4) {
                let arguments = json!({ "code": code, "check": "strict", "timeout_seconds": 4 });
                let refused = session.call("execute_program", arguments).await;
                assert_eq!(refused["result"]["isError"], true, "{refused}");
                assert!(refused.to_string().contains("could not be checked"), "{refused}");
            }
        };
        let go_on = async {
            for number in 0..4 {
                let wrong = json!({ "code": "print(missing)", "check": "strict" });
                let refused = other.call("execute_program", wrong).await;
                assert!(refused.to_string().contains("`missing`"), "{refused}");
                let right = json!({ "code": format!("print({number})"), "check": "strict" });
                let ran = other.call("execute_program", right).await;
                assert_eq!(output(&ran), format!("{number}\n"));
            }
        };
        tokio::join!(attack(&first), attack(&second), go_on);
    });
    served.stop();
}

#[test]
fn a_client_that_leaves_in_the_middle_ends_it_and_its_servers_at_once() {
    let world = World::new();
    let mut served = Hanging::start(&world, &["serve", "--server", "m=sh server.sh"]);
    let mut stdin = served.child.stdin.take().unwrap();
    let opening = json!({
        "protocolVersion": LEGACY_VERSION, "capabilities": {}, "clientInfo": { "name": "testkit", "version": "0" },
    });
    let call = program("print('here')\nawait mcp__m__echo(text='x')");
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }),
    ] {
        writeln!(stdin, "{message}").unwrap();
    }
    // The answer to `initialize` says that the rest has been read or is about to be.
    let mut stdout = BufReader::new(served.child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    let left = std::time::Instant::now();
    drop(stdin);
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
    assert!(left.elapsed() < std::time::Duration::from_secs(5), "{:?}", left.elapsed());
    served.assert_server_ends();
}

#[test]
fn a_request_to_stop_lets_running_programs_end() {
    let world = World::new();
    let served = Listening::start(&world, &["serve", "--samples"]);
    let ran = block_on(async {
        // The first program finds everything loaded; the second is asked to hurry while it runs.
        served.modern("tools/call", program("print(1)")).await;
        let slow = program("import time\ntime.sleep(1)\nprint('finished')");
        let (ran, ()) = tokio::join!(served.modern("tools/call", slow), async {
            // The program runs once requests that were sent after it have been answered.
            for _ in 0..5 {
                served.modern("tools/list", json!({})).await;
            }
            signal(&served.child, Signal::TERM);
        });
        ran
    });
    assert_eq!(output(&response(&ran)), "finished\n");
    assert_eq!(served.ended(), Some(0));
}

#[test]
fn a_second_request_to_stop_ends_it_and_its_servers_at_once() {
    let world = World::new();
    let fifo = Lifeline::prepare(&world);
    let served = Listening::start(&world, &["serve", "--server", "m=sh server.sh"]);
    let lifeline = Lifeline::started(&fifo);
    let caller = served.caller();
    let ended = block_on(async {
        let mut calls = tokio::task::JoinSet::new();
        let own = caller.clone();
        let forever = program("await mcp__m__echo(text='x')");
        calls.spawn(async move { own.modern("tools/call", forever).await });
        // The program runs once requests that were sent after it have been answered.
        for _ in 0..5 {
            caller.modern("tools/list", json!({})).await;
        }
        signal(&served.child, Signal::TERM);
        // It has heard when it takes no more connections; now it waits for the program.
        while tokio::net::TcpStream::connect(caller.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
        signal(&served.child, Signal::TERM);
        let ended = served.ended();
        calls.abort_all();
        ended
    });
    assert_eq!(ended, Some(130));
    lifeline.assert_server_ends();
}

#[test]
fn an_address_for_others_needs_a_token() {
    let world = World::new();
    let ran = world.run(&["serve", "--samples", "--http", "0.0.0.0:0", "--no-token"]).expect_exit(1);
    assert!(ran.stderr.contains("needs a bearer token"), "{}", ran.stderr);
    // The token that is made is not enough: it would travel in clear text.
    let ran = world.run(&["serve", "--samples", "--http", "0.0.0.0:0"]).expect_exit(1);
    assert!(ran.stderr.contains("needs TLS"), "{}", ran.stderr);
}

#[test]
fn a_configuration_that_names_mortise_itself_is_served_without_it() {
    let world = World::new();
    let own = binary().display();
    world.write(
        "self.yaml",
        &format!("servers:\n  - name: again\n    command: {own}\n    args: [serve, --config, self.yaml]\n  - name: m\n    command: sh\n    args: [-c, '{own} mock ok']\n"),
    );
    block_on(async {
        let mut served = over_stdio(&world, &["serve", "--config", "self.yaml"]);
        served.peer.initialize().await.unwrap();
        let ran =
            served.peer.request("tools/call", program("print(await list_callable_tools())")).await.unwrap();
        assert_eq!(output(&ran), "['mcp__m__add', 'mcp__m__echo']\n");
        let (status, stderr) = served.finish().await.unwrap();
        assert_eq!(status.code(), Some(0));
        assert!(stderr.contains("server `again` is skipped"), "{stderr}");
    });
}

#[test]
fn a_loop_through_a_wrapper_ends() {
    let world = World::new();
    let own = binary().display();
    world.write("wrapper.sh", &format!("exec {own} serve --config loop.yaml\n"));
    world.write("loop.yaml", "servers:\n  - name: again\n    command: sh\n    args: [wrapper.sh]\n");
    block_on(async {
        let mut served = over_stdio(&world, &["serve", "--config", "loop.yaml"]);
        served.peer.initialize().await.unwrap();
        let ran = served.peer.request("tools/call", program("print('here')")).await.unwrap();
        assert_eq!(output(&ran), "here\n");
        assert_eq!(served.finish().await.unwrap().0.code(), Some(0));
    });
}

#[test]
fn a_bad_entry_is_left_out_and_listed_with_its_reason() {
    let world = World::new();
    let own = binary().display();
    world.write(
        "some.yaml",
        &format!("servers:\n  - name: m\n    command: sh\n    args: [-c, '{own} mock ok']\n  - name: unset\n    command: x\n    args: ['${{NOT_SET}}']\n  - name: old\n    transport: sse\n    url: https://example.com/sse\n  - name: odd\n    comand: x\n"),
    );
    block_on(async {
        let mut served = over_stdio(&world, &["serve", "--config", "some.yaml"]);
        served.peer.initialize().await.unwrap();
        let ran = program("print(await mcp__m__add(a=1, b=2))");
        let ran = served.peer.request("tools/call", ran).await.unwrap();
        assert_eq!(output(&ran), "{'sum': 3}\n");
        let asked = json!({ "name": "list_callable_tools", "arguments": {} });
        let listed = served.peer.request("tools/call", asked).await.unwrap();
        let unavailable = &listed["result"]["_meta"]["mortise/answer"]["unavailable"];
        let expected = json!([
            { "server": "unset", "state": "failed", "error": "some.yaml:7:12: ${NOT_SET} is not set" },
            { "server": "old", "state": "failed", "error": "some.yaml:9:16: the HTTP+SSE transport of 2024-11-05 is not supported, only Streamable HTTP is" },
            { "server": "odd", "state": "failed", "error": "some.yaml:12:5: unknown key `comand`" },
        ]);
        assert_eq!(unavailable, &expected);
        let (status, stderr) = served.finish().await.unwrap();
        assert_eq!(status.code(), Some(0));
        assert!(stderr.contains("left out a server") && stderr.contains("${NOT_SET} is not set"), "{stderr}");
    });
}

#[test]
fn allowing_and_blocking_at_once_is_a_configuration_error() {
    let world = World::new();
    world.write("both.yaml", "servers: []\ntools:\n  allow: [\"mcp__a__*\"]\n  block: [\"mcp__b__*\"]\n");
    for command in [&["serve"][..], &["run", "-c", "1"]] {
        let ran = world.run(&[command, &["--config", "both.yaml"]].concat()).expect_exit(2);
        assert!(ran.stderr.contains("mutually exclusive"), "{}", ran.stderr);
    }
}

#[test]
fn what_is_configured_applies() {
    let world = World::new();
    let own = binary().display();
    world.write(
        "served.yaml",
        &format!(
            "servers:\n  - name: m\n    command: sh\n    args: [-c, '{own} mock ok']\ntools:\n  block: [\"*__echo\"]\nexpose: [\"mcp__m__*\"]\nexecution:\n  timeout_seconds: 3\n  max_tool_calls: 1\n"
        ),
    );
    block_on(async {
        let mut served = over_stdio(&world, &["serve", "--config", "served.yaml"]);
        served.peer.initialize().await.unwrap();
        let ran = served
            .peer
            .request("tools/call", program("await mcp__m__add(a=1, b=1)\nawait mcp__m__add(a=1, b=1)"))
            .await
            .unwrap();
        let text = ran["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("tool-call budget exhausted (max_tool_calls=1)"), "{text}");
        let ran = served.peer.request("tools/call", program("while True:\n    pass")).await.unwrap();
        let text = ran["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(text, "[Script execution failed]\nTimeoutError: Execution exceeded 3s limit");
        let listed = served.peer.request("tools/list", json!({})).await.unwrap();
        let names: Vec<&str> = listed["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        assert_eq!(names.into_iter().filter(|name| name.starts_with("m__")).collect::<Vec<_>>(), ["m__add"]);
        served.finish().await.unwrap();
    });
}
