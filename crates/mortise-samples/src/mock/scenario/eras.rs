//! Which protocol versions the mock speaks, and how it says so.

use serde_json::json;

use super::Scenario;
use crate::mock::action::MockAction;
use crate::mock::frame;
use crate::mock::plan::{MockEras, MockPlan};
use crate::mock::tool;

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario::new("legacy-only", "knows `initialize` only; `server/discover` gets -32601", |plan, _| {
        plan.era = MockEras::Legacy;
    }),
    Scenario::new("modern-only", "knows no `initialize`; says which versions it has", |plan, _| {
        plan.era = MockEras::Modern;
    }),
    Scenario::new("discover-invalid", "legacy; `server/discover` gets -32602", |plan, _| {
        refuse_discover(plan, -32602, "Invalid request parameters");
    }),
    Scenario::new("discover-silent", "legacy; `server/discover` gets no answer at all", |plan, _| {
        plan.era = MockEras::Legacy;
        plan.on("server/discover", |_| vec![MockAction::Hang]);
    }),
    Scenario::new("discover-garbage", "legacy; `server/discover` gets a line that is not JSON", |plan, _| {
        plan.era = MockEras::Legacy;
        plan.on("server/discover", |_| vec![MockAction::frame("Traceback (most recent call last):")]);
    }),
    Scenario::new("discover-dies", "legacy; `server/discover` ends the server", |plan, _| {
        plan.era = MockEras::Legacy;
        plan.on("server/discover", |_| vec![MockAction::End(crate::mock::MockEnd::Exit(1))]);
    }),
    Scenario::new(
        "discover-modern-error",
        "modern; `server/discover` gets -32022 and the versions",
        |plan, _| {
            plan.era = MockEras::Modern;
            plan.on("server/discover", |exchange| {
                let data = json!({"supported": [frame::MODERN_VERSION], "requested": "unknown"});
                vec![MockAction::frame(frame::error(
                    exchange.request,
                    -32022,
                    "unsupported version",
                    Some(data),
                ))]
            });
        },
    ),
    Scenario::new("old-version", "legacy; answers `initialize` with version 2024-11-05", |plan, _| {
        answer_version(plan, "2024-11-05");
    }),
    Scenario::new("unknown-version", "legacy; answers `initialize` with version 2099-01-01", |plan, _| {
        answer_version(plan, "2099-01-01");
    }),
    Scenario::new("no-result-type", "modern results lack `resultType`", |plan, _| {
        plan.on_echo(|exchange| {
            let result = tool::structured(&json!({"text": "no result type"}));
            vec![MockAction::frame(frame::raw_result(exchange.request, &result.to_string()))]
        });
    }),
    Scenario::new("odd-result-type", "results say `resultType: \"partial\"`", |plan, _| {
        plan.on_echo(|exchange| {
            let mut result = tool::structured(&json!({"text": "partial"}));
            result["resultType"] = json!("partial");
            vec![MockAction::frame(frame::raw_result(exchange.request, &result.to_string()))]
        });
    }),
];

fn refuse_discover(plan: &mut MockPlan, code: i32, message: &'static str) {
    plan.era = MockEras::Legacy;
    plan.on("server/discover", move |exchange| {
        vec![MockAction::frame(frame::error(exchange.request, code, message, None))]
    });
}

fn answer_version(plan: &mut MockPlan, version: &'static str) {
    plan.era = MockEras::Legacy;
    plan.on("initialize", move |exchange| {
        let result = json!({
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": frame::server_info(),
        });
        vec![exchange.result(result)]
    });
}
