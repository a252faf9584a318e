//! Runs that are recorded and repeated: the same output, byte for byte, and the same computation.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mortise_contract::RawJson;
use mortise_script::{
    AfterHistory, CallRequest, CallValue, FailureKind, GuestStart, HostError, HostErrorKind, HostEvent,
    Program, RecordedCall, RunHistory, RunRecorder, RunReport, ToolHost, Wanted,
};
use parking_lot::Mutex;

use crate::corpus::host;
use crate::hosts::{Tools, block_on, json, program, run_on};

/// What a run leaves behind.
#[derive(Default)]
struct Recording {
    start: Mutex<Option<GuestStart>>,
    events: Mutex<Vec<HostEvent>>,
    calls: Mutex<BTreeMap<u64, RecordedCall>>,
}

impl RunRecorder for Recording {
    fn started(&self, start: &GuestStart) {
        *self.start.lock() = Some(start.clone());
    }

    fn happened(&self, event: &HostEvent) {
        self.events.lock().push(event.clone());
    }

    fn answered(&self, id: u64, _name: &str, answer: &Result<CallValue, HostError>) {
        if let Some(call) = self.calls.lock().get_mut(&id) {
            call.answer = Some(answer.clone());
        }
    }
}

impl Recording {
    fn history(&self, after: AfterHistory) -> RunHistory {
        self.cut(usize::MAX, after)
    }

    /// The first `events` events, with all answers that were known by the time of the last one.
    fn cut(&self, events: usize, after: AfterHistory) -> RunHistory {
        let all = self.events.lock();
        let events = all[..events.min(all.len())].to_vec();
        let calls = Arc::new(self.calls.lock().clone());
        RunHistory { start: self.start.lock().clone().unwrap(), events, calls, after }
    }
}

/// Makes calls through another host and records each before it leaves.
struct Recorded<H>(H, Arc<Recording>, AtomicUsize);

impl<H: ToolHost> ToolHost for Recorded<H> {
    async fn call(&self, request: CallRequest) -> Result<CallValue, HostError> {
        self.2.fetch_add(1, Ordering::Relaxed);
        let (name, arguments) = (request.name.clone(), Some(request.arguments.clone()));
        let wanted = Some(request.wanted);
        self.1.calls.lock().insert(request.id, RecordedCall { name, arguments, wanted, answer: None });
        self.0.call(request).await
    }

    async fn inspect_tool(&self, tool_name: String) -> Result<RawJson, HostError> {
        self.0.inspect_tool(tool_name).await
    }

    async fn list_callable_tools(&self) -> Result<RawJson, HostError> {
        self.0.list_callable_tools().await
    }

    async fn server_status(&self) -> Result<RawJson, HostError> {
        self.0.server_status().await
    }
}

/// A host that must not be asked: a repeated run needs none.
struct Offline;

impl ToolHost for Offline {
    async fn call(&self, request: CallRequest) -> Result<CallValue, HostError> {
        panic!("{} was called", request.name)
    }

    async fn inspect_tool(&self, _: String) -> Result<RawJson, HostError> {
        panic!("a question")
    }

    async fn list_callable_tools(&self) -> Result<RawJson, HostError> {
        panic!("a question")
    }

    async fn server_status(&self) -> Result<RawJson, HostError> {
        panic!("a question")
    }
}

async fn recorded(mut program: Program, host: impl ToolHost) -> (RunReport, Arc<Recording>, usize) {
    let recording = Arc::new(Recording::default());
    program.recorder = Some(recording.clone());
    let host = Arc::new(Recorded(host, recording.clone(), AtomicUsize::new(0)));
    let cancel = tokio_util::sync::CancellationToken::new();
    let report = crate::hosts::ENGINE.run_program(program, host.clone(), (), &cancel).await.unwrap();
    let calls = host.2.load(Ordering::Relaxed);
    (report, recording, calls)
}

/// The run again, from its recording alone.
async fn repeated(history: RunHistory) -> RunReport {
    let mut program = Program::new("");
    program.limits.wall = Duration::from_secs(100);
    program.history = Some(history);
    run_on(program, Offline).await
}

#[track_caller]
fn assert_same(one: &RunReport, other: &RunReport, what: &str) {
    assert_eq!(other.output, one.output, "{what}");
    assert_eq!(other.error, one.error, "{what}");
    assert_eq!(other.emitted, one.emitted, "{what}");
    assert_eq!(other.stats.fuel, one.stats.fuel, "{what}: another computation");
}

