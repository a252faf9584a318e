//! Checking servers: every kind of trouble is found, once, and nothing is made up.

use std::time::Duration;

use mortise_client::secret::Secret;
use mortise_client::server_config::{HttpConfig, InProcess, ServerConfig, StdioConfig, Transport};
use mortise_client::{Pool, PoolOptions, Restart, Upstream};
use mortise_contract::ServerName;
use mortise_samples::mock::{Mock, Script};
use mortise_tester::check::{
    Calling, CaseFile, CheckReport, CheckRule, Class, FindingSeverity, Format, Plan, ServerReport,
    Verification, check_server, unreachable_server,
};
use serde_json::Value;

use crate::support::{environment, tested_server};

pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn pool(transport: Transport) -> (Pool, Upstream) {
    let mut options = PoolOptions::new(environment());
    options.restart = Restart::Never;
    let mut pool = Pool::new(options);
    let upstream = pool.add(ServerConfig::new(ServerName::parse("mock").unwrap(), transport)).unwrap();
    (pool, upstream)
}

pub(crate) async fn check(scenarios: &str, plan: Plan, cases: &[CaseFile]) -> ServerReport {
    let mock = Mock::parse(scenarios).unwrap();
    let (_pool, upstream) = pool(Transport::InProcess(InProcess::new(move || mock.connect())));
    upstream.ready(PATIENCE).await.unwrap();
    check_server(&upstream, &plan, cases).await
}

pub(crate) fn quick() -> Plan {
    Plan { calls_per_tool: 4, timeout: Duration::from_secs(2), ..Plan::default() }
}

fn codes(report: &ServerReport, at_least: FindingSeverity) -> Vec<String> {
    let findings = report.findings.iter().filter(|finding| finding.severity >= at_least);
    findings
        .map(|finding| format!("{} {}", finding.rule.code(), finding.tool.as_deref().unwrap_or("-")))
        .collect()
}

pub(crate) fn tools_that_are(report: &ServerReport, standing: Verification) -> Vec<&str> {
    let tools = report.standings.iter().filter(|tool| tool.standing == standing);
    tools.map(|tool| tool.tool.as_str()).collect()
}

#[tokio::test]
async fn a_server_that_behaves_has_nothing_broken() {
    let report = check("ok", Plan::default(), &[]).await;
    assert_eq!(codes(&report, FindingSeverity::Error), [] as [String; 0]);
    // The mock's echo takes anything, though its schema wants a text.
    assert_eq!(codes(&report, FindingSeverity::Warning), ["invalid_accepted echo"]);
    assert!(report.calls > 10, "{}", report.calls);
    let (_, coverage) = report.coverage.iter().find(|(tool, _)| tool == "add").unwrap();
    assert_eq!((coverage.seen(), coverage.declared.len()), (1, 1));
}

#[tokio::test]
async fn only_the_tool_that_ends_the_server_is_blamed() {
    let report = check("tools=4 die-before=3", quick(), &[]).await;
    assert_eq!(codes(&report, FindingSeverity::Error), ["crashed echo"], "{:#?}", report.findings);
    assert_eq!(tools_that_are(&report, Verification::NotCalled), [] as [&str; 0]);
}

#[tokio::test]
async fn an_unusable_schema_is_found_without_a_call() {
    let plan = Plan { calls_per_tool: 0, ..Plan::default() };
    for scenario in ["schema-external", "schema-invalid", "schema-dialect", "schema-dangling"] {
        let report = check(scenario, plan.clone(), &[]).await;
        assert!(report.findings.has(CheckRule::SchemaUnusable), "{scenario}: {:#?}", report.findings);
        assert_eq!(report.calls, 0);
        assert!(codes(&report, FindingSeverity::Warning).contains(&"nothing_checked -".to_owned()));
        assert!(!codes(&report, FindingSeverity::Error).contains(&"nothing_checked -".to_owned()));
    }
    let report = check("output-schema-empty", plan, &[]).await;
    assert!(report.findings.has(CheckRule::LooseSchema), "{:#?}", report.findings);
}

