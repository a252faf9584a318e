//! The matrix: every kind of trouble is found exactly once, with evidence and a fix.

use std::time::Duration;

use mortise_samples::mock::{Mock, Script};
use mortise_tester::check::{Finding, Plan, Rule, ServerReport, check_server, unreachable_server};
use mortise_upstream::server_config::{HttpConfig, InProcess, Transport};

use crate::checking::{PATIENCE, check, pool, quick};

/// Asserts that there is one finding of the rule about the tool, and gives it back.
#[track_caller]
fn once<'a>(report: &'a ServerReport, rule: Rule, tool: Option<&str>, what: &str) -> &'a Finding {
    let found: Vec<&Finding> = report
        .findings
        .iter()
        .filter(|finding| finding.rule == rule && finding.tool.as_deref() == tool)
        .collect();
    assert_eq!(found.len(), 1, "{what}: {:#?}", report.findings);
    for finding in report.findings.iter() {
        assert!(!finding.message.is_empty() && !finding.fix.is_empty(), "{what}: {finding:#?}");
        assert!(!finding.evidence.is_empty(), "{what}: {finding:#?}");
    }
    found[0]
}

#[tokio::test]
async fn every_kind_of_trouble_is_found_once() {
    for (scenario, rule, tool) in [
        ("lie-mismatch", Rule::ContractViolation, Some("echo")),
        ("lie-missing", Rule::ContractViolation, Some("echo")),
        ("lie-text", Rule::OnlyText, Some("echo")),
        ("lie-mirror", Rule::TextDisagrees, Some("echo")),
        ("lie-format", Rule::FormatMismatch, Some("echo")),
        ("rpc-error", Rule::InternalError, Some("echo")),
        ("die-before=3", Rule::Crashed, Some("echo")),
        ("hang", Rule::TimedOut, Some("echo")),
        ("tool-error", Rule::NeverSucceeded, Some("echo")),
        ("task-required", Rule::OddDeclaration, Some("long_job")),
        ("slow=300", Rule::Slow, Some("echo")),
        ("banner", Rule::StdoutNoise, None),
        ("tool-not-object", Rule::RejectedTool, None),
        ("no-content", Rule::ProtocolFault, Some("echo")),
        ("structured-without-schema", Rule::NoOutputSchema, Some("echo")),
        ("schema-external", Rule::SchemaUnusable, Some("bad")),
        ("output-schema-empty", Rule::LooseSchema, Some("bad")),
        ("ok", Rule::InvalidAccepted, Some("echo")),
        ("no-tools", Rule::NothingChecked, None),
        ("duplicate-keys", Rule::DuplicateKey, Some("echo")),
        ("declared-twice", Rule::DuplicateKey, Some("again")),
        ("lone-surrogate", Rule::Unchecked, Some("echo")),
        ("duplicate-response", Rule::ProtocolFault, None),
    ] {
        let plan = Plan { slow: Duration::from_millis(200), ..quick() };
        once(&check(scenario, plan, &[]).await, rule, tool, scenario);
    }
}

/// Checks a server that answers as a script says.
async fn scripted(script: &str) -> ServerReport {
    let script = Script::parse(script).unwrap();
    let mock = Mock::new(script.plan, 0);
    let (_pool, upstream) = pool(Transport::InProcess(InProcess::new(move || mock.connect())));
    upstream.ready(PATIENCE).await.unwrap();
    check_server(&upstream, &quick(), &[]).await
}

/// One tool that takes a text; the schema of its output and what it answers are given.
fn tool(input: &str, output: &str, steps: &str) -> String {
    format!(
        "version: 1\ntools: [{{declaration: {{name: t, inputSchema: {input}, outputSchema: {output}, annotations: {{readOnlyHint: true}}}}, result: {{}}}}]\n\
         rules: [{{method: tools/call, steps: [{{{steps}}}]}}]"
    )
}

const INPUT: &str = "{type: object, properties: {a: {type: string}}, required: [a]}";
const OUTPUT: &str = "{type: object, properties: {n: {type: integer}, m: {type: integer}}}";