fn end_of(report: &RunReport) -> AfterHistory {
    match report.error.as_ref().map(|error| error.kind) {
        Some(FailureKind::Time | FailureKind::Cancelled) => {
            AfterHistory::EndedByHost { fuel: report.stats.fuel }
        }
        _ => AfterHistory::End,
    }
}

#[test]
fn every_program_of_the_corpus_is_repeated_byte_for_byte() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    paths.sort();
    block_on(async {
        for path in paths {
            let tools = host::CorpusTools::new();
            let mut program = Program::new(std::fs::read_to_string(&path).unwrap());
            program.tools = tools.names();
            program.limits.wall = Duration::from_secs(100);
            let (report, recording, _) = recorded(program, tools).await;
            let again = repeated(recording.history(end_of(&report))).await;
            assert_same(&report, &again, &path.display().to_string());
        }
    });
}

/// What a program can't compute itself.
const CHANCE: &str = r#"
import asyncio, os, random, secrets, time, uuid, datetime
print(random.random(), random.sample(range(1000), 5), secrets.token_hex(8), uuid.uuid4(), os.urandom(4).hex())
print(hash("text"), {"a", "b", "c", "d"}, object())
start = time.perf_counter()
await asyncio.sleep(0.01)
time.sleep(0.01)
print(time.perf_counter() - start, time.time(), datetime.datetime.now(), time.monotonic_ns())
total = 0
for number in range(300_000):
    total += number
print(time.time(), list_callable_tools and await list_callable_tools(), await server_status())
try:
    await inspect_tool(tool_name="none")
except ToolError as error:
    print(error)
"#;

#[test]
fn chance_and_time_are_repeated_and_differ_from_run_to_run() {
    block_on(async {
        let (one, recording, _) = recorded(program(CHANCE), Tools).await;
        assert_eq!(one.error, None);
        assert_same(&one, &repeated(recording.history(AfterHistory::End)).await, "one");
        let (other, _, _) = recorded(program(CHANCE), Tools).await;
        let firsts = [one, other].map(|report| report.output.lines().next().unwrap().to_owned());
        assert_ne!(firsts[0], firsts[1]);
    });
}

#[test]
fn the_order_of_answers_is_repeated() {
    let source = "
import asyncio
seen = []
async def one(number):
    try:
        value = await slow(ms=(number * 7919) % 13, fails=number % 10 == 3)
    except ToolError as error:
        value = error.kind
    seen.append(number)
    print(number, value)
async with asyncio.TaskGroup() as group:
    for number in range(60):
        group.create_task(one(number))
done, late = await asyncio.wait([asyncio.create_task(slow(ms=n * 5)) for n in range(5)], timeout=0.012)
print(len(done), len(late), seen)
emit({'seen': seen})
";
    block_on(async {
        for _ in 0..5 {
            let mut program = program(source);
            program.tools = ["slow"].into_iter().collect();
            let (report, recording, _) = recorded(program, Slow).await;
            assert_eq!(report.error, None);
            let again = repeated(recording.history(AfterHistory::End)).await;
            assert_same(&report, &again, "concurrent");
        }
    });
}

/// `slow` answers after `ms` milliseconds, or fails.
struct Slow;

impl ToolHost for Slow {
    async fn call(&self, request: CallRequest) -> Result<CallValue, HostError> {
        let arguments = request.arguments.value().expect("JSON");
        tokio::time::sleep(Duration::from_millis(arguments["ms"].as_u64().expect("a number"))).await;
        match arguments["fails"].as_bool() {
            Some(true) => Err(HostError::new(HostErrorKind::Tool, "'slow' returned an error: no")),
            _ => Ok(json(&format!("{{\"id\": {}}}", request.id)).into()),
        }
    }

    async fn inspect_tool(&self, _: String) -> Result<RawJson, HostError> {
        Ok(RawJson::null())
    }

    async fn list_callable_tools(&self) -> Result<RawJson, HostError> {
        Ok(json("[]"))
    }

    async fn server_status(&self) -> Result<RawJson, HostError> {
        Ok(json("{}"))
    }
}

