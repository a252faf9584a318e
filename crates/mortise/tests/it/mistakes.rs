//! Mistakes that people make on the command line: what they read on stderr, and the exit code.
//!
//! Each row is one command. All answers are one snapshot, which reads as a list.

use std::fmt::Write as _;

use crate::program::{World, binary, mock};

/// A home with three servers: a sample, the mock, and one whose program does not exist.
fn world() -> World {
    let world = World::new().with("COLUMNS", "100");
    let own = world.home().join(".config/mortise");
    std::fs::create_dir_all(&own).unwrap();
    let mock = binary().display();
    let servers = format!(
        "servers:\n  weather: {{sample: weather}}\n  tickets: {{sample: tickets}}\n  mock: {{command: {mock}, args: [mock, ok]}}\n  \
         broken: {{command: no-such-program}}\n"
    );
    std::fs::write(own.join("mortise.yaml"), servers).unwrap();
    world.write("wrong.yaml", "servers:\n  x: {comand: y}\n");
    world.write("empty.yaml", "servers: {}\n");
    world.write("args.json", "{\"city\": \"Oslo\"");
    world.write("list.json", "[1, 2]");
    world.write("reads.py", "print(open('data.csv').read())\n");
    world.write("bare.py", "print(await get_weather(city='Oslo'))\n");
    world.write("import.py", "import requests\nprint(requests.get('https://example.com'))\n");
    world.write("no_await.py", "w = mcp__weather__get_weather(city='Oslo')\nprint(w['city'])\n");
    std::fs::create_dir(world.project().join("folder")).unwrap();
    world
}

