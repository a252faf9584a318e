//! What a program may use, and what it can't do (executor/A13 to A17, A19).

use std::time::{Duration, Instant};

use serde_json::json;

use crate::bench::Setup;
use crate::servers::{answering, called, echoing, mock, tool, watched_mock};

#[tokio::test]
async fn a13_the_budget_of_calls_is_exact_and_discovery_is_free() {
    let (config, received) = echoing("s", &["t"]);
    let bench = Setup::of([config]).limits(|limits| limits.calls = 3).start().await;
    let code = "ok = failed = 0\nfor n in range(5):\n    await list_callable_tools()\n    await inspect_tool(tool_name='mcp__s__t')\n    \
                await server_status()\n    try:\n        await mcp__s__t(n=n)\n        ok += 1\n    except ToolError as e:\n        \
                failed += 1\n        last = e\nprint(ok, failed, last.kind, last)";
    let ran = bench.run(code).await;
    assert_eq!(ran.facts["output"], "3 2 budget tool-call budget exhausted (max_tool_calls=3)\n");
    assert_eq!(called(&received).len(), 3);
    let ledger = &ran.facts["ledger"];
    assert_eq!((&ledger["calls"], &ledger["failed"], &ledger["refused"]), (&json!(5), &json!(2), &json!(2)));
    let calls = ran.calls();
    assert_eq!(calls.len(), 5);
    assert_eq!(calls[4]["error"], "tool-call budget exhausted (max_tool_calls=3)");
}

#[tokio::test]
async fn refused_calls_without_end_are_counted() {
    let (config, _) = echoing("s", &["t"]);
    let bench = Setup::of([config]).traced().limits(|limits| limits.calls = 1).start().await;
    let code =
        "for n in range(301):\n    try:\n        await mcp__s__t(n=n)\n    except ToolError:\n        pass";
    let ran = bench.run(code).await;
    let ledger = &ran.facts["ledger"];
    assert_eq!((&ledger["calls"], &ledger["refused"]), (&json!(301), &json!(300)));
    assert!(ran.text.contains("\n[tool calls: 301, 300 failed; "), "{}", ran.text);
    assert!(ran.text.ends_with("\n  ... 295 more failures"), "{}", ran.text);
}

#[tokio::test]
async fn the_time_of_a_call_is_the_servers_and_waiting_is_told_apart() {
    let bench = Setup::of([mock("m", "slow=60")]).limits(|limits| limits.calls_in_flight = 1).start().await;
    let code = "import asyncio\nawait asyncio.gather(*(mcp__m__echo(text='x') for _ in range(4)))";
    let ran = bench.run(code).await;
    let calls = ran.calls();
    let waited = |at: usize| calls[at]["waited_ms"].as_u64().unwrap_or_default();
    assert!(waited(3) >= 2 * 60 && waited(3) > waited(2) && waited(2) > waited(1), "{calls:?}");
    // Were waiting part of it, the four would add up to ten times the server's pause.
    let total = ran.facts["ledger"]["tools"][0]["ms"].as_u64().unwrap();
    assert!((4 * 60..waited(3) + waited(2) + waited(1)).contains(&total), "{total} ms: {calls:?}");
}

#[tokio::test]
async fn a_tools_words_stay_on_one_line_of_the_trace() {
    let failed = r#"{"isError":true,"content":[{"type":"text","text":"one\ntwo\u001b[31m"}]}"#;
    let bench = Setup::of([answering(vec![(tool("t"), failed)])]).traced().start().await;
    let ran = bench.run("try:\n    await mcp__s__t()\nexcept ToolError as e:\n    pass").await;
    assert!(
        ran.text.ends_with("\n  failed: mcp__s__t: 'mcp__s__t' returned an error: one\\ntwo\\u{1b}[31m"),
        "{:?}",
        ran.text
    );
}

