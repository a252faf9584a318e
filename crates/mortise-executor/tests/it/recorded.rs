//! Runs that are recorded, interrupted, gone on with and repeated.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::BoxFuture;
use mortise_contract::approval::{
    AllowedCalls, ApprovalAnswer, ApprovalDecision, ApprovalPolicy, PolicyAnswer,
};
use mortise_executor::RunProgress;
use mortise_executor::approvals::{ApprovalRules, ApprovalStore, MemoryApprovalStore};
use mortise_executor::journal::{
    Durability, Journal, JournalError, KeptRun, RunBegun, RunEntry, RunId, RunState,
};
use mortise_executor::ledger::CallEffect;
use mortise_executor::recording::OnJournalFailure;
use mortise_executor::replay::replay;
use mortise_executor::run::{JournalSetup, Resume, ResumeError, Run, RunOutcome};
use mortise_testkit::answer;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::bench::{Bench, Setup};
use crate::servers::{Received, called, scripted};

/// Keeps runs in memory, as a journal does on disk.
#[derive(Debug, Default)]
pub(crate) struct TestJournal {
    runs: Mutex<BTreeMap<RunId, KeptRun>>,
    is_full: std::sync::atomic::AtomicBool,
}

impl Journal for TestJournal {
    fn begin(&self, run: &RunId, begun: RunBegun) {
        let (id, state) = (run.clone(), RunState::Running);
        let kept = KeptRun { id, begun, state, entries: Vec::new(), is_complete: true };
        self.runs.lock().insert(run.clone(), kept);
    }

    fn append(&self, run: &RunId, entry: RunEntry) {
        let mut runs = self.runs.lock();
        let kept = runs.get_mut(run).unwrap();
        kept.state = match &entry {
            RunEntry::Ended(end) => end.state,
            RunEntry::Waiting { .. } => RunState::Waiting,
            RunEntry::Stopped { .. } => RunState::Interrupted,
            _ => kept.state,
        };
        kept.entries.push(entry);
    }

    fn kept(&self, _: &RunId, _: Durability) -> BoxFuture<'static, Result<(), JournalError>> {
        let is_full = self.is_full.load(std::sync::atomic::Ordering::Relaxed);
        let error =
            JournalError::Unwritable { path: "journal.db".into(), reason: "no space left".to_owned() };
        Box::pin(std::future::ready(if is_full { Err(error) } else { Ok(()) }))
    }

    fn claim(&self, run: &RunId) -> Result<(), JournalError> {
        let mut runs = self.runs.lock();
        let kept = runs.get_mut(run).ok_or_else(|| JournalError::NoRun { name: run.to_string() })?;
        if kept.state.is_final() {
            return Err(JournalError::Ended { run: run.clone() });
        }
        kept.state = RunState::Running;
        Ok(())
    }

    fn read(&self, run: &RunId) -> Result<KeptRun, JournalError> {
        self.runs.lock().get(run).cloned().ok_or_else(|| JournalError::NoRun { name: run.to_string() })
    }

    fn find(&self, name: &str) -> Result<RunId, JournalError> {
        let runs = self.runs.lock();
        let found = runs.keys().find(|id| id.as_str().starts_with(name)).cloned();
        found.ok_or_else(|| JournalError::NoRun { name: name.to_owned() })
    }

    fn fault(&self) -> Option<JournalError> {
        None
    }
}

impl TestJournal {
    fn only(&self) -> KeptRun {
        let runs = self.runs.lock();
        assert_eq!(runs.len(), 1);
        runs.values().next().unwrap().clone()
    }

    /// The run as it would be if its process had been killed after this many entries.
    fn cut(&self, entries: usize) -> Arc<Self> {
        let mut run = self.only();
        run.entries.truncate(entries);
        run.state = RunState::Interrupted;
        let runs = Mutex::new(BTreeMap::from([(run.id.clone(), run)]));
        Arc::new(Self { runs, ..Self::default() })
    }
}

