//! Calls that need the agreement of a person: asked over elicitation in both eras, granted, held to, denied.

use std::sync::Arc;
use std::time::Duration;

use mortise_contract::Glob;
use mortise_contract::approval::{
    AllowedCalls, ApprovalAnswer, ApprovalDecision, ApprovalPolicy, ApprovalQuestion, ArgumentSchema,
    PolicyAnswer, PolicyRule,
};
use mortise_executor::RunProgress;
use mortise_executor::approvals::{
    ApprovalAsker, ApprovalFuture, ApprovalRules, ApprovalStore, MemoryApprovalStore, NoAnswer, QuestionId,
};
use mortise_executor::run::{Run, RunOutcome};
use mortise_testkit::{RawPeer, answer, with_meta};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::asks::until;
use crate::bench::{Bench, Client, Outcome, Setup};
use crate::servers::{Received, called, scripted};

/// The server `s`: `get` reads, `put` writes, `drop` destroys, `old` says nothing.
fn shop() -> (mortise_client::server_config::ServerConfig, Received) {
    let tool = |name: &str, annotations: Value| {
        let mut tool = json!({ "name": name, "inputSchema": { "type": "object" } });
        if annotations.is_object() {
            tool["annotations"] = annotations;
        }
        tool
    };
    let tools = vec![
        tool("get", json!({ "readOnlyHint": true })),
        tool("put", json!({ "readOnlyHint": false, "destructiveHint": false })),
        tool("drop", json!({ "destructiveHint": true })),
        tool("old", Value::Null),
    ];
    scripted("s", tools, |request| {
        vec![answer(request, json!({ "content": [{ "type": "text", "text": "done" }] }))]
    })
}

fn asks() -> ApprovalRules {
    let policy = ApprovalPolicy { default: PolicyAnswer::Ask, ..ApprovalPolicy::default() };
    ApprovalRules { policy, ..ApprovalRules::default() }
}

async fn bench(rules: ApprovalRules) -> (Bench, Received) {
    let (config, received) = shop();
    (Setup::of([config]).approvals(rules).start().await, received)
}

async fn asking_client(bench: &Bench) -> Client {
    bench.client_with(json!({ "elicitation": {} })).await
}

/// The next question, answered with `content`.
async fn answers(client: &mut Client, content: Value) -> String {
    let question = client.peer.called("elicitation/create").await.unwrap();
    let result = json!({ "action": "accept", "content": content });
    client.peer.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result })).await.unwrap();
    question["params"]["message"].as_str().unwrap().to_owned()
}

fn was_asked(client: &Client) -> bool {
    client.peer.kept().any(|frame| frame.method() == Some("elicitation/create"))
}

/// Runs a program of a client that answers each question with one of these; the questions and the outcome.
async fn run_answered(bench: &Bench, code: &str, contents: &[Value]) -> (Vec<String>, Outcome) {
    let mut client = asking_client(bench).await;
    let id = client.start("execute_program", json!({ "code": code })).await;
    let mut questions = Vec::new();
    for content in contents {
        questions.push(answers(&mut client, content.clone()).await);
    }
    let outcome = client.outcome("execute_program", id).await;
    assert!(!was_asked(&client), "one question too many");
    (questions, outcome)
}

const CAUGHT: &str = "
async def tried(call):
    try:
        await call
        print('made')
    except ToolError as error:
        print(error.kind, error)
";

#[tokio::test]
async fn one_question_covers_the_plan_and_reading_needs_none() {
    let (bench, received) = bench(asks()).await;
    let code = "await mcp__s__get()\nfor n in range(50):\n    await mcp__s__put(n=n)\nprint('end')";
    let (questions, outcome) = run_answered(&bench, code, &[json!({ "decision": "allow" })]).await;
    assert_eq!(
        questions,
        ["This program will call s.put up to 50 times (line 3).\n\
          It names no tool that says it may destroy something.\nAllow?"]
    );
    assert_eq!(outcome.facts["output"], "end\n", "{}", outcome.text);
    assert_eq!(called(&received).len(), 51);
    let (bench, _) = self::bench(asks()).await;
    assert_eq!(bench.prints("await mcp__s__get()\nprint('read')").await, "read\n");
}

