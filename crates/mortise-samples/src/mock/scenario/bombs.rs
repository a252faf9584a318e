//! Output schemas of one tool, `bad`, that cost more than they should or can't be used.

use serde_json::{Value, json};

use super::Scenario;
use crate::mock::plan::MockPlan;
use crate::mock::tool;

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario::new(
        "bomb-exponential",
        "LEVELS levels, each with two references to the level below",
        exponential,
    )
    .number("LEVELS", 26, 1000),
    Scenario::new("bomb-deep", "properties nested so deep", |plan, levels| {
        let levels = usize::try_from(levels).unwrap_or(0);
        declare_text(plan, move || {
            let open = r#"{"type":"object","properties":{"p":"#.repeat(levels);
            format!("{open}{{}}{}", "}}".repeat(levels))
        });
    })
    .number("LEVELS", 20_000, 1_000_000),
    Scenario::new("bomb-wide", "COUNT properties", |plan, count| {
        declare_text(plan, move || {
            let properties: Vec<_> = (0..count).map(|number| format!(r#""p{number}":{{}}"#)).collect();
            format!(r#"{{"type":"object","properties":{{{}}}}}"#, properties.join(","))
        });
    })
    .number("COUNT", 10_000, 1_000_000),
    Scenario::new("bomb-enum", "an enum of COUNT values", |plan, count| {
        declare_text(plan, move || {
            let values: Vec<_> = (0..count).map(|number| number.to_string()).collect();
            format!(r#"{{"type":"object","properties":{{"p":{{"enum":[{}]}}}}}}"#, values.join(","))
        });
    })
    .number("COUNT", 200_000, 10_000_000),
    Scenario::new("bomb-size", "a schema of BYTES bytes", |plan, bytes| {
        let bytes = usize::try_from(bytes).unwrap_or(0);
        declare_text(plan, move || format!(r#"{{"type":"object","description":"{}"}}"#, "x".repeat(bytes)));
    })
    .number("BYTES", 300_000, 100_000_000),
    Scenario::new("bomb-regex", "a pattern that backtracks without end in many engines", |plan, _| {
        pattern(plan, "^(a+)+$");
    }),
    Scenario::new("bomb-regex-size", "a pattern that compiles to very much", |plan, _| {
        pattern(plan, r"(?:[\w\W]{1000}){1000}");
    }),
    Scenario::new("regex-lookaround", "a pattern that needs look-ahead", |plan, _| {
        pattern(plan, "^(?!x).*$")
    }),
    Scenario::new("schema-loop", "a schema that is a reference to itself", |plan, _| {
        declare(plan, json!({"type": "object", "properties": {"child": {"$ref": "#"}}}));
    }),
    Scenario::new("schema-dangling", "a reference that leads nowhere", |plan, _| {
        declare(plan, json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/missing"}}}));
    }),
    Scenario::new("schema-external", "a reference to a web address", |plan, _| {
        declare(
            plan,
            json!({"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}}),
        );
    }),
    Scenario::new("schema-file", "a reference to a file", |plan, _| {
        declare(plan, json!({"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}}));
    }),
    Scenario::new("schema-dialect", "an unknown dialect", |plan, _| {
        declare(plan, json!({"$schema": "https://example.com/dialect/v9", "type": "object"}));
    }),
    Scenario::new("schema-invalid", "a schema that its own dialect forbids", |plan, _| {
        declare(plan, json!({"type": "objekt"}));
    }),
    Scenario::new("schema-draft-04", "a draft-04 schema, whose exclusiveMinimum is a boolean", |plan, _| {
        declare(
            plan,
            json!({
                "$schema": "http://json-schema.org/draft-04/schema#",
                "type": "object",
                "properties": {"text": {"type": "string"}, "n": {"type": "number", "minimum": 0, "exclusiveMinimum": true}},
            }),
        );
    }),
    Scenario::new("schema-draft-07", "a draft-07 schema, whose items are a tuple", |plan, _| {
        declare(
            plan,
            json!({
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object",
                "properties": {"pair": {"type": "array", "items": [{"type": "string"}, {"type": "integer"}]}},
            }),
        );
    }),
    Scenario::new("schema-array-root", "an array as root, which legacy clients don't take", |plan, _| {
        let schema = json!({"type": "array", "items": {"type": "object", "required": ["text"]}});
        plan.add_tools(move || {
            let bad = tool::echo().with(&json!({"name": "bad", "outputSchema": schema}));
            vec![bad.answering(|_| tool::structured(&json!([{"text": "one"}, {"text": "two"}])))]
        });
    }),
    Scenario::new("bad-header", "an `x-mcp-header` annotation with a line break in it", |plan, _| {
        plan.add_tools(|| {
            vec![tool::echo().with(&json!({
                "name": "bad",
                "inputSchema": {
                    "type": "object",
                    "properties": {"text": {"type": "string", "x-mcp-header": "X\r\nEvil: 1"}},
                },
            }))]
        });
    }),
];

/// Adds a tool `bad` with this output schema.
fn declare(plan: &mut MockPlan, schema: Value) {
    plan.add_tools(move || vec![tool::echo().with(&json!({"name": "bad", "outputSchema": schema}))]);
}

/// Adds a tool `bad` whose output schema is this text, too large or too deep for a value.
fn declare_text(plan: &mut MockPlan, schema: impl Fn() -> String + Send + Sync + 'static) {
    plan.add_tools(move || {
        let schema = schema();
        let declaration =
            format!(r#"{{"name":"bad","inputSchema":{{"type":"object"}},"outputSchema":{schema}}}"#);
        vec![tool::echo().with(&json!({"name": "bad"})).declared_as(declaration)]
    });
}

fn pattern(plan: &mut MockPlan, pattern: &'static str) {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string", "pattern": pattern}}});
    plan.add_tools(move || {
        let bad = tool::echo().with(&json!({"name": "bad", "outputSchema": schema}));
        vec![bad.answering(|_| tool::structured(&json!({"text": format!("{}!", "a".repeat(64))})))]
    });
}

fn exponential(plan: &mut MockPlan, levels: u64) {
    declare_text(plan, move || {
        let level = |number: u64| {
            let below = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, number + 1);
            format!(r#""d{number}":{{"anyOf":[{below},{below}]}}"#)
        };
        let mut defs: Vec<_> = (0..levels).map(level).collect();
        defs.push(format!(r#""d{levels}":{{"type":"string"}}"#));
        format!(
            r##"{{"type":"object","properties":{{"text":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{}}}}}"##,
            defs.join(",")
        )
    });
}
