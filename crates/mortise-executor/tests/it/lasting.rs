//! Programs that last longer than one answer.

use std::sync::Arc;

use mortise_contract::approval::{
    AllowedCalls, ApprovalAnswer, ApprovalDecision, ApprovalPolicy, PolicyAnswer,
};
use mortise_executor::approvals::{ApprovalRules, ApprovalStore, MemoryApprovalStore, QuestionId};
use mortise_executor::recording::OnJournalFailure;
use mortise_executor::run::JournalSetup;
use mortise_testkit::answer;
use serde_json::json;

use crate::bench::{Bench, Setup};
use crate::recorded::TestJournal;
use crate::servers::{Received, called, scripted};

fn shop() -> (mortise_client::server_config::ServerConfig, Received) {
    let tools = vec![json!({ "name": "put", "inputSchema": { "type": "object" } })];
    scripted("s", tools, |request| {
        vec![answer(request, json!({ "content": [{ "type": "text", "text": "done" }] }))]
    })
}

async fn bench() -> (Bench, Received) {
    let (config, received) = shop();
    (Setup::of([config]).start().await, received)
}

const SLOW: &str = "
import asyncio
print('first', await mcp__s__put(n=1))
await asyncio.sleep(0.3)
print('second')
emit({'n': 2})
";

#[tokio::test]
async fn a_program_that_takes_long_is_waited_for() {
    let (bench, _) = bench().await;
    let mut client = bench.client().await;
    let running = client.call("execute_program", json!({ "code": SLOW, "yield_seconds": 0.05 })).await;
    assert!(!running.is_error, "{}", running.text);
    assert!(running.text.starts_with("[Script still running]\n"), "{}", running.text);
    let run = running.facts["run"].as_str().unwrap().to_owned();
    let ended = client.call("wait_program", json!({ "run": run, "seconds": 30 })).await;
    assert_eq!(ended.text, "[Script executed successfully]\nfirst done\nsecond\n--- result ---\n{\"n\": 2}");
    // It can be asked for again.
    let again = client.call("wait_program", json!({ "run": run })).await;
    assert_eq!(again.text, ended.text);
    let quick = client.call("execute_program", json!({ "code": "print(1)", "yield_seconds": 30 })).await;
    assert_eq!(quick.text, "[Script executed successfully]\n1\n");
}

#[tokio::test]
async fn a_program_that_takes_long_can_be_stopped() {
    let (bench, _) = bench().await;
    let mut client = bench.client().await;
    let code = "import asyncio\nprint('a')\nawait asyncio.sleep(1000)";
    let running = client.call("execute_program", json!({ "code": code, "yield_seconds": 0 })).await;
    let run = running.facts["run"].as_str().unwrap().to_owned();
    let stopped = client.call("cancel_program", json!({ "run": run })).await;
    assert!(stopped.is_error);
    assert!(stopped.text.contains("the program was cancelled"), "{}", stopped.text);
    let unknown = client.call("wait_program", json!({ "run": "0123456789ab" })).await;
    assert!(unknown.is_error);
    let malformed = client.call("cancel_program", json!({ "run": "../x" })).await;
    assert_eq!(malformed.text, "there is no run `../x`");
}

#[tokio::test]
async fn a_program_ends_with_its_client_unless_it_outlives_it() {
    let (bench, _) = bench().await;
    let journal = Arc::new(TestJournal::default());
    let setup = JournalSetup { journal: journal.clone(), on_failure: OnJournalFailure::GoOn };
    bench.executor().set_journal(Some(setup));
    let code = "import asyncio\nawait asyncio.sleep(0.2)\nprint('end')";
    let mut client = bench.client().await;
    let input = json!({ "code": code, "yield_seconds": 0, "outlive_client": true });
    let running = client.call("execute_program", input).await;
    let run = running.facts["run"].as_str().unwrap().to_owned();
    drop(client);
    let ended = bench.call("wait_program", json!({ "run": run })).await;
    assert_eq!(ended.text, "[Script executed successfully]\nend\n");
}

#[tokio::test]
async fn a_client_that_can_not_be_asked_learns_how_to_go_on() {
    let (config, received) = shop();
    let policy = ApprovalPolicy { default: PolicyAnswer::Ask, ..ApprovalPolicy::default() };
    let rules = ApprovalRules { policy, ..ApprovalRules::default() };
    let bench = Setup::of([config]).approvals(rules).start().await;
    let store = Arc::new(MemoryApprovalStore::default());
    bench.executor().approvals().set_store(store.clone());
    let journal = Arc::new(TestJournal::default());
    let setup = JournalSetup { journal, on_failure: OnJournalFailure::GoOn };
    bench.executor().set_journal(Some(setup));
    let waiting = bench.run("print(await mcp__s__put(n=1))").await;
    assert!(waiting.is_error);
    assert!(
        waiting.text.contains("needs_approval: the program wants to call s.put once (line 1)"),
        "{}",
        waiting.text
    );
    let run = waiting.facts["run"].as_str().unwrap().to_owned();
    let id = waiting.facts["waits_for"]["id"].as_str().unwrap();
    assert_eq!(id, format!("{run}/1"));
    let told = waiting.result["content"].to_string();
    assert!(told.contains(&format!("mortise approvals allow {run}/1")), "{told}");
    let too_early = bench.call("resume_program", json!({ "run": run })).await;
    assert!(too_early.text.contains("needs_approval"), "{}", too_early.text);
    assert!(called(&received).is_empty());
    let answer = ApprovalAnswer::Allow(AllowedCalls::default());
    let decision = ApprovalDecision { answer, who: "shell".to_owned(), at_ms: 1 };
    store.record_decision(&QuestionId::parse(id).unwrap(), &decision).await.unwrap();
    let resumed = bench.call("resume_program", json!({ "run": run })).await;
    assert_eq!(resumed.text, "[Script executed successfully]\ndone\n");
    assert_eq!(called(&received), ["put"]);
    let again = bench.call("resume_program", json!({ "run": run })).await;
    assert_eq!(again.text, "[Script executed successfully]\ndone\n");
    assert_eq!(called(&received), ["put"], "a run that has ended is not made again");
}
