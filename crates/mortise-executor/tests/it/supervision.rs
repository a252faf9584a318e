//! Servers that start late, fail, or are lost (executor/A18).

use std::sync::atomic::{AtomicUsize, Ordering};

use mortise_client::server_config::{InProcess, ServerConfig, Transport};
use mortise_contract::ServerName;
use mortise_samples::mock::Mock;
use serde_json::json;

use crate::asks::until;
use crate::bench::Setup;
use crate::servers::{broken, mock};

#[tokio::test]
async fn a18_a_call_after_a_crash_waits_for_the_restart() {
    let bench = Setup::of([mock("m", "die-before")]).start().await;
    let code = "add = mcp__m__add\ntry:\n    await mcp__m__echo(text='x')\nexcept ToolError as e:\n    print(e.kind, e)\n\
                print(await add(a=1, b=2))";
    let printed = bench.prints(code).await;
    let (lost, found) = printed.split_once('\n').unwrap();
    assert!(lost.starts_with("unreachable 'mcp__m__echo' failed: connection to 'm' closed"), "{lost}");
    assert!(lost.ends_with("reconnecting — retry shortly"), "{lost}");
    assert_eq!(found, "{'sum': 3}\n");
}

#[tokio::test]
async fn a18_a_server_that_stays_away_is_named_and_its_tools_say_so() {
    let connections = AtomicUsize::new(0);
    let mock = Mock::parse("die-before").unwrap();
    // The first connection works; later ones end at once.
    let connect = move || match connections.fetch_add(1, Ordering::SeqCst) {
        0 => mock.connect(),
        _ => tokio::io::duplex(1).0,
    };
    let name = ServerName::parse("gone").unwrap();
    let gone = ServerConfig::new(name, Transport::InProcess(InProcess::new(connect)));
    let bench = Setup::of([gone, mock_named("here")]).start().await;
    let lost = bench.run("await mcp__gone__echo(text='x')").await;
    assert!(lost.is_error);
    let upstream = bench.upstream("gone");
    until(|| upstream.state().error().is_some()).await;
    let code = "try:\n    await mcp__gone__add(a=1, b=1)\nexcept ToolError as e:\n    print(e.kind, e)\n\
                status = await server_status()\nprint(status['gone']['connected'], status['here']['connected'])\nprint(await mcp__here__add(a=1, b=1))";
    let printed = bench.prints(code).await;
    assert!(
        printed.starts_with("unreachable 'mcp__gone__add' unavailable: server 'gone' is not connected ("),
        "{printed}"
    );
    assert!(printed.ends_with("False True\n{'sum': 2}\n"), "{printed}");
}

fn mock_named(name: &str) -> ServerConfig {
    mock(name, "ok")
}

#[tokio::test]
async fn a18_failing_tools_leave_their_server_connected() {
    for scenario in ["tool-error", "rpc-error", "lie-mismatch"] {
        let bench = Setup::of([mock("m", scenario)]).start().await;
        let code = "for _ in range(20):\n    try:\n        await mcp__m__echo(text='x')\n    except ToolError:\n        pass\n\
                    print((await server_status())['m'])";
        assert_eq!(
            bench.prints(code).await,
            "{'state': 'ready', 'connected': True, 'tools': 2}\n",
            "{scenario}"
        );
    }
}

#[tokio::test]
async fn a18_a_broken_server_is_reported_and_the_others_work() {
    let bench = Setup::of([broken("broken"), mock("m", "ok"), mock("bad", "die-in-handshake")]).start().await;
    assert_eq!(bench.prints("print(await mcp__m__add(a=2, b=3))").await, "{'sum': 5}\n");
    let listed = bench.call("list_callable_tools", json!({})).await;
    assert_eq!(listed.text, r#"["mcp__m__add","mcp__m__echo"]"#);
    let line = listed.result["content"][1]["text"].as_str().unwrap();
    assert!(
        line.starts_with("UNAVAILABLE SERVERS (their tools are not listed; reconnecting): broken: cannot start `/nowhere/at-all`"),
        "{line}"
    );
    assert!(line.contains("; bad: "), "{line}");
    let unavailable = listed.facts["unavailable"].as_array().unwrap();
    assert_eq!(unavailable.len(), 2);
    assert_eq!(unavailable[0]["server"], "broken");
    assert!(unavailable[0]["error"].is_string());
    let failed = bench.run("await mcp__broken__x()").await;
    let (_, last) = failed.text.rsplit_once('\n').unwrap();
    assert!(
        last.starts_with(
            "ToolError: 'mcp__broken__x' unavailable: server 'broken' is not connected (cannot start `/nowhere/at-all`"
        ),
        "{}",
        failed.text
    );
    let code = "try:\n    await mcp__bad__y()\nexcept ToolError as e:\n    print(e.kind, e.tool)\n\
                try:\n    await mcp__none__z()\nexcept ToolError as e:\n    print(e.kind, e)";
    assert_eq!(
        bench.prints(code).await,
        "unreachable mcp__bad__y\nunavailable 'mcp__none__z' is not available in execute_program\n"
    );
}