#[test]
fn a_run_that_its_host_ended_is_repeated_up_to_there() {
    let endless = [
        "n = 0\nwhile True:\n    n += 1\n    if n % 50_000 == 0: print(n)",
        "print('a')\nawait never()",
        "import time\nprint('a')\ntime.sleep(50)",
        "import asyncio\nwhile True:\n    print(await echo(n=1))\n    await asyncio.sleep(0.02)",
    ];
    block_on(async {
        for source in endless {
            let mut program = program(source);
            program.limits.wall = Duration::from_millis(300);
            let (report, recording, _) = recorded(program, Tools).await;
            assert_eq!(report.error.as_ref().unwrap().kind, FailureKind::Time, "{source}");
            let again = repeated(recording.history(end_of(&report))).await;
            assert_eq!(again.output, report.output, "{source}");
            assert_eq!(again.error.unwrap().message, "the recorded run was ended here", "{source}");
        }
    });
}

#[test]
fn a_run_goes_on_from_any_event_and_makes_no_call_twice() {
    let source = "
import asyncio, random
async def work(number):
    a = await echo(n=number)
    b = await echo(n=a['n'] + 100)
    return b['n']
values = await asyncio.gather(*(work(n) for n in range(8)))
await asyncio.sleep(0.001)
print(sum(values), await echo(last=True), await list_callable_tools())
";
    block_on(async {
        let (whole, recording, calls) = recorded(program(source), Tools).await;
        assert_eq!(whole.error, None);
        assert_eq!(calls, 17);
        let events = recording.events.lock().len();
        for kept in 0..=events {
            let mut history = recording.cut(kept, AfterHistory::GoOn);
            // What left after the cut is not known.
            let delivered: Vec<u64> = history.events.iter().flat_map(delivered).collect();
            let mut known = (*history.calls).clone();
            known.retain(|id, _| delivered.contains(id));
            let (known_calls, known) = (known.len(), Arc::new(known));
            history.calls = known.clone();
            let mut again = program(source);
            again.history = Some(history);
            let (report, continued, made) = recorded(again, Tools).await;
            assert_eq!((report.output, report.error), (whole.output.clone(), None), "{kept} events");
            assert_eq!(made, calls - known_calls, "{kept} events");
            // What was recorded of both parts is one run again.
            let mut events = recording.events.lock()[..kept].to_vec();
            events.extend(continued.events.lock().iter().cloned());
            let mut all = (*known).clone();
            all.extend(continued.calls.lock().clone());
            let start = recording.start.lock().clone().unwrap();
            let (calls, after) = (Arc::new(all), AfterHistory::End);
            let last = repeated(RunHistory { start, events, calls, after }).await;
            assert_eq!((last.output, last.error), (whole.output.clone(), None), "{kept} events");
        }
    });
}

fn delivered(event: &HostEvent) -> Vec<u64> {
    match &event.what {
        mortise_script::HostAction::Delivered(ids) => ids.clone(),
        _ => Vec::new(),
    }
}

#[test]
fn a_run_that_differs_names_the_call() {
    block_on(async {
        let (_, recording, _) = recorded(program("print(await echo(n=1), await echo(n=2))"), Tools).await;
        let mut history = recording.history(AfterHistory::End);
        let mut calls = (*history.calls).clone();
        calls.get_mut(&2).unwrap().arguments = Some(json(r#"{"n": 3}"#));
        history.calls = Arc::new(calls);
        let error = repeated(history).await.error.unwrap();
        assert_eq!(error.kind, FailureKind::Diverged);
        assert_eq!(
            error.message,
            "call 2 differs: recorded was `echo` with {\"n\": 3}, now the program calls `echo` with {\"n\": 2}"
        );
        let mut history = recording.history(AfterHistory::End);
        history.start.message = history.start.message.replace("n=2", "n=2, m=await echo(n=9)");
        let error = repeated(history).await.error.unwrap();
        assert!(error.message.starts_with("call 2 differs"), "{}", error.message);
        let mut history = recording.history(AfterHistory::End);
        history.start.message =
            history.start.message.replace("await echo(n=2))", "await echo(n=2), await echo(n=3))");
        let error = repeated(history).await.error.unwrap();
        assert_eq!(
            error.message,
            "the program waits where the recording ends: call 3 is not in it, `echo` with {\"n\": 3}"
        );
        let mut history = recording.history(AfterHistory::End);
        history.start.message = history.start.message.replace(", await echo(n=2)", "");
        let error = repeated(history).await.error.unwrap();
        assert!(error.message.starts_with("moment "), "{}", error.message);
        let mut history = recording.history(AfterHistory::End);
        history.start.interpreter = "another".to_owned();
        let error = repeated(history).await.error.unwrap();
        assert_eq!(error.message, "the run was recorded with another interpreter");
        assert_eq!(recording.calls.lock()[&1].wanted, Some(Wanted::Value));
    });
}
