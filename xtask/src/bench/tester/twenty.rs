//! Listing the tools of server-everything and calling one of them twenty times, judged: ours in one process.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::super::Bench;
use super::super::commands::{fastmcp, inspector, with_tail};
use super::super::series::{Series, interleave, sentence, table};

const CALLS: usize = 20;
/// The others start a process for every request, so that a round takes minutes.
const ROUNDS: usize = 5;
const SYSTEMS: [&str; 4] = ["mortise check", "mortise tester", "Inspector CLI", "fastmcp CLI"];
const TOOL: &str = "get-structured-content";

pub(super) fn run(bench: &Bench<'_>) -> Result<(String, Vec<Series>)> {
    let server = bench.everything()?;
    let lines = [
        check(bench, &server)?,
        tester(bench, &server)?,
        in_turn(bench, "inspector", |options| inspector(bench, &server, options), &inspector_requests())?,
        in_turn(
            bench,
            "fastmcp",
            |options| Ok(fastmcp(bench, &server, &options[..1], &options[1..])),
            &fastmcp_requests(),
        )?,
    ];
    let series = interleave("a list and twenty calls", &SYSTEMS, ROUNDS, |index| {
        let sample = bench.measure(&lines[index], 0)?;
        if index == 0 {
            check_report(bench)?;
        }
        Ok(sample)
    })?;
    let page = format!(
        "{}\n\nThe tools of server-everything listed and `{TOOL}` called {CALLS} times, over stdio. `mortise check` runs \
         {CALLS} cases in one process, `mortise tester` is driven by a minimal client, and both judge every result. The \
         others have no such command: a shell starts them {} times, once for each request. {ROUNDS} rounds.\n\n{}\n",
        sentence(&series),
        CALLS + 1,
        table(&series)
    );
    Ok((page, series))
}

fn check(bench: &Bench<'_>, server: &[String]) -> Result<Vec<String>> {
    let case = json!({"call": TOOL, "arguments": {"location": "Chicago"}});
    let cases = bench.folder.join("twenty.yaml");
    fs::write(&cases, json!({"version": 1, "cases": vec![case; CALLS]}).to_string())?;
    let cases = cases.to_string_lossy().into_owned();
    Ok(with_tail(
        &[&bench.ours("mortise"), "check", "--calls", "0", "--cases", &cases, "--json", "--"],
        server,
    ))
}

/// Every call was made and judged as valid.
fn check_report(bench: &Bench<'_>) -> Result<()> {
    let report: Value = serde_json::from_str(&fs::read_to_string(bench.folder.join("output"))?)?;
    let made = report["servers"][0]["made"].as_array().cloned().unwrap_or_default();
    let valid = made.iter().filter(|call| call["verdict"] == "valid").count();
    ensure!(valid == CALLS, "{valid} of {CALLS} calls are valid");
    Ok(())
}

fn tester(bench: &Bench<'_>, server: &[String]) -> Result<Vec<String>> {
    let (command, args) = server.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    let mut calls = vec![
        json!({"name": "connect_to_server", "arguments": {"command": command, "args": args}}),
        json!({"name": "list_tools", "arguments": {}}),
    ];
    let call = json!({"name": TOOL, "arguments": {"location": "Chicago"}});
    calls.extend(vec![json!({"name": "call_tool", "arguments": call}); CALLS]);
    let requests = bench.folder.join("tester.jsonl");
    let lines: String = calls.iter().map(|call| format!("{call}\n")).collect();
    fs::write(&requests, lines)?;
    let requests = requests.to_string_lossy().into_owned();
    Ok(with_tail(
        &[&bench.ours("examples/raw_client"), "calls", &requests, "wait"],
        &[bench.ours("mortise"), "tester".to_owned()],
    ))
}

fn inspector_requests() -> [Vec<&'static str>; 2] {
    [
        vec!["--method", "tools/list"],
        vec!["--method", "tools/call", "--tool-name", TOOL, "--tool-arg", "location=Chicago"],
    ]
}

fn fastmcp_requests() -> [Vec<&'static str>; 2] {
    [
        vec!["list", "--json"],
        vec!["call", "--target", TOOL, "--input-json", r#"{"location":"Chicago"}"#, "--json"],
    ]
}

/// A shell that starts a command for the list and once more for every call; one that fails ends it.
fn in_turn(
    bench: &Bench<'_>,
    name: &str,
    command: impl Fn(&[&str]) -> Result<Vec<String>>,
    [list, call]: &[Vec<&str>; 2],
) -> Result<Vec<String>> {
    let mut script = String::from("set -e\n");
    for options in std::iter::once(list).chain(std::iter::repeat_n(call, CALLS)) {
        let words: Vec<String> = command(options)?.iter().map(|word| quoted(word)).collect();
        _ = writeln!(script, "{}", words.join(" "));
    }
    let path = bench.folder.join(format!("{name}.sh"));
    fs::write(&path, script)?;
    Ok(vec!["sh".to_owned(), path.to_string_lossy().into_owned()])
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
