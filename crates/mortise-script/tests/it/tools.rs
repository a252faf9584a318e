//! Tool calls: what a program writes, what it gets, and the limits on them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mortise_contract::RawJson;
use mortise_contract::verdict::Violation;
use mortise_script::{CallOutcome, CallRequest, CallValue, HostError, HostErrorKind, ToolHost};
use tokio::sync::{Barrier, Notify};

use crate::hosts::{Tools, block_on, fails, json, prints, program, run, run_on};

/// A host whose calls are answered by one closure; the rest is as in [`Tools`].
pub(crate) struct Calls<F>(pub(crate) F);

impl<F, A> ToolHost for Calls<F>
where
    F: Fn(CallRequest) -> A + Send + Sync + 'static,
    A: Future<Output = Result<RawJson, HostError>> + Send,
{
    async fn call(&self, request: CallRequest) -> Result<CallValue, HostError> {
        (self.0)(request).await.map(CallValue::from)
    }
    async fn inspect_tool(&self, tool_name: String) -> Result<RawJson, HostError> {
        Tools.inspect_tool(tool_name).await
    }
    async fn list_callable_tools(&self) -> Result<RawJson, HostError> {
        Tools.list_callable_tools().await
    }
    async fn server_status(&self) -> Result<RawJson, HostError> {
        Tools.server_status().await
    }
}

#[test]
fn a_failure_is_an_exception_with_all_its_parts() {
    prints(
        "try:\n    await fail()\nexcept ToolError as e:\n    print(e.tool, e.kind, e.message, e.structured, e.violations)",
        "fail tool no such row {'code': 12345678901234567890123} []\n",
    );
}

#[test]
fn an_error_can_be_copied_and_made_by_the_program() {
    prints(
        "import copy\ntry:\n    await fail()\nexcept ToolError as e:\n    c = copy.copy(e)\n    print(c, c.tool, c.message, c.structured)\n\
         try:\n    raise ToolError('mine')\nexcept ToolError as e:\n    print(repr(e), e.tool, e.kind, e.message)",
        "'fail' returned an error: no such row fail no such row {'code': 12345678901234567890123}\nToolError('mine') None tool mine\n",
    );
}

#[test]
fn violations_reach_the_program() {
    let host = Calls(async |_: CallRequest| -> Result<RawJson, HostError> {
        let violation = Violation {
            instance_path: "/rows/0".to_owned(),
            schema_path: "/properties/rows/items/type".to_owned(),
            keyword: "type".to_owned(),
            message: "1 is not a string".to_owned(),
            value_excerpt: "1".to_owned(),
        };
        let error = HostError::new(HostErrorKind::Output, "'echo' broke its schema");
        Err(HostError { violations: vec![violation], ..error })
    });
    let source =
        "try:\n    await echo()\nexcept ToolError as e:\n    print(e.kind, e.violations[0]['instance_path'])";
    assert_eq!(block_on(run_on(program(source), host)).output, "output /rows/0\n");
}

#[test]
fn an_uncaught_failure_ends_the_program_at_its_line() {
    fails(
        "x = 1\nawait fail(x=x)",
        "Traceback (most recent call last):\n  File \"<program>\", line 2, in <module>\n    await fail(x=x)\n\
         ToolError: 'fail' returned an error: no such row",
    );
}

#[test]
fn tools_take_keyword_arguments_only() {
    let report = run(program("await echo(1)"));
    assert_eq!(report.error.unwrap().message, "echo() takes keyword arguments only: write echo(name=value)");
    prints("print(await echo(**{'from': 1, 'class': 2}))", "{'from': 1, 'class': 2}\n");
}

#[test]
fn blocked_and_unknown_tools_say_so() {
    let mut blocked = program("await mcp__s__gone()");
    blocked.blocked = ["mcp__s__gone"].into_iter().collect();
    let error = run(blocked).error.unwrap();
    assert!(error.traceback.ends_with("\nToolError: 'mcp__s__gone' is not available in execute_program"));
    prints(
        "async def f():\n    try:\n        await mcp__no__such(x=1)\n    except ToolError as e:\n        print(e.kind, e.tool, e)\nawait f()",
        "unavailable mcp__no__such 'mcp__no__such' is not available in execute_program\n",
    );
}

#[test]
fn tools_look_like_async_functions() {
    prints(
        "import inspect, asyncio\nprint(mcp__s__t.__name__, inspect.iscoroutinefunction(mcp__s__t), asyncio.iscoroutine(c := mcp__s__t()))\nawait c",
        "mcp__s__t True True\n",
    );
}

