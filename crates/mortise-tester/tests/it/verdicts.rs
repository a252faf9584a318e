//! Honest verdicts: what is broken, what is verified, what is not known.

use mortise_client::server_config::{InProcess, Transport};
use mortise_samples::mock::{Mock, Script};
use mortise_tester::check::{
    Calling, CaseFile, CheckReport, CheckRule, Class, FindingSeverity, Plan, ServerReport, Verification,
    check_server,
};
use serde_json::Value;

use crate::checking::{PATIENCE, pool, quick, tools_that_are};

/// A tool that only reads.
fn tool(name: &str, input: &str, output: &str) -> String {
    format!(
        "{{declaration: {{name: {name}, inputSchema: {input}, {output} annotations: {{readOnlyHint: true}}}}, result: {{}}}}"
    )
}

const OUTPUT: &str =
    "outputSchema: {type: object, title: Reading, properties: {count: {type: integer}}, required: [count]},";

/// A rule for calls of a tool, with these arguments if there are any.
fn rule(tool: &str, steps: &str) -> String {
    format!("{{method: tools/call, tool: {tool}, steps: [{{{steps}}}]}}")
}

struct Checked {
    report: ServerReport,
    mock: Mock,
}

impl Checked {
    async fn new(script: &str, plan: Plan, cases: &[CaseFile]) -> Self {
        let mock = Mock::new(Script::parse(script).unwrap().plan, 0);
        let kept = mock.clone();
        let (_pool, upstream) = pool(Transport::InProcess(InProcess::new(move || mock.connect())));
        upstream.ready(PATIENCE).await.unwrap();
        Self { report: check_server(&upstream, &plan, cases).await, mock: kept }
    }

    fn class(&self) -> Class {
        CheckReport::begin(0).finish(vec![self.report.clone()]).class(FindingSeverity::Error)
    }

    /// The arguments of all calls of a tool.
    fn arguments(&self, tool: &str) -> Vec<Value> {
        let calls = self.mock.received().into_iter().filter(|message| message["params"]["name"] == tool);
        calls.map(|call| call["params"]["arguments"].clone()).collect()
    }
}

async fn answering(steps: &str) -> Checked {
    let input = "{type: object, properties: {a: {type: string}}, required: [a]}";
    let script = format!("version: 1\ntools: [{}]\nrules: [{}]", tool("t", input, OUTPUT), rule("t", steps));
    Checked::new(&script, quick(), &[]).await
}

#[tokio::test]
async fn a_result_that_the_servers_library_held_back_breaks_the_contract() {
    let error =
        |text: &str| format!("result: {{isError: true, content: [{{type: text, text: \"{text}\"}}]}}");
    let own = "result: {isError: true, content: [], _meta: {mortise/contract: {status: invalid}}}";
    for steps in [
        error("MCP error -32602: Output validation error: Invalid structured content for tool t: n"),
        error("Output validation error: 'seven' is not of type 'integer'"),
        error("Error executing tool t: 1 validation error for Reading"),
        own.to_owned(),
        "error: {code: -32602, message: \"MCP error -32602: Output validation error: no structured content\"}".to_owned(),
        "error: {code: -32603, message: \"validating tool output: n\"}".to_owned(),
    ] {
        let checked = answering(&steps).await;
        assert_eq!(checked.class(), Class::ContractViolated, "{steps}: {:#?}", checked.report.findings);
        assert_eq!(tools_that_are(&checked.report, Verification::Broken), ["t"], "{steps}");
        assert!(checked.report.made.iter().all(|call| call.verdict == "withheld"), "{:#?}", checked.report.made);
        assert!(!checked.report.findings.has(CheckRule::NeverSucceeded), "{steps}");
        assert!(!checked.report.findings.has(CheckRule::ValidRefused), "{steps}");
    }
}

#[tokio::test]
async fn a_case_that_meets_a_result_that_was_held_back_finds_a_broken_contract() {
    let steps = "result: {isError: true, content: [{type: text, text: \"Output validation error: n\"}]}";
    let script = format!(
        "version: 1\ntools: [{}]\nrules: [{}]",
        tool("t", "{type: object}", OUTPUT),
        rule("t", steps)
    );
    for case in ["{call: t}", "{call: t, expect: {error: {text: Output}}}"] {
        let file = CaseFile::parse(&format!("version: 1\ncases: [{case}]"), "c.yaml").unwrap();
        let plan = Plan { calls_per_tool: 0, ..quick() };
        let checked = Checked::new(&script, plan, &[file]).await;
        assert_eq!(checked.class(), Class::ContractViolated, "{case}");
    }
}

#[tokio::test]
async fn a_tool_that_never_succeeds_is_unverified_and_nothing_verified_is_a_failure() {
    let checked = answering("result: {isError: true, content: [{type: text, text: no such thing}]}").await;
    assert_eq!(tools_that_are(&checked.report, Verification::Unverified), ["t"]);
    assert_eq!(checked.report.tally().sentence(), "0 verified, 1 unverified, 0 not called");
    assert!(checked.report.findings.has(CheckRule::NothingVerified), "{:#?}", checked.report.findings);
    assert_eq!(checked.class(), Class::Failed);
}

