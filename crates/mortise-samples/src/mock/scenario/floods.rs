//! Much more than anyone asked for.

use serde_json::{Value, json};

use super::{Scenario, ScenarioTransport};
use crate::mock::action::MockAction;
use crate::mock::frame;
use crate::mock::plan::{Background, MockPlan};

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario::new("list-changed", "says RATE times a second that the tool list changed", |plan, rate| {
        plan.background.push(Background {
            method: "notifications/tools/list_changed",
            params: Value::Null,
            per_second: rate,
            subscribed_only: true,
        });
    })
    .number("RATE", 1000, 1_000_000),
    Scenario::new("notification-flood", "sends RATE log messages a second", |plan, rate| {
        flood(plan, "notifications/message", json!({"level": "info", "data": "flood"}), rate);
    })
    .number("RATE", 100_000, 1_000_000),
    Scenario::new(
        "unknown-notifications",
        "sends RATE notifications of an unknown kind a second",
        |plan, rate| {
            flood(plan, "notifications/mystery", json!({"n": 1}), rate);
        },
    )
    .number("RATE", 100, 1_000_000),
    Scenario::new(
        "progress-flood",
        "`echo` sends COUNT progress notifications before its answer",
        |plan, count| {
            plan.on_echo(move |exchange| {
                let token = exchange.request["params"]["_meta"]["progressToken"].clone();
                let progress = |done| {
                    let params = json!({"progressToken": token, "progress": done});
                    MockAction::frame(frame::notification("notifications/progress", params))
                };
                (1..=count).map(progress).chain([exchange.usual()]).collect()
            });
        },
    )
    .number("COUNT", 10_000, 1_000_000),
    Scenario::new("stderr-flood", "writes BYTES bytes to stderr before it answers `echo`", |plan, bytes| {
        let line = "x".repeat(1023);
        plan.on_echo(move |exchange| {
            let times = bytes.div_ceil(1024);
            vec![MockAction::Stderr { line: line.clone(), times }, exchange.usual()]
        });
    })
    .number("BYTES", 16 * 1024 * 1024, 16 * 1024 * 1024 * 1024)
    .over(ScenarioTransport::Stdio),
];

fn flood(plan: &mut MockPlan, method: &'static str, params: Value, per_second: u64) {
    plan.background.push(Background { method, params, per_second, subscribed_only: false });
}