#[test]
fn questions_about_tools_are_answered_and_not_counted() {
    let mut program = program(
        "print(await list_callable_tools(), await server_status(), await inspect_tool('echo'))\n\
         print(await inspect_tool(tool_name='echo'))\n\
         try:\n    await inspect_tool(tool_name='nope')\nexcept ToolError as e:\n    print(e)\nawait echo()\nprint('fine')",
    );
    program.limits.calls = 1;
    assert_eq!(
        run(program).output,
        "['echo', 'fail'] {'s': {'connected': True}} {'name': 'echo', 'outputSchema': None}\n\
         {'name': 'echo', 'outputSchema': None}\n[Tool not found] 'nope' is not available in execute_program\nfine\n"
    );
}

#[test]
fn the_last_emit_wins() {
    let report =
        run(program("emit(1)\nemit({'best': 'AAPL', 'score': 0.9})\nawait emit([2, 3])\nprint('done')"));
    assert_eq!(report.stats.emits, 3);
    assert_eq!(report.emitted.unwrap().text(), "[2, 3]");
    assert!(run(program("print(1)")).emitted.is_none());
    let report = run(program("emit({'a': None})\n1/0"));
    assert_eq!(report.emitted.unwrap().text(), "{\"a\": null}");
}

#[test]
fn an_emitted_value_has_its_limits() {
    let mut too_large = program("emit('x' * 500)");
    too_large.limits.emitted = 100;
    let error = run(too_large).error.unwrap();
    assert_eq!(error.exception, "ValueError");
    assert_eq!(error.message, "emit() value is 502 bytes; the limit is 100 (max_emitted_bytes, 100 bytes)");
    let mut at_limit = program("emit('x' * 98)");
    at_limit.limits.emitted = 100;
    assert!(run(at_limit).is_ok());
    let error = run(program("emit(object())")).error.unwrap();
    assert_eq!(
        error.message,
        "emit() value must be JSON-serializable: Object of type object is not JSON serializable"
    );
}

#[test]
fn what_is_far_too_large_for_any_request_is_told_like_the_rest() {
    let source = "big = 'x' * (20 << 20)\n\
        try:\n    await echo(x=big)\nexcept ToolError as error:\n    print(error.kind, error)\n\
        try:\n    emit(big)\nexcept ValueError as error:\n    print(error)\n";
    let report = run(program(source));
    assert_eq!(
        report.output,
        "arguments 'echo' was not called: arguments is 20971529 bytes; the limit is 16777216 (arguments of one call, \
         16 MiB)\nemit() value is 20971522 bytes; the limit is 1048576 (max_emitted_bytes, 1 MiB)\n",
        "{:?}",
        report.error
    );
}

#[test]
fn arguments_that_wait_count_as_memory_and_are_given_back() {
    let source = "import asyncio\nbig, started = 'x' * (4 << 20), []\n\
        def start():\n    call = never(data=big)\n    call.send(None)\n    started.append(call)\n\
        try:\n    while True:\n        start()\nexcept ToolError as error:\n    print(len(started), error.kind, error)\n\
        for call in started:\n    call.close()\n\
        await asyncio.sleep(0)\nstart()\nprint('again')\nstarted.pop().close()\n";
    let mut greedy = program(source);
    greedy.limits.calls = 1000;
    let report = run(greedy);
    assert_eq!(
        report.output,
        "31 size 'never' was not called: its arguments and results that wait hold 248.2 MiB; the limit is 256 MiB \
         (max_memory_bytes=268435456): await some of the calls that are pending, or send less\nagain\n",
        "{:?}",
        report.error
    );
}

#[test]
fn calls_run_at_the_same_time() {
    let barrier = Arc::new(Barrier::new(16));
    let host = Calls(move |request: CallRequest| {
        let barrier = Arc::clone(&barrier);
        async move {
            barrier.wait().await;
            Ok(request.arguments)
        }
    });
    let source =
        "import asyncio\nprint(sum(r['x'] for r in await asyncio.gather(*(echo(x=i) for i in range(16)))))";
    assert_eq!(block_on(run_on(program(source), host)).output, "120\n");
}

#[test]
fn calls_past_the_places_in_flight_wait() {
    let (now, peak) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let three = Arc::new(Barrier::new(3));
    let host = {
        let peak = Arc::clone(&peak);
        Calls(move |request: CallRequest| {
            let (now, peak, three) = (Arc::clone(&now), Arc::clone(&peak), Arc::clone(&three));
            async move {
                peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                three.wait().await;
                now.fetch_sub(1, Ordering::SeqCst);
                Ok(request.arguments)
            }
        })
    };
    let mut program =
        program("import asyncio\nprint(len(await asyncio.gather(*(echo(x=i) for i in range(12)))))");
    program.limits.calls_in_flight = 3;
    assert_eq!(block_on(run_on(program, host)).output, "12\n");
    assert_eq!(peak.load(Ordering::SeqCst), 3);
}

