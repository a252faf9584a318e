//! `mortise check`: exit codes, reports, and what it does not call.

use crate::program::{World, binary, mock};

#[track_caller]
fn check(arguments: &[&str], scenario: &str, exit: i32) -> String {
    let arguments = [&["check", "--calls", "3"][..], arguments, &mock(scenario)].concat();
    World::new().run(&arguments).expect_exit(exit).stdout
}

#[test]
fn each_kind_of_trouble_has_its_exit_code() {
    check(&[], "ok", 0);
    check(&[], "lie-mismatch", 6);
    check(&[], "die-before", 5);
    check(&["--timeout", "2s", "--tool", "echo"], "hang", 8);
    check(&[], "schema-invalid", 7);
    check(&[], "die-at-start", 4);
}

#[test]
fn nothing_checked_is_not_green() {
    let shown = check(&[], "no-tools", 5);
    assert!(shown.contains("✗ the server lists no tool") && shown.contains("[nothing_checked]"), "{shown}");
}

#[test]
fn fail_on_decides_what_counts() {
    check(&["--fail-on", "warning"], "lie-mirror", 6);
    check(&["--fail-on", "error"], "lie-mirror", 0);
    check(&["--fail-on", "never"], "lie-mismatch", 0);
}

#[test]
fn a_violation_is_shown_with_its_evidence_and_a_fix() {
    let shown = check(&["--tool", "echo"], "lie-mismatch", 6);
    assert!(
        shown.contains("  ✗ echo  broken, ")
            && shown.contains("    ✗ at /text")
            && shown.contains("[contract_violation]"),
        "{shown}"
    );
    assert!(shown.contains("      Request   tools/call echo {"), "{shown}");
    assert!(shown.contains("      Place     /structuredContent/text"), "{shown}");
    assert!(shown.contains("      Fix       return what the output schema says"), "{shown}");
}

#[test]
fn reports_are_written_beside_the_output() {
    let world = World::new();
    let reports: Vec<String> =
        ["json", "junit", "sarif", "html"].iter().map(|format| format!("{format}=report.{format}")).collect();
    let mut arguments = vec!["check", "--calls", "2", "--json"];
    arguments.extend(reports.iter().flat_map(|report| ["--report", report.as_str()]));
    arguments.extend(mock("lie-mismatch"));
    let ran = world.run(&arguments).expect_exit(6);
    let read = |name: &str| std::fs::read_to_string(world.project().join(name)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["servers"][0]["findings"][0]["rule"], "contract_violation");
    assert_eq!(read("report.json").trim(), ran.stdout.trim());
    assert!(read("report.junit").contains("<testsuites"));
    assert!(read("report.sarif").contains("\"2.1.0\""));
    assert!(read("report.html").starts_with("<!doctype html>"));
    world.run(&["check", "--report", "pdf=x"]).expect_exit(1);
}

#[test]
fn a_report_that_can_not_be_written_is_told_and_the_others_are_there() {
    let world = World::new();
    for (scenario, exit) in [("ok", 1), ("lie-mismatch", 6)] {
        let reports =
            ["--report", "junit=nowhere/a", "--report", "html=nowhere/b", "--report", "json=last.json"];
        let ran = world
            .run(&[&["check", "--calls", "2"][..], &reports, &mock(scenario)].concat())
            .expect_exit(exit);
        for path in ["nowhere/a", "nowhere/b"] {
            assert!(
                ran.stderr.contains(&format!("error: cannot write `{path}`\n  cause: ")),
                "{}",
                ran.stderr
            );
        }
        assert!(ran.stdout.contains("calls"), "{}", ran.stdout);
        std::fs::remove_file(world.project().join("last.json")).unwrap();
    }
}

#[test]
fn cases_are_run_from_a_file() {
    let world = World::new();
    world.write(
        "cases.yaml",
        "version: 1\ncases:\n  - {name: adds, call: add, arguments: {a: 1, b: 2}, expect: {value: {sum: 3}}}\n",
    );
    let arguments = [&["check", "--calls", "0", "--cases", "cases.yaml"][..], &mock("ok")].concat();
    let ran = world.run(&arguments).expect_exit(0);
    assert!(ran.stdout.contains("✓ Case passed: adds"), "{}", ran.stdout);
    world.write("wrong.yaml", "version: 1\ncase: []\n");
    let arguments = [&["check", "--cases", "wrong.yaml"][..], &mock("ok")].concat();
    let ran = world.run(&arguments).expect_exit(2);
    assert!(ran.stderr.contains("wrong.yaml"), "{}", ran.stderr);
}

#[test]
fn a_check_without_calls_says_so() {
    let arguments = [&["check", "--calls", "0"][..], &mock("ok")].concat();
    let shown = World::new().run(&arguments).expect_exit(0).stdout;
    assert!(
        shown.contains("! no tool was called, as asked") && shown.contains("[nothing_checked]"),
        "{shown}"
    );
    let arguments = [&["check", "--calls", "0", "--fail-on", "warning"][..], &mock("ok")].concat();
    World::new().run(&arguments).expect_exit(5);
}

