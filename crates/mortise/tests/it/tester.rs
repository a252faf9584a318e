//! `mortise tester` as an assistant starts it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::{World, binary};

/// The answer to one call, after which the assistant goes away.
fn answer(world: &World, call: &Value) -> Value {
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "it", "version": "1"}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}),
    ];
    let mut command = world.command(&["tester"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for message in messages {
        writeln!(stdin, "{message}").unwrap();
    }
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let answers = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let answer = answers.into_iter().find(|answer| answer["id"] == 1).unwrap();
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    answer
}

#[test]
fn a_local_server_is_started_and_ends_with_the_tester() {
    let command = binary().to_string_lossy().into_owned();
    let world = World::new();
    let connect = json!({"name": "connect_to_server", "arguments": {"command": command, "args": ["sample", "weather"]}});
    let connected = &answer(&world, &connect)["result"];
    assert_eq!(connected["structuredContent"]["connection"]["server_info"]["name"], "weather");
}

#[test]
fn permissions_are_for_http_only() {
    let world = World::new();
    let ran = world.run(&["tester", "--allow-commands"]).expect_exit(1);
    assert!(ran.stderr.contains("--http"), "{}", ran.stderr);
    world.run(&["tester", "--connect-timeout", "soon"]).expect_exit(1);
}