#[tokio::test]
async fn tools_that_may_change_something_are_named_and_not_called() {
    // The tool `change` has no readOnlyHint.
    let report = check("dynamic", quick(), &[]).await;
    assert!(tools_that_are(&report, Verification::NotCalled).contains(&"change"), "{:#?}", report.standings);
    let plan = Plan { calling: Calling::ReadOnlyAnd(vec!["change".to_owned()]), ..quick() };
    let report = check("dynamic", plan, &[]).await;
    assert!(!tools_that_are(&report, Verification::NotCalled).contains(&"change"));
}

#[tokio::test]
async fn nothing_checked_is_a_finding_of_its_own() {
    let report = check("no-tools", quick(), &[]).await;
    assert_eq!(codes(&report, FindingSeverity::Error), ["nothing_checked -"]);
    let report = CheckReport::begin(0).finish(vec![report]);
    assert_eq!(report.class(FindingSeverity::Error), Class::Failed);
    let report = check("ok", Plan { calling: Calling::None, ..quick() }, &[]).await;
    assert!(report.calls == 0 && !report.findings.has(CheckRule::NothingChecked), "{:#?}", report.findings);
}

#[tokio::test]
async fn cases_for_another_server_are_no_reason_to_call_this_one() {
    let text = "version: 1\nserver: other\ncases: [{call: echo}]";
    let file = CaseFile::parse(text, "c.yaml").unwrap();
    let report = check("ok", Plan { calls_per_tool: 0, ..Plan::default() }, &[file]).await;
    assert_eq!(codes(&report, FindingSeverity::Error), [] as [String; 0]);
    assert!(report.findings.has(CheckRule::NothingChecked));
}

