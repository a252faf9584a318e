//! The laws of strict arguments.

use mortise_contract::json::canonical_text;
use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};
use mortise_contract::unwrap::ShapeRule;
use mortise_contract::{ServerName, ToolName};
use mortise_declare::{
    Provider, ProviderOptions, StrictRequest, ToolDefinition, render_tool, without_added_nulls,
};
use mortise_testkit::fuzz_law;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn failed(error: impl ToString) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

fn conforms(schema: &Value, value: &Value) -> bool {
    let compiled = CompiledSchema::compile(schema, &SchemaOptions::default());
    compiled.is_ok_and(|compiled| matches!(compiled.validate(value), Validation::Valid))
}

/// A schema, and a value that fits it.
type Pair = (Value, Value);

fn leaf() -> impl Strategy<Value = Pair> + Clone {
    prop::sample::select(vec![
        (json!({"type": "string"}), json!("x")),
        (json!({"type": "integer"}), json!(3)),
        (json!({"type": "boolean"}), json!(true)),
        (json!({"enum": ["a", "b"]}), json!("b")),
        (json!({"type": "array", "items": {"type": "string"}}), json!(["x"])),
    ])
}

/// A required key may hold null; what is optional never does, since null stands for leaving it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Required,
    RequiredNull,
    Given,
    LeftOut,
}

fn presence() -> impl Strategy<Value = Presence> + Clone {
    prop::sample::select(vec![Presence::Required, Presence::RequiredNull, Presence::Given, Presence::LeftOut])
}

/// A closed object whose first key tells it apart.
fn object(tag: &str, members: Vec<(&'static str, Pair, Presence)>) -> Pair {
    let mut properties = Map::from_iter([("kind".to_owned(), json!({"type": "string", "enum": [tag]}))]);
    let mut value = Map::from_iter([("kind".to_owned(), json!(tag))]);
    let mut required = vec!["kind"];
    for (key, (mut schema, given), presence) in members {
        if properties.contains_key(key) {
            continue;
        }
        if matches!(presence, Presence::Required | Presence::RequiredNull) {
            required.push(key);
        }
        if presence == Presence::RequiredNull {
            schema = json!({"anyOf": [schema, {"type": "null"}]});
        }
        properties.insert(key.to_owned(), schema);
        match presence {
            Presence::LeftOut => {}
            Presence::RequiredNull => drop(value.insert(key.to_owned(), Value::Null)),
            _ => drop(value.insert(key.to_owned(), given)),
        }
    }
    let schema = json!({"type": "object", "properties": properties, "required": required,
        "additionalProperties": false});
    (schema, value.into())
}

fn members(
    inner: impl Strategy<Value = Pair> + Clone,
) -> impl Strategy<Value = Vec<(&'static str, Pair, Presence)>> + Clone {
    let key = prop::sample::select(vec!["a", "b", "c", "d"]);
    prop::collection::vec((key, inner, presence()), 0..4)
}

/// One of several closed objects, with a value of one of them.
fn alternatives(inner: impl Strategy<Value = Pair> + Clone) -> impl Strategy<Value = Pair> {
    let branches = prop::collection::vec(members(inner), 1..4);
    let keyword = prop::sample::select(vec!["anyOf", "oneOf"]);
    (branches, any::<prop::sample::Index>(), keyword).prop_map(|(branches, at, keyword)| {
        let branches: Vec<Pair> =
            branches.into_iter().zip(["x", "y", "z"]).map(|(members, tag)| object(tag, members)).collect();
        let value = at.get(&branches).1.clone();
        let schemas: Vec<Value> = branches.into_iter().map(|(schema, _)| schema).collect();
        (json!({keyword: schemas}), value)
    })
}

fn nested() -> impl Strategy<Value = Pair> + Clone {
    leaf().prop_recursive(2, 16, 4, |inner| {
        prop_oneof![
            members(inner.clone()).prop_map(|members| object("x", members)),
            alternatives(inner.clone()),
            inner.prop_map(|(items, value)| (json!({"type": "array", "items": items}), json!([value]))),
        ]
        .boxed()
    })
}

/// Adds null under every key that the schema requires and the value leaves out.
fn with_nulls(schema: &Value, value: &Value) -> Value {
    if let Some(Value::Array(branches)) = schema.get("anyOf") {
        let filled = branches.iter().map(|branch| (branch, with_nulls(branch, value)));
        let fitting = filled.into_iter().find(|(branch, value)| conforms(branch, value));
        return fitting.map_or_else(|| value.clone(), |(_, value)| value);
    }
    match value {
        Value::Array(values) => values.iter().map(|value| with_nulls(&schema["items"], value)).collect(),
        Value::Object(members) => {
            let mut filled = members.clone();
            for (key, value) in &mut filled {
                *value = with_nulls(&schema["properties"][key.as_str()], value);
            }
            for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                filled.entry(key).or_insert(Value::Null);
            }
            filled.into()
        }
        value => value.clone(),
    }
}

