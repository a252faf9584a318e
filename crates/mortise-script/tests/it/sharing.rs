//! Many programs at once: cancelling, waiting, and hostile neighbours.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mortise_contract::RawJson;
use mortise_script::{
    CallOutcome, CallRequest, Capacity, Engine, EngineOptions, FailureKind, Gate, HostError, Program,
    RunError, RunReport, Share, Stream, ToolHost,
};
use tokio::sync::{Barrier, Notify, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::hosts::{ENGINE, Tools, block_on, json, program, run_on};
use crate::tools::Calls;

fn endless() -> Program {
    program("print('started')\nwhile True:\n    pass")
}

/// A sink that says when a line is complete.
fn started(notify: &Arc<Notify>) -> impl FnMut(Stream, &str) + use<> {
    let notify = Arc::clone(notify);
    move |_, text| {
        if text.ends_with('\n') {
            notify.notify_one();
        }
    }
}

fn engine(capacity: Capacity) -> Engine {
    Engine::new(EngineOptions { capacity, ..EngineOptions::default() }).unwrap()
}

/// Runs a program and cancels it when it has printed a line.
async fn cancelled(program: Program, host: impl ToolHost) -> RunReport {
    let (cancel, running) = (CancellationToken::new(), Arc::new(Notify::new()));
    let run = ENGINE.run_program(program, Arc::new(host), started(&running), &cancel);
    let stop = async {
        running.notified().await;
        cancel.cancel();
    };
    tokio::join!(run, stop).0.unwrap()
}

#[test]
fn cancelling_stops_a_program_and_keeps_its_output() {
    block_on(async {
        for source in ["while True:\n    pass", "await never()", "import time\ntime.sleep(1e9)"] {
            let report = cancelled(program(&format!("print('before')\n{source}")), Tools).await;
            assert_eq!(report.output, "before\n");
            let error = report.error.unwrap();
            assert_eq!(
                (error.kind, error.message.as_str()),
                (FailureKind::Cancelled, "the program was cancelled")
            );
        }
    });
}

#[test]
fn a_program_at_a_gate_computes_but_does_not_call_and_its_clock_stands_still() {
    block_on(async {
        let (gate, running) = (Gate::default(), Arc::new(Notify::new()));
        let source = "import asyncio, time\nprint('ready')\nbefore = time.monotonic()\n\
                      async with asyncio.timeout(60):\n    await echo()\nemit(time.monotonic() - before)";
        let held = Program { gate: Some(gate.clone()), ..program(source) };
        let host = Calls({
            let gate = gate.clone();
            move |request: CallRequest| {
                assert!(gate.is_open(), "called too early");
                async move { Ok(request.arguments) }
            }
        });
        let cancel = CancellationToken::new();
        let run = ENGINE.run_program(held, Arc::new(host), started(&running), &cancel);
        let open = async {
            running.notified().await;
            let since = Instant::now();
            // So long that no hiccup of the machine is mistaken for it.
            while since.elapsed() < Duration::from_secs(1) {
                run_on(program("print(1)"), Tools).await;
            }
            gate.open();
            since.elapsed()
        };
        let (report, waited) = tokio::join!(run, open);
        let report = report.unwrap();
        assert_eq!(report.error.map(|error| error.traceback), None);
        let seen = report.emitted.unwrap().value().unwrap().as_f64().unwrap();
        assert!(seen < waited.as_secs_f64() / 2.0, "{seen} s of {waited:?}");
    });
}

#[test]
fn cancelling_stops_a_program_at_its_gate_and_nothing_was_called() {
    block_on(async {
        let gate = Gate::default();
        let held = Program { gate: Some(gate.clone()), ..program("print('before')\nawait echo()") };
        let host =
            Calls(|_: CallRequest| -> std::future::Pending<Result<RawJson, HostError>> { panic!("called") });
        let report = cancelled(held, host).await;
        assert_eq!(report.output, "before\n");
        assert_eq!(report.error.unwrap().kind, FailureKind::Cancelled);
        assert!(report.calls.is_empty(), "{:?}", report.calls);
        assert!(!gate.is_open());
    });
}

#[test]
fn a_program_at_a_gate_that_never_opens_ends_with_its_time() {
    block_on(async {
        let mut held = Program { gate: Some(Gate::default()), ..program("print('before')\nawait echo()") };
        held.limits.wall = Duration::from_secs(1);
        let host =
            Calls(|_: CallRequest| -> std::future::Pending<Result<RawJson, HostError>> { panic!("called") });
        let report = ENGINE.run_program(held, Arc::new(host), (), &CancellationToken::new()).await.unwrap();
        assert_eq!(report.output, "before\n");
        assert_eq!(report.error.unwrap().kind, FailureKind::Time);
        assert!(report.calls.is_empty(), "{:?}", report.calls);
    });
}

#[test]
fn dropping_the_run_drops_its_calls() {
    block_on(async {
        let (called, dropped) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        struct OnDrop(Arc<Notify>);
        impl Drop for OnDrop {
            fn drop(&mut self) {
                self.0.notify_one();
            }
        }
        let host = {
            let (called, dropped) = (Arc::clone(&called), Arc::clone(&dropped));
            Calls(move |_: CallRequest| {
                called.notify_one();
                let guard = OnDrop(Arc::clone(&dropped));
                async move {
                    let _guard = guard;
                    std::future::pending().await
                }
            })
        };
        tokio::select! {
            _ = run_on(program("await never()"), host) => panic!("it never ends"),
            () = called.notified() => {}
        }
        dropped.notified().await;
    });
}

#[test]
fn calls_in_flight_are_recorded_as_abandoned() {
    block_on(async {
        let (called, cancel) = (Arc::new(Notify::new()), CancellationToken::new());
        let host = {
            let called = Arc::clone(&called);
            Arc::new(Calls(move |_: CallRequest| {
                called.notify_one();
                std::future::pending()
            }))
        };
        let stop = async {
            called.notified().await;
            cancel.cancel();
        };
        let (report, ()) =
            tokio::join!(ENGINE.run_program(program("await never()"), host, (), &cancel), stop);
        let calls = report.unwrap().calls;
        assert_eq!(calls.len(), 1);
        assert_eq!(calls[0].outcome, CallOutcome::Abandoned);
        assert!(calls[0].elapsed > Duration::ZERO);
    });
}

#[test]
fn no_call_starts_after_the_program_has_ended() {
    let made = Arc::new(AtomicUsize::new(0));
    let host = {
        let made = Arc::clone(&made);
        Calls(move |_: CallRequest| {
            made.fetch_add(1, Ordering::SeqCst);
            std::future::pending()
        })
    };
    let mut program = program(
        "import asyncio\ntasks = [asyncio.create_task(never()) for _ in range(20)]\nawait asyncio.sleep(0.05)\nprint('end')",
    );
    program.limits.calls_in_flight = 2;
    let report = block_on(run_on(program, host));
    assert_eq!(report.output, "end\n");
    assert_eq!(made.load(Ordering::SeqCst), 2);
}

#[test]
fn a_hundred_idle_programs_are_alive_at_once() {
    block_on(async {
        let all = Arc::new(Barrier::new(100));
        let mut runs = JoinSet::new();
        for number in 0..100 {
            let all = Arc::clone(&all);
            let host = Calls(move |_: CallRequest| {
                let all = Arc::clone(&all);
                async move {
                    all.wait().await;
                    Ok(json("1"))
                }
            });
            runs.spawn(run_on(program(&format!("await echo()\nprint({number})")), host));
        }
        let mut numbers = Vec::new();
        while let Some(report) = runs.join_next().await {
            numbers.push(report.unwrap().output.trim().parse::<u32>().unwrap());
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (0..100).collect::<Vec<_>>());
    });
}

#[test]
fn a28_hostile_programs_in_every_place_do_not_keep_others_out() {
    let capacity = Capacity { threads: 2, running: 2, waiting: 100, memory: 1 << 30, ..Capacity::default() };
    let engine = engine(capacity);
    block_on(async {
        let cancel = CancellationToken::new();
        let mut hostile = Vec::new();
        for _ in 0..6 {
            let running = Arc::new(Notify::new());
            hostile.push(Box::pin(engine.run_program(
                endless(),
                Arc::new(Tools),
                started(&running),
                &cancel,
            )));
        }
        let small = async {
            let none = CancellationToken::new();
            for _ in 0..5 {
                let mut program = program("print(sum(range(1000)))");
                program.owner = "somebody else".to_owned();
                let report = engine.run_program(program, Arc::new(Tools), (), &none).await.unwrap();
                assert_eq!(report.output, "499500\n");
            }
            cancel.cancel();
        };
        let (reports, ()) = tokio::join!(futures::future::join_all(hostile), small);
        for report in reports {
            assert_eq!(report.unwrap().error.unwrap().kind, FailureKind::Cancelled);
        }
    });
}

#[test]
fn the_runtime_of_the_host_stays_responsive() {
    block_on(async {
        let cancel = CancellationToken::new();
        let hostile = futures::future::join_all(
            (0..8).map(|_| ENGINE.run_program(endless(), Arc::new(Tools), (), &cancel)),
        );
        let watch = async {
            let mut worst = Duration::ZERO;
            for _ in 0..50 {
                let start = Instant::now();
                tokio::time::sleep(Duration::from_millis(5)).await;
                worst = worst.max(start.elapsed());
            }
            cancel.cancel();
            worst
        };
        let (_, worst) = tokio::join!(hostile, watch);
        // On a quiet machine this is about 6 ms; programs on the runtime's own threads would make it seconds.
        assert!(worst < Duration::from_secs(1), "{worst:?}");
    });
}

#[test]
fn programs_past_the_queue_are_refused() {
    let engine =
        engine(Capacity { threads: 1, running: 1, waiting: 1, memory: 1 << 30, ..Capacity::default() });
    block_on(async {
        let cancel = CancellationToken::new();
        let (entered, mut calls) = mpsc::unbounded_channel();
        let host = Arc::new(Calls(move |_: CallRequest| {
            entered.send(()).unwrap();
            std::future::pending()
        }));
        // The first computes for less than it takes to step back, then waits in a call only after the second came.
        let first = engine.run_program(program("while True:\n    pass"), Arc::clone(&host), (), &cancel);
        let rest = async {
            let second = engine.run_program(program("await never()"), Arc::clone(&host), (), &cancel);
            let third = async {
                let refused = engine.run_program(program("1"), Arc::clone(&host), (), &cancel).await;
                assert_eq!(refused.unwrap_err(), RunError::Busy { waiting: 1 });
                // Once the first has stepped back, the second gets its place.
                calls.recv().await.unwrap();
                cancel.cancel();
            };
            tokio::join!(second, third)
        };
        let (first, (second, ())) = tokio::join!(first, rest);
        assert_eq!(first.unwrap().error.unwrap().kind, FailureKind::Cancelled);
        assert_eq!(second.unwrap().calls.len(), 1);
    });
}

#[test]
fn memory_of_all_programs_together_is_bounded() {
    let engine =
        engine(Capacity { threads: 2, running: 4, waiting: 10, memory: 100 << 20, ..Capacity::default() });
    let report = block_on(engine.run_program(
        program("x = []\nwhile True:\n    x.append(bytes(10 ** 6))"),
        Arc::new(Tools),
        (),
        &CancellationToken::new(),
    ))
    .unwrap();
    assert_eq!(report.error.unwrap().kind, FailureKind::Memory);
    assert!(report.stats.memory < 140 << 20);
}

/// Two structures so deep that comparing them takes tens of megabytes of stack.
#[cfg(target_os = "linux")]
const DEEP: &str =
    "x, y = [], []\nfor _ in range(150_000):\n    x, y = [x], [y]\nprint('built')\nprint(x == y)";

#[cfg(target_os = "linux")]
#[test]
fn a_deep_stack_counts_as_memory() {
    for (memory, expected) in [(62 << 20, Some(FailureKind::Memory)), (400 << 20, None)] {
        let engine = engine(Capacity { threads: 1, memory, ..Capacity::default() });
        let never = CancellationToken::new();
        let run = engine.run_program(program(DEEP), Arc::new(Tools), (), &never);
        let report = block_on(run).unwrap();
        assert!(report.output.starts_with("built\n"), "{report:?}");
        assert_eq!(report.error.map(|error| error.kind), expected);
    }
}

#[test]
fn a_program_learns_whose_memory_is_used_up() {
    let greedy = "x = []\nwhile True:\n    x.append(bytes(10 ** 6))";
    for (share, expected) in
        [(Share::Whole, "all programs together hold "), (Share::Half, "the programs of this session hold ")]
    {
        let engine = engine(Capacity { memory: 100 << 20, share, ..Capacity::default() });
        let never = CancellationToken::new();
        let run = engine.run_program(program(greedy), Arc::new(Tools), (), &never);
        let error = block_on(run).unwrap().error.unwrap();
        assert_eq!(error.kind, FailureKind::Memory);
        assert!(error.message.starts_with(expected), "{}", error.message);
    }
}

#[test]
fn dropping_the_engine_ends_every_program() {
    block_on(async {
        let engine =
            engine(Capacity { threads: 1, running: 4, waiting: 10, memory: 1 << 30, ..Capacity::default() });
        let running = Arc::new(Notify::new());
        {
            let cancel = CancellationToken::new();
            let mut run =
                std::pin::pin!(engine.run_program(endless(), Arc::new(Tools), started(&running), &cancel));
            tokio::select! {
                _ = &mut run => panic!("it never ends"),
                () = running.notified() => {}
            }
        }
        tokio::task::spawn_blocking(move || drop(engine)).await.unwrap();
    });
}
