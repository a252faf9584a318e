//! Tool lists with something wrong in them. The other tools are always fine.

use serde_json::{Value, json};

use super::Scenario;
use crate::mock::action::MockAction;
use crate::mock::answer::page_of_one;
use crate::mock::frame;
use crate::mock::plan::{Cursors, MockPlan};
use crate::mock::tool::{self, MockTool};

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario::new("cursor-loop", "the list leads back to its first page forever", |plan, _| {
        plan.paging.cursors = Cursors::Repeated;
    }),
    Scenario::new("endless-cursors", "the list always has a next page, under a new cursor", |plan, _| {
        plan.paging.cursors = Cursors::Endless;
    }),
    Scenario::new("empty-cursor", "the second page is behind a cursor that is an empty string", |plan, _| {
        plan.paging.size = 1;
        plan.paging.cursors = Cursors::Empty;
    }),
    Scenario::new("null-cursor", "the last page says `nextCursor: null`", |plan, _| {
        plan.paging.cursors = Cursors::Null;
    }),
    Scenario::new("list-error", "`tools/list` gets -32603", |plan, _| {
        plan.on("tools/list", |exchange| {
            vec![MockAction::frame(frame::error(exchange.request, -32603, "cannot list tools", None))]
        });
    }),
    Scenario::new("list-empty-result", "`tools/list` gets the result `{}`", |plan, _| {
        plan.on("tools/list", |exchange| vec![MockAction::frame(frame::raw_result(exchange.request, "{}"))]);
    }),
    Scenario::new("list-not-array", "`tools/list` gets tools as an object", |plan, _| {
        plan.on("tools/list", |exchange| {
            vec![MockAction::frame(frame::raw_result(exchange.request, r#"{"tools":{"echo":{}}}"#))]
        });
    }),
    Scenario::new("list-error-later", "`tools/list` works once, then gets -32603", |plan, _| {
        plan.on("tools/list", |exchange| {
            vec![MockAction::frame(frame::error(exchange.request, -32603, "cannot list tools", None))]
        });
        if let Some(rule) = plan.rules.last_mut() {
            rule.after = 1;
        }
    }),
    Scenario::new("no-input-schema", "one tool has no inputSchema", |plan, _| {
        bad(plan, &json!({ "inputSchema": null }));
    }),
    Scenario::new("input-schema-null", "one tool has the inputSchema null", |plan, _| {
        bad_text(plan, r#"{"name":"bad","inputSchema":null}"#);
    }),
    Scenario::new(
        "input-schema-string",
        "the inputSchema of one tool has the root type string",
        |plan, _| {
            bad(plan, &json!({"inputSchema": {"type": "string"}}));
        },
    ),
    Scenario::new("output-schema-true", "one tool has the outputSchema true", |plan, _| {
        bad(plan, &json!({ "outputSchema": true }));
    }),
    Scenario::new("output-schema-null", "one tool has the outputSchema null", |plan, _| {
        bad_text(plan, r#"{"name":"bad","inputSchema":{"type":"object"},"outputSchema":null}"#);
    }),
    Scenario::new("output-schema-list", "one tool has an array as its outputSchema", |plan, _| {
        bad(plan, &json!({"outputSchema": [{"type": "object"}]}));
    }),
    Scenario::new("output-schema-empty", "one tool has the outputSchema {}", |plan, _| {
        bad(plan, &json!({"outputSchema": {}}));
    }),
    Scenario::new(
        "output-in-annotations",
        "one tool has its outputSchema among the annotations",
        |plan, _| {
            bad(
                plan,
                &json!({
                    "outputSchema": null,
                    "annotations": {"outputSchema": {"type": "object", "required": ["text"]}},
                }),
            );
        },
    ),
    Scenario::new("tool-not-object", "one element of the list is a number", |plan, _| bad_text(plan, "7")),
    Scenario::new("no-name", "one tool has no name", |plan, _| {
        bad_text(plan, r#"{"description":"nameless","inputSchema":{"type":"object"}}"#);
    }),
    Scenario::new("duplicate-names", "two tools are named `echo`", |plan, _| {
        plan.add_tools(|| vec![tool::echo().with(&json!({"description": "Another echo."}))]);
    }),
    Scenario::new(
        "odd-names",
        "tools are named with spaces, dots, keywords, lookalikes and 200 letters",
        odd_names,
    ),
    Scenario::new("vendor-fields", "tools, annotations and results carry unknown fields", vendor_fields),
    Scenario::new("huge-description", "one tool has a description of BYTES bytes", |plan, bytes| {
        let bytes = usize::try_from(bytes).unwrap_or(0);
        plan.add_tools(move || {
            vec![tool::echo().with(&json!({
                "name": "wordy",
                "description": "word ".repeat(bytes / 5),
            }))]
        });
    })
    .number("BYTES", 100_000, 100_000_000),
    Scenario::new("task-required", "one tool can only be called as a task of 2025-11-25", |plan, _| {
        plan.add_tools(|| {
            vec![tool::echo().with(&json!({
                "name": "long_job",
                "execution": {"taskSupport": "required"},
            }))]
        });
    }),
    Scenario::new("declared-twice", "one declaration has its name twice", |plan, _| {
        plan.on("tools/list", |exchange| {
            let twice = r#"{"name":"twice","name":"again","inputSchema":{"type":"object"}}"#;
            vec![MockAction::frame(page_of_one(exchange.request, &[twice]))]
        });
    }),
];

/// Adds a tool `bad` that is like `echo` but for these members.
fn bad(plan: &mut MockPlan, members: &Value) {
    let mut members = members.clone();
    members["name"] = json!("bad");
    plan.add_tools(move || vec![tool::echo().with(&members)]);
}

/// Adds a tool `bad` declared by this text.
fn bad_text(plan: &mut MockPlan, declaration: &'static str) {
    plan.add_tools(move || {
        vec![tool::echo().with(&json!({"name": "bad"})).declared_as(declaration.to_owned())]
    });
}

fn odd_names(plan: &mut MockPlan, _: u64) {
    plan.add_tools(|| {
        // `сlass` begins with a Cyrillic letter.
        let names =
            ["a b", "weird-name.v2", "weird_name.v2", "class", "сlass", "print", "__init__", "1st", "ÉCOLE"];
        let long = "n".repeat(200);
        let names = names.into_iter().chain([long.as_str()]);
        names.map(|name| tool::echo().with(&json!({ "name": name }))).collect()
    });
}

fn vendor_fields(plan: &mut MockPlan, _: u64) {
    plan.map_tools(|tools, _| {
        let annotate = |tool: MockTool| {
            tool.with(&json!({
                "x-vendor": {"tier": 1},
                "execution": {"taskSupport": "forbidden"},
                "annotations": {"readOnlyHint": true, "x-cost": 0.25},
                "_meta": {"example.com/team": "core"},
            }))
        };
        tools.into_iter().map(annotate).collect()
    });
    plan.on_echo(|exchange| {
        let result = json!({
            "content": [{"type": "text", "text": "hello", "x-confidence": 0.5}],
            "structuredContent": {"text": "hello"},
            "x-trace": "abc",
            "_meta": {"example.com/cost": 3},
        });
        vec![exchange.result(result)]
    });
}