fn tool(input_schema: Value) -> Result<ToolDefinition, TestCaseError> {
    Ok(ToolDefinition {
        server: ServerName::parse("s").map_err(failed)?,
        tool: ToolName::parse("t").map_err(failed)?,
        description: None,
        input_schema,
        declares_input_schema: true,
        rounded_numbers: Vec::new(),
        output_schema: None,
        unreadable_output: None,
        is_projected: false,
        forward_output_schema: true,
        shape_rule: ShapeRule::default(),
    })
}

/// The parameters as OpenAI's strict mode takes them, if it does.
fn strictly(input_schema: Value) -> Result<Option<Value>, TestCaseError> {
    let options = ProviderOptions { strict: StrictRequest::WherePossible, ..ProviderOptions::default() };
    let mut rendered = render_tool(Provider::OpenAi, &tool(input_schema)?, "t", &options);
    let is_strict = rendered.json["strict"] == true;
    Ok(is_strict.then(|| rendered.json["parameters"].take()))
}

fn root() -> impl Strategy<Value = Pair> {
    prop_oneof![members(nested()).prop_map(|members| object("x", members)), alternatives(nested())]
}

/// Nulls that a strict mode asks for go in and come out again, and nothing else changes.
#[test]
fn added_nulls_come_out_again() {
    fuzz_law(&root(), |(schema, arguments)| {
        prop_assert!(conforms(&schema, &arguments), "{} under {}", arguments, schema);
        let Some(strict) = strictly(schema.clone())? else { return Ok(()) };
        let sent = with_nulls(&strict, &arguments);
        prop_assert!(conforms(&strict, &sent), "{} under {}", sent, strict);
        prop_assert_eq!(without_added_nulls(&schema, sent), arguments, "{}", schema);
        Ok(())
    });
}

/// Sorts every list of required keys; an error where one is not in the order of the properties.
fn sort_required(schema: &mut Value) -> Result<(), TestCaseError> {
    match schema {
        Value::Array(items) => items.iter_mut().try_for_each(sort_required),
        Value::Object(members) => {
            if let (Some(Value::Object(properties)), Some(Value::Array(required))) =
                (members.get("properties"), members.get("required"))
            {
                let names: Vec<&str> = required.iter().filter_map(Value::as_str).collect();
                prop_assert_eq!(properties.keys().map(String::as_str).collect::<Vec<_>>(), names);
            }
            if let Some(Value::Array(required)) = members.get_mut("required") {
                required.sort_by_key(Value::to_string);
            }
            members.values_mut().try_for_each(sort_required)
        }
        _ => Ok(()),
    }
}

/// Models write arguments in the order of the properties, which is the server's: `required` follows it, and nothing
/// else depends on the order of keys.
#[test]
fn the_order_of_keys_is_that_of_the_server_and_changes_nothing_else() {
    fuzz_law(&root(), |(schema, _)| {
        let sorted: Value = serde_json::from_str(&canonical_text(&schema)).map_err(failed)?;
        let (mut strict, mut again) = (strictly(schema)?, strictly(sorted)?);
        for rendered in [&mut strict, &mut again].into_iter().flatten() {
            sort_required(rendered)?;
        }
        prop_assert_eq!(strict.as_ref().map(canonical_text), again.as_ref().map(canonical_text));
        Ok(())
    });
}
