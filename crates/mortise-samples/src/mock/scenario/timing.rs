//! Servers that take their time.

use std::time::Duration;

use super::Scenario;
use crate::mock::action::MockAction;
use crate::mock::frame;
use crate::mock::plan::{MockExchange, MockPlan};

const HOUR_MS: u64 = 3_600_000;

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario::new("slow", "`echo` answers after MS milliseconds", |plan, ms| {
        plan.on_echo(move |exchange| vec![wait(ms), exchange.usual()]);
    })
    .number("MS", 2000, HOUR_MS),
    Scenario::new("jitter", "`echo` answers after a random time of up to MS milliseconds", |plan, ms| {
        plan.on_echo(move |exchange| {
            let pause = exchange.random.below(ms.saturating_add(1));
            vec![wait(pause), exchange.usual()]
        });
    })
    .number("MS", 200, HOUR_MS),
    Scenario::new("hang", "`echo` never answers", |plan, _| plan.on_echo(|_| vec![MockAction::Hang])),
    Scenario::new("late", "`echo` answers after MS milliseconds, cancelled or not", |plan, ms| {
        plan.process.ignores_cancellation = true;
        plan.on_echo(move |exchange| vec![wait(ms), exchange.usual()]);
    })
    .number("MS", 2000, HOUR_MS),
    Scenario::new("trickle", "`echo` answers one byte at a time, MS milliseconds apart", |plan, ms| {
        plan.on_echo(move |exchange| vec![exchange.in_pieces(1, Duration::from_millis(ms))]);
    })
    .number("MS", 100, HOUR_MS),
    Scenario::new(
        "progress",
        "`echo` sends progress ten times, MS milliseconds apart, then answers",
        progress,
    )
    .number("MS", 100, HOUR_MS),
    Scenario::new("slow-start", "the first request is answered after MS milliseconds", |plan, ms| {
        for method in ["initialize", "server/discover"] {
            plan.on(method, move |exchange| vec![wait(ms), exchange.usual()]);
        }
    })
    .number("MS", 2000, HOUR_MS),
    Scenario::new("hang-start", "nothing is ever answered", |plan, _| {
        for method in ["initialize", "server/discover", "tools/list", "tools/call", "ping"] {
            plan.on(method, |_| vec![MockAction::Hang]);
        }
    }),
    Scenario::new("hang-list", "`tools/list` is never answered", |plan, _| {
        plan.on("tools/list", |_| vec![MockAction::Hang]);
    }),
    Scenario::new("chaos", "PERCENT % of the calls of `echo` go wrong in a random way", chaos)
        .number("PERCENT", 50, 100),
];

fn wait(ms: u64) -> MockAction {
    MockAction::Wait(Duration::from_millis(ms))
}

fn progress(plan: &mut MockPlan, ms: u64) {
    plan.on_echo(move |exchange| {
        let token = exchange.request["params"]["_meta"]["progressToken"].clone();
        let mut actions = Vec::new();
        for done in (1..=10_u64).filter(|_| !token.is_null()) {
            let params = serde_json::json!({"progressToken": token, "progress": done, "total": 10});
            actions.push(MockAction::frame(frame::notification("notifications/progress", params)));
            actions.push(wait(ms));
        }
        actions.push(exchange.usual());
        actions
    });
}

fn chaos(plan: &mut MockPlan, percent: u64) {
    plan.on_echo(move |exchange| {
        if exchange.random.below(100) >= percent {
            return vec![exchange.usual()];
        }
        accident(exchange)
    });
}

fn accident(exchange: &mut MockExchange<'_>) -> Vec<MockAction> {
    match exchange.random.below(8) {
        0 => vec![wait(exchange.random.below(2000)), exchange.usual()],
        1 => vec![MockAction::Hang],
        2 => vec![exchange.in_pieces(7, Duration::from_millis(5))],
        3 => vec![exchange.usual(), exchange.usual()],
        4 => vec![MockAction::frame("not JSON"), exchange.usual()],
        5 => vec![MockAction::frame(frame::error(exchange.request, -32603, "chaos", None))],
        6 => vec![exchange.half(), MockAction::End(crate::mock::MockEnd::Exit(1))],
        _ => vec![MockAction::End(crate::mock::MockEnd::Kill)],
    }
}
