//! What the process itself does wrong.

use super::{Scenario, ScenarioTransport};
use crate::mock::plan::Grandchild;

const HOUR: u64 = 3600;

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario::new("ignore-term", "lives on when stdin closes and when it gets SIGTERM", |plan, _| {
        plan.process.ignores_end = true;
    })
    .over(ScenarioTransport::Stdio),
    Scenario::new("no-read-stdin", "reads nothing", |plan, _| plan.process.deaf = true)
        .over(ScenarioTransport::Stdio),
    Scenario::new("grandchild", "leaves a child that holds its pipes for SECONDS", |plan, seconds| {
        plan.process.grandchild = Some(Grandchild { seconds, own_group: false });
    })
    .number("SECONDS", 60, HOUR)
    .over(ScenarioTransport::Stdio),
    Scenario::new("fork-daemon", "leaves such a child in a process group of its own", |plan, seconds| {
        plan.process.grandchild = Some(Grandchild { seconds, own_group: true });
    })
    .number("SECONDS", 60, HOUR)
    .over(ScenarioTransport::Stdio),
];