#[tokio::test]
async fn what_is_declared_and_never_seen_and_what_is_seen_and_not_declared() {
    let result = "result: {content: [], structuredContent: {n: 1, more: 2}}";
    let report = scripted(&tool(INPUT, OUTPUT, result)).await;
    let never = once(&report, Rule::NeverSeen, Some("t"), "never seen");
    assert!(never.message.ends_with("never seen: /m"), "{}", never.message);
    let undeclared = once(&report, Rule::Undeclared, Some("t"), "undeclared");
    assert_eq!(undeclared.message, "seen and not declared: /more");
    assert_eq!(undeclared.evidence.pointer, "/more");
    assert!(undeclared.evidence.response.contains("\"more\":2"), "{undeclared:#?}");
}

#[tokio::test]
async fn a_tool_that_refuses_everything_never_succeeds_however_it_refuses() {
    let report = scripted(&tool(INPUT, OUTPUT, "error: {code: -32602, message: no}")).await;
    let refused = once(&report, Rule::ValidRefused, Some("t"), "valid refused");
    assert!(refused.evidence.request.starts_with("tools/call t {"), "{refused:#?}");
    assert_eq!(refused.evidence.response, "error -32602: no");
    once(&report, Rule::NeverSucceeded, Some("t"), "never succeeded");
    // The valid ones with a tool error, the invalid ones with a code.
    let script = format!(
        "{}\nrules:\n  - {{method: tools/call, times: 1, steps: [{{result: {{isError: true, content: []}}}}]}}\n  \
         - {{method: tools/call, steps: [{{error: {{code: -32602, message: no}}}}]}}",
        tool(INPUT, OUTPUT, "hang: true").split("\nrules").next().unwrap()
    );
    once(&scripted(&script).await, Rule::NeverSucceeded, Some("t"), "never succeeded");
}

#[tokio::test]
async fn what_providers_refuse_is_told_by_the_lint() {
    let input = "{type: object, properties: {a: {type: string}}, anyOf: [{required: [a]}, {required: [b]}]}";
    let report =
        scripted(&tool(input, OUTPUT, "result: {content: [], structuredContent: {n: 1, m: 1}}")).await;
    let refused: Vec<&Finding> =
        report.findings.iter().filter(|finding| finding.rule == Rule::Portability).collect();
    assert!(!refused.is_empty(), "{:#?}", report.findings);
    let mut messages: Vec<&str> = refused.iter().map(|finding| finding.message.as_str()).collect();
    messages.sort_unstable();
    messages.dedup();
    assert_eq!(messages.len(), refused.len(), "each once: {messages:#?}");
    assert!(
        refused.iter().all(|finding| finding.evidence.pointer.starts_with("/inputSchema")),
        "{refused:#?}"
    );
}

#[tokio::test]
async fn a_server_that_wants_a_login_says_so() {
    let mock = Mock::parse("http-401").unwrap();
    let http = mock.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let (_pool, upstream) = pool(Transport::Http(HttpConfig::new(http.url())));
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    let report = unreachable_server(&upstream, &error);
    let found = once(&report, Rule::AuthorizationRequired, None, "http-401");
    assert!(found.evidence.request.starts_with("connect to http://127.0.0.1:"), "{found:#?}");
    assert!(found.evidence.response.contains("Bearer"), "{found:#?}");
}

#[tokio::test]
async fn every_violation_of_a_result_is_told() {
    let output = "{type: object, properties: {n: {type: integer}, m: {type: integer}}, required: [k]}";
    let report =
        scripted(&tool(INPUT, output, "result: {content: [], structuredContent: {n: a, m: b}}")).await;
    let found = report.findings.iter().filter(|finding| finding.rule == Rule::ContractViolation);
    let mut places: Vec<&str> = found.map(|finding| finding.evidence.pointer.as_str()).collect();
    places.sort_unstable();
    assert_eq!(places, ["/structuredContent", "/structuredContent/m", "/structuredContent/n"]);
    let report = check("lie-many=100", quick(), &[]).await;
    let told: Vec<&Finding> =
        report.findings.iter().filter(|finding| finding.rule == Rule::ContractViolation).collect();
    assert!(told.iter().any(|finding| finding.message.contains("beyond those told")), "{told:#?}");
}
