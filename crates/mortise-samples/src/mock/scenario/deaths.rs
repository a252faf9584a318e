//! Servers that die.

use super::{Scenario, Transport};
use crate::mock::End;
use crate::mock::action::Action;

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario::new("die-at-start", "exits with this code before it reads anything", |plan, code| {
        let last_words = Action::Stderr { line: "mock: no such database".to_owned(), times: 1 };
        plan.on_start.extend([last_words, exit(code)]);
    })
    .number("CODE", 1, 255)
    .over(Transport::Stdio),
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
        plan.on_echo(|_| vec![Action::End(End::Abort)]);
    }),
    Scenario::new("die-kill", "`echo` ends the server by SIGKILL", |plan, _| {
        plan.on_echo(|_| vec![Action::End(End::Kill)]);
    }),
];

fn exit(code: u64) -> Action {
    Action::End(End::Exit(u8::try_from(code).unwrap_or(u8::MAX)))
}
