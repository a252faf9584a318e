//! The samples are there for those who ask for them, and for a person who tries mortise at a terminal.

use crate::program::{Ran, World};
use crate::pty::OnTerminal;

const NOTE: &str = "no servers are configured, so the built-in samples are used; their data is invented";

#[test]
fn every_sample_is_listed() {
    let world = World::new();
    let ran = world.run(&["tools", "--samples", "--json"]).expect_exit(0);
    assert_eq!(ran.stderr, "");
    let json = ran.json();
    let servers: Vec<&str> =
        json["servers"].as_array().unwrap().iter().map(|server| server["name"].as_str().unwrap()).collect();
    let listed = world.run(&["sample", "--list", "--json"]).expect_exit(0).json();
    let samples: Vec<&str> =
        listed["samples"].as_array().unwrap().iter().map(|sample| sample["name"].as_str().unwrap()).collect();
    assert_eq!(servers, samples);
    assert!(samples.contains(&"financial-data") && samples.contains(&"doc-retrieval"));
}

#[test]
fn a_sample_is_called_by_its_bare_name() {
    let ran = World::new().run(&[
        "call",
        "--samples",
        "query_financials",
        "ticker=AMZN",
        "statement=income",
        "limit=2",
    ]);
    insta::assert_snapshot!(ran.text());
}

#[test]
fn a_sample_is_inspected() {
    let ran = World::new().with("COLUMNS", "100").run(&["inspect", "--samples", "query_financials"]);
    insta::assert_snapshot!(ran.text());
}

#[test]
fn an_unknown_sample_gets_the_nearest_name() {
    let ran = World::new().run(&["sample", "financal-data"]).expect_exit(1);
    assert_eq!(
        ran.stderr,
        "error: there is no sample `financal-data`\nhint: did you mean `financial-data`?\n"
    );
}

#[test]
fn a_sample_started_as_a_process_is_the_same_server() {
    let world = World::new();
    let binary = crate::program::binary().to_str().unwrap();
    let arguments = ["tools", "--json", "financial-data"];
    let inside = world.run(&[&arguments[..], &["--samples"]].concat()).expect_exit(0).json();
    let server = format!("financial-data={binary} sample financial-data");
    let outside = world.run(&[&arguments[..], &["--server", &server]].concat()).expect_exit(0).json();
    assert_eq!(inside["tools"], outside["tools"]);
}

#[test]
fn a_person_at_a_terminal_gets_them_without_asking() {
    let code = "print((await mcp__weather__get_weather(city='Oslo'))['city'])";
    for command in [
        &["tools"][..],
        &["inspect", "get_weather"],
        &["call", "get_weather", "city=Oslo"],
        &["run", "-c", code],
    ] {
        let (shown, exit) = OnTerminal::start(&World::new(), 200, command).finish();
        assert_eq!(exit, Some(0), "{command:?}: {shown}");
        assert!(shown.contains(NOTE), "{command:?}: {shown}");
    }
    let (shown, exit) = OnTerminal::start(&World::new(), 200, &["serve"]).finish();
    assert_eq!(exit, Some(2), "{shown}");
}

fn check_refused(ran: Ran) {
    assert_eq!((ran.exit, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
    assert_eq!(
        ran.stderr,
        "error: no servers are configured\n\
         hint: `mortise import` takes the servers of other programs, `mortise add NAME -- COMMAND` adds one\n\
         hint: `--samples` uses the built-in sample servers, whose data is invented\n"
    );
}

#[test]
fn nothing_invented_is_served_checked_recorded_or_declared_unasked() {
    let world = World::new();
    for command in [&["serve"][..], &["check"], &["lock"], &["diff"], &["declare", "--for", "python"]] {
        check_refused(world.run(command));
    }
    assert!(!world.project().join("mortise.lock.json").exists());
}

#[test]
fn without_servers_and_a_terminal_there_are_no_tools() {
    let world = World::new();
    let ran = world.run(&["tools"]).expect_exit(0);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.starts_with("note: no servers are configured: `mortise import`"), "{}", ran.stderr);
    let ran = world.run(&["run", "-c", "print('needs no tool')"]).expect_exit(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("needs no tool\n", ""));
    world.run(&["call", "get_weather", "city=Oslo"]).expect_exit(1);
    let doctor = world.run(&["doctor"]).expect_exit(0);
    assert!(
        doctor
            .stdout
            .starts_with("No servers are configured.\n\nWhat to do next\n  · `mortise import` takes"),
        "{}",
        doctor.stdout
    );
}

#[test]
fn an_entry_of_the_configuration_can_name_one() {
    let world = World::new();
    world.write("some.yaml", "servers:\n  - {name: sky, sample: weather}\n  - {name: odd, sample: wether}\n");
    let ran = world.run(&["call", "--config", "some.yaml", "sky/get_weather", "city=Oslo"]).expect_exit(0);
    assert!(ran.stdout.contains("Oslo"), "{}", ran.stdout);
    let listed = world.run(&["tools", "--config", "some.yaml", "--json"]).expect_exit(0).json();
    assert_eq!(listed["servers"][1]["error"], "some.yaml:3:25: unknown value `wether`");
    let trapped = world.run(&["doctor", "--config", "some.yaml"]).expect_exit(2);
    assert!(trapped.stdout.contains("unknown value `wether`"), "{}", trapped.stdout);
}