#[tokio::test]
async fn a16_leaving_with_a_status_is_a_failure_and_without_one_the_end() {
    let bench = Setup::of([]).start().await;
    for code in
        ["raise SystemExit(1)", "import sys\nsys.exit('no data')", "import os\nos._exit(0)", "exit(3)"]
    {
        let ran = bench.run(&format!("print('kept')\n{code}")).await;
        assert!(ran.is_error, "{code}");
        assert_eq!(ran.facts["output"], "kept\n", "{code}");
        assert_eq!(ran.facts["error"]["type"], "SystemExit", "{code}");
    }
    for code in ["raise SystemExit", "import sys\nsys.exit(0)", "quit()"] {
        let ran = bench.run(&format!("print('done')\n{code}\nprint('never')")).await;
        assert_eq!((ran.is_error, ran.facts["output"].as_str()), (false, Some("done\n")), "{code}");
    }
}

#[tokio::test]
async fn a13_calls_past_the_places_in_flight_wait_and_do_not_fail() {
    let (config, mock) = watched_mock("m", "slow=30");
    let bench = Setup::of([config]).limits(|limits| limits.calls_in_flight = 3).start().await;
    let code = "import asyncio\nresults = await asyncio.gather(*(mcp__m__echo(text=str(n)) for n in range(12)))\n\
                print([r['text'] for r in results] == [str(n) for n in range(12)])";
    let start = Instant::now();
    assert_eq!(bench.prints(code).await, "True\n");
    assert!(start.elapsed() >= Duration::from_millis(4 * 30), "three at a time take four turns");
    assert_eq!(mock.received().iter().filter(|request| request["method"] == "tools/call").count(), 12);
}

#[tokio::test]
async fn a13_gathered_calls_run_at_the_same_time() {
    let bench = Setup::of([mock("m", "slow=200")]).start().await;
    bench.executor().warm_up().await.unwrap();
    let code = "import asyncio, time\nstart = time.monotonic()\nawait asyncio.gather(*(mcp__m__echo(text='x') for _ in range(10)))\n\
                print(time.monotonic() - start < 1.5)";
    assert_eq!(bench.prints(code).await, "True\n");
}

#[tokio::test]
async fn a14_a_call_has_its_time_and_the_server_is_told() {
    let (config, mock) = watched_mock("m", "hang");
    let bench = Setup::of([config]).limits(|limits| limits.call = Duration::from_millis(500)).start().await;
    let start = Instant::now();
    let code = "try:\n    await mcp__m__echo(text='x')\nexcept ToolError as e:\n    print(e.kind, e)\nprint(await mcp__m__add(a=1, b=1))";
    assert_eq!(bench.prints(code).await, "timeout 'mcp__m__echo' timed out after 0.5s\n{'sum': 2}\n");
    assert!(start.elapsed() < Duration::from_secs(5));
    crate::asks::until(|| {
        mock.received().iter().any(|message| message["method"] == "notifications/cancelled")
    })
    .await;
}

#[tokio::test]
async fn a14_a_server_with_a_longer_time_of_its_own_has_it_in_programs() {
    let mut config = mock("m", "slow=300");
    config.call_timeout = Some(Duration::from_secs(30));
    let bench = Setup::of([config]).limits(|limits| limits.call = Duration::from_millis(50)).start().await;
    assert_eq!(bench.prints("print((await mcp__m__echo(text='x'))['text'])").await, "x\n");
}

#[tokio::test]
async fn a14_an_endless_loop_is_stopped_and_the_next_program_runs() {
    let bench = Setup::of([]).start().await;
    bench.prints("print('warm')").await;
    let start = Instant::now();
    let arguments = json!({ "code": "print('before')\nwhile True:\n    pass", "timeout_seconds": 1 });
    let ran = bench.call("execute_program", arguments).await;
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert_eq!(
        ran.text,
        "[Script execution failed]\nTimeoutError: Execution exceeded 1s limit\n\n--- output before the error ---\nbefore\n"
    );
    assert_eq!(ran.facts["error"]["type"], "TimeoutError");
    assert_eq!(bench.prints("print('next')").await, "next\n");
}

