//! The texts that models have learnt, word for word.

use std::time::Duration;

use mortise_contract::Mode;
use serde_json::json;

use crate::bench::{Outcome, Setup};
use crate::servers::{answering, echoing, mock, sample, tool};

async fn run(code: &str) -> Outcome {
    Setup::of([mock("m", "ok")]).start().await.run(code).await
}

#[tokio::test]
async fn output_follows_the_first_line() {
    let ran = run("print('a')\nprint('b')").await;
    assert_eq!((ran.text.as_str(), ran.is_error), ("[Script executed successfully]\na\nb\n", false));
}

#[tokio::test]
async fn no_output_is_said_to_be_none() {
    for code in ["", "x = 1", "# nothing\n", "print()", "print('  ')"] {
        let ran = run(code).await;
        assert_eq!(
            (ran.text.as_str(), ran.is_error),
            ("[Script executed successfully]\n(no output)", false),
            "{code:?}"
        );
    }
}

#[tokio::test]
async fn a_failure_has_the_traceback_of_the_program_alone() {
    let ran = run("def f():\n    return {}['missing']\n\ntext = '''\n  kept\n'''\nf()").await;
    assert!(ran.is_error);
    assert_eq!(
        ran.text,
        "[Script execution failed]\nTraceback (most recent call last):\n  File \"<program>\", line 7, in <module>\n    f()\n    ~^^\n  \
         File \"<program>\", line 2, in f\n    return {}['missing']\n           ~~^^^^^^^^^^^\nKeyError: 'missing'"
    );
    assert_eq!(ran.facts["error"]["line"], 2);
}

#[tokio::test]
async fn a_syntax_error_names_its_line() {
    let ran = run("x = 1\nif x\n    print(x)").await;
    assert!(ran.is_error);
    assert!(ran.text.starts_with("[Script execution failed]\n"), "{}", ran.text);
    assert!(ran.text.contains("File \"<program>\", line 2"), "{}", ran.text);
    assert!(ran.text.contains("SyntaxError: expected ':'"), "{}", ran.text);
    assert_eq!(ran.facts["error"]["line"], 2);
}

#[tokio::test]
async fn multi_line_strings_keep_their_spaces() {
    assert_eq!(run("print('''a\n  b\n''', end='')").await.text, "[Script executed successfully]\na\n  b\n");
}

#[tokio::test]
async fn a_failed_run_names_the_calls_that_took_effect() {
    let bench = Setup::of([sample("inventory")]).start().await;
    let code = "print('start')\nproducts = (await mcp__inventory__list_products())['products']\nfor product in products[:2]:\n    \
                await mcp__inventory__restock(product_id=product['id'], quantity=1)\n\
                await mcp__inventory__restock(product_id='no such product', quantity=1)";
    let ran = bench.run(code).await;
    assert!(ran.is_error);
    assert!(ran.text.contains("\nToolError: 'mcp__inventory__restock' returned an error: "), "{}", ran.text);
    assert!(
        ran.text.ends_with(
            "\nCalls that had already succeeded: mcp__inventory__list_products, mcp__inventory__restock ×2\n\n--- output before the error ---\nstart\n"
        ),
        "{}",
        ran.text
    );
    assert_eq!((&ran.facts["ledger"]["calls"], &ran.facts["ledger"]["failed"]), (&4.into(), &1.into()));
}

#[tokio::test]
async fn a_failed_run_names_the_calls_that_may_have_taken_effect() {
    let bench = Setup::of([mock("m", "hang"), mock("dies", "die-before"), mock("lies", "lie-mismatch")])
        .mode(Mode::Strict)
        .limits(|limits| limits.call = Duration::from_millis(300))
        .start()
        .await;
    let code = "import asyncio\nawait asyncio.gather(mcp__m__echo(text='x'), mcp__dies__echo(text='x'), \
                mcp__lies__echo(text='x'), mcp__m__nothing(), return_exceptions=True)\n1 / 0";
    let ran = bench.run(code).await;
    assert!(
        ran.text.ends_with(
            "\nZeroDivisionError: division by zero\nCalls that had already succeeded: mcp__lies__echo\n\
             Calls that got no answer and may have taken effect: mcp__dies__echo, mcp__m__echo"
        ),
        "{}",
        ran.text
    );
}