#[tokio::test]
async fn the_call_after_the_last_granted_one_asks_again() {
    let (bench, received) = bench(asks()).await;
    let code = "import json\nn = 0\nwhile n < 51:\n    n += 1\n    await mcp__s__put(n=n)\nprint('end')";
    let allow = json!({ "decision": "allow", "at_most": 50 });
    let (questions, outcome) = run_answered(&bench, code, &[allow, json!({ "decision": "allow" })]).await;
    assert!(
        questions[0].starts_with("This program will call s.put any number of times (line 5)."),
        "{questions:?}"
    );
    assert_eq!(
        questions[1],
        "The running program wants to call s.put once.\n\
         s.put was allowed 50 times, and those calls have been made.\n  s.put({\"n\":51})\nAllow?"
    );
    assert_eq!(outcome.facts["output"], "end\n", "{}", outcome.text);
    assert_eq!(called(&received).len(), 51);
}

#[tokio::test]
async fn a_denied_call_raises_and_never_leaves() {
    let (bench, received) = bench(asks()).await;
    let code = format!(
        "{CAUGHT}\nawait tried(mcp__s__drop())\nawait tried(mcp__s__drop())\nawait tried(mcp__s__get())"
    );
    let (questions, outcome) = run_answered(&bench, &code, &[json!({ "decision": "deny" })]).await;
    assert!(
        questions[0].starts_with("This program will call s.drop, which may destroy something,"),
        "{questions:?}"
    );
    let denied = "denied 'mcp__s__drop' was not called: denied by client";
    let output = outcome.facts["output"].as_str().unwrap();
    assert_eq!(output.matches(denied).count(), 2, "{output}");
    assert!(output.ends_with("made\n"), "{output}");
    assert_eq!(called(&received), ["get"]);
}

#[tokio::test]
async fn a_client_that_declines_has_denied() {
    let (bench, received) = bench(asks()).await;
    let mut client = asking_client(&bench).await;
    let code = format!("{CAUGHT}\nawait tried(mcp__s__put())");
    let id = client.start("execute_program", json!({ "code": code })).await;
    let question = client.peer.called("elicitation/create").await.unwrap();
    let declined = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } });
    client.peer.send(&declined).await.unwrap();
    let outcome = client.outcome("execute_program", id).await;
    assert!(outcome.text.contains("denied 'mcp__s__put' was not called"), "{}", outcome.text);
    assert_eq!(called(&received), Vec::<String>::new());
}

#[tokio::test]
async fn a_tool_that_is_looked_up_by_its_name_is_caught() {
    let (bench, received) = bench(asks()).await;
    let code = format!("{CAUGHT}\nname = 'mcp__s__' + 'drop'\nawait tried(globals()[name](all=True))");
    let (questions, outcome) = run_answered(&bench, &code, &[json!({ "decision": "deny" })]).await;
    assert_eq!(
        questions,
        ["The running program wants to call s.drop, which may destroy something, once.\n\
          s.drop is not in what was allowed.\n  s.drop({\"all\":true})\nAllow?"]
    );
    assert!(outcome.text.contains("denied 'mcp__s__drop'"), "{}", outcome.text);
    assert_eq!(called(&received), Vec::<String>::new());
}

#[tokio::test]
async fn calls_at_the_same_time_are_asked_about_in_one_question() {
    let (bench, received) = bench(asks()).await;
    let code = "import asyncio\nput, drop = globals()['mcp__s__put'], globals()['mcp__s__drop']\n\
                await asyncio.gather(*[put(n=n) for n in range(4)], drop())\nprint('end')";
    let (questions, outcome) = run_answered(&bench, code, &[json!({ "decision": "allow" })]).await;
    let question = &questions[0];
    assert!(
        question.contains("\n- s.drop: once; may destroy something\n- s.put: up to 4 times\n"),
        "{question}"
    );
    assert_eq!(outcome.facts["output"], "end\n", "{}", outcome.text);
    assert_eq!(called(&received).len(), 5);
}