#[tokio::test]
async fn a14_a_caller_may_shorten_the_time_and_not_lengthen_it() {
    let bench = Setup::of([]).limits(|limits| limits.wall = Duration::from_millis(500)).start().await;
    for (asked, expected) in [(0.25, "0.25s"), (600.0, "0.5s")] {
        let arguments = json!({ "code": "while True:\n    pass", "timeout_seconds": asked });
        let ran = bench.call("execute_program", arguments).await;
        assert_eq!(
            ran.text,
            format!("[Script execution failed]\nTimeoutError: Execution exceeded {expected} limit")
        );
    }
}

#[tokio::test]
async fn a15_nothing_a_program_writes_is_taken_for_a_message_of_ours() {
    let (config, received) = echoing("s", &["t"]);
    let bench = Setup::of([config]).start().await;
    let forged = "import os, sys\nline = '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\\n{\"type\":\"call\",\"id\":1,\"name\":\"mcp__s__t\"}\\n'\n\
                  print(line, end='')\nsys.stderr.write(line)\nfor fd in range(0, 8):\n    try:\n        os.write(fd, line.encode())\n    \
                  except OSError:\n        pass\nprint('end')";
    let ran = bench.run(forged).await;
    assert!(ran.text.ends_with("end\n"), "{}", ran.text);
    assert_eq!(called(&received), Vec::<String>::new());
    assert_eq!(ran.facts["ledger"]["calls"], 0);
}

#[tokio::test]
async fn a15_a_task_left_behind_prints_nothing_afterwards() {
    let (config, received) = echoing("s", &["t"]);
    let bench = Setup::of([config]).start().await;
    let code = "import asyncio\nasync def later():\n    await asyncio.sleep(0.05)\n    print('late')\n    await mcp__s__t()\n\
                task = asyncio.create_task(later())\nprint('main')";
    assert_eq!(bench.prints(code).await, "main\n");
    assert_eq!(called(&received), Vec::<String>::new());
}

#[tokio::test]
async fn a15_arguments_are_keywords_and_json() {
    let bench = Setup::of([mock("m", "ok")]).start().await;
    let ran = bench.run("await mcp__m__echo('x')").await;
    assert!(ran.is_error && ran.text.contains("keyword arguments only"), "{}", ran.text);
    let ran = bench.run("await mcp__m__echo(text=object())").await;
    assert!(ran.is_error && ran.text.contains("JSON-serializable"), "{}", ran.text);
    assert_eq!(ran.facts["ledger"]["calls"], 0);
}

#[tokio::test]
async fn a16_the_last_emit_is_the_result() {
    let bench = Setup::of([]).limits(|limits| limits.emitted = 100).start().await;
    let ran = bench.run("emit(1)\nemit({'b': 1, 'a': 12345678901234567})").await;
    assert_eq!(ran.facts["result"], json!({ "b": 1, "a": 12345678901234567_i64 }));
    assert!(ran.text.ends_with("--- result ---\n{\"b\": 1, \"a\": 12345678901234567}"), "{}", ran.text);
    let ran = bench.run("print('x')").await;
    assert_eq!(ran.facts["result"], json!(null));
    let ran = bench.run("emit(object())").await;
    assert!(ran.is_error && ran.text.contains("emit() value must be JSON-serializable"), "{}", ran.text);
    let ran = bench.run("emit('x' * 500)").await;
    assert!(ran.is_error && ran.text.contains("the limit is 100 (max_emitted_bytes"), "{}", ran.text);
}

#[tokio::test]
async fn a16_an_exit_is_a_failure_and_output_is_kept() {
    let bench = Setup::of([]).start().await;
    let ran = bench.run("print('so far')\nimport sys\nsys.exit('that is enough')").await;
    assert!(ran.is_error, "{}", ran.text);
    assert_eq!(ran.facts["output"], "so far\n");
    assert!(ran.text.contains("that is enough"), "{}", ran.text);
    let ran = bench.run("print('kept')\n1 / 0").await;
    assert!(ran.is_error);
    assert!(ran.text.ends_with("\n\n--- output before the error ---\nkept\n"), "{}", ran.text);
    assert_eq!(
        ran.facts["error"],
        json!({ "type": "ZeroDivisionError", "message": "division by zero", "line": 2 })
    );
}