#[tokio::test]
async fn the_same_seed_makes_the_same_calls() {
    let run = async |seed: u64| {
        let mock = Mock::parse("ok").unwrap();
        let kept = mock.clone();
        let (_pool, upstream) = pool(Transport::InProcess(InProcess::new(move || mock.connect())));
        upstream.ready(PATIENCE).await.unwrap();
        check_server(&upstream, &Plan { seed, calls_per_tool: 20, ..Plan::default() }, &[]).await;
        let calls = kept.received().into_iter().filter(|message| message["method"] == "tools/call");
        calls.map(|call| call["params"]["arguments"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(run(1).await, run(1).await);
    assert_ne!(run(1).await, run(2).await);
}

#[tokio::test]
async fn cases_pass_and_fail_as_they_say() {
    let file = CaseFile::parse(
        "
version: 1
variables: {word: hello, kind: integers}
setup:
  - {call: add, arguments: {a: 1, b: 2}, save: {three: /sum}}
cases:
  - {name: echoes, call: echo, arguments: {text: '${word}'}, expect: {value: {text: hello}, at: {/text: hello}, text: hello, within_ms: 10000}}
  - {name: adds, call: add, arguments: {a: '${three}', b: 4}, expect: {value: {sum: 7}, schema: {required: [sum]}}}
  - {name: refuses, call: add, arguments: {a: x}, expect: {error: {text: must be integers}}}
  - {name: wrong value, call: add, arguments: {a: 1, b: 1}, expect: {value: {sum: 3}}}
  - {name: wrong place, call: echo, expect: {at: {/nope: 1}}}
  - {name: no error, call: echo, expect: {error: {}}}
  - {name: no tool, call: nope}
  - {name: no variable, call: echo, arguments: {text: '${nope}'}}
  - {name: filled, call: echo, arguments: {text: hello}, expect: {text: '${word}', schema: {properties: {text: {const: '${word}'}}}}}
  - {name: slow refusal, call: add, arguments: {a: x}, expect: {error: {text: 'must be ${kind}'}, text: nope, at: {/x: 1}}}
  - {name: all of it, call: echo, arguments: {text: b}, expect: {value: {text: a}, at: {/text: c}, text: zzz}}
  - {name: all of it, call: echo, arguments: {text: b}, expect: {value: {text: a}}}
teardown:
  - {call: echo}
",
        "cases.yaml",
    )
    .unwrap();
    let plan = Plan { calls_per_tool: 0, ..Plan::default() };
    let report = check("ok", plan, &[file]).await;
    let outcomes: Vec<(&str, Option<&str>)> =
        report.cases.iter().map(|case| (case.name.as_str(), case.problem.as_deref())).collect();
    assert_eq!(
        outcomes,
        [
            ("add", None),
            ("echoes", None),
            ("adds", None),
            ("refuses", None),
            ("wrong value", Some("{\"sum\":3} was expected and {\"sum\":2} came")),
            ("wrong place", Some("1 was expected at `/nope` and nothing is there")),
            ("no error", Some("an error was expected, and it succeeded")),
            ("no tool", Some("there is no tool `nope`")),
            ("no variable", Some("there is no variable `nope`")),
            ("filled", None),
            (
                "slow refusal",
                Some("the text does not hold `nope`; 1 was expected at `/x` and nothing is there")
            ),
            (
                "all of it",
                Some(
                    "the text does not hold `zzz`; {\"text\":\"a\"} was expected and {\"text\":\"b\"} came; \
                     \"c\" was expected at `/text` and \"b\" came"
                )
            ),
            ("all of it (2)", Some("{\"text\":\"a\"} was expected and {\"text\":\"b\"} came")),
            ("echo", None),
        ]
    );
    assert_eq!(report.findings.count(FindingSeverity::Error), 8);
    let report = CheckReport::begin(0).finish(vec![report]);
    assert!(report.render(Format::Junit).contains("failures=\"8\""));
}

#[tokio::test]
async fn a_setup_that_fails_keeps_the_cases_from_running() {
    let text =
        "version: 1\nsetup: [{call: nope}]\ncases: [{name: never, call: echo}]\nteardown: [{call: echo}]";
    let file = CaseFile::parse(text, "c.yaml").unwrap();
    let report = check("ok", Plan { calls_per_tool: 0, ..Plan::default() }, &[file]).await;
    assert_eq!(report.cases[1].problem.as_deref(), Some("not run, since the setup failed"));
    assert_eq!(report.cases[2].problem, None);
    assert_eq!(report.calls, 1);
}

#[tokio::test]
async fn a_server_that_can_not_be_reached_is_a_finding() {
    let stdio = StdioConfig::new(tested_server(), vec!["die-at-start=3".to_owned()]);
    let (_pool, upstream) = pool(Transport::Stdio(stdio));
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    let report = CheckReport::begin(0).finish(vec![unreachable_server(&upstream, &error)]);
    assert_eq!(report.class(FindingSeverity::Error), Class::Unreachable);
    assert_eq!(report.count(FindingSeverity::Error), 1);
    let finding = report.servers[0].findings.iter().next().unwrap();
    assert!(finding.evidence.response.contains("mock: no such database"), "{finding:#?}");
    assert!(finding.evidence.request.starts_with("start "), "{finding:#?}");
}

#[tokio::test]
async fn no_part_of_a_report_repeats_a_secret() {
    let mut config = StdioConfig::new(tested_server(), vec!["lie-mismatch".to_owned()]);
    // What the mock says of itself in every answer.
    config.env.insert("KEY".to_owned(), Secret::new("not a text"));
    let (_pool, upstream) = pool(Transport::Stdio(config));
    upstream.ready(PATIENCE).await.unwrap();
    let text =
        "version: 1\ncases: [{name: x, call: add, arguments: {a: 1, b: 2}, expect: {value: not a text}}]";
    let file = CaseFile::parse(text, "c.yaml").unwrap();
    let report = check_server(&upstream, &quick(), &[file]).await;
    let report = CheckReport::begin(0).finish(vec![report]);
    for format in [Format::Json, Format::Junit, Format::Sarif, Format::Html] {
        let text = report.render(format);
        assert!(text.contains("[redacted]") && !text.contains("not a text"), "{text}");
    }
}

#[tokio::test]
async fn no_name_in_a_report_repeats_a_token() {
    let script = "version: 1
tools: [{declaration: {name: get_s3cr3t-t0ken, inputSchema: {type: object}, outputSchema: {type: object, properties: {n: {type: integer}}}, annotations: {readOnlyHint: true}}, result: {content: [], structuredContent: {n: 1, s3cr3t-t0ken: 2}}}]";
    let mock = Mock::new(Script::parse(script).unwrap().plan, 0);
    let http = mock.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let mut config = HttpConfig::new(http.url());
    config.bearer = Some(Secret::new("s3cr3t-t0ken"));
    let (_pool, upstream) = pool(Transport::Http(config));
    upstream.ready(PATIENCE).await.unwrap();
    let text = "version: 1\ncases: [{name: s3cr3t-t0ken, call: get_s3cr3t-t0ken, expect: {value: 7}}]";
    let file = CaseFile::parse(text, "c.yaml").unwrap();
    let report = check_server(&upstream, &quick(), &[file]).await;
    assert_eq!(report.tools, ["get_[redacted]"]);
    let report = CheckReport::begin(0).finish(vec![report]);
    for format in [Format::Json, Format::Junit, Format::Sarif, Format::Html] {
        let text = report.render(format);
        assert!(text.contains("get_[redacted]") && !text.contains("s3cr3t"), "{text}");
    }
    // Its case has failed, and says so where a build server looks.
    assert!(report.render(Format::Junit).contains("name=\"[redacted]\" classname=\"mock.c.yaml\""));
    assert!(report.render(Format::Junit).contains("<failure message=\"case_failed: [redacted]: "));
}

#[tokio::test]
async fn a_common_word_of_the_environment_stays_in_the_names_of_cases() {
    let mut config = StdioConfig::new(tested_server(), Vec::new());
    for (name, value) in [("FORMAT", "json"), ("STYLE", "yaml")] {
        config.env.insert(name.to_owned(), Secret::new(value));
    }
    let (_pool, upstream) = pool(Transport::Stdio(config));
    upstream.ready(PATIENCE).await.unwrap();
    let case =
        |name: &str| format!("{{name: {name}, call: add, arguments: {{a: 1, b: 2}}, expect: {{value: 7}}}}");
    let text = format!("version: 1\ncases: [{}, {}]", case("returns json"), case("returns yaml"));
    let file = CaseFile::parse(&text, "c.yaml").unwrap();
    let report = check_server(&upstream, &Plan { calls_per_tool: 0, ..quick() }, &[file]).await;
    let names: Vec<&str> = report.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["returns json", "returns yaml"]);
    // Each has failed on its own account.
    let failed = report.findings.iter().filter(|finding| finding.rule == CheckRule::CaseFailed);
    assert_eq!(failed.map(|finding| finding.count).collect::<Vec<_>>(), [1, 1], "{:#?}", report.findings);
}

#[tokio::test]
async fn what_a_case_shows_counts_as_much_as_what_was_made_up() {
    // Refuses what is made up, and knows what the case asks for.
    let script = "version: 1
tools: [{declaration: {name: t, inputSchema: {type: object, properties: {a: {type: string}}, required: [a]}, outputSchema: {type: object, properties: {n: {type: integer}}}, annotations: {readOnlyHint: true}}, result: {}}]
rules:
  - {method: tools/call, times: 4, steps: [{result: {isError: true, content: []}}]}
  - {method: tools/call, steps: [{result: {content: [], structuredContent: {n: 1}}}]}";
    let cases = CaseFile::parse("version: 1\ncases: [{call: t, arguments: {a: known}}]", "c.yaml").unwrap();
    for (cases, is_known) in [(vec![], false), (vec![cases], true)] {
        let mock = Mock::new(Script::parse(script).unwrap().plan, 0);
        let (_pool, upstream) = pool(Transport::InProcess(InProcess::new(move || mock.connect())));
        upstream.ready(PATIENCE).await.unwrap();
        let report = check_server(&upstream, &quick(), &cases).await;
        assert_eq!(report.findings.has(CheckRule::NeverSucceeded), !is_known, "{:#?}", report.findings);
        assert_eq!(report.coverage[0].1.seen(), usize::from(is_known), "{:#?}", report.coverage);
    }
}

#[tokio::test]
async fn a_case_whose_error_is_another_says_which_was_expected() {
    for (scenario, expect, problem) in [
        (
            "tool-error",
            "{text: closed}",
            "an error that says `closed` was expected, and it says: the text is on holiday",
        ),
        (
            "rpc-error",
            "{code: -32602}",
            "the JSON-RPC error -32602 was expected, and this came: server error -32603: the database is down",
        ),
        (
            "rpc-error",
            "{text: closed}",
            "an error that says `closed` was expected, and this came: server error -32603: the database is down",
        ),
    ] {
        let text = format!("version: 1\ncases: [{{call: echo, expect: {{error: {expect}}}}}]");
        let file = CaseFile::parse(&text, "c.yaml").unwrap();
        let report = check(scenario, Plan { calls_per_tool: 0, ..quick() }, &[file]).await;
        assert_eq!(report.cases[0].problem.as_deref(), Some(problem), "{scenario}");
    }
}
