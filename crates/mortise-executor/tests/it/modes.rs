//! What happens when a result breaks its contract: off, warn and strict.

use mortise_contract::Mode;
use serde_json::json;

use crate::bench::{Bench, Outcome, Setup};
use crate::servers::{answering, mock, promising};

const CATCH: &str = "try:\n    print(await mcp__m__echo(text='x'))\nexcept ToolError as e:\n    print(e.kind, e)\n    print(e.structured, [v['instance_path'] for v in e.violations])";

async fn with(mode: Mode, scenario: &str) -> (Bench, Outcome) {
    let bench = Setup::of([mock("m", scenario)]).mode(mode).start().await;
    let outcome = bench.run(CATCH).await;
    (bench, outcome)
}

#[tokio::test]
async fn off_hands_the_value_on_and_says_nothing() {
    let (_, ran) = with(Mode::Off, "lie-mismatch").await;
    let (_, warned) = with(Mode::Warn, "lie-mismatch").await;
    assert_eq!(ran.facts["output"], warned.facts["output"], "warn changes nothing about the value");
    assert_eq!(ran.only_call()["verdict"], "off");
    assert_eq!(ran.only_call().get("notes"), None);
}

#[tokio::test]
async fn warn_hands_the_value_on_and_notes_the_violation() {
    let (bench, ran) = with(Mode::Warn, "lie-mismatch").await;
    assert!(!ran.is_error, "{}", ran.text);
    let call = ran.only_call();
    assert_eq!((&call["ok"], &call["verdict"]), (&json!(true), &json!("invalid")));
    assert!(call["notes"].to_string().contains("/text"), "{call}");
    assert_eq!(ran.facts["ledger"]["tools"][0]["verdicts"], json!({ "invalid": 1 }));
    assert!(bench.upstream("m").state().is_usable(), "a mismatch is no failure of the connection");
}

#[tokio::test]
async fn strict_raises_with_pointers_and_payload() {
    let (bench, ran) = with(Mode::Strict, "lie-mismatch").await;
    assert!(!ran.is_error, "caught: {}", ran.text);
    let output = ran.facts["output"].as_str().unwrap();
    assert!(
        output.starts_with(
            "output 'mcp__m__echo' returned data that does not match its declared output schema: at /text: "
        ),
        "{output}"
    );
    assert!(output.contains("'text': 42") || output.contains("{'text':"), "the payload is kept: {output}");
    assert!(output.ends_with("['/text']\n"), "{output}");
    assert!(bench.upstream("m").state().is_usable());
    let uncaught = bench.run("await mcp__m__echo(text='x')").await;
    assert!(uncaught.is_error);
    assert!(uncaught.text.contains("ToolError: 'mcp__m__echo' returned data"), "{}", uncaught.text);
}

#[tokio::test]
async fn an_error_flag_that_is_no_boolean_is_noted_and_strict_refuses_it() {
    let (_, warned) = with(Mode::Warn, "is-error-string").await;
    assert_eq!(warned.facts["output"], "{'text': 'hi'}\n");
    let call = warned.only_call();
    assert_eq!((&call["ok"], &call["verdict"]), (&json!(true), &json!("malformed")));
    assert_eq!(call["notes"], json!(["/isError is a string, not a boolean"]));
    let (_, refused) = with(Mode::Strict, "is-error-string").await;
    let output = refused.facts["output"].as_str().unwrap();
    let said = "output 'mcp__m__echo' returned a result that breaks the protocol: /isError is a string, not a boolean\n";
    assert!(output.starts_with(said), "{output}");
    assert!(output.contains("{'text': 'hi'}"), "the payload is kept: {output}");
}

#[tokio::test]
async fn strict_refuses_a_schema_that_can_not_be_used() {
    let bench = Setup::of([mock("m", "schema-external")]).mode(Mode::Strict).start().await;
    let ran = bench
        .run("try:\n    await mcp__m__bad(text='x')\nexcept ToolError as e:\n    print(e.kind, e)")
        .await;
    let output = ran.facts["output"].as_str().unwrap();
    assert!(output.starts_with("output 'mcp__m__bad' failed: its output schema can't be used: "), "{output}");
    assert_eq!(bench.prints("print(await mcp__m__add(a=1, b=1))").await, "{'sum': 2}\n");
}

#[tokio::test]
async fn strict_says_what_could_not_be_checked() {
    let (_, ran) = with(Mode::Strict, "lone-surrogate").await;
    let said =
        "'mcp__m__echo' returned data that can't be checked against its declared output schema: not JSON";
    assert!(ran.text.contains(said), "{}", ran.text);
}

#[tokio::test]
async fn a_tool_error_is_never_validated() {
    for mode in [Mode::Warn, Mode::Strict] {
        let (_, ran) = with(mode, "tool-error-structured").await;
        assert_eq!(ran.only_call()["verdict"], "tool_error");
        assert!(ran.facts["output"].as_str().unwrap().starts_with("tool 'mcp__m__echo' returned an error: "));
    }
}

#[tokio::test]
async fn the_narrowest_setting_wins() {
    let schema = json!({ "type": "object", "required": ["n"] });
    let wrong = r#"{"content":[],"structuredContent":{}}"#;
    let tools = ["global", "server", "tool"].map(|name| (promising(name, schema.clone()), wrong)).to_vec();
    let mut config = answering(tools);
    config.mode = Some(Mode::Strict);
    config.tool_modes.insert("tool".to_owned(), Mode::Off);
    let bench = Setup::of([config, mock("m", "lie-mismatch")]).mode(Mode::Warn).start().await;
    let code = "for call in (mcp__s__server, mcp__s__tool, mcp__m__echo):\n    try:\n        await call()\n        print('value')\n    except ToolError as e:\n        print(e.kind)";
    assert_eq!(bench.prints(code).await, "output\nvalue\nvalue\n");
}

#[tokio::test]
async fn a_mismatch_never_trips_a_breaker() {
    let bench = Setup::of([mock("m", "lie-mismatch")]).mode(Mode::Strict).start().await;
    let code = "failed = 0\nfor _ in range(50):\n    try:\n        await mcp__m__echo(text='x')\n    except ToolError:\n        failed += 1\n\
                print(failed, (await server_status())['m']['connected'], await mcp__m__add(a=1, b=1))";
    assert_eq!(bench.prints(code).await, "50 True {'sum': 2}\n");
}