#[tokio::test]
async fn the_trace_is_there_only_when_asked_for() {
    let code = "await mcp__m__add(a=1, b=1)\nfor n in range(7):\n    try:\n        await mcp__m__add(a='x')\n    except ToolError:\n        pass\nprint('done')";
    assert_eq!(run(code).await.text, "[Script executed successfully]\ndone\n");
    let bench = Setup::of([mock("m", "ok")]).traced().start().await;
    let text = bench.run(code).await.text;
    let (head, trace) = text.split_once("\n[tool calls: 8, 7 failed; ").unwrap_or_else(|| panic!("{text}"));
    assert_eq!(head, "[Script executed successfully]\ndone");
    let failed = "\n  failed: mcp__m__add: 'mcp__m__add' returned an error: `a` and `b` must be integers";
    let (seconds, failures) = trace.split_once("s]").unwrap();
    assert!(seconds.parse::<f64>().is_ok(), "{seconds}");
    assert_eq!(failures, format!("{}\n  ... 2 more failures", failed.repeat(5)));
}

#[tokio::test]
async fn a_result_too_large_names_both_sizes_and_what_to_do() {
    let bench = Setup::of([mock("m", "ok")]).limits(|limits| limits.result = 100).start().await;
    let code = "try:\n    await mcp__m__echo(text='x' * 500)\nexcept ToolError as e:\n    print(e.kind, e)";
    assert_eq!(
        bench.prints(code).await,
        "size 'mcp__m__echo' returned 511 bytes of JSON; the limit is 100 bytes (max_tool_result_bytes=100): ask for less, \
         for example with a filter, a page or fewer fields\n"
    );
}

#[tokio::test]
async fn what_an_answer_leaves_out_is_said_beside_it_with_how_much() {
    let bench = Setup::of([])
        .limits(|limits| (limits.output, limits.wall) = (10, Duration::from_secs(90)))
        .start()
        .await;
    let code = "emit('old')\nemit('older')\nemit('new')\nprint('é' * 25)";
    let ran = bench.call("execute_program", json!({ "code": code, "timeout_seconds": 100 })).await;
    assert_eq!(
        ran.text, "[Script executed successfully]\nééééé\n... (truncated)\n--- result ---\n\"new\"",
        "the text keeps to its form"
    );
    let said: Vec<&str> = ran.result["content"].as_array().unwrap()[1..]
        .iter()
        .filter_map(|block| block["text"].as_str())
        .collect();
    let name = said[1].split('"').nth(1).unwrap();
    let cut = format!(
        "The output was cut: 10 of 51 bytes are shown (execution.max_output_bytes). All of it is kept: `text = await load(\"{name}\")` in a program, or the resource mortise://kept/{name}."
    );
    let expected = [
        "timeout_seconds=100 was cut to 90, the configured limit (execution.timeout_seconds).",
        cut.as_str(),
        "emit() was called 3 times: the last value is the result, 2 earlier values are gone.",
    ];
    assert_eq!(said, expected);
    assert_eq!(ran.facts["cuts"], json!(expected));
    let whole = bench.call("execute_program", json!({ "code": "emit(1)", "timeout_seconds": 90 })).await;
    assert_eq!(whole.result["content"].as_array().unwrap().len(), 1);
    assert_eq!(whole.facts.get("cuts"), None);
}

#[tokio::test]
async fn an_error_s_message_is_the_tool_s_own_text() {
    let result =
        r#"{"isError":true,"content":[{"type":"text","text":"no such row"},{"type":"text","text":"7"}]}"#;
    let bench = Setup::of([answering(vec![(tool("t"), result)])]).start().await;
    let code = "try:\n    await mcp__s__t()\nexcept ToolError as e:\n    print(e.message)\n    print(e)";
    assert_eq!(bench.prints(code).await, "no such row 7\n'mcp__s__t' returned an error: no such row 7\n");
    let bench = Setup::of([mock("m", "rpc-error")]).start().await;
    let code =
        "try:\n    await mcp__m__echo(text='x')\nexcept ToolError as e:\n    print(e.message)\n    print(e)";
    let printed = bench.prints(code).await;
    let (message, sentence) = printed.trim_end().split_once('\n').unwrap();
    assert!(sentence.starts_with("'mcp__m__echo' failed: ") && sentence.contains(message), "{printed}");
    assert!(!message.contains("mcp__m__echo"), "{printed}");
}

#[tokio::test]
async fn the_time_limit_is_named_as_configured() {
    let bench = Setup::of([echoing("s", &["t"]).0])
        .limits(|limits| limits.wall = Duration::from_millis(1500))
        .start()
        .await;
    let ran = bench.run("import time\ntime.sleep(1e6)").await;
    assert_eq!(ran.text, "[Script execution failed]\nTimeoutError: Execution exceeded 1.5s limit");
}
