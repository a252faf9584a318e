//! The laws.

use mortise_contract::declare::{
    Provider, ProviderOptions, PythonOptions, StrictRequest, ToolDefinition, TypeScriptOptions, lint,
    python_declarations, render_tools, typescript_declarations, without_added_nulls,
};
use mortise_contract::json::{RawJson, canonical_text, duplicate_keys};
use mortise_contract::listing::parse_tool_list;
use mortise_contract::project::{project, project_schema, project_value, unproject_schema};
use mortise_contract::schema::{CompiledSchema, SchemaHash, SchemaOptions, Validation};
use mortise_contract::unwrap::ShapeRule;
use mortise_contract::{Contract, NameMap, ServerName, ToolName, ToolResult};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fuzz;
use crate::generate::{schema, text, value};

fn compile(schema: &Value) -> Option<CompiledSchema> {
    CompiledSchema::compile(schema, &SchemaOptions::default()).ok()
}

/// Whether a value conforms; none if it could not be checked.
fn conforms(compiled: &CompiledSchema, value: &Value) -> Option<bool> {
    match compiled.validate(value) {
        Validation::Valid => Some(true),
        Validation::Invalid { violations, total, .. } => {
            assert!(total > 0 && !violations.is_empty());
            Some(false)
        }
        Validation::Unchecked { .. } => None,
    }
}

/// What compiles here means the same as in the validator that it is built on.
#[test]
fn compile_and_validate() {
    fuzz(&(schema(), prop::collection::vec(value(), 1..4)), |(schema, values)| {
        let Some(compiled) = compile(&schema) else { return Ok(()) };
        let hash = SchemaHash::of(&schema);
        prop_assert_eq!(compiled.hash(), hash.as_str());
        let options = jsonschema::options().offline().should_validate_formats(false);
        let plain = options.build(&schema);
        prop_assert!(plain.is_ok(), "compiles here only: {:?}", plain.err());
        let plain = plain.map_err(|error| TestCaseError::fail(error.to_string()))?;
        for value in values {
            if let Some(conforms) = conforms(&compiled, &value) {
                prop_assert_eq!(conforms, plain.is_valid(&value), "{}", value);
            }
        }
        Ok(())
    });
}

/// A value conforms to a schema if and only if the projected value conforms to the projected schema.
#[test]
fn projection() {
    fuzz(&(schema(), prop::collection::vec(value(), 1..4)), |(schema, values)| {
        let Some(natural) = compile(&schema) else { return Ok(()) };
        let projected_schema =
            project_schema(&schema).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let projected = CompiledSchema::compile(&projected_schema, &SchemaOptions::default());
        prop_assert!(projected.is_ok(), "{}: {:?}", projected_schema, projected.err());
        let Ok(projected) = projected else { return Ok(()) };
        let back = unproject_schema(&projected_schema).and_then(|back| compile(&back));
        prop_assert!(back.is_some(), "{:?}", unproject_schema(&projected_schema));
        prop_assert_eq!(projected_schema["type"].as_str(), Some("object"));
        prop_assert_eq!(conforms(&projected, &json!({})), Some(false));
        let shown = project(&schema).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(shown.schema["type"].as_str(), Some("object"));
        for value in values {
            let Some(expected) = conforms(&natural, &value) else { continue };
            let found = conforms(&projected, &project_value(value.clone()));
            prop_assert_eq!(found, Some(expected), "{} under {}", value, projected_schema);
            let back = back.as_ref().and_then(|back| conforms(back, &value));
            prop_assert_eq!(back, Some(expected), "{} taken back", value);
        }
        Ok(())
    });
}

/// No text makes a reader panic, and what is read is kept to the byte.
#[test]
fn readers() {
    fuzz(&text(), |text| {
        duplicate_keys(&text);
        let Ok(raw) = RawJson::parse(&text) else { return Ok(()) };
        prop_assert_eq!(raw.text(), text.trim_matches([' ', '\n', '\r', '\t']));
        let _ = raw.read();
        let _ = Contract::parse(raw.clone()).map(|contract| contract.hash());
        let _ = ToolResult::parse(raw.clone());
        let _ = parse_tool_list(&raw);
        let tools = format!(r#"{{"tools": [{text}, {{"name": "good"}}]}}"#);
        let page = RawJson::parse(&tools).ok().and_then(|raw| parse_tool_list(&raw).ok());
        prop_assert_eq!(page.map(|page| page.items.len() + page.rejected.len()), Some(2));
        Ok(())
    });
}

const HIDDEN: char = '\u{202e}';

fn definition(schema: &Value) -> Result<ToolDefinition, TestCaseError> {
    let fail = |error: mortise_contract::name::NameError| TestCaseError::fail(error.to_string());
    Ok(ToolDefinition {
        server: ServerName::parse("s").map_err(fail)?,
        tool: ToolName::parse("t").map_err(fail)?,
        description: Some("*/ \"\"\" ``` \u{202e}".to_owned()),
        input_schema: schema.clone(),
        output_schema: Some(schema.clone()),
        forward_output_schema: true,
        shape_rule: ShapeRule::default(),
    })
}

/// Every schema can be declared to everyone, within bounds, and the order of its keys makes no difference to types.
#[test]
fn declarations() {
    fuzz(&(schema(), value()), |(schema, value)| {
        let tool = definition(&schema)?;
        let names = NameMap::new([(&tool.server, &tool.tool)]);
        let tools = [tool];
        let sorted: Value = serde_json::from_str(&canonical_text(&schema))
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        let sorted = [definition(&sorted)?];
        let typescript = typescript_declarations(&tools, &names, &TypeScriptOptions::default());
        let again = typescript_declarations(&sorted, &names, &TypeScriptOptions::default());
        prop_assert_eq!(&typescript.text, &again.text);
        let python = python_declarations(&tools, &names, &PythonOptions::default());
        let again = python_declarations(&sorted, &names, &PythonOptions::default());
        prop_assert_eq!(&python.text, &again.text);
        for (bytes, strict) in [(64, StrictRequest::Off), (1_024, StrictRequest::WherePossible)] {
            let options = ProviderOptions { hint_bytes: bytes, strict, ..ProviderOptions::default() };
            for provider in Provider::ALL {
                let rendered = render_tools(provider, &tools, &options);
                prop_assert_eq!(rendered.tools.len(), 1);
                prop_assert!(!rendered.to_json().to_string().contains(HIDDEN));
            }
        }
        lint(&tools, &Provider::ALL, &ProviderOptions::default());
        without_added_nulls(&schema, value);
        Ok(())
    });
}
