//! Declarations by row: schema in, TypeScript and Python out.

use mortise_contract::declare::{
    PythonOptions, ToolDefinition, TypeScriptOptions, python_declarations, typescript_declarations,
    typescript_type,
};
use mortise_contract::unwrap::ShapeRule;
use mortise_contract::{NameMap, ServerName, ToolName};
use serde_json::{Value, json};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/declare.json");

fn tool(name: &str, output: &Value) -> ToolDefinition {
    ToolDefinition {
        server: ServerName::parse("s").unwrap(),
        tool: ToolName::parse(name).unwrap(),
        description: None,
        input_schema: json!({"type": "object", "properties": {}, "additionalProperties": false}),
        output_schema: Some(output.clone()),
        forward_output_schema: true,
        shape_rule: ShapeRule::Keep,
    }
}

fn names(tools: &[ToolDefinition]) -> NameMap {
    NameMap::new(tools.iter().map(|tool| (&tool.server, &tool.tool)))
}

/// What a row is expected to become.
fn rendered(schema: &Value) -> Value {
    let tools = [tool("t", schema)];
    let names = names(&tools);
    let typescript = typescript_declarations(&tools, &names, &TypeScriptOptions::default());
    let python = python_declarations(&tools, &names, &PythonOptions::default());
    let lines = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.is_empty()).skip(1).map(str::to_owned).collect()
    };
    let losses: Vec<String> = typescript
        .losses
        .iter()
        .flat_map(|(_, losses)| losses)
        .map(|loss| {
            format!(
                "{} {} {} at `{}`: {}",
                loss.severity.as_str(),
                loss.action.as_str(),
                loss.keyword,
                loss.pointer,
                loss.reason
            )
        })
        .collect();
    json!({"ts": typescript_type(schema, 32_000), "py": lines(&python.text), "losses": losses})
}

/// Every row of the table; `MORTISE_WRITE_CASES=1` writes what there is now, to be read before it is committed.
#[test]
fn every_row_of_the_table() {
    let text = std::fs::read_to_string(CASES).unwrap();
    let mut rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    let write = std::env::var_os("MORTISE_WRITE_CASES").is_some();
    for row in &mut rows {
        let found = rendered(&row["schema"]);
        for part in ["ts", "py", "losses"] {
            match write {
                true => row[part] = found[part].clone(),
                false => assert_eq!(row[part], found[part], "{}: {part}", row["name"]),
            }
        }
    }
    if write {
        std::fs::write(CASES, serde_json::to_string_pretty(&rows).unwrap() + "\n").unwrap();
    }
}
