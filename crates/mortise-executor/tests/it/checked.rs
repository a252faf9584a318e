//! Programs are checked before they run.

use mortise_contract::Mode;
use mortise_executor::check::{CheckMode, CheckRequest};
use serde_json::json;

use crate::bench::{Bench, PATIENCE, Setup};
use crate::servers::{Received, broken, mock, promising, scripted};

/// A server with one tool that declares its rows, and what it was asked.
fn market() -> (mortise_client::server_config::ServerConfig, Received) {
    let mut tool = promising(
        "rows",
        json!({ "type": "object", "required": ["rows"], "properties": { "rows": { "type": "array", "items": {
            "type": "object", "properties": { "day": { "type": "string" }, "revenue": { "type": "number" } },
            "required": ["day", "revenue"],
        } } } }),
    );
    tool["inputSchema"] =
        json!({ "type": "object", "properties": { "ticker": { "type": "string" } }, "required": ["ticker"] });
    scripted("market", vec![tool], |request| {
        let structured = json!({ "rows": [{ "day": "1", "revenue": 2.5, "dividend": 1 }] });
        let result = json!({ "content": [], "structuredContent": structured });
        vec![mortise_testkit::answer(request, result)]
    })
}

/// Starts it and waits until the checker is warm: tests are built without optimisation.
async fn start(setup: Setup) -> Bench {
    let bench = setup.start().await;
    let checker = bench.executor().checker().clone();
    let first =
        CheckRequest::new("import json\nprint(json.dumps([n for n in range(3)]))\n", CheckMode::Guard);
    let report = checker.check_in_process(first, "first", 4 * PATIENCE).await;
    assert_eq!(report.unchecked, None);
    bench
}

fn calls(received: &Received) -> usize {
    received.lock().unwrap().iter().filter(|request| request["method"] == "tools/call").count()
}

const WRONG: &str =
    "found = await mcp__market__rows(ticker='A')\nprint(sum(row['revenu'] for row in found['rows']))\n";

