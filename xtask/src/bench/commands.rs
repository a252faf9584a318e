//! `mortise tools` and `mortise call` as processes against other command lines, on server-everything over stdio.

use anyhow::Result;

use super::Bench;
use super::series::{Series, interleave, sentence, table};

const SYSTEMS: [&str; 5] = ["mortise", "raw client", "raw client that kills", "Inspector CLI", "fastmcp CLI"];

pub(super) fn run(bench: &Bench<'_>) -> Result<(String, Vec<Series>)> {
    let server = bench.everything()?;
    let mut page = String::from(
        "One process each, the server included: start it, shake hands, ask, print, end. The raw client is the floor: \
         no validation, no second page, one fixed request. Like mortise it closes the server's input and waits until \
         the server has left, as the protocol asks; this server takes some 0.3 s for that. The row below it shows a \
         client that kills the server as soon as the answer is there. Goals: at most 1.15 of the raw client, and a \
         quarter of Inspector.\n\n",
    );
    let mut raw = Vec::new();
    for (title, lines) in [("tools", list(bench, &server)?), ("call", call(bench, &server)?)] {
        let series = interleave(title, &SYSTEMS, bench.rounds, |index| bench.measure(&lines[index], 0))?;
        page.push_str(&format!("### mortise {title}\n\n{}\n\n{}\n", sentence(&series), table(&series)));
        raw.extend(series.into_iter().map(|it| Series { system: format!("{title}: {}", it.system), ..it }));
    }
    Ok((page, raw))
}

fn list(bench: &Bench<'_>, server: &[String]) -> Result<[Vec<String>; 5]> {
    Ok([
        with_tail(&[&bench.ours("mortise"), "tools", "--json", "--"], server),
        with_tail(&[&bench.ours("examples/raw_client"), "list", "wait"], server),
        with_tail(&[&bench.ours("examples/raw_client"), "list", "kill"], server),
        inspector(bench, server, &["--method", "tools/list"])?,
        fastmcp(bench, server, &["list"], &["--json"]),
    ])
}

fn call(bench: &Bench<'_>, server: &[String]) -> Result<[Vec<String>; 5]> {
    let tool = "get-structured-content";
    Ok([
        with_tail(&[&bench.ours("mortise"), "call", tool, "location=Chicago", "--json", "--"], server),
        with_tail(&[&bench.ours("examples/raw_client"), "call", "wait"], server),
        with_tail(&[&bench.ours("examples/raw_client"), "call", "kill"], server),
        inspector(
            bench,
            server,
            &["--method", "tools/call", "--tool-name", tool, "--tool-arg", "location=Chicago"],
        )?,
        fastmcp(
            bench,
            server,
            &["call"],
            &["--target", tool, "--input-json", r#"{"location":"Chicago"}"#, "--json"],
        ),
    ])
}

pub(super) fn with_tail(head: &[&str], tail: &[String]) -> Vec<String> {
    head.iter().map(|word| (*word).to_owned()).chain(tail.iter().cloned()).collect()
}

pub(super) fn inspector(bench: &Bench<'_>, server: &[String], options: &[&str]) -> Result<Vec<String>> {
    let launcher = bench.npm_file("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    let node = bench.packages.node()?.to_string_lossy().into_owned();
    let mut words = with_tail(&[&node, &launcher, "--cli"], server);
    words.extend(options.iter().map(|option| (*option).to_owned()));
    Ok(words)
}

pub(super) fn fastmcp(bench: &Bench<'_>, server: &[String], head: &[&str], tail: &[&str]) -> Vec<String> {
    let program = bench.packages.python_program("fastmcp").to_string_lossy().into_owned();
    let mut words = vec![program];
    words.extend(head.iter().map(|word| (*word).to_owned()));
    words.extend(["--command".to_owned(), server.join(" ")]);
    words.extend(tail.iter().map(|word| (*word).to_owned()));
    words
}
