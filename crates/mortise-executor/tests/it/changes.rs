//! Catalogues and configurations that change while clients are served.

use std::time::Duration;

use serde_json::json;

use crate::bench::{Setup, described};
use crate::servers::{called, echoing, mock};

#[tokio::test]
async fn a_changed_list_reaches_our_clients() {
    let bench = Setup::of([mock("m", "dynamic")]).start().await;
    let mut client = bench.client().await;
    let before = client.tools().await;
    assert!(!described(&before).contains("added_1"));
    client.call("execute_program", json!({ "code": "await mcp__m__change()" })).await;
    // Told once for the start perhaps, and again for the change.
    loop {
        client.peer.called("notifications/tools/list_changed").await.unwrap();
        if described(&client.tools().await).contains("mcp__m__added_1") {
            break;
        }
    }
    assert_eq!(bench.prints("print(await mcp__m__added_1(text='new'))").await, "{'text': 'new'}\n");
    let inspected = bench.call("inspect_tool", json!({ "tool_name": "mcp__m__added_1" })).await;
    assert!(inspected.facts["outputSchema"].is_object(), "captured with the new list");
}

#[tokio::test]
async fn a_running_program_keeps_the_tools_it_started_with() {
    let bench = Setup::of([mock("m", "dynamic slow=10")]).start().await;
    let code = "import asyncio, time\nbefore = await list_callable_tools()\nawait mcp__m__change()\nstart = time.monotonic()\n\
                while (await server_status())['m']['tools'] == 3 and time.monotonic() - start < 20:\n    await asyncio.sleep(0.05)\n\
                print((await server_status())['m']['tools'], before == await list_callable_tools())\nprint(await mcp__m__echo(text='same'))";
    assert_eq!(bench.prints(code).await, "4 True\n{'text': 'same'}\n");
    assert_eq!(bench.prints("print('mcp__m__added_1' in await list_callable_tools())").await, "True\n");
}

#[tokio::test]
async fn another_configuration_starts_ends_and_keeps_servers() {
    let (kept, received) = echoing("kept", &["t"]);
    let bench = Setup::of([kept.clone(), mock("old", "ok")]).start().await;
    let mut client = bench.client().await;
    bench.prints("await mcp__kept__t()").await;
    let listings =
        || received.lock().unwrap().iter().filter(|request| request["method"] == "tools/list").count();
    assert_eq!(listings(), 1);
    let next = Setup::of([kept, mock("new", "ok")]).block(&["*__echo"]).limits(|limits| limits.calls = 1);
    let changes = bench.service.reconfigure(next.into_service()).await;
    let names =
        |names: &[mortise_contract::ServerName]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        (names(&changes.started), names(&changes.ended), changes.restarted.len()),
        (vec!["new".to_owned()], vec!["old".to_owned()], 0)
    );
    client.peer.called("notifications/tools/list_changed").await.unwrap();
    let code = "print(await mcp__new__add(a=1, b=1), await list_callable_tools())";
    assert_eq!(bench.prints(code).await, "{'sum': 2} ['mcp__kept__t', 'mcp__new__add']\n");
    let failed = bench.run("await mcp__kept__t()\nawait mcp__kept__t()").await;
    assert!(failed.text.contains("tool-call budget exhausted (max_tool_calls=1)"), "{}", failed.text);
    let failed = bench.run("await mcp__old__add(a=1, b=1)").await;
    assert!(failed.text.ends_with("'mcp__old__add' is not available in execute_program"), "{}", failed.text);
    assert_eq!(listings(), 1, "a server that stays is not connected again");
    assert_eq!(called(&received).len(), 2);
}

#[tokio::test]
async fn a_server_with_other_settings_is_started_again() {
    let bench = Setup::of([mock("m", "ok")]).start().await;
    let mut other = mock("m", "ok");
    other.call_timeout = Some(Duration::from_secs(5));
    let changes = bench.service.reconfigure(Setup::of([other]).into_service()).await;
    assert_eq!(changes.restarted.len(), 1);
    assert_eq!(bench.prints("print(await mcp__m__add(a=1, b=1))").await, "{'sum': 2}\n");
}

#[tokio::test]
async fn a_program_outlives_a_change_of_the_configuration() {
    let (kept, received) = echoing("kept", &["t"]);
    let bench = Setup::of([kept.clone(), mock("old", "slow=1000")]).start().await;
    let mut client = bench.client().await;
    let code =
        "await mcp__kept__t()\nimport asyncio\nawait asyncio.sleep(0.5)\nprint(await mcp__kept__t(n=1))";
    let id = client.start("execute_program", json!({ "code": code })).await;
    crate::asks::until(|| called(&received).len() == 1).await;
    bench.service.reconfigure(Setup::of([kept]).into_service()).await;
    assert_eq!(client.outcome("execute_program", id).await.facts["output"], "{'n': 1}\n");
}