/// The server `s`: `get` reads, `put` writes and answers with how often it was called, `set` is idempotent.
fn shop() -> (mortise_client::server_config::ServerConfig, Received) {
    let tool = |name: &str, annotations: Value| json!({ "name": name, "inputSchema": { "type": "object" }, "annotations": annotations });
    let tools = vec![
        tool("get", json!({ "readOnlyHint": true })),
        tool("put", json!({ "readOnlyHint": false, "destructiveHint": false })),
        tool("set", json!({ "readOnlyHint": false, "idempotentHint": true })),
    ];
    scripted("s", tools, |request| {
        let number = request["params"]["arguments"]["n"].as_u64().unwrap_or(0);
        vec![answer(request, json!({ "content": [{ "type": "text", "text": format!("{}", number * 2) }] }))]
    })
}

async fn bench_on(journal: &Arc<TestJournal>) -> (Bench, Received) {
    let (config, received) = shop();
    let bench = Setup::of([config]).start().await;
    record(&bench, journal, OnJournalFailure::GoOn);
    (bench, received)
}

fn record(bench: &Bench, journal: &Arc<TestJournal>, on_failure: OnJournalFailure) {
    bench.executor().set_journal(Some(JournalSetup { journal: journal.clone(), on_failure }));
}

async fn run(bench: &Bench, source: &str) -> RunOutcome {
    let run = Run { source: source.to_owned(), ..Run::default() };
    let progress = watch::channel(RunProgress::default()).0;
    bench.executor().run_program(run, (), progress, &CancellationToken::new()).await.unwrap()
}

async fn resume(bench: &Bench, id: &RunId) -> Result<RunOutcome, ResumeError> {
    let progress = watch::channel(RunProgress::default()).0;
    bench.executor().resume_run(id, Resume::default(), (), progress, &CancellationToken::new()).await
}

const PROGRAM: &str = "
import asyncio, random, time
first = await mcp__s__get(n=1)
values = await asyncio.gather(*(mcp__s__put(n=n) for n in range(5)))
await asyncio.sleep(0.001)
try:
    await mcp__s__none()
except ToolError as error:
    print(error.kind)
print(first, values, await mcp__s__set(n=9))
emit({'random': random.random() >= 0})
";

#[tokio::test]
async fn a_run_is_recorded_and_repeated_byte_for_byte() {
    let journal = Arc::new(TestJournal::default());
    let (bench, _) = bench_on(&journal).await;
    let outcome = run(&bench, PROGRAM).await;
    assert_eq!(outcome.report.error, None);
    let kept = journal.only();
    assert_eq!((kept.state, Some(kept.id.clone())), (RunState::Succeeded, outcome.run));
    assert_eq!(kept.begun.contracts.len(), 3);
    let effects: Vec<_> = kept
        .entries
        .iter()
        .filter_map(|entry| match entry {
            RunEntry::Answer(answer) => Some((answer.tool.as_str(), answer.effect)),
            _ => None,
        })
        .collect();
    assert!(effects.contains(&("mcp__s__put", CallEffect::Taken)), "{effects:?}");
    // What is kept can be written and read.
    let text = serde_json::to_string(&kept.entries).unwrap();
    let mut again = kept.clone();
    again.entries = serde_json::from_str(&text).unwrap();
    assert_eq!(again.entries, kept.entries);
    let executor = bench.executor();
    let engine = executor.engine().await.unwrap();
    let replayed = replay(engine, &again).await.unwrap();
    assert_eq!(replayed.difference, None);
    assert_eq!(replayed.report.output, outcome.report.output);
    // Another answer is another run.
    for entry in &mut again.entries {
        if let RunEntry::Answer(answer) = entry
            && answer.tool == "mcp__s__get"
        {
            answer.answer.as_mut().unwrap().json = mortise_contract::RawJson::parse("3").unwrap();
        }
    }
    let difference = replay(engine, &again).await.unwrap().difference.unwrap();
    assert_eq!(
        difference,
        "the output differs at line 2: recorded was `2 ['0', '2', '4', '6', '8'] 18`, now it is `3 ['0', '2', '4', '6', '8'] 18`"
    );
}