#[tokio::test]
async fn a_program_that_surely_fails_is_refused_before_anything_is_called() {
    let (config, received) = market();
    let bench = start(Setup::of([config]).check(CheckMode::Guard)).await;
    let refused = bench.run(WRONG).await;
    assert!(refused.is_error);
    insta::assert_snapshot!(refused.text, @r#"
    [Script execution failed]
    CheckError: 1 problem found; no tool was called

    line 2, column 15: the declared shape has no key "revenu"; did you mean `revenue`?
        print(sum(row['revenu'] for row in found['rows']))
                      ^^^^^^^^
      declared: MarketRowsResultRowsItem = {day: str, revenue: int | float}

    To run the program as it is, pass check="off" (mortise run: --check off).
    "#);
    assert_eq!(refused.facts["error"]["type"], "CheckError");
    assert_eq!(refused.facts["error"]["line"], 2);
    assert_eq!(refused.facts["check"]["refusals"][0]["nearest"], "revenue");
    assert_eq!(refused.facts["ledger"]["calls"], 0);
    assert_eq!(calls(&received), 0);

    let ran = bench.call("execute_program", json!({ "code": WRONG, "check": "off" })).await;
    assert!(ran.text.contains("KeyError: 'revenu'"), "{}", ran.text);
    assert_eq!(calls(&received), 1);
}

#[tokio::test]
async fn what_a_refused_program_did_meanwhile_is_gone() {
    let (config, received) = market();
    let bench = start(Setup::of([config]).check(CheckMode::Guard)).await;
    // It has printed and computes for ever, or waits with its call, before the check is done.
    for start in ["print('early')\nn = 0\nwhile n >= 0:\n    n += 1\n", "print('early')\nemit(1)\n"] {
        let refused = bench.run(&format!("{start}{WRONG}")).await;
        assert!(
            refused.text.starts_with("[Script execution failed]\nCheckError: 1 problem"),
            "{}",
            refused.text
        );
        assert_eq!(refused.facts["output"], "");
        assert_eq!(refused.facts["result"], json!(null));
        assert_eq!(refused.facts["ledger"]["calls"], 0);
    }
    assert_eq!(calls(&received), 0);
}

#[tokio::test]
async fn warnings_come_with_the_result_and_beside_its_text() {
    let bench = start(Setup::of([market().0]).check(CheckMode::Guard)).await;
    let code = "found = await mcp__market__rows(ticker='A')\nprint(found['rows'][0]['dividend'])\n";
    let ran = bench.run(code).await;
    assert_eq!(ran.text, "[Script executed successfully]\n1\n");
    let warning = ran.result["content"][1]["text"].as_str().unwrap();
    assert!(warning.contains("the declared shape has no key \"dividend\""), "{warning}");
    assert_eq!(ran.facts["check"]["warnings"][0]["rule"], "unknown_key");
    let strict = bench.call("execute_program", json!({ "code": code, "check": "strict" })).await;
    assert!(strict.is_error);
    assert_eq!(strict.facts["ledger"]["calls"], 0);
}

#[tokio::test]
async fn nothing_to_say_is_nothing_said() {
    let bench = start(Setup::of([market().0]).check(CheckMode::Guard)).await;
    let ran = bench.run("print((await mcp__market__rows(ticker='A'))['rows'][0]['revenue'])").await;
    assert_eq!(ran.text, "[Script executed successfully]\n2.5\n");
    assert_eq!(ran.result["content"].as_array().unwrap().len(), 1);
    assert_eq!(ran.facts.get("check"), None);
}

#[tokio::test]
async fn without_validation_output_shapes_never_refuse() {
    let bench = start(Setup::of([market().0]).mode(Mode::Off).check(CheckMode::Guard)).await;
    let ran = bench.run(WRONG).await;
    assert!(ran.text.contains("KeyError: 'revenu'"), "{}", ran.text);
    let arguments = bench.run("print(await mcp__market__rows(tickr='A'))").await;
    assert!(arguments.text.contains("has no argument `tickr`; did you mean `ticker`?"), "{}", arguments.text);
}

#[tokio::test]
async fn tools_of_a_server_that_is_away_are_not_unknown() {
    let bench = start(Setup::of([broken("gone"), mock("m", "ok")]).check(CheckMode::Guard)).await;
    let away = bench.run("print(await mcp__gone__anything())").await;
    assert!(!away.text.contains("CheckError"), "{}", away.text);
    let unknown = bench.run("print(await mcp__m__ecko(text='x'))").await;
    let said = "ToolError: 'mcp__m__ecko' is not available in execute_program; did you mean `mcp__m__echo`?";
    assert!(unknown.text.contains("CheckError") && unknown.text.contains(said), "{}", unknown.text);
}

#[tokio::test]
async fn check_program_says_what_execute_program_would() {
    let (config, received) = market();
    let bench = start(Setup::of([config])).await;
    let wrong = bench.call("check_program", json!({ "code": WRONG })).await;
    assert!(!wrong.is_error);
    assert_eq!((&wrong.facts["ok"], &wrong.facts["mode"]), (&json!(false), &json!("guard")));
    assert!(wrong.text.starts_with("CheckError: 1 problem"), "{}", wrong.text);
    let right = bench.call("check_program", json!({ "code": "print(1)", "check": "strict" })).await;
    assert_eq!((right.text.as_str(), &right.facts["ok"]), ("No problems found.", &json!(true)));
    assert_eq!(calls(&received), 0);
}

#[tokio::test]
async fn check_program_does_not_read_what_is_too_long_to_run() {
    let bench = Setup::of([]).limits(|limits| limits.source = 100).start().await;
    let checked = bench.call("check_program", json!({ "code": "#".repeat(101) })).await;
    let said = "The program was not checked: the program is 101 bytes long; the limit is 100 bytes \
                (max_source_bytes=100).";
    assert_eq!(checked.text, said);
}

#[tokio::test]
async fn swapped_letters_are_one_slip() {
    let bench = start(Setup::of([mock("m", "ok")]).check(CheckMode::Guard)).await;
    let unknown = bench.run("print(await mcp__m__ehco(text='x'))").await;
    assert!(unknown.text.contains("did you mean `mcp__m__echo`?"), "{}", unknown.text);
}

#[tokio::test]
async fn a_tool_by_the_name_of_its_server_is_named_as_programs_call_it() {
    let bench = start(Setup::of([mock("m", "ok")]).check(CheckMode::Guard)).await;
    let unknown = bench.run("print(await echo(text='x'))").await;
    let said =
        "`echo` is not defined: tools are called `mcp__server__tool(...)`; did you mean `mcp__m__echo`?";
    assert!(unknown.text.contains(said), "{}", unknown.text);
    // What is not called is no tool.
    let unknown = bench.run("print(echo)").await;
    assert!(!unknown.text.contains("mcp__m__echo"), "{}", unknown.text);
}

#[tokio::test]
async fn a_tool_that_several_servers_have_is_suggested_of_each() {
    let bench = start(Setup::of([mock("a", "ok"), mock("b", "ok")]).check(CheckMode::Guard)).await;
    let both = "did you mean `mcp__a__echo` or `mcp__b__echo`?";
    for code in ["print(await echo(text='x'))", "print(await mcp__files__echo(text='x'))"] {
        let unknown = bench.run(code).await;
        assert!(unknown.text.contains(both), "{}", unknown.text);
        let finding = &unknown.facts["check"]["refusals"][0];
        assert!(finding["message"].as_str().unwrap().ends_with(both), "{finding}");
    }
    let slip = bench.run("print(await mcp__b__ehco(text='x'))").await;
    assert!(slip.text.contains("did you mean `mcp__b__echo`?"), "{}", slip.text);
}

/// What the check says about modules is what the interpreter has.
#[tokio::test]
async fn modules_are_refused_exactly_where_python_has_none() {
    let bench = start(Setup::of([]).check(CheckMode::Guard)).await;
    let listed = "import importlib, sys\n\
        for name in sorted(sys.stdlib_module_names):\n\
        \x20   if name.startswith('_') or name in ('antigravity', 'this'):\n\
        \x20       continue\n\
        \x20   try:\n\
        \x20       importlib.import_module(name)\n\
        \x20       print('there', name)\n\
        \x20   except ImportError:\n\
        \x20       print('gone', name)\n";
    let printed = bench.prints(listed).await;
    let all: Vec<(&str, &str)> = printed.lines().filter_map(|line| line.split_once(' ')).collect();
    assert!(all.len() > 150, "{printed}");
    for some in all.chunks(20) {
        let source: String = some.iter().map(|(_, name)| format!("import {name}\n")).collect();
        let checker = bench.executor().checker().clone();
        let request = CheckRequest::new(source, CheckMode::Guard);
        let report = checker.check_in_process(request, "modules", 4 * PATIENCE).await;
        assert_eq!(report.unchecked, None);
        let refused: Vec<&str> = report.refusals().map(|finding| some[finding.line - 1].1).collect();
        let gone = some.iter().filter(|(state, _)| *state == "gone");
        assert_eq!(refused, gone.map(|(_, name)| *name).collect::<Vec<_>>());
    }
}

/// What the check says about names of modules is what the interpreter has.
#[tokio::test]
async fn names_that_a_module_has_are_not_refused() {
    const MODULES: [&str; 12] = [
        "asyncio",
        "collections",
        "dataclasses",
        "datetime",
        "functools",
        "itertools",
        "json",
        "math",
        "random",
        "re",
        "statistics",
        "typing",
    ];
    let bench = start(Setup::of([]).check(CheckMode::Guard)).await;
    for module in MODULES {
        let listed = format!("import {module}\nprint(*(name for name in dir({module}) if name[0] != '_'))\n");
        let printed = bench.prints(&listed).await;
        let names: Vec<&str> = printed.split_whitespace().collect();
        assert!(names.len() > 5, "{printed}");
        let source: String = names.iter().map(|name| format!("from {module} import {name}\n")).collect();
        let checker = bench.executor().checker().clone();
        let report = checker
            .check_in_process(CheckRequest::new(source, CheckMode::Guard), "names", 4 * PATIENCE)
            .await;
        assert_eq!(report.unchecked, None, "{module}");
        let refused: Vec<&str> = report.refusals().map(|finding| names[finding.line - 1]).collect();
        assert!(
            refused.is_empty(),
            "{module}: {refused:?}; add them to `beyond_stubs.txt` of mortise-typecheck"
        );
    }
}
