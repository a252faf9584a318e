//! Messages recorded on their way, and servers compared with what was recorded of them.

use std::path::Path;
use std::time::Duration;

use mortise_client::relay::{Relay, RelayEnd};
use mortise_client::secret::Secret;
use mortise_client::server_config::{HttpConfig, InProcess, ServerConfig, StdioConfig, Transport};
use mortise_contract::ServerName;
use mortise_contract::recording::{MessageSource, Recording};
use mortise_samples::mock::{Mock, Script};
use mortise_tester::check::{
    AnswerComparison, Calling, CheckReport, FindingSeverity, Format, Plan, RecordedServerRun, ServerReport,
    Verification, check_against,
};
use mortise_tester::recorder::Recorder;
use mortise_testkit::RawPeer;
use serde_json::{Value, json};

use crate::checking::{PATIENCE, pool, tools_that_are};
use crate::support::{environment, tested_server};

/// Stands between a client, which `drive` is, and a server; what it wrote.
async fn record(transport: Transport, drive: impl AsyncFnOnce(&mut RawPeer)) -> (Recording, RelayEnd) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server.recording.jsonl");
    let relay = Relay::new(ServerConfig::new(ServerName::parse("mock").unwrap(), transport), environment());
    let recorder = Recorder::open(&path, "mock", relay.secrets().clone()).unwrap();
    let (theirs, ours) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(ours);
    let client = async {
        let mut peer = RawPeer::over(theirs);
        drive(&mut peer).await;
    };
    let passing = relay.run(reader, writer, &recorder, std::future::pending());
    let (end, ()) = tokio::time::timeout(PATIENCE, async { tokio::join!(passing, client) }).await.unwrap();
    recorder.finish("done");
    (read(&path), end.unwrap())
}