#[tokio::test]
async fn a_run_goes_on_after_any_entry_without_a_second_effect() {
    let journal = Arc::new(TestJournal::default());
    let (bench, _) = bench_on(&journal).await;
    let whole = run(&bench, PROGRAM).await.report;
    let entries = journal.only().entries;
    for (kept, next) in entries.iter().enumerate() {
        if matches!(next, RunEntry::Ended(_)) {
            break;
        }
        let cut = journal.cut(kept);
        let id = cut.only().id;
        let (bench, received) = bench_on(&cut).await;
        let left = |tool: &str| {
            entries[..kept]
                .iter()
                .filter(|entry| matches!(entry, RunEntry::Call(call) if call.tool == tool))
                .count()
        };
        let unknown = unknown_puts(&entries[..kept]);
        let outcome = resume(&bench, &id).await.unwrap();
        if unknown > 0 {
            // A person must say whether they are made again.
            let question = outcome.waits_for.expect("a question").question;
            assert_eq!(question.tools.len(), unknown, "{kept}");
            assert!(question.text().contains("may have done its work"), "{}", question.text());
            assert_eq!(cut.only().state, RunState::Waiting);
            assert_eq!(
                called(&received).iter().filter(|name| **name == "put").count(),
                5 - left("mcp__s__put")
            );
            continue;
        }
        assert_eq!((&outcome.report.output, &outcome.report.error), (&whole.output, &None), "{kept} entries");
        let made = called(&received);
        let puts = made.iter().filter(|name| **name == "put").count();
        assert_eq!(puts, 5 - left("mcp__s__put"), "{kept} entries: {made:?}");
        assert_eq!(cut.only().state, RunState::Succeeded);
        let executor = bench.executor();
        let engine = executor.engine().await.unwrap();
        assert_eq!(replay(engine, &cut.only()).await.unwrap().difference, None, "{kept} entries");
    }
}

/// Calls of `put` that left and have no answer.
fn unknown_puts(entries: &[RunEntry]) -> usize {
    let mut open = std::collections::BTreeSet::new();
    for entry in entries {
        match entry {
            RunEntry::Call(call) if call.tool == "mcp__s__put" => _ = open.insert(call.id),
            RunEntry::Answer(answer) => _ = open.remove(&answer.id),
            _ => {}
        }
    }
    open.len()
}

#[tokio::test]
async fn a_run_that_waits_for_a_person_goes_on_in_another_process() {
    let journal = Arc::new(TestJournal::default());
    let store = Arc::new(MemoryApprovalStore::default());
    let policy = ApprovalPolicy { default: PolicyAnswer::Ask, ..ApprovalPolicy::default() };
    let rules = ApprovalRules { policy, ..ApprovalRules::default() };
    let source = "
for n in range(3):
    await mcp__s__put(n=n)
await globals()['mcp__s__set'](n=1)
print('end', await mcp__s__get(n=4))
";
    let start = async || {
        let (config, received) = shop();
        let bench = Setup::of([config]).approvals(rules.clone()).start().await;
        record(&bench, &journal, OnJournalFailure::GoOn);
        bench.executor().approvals().set_store(store.clone());
        (bench, received)
    };
    let (bench, received) = start().await;
    let outcome = run(&bench, source).await;
    let waits_for = outcome.waits_for.unwrap();
    assert!(outcome.report.error.unwrap().message.starts_with("needs_approval"));
    assert!(called(&received).is_empty());
    let id = outcome.run.unwrap();
    assert_eq!(waits_for.id.run(), id.as_str());
    assert_eq!(journal.only().state, RunState::Waiting);
    // Nothing is decided: it waits again, with the same question.
    let (bench, received) = start().await;
    let outcome = resume(&bench, &id).await.unwrap();
    assert_eq!(outcome.waits_for.unwrap().id, waits_for.id);
    assert!(called(&received).is_empty());
    decide(&store, &waits_for.id, ApprovalAnswer::Allow(AllowedCalls::default())).await;
    let (bench, received) = start().await;
    let outcome = resume(&bench, &id).await.unwrap();
    assert_eq!(called(&received), ["put", "put", "put"], "what was allowed, and nothing else");
    let next = outcome.waits_for.unwrap();
    assert_eq!(next.id.as_str(), format!("{id}/2"));
    decide(&store, &next.id, ApprovalAnswer::Allow(AllowedCalls::default())).await;
    let (bench, received) = start().await;
    let outcome = resume(&bench, &id).await.unwrap();
    assert_eq!(outcome.report.error, None);
    assert_eq!(outcome.report.output, "end 8\n");
    assert_eq!(called(&received), ["set", "get"]);
    assert_eq!(journal.only().state, RunState::Succeeded);
    assert!(matches!(resume(&bench, &id).await, Err(ResumeError::Journal(JournalError::Ended { .. }))));
}

