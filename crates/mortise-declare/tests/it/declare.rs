//! Declarations by row: schema in, TypeScript and Python out.

use mortise_contract::unwrap::ShapeRule;
use mortise_contract::{NameMap, ServerName, ToolName};
use mortise_declare::{
    Declarations, PythonOptions, ToolDefinition, TypeScriptOptions, python_declarations,
    typescript_declarations, typescript_type,
};
use serde_json::{Value, json};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/declare.json");

/// A row is about what a tool returns, or with `"side": "input"` about what it takes.
fn tool(row: &Value) -> ToolDefinition {
    let nothing = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let (input, output) = match row["side"].as_str() {
        Some("input") => (row["schema"].clone(), None),
        _ => (nothing, Some(row["schema"].clone())),
    };
    ToolDefinition {
        server: ServerName::parse("s").unwrap(),
        tool: ToolName::parse("t").unwrap(),
        description: None,
        input_schema: input,
        declares_input_schema: true,
        rounded_numbers: Vec::new(),
        output_schema: output,
        unreadable_output: None,
        forward_output_schema: true,
        shape_rule: ShapeRule::Keep,
        is_projected: false,
    }
}

fn names(tools: &[ToolDefinition]) -> NameMap {
    NameMap::new(tools.iter().map(|tool| (&tool.server, &tool.tool)))
}

fn shown(declared: &Declarations) -> Vec<String> {
    let of_tools = declared.losses.iter().flat_map(|(_, losses)| losses);
    of_tools
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
        .collect()
}

/// What a row is expected to become; `py_losses` is what Python loses besides.
fn rendered(row: &Value) -> Value {
    let tools = [tool(row)];
    let names = names(&tools);
    let typescript = typescript_declarations(&tools, &names, &TypeScriptOptions::default());
    let python = python_declarations(&tools, &names, &PythonOptions::default());
    let lines: Vec<&str> = python.text.lines().filter(|line| !line.is_empty()).skip(1).collect();
    let losses = shown(&typescript);
    let (of_both, of_python): (Vec<String>, Vec<String>) =
        shown(&python).into_iter().partition(|loss| losses.contains(loss));
    assert_eq!(of_both, losses, "{}", row["name"]);
    json!({"ts": typescript_type(&row["schema"], 32_000), "py": lines, "losses": losses, "py_losses": of_python})
}

/// Every row of the table; `MORTISE_WRITE_CASES=1` writes what there is now, to be read before it is committed.
#[test]
fn every_row_of_the_table() {
    let text = std::fs::read_to_string(CASES).unwrap();
    let mut rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    let write = std::env::var_os("MORTISE_WRITE_CASES").is_some();
    for row in &mut rows {
        let found = rendered(row);
        for part in ["ts", "py", "losses", "py_losses"] {
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
