//! The matrix: every kind of trouble is found exactly once, with evidence and a fix.

use std::collections::BTreeSet;
use std::time::Duration;

use mortise_client::server_config::{HttpConfig, InProcess, StdioConfig, Transport};
use mortise_samples::mock::{Mock, Script};
use mortise_tester::check::{
    CaseFile, CheckFinding, CheckRule, Plan, ServerReport, check_server, unreachable_server,
};

use crate::checking::{PATIENCE, check, pool, quick};
use crate::support::tested_server;

/// Asserts that there is one finding of the rule about the tool, and gives it back.
#[track_caller]
fn once<'a>(report: &'a ServerReport, rule: CheckRule, tool: Option<&str>, what: &str) -> &'a CheckFinding {
    let found: Vec<&CheckFinding> = report
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

/// Where trouble comes from.
enum Server {
    Mock(&'static str),
    Script(String),
    /// One that does not get as far as being checked.
    Lost(Transport),
    /// A case that is run on the mock, and nothing else.
    Case(&'static str),
}

impl Server {
    async fn report(self) -> ServerReport {
        let plan = Plan { slow: Duration::from_millis(200), ..quick() };
        match self {
            Self::Mock(scenario) => check(scenario, plan, &[]).await,
            Self::Script(script) => scripted(&script).await,
            Self::Lost(transport) => {
                let (_pool, upstream) = pool(transport);
                let error = upstream.ready(PATIENCE).await.unwrap_err();
                unreachable_server(&upstream, &error)
            }
            Self::Case(case) => {
                let file = CaseFile::parse(&format!("version: 1\ncases: [{case}]"), "c.yaml").unwrap();
                check("ok", Plan { calls_per_tool: 0, ..plan }, &[file]).await
            }
        }
    }
}

#[tokio::test]
async fn every_kind_of_trouble_is_found_once() {
    let wants_login = Mock::parse("http-401").unwrap();
    let wants_login = wants_login.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let ends_at_once = StdioConfig::new(tested_server(), vec!["die-at-start=3".to_owned()]);
    let odd_key = "{type: object, properties: {a.b: {type: string}}}";
    let answer = "result: {content: [], structuredContent: {n: 1, more: 2}}";
    let refusal = "error: {code: -32602, message: no}";
    let legacy = |script: String| format!("{script}\nscenarios: [legacy-only]");
    let odd_title = tool(INPUT, OUTPUT, answer).replace("name: t,", "name: t, title: 5,");
    let rows = [
        (Server::Mock("lie-mismatch"), CheckRule::ContractViolation, Some("echo")),
        (Server::Mock("lie-missing"), CheckRule::ContractViolation, Some("echo")),
        (Server::Mock("lie-text"), CheckRule::OnlyText, Some("echo")),
        (Server::Mock("lie-mirror"), CheckRule::TextDisagrees, Some("echo")),
        (Server::Mock("lie-format"), CheckRule::FormatMismatch, Some("echo")),
        (Server::Mock("rpc-error"), CheckRule::InternalError, Some("echo")),
        (Server::Mock("die-before=3"), CheckRule::Crashed, Some("echo")),
        (Server::Mock("hang"), CheckRule::TimedOut, Some("echo")),
        (Server::Mock("tool-error"), CheckRule::NeverSucceeded, Some("echo")),
        (Server::Script(odd_title), CheckRule::OddDeclaration, Some("t")),
        (Server::Mock("slow=300"), CheckRule::Slow, Some("echo")),
        (Server::Mock("banner"), CheckRule::StdoutNoise, None),
        (Server::Mock("tool-not-object"), CheckRule::RejectedTool, None),
        (Server::Mock("no-content"), CheckRule::ProtocolFault, Some("echo")),
        (Server::Mock("is-error-string"), CheckRule::ProtocolFault, Some("echo")),
        (Server::Mock("structured-without-schema"), CheckRule::NoOutputSchema, Some("echo")),
        (Server::Mock("schema-external"), CheckRule::SchemaUnusable, Some("bad")),
        (Server::Mock("output-schema-empty"), CheckRule::LooseSchema, Some("bad")),
        (Server::Mock("ok"), CheckRule::InvalidAccepted, Some("echo")),
        (Server::Mock("no-tools"), CheckRule::NothingChecked, None),
        (Server::Mock("duplicate-keys"), CheckRule::DuplicateKey, Some("echo")),
        (Server::Mock("declared-twice"), CheckRule::DuplicateKey, Some("again")),
        (Server::Mock("lone-surrogate"), CheckRule::Unchecked, Some("echo")),
        (Server::Mock("duplicate-response"), CheckRule::ProtocolFault, None),
        (Server::Script(tool(INPUT, OUTPUT, answer)), CheckRule::NeverSeen, Some("t")),
        (Server::Script(tool(INPUT, OUTPUT, answer)), CheckRule::Undeclared, Some("t")),
        (Server::Script(tool(INPUT, OUTPUT, refusal)), CheckRule::ValidRefused, Some("t")),
        (Server::Script(tool(INPUT, OUTPUT, refusal)), CheckRule::NothingVerified, None),
        (
            Server::Script(legacy(tool(
                INPUT,
                "{type: array}",
                "result: {content: [], structuredContent: []}",
            ))),
            CheckRule::UnreadableList,
            Some("t"),
        ),
        (Server::Script(tool(odd_key, OUTPUT, answer)), CheckRule::Portability, Some("t")),
        (Server::Lost(Transport::Stdio(ends_at_once)), CheckRule::Unreachable, None),
        (
            Server::Lost(Transport::Http(HttpConfig::new(wants_login.url()))),
            CheckRule::AuthorizationRequired,
            None,
        ),
        (Server::Case("{call: echo, expect: {text: nothing of it}}"), CheckRule::CaseFailed, Some("echo")),
    ];
    let mut found = BTreeSet::new();
    for (server, rule, tool) in rows {
        once(&server.report().await, rule, tool, rule.code());
        found.insert(rule);
    }
    // What `--against` finds has tests of its own.
    let drift =
        [CheckRule::MissingTool, CheckRule::DeclarationDrift, CheckRule::NewError, CheckRule::ResultDrift];
    found.extend(drift);
    assert_eq!(found, CheckRule::ALL.iter().copied().collect(), "a rule without a row");
}

#[tokio::test]
async fn a_tool_that_is_called_as_a_task_only_is_in_order() {
    let report = Server::Mock("task-required").report().await;
    assert!(!report.findings.iter().any(|finding| finding.rule == CheckRule::OddDeclaration), "{report:#?}");
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
    let never = once(&report, CheckRule::NeverSeen, Some("t"), "never seen");
    assert!(never.message.ends_with("never seen: /m"), "{}", never.message);
    let undeclared = once(&report, CheckRule::Undeclared, Some("t"), "undeclared");
    assert_eq!(undeclared.message, "seen and not declared: /more");
    assert_eq!(undeclared.evidence.pointer, "/more");
    assert!(undeclared.evidence.response.contains("\"more\":2"), "{undeclared:#?}");
}

#[tokio::test]
async fn a_tool_that_refuses_everything_never_succeeds_however_it_refuses() {
    let report = scripted(&tool(INPUT, OUTPUT, "error: {code: -32602, message: no}")).await;
    let refused = once(&report, CheckRule::ValidRefused, Some("t"), "valid refused");
    assert!(refused.evidence.request.starts_with("tools/call t {"), "{refused:#?}");
    assert_eq!(refused.evidence.response, "error -32602: no");
    once(&report, CheckRule::NeverSucceeded, Some("t"), "never succeeded");
    // The valid ones with a tool error, the invalid ones with a code.
    let script = format!(
        "{}\nrules:\n  - {{method: tools/call, times: 1, steps: [{{result: {{isError: true, content: []}}}}]}}\n  \
         - {{method: tools/call, steps: [{{error: {{code: -32602, message: no}}}}]}}",
        tool(INPUT, OUTPUT, "hang: true").split("\nrules").next().unwrap()
    );
    once(&scripted(&script).await, CheckRule::NeverSucceeded, Some("t"), "never succeeded");
}

#[tokio::test]
async fn what_providers_refuse_is_told_by_the_lint() {
    let input = "{type: object, properties: {a: {type: string}}, anyOf: [{required: [a]}, {required: [b]}]}";
    let report =
        scripted(&tool(input, OUTPUT, "result: {content: [], structuredContent: {n: 1, m: 1}}")).await;
    let refused: Vec<&CheckFinding> =
        report.findings.iter().filter(|finding| finding.rule == CheckRule::Portability).collect();
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
    let found = once(&report, CheckRule::AuthorizationRequired, None, "http-401");
    assert!(found.evidence.request.starts_with("connect to http://127.0.0.1:"), "{found:#?}");
    assert!(found.evidence.response.contains("Bearer"), "{found:#?}");
}

#[tokio::test]
async fn every_violation_of_a_result_is_told() {
    let output = "{type: object, properties: {n: {type: integer}, m: {type: integer}}, required: [k]}";
    let report =
        scripted(&tool(INPUT, output, "result: {content: [], structuredContent: {n: a, m: b}}")).await;
    let found = report.findings.iter().filter(|finding| finding.rule == CheckRule::ContractViolation);
    let mut places: Vec<&str> = found.map(|finding| finding.evidence.pointer.as_str()).collect();
    places.sort_unstable();
    assert_eq!(places, ["/structuredContent", "/structuredContent/m", "/structuredContent/n"]);
    let report = check("lie-many=100", quick(), &[]).await;
    let told: Vec<&CheckFinding> =
        report.findings.iter().filter(|finding| finding.rule == CheckRule::ContractViolation).collect();
    assert!(told.iter().any(|finding| finding.message.contains("beyond those listed")), "{told:#?}");
}