async fn decide(
    store: &MemoryApprovalStore,
    id: &mortise_executor::approvals::QuestionId,
    answer: ApprovalAnswer,
) {
    let decision = ApprovalDecision { answer, who: "shell".to_owned(), at_ms: 1 };
    store.record_decision(id, &decision).await.unwrap();
}

#[tokio::test]
async fn a_full_disk_stops_effects_only_where_that_is_configured() {
    let journal = Arc::new(TestJournal::default());
    journal.is_full.store(true, std::sync::atomic::Ordering::Relaxed);
    let (bench, received) = bench_on(&journal).await;
    let source = "
try:
    print(await mcp__s__get(n=1), await mcp__s__put(n=1))
except ToolError as error:
    print(error)
";
    let outcome = run(&bench, source).await;
    assert_eq!(outcome.report.output, "2 2\n");
    assert!(outcome.unrecorded.unwrap().to_string().contains("no space left"));
    assert_eq!(called(&received).len(), 2);
    record(&bench, &journal, OnJournalFailure::Stop);
    let outcome = run(&bench, source).await;
    assert!(outcome.report.output.contains("'mcp__s__put' was not called: the run can't be recorded"));
    assert_eq!(called(&received).len(), 3);
}

#[tokio::test]
async fn a_run_that_is_dropped_can_go_on() {
    let journal = Arc::new(TestJournal::default());
    let (bench, _) = bench_on(&journal).await;
    let source = "import asyncio\nprint(await mcp__s__put(n=2))\nawait asyncio.sleep(0.05)\nprint('end')";
    let cancel = CancellationToken::new();
    let run = Run { source: source.to_owned(), ..Run::default() };
    let (progress, mut shown) = watch::channel(RunProgress::default());
    let executor = bench.executor();
    tokio::select! {
        _ = executor.run_program(run, (), progress, &cancel) => panic!("it must be dropped"),
        _ = shown.wait_for(|progress| progress.done == 1) => {}
    }
    let id = journal.only().id;
    assert_eq!(journal.only().state, RunState::Interrupted);
    let outcome = resume(&bench, &id).await.unwrap();
    assert_eq!(outcome.report.output, "4\nend\n");
}

const KEEPING: &str = "
handle = await keep([1.5, {'n': 12345678901234567890123}], 'rows')
await mcp__s__set(n=1)
rows = await load('rows')
await keep({'rows': rows, 'runs': 1}, 'sum')
try:
    await load('ruws')
except ToolError as error:
    print(error.kind, error)
print(handle['uri'], handle['shape'], rows, await load('sum'))
";

#[tokio::test]
async fn kept_values_are_recorded_repeated_and_gone_on_with() {
    let journal = Arc::new(TestJournal::default());
    let (bench, _) = bench_on(&journal).await;
    let whole = run(&bench, KEEPING).await.report;
    assert_eq!(whole.error, None, "{}", whole.output);
    assert_eq!(
        whole.output,
        "unavailable nothing is kept as `ruws`; did you mean `rows`?\nmortise://kept/rows list of 2 float [1.5, {'n': \
         12345678901234567890123}] {'rows': [1.5, {'n': 12345678901234567890123}], 'runs': 1}\n"
    );
    let entries = journal.only().entries;
    let engine = bench.executor().engine().await.unwrap().clone();
    assert_eq!(replay(&engine, &journal.only()).await.unwrap().difference, None);
    for (kept, next) in entries.iter().enumerate() {
        if matches!(next, RunEntry::Ended(_)) {
            break;
        }
        let cut = journal.cut(kept);
        let (other, _) = bench_on(&cut).await;
        // The values are where the first process left them.
        other.executor().set_kept_values(bench.executor().kept_values());
        let outcome = resume(&other, &cut.only().id).await.unwrap();
        assert_eq!((&outcome.report.output, &outcome.report.error), (&whole.output, &None), "{kept} entries");
        assert_eq!(replay(&engine, &cut.only()).await.unwrap().difference, None, "{kept} entries");
    }
}
