//! Results of `echo` that are odd, some of them perfectly legal.

use serde_json::{Value, json};

use super::Scenario;
use crate::mock::action::MockAction;
use crate::mock::frame;
use crate::mock::plan::MockPlan;
use crate::mock::tool;

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario::new("unknown-block", "a content block of an unknown kind beside a valid result", |plan, _| {
        let mut result = good();
        result["content"] = json!([{"type": "hologram", "depth": 3}, {"type": "text", "text": "hi"}]);
        plan.echo_result(result);
    }),
    Scenario::new("is-error-string", "`isError` is the string \"no\"", |plan, _| {
        plan.echo_result(with(&json!({"isError": "no"})));
    }),
    Scenario::new("empty-result", "the result is {}", |plan, _| plan.echo_raw_result(|| "{}".to_owned())),
    Scenario::new("result-not-object", "the result is a string", |plan, _| {
        plan.echo_raw_result(|| r#""done""#.to_owned());
    }),
    Scenario::new("no-content", "the result has no `content`", |plan, _| {
        plan.echo_result(json!({"structuredContent": {"text": "hi"}}));
    }),
    Scenario::new("content-not-array", "`content` is a string", |plan, _| {
        plan.echo_result(with(&json!({"content": "hi"})));
    }),
    Scenario::new("extra-keys", "the result also has `messages` and `action`", |plan, _| {
        plan.echo_result(with(&json!({"messages": [], "action": "accept"})));
    }),
    Scenario::new("empty-content", "no content at all from a tool without schema", |plan, _| {
        unschematised(plan, json!({ "content": [] }));
    }),
    Scenario::new("structured-without-schema", "structured content from a tool without schema", |plan, _| {
        unschematised(plan, good());
    }),
    Scenario::new("text-json", "JSON as text from a tool without schema", |plan, _| {
        unschematised(plan, tool::text(r#"{"rows":[1,2,3]}"#));
    }),
    Scenario::new("tool-error", "a tool error with text", |plan, _| {
        plan.echo_result(tool::failed("the text is on holiday"));
    }),
    Scenario::new(
        "tool-error-structured",
        "a tool error with structured content against the schema",
        |plan, _| {
            let mut result = tool::failed("the text is on holiday");
            result["structuredContent"] = json!({"code": "HOLIDAY"});
            plan.echo_result(result);
        },
    ),
    Scenario::new("rpc-error", "a JSON-RPC error with code, message and data", |plan, _| {
        plan.on_echo(|exchange| {
            let data = Some(json!({"retry": false}));
            vec![MockAction::frame(frame::error(exchange.request, -32603, "the database is down", data))]
        });
    }),
    Scenario::new("fastmcp-wrap", "a string wrapped in `result`, marked as FastMCP marks it", |plan, _| {
        plan.change_echo(|echo| {
            echo.with(&json!({"outputSchema": {
                "type": "object",
                "properties": {"result": {"type": "string"}},
                "required": ["result"],
                "x-fastmcp-wrap-result": true,
            }}))
        });
        plan.echo_result(json!({
            "content": [tool::text_block("hi")],
            "structuredContent": {"result": "hi"},
            "_meta": {"fastmcp": {"wrap_result": true}},
        }));
    }),
    Scenario::new(
        "shape-wrap",
        "a list wrapped in `result` with no mark, as the Python server does",
        |plan, _| {
            plan.change_echo(|echo| {
                echo.with(&json!({"outputSchema": {
                    "type": "object",
                    "properties": {"result": {"type": "array", "items": {"type": "integer"}}},
                    "required": ["result"],
                }}))
            });
            plan.echo_result(json!({
                "content": [tool::text_block("1"), tool::text_block("2")],
                "structuredContent": {"result": [1, 2]},
            }));
        },
    ),
    Scenario::new("unknown-tool-result", "an unknown tool gets a tool error instead of -32602", |plan, _| {
        plan.on("tools/call", |exchange| {
            let refused = exchange.usual.contains("-32602");
            vec![if refused { exchange.result(tool::failed("Unknown tool")) } else { exchange.usual() }]
        });
    }),
];

fn good() -> Value {
    tool::structured(&json!({"text": "hi"}))
}

fn with(members: &Value) -> Value {
    let mut result = good();
    for (key, value) in members.as_object().into_iter().flatten() {
        result[key] = value.clone();
    }
    result
}

fn unschematised(plan: &mut MockPlan, result: Value) {
    plan.change_echo(|echo| echo.with(&json!({ "outputSchema": null })));
    plan.echo_result(result);
}