/// What was typed, without the parts that differ between machines.
fn shown(words: &[&str]) -> String {
    let quoted = words.iter().map(|word| match shlex::try_quote(word) {
        Ok(quoted) => quoted.replace(binary().to_str().unwrap(), "[MORTISE]"),
        Err(_) => (*word).to_owned(),
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Runs every row and compares all answers with the snapshot `name`.
#[track_caller]
fn check(name: &str, rows: &[&[&str]]) {
    let world = world();
    let mut page = String::new();
    for words in rows {
        let ran = world.run(words);
        assert!(!matches!(ran.exit, Some(0) | None), "{words:?} is no mistake: {}", ran.stdout);
        let exit = ran.exit.unwrap_or_default();
        let stderr = crate::program::without_times(&ran.stderr);
        _ = writeln!(page, "$ mortise {}\n{}[exit {exit}]\n", shown(words), stderr);
    }
    insta::assert_snapshot!(name, page);
}

/// The same, for commands that do what was meant: they end well.
#[track_caller]
fn check_understood(rows: &[&[&str]]) {
    let world = world();
    for words in rows {
        world.run(words).expect_exit(0);
    }
}

#[test]
fn what_people_mean_is_understood() {
    check_understood(&[
        &["help"],
        &["version"],
        &["help", "call"],
        &["inspect", "weather"],
        &["tools", "get_weather"],
        &["tools", "weather", "get_weather"],
        &["tools", "weather.get_weather"],
        &["tools", "weather", "--search", "bmi"],
        &["call", "get_weather", "Oslo"],
        &["call", "weather", "get_weather", "city=Oslo"],
        &["call", "weather.get_weather", "--city", "Oslo"],
        &["call", "weather:get_weather", "--city=Oslo"],
        &["call", "get_weather", r#"{"city": "Oslo"}"#],
        &["call", "mcp__weather__get_weather", "Oslo"],
        &["call", "calculate_bmi", "--height-cm", "180", "--weight-kg", "75"],
    ]);
}

#[test]
fn commands() {
    check(
        "mistakes_commands",
        &[
            &["tolls"],
            &["ls"],
            &["invoke", "get_weather"],
            &["frobnicate"],
            &["help", "frobnicate"],
            &["serve", "smaple", "weather"],
            &["serve", "sample", "wether"],
            &["serve", "mock", "lie-mismach"],
            &["--jsno", "tools"],
        ],
    );
}

#[test]
fn tools_and_servers() {
    check(
        "mistakes_names",
        &[
            &["call", "get_wether", "city=Oslo"],
            &["call", "frobnicate"],
            &["call", "weather"],
            &["call", "wether", "get_weather", "city=Oslo"],
            &["call", "weather/get_wether", "city=Oslo"],
            &["call", "broken/x"],
            &["tools", "wether"],
            &["tools", "frobnicate"],
            &["tools", "broken"],
            &["tools", "weather", "get_wether"],
            &["inspect", "get_wether"],
            &["check", "get_weather"],
            &["check", "wether"],
            &["check", "weather", "--tool", "get_wether"],
            &["lock", "wether"],
            &["export", "--for", "python", "wether"],
            &["read", "file:///nothing"],
            &["prompt", "greting"],
            &["prompt", "greeting", "woh=Ada"],
        ],
    );
}

#[test]
fn arguments_of_tools() {
    check(
        "mistakes_arguments",
        &[
            &["call", "calculate_bmi", "height_cm=tall", "weight_kg=75"],
            &["call", "calculate_bmi", "height_cm=1.80", "weight_kg=75"],
            &["call", "calculate_bmi", "height_cm=180"],
            &["call", "calculate_bmi", "180", "75"],
            &["call", "calculate_bmi"],
            &["call", "calculate_bmi", "height=180", "weight_kg=75"],
            &["call", "calculate_bmi", "--height", "180"],
            &["call", "calculate_bmi", "--height_cm"],
            &["call", "get_weather", "--cty", "Oslo"],
            &["call", "get_weather", "city=Oslo", "--jsno"],
            &["call", "--city", "Oslo", "get_weather"],
            &["call", "get_weather", "city=Oslo", "city=Bergen"],
            &["call", "get_weather", "{city: Oslo}"],
            &["call", "get_weather", "@args.json"],
            &["call", "get_weather", "@missing.json"],
            &["call", "get_weather", "@list.json"],
            &["call", "get_weather", "city=@missing.txt"],
            &["call", "get_weather", "--args", "{}", "{}"],
            &["call", "list_tickets", "status=opne"],
            &["call", "list_tickets", "limit=many"],
            &["call", "get_weather", "city:=Oslo"],
            &["call"],
        ],
    );
}

#[test]
fn options() {
    check(
        "mistakes_options",
        &[
            &["check", "--html", "out.html"],
            &["check", "--report", "check.doc"],
            &["check", "--report", "pdf=check.pdf"],
            &["check", "--fail-on", "errors"],
            &["serve", "--http", "example.com"],
            &["serve", "--port", "8080"],
            &["serve", "--http", "8080", "tester"],
            &["export"],
            &["export", "--for", "opanai"],
            &["export", "--to", "python"],
            &["tools", "--timeout", "5h"],
            &["tools", "--mode", "loud"],
            &["tools", "--config"],
            &["tools", "--server", "weather"],
            &["tools", "--url", "localhost:8080"],
            &["tools", "--debug"],
            &["tools", "--json", "--json"],
            &["run"],
            &["run", "-c", "1", "reads.py"],
            &["completions", "tcsh"],
            &["schema", "conifg"],
        ],
    );
}

#[test]
fn files() {
    check(
        "mistakes_files",
        &[
            &["tools", "--config", "missing.yaml"],
            &["tools", "--config", "folder"],
            &["tools", "--config", "wrong.yaml"],
            &["check", "--config", "empty.yaml"],
            &["run", "missing.py"],
            &["run", "folder"],
            &["run", "print(1)"],
            &["run", "reads.py", "--file", "missing.csv"],
            &["check", "weather", "--cases", "missing.yaml"],
            &["diff", "missing.json", "weather"],
            &["export", "--for", "python", "--from", "missing.json"],
            &["formats", "check", "missing.json"],
            &["serve", "mock", "--script", "missing.yaml"],
            &["lock", "--check", "--lock-file", "missing.json"],
            &["data", "scan", "nodir"],
            &["data", "describe", "missing.csv"],
        ],
    );
}

#[test]
fn servers_that_can_not_be_reached() {
    check(
        "mistakes_servers",
        &[
            &["tools", "http://127.0.0.1:1/mcp"],
            &["tools", "127.0.0.1:1"],
            &["tools", "http://no-such-host.invalid/mcp"],
            &["tools", "--", "no-such-program", "--flag"],
            &["tools", "--server", "x=no-such-program"],
            &[&["call", "echo", "text=x", "--timeout", "1500ms"][..], &mock("hang")].concat(),
            &[&["tools", "--timeout", "500ms"][..], &mock("hang-start")].concat(),
            &[&["tools"][..], &mock("die-at-start")].concat(),
        ],
    );
}

#[test]
fn programs() {
    check(
        "mistakes_programs",
        &[
            &["run", "reads.py"],
            &["run", "bare.py"],
            &["run", "import.py"],
            &["run", "no_await.py"],
            &["run", "-c", "print(await mcp__weather__get_wether(city='Oslo'))"],
            &["run", "-c", "print(await mcp__weather__get_weather('Oslo'))"],
            &["run", "-c", "print(await mcp__weather__get_weather(city=5))"],
            &["run", "-c", "print('a"],
            &["run", "-c", "import time\nwhile True: pass", "--timeout", "1s"],
        ],
    );
}

/// A server that speaks HTTP, asked over TLS.
#[test]
fn tls_to_a_port_without_tls() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            _ = stream.read(&mut [0; 64]);
            _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
        }
    });
    let ran = world().run(&["tools", &format!("https://127.0.0.1:{port}/mcp")]).expect_exit(4);
    assert!(ran.stderr.contains("use http:// in place of https://"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("InvalidContentType"), "{}", ran.stderr);
    let verbose = world().run(&["tools", "-v", &format!("https://127.0.0.1:{port}/mcp")]).expect_exit(4);
    assert!(verbose.stderr.contains("InvalidContentType"), "{}", verbose.stderr);
}