#[tokio::test]
async fn a_failure_that_says_nothing_is_not_taken_for_a_refusal() {
    let checked =
        answering("result: {isError: true, content: [{type: text, text: Error executing tool t}]}").await;
    assert!(checked.report.findings.has(CheckRule::InternalError), "{:#?}", checked.report.findings);
    assert_eq!(checked.class(), Class::Failed);
}

#[tokio::test]
async fn an_error_that_is_sent_as_a_success_verifies_nothing() {
    let script = format!(
        "version: 1\ntools: [{}]\nrules: [{}]",
        tool("t", "{type: object}", ""),
        rule("t", "result: {content: [{type: text, text: \"Error: no such table\"}]}")
    );
    let checked = Checked::new(&script, quick(), &[]).await;
    assert_eq!(tools_that_are(&checked.report, Verification::Unverified), ["t"]);
}

#[tokio::test]
async fn a_list_that_official_clients_refuse_is_found_where_they_would_get_it() {
    for (scenarios, is_found) in [("[legacy-only]", true), ("[]", false)] {
        let script = format!(
            "version: 1\nscenarios: {scenarios}\ntools: [{}]\nrules: [{}]",
            tool("t", "{type: object}", "outputSchema: {type: array},"),
            rule("t", "result: {content: [{type: text, text: \"[]\"}], structuredContent: []}")
        );
        let checked = Checked::new(&script, quick(), &[]).await;
        let found = checked.report.findings.iter().find(|finding| finding.rule == CheckRule::UnreadableList);
        assert_eq!(found.is_some(), is_found, "{scenarios}: {:#?}", checked.report.findings);
        if let Some(finding) = found {
            assert_eq!(finding.evidence.pointer, "/outputSchema/type");
            assert!(finding.message.contains("refuse the whole list"), "{}", finding.message);
        }
    }
}

/// Lists tickets; one of them can be read, and deleted.
fn tickets() -> String {
    let by_id = "{type: object, properties: {ticket_id: {type: string}}, required: [ticket_id]}";
    let delete = format!("{{declaration: {{name: delete_ticket, inputSchema: {by_id}}}, result: {{}}}}");
    format!(
        "version: 1\ntools: [{}, {}, {delete}]\nrules: [{}]",
        tool("get_ticket", by_id, OUTPUT),
        tool("list_tickets", "{type: object}", ""),
        [
            rule(
                "list_tickets",
                "result: {content: [{type: text, text: '{\"tickets\": [{\"id\": \"T-1\"}]}'}]}"
            ),
            rule(
                "get_ticket",
                "result: {content: [{type: text, text: '{\"count\":1}'}], structuredContent: {count: 1}}"
            ),
            rule("delete_ticket", "result: {isError: true, content: []}"),
        ]
        .join(", ")
    )
}

#[tokio::test]
async fn ids_of_one_result_are_the_arguments_of_another_call() {
    let checked = Checked::new(&tickets(), quick(), &[]).await;
    assert_eq!(checked.arguments("get_ticket")[0]["ticket_id"], "T-1");
    assert_eq!(tools_that_are(&checked.report, Verification::Verified), ["get_ticket", "list_tickets"]);
    assert_eq!(tools_that_are(&checked.report, Verification::NotCalled), ["delete_ticket"]);
    let working: Vec<&str> = checked.report.working.iter().map(|(tool, _)| tool.as_str()).collect();
    assert_eq!(working, ["get_ticket", "list_tickets"]);
}

#[tokio::test]
async fn a_tool_that_may_delete_gets_real_ids_only_if_it_was_named() {
    let calling = |calling: Calling| Plan { calling, ..quick() };
    let all = Checked::new(&tickets(), calling(Calling::All), &[]).await;
    let deleted = all.arguments("delete_ticket");
    assert!(!deleted.is_empty() && deleted.iter().all(|call| call["ticket_id"] != "T-1"), "{deleted:?}");
    let named = Calling::ReadOnlyAnd(vec!["delete_ticket".to_owned()]);
    let named = Checked::new(&tickets(), calling(named), &[]).await;
    assert_eq!(named.arguments("delete_ticket")[0]["ticket_id"], "T-1");
}

#[tokio::test]
async fn the_search_for_arguments_is_bounded() {
    let refusals = "result: {isError: true, content: [{type: text, text: 'known: a1, a2, a3, a4, a5, a6, a7, a8, a9, b1, b2, b3'}]}";
    let checked = answering(refusals).await;
    let attempts = checked.report.made.iter().filter(|call| call.kind == "valid").count();
    assert!(attempts > 1, "{:#?}", checked.report.made);
    assert!(checked.report.made.len() <= quick().calls_per_tool + 8, "{:#?}", checked.report.made);
}

#[tokio::test]
async fn calls_of_cases_are_tried_first() {
    let input = "{type: object, properties: {a: {type: string}}, required: [a]}";
    let script = format!(
        "version: 1\ntools: [{}]\nrules: [{}]",
        tool("t", input, OUTPUT),
        rule("t", "result: {content: [{type: text, text: '{\"count\":1}'}], structuredContent: {count: 1}}")
    );
    let file = CaseFile::parse(
        "version: 1\nvariables: {v: known}\ncases: [{call: t, arguments: {a: nope}, expect: {error: {}}}, {call: t, arguments: {a: '${v}'}}]",
        "c.yaml",
    );
    let checked = Checked::new(&script, quick(), &[file.unwrap()]).await;
    assert_eq!(checked.arguments("t")[0]["a"], "known");
}