#[test]
fn the_budget_is_exact_and_catchable() {
    let mut program = program(
        "ok = failed = 0\nfor _ in range(5):\n    try:\n        await echo()\n        ok += 1\n    except ToolError as e:\n        failed += 1\nprint(ok, failed, e.kind, e)"
            .replace("print(ok", "        last = e\nprint(ok")
            .replace("e.kind, e)", "last.kind, last)")
            .as_str(),
    );
    program.limits.calls = 3;
    let report = run(program);
    assert_eq!(report.output, "3 2 budget tool-call budget exhausted (max_tool_calls=3)\n");
    assert_eq!((report.calls.len(), report.stats.refused_calls), (5, 2));
    let refused = &report.calls[3];
    assert_eq!((refused.id, refused.name.as_str()), (0, "echo"));
    assert!(
        matches!(&refused.outcome, CallOutcome::Failed { kind: HostErrorKind::Budget, .. }),
        "{refused:?}"
    );
}

#[test]
fn a_call_has_its_time() {
    let mut program = program("try:\n    await never()\nexcept ToolError as e:\n    print(e.kind, e)");
    program.limits.call = Duration::from_millis(500);
    assert_eq!(run(program).output, "timeout 'never' timed out after 0.5s\n");
}

#[test]
fn a_result_has_its_size() {
    let mut at_limit = program("print(len(await big(bytes=100)))");
    at_limit.limits.result = 100;
    assert_eq!(run(at_limit).output, "98\n");
    let mut past = program("await big(bytes=101)");
    past.limits.result = 100;
    assert_eq!(
        run(past).error.unwrap().message,
        "'big' returned 101 bytes of JSON; the limit is 100 bytes (max_tool_result_bytes=100): \
         ask for less, for example with a filter, a page or fewer fields"
    );
}

#[test]
fn results_of_several_megabytes_arrive() {
    prints("r = await big(bytes=5_000_000)\nprint(len(r), r[-1])", "4999998 x\n");
}

#[test]
fn a_host_that_panics_fails_the_call_only() {
    prints(
        "try:\n    await panics()\nexcept ToolError as e:\n    print(e.kind, e)\nprint(await echo(x=1))",
        "internal 'panics' failed: internal error\n{'x': 1}\n",
    );
}

#[test]
fn every_call_is_recorded() {
    let report = run(program(
        "await echo(x=1)\ntry:\n    await fail()\nexcept ToolError:\n    pass\nimport asyncio\n\
         try:\n    await asyncio.wait_for(never(), 0.01)\nexcept TimeoutError:\n    pass",
    ));
    let outcomes: Vec<_> =
        report.calls.iter().map(|call| (call.id, call.name.as_str(), call.outcome.clone())).collect();
    let failed = CallOutcome::Failed {
        kind: HostErrorKind::Tool,
        message: "'fail' returned an error: no such row".to_owned(),
    };
    assert_eq!(
        outcomes,
        [(1, "echo", CallOutcome::Ok), (2, "fail", failed), (3, "never", CallOutcome::Abandoned)]
    );
    assert_eq!((report.calls[0].sent, report.calls[0].received), (8, 8));
    assert!(report.calls[2].elapsed > Duration::ZERO);
}

/// Says when the future it is part of is dropped.
struct OnDrop(Arc<Notify>);
impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[test]
fn a_call_that_nobody_waits_for_is_dropped() {
    block_on(async {
        let dropped = Arc::new(Notify::new());
        let host = {
            let dropped = Arc::clone(&dropped);
            Calls(move |request: CallRequest| {
                let guard = OnDrop(Arc::clone(&dropped));
                async move {
                    if request.name == "echo" {
                        // The first call must be gone by now; else this never ends.
                        guard.0.notified().await;
                        return Ok(json("1"));
                    }
                    let _guard = guard;
                    std::future::pending().await
                }
            })
        };
        let source = "import asyncio\ntry:\n    await asyncio.wait_for(never(), 0.01)\nexcept TimeoutError:\n    print(await echo())";
        assert_eq!(run_on(program(source), host).await.output, "1\n");
    });
}

#[test]
fn answers_that_nobody_has_taken_keep_their_place_in_flight() {
    let made = Arc::new(AtomicUsize::new(0));
    let host = {
        let made = Arc::clone(&made);
        Calls(move |request: CallRequest| {
            made.fetch_add(1, Ordering::SeqCst);
            async move { Ok(request.arguments) }
        })
    };
    // The program starts calls and computes without ever looking at the answers.
    let source = "calls = [echo(i=i) for i in range(50)]\n[call.send(None) for call in calls]\n\
                  x = sum(range(3_000_000))\nimport os\nos._exit(0)";
    let mut program = program(source);
    program.limits.calls_in_flight = 4;
    block_on(run_on(program, host));
    assert_eq!(made.load(Ordering::SeqCst), 4);
}
