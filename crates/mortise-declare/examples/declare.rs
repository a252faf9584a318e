//! Declares the schemas on standard input, one JSON object a line, for other people's compilers to read.
//!
//! `{"schema": …, "values": […]}` is answered with `{"typescript": …, "python": …, "valid": […], "losses": N}`: a
//! module and a stub of one tool that returns such a value, and which of the values conform. With `"ambient": true`
//! the answer has the ambient form too.

use std::io::{BufRead as _, Write as _};

use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};
use mortise_contract::unwrap::ShapeRule;
use mortise_contract::{NameMap, ServerName, ToolName};
use mortise_declare::{
    PythonOptions, ToolDefinition, TypeScriptForm, TypeScriptOptions, python_declarations,
    typescript_declarations,
};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        writeln!(out, "{}", answer(&request)?)?;
    }
    Ok(())
}

fn answer(request: &Value) -> Result<Value, Box<dyn std::error::Error>> {
    let schema = request.get("schema").cloned().unwrap_or_default();
    let tools = [ToolDefinition {
        server: ServerName::parse("s")?,
        tool: ToolName::parse("t")?,
        description: Some("Tries */ to \"\"\" break ``` out.".to_owned()),
        input_schema: json!({"type": "object", "properties": {"value": schema}}),
        declares_input_schema: true,
        rounded_numbers: Vec::new(),
        output_schema: Some(schema.clone()),
        unreadable_output: None,
        forward_output_schema: true,
        shape_rule: ShapeRule::Keep,
        is_projected: false,
    }];
    let names = NameMap::new(tools.iter().map(|tool| (&tool.server, &tool.tool)));
    let options = TypeScriptOptions { form: TypeScriptForm::Module, ..TypeScriptOptions::default() };
    let typescript = typescript_declarations(&tools, &names, &options);
    let ambient = (request.get("ambient") == Some(&Value::Bool(true)))
        .then(|| typescript_declarations(&tools, &names, &TypeScriptOptions::default()).text);
    let python = python_declarations(&tools, &names, &PythonOptions::default());
    let compiled = CompiledSchema::compile(&schema, &SchemaOptions::default()).ok();
    let valid = |value: &Value| match compiled.as_ref()?.validate(value) {
        Validation::Valid => Some(true),
        Validation::Invalid { .. } => Some(false),
        Validation::Unchecked { .. } => None,
    };
    let values = request.get("values").and_then(Value::as_array).cloned().unwrap_or_default();
    let losses = typescript.losses.iter().flat_map(|(_, losses)| losses).count();
    Ok(json!({
        "typescript": typescript.text,
        "ambient": ambient,
        "python": python.text,
        "valid": values.iter().map(valid).collect::<Vec<_>>(),
        "losses": losses,
    }))
}
