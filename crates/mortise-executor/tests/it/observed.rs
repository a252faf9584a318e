//! Shapes of results, learned from calls and shown apart from what is declared.

use mortise_contract::CheckMode;
use mortise_executor::inspect::NO_SCHEMA_NOTE;
use mortise_testkit::answer;
use serde_json::{Value, json};

use crate::bench::{Bench, Setup};
use crate::servers::{promising, scripted, tool};

/// A shop whose `sales` declares nothing, whose `total` declares its result, and whose `fail` fails.
fn shop() -> mortise_client::server_config::ServerConfig {
    let total = promising("total", json!({"type": "object", "properties": {"sum": {"type": "integer"}}}));
    let tools = vec![tool("sales"), total, tool("fail")];
    let reply = |request: &Value| {
        let name = request["params"]["name"].as_str().unwrap_or_default();
        let (text, is_error) = match name {
            "sales" => (json!({"rows": [{"revenue": 3}], "day": "2026-11-18"}), false),
            "total" => (json!({"sum": 3}), false),
            _ => (json!({"secret": 1}), true),
        };
        let content = json!([{"type": "text", "text": text.to_string()}]);
        let result = match name {
            "total" => json!({"content": content, "structuredContent": text}),
            _ => json!({"content": content, "isError": is_error}),
        };
        vec![answer(request, result)]
    };
    scripted("shop", tools, reply).0
}

async fn inspected(bench: &Bench, tool: &str) -> Value {
    let outcome = bench.call("inspect_tool", json!({ "tool_name": tool })).await;
    serde_json::from_str(&outcome.text).unwrap()
}

fn sales_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "day": {"type": "string"},
            "rows": {
                "type": "array",
                "items": {"type": "object", "properties": {"revenue": {"type": "integer"}}, "required": ["revenue"]},
            },
        },
        "required": ["day", "rows"],
    })
}

#[tokio::test]
async fn what_was_observed_stands_beside_the_fixed_answer() {
    let state = tempfile::tempdir().unwrap();
    let bench = Setup::of([shop()]).observing_in(state.path()).start().await;
    let before = inspected(&bench, "mcp__shop__sales").await;
    assert_eq!(
        before,
        json!({
            "name": "mcp__shop__sales",
            "description": "",
            "inputSchema": {"type": "object"},
            "outputSchema": null,
            "note": NO_SCHEMA_NOTE,
        })
    );
    bench.prints("for _ in range(2): await mcp__shop__sales()").await;
    let mut after = inspected(&bench, "mcp__shop__sales").await;
    let observed = after.as_object_mut().unwrap().remove("observed").unwrap();
    assert_eq!(after.as_object_mut().unwrap().remove("observedSchema").unwrap(), sales_schema());
    // Everything else stays word for word.
    assert_eq!(after, before);
    assert_eq!(observed["calls"], 2);
    assert_eq!(observed["first"], observed["last"]);
    assert!(observed["first"].as_str().unwrap().starts_with("20"), "{observed}");
    // A program sees it too.
    let shown = bench.prints("print((await inspect_tool('mcp__shop__sales'))['observed']['calls'])").await;
    assert_eq!(shown, "2\n");
}

#[tokio::test]
async fn search_marks_what_was_observed() {
    let state = tempfile::tempdir().unwrap();
    let bench = Setup::of([shop()]).observing_in(state.path()).start().await;
    let search = |detail: &str| json!({"query": "sales", "limit": 1, "detail": detail});
    let text = bench.call("search_tools", search("brief")).await.text;
    assert!(text.starts_with("mcp__shop__sales() -> unknown"), "{text}");
    bench.prints("await mcp__shop__sales()").await;
    let text = bench.call("search_tools", search("brief")).await.text;
    assert!(text.starts_with("mcp__shop__sales() -> observed { "), "{text}");
    let full = bench.call("search_tools", search("full")).await;
    assert!(full.text.contains("observed in 1 result, not declared:\n{"), "{}", full.text);
    assert_eq!(full.facts["tools"][0]["observedSchema"], sales_schema());
    assert_eq!(full.facts["tools"][0]["outputSchema"], Value::Null);
}

#[tokio::test]
async fn declared_tools_and_failures_teach_nothing() {
    let state = tempfile::tempdir().unwrap();
    let bench = Setup::of([shop()]).observing_in(state.path()).start().await;
    let program = "await mcp__shop__total()\ntry:\n    await mcp__shop__fail()\nexcept ToolError as error:\n    print(error.kind)";
    assert_eq!(bench.prints(program).await, "tool\n");
    for tool in ["mcp__shop__total", "mcp__shop__fail"] {
        assert_eq!(inspected(&bench, tool).await.get("observedSchema"), None);
    }
}

#[tokio::test]
async fn exposed_tools_teach_too_and_shapes_survive_a_restart() {
    let state = tempfile::tempdir().unwrap();
    let bench = Setup::of([shop()]).expose(&["*"]).observing_in(state.path()).start().await;
    let result = bench.call("shop__sales", json!({})).await.result;
    assert_eq!(result["content"][0]["type"], "text");
    bench.service.shutdown().await;
    let bench = Setup::of([shop()]).observing_in(state.path()).start().await;
    let shown = inspected(&bench, "mcp__shop__sales").await;
    assert_eq!((&shown["observedSchema"], &shown["observed"]["calls"]), (&sales_schema(), &json!(1)));
}

#[tokio::test]
async fn nothing_is_learned_while_it_is_off() {
    let bench = Setup::of([shop()]).start().await;
    bench.prints("for _ in range(4): await mcp__shop__sales()").await;
    assert_eq!(inspected(&bench, "mcp__shop__sales").await.get("observedSchema"), None);
}

#[tokio::test]
async fn the_check_warns_after_three_results_and_never_refuses() {
    let state = tempfile::tempdir().unwrap();
    let bench = Setup::of([shop()]).check(CheckMode::Guard).observing_in(state.path()).start().await;
    let wrong = "page = await mcp__shop__sales()\nfor row in page['rows']:\n    print(row.get('revenu'))\n";
    for _ in 0..3 {
        let outcome = bench.run(wrong).await;
        let warnings = &outcome.facts["check"]["warnings"];
        assert!(!outcome.is_error && warnings.as_array().is_none_or(Vec::is_empty), "{}", outcome.text);
    }
    // On a busy machine a check may have no time left for what was observed.
    let mut outcome = bench.run(wrong).await;
    for _ in 0..10 {
        if outcome.facts["check"]["warnings"][0].is_object() {
            break;
        }
        outcome = bench.run(wrong).await;
    }
    assert!(!outcome.is_error, "{}", outcome.text);
    let warning = &outcome.facts["check"]["warnings"][0];
    let message = warning["message"].as_str().unwrap();
    assert!(
        message.starts_with("observed in ") && message.ends_with(" results, never had `revenu`"),
        "{message}"
    );
    assert_eq!(warning["nearest"], "revenue");
    assert!(warning.get("declared").is_none() && warning["observed"].is_string(), "{warning}");
    let checked = bench.call("check_program", json!({ "code": wrong })).await;
    assert_eq!(checked.facts["ok"], true);
}
