//! The laws.

use mortise_contract::approval::{
    Admission, ApprovalGrant, ArgumentFit, ArgumentSchema, GrantBook, GrantScope,
};
use mortise_contract::json::{RawJson, duplicate_keys};
use mortise_contract::listing::parse_tool_list;
use mortise_contract::observed::ObservedShape;
use mortise_contract::project::{project, project_schema, project_value, unproject_schema};
use mortise_contract::recording::{MessageSource, Recording, end_line, header_line, message_line};
use mortise_contract::schema::{CompiledSchema, SchemaHash, SchemaOptions, Validation};
use mortise_contract::verdict::JudgeOptions;
use mortise_contract::{Contract, Glob, SchemaCache, Status, ToolResult, judge};
use mortise_testkit::fuzz_law;
use mortise_testkit::schemas::{schema, text, value, value_text};
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

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
    fuzz_law(&(schema(), prop::collection::vec(value(), 1..4)), |(schema, values)| {
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

/// A verdict on a text is the one on its value, keys that come twice, white space and escapes included.
#[test]
fn verdicts_from_text() {
    fuzz_law(&(schema(), prop::collection::vec(value_text(), 1..6)), |(schema, texts)| {
        let Some(compiled) = compile(&schema) else { return Ok(()) };
        let fail = |error: &dyn std::fmt::Display| TestCaseError::fail(error.to_string());
        let tool =
            json!({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": schema}).to_string();
        let contract = RawJson::parse(&tool).map_err(|error| fail(&error))?;
        let contract = Contract::parse(contract).map_err(|error| fail(&error))?;
        let cache = SchemaCache::default();
        for text in texts {
            let whole = format!(r#"{{"content": [], "structuredContent": {text}}}"#);
            let result = RawJson::parse(&whole).map_err(|error| fail(&error))?;
            let result = ToolResult::parse(result).map_err(|error| fail(&error))?;
            let value: Value = serde_json::from_str(&text).map_err(|error| fail(&error))?;
            let found = judge(&contract, &result, &JudgeOptions::default(), &cache).status == Status::Valid;
            if let Some(expected) = conforms(&compiled, &value) {
                prop_assert_eq!(found, expected, "{} under {}", text, schema);
            }
        }
        Ok(())
    });
}

/// A value conforms to a schema if and only if the projected value conforms to the projected schema.
#[test]
fn projection() {
    fuzz_law(&(schema(), prop::collection::vec(value(), 1..4)), |(schema, values)| {
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
    fuzz_law(&text(), |text| {
        duplicate_keys(&text);
        let Ok(raw) = RawJson::parse(&text) else { return Ok(()) };
        prop_assert_eq!(raw.text(), text.trim_matches([' ', '\n', '\r', '\t']));
        if let Ok(members) = raw.members() {
            let again = serde_json::from_str::<std::collections::BTreeMap<String, Box<RawValue>>>(&text);
            for (key, part) in again.map_err(|error| TestCaseError::fail(error.to_string()))? {
                let last = members.iter().rev().find(|(name, _)| *name == key);
                prop_assert_eq!(last.map(|(_, member)| member.text()), Some(part.get()));
            }
        }
        if let Ok(elements) = raw.elements() {
            let again = serde_json::from_str::<Vec<Box<RawValue>>>(&text);
            let again = again.map_err(|error| TestCaseError::fail(error.to_string()))?;
            let texts: Vec<&str> = elements.iter().map(RawJson::text).collect();
            prop_assert_eq!(texts, again.iter().map(|part| part.get()).collect::<Vec<_>>());
        }
        let _ = raw.read();
        let _ = Contract::parse(raw.clone()).map(|contract| contract.hash());
        let _ = ToolResult::parse(raw.clone());
        // What is observed in a text keeps its bounds, and the text holds to it.
        let shape = ObservedShape::of(&raw, 0);
        prop_assert!(shape.is_within_bounds());
        if let (Ok(value), false) = (raw.value(), shape.is_sampled()) {
            let schema = compile(&shape.schema().value);
            let schema = schema.ok_or_else(|| TestCaseError::fail("the observed schema does not compile"))?;
            prop_assert_eq!(conforms(&schema, &value), Some(true), "{}", shape.schema().value);
        }
        let _ = parse_tool_list(&raw);
        let tools = format!(r#"{{"tools": [{text}, {{"name": "good"}}]}}"#);
        let page = RawJson::parse(&tools).ok().and_then(|raw| parse_tool_list(&raw).ok());
        prop_assert_eq!(page.map(|page| page.items.len() + page.rejected.len()), Some(2));
        Ok(())
    });
}

/// A book admits a call exactly if a grant covers it, and each grant no more often than it says.
#[test]
fn grant_matcher() {
    let name = || prop::sample::select(vec!["mcp__a__x", "mcp__a__y", "mcp__b__x"]);
    let glob = prop::sample::select(vec!["mcp__a__x", "mcp__a__*", "mcp__?__x", "*", "mcp__b__y", ""]);
    let grant = (glob, prop::option::of(schema()), prop::option::of(0_u64..4));
    let calls = prop::collection::vec((name(), value_text()), 1..12);
    fuzz_law(
        &(prop::collection::vec(grant, 0..4), prop::option::of(name()), calls),
        |(grants, refused, calls)| {
            let book = GrantBook::default();
            let mut held: Vec<(Glob, Option<ArgumentSchema>, Option<u64>)> = Vec::new();
            for (tool, arguments, at_most) in grants {
                let grant = ApprovalGrant {
                    tool: tool.to_owned(),
                    arguments: arguments.clone(),
                    at_most,
                    scope: GrantScope::Run,
                };
                // A schema that can't be compiled grants nothing.
                if book.add(&grant, 0).is_ok() {
                    held.push((
                        Glob::new(tool),
                        arguments.and_then(|schema| ArgumentSchema::compile(schema).ok()),
                        at_most,
                    ));
                }
            }
            refused.iter().for_each(|tool| book.refuse(tool, "a person"));
            for (tool, text) in calls {
                let arguments =
                    RawJson::parse(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
                let covers = |(glob, schema, left): &(Glob, Option<ArgumentSchema>, Option<u64>)| {
                    let fits = |schema: &ArgumentSchema| schema.fit(&arguments) == ArgumentFit::Inside;
                    glob.matches(tool) && schema.as_ref().is_none_or(fits) && *left != Some(0)
                };
                let expected = held.iter().position(covers);
                match book.admit(tool, &arguments, 0) {
                    Admission::Denied { .. } => prop_assert_eq!(refused, Some(tool)),
                    Admission::Admitted(id) => {
                        prop_assert_ne!(refused, Some(tool));
                        prop_assert_eq!(Some(id.0 as usize - 1), expected);
                        let left = &mut held[id.0 as usize - 1].2;
                        *left = left.map(|left| left - 1);
                    }
                    Admission::Ask(_) => prop_assert!(expected.is_none() && refused != Some(tool)),
                }
            }
            Ok(())
        },
    );
}

/// Whatever passes is read back byte for byte; a recording cut anywhere still opens; other texts never panic.
#[test]
fn recordings() {
    let message = prop_oneof![
        value_text(),
        text(),
        value().prop_map(
            |params| json!({"jsonrpc": "2.0", "id": 1, "method": "m", "params": params}).to_string()
        ),
        value().prop_map(|result| json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string()),
    ];
    let messages = prop::collection::vec((any::<bool>(), message), 0..6);
    fuzz_law(&(messages, any::<prop::sample::Index>(), text()), |(messages, at, noise)| {
        let mut file = header_line(&noise, "2026-11-18T09:00:00Z");
        let header = file.len();
        for (is_client, message) in &messages {
            let from = if *is_client { MessageSource::Client } else { MessageSource::Server };
            file.push_str(&message_line(1, from, message));
        }
        file.push_str(&end_line(2, &noise));
        let whole = Recording::parse(&file).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let read: Vec<&str> = whole.messages.iter().map(|message| message.text.as_str()).collect();
        let sent: Vec<&str> = messages.iter().map(|(_, message)| message.as_str()).collect();
        prop_assert_eq!(read, sent);
        let _ = whole.requests();
        let end = file.floor_char_boundary(header + at.index(file.len() - header));
        let cut = Recording::parse(&file[..end]).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert!(whole.messages.starts_with(&cut.messages));
        let damaged = format!("{}{noise}{}", &file[..end], &file[end..]);
        let _ = Recording::parse(&damaged).map(|recording| recording.requests());
        let _ = Recording::parse(&noise);
        Ok(())
    });
}