fn read(path: &Path) -> Recording {
    Recording::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn in_process(mock: Mock) -> Transport {
    Transport::InProcess(InProcess::new(move || mock.connect()))
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

async fn usual_session(peer: &mut RawPeer) {
    peer.initialize().await.unwrap();
    peer.request("tools/list", Value::Null).await.unwrap();
    peer.request("tools/call", call("add", &json!({"a": 1, "b": 2}))).await.unwrap();
    peer.request("tools/call", call("echo", &json!({"text": "hi"}))).await.unwrap();
}

fn methods(recording: &Recording) -> Vec<String> {
    recording.requests().into_iter().map(|request| request.method).collect()
}

#[tokio::test]
async fn a_process_is_recorded_and_ends_with_its_client() {
    let mut stdio = StdioConfig::new(tested_server(), Vec::new());
    stdio.env.insert("API_TOKEN".to_owned(), Secret::new("hush-hush-hush"));
    let (recording, end) = record(Transport::Stdio(stdio), async |peer| {
        peer.initialize().await.unwrap();
        let answer =
            peer.request("tools/call", call("echo", &json!({"text": "a hush-hush-hush b"}))).await.unwrap();
        // The client gets what the server sent; only the file is without the secret.
        assert_eq!(answer["result"]["structuredContent"]["text"], "a hush-hush-hush b");
    })
    .await;
    assert_eq!(end, RelayEnd::ClientClosed);
    assert_eq!(methods(&recording), ["initialize", "tools/call"]);
    assert!(recording.requests().iter().all(|request| request.answer.is_some()));
    assert!(recording.messages.iter().all(|message| !message.text.contains("hush-hush")));
    assert!(recording.messages.iter().any(|message| message.text.contains("[redacted]")));
}

#[tokio::test]
async fn the_end_of_the_server_ends_the_relay() {
    let stdio = StdioConfig::new(tested_server(), vec!["die-before=3".to_owned()]);
    let (recording, end) = record(Transport::Stdio(stdio), async |peer| {
        peer.initialize().await.unwrap();
        peer.request("tools/call", call("echo", &json!({"text": "x"}))).await.unwrap_err();
    })
    .await;
    assert_eq!(end, RelayEnd::ServerEnded(mortise_client::CloseReason::Exited { code: 3 }));
    assert_eq!(recording.requests()[1].answer, None);
}

/// A session over HTTP; the texts of the messages from the server.
async fn over_http(scenarios: &str, drive: impl AsyncFnOnce(&mut RawPeer)) -> Recording {
    let mock = Mock::parse(scenarios).unwrap();
    let http = mock.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let (recording, end) = record(Transport::Http(HttpConfig::new(http.url())), drive).await;
    assert_eq!(end, RelayEnd::ClientClosed);
    recording
}

#[tokio::test]
async fn a_legacy_server_is_recorded_over_http() {
    for style in ["legacy-only", "legacy-only sse"] {
        let recording = over_http(style, usual_session).await;
        assert_eq!(methods(&recording), ["initialize", "tools/list", "tools/call", "tools/call"]);
        assert!(recording.requests().iter().all(|request| request.answer.is_some()), "{style}");
    }
}

#[tokio::test]
async fn a_modern_server_that_reads_headers_is_recorded_over_http() {
    let recording = over_http("modern-only strict-headers", async |peer| {
        let found = peer.modern("server/discover", Value::Null).await.unwrap();
        assert_eq!(found["result"]["supportedVersions"][0], "2026-07-28");
        let answer = peer.modern("tools/call", call("add", &json!({"a": 1, "b": 2}))).await.unwrap();
        assert_eq!(answer["result"]["structuredContent"], json!({"sum": 3}));
    })
    .await;
    assert_eq!(methods(&recording), ["server/discover", "tools/call"]);
}

#[tokio::test]
async fn a_request_to_a_server_that_is_away_gets_an_error_from_the_recorder() {
    let (recording, _) = record(Transport::Http(HttpConfig::new("http://127.0.0.1:9/mcp")), async |peer| {
        let answer = peer.request("ping", Value::Null).await.unwrap();
        assert_eq!(answer["error"]["code"], -32603);
        let said = answer["error"]["message"].as_str().unwrap();
        assert_eq!(said, "the server can't be reached: nothing listens there (connection refused)");
    })
    .await;
    assert_eq!(recording.messages[1].from, MessageSource::Recorder);
    assert_eq!(recording.requests()[0].answer, None);
}

async fn compare(
    recording: &Recording,
    server: Mock,
    comparison: AnswerComparison,
    plan: &Plan,
) -> ServerReport {
    let (_pool, upstream) = pool(in_process(server));
    upstream.ready(PATIENCE).await.unwrap();
    let run = RecordedServerRun { path: "shop.jsonl".to_owned(), recording: recording.clone(), comparison };
    check_against(&upstream, plan, &run).await
}

fn plan() -> Plan {
    Plan { timeout: Duration::from_secs(5), calling: Calling::All, ..Plan::default() }
}

fn findings(report: &ServerReport, at_least: FindingSeverity) -> Vec<String> {
    let findings = report.findings.iter().filter(|finding| finding.severity >= at_least);
    findings.map(|finding| format!("{}: {}", finding.rule.code(), finding.message)).collect()
}

async fn usual_recording() -> Recording {
    record(in_process(Mock::parse("ok").unwrap()), usual_session).await.0
}

#[tokio::test]
async fn a_server_that_is_as_it_was_has_not_drifted() {
    let recording = usual_recording().await;
    for comparison in [AnswerComparison::Shape, AnswerComparison::Exact] {
        let report = compare(&recording, Mock::parse("ok").unwrap(), comparison, &plan()).await;
        assert_eq!(findings(&report, FindingSeverity::Info), [] as [&str; 0]);
        assert_eq!(tools_that_are(&report, Verification::Verified), ["add", "echo"]);
        let names: Vec<&str> = report.cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(
            names,
            [
                r#"line 7: tools/call {"arguments":{"a":1,"b":2},"name":"add"}"#,
                r#"line 9: tools/call {"arguments":{"text":"hi"},"name":"echo"}"#
            ]
        );
    }
}

#[tokio::test]
async fn a_recording_served_by_the_mock_has_not_drifted_in_either_era() {
    let recording = usual_recording().await;
    for era in ["legacy-only", "modern-only"] {
        let options = mortise_samples::mock::MockOptions {
            scenarios: vec![era.to_owned()],
            recording: Some(recording.clone()),
            ..Default::default()
        };
        let (mock, _) = options.mock().unwrap();
        let report = compare(&recording, mock, AnswerComparison::Exact, &plan()).await;
        assert_eq!(findings(&report, FindingSeverity::Info), [] as [&str; 0], "{era}");
    }
}

#[tokio::test]
async fn tools_that_do_not_say_they_only_read_are_not_called() {
    let recording = usual_recording().await;
    let script = Script::parse(
        "
version: 1
tools:
  - declaration: {name: add, inputSchema: {type: object}}
    result: {content: []}
",
    )
    .unwrap();
    let careful = Plan { calling: Calling::ReadOnly, ..plan() };
    let report = compare(&recording, Mock::new(script.plan, 0), AnswerComparison::Shape, &careful).await;
    assert_eq!(report.calls, 0);
    assert_eq!(tools_that_are(&report, Verification::NotCalled), ["add"]);
}

#[tokio::test]
async fn what_drifted_is_named_with_its_line() {
    let recording = usual_recording().await;
    let script = Script::parse(
        "
version: 1
tools:
  - declaration:
      name: add
      inputSchema: {type: object, properties: {a: {type: number}, b: {type: number}}, required: [a, b]}
      outputSchema: {type: object, properties: {total: {type: number}}, required: [total]}
      annotations: {readOnlyHint: true}
    result: {content: [{type: text, text: '{\"total\":3}'}], structuredContent: {total: 3}}
",
    )
    .unwrap();
    let report = compare(&recording, Mock::new(script.plan, 0), AnswerComparison::Shape, &plan()).await;
    let found = findings(&report, FindingSeverity::Error);
    let has = |start: &str| found.iter().any(|finding| finding.starts_with(start));
    assert!(has("missing_tool: the tool `echo` is gone"), "{found:#?}");
    assert!(has("missing_tool: shop.jsonl, line 9: the tool `echo` is gone"), "{found:#?}");
    assert!(has("declaration_drift: output: "), "{found:#?}");
    assert!(
        has("result_drift: shop.jsonl, line 7: the recorded output schema refuses it at ``: "),
        "{found:#?}"
    );
    let report = CheckReport::begin(0).finish(vec![report]);
    let junit = report.render(Format::Junit);
    assert!(junit.contains("classname=\"mock.shop.jsonl\""), "{junit}");
    assert!(report.render(Format::Html).contains("Servers have drifted"));
}

#[tokio::test]
async fn a_request_that_fails_now_is_a_new_error() {
    let recording = usual_recording().await;
    let report =
        compare(&recording, Mock::parse("tool-error").unwrap(), AnswerComparison::Shape, &plan()).await;
    let found = findings(&report, FindingSeverity::Error);
    let start = "new_error: shop.jsonl, line 9: it succeeded when it was recorded, and fails now: ";
    assert!(found.iter().any(|finding| finding.starts_with(start)), "{found:#?}");
}

#[tokio::test]
async fn values_count_only_where_exactness_is_asked_for() {
    let recording = usual_recording().await;
    let script = "
version: 1
rules:
  - method: tools/call
    tool: add
    steps:
      - result: {content: [{type: text, text: '{\"sum\":4}'}], structuredContent: {sum: 4}}
";
    let mock = || Mock::new(Script::parse(script).unwrap().plan, 0);
    let report = compare(&recording, mock(), AnswerComparison::Shape, &plan()).await;
    assert_eq!(findings(&report, FindingSeverity::Info), [] as [&str; 0]);
    let report = compare(&recording, mock(), AnswerComparison::Exact, &plan()).await;
    assert_eq!(
        findings(&report, FindingSeverity::Info),
        [
            "result_drift: shop.jsonl, line 7: `/content/0/text` has another value; `/structuredContent/sum` has another value"
        ]
    );
}
