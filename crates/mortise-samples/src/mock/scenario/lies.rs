//! Results of `echo` that break its output schema.

use serde_json::{Value, json};

use super::Scenario;
use crate::mock::plan::MockPlan;
use crate::mock::tool;

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario::new(
        "lie-mismatch",
        "the value has another type than declared; the text is usable",
        |plan, _| {
            plan.echo_result(structured(&json!({"text": 42})));
        },
    ),
    Scenario::new("lie-missing", "no structured content, and text that is not JSON", |plan, _| {
        plan.echo_result(tool::text("just text"));
    }),
    Scenario::new("lie-text", "no structured content, but text that is conforming JSON", |plan, _| {
        plan.echo_result(tool::text(r#"{"text":"in the text"}"#));
    }),
    Scenario::new("lie-null", "structured content is null", |plan, _| {
        plan.echo_result(structured(&Value::Null));
    }),
    Scenario::new("lie-zero", "structured content is 0", |plan, _| plan.echo_result(structured(&json!(0)))),
    Scenario::new("lie-false", "structured content is false", |plan, _| {
        plan.echo_result(structured(&json!(false)));
    }),
    Scenario::new("lie-empty-string", "structured content is an empty string", |plan, _| {
        plan.echo_result(structured(&json!("")));
    }),
    Scenario::new("lie-array", "structured content is an array", |plan, _| {
        plan.echo_result(structured(&json!([{"text": "hi"}])));
    }),
    Scenario::new("lie-extra", "a property that the closed schema does not allow", |plan, _| {
        plan.change_echo(|echo| {
            echo.with(&json!({"outputSchema": {
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
                "additionalProperties": false,
            }}))
        });
        plan.echo_result(structured(&json!({"text": "hi", "debug": true})));
    }),
    Scenario::new("lie-many", "COUNT violations in one result", |plan, count| {
        rows(plan, usize::try_from(count).unwrap_or(0));
    })
    .number("COUNT", 100, 1_000_000),
    Scenario::new("lie-mirror", "the text says something else than the structured content", |plan, _| {
        let mut result = structured(&json!({"text": "structured"}));
        result["content"] = json!([tool::text_block(r#"{"text":"text"}"#)]);
        plan.echo_result(result);
    }),
    Scenario::new("lie-format", "a date that is not a date", |plan, _| {
        plan.change_echo(|echo| {
            echo.with(&json!({"outputSchema": {
                "type": "object",
                "properties": {"text": {"type": "string", "format": "date"}},
            }}))
        });
        plan.echo_result(structured(&json!({"text": "tomorrow"})));
    }),
    Scenario::new("lie-sometimes", "every second result of `echo` breaks the schema", |plan, _| {
        plan.on_echo(|exchange| {
            let odd = exchange.earlier % 2 == 1;
            vec![if odd { exchange.result(structured(&json!({ "text": null }))) } else { exchange.usual() }]
        });
    }),
];

/// A result whose text is the JSON of the value, whatever the schema says.
fn structured(value: &Value) -> Value {
    tool::structured(value)
}

fn rows(plan: &mut MockPlan, count: usize) {
    plan.change_echo(|echo| {
        echo.with(&json!({"outputSchema": {
            "type": "object",
            "properties": {"rows": {"type": "array", "items": {"type": "integer"}}},
        }}))
    });
    plan.on_echo(move |exchange| vec![exchange.result(structured(&json!({"rows": vec!["x"; count]})))]);
}
