//! Servers that die.

use super::{Scenario, ScenarioTransport};
use crate::mock::MockEnd;
use crate::mock::action::MockAction;

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario::new("die-at-start", "exits with this code before it reads anything", |plan, code| {
        let last_words = MockAction::Stderr { line: "mock: no such database".to_owned(), times: 1 };
        plan.on_start.extend([last_words, exit(code)]);
    })
    .number("CODE", 1, 255)
    .over(ScenarioTransport::Stdio),
    Scenario::new("die-in-handshake", "exits with this code when a client says hello", |plan, code| {
        for method in ["initialize", "server/discover"] {
            plan.on(method, move |_| vec![exit(code)]);
        }
    })
    .number("CODE", 1, 255),
    Scenario::new("die-in-list", "exits with this code when the tools are listed", |plan, code| {
        plan.on("tools/list", move |_| vec![exit(code)]);
    })
    .number("CODE", 1, 255),
    Scenario::new("die-before", "exits with this code instead of answering `echo`", |plan, code| {
        plan.on_echo(move |_| vec![exit(code)]);
    })
    .number("CODE", 1, 255),
    Scenario::new("die-mid", "exits with this code in the middle of the answer to `echo`", |plan, code| {
        plan.on_echo(move |exchange| vec![exchange.half(), exit(code)]);
    })
    .number("CODE", 1, 255),
    Scenario::new("die-after", "answers `echo`, then exits with this code", |plan, code| {
        plan.on_echo(move |exchange| vec![exchange.usual(), exit(code)]);
    })
    .number("CODE", 0, 255),
    Scenario::new("die-abort", "`echo` ends the server by SIGABRT", |plan, _| {
        plan.on_echo(|_| vec![MockAction::End(MockEnd::Abort)]);
    }),
    Scenario::new("die-kill", "`echo` ends the server by SIGKILL", |plan, _| {
        plan.on_echo(|_| vec![MockAction::End(MockEnd::Kill)]);
    }),
];

fn exit(code: u64) -> MockAction {
    MockAction::End(MockEnd::Exit(u8::try_from(code).unwrap_or(u8::MAX)))
}