#[tokio::test]
async fn a_client_that_can_not_be_asked_gets_needs_approval() {
    let (bench, received) = bench(asks()).await;
    let outcome = bench.run("print('before')\nawait mcp__s__put()").await;
    assert!(outcome.is_error);
    assert_eq!(
        outcome.facts["error"]["message"],
        "needs_approval: the program wants to call s.put once (line 2), and the client does not support \
         `elicitation/create`"
    );
    assert!(outcome.text.contains("needs_approval"), "{}", outcome.text);
    // In the middle of a run, too: what it has called by then is reported.
    let outcome = bench.run("await mcp__s__get()\nawait globals()['mcp__s__put']()\nprint('after')").await;
    let message = outcome.facts["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("needs_approval: the program wants to call s.put once, and"), "{message}");
    assert_eq!(outcome.facts["output"], "");
    assert_eq!(called(&received), ["get"]);
}

#[tokio::test]
async fn a_question_has_a_time_limit() {
    let rules = ApprovalRules { timeout: Duration::from_millis(100), ..asks() };
    let (bench, received) = bench(rules).await;
    let mut client = asking_client(&bench).await;
    let id = client.start("execute_program", json!({ "code": "await mcp__s__put()" })).await;
    let question = client.peer.called("elicitation/create").await.unwrap();
    let outcome = client.outcome("execute_program", id).await;
    assert!(outcome.text.contains("needs_approval"), "{}", outcome.text);
    assert!(outcome.text.contains("no answer came in time"), "{}", outcome.text);
    let void = client.peer.called("notifications/cancelled").await.unwrap();
    assert_eq!(void["params"]["requestId"], question["id"]);
    assert_eq!(called(&received), Vec::<String>::new());
}

#[tokio::test]
async fn a_client_that_goes_away_while_it_is_asked_ends_the_run() {
    let (bench, received) = bench(asks()).await;
    let mut client = asking_client(&bench).await;
    client.start("execute_program", json!({ "code": "await mcp__s__put()" })).await;
    client.peer.called("elicitation/create").await.unwrap();
    drop(client);
    let executor = bench.executor();
    until(|| executor.ended() == 1).await;
    assert_eq!(called(&received), Vec::<String>::new());
}

#[tokio::test]
async fn a_call_that_is_given_up_takes_its_question_back_and_the_others_are_asked_about_again() {
    let (bench, received) = bench(asks()).await;
    let mut client = asking_client(&bench).await;
    let code = "import asyncio\nput = globals()['mcp__s__put']\n\
                first, second = asyncio.create_task(put(n=1)), asyncio.create_task(put(n=2))\n\
                await asyncio.sleep(1)\nfirst.cancel()\nawait second\nprint('end')";
    let id = client.start("execute_program", json!({ "code": code })).await;
    let question = client.peer.called("elicitation/create").await.unwrap();
    let message = question["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("The running program wants to call s.put up to 2 times."), "{message}");
    let void = client.peer.called("notifications/cancelled").await.unwrap();
    assert_eq!(void["params"]["requestId"], question["id"]);
    let again = answers(&mut client, json!({ "decision": "allow" })).await;
    assert!(again.contains("once.\n") && again.contains("s.put({\"n\":2})"), "{again}");
    let outcome = client.outcome("execute_program", id).await;
    assert_eq!(outcome.facts["output"], "end\n", "{}", outcome.text);
    assert_eq!(called(&received).len(), 1);
}

/// A request of a client of 2026-07-28.
async fn modern(peer: &mut RawPeer, mut params: Value) -> Value {
    params["name"] = json!("execute_program");
    params["_meta"] =
        json!({ "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } } });
    peer.request("tools/call", with_meta(params)).await.unwrap()
}

#[tokio::test]
async fn a_client_of_the_modern_era_is_asked_by_its_result() {
    for (decision, expected) in [("allow", "made\n"), ("deny", "denied 'mcp__s__put' was not called")] {
        let (bench, received) = bench(asks()).await;
        let mut peer = bench.connect();
        let code = format!("{CAUGHT}\nawait tried(mcp__s__put())");
        let arguments = json!({ "code": code });
        let asked = modern(&mut peer, json!({ "arguments": arguments })).await;
        assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
        let requests = asked["result"]["inputRequests"].as_object().unwrap();
        let (key, request) = requests.iter().next().unwrap();
        let message = request["params"]["message"].as_str().unwrap();
        assert!(message.starts_with("This program will call s.put once"), "{message}");
        let responses = json!({ key: { "action": "accept", "content": { "decision": decision } } });
        let retry = json!({
            "arguments": arguments, "requestState": asked["result"]["requestState"], "inputResponses": responses,
        });
        let outcome = Outcome::new(&modern(&mut peer, retry).await);
        let output = outcome.facts["output"].as_str().unwrap();
        assert!(output.starts_with(expected), "{output}");
        assert_eq!(called(&received).len(), usize::from(decision == "allow"));
    }
}

#[tokio::test]
async fn the_policy_denies_without_a_question_and_names_its_rule() {
    let rule = PolicyRule::new(PolicyAnswer::Deny, vec![Glob::new("mcp__s__dr*")]);
    let policy = ApprovalPolicy { rules: vec![rule], ..ApprovalPolicy::default() };
    let (bench, received) = bench(ApprovalRules { policy, ..ApprovalRules::default() }).await;
    let printed =
        bench.prints(&format!("{CAUGHT}\nawait tried(mcp__s__drop())\nawait tried(mcp__s__old())")).await;
    assert_eq!(
        printed,
        "denied 'mcp__s__drop' was not called: denied by the configuration (rule 1, `deny: mcp__s__dr*`)\nmade\n"
    );
    assert_eq!(called(&received), ["old"]);
}

#[tokio::test]
async fn an_argument_outside_of_what_was_asked_about_asks_again() {
    let schema =
        ArgumentSchema::compile(json!({ "properties": { "status": { "enum": ["open"] } } })).unwrap();
    let rule = PolicyRule {
        arguments: Some(schema),
        ..PolicyRule::new(PolicyAnswer::Ask, vec![Glob::new("mcp__s__put")])
    };
    let policy = ApprovalPolicy { rules: vec![rule], default: PolicyAnswer::Ask, no_hints: None };
    let (bench, received) = bench(ApprovalRules { policy, ..ApprovalRules::default() }).await;
    let code = format!(
        "{CAUGHT}\nfor status in ['open', 'gone', 'open']:\n    await tried(mcp__s__put(status=status))"
    );
    let contents = [json!({ "decision": "allow" }), json!({ "decision": "allow" })];
    let (questions, outcome) = run_answered(&bench, &code, &contents).await;
    assert!(questions[0].contains("s.put is limited to arguments of"), "{questions:?}");
    assert!(
        questions[1].contains("s.put has an argument at `/status` that was not allowed."),
        "{questions:?}"
    );
    assert_eq!(outcome.facts["output"], "made\nmade\nmade\n", "{}", outcome.text);
    assert_eq!(called(&received).len(), 3);
}

/// Answers each question with what a test says, and keeps the questions.
#[derive(Debug, Default)]
struct ScriptedAsker {
    answers: Mutex<Vec<ApprovalAnswer>>,
    questions: Mutex<Vec<ApprovalQuestion>>,
}

impl ApprovalAsker for ScriptedAsker {
    fn who(&self) -> String {
        "tester".to_owned()
    }

    fn ask<'a>(&'a self, question: &'a ApprovalQuestion) -> ApprovalFuture<'a> {
        self.questions.lock().push(question.clone());
        let answer = self.answers.lock().pop();
        Box::pin(async move { answer.ok_or_else(|| NoAnswer("the test says nothing".to_owned())) })
    }
}

async fn run_with(bench: &Bench, code: &str, asker: Option<Arc<dyn ApprovalAsker>>) -> RunOutcome {
    let run = Run { source: code.to_owned(), asker, ..Run::default() };
    let progress = watch::channel(RunProgress::default()).0;
    bench.executor().run_program(run, (), progress, &CancellationToken::new()).await.unwrap()
}

#[tokio::test]
async fn decisions_are_kept_with_who_and_when() {
    let (bench, _) = bench(asks()).await;
    let store = Arc::new(MemoryApprovalStore::default());
    bench.executor().approvals().set_store(store.clone());
    let asker = Arc::new(ScriptedAsker::default());
    asker.answers.lock().push(ApprovalAnswer::Allow(AllowedCalls::default()));
    let outcome = run_with(&bench, "await mcp__s__put()", Some(asker.clone())).await;
    assert!(outcome.report.is_ok(), "{:?}", outcome.report.error);
    let decisions = store.decisions();
    assert_eq!(decisions.len(), 1);
    assert_eq!(decisions[0].1.who, "tester");
    assert!(decisions[0].1.at_ms > 1_600_000_000_000);
    let outcome = run_with(&bench, "await mcp__s__put()", None).await;
    let waits_for = outcome.waits_for.unwrap();
    assert_eq!(waits_for.why, "there is no one to ask");
    assert_eq!(store.open_questions().len(), 1);
    assert_eq!(store.open_questions()[0].0, waits_for.id);
}

#[tokio::test]
async fn a_decision_that_is_kept_already_answers_the_question() {
    let (bench, received) = bench(asks()).await;
    let store = Arc::new(MemoryApprovalStore::default());
    bench.executor().approvals().set_store(store.clone());
    let first = run_with(&bench, "await mcp__s__put()", None).await;
    let waits_for = first.waits_for.unwrap();
    // The next run has the next number.
    let run: u64 = waits_for.id.as_str().split('/').next().unwrap().parse().unwrap();
    let next = QuestionId::new(&(run + 1).to_string(), 1);
    store.put_question(&next, &waits_for.question).await.unwrap();
    let answer = ApprovalAnswer::Allow(AllowedCalls::default());
    let decision = ApprovalDecision { answer, who: "shell".to_owned(), at_ms: 1 };
    store.record_decision(&next, &decision).await.unwrap();
    let second = run_with(&bench, "await mcp__s__put()", None).await;
    assert!(second.report.is_ok(), "{:?}", second.report.error);
    assert_eq!(called(&received), ["put"]);
}

#[tokio::test]
async fn a_grant_for_a_caller_covers_its_later_runs() {
    let (bench, received) = bench(asks()).await;
    let asker = Arc::new(ScriptedAsker::default());
    let longer = AllowedCalls { at_most: Some(3), until: Some(u64::MAX), ..AllowedCalls::default() };
    asker.answers.lock().push(ApprovalAnswer::Allow(longer));
    for run in 1..=3 {
        let outcome = run_with(&bench, "await mcp__s__put()", Some(asker.clone())).await;
        assert!(outcome.report.is_ok(), "run {run}: {:?}", outcome.report.error);
    }
    assert_eq!(asker.questions.lock().len(), 1);
    let fourth = run_with(&bench, "await mcp__s__put()", Some(asker.clone())).await;
    assert!(fourth.waits_for.is_some());
    assert_eq!(called(&received).len(), 3);
}

#[tokio::test]
async fn a_grant_can_be_limited_by_the_one_who_answers() {
    let (bench, received) = bench(asks()).await;
    let asker = Arc::new(ScriptedAsker::default());
    let limited = AllowedCalls { arguments: Some(json!({ "required": ["n"] })), ..AllowedCalls::default() };
    asker.answers.lock().extend([ApprovalAnswer::Deny, ApprovalAnswer::Allow(limited)]);
    let code = format!("{CAUGHT}\nawait tried(mcp__s__put(n=1))\nawait tried(mcp__s__put(m=1))");
    let outcome = run_with(&bench, &code, Some(asker.clone())).await;
    let output = &outcome.report.output;
    assert!(output.starts_with("made\ndenied "), "{output}");
    assert_eq!(asker.questions.lock().len(), 2);
    assert_eq!(called(&received).len(), 1);
}