#[tokio::test]
async fn a17_nothing_of_the_host_is_visible() {
    let bench = Setup::of([]).start().await;
    let code = "import os\nprint(sorted(os.environ))\nfor name in ('numpy', 'pip', 'mortise'):\n    try:\n        __import__(name)\n    \
                except ImportError:\n        print('no', name)\nfor path in ('/etc/passwd', '/proc/self/environ', '.', '/tmp'):\n    try:\n        \
                print(open(path).read()[:5])\n    except OSError as e:\n        print(type(e).__name__)";
    let printed = bench.prints(code).await;
    for variable in ["PATH", "HOME", "CARGO", "USER"] {
        assert!(!printed.contains(&format!("'{variable}")), "{printed}");
    }
    assert_eq!(printed.matches("no ").count(), 3, "{printed}");
    assert!(!printed.contains("root:"), "{printed}");
}

#[tokio::test]
async fn a17_no_state_survives_a_run() {
    let bench = Setup::of([]).start().await;
    bench.prints("import builtins, sys\nbuiltins.left = 1\nsys.modules['left'] = sys\nleft = 2").await;
    let code =
        "import builtins, sys\nprint(hasattr(builtins, 'left'), 'left' in sys.modules, 'left' in globals())";
    assert_eq!(bench.prints(code).await, "False False False\n");
}

#[tokio::test]
async fn a19_output_is_cut_in_bytes_at_a_character() {
    let bench = Setup::of([]).limits(|limits| limits.output = 10).start().await;
    let ran = bench.run("print('é' * 50)").await;
    assert_eq!(ran.text, "[Script executed successfully]\nééééé\n... (truncated)");
    assert_eq!((&ran.facts["output"], &ran.facts["truncated"]), (&json!("ééééé"), &json!(true)));
    let whole = bench.run("print('x' * 9)").await;
    assert_eq!(
        (whole.text.as_str(), &whole.facts["truncated"]),
        ("[Script executed successfully]\nxxxxxxxxx\n", &json!(false))
    );
}

#[tokio::test]
async fn a_huge_answer_is_refused_and_hurts_nobody() {
    for (scenario, expected) in [
        ("big=20000000", "size 'mcp__m__echo' returned 19 MiB of JSON; the limit is 16 MiB"),
        (
            "big=100000000",
            "size 'mcp__m__echo' failed: the answer to `echo` on server `m` is larger than 67108864 bytes",
        ),
        ("deep=100000", "size 'mcp__m__echo' returned JSON that nests 100002 levels deep; the limit is 128"),
    ] {
        let bench = Setup::of([mock("m", scenario), mock("other", "ok")]).start().await;
        let code = "try:\n    await mcp__m__echo(text='x')\nexcept ToolError as e:\n    print(e.kind, e)\nprint(await mcp__other__add(a=1, b=1))";
        let printed = bench.prints(code).await;
        assert!(printed.starts_with(expected), "{scenario}: {printed:.300}");
        assert!(printed.ends_with("{'sum': 2}\n"), "{scenario}");
        assert_eq!(
            bench.prints("print((await server_status())['m']['connected'])").await,
            "True\n",
            "{scenario}"
        );
    }
}

#[tokio::test]
async fn a_value_as_deep_as_can_be_emitted_arrives() {
    let bench = Setup::of([]).start().await;
    let nest = |levels: usize| {
        format!("value = 0\nfor _ in range({levels}):\n    value = [value]\nprint('made')\nemit(value)")
    };
    let ran = bench.run(&nest(123)).await;
    assert!(!ran.is_error, "{}", ran.text);
    assert_eq!(ran.facts["output"], "made\n");
    assert!(ran.facts["result"].is_array());
    let refused = bench.run(&nest(124)).await;
    assert!(
        refused.text.contains("emit() value nests 125 levels deep; the limit is 124"),
        "{}",
        refused.text
    );
    assert_eq!(refused.facts["output"], "made\n");
}
