//! Servers that do nothing wrong.

use serde_json::{Value, json};

use super::Scenario;
use crate::mock::action::MockAction;
use crate::mock::plan::{MockExchange, MockPlan};
use crate::mock::server::Mock;
use crate::mock::tool::{self, MockTool};
use crate::mock::{frame, scenario};

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario::new("ok", "behaves: tools `add` and `echo`, two resources, a prompt", |_, _| {}),
    Scenario::new("tools", "lists COUNT tools, 100 to a page", |plan, count| many(plan, count, 100))
        .number("COUNT", 1000, 100_000),
    Scenario::new("pages", "lists 22 tools, 3 to a page", |plan, _| many(plan, 22, 3)),
    Scenario::new("one-per-page", "lists COUNT tools, 1 to a page", |plan, count| many(plan, count, 1))
        .number("COUNT", 200, 100_000),
    Scenario::new("no-tools", "lists no tool", |plan, _| plan.map_tools(|_, _| Vec::new())),
    Scenario::new("dynamic", "has a tool `change` that adds a tool to the list and says so", dynamic),
    Scenario::new(
        "on-demand",
        "has a tool `fault` that plays for one call the scenario its argument names",
        on_demand,
    ),
    Scenario::new(
        "many-blocks",
        "`echo` answers with text, image, audio, link and resource blocks",
        many_blocks,
    ),
];

/// `add` and `echo` stay, so that other scenarios still show.
fn many(plan: &mut MockPlan, count: u64, page: usize) {
    plan.paging.size = page;
    plan.map_tools(move |tools, _| {
        let echo = tool::echo();
        // Names of one length, so that listing order and number order agree.
        let numbered = |number: u64| echo.clone().renamed(&format!("tool_{number:06}"));
        tools.into_iter().chain((3..).map(numbered)).take(usize::try_from(count).unwrap_or(0)).collect()
    });
}

fn dynamic(plan: &mut MockPlan, _: u64) {
    plan.changeable = true;
    plan.map_tools(|mut tools, moment| {
        let change = json!({
            "name": "change",
            "description": "Adds a tool to the list.",
            "inputSchema": {"type": "object"},
        });
        tools.push(MockTool::new(&change, |_| tool::text("changed")));
        let added = (1..=moment.changes.min(1000))
            .map(|number| tool::echo().with(&json!({"name": format!("added_{number}")})));
        tools.extend(added);
        tools
    });
}

fn on_demand(plan: &mut MockPlan, _: u64) {
    plan.add_tools(|| {
        let fault = json!({
            "name": "fault",
            "description": "Answers this one call as `echo` does in the scenario that `mode` names.",
            "inputSchema": {
                "type": "object",
                "properties": {"mode": {"type": "string", "examples": ["slow=100", "hang", "wrong-id"]}},
                "required": ["mode"],
            },
            "annotations": {"destructiveHint": true},
        });
        vec![MockTool::new(&fault, |_| tool::failed("`mode` must name a scenario"))]
    });
    plan.rules.push(crate::mock::plan::MockRule {
        method: "tools/call".to_owned(),
        tool: Some("fault".to_owned()),
        after: 0,
        times: None,
        respond: std::sync::Arc::new(play),
    });
}

/// Plays the scenario that the call names as if `echo` had been called in it.
fn play(exchange: &mut MockExchange<'_>) -> Vec<MockAction> {
    let Some(mode) = exchange.request["params"]["arguments"]["mode"].as_str() else {
        return vec![exchange.usual()];
    };
    let plan = match scenario::plan(mode.split_whitespace()) {
        Ok(plan) => plan,
        Err(error) => return vec![exchange.result(tool::failed(&error.to_string()))],
    };
    let mut request = exchange.request.clone();
    request["params"]["name"] = json!("echo");
    request["params"]["arguments"] = Value::Object(serde_json::Map::new());
    Mock::new(plan, exchange.random.next()).respond(&request)
}

fn many_blocks(plan: &mut MockPlan, _: u64) {
    plan.change_echo(|echo| echo.with(&json!({ "outputSchema": null })));
    plan.on_echo(|exchange| {
        let result = json!({"content": [
            tool::text_block("first"),
            {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
            {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "mock://text", "name": "text", "mimeType": "text/plain"},
            {"type": "resource", "resource": {"uri": "mock://bytes", "blob": "AAEC"}},
            tool::text_block("last"),
        ]});
        vec![MockAction::frame(frame::result(exchange.request, result))]
    });
}
