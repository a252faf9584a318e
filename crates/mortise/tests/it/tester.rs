//! `mortise tester` as an assistant starts it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::listening::Listening;
use crate::program::{World, binary};

/// What an assistant sends to make one call.
fn messages(call: &Value) -> [Value; 3] {
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "it", "version": "1"}});
    [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}),
    ]
}

/// The answer to one call, after which the assistant goes away.
fn answer(world: &World, call: &Value) -> Value {
    let mut command = world.command(&["tester"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for message in messages(call) {
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

#[test]
fn a_request_to_stop_while_servers_are_ended_is_no_second_one() {
    let world = World::new();
    let fifo = world.project().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
    // Once its input is closed the server says so, and takes its time.
    let script = format!(
        "exec 3> {}\n{} mock ok\necho closed >&3\nexec sleep 60\n",
        fifo.display(),
        binary().display()
    );
    world.write("server.sh", &script);
    let mut command = world.command(&["tester"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let connect = json!({"name": "connect_to_server", "arguments": {"command": "sh", "args": ["server.sh"]}});
    for message in messages(&connect) {
        writeln!(stdin, "{message}").unwrap();
    }
    let mut lifeline = BufReader::new(std::fs::File::open(fifo).unwrap());
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("\"id\":1")));
    drop(stdin);
    let mut line = String::new();
    lifeline.read_line(&mut line).unwrap();
    assert_eq!(line, "closed\n");
    crate::ending::signal(&child, rustix::process::Signal::TERM);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn callers_over_http_reach_only_what_the_operator_allowed() {
    let world = World::new();
    for (more, exit, said) in [
        (&[][..], 5, "`localhost` is a private address"),
        (&["--allow-private"], 0, "Connected to `mcp-test-mcp`"),
    ] {
        let tester = Listening::start(&world, &[&["tester", "--no-token"][..], more].concat());
        let port = tester.address.port();
        // The tester is asked to connect to itself, by a name.
        let target = json!({"url": format!("http://localhost:{port}/mcp")}).to_string();
        let url = format!("http://127.0.0.1:{port}/mcp");
        let ran = world.run(&["call", "connect_to_server", "--args", &target, &url]).expect_exit(exit);
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains(said), "{}{}", ran.stdout, ran.stderr);
        let command = json!({"command": "true"}).to_string();
        let ran = world.run(&["call", "connect_to_server", "--args", &command, &url]).expect_exit(5);
        assert!(
            format!("{}{}", ran.stdout, ran.stderr).contains("does not start local commands"),
            "{}",
            ran.stderr
        );
        tester.stop();
    }
}