#[test]
fn a_server_that_does_not_start_has_the_last_word() {
    let shown = check(&[], "die-at-start", 4);
    assert!(
        shown.contains("      Response  mock: seed 0\n                mock: no such database\n"),
        "{shown}"
    );
}

#[test]
fn a_tool_that_nobody_has_is_refused() {
    let world = World::new();
    for option in ["--tool", "--call"] {
        let ran = world.run(&[&["check", option, "ecko"][..], &mock("ok")].concat()).expect_exit(1);
        assert_eq!(
            ran.stderr,
            format!("error: {option}: there is no tool `ecko`\nhint: did you mean `echo`?\n")
        );
    }
}

#[test]
fn a_case_that_can_not_be_run_is_named_with_its_place() {
    let world = World::new();
    for (case, expected) in [
        ("{call: echo, expect: {at: {text: x}}}", "`expect.at` has `text`, which is not a JSON pointer"),
        ("{call: echo, save: {a: '/~2'}}", "`save` has `/~2`, which is not a JSON pointer"),
        ("{call: echo, expect: {schema: {type: 7}}}", "`expect.schema` can't be used"),
    ] {
        world.write("cases.yaml", &format!("version: 1\ncases:\n  - {case}\n"));
        let arguments = [&["check", "--cases", "cases.yaml"][..], &mock("ok")].concat();
        let ran = world.run(&arguments).expect_exit(2);
        let start = format!("error: cases.yaml:3:5: in the case `echo`, {expected}");
        assert!(ran.stderr.starts_with(&start), "{}", ran.stderr);
    }
}

#[test]
fn what_is_said_of_several_tools_is_said_once() {
    let sample = ["check", "--calls", "1", "--", binary().to_str().unwrap(), "sample", "tickets"];
    let shown = World::new().run(&sample).expect_exit(0).stdout;
    let skipped: Vec<&str> = shown.lines().filter(|line| line.contains("readOnlyHint")).collect();
    assert_eq!(skipped.len(), 1, "{shown}");
    assert_eq!(skipped[0], "    4 not called: it does not say that it only reads (readOnlyHint)");
    assert_eq!(shown.lines().filter(|line| line.starts_with("  · ")).count(), 4, "{shown}");
}

#[test]
fn drafted_cases_pass() {
    let world = World::new();
    let sample = |arguments: &[&str]| {
        let sample = ["--", binary().to_str().unwrap(), "sample", "tickets"];
        [&["check"][..], arguments, &sample].concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let run = |arguments: &[&str]| {
        let arguments = sample(arguments);
        world.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    run(&["--calls", "1", "--write-cases", "cases.yaml"]).expect_exit(0);
    let ran = run(&["--calls", "0", "--cases", "cases.yaml"]).expect_exit(0);
    assert!(ran.stdout.contains("✓ Case passed: get_ticket"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Tools: 2 verified, 0 unverified, 4 not called"), "{}", ran.stdout);
    let ran = run(&["--write-cases", "cases.yaml"]).expect_exit(1);
    assert!(ran.stderr.starts_with("error: --write-cases: `cases.yaml` exists already"), "{}", ran.stderr);
}

#[test]
fn a_server_of_which_nothing_is_verified_is_not_green() {
    let world = World::new();
    world.write(
        "refuses.yaml",
        "version: 1
tools: [{declaration: {name: t, inputSchema: {type: object}, annotations: {readOnlyHint: true}}, result: {isError: true, content: []}}]
",
    );
    let mock = [binary().to_str().unwrap(), "mock", "--script", "refuses.yaml"];
    let ran = world.run(&[&["check", "--"][..], &mock].concat()).expect_exit(5);
    assert!(ran.stdout.contains("✗ of 1 tool none is verified"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Tools: 0 verified, 1 unverified, 0 not called"), "{}", ran.stdout);
    assert!(ran.stdout.contains("  ! t  unverified, "), "{}", ran.stdout);
}

#[test]
fn every_reading_tool_of_the_samples_is_verified_without_help() {
    let world = World::new();
    for sample in ["financial-data", "doc-retrieval", "weather", "tickets", "inventory"] {
        let command = ["--", binary().to_str().unwrap(), "sample", sample];
        let ran = world.run(&[&["check", "--calls", "1"][..], &command].concat()).expect_exit(0);
        assert!(ran.stdout.contains(" verified, 0 unverified, "), "{sample}: {}", ran.stdout);
    }
}

#[test]
fn servers_without_the_tool_that_is_asked_for_are_left_out() {
    let ran = World::new().run(&["check", "--samples", "--tool", "get_weather", "--json"]).expect_exit(0);
    let report = ran.json();
    let servers: Vec<&str> = report["servers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|server| server["server"].as_str().unwrap_or("?"))
        .collect();
    assert_eq!(servers.len(), 1, "{servers:?}");
}
