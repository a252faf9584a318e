//! Servers that want something from the client in the middle of a call.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Scenario;
use crate::mock::action::{MockAction, MockQuestion, Then};
use crate::mock::frame;
use crate::mock::plan::{MockExchange, MockPlan};
use crate::mock::tool;

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario::new("ask-sampling", "`echo` asks the client's model before it answers", |plan, _| {
        asking(plan, "sampling/createMessage", || {
            json!({
                "messages": [{"role": "user", "content": {"type": "text", "text": "Say a word."}}],
                "maxTokens": 10,
            })
        });
    }),
    Scenario::new("ask-elicitation", "`echo` asks the user before it answers", |plan, _| {
        asking(plan, "elicitation/create", || {
            json!({
                "message": "Which word?",
                "requestedSchema": {
                    "type": "object",
                    "properties": {"word": {"type": "string"}},
                    "required": ["word"],
                },
            })
        });
    }),
    Scenario::new("ask-roots", "`echo` asks for the client's roots before it answers", |plan, _| {
        asking(plan, "roots/list", || json!({}));
    }),
    Scenario::new("ask-unknown", "`echo` sends the client a request of an unknown kind", |plan, _| {
        asking(plan, "mystery/request", || json!({}));
    }),
    Scenario::new("ask-endlessly", "`echo` asks the user again after every answer", |plan, _| {
        plan.on_echo(|exchange| endless(exchange.request));
    }),
];

/// `echo` asks first; its result then shows what the client said.
fn asking(plan: &mut MockPlan, method: &'static str, params: fn() -> Value) {
    plan.on_echo(move |exchange| {
        if frame::is_modern(exchange.request) {
            return modern(exchange, method, params());
        }
        let request = exchange.request.clone();
        let then = Arc::new(move |answer: &Value| vec![told(&request, answer)]);
        vec![MockAction::Ask(question(exchange.random.next(), method, params(), then))]
    });
}

fn question(number: u64, method: &str, params: Value, then: Then) -> MockQuestion {
    let id = format!("mock-{number:016x}");
    let mut frame = json!({"jsonrpc": "2.0", "id": id, "method": method});
    frame["params"] = params;
    MockQuestion { id, frame: frame.to_string(), then }
}

/// The modern form: the question is a result, and the client calls again with its answer.
fn modern(exchange: &MockExchange<'_>, method: &str, params: Value) -> Vec<MockAction> {
    let answers = &exchange.request["params"]["inputResponses"];
    if answers.is_object() {
        return vec![told(exchange.request, &json!({ "result": answers["question"] }))];
    }
    let mut result = json!({
        "resultType": "input_required",
        "inputRequests": {"question": {"method": method}},
        "requestState": "mock-state",
    });
    result["inputRequests"]["question"]["params"] = params;
    vec![exchange.result(result)]
}

fn endless(request: &Value) -> Vec<MockAction> {
    let params = json!({
        "message": "And now?",
        "requestedSchema": {"type": "object", "properties": {"word": {"type": "string"}}},
    });
    if frame::is_modern(request) {
        let result = json!({
            "resultType": "input_required",
            "inputRequests": {"question": {"method": "elicitation/create", "params": params}},
            "requestState": "mock-state",
        });
        return vec![MockAction::frame(frame::result(request, result))];
    }
    let asked = request["asked"].as_u64().unwrap_or(0);
    let mut again = request.clone();
    again["asked"] = json!(asked + 1);
    let then = Arc::new(move |answer: &Value| {
        // A client that has gone or refuses is not asked again.
        if answer["result"].is_null() { vec![told(&again, answer)] } else { endless(&again) }
    });
    vec![MockAction::Ask(question(asked, "elicitation/create", params, then))]
}

/// The answer to the call: what the client said, as text.
fn told(request: &Value, answer: &Value) -> MockAction {
    let said = if answer["error"].is_null() { &answer["result"] } else { &answer["error"] };
    MockAction::frame(frame::result(request, tool::structured(&json!({"text": said.to_string()}))))
}
