//! What registration refuses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::*;
use crate::{Answer, ToolError, Tools};

fn named(name: &str) -> Tool {
    Tool::raw(name).handler(|_, _| async { Ok(Answer::text("")) })
}

fn taking(schema: Value) -> Tool {
    Tool::raw("t").input_schema(schema).handler(|_, _| async { Ok(Answer::text("")) })
}

fn returning(schema: Value) -> Tool {
    Tool::raw("t").output_schema(schema).handler(|_, _| async { Ok(Answer::text("")) })
}

#[track_caller]
fn check_refused(tools: impl IntoIterator<Item = Tool>, expected: &str) {
    let error = Tools::new(tools).unwrap_err();
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    assert_eq!(text, expected);
}

#[test]
fn names_are_checked() {
    check_refused([named("")], "tool ``: a tool name can't be empty");
    check_refused([named("a"), named("b"), named("a")], "two tools are named `a`");
    let error = Tools::new([named("two words")]).unwrap_err();
    assert!(matches!(error, RegistrationError::BadDeclaration { pointer, .. } if pointer == "/name"));
}

#[test]
fn input_schemas_are_checked() {
    check_refused(
        [taking(json!({}))],
        "the input schema of tool `t` must have `\"type\": \"object\"` at its root",
    );
    check_refused(
        [taking(json!({ "type": "array" }))],
        "the input schema of tool `t` must have `\"type\": \"object\"` at its root",
    );
    for schema in [json!(null), json!(true), json!([]), json!({ "type": "object", "properties": 7 })] {
        let error = Tools::new([taking(schema)]).unwrap_err();
        assert!(matches!(error, RegistrationError::BadInputSchema { .. }), "{error:?}");
    }
}

#[test]
fn output_schemas_are_checked() {
    let outside = json!({ "$ref": "https://example.com/schema.json" });
    let error = Tools::new([returning(outside)]).unwrap_err();
    let RegistrationError::BadOutputSchema { source, .. } = &error else { panic!("{error:?}") };
    assert!(matches!(source, mortise_contract::schema::SchemaError::ExternalReference { .. }), "{source:?}");

    let mut deep = json!({});
    for _ in 0..100 {
        deep = json!({ "not": deep });
    }
    let error = Tools::new([returning(deep)]).unwrap_err();
    let RegistrationError::BadOutputSchema { source, .. } = &error else { panic!("{error:?}") };
    assert!(matches!(source, mortise_contract::schema::SchemaError::Limit { .. }), "{source:?}");

    for schema in [json!(true), json!({ "type": "strin" }), json!({ "$ref": "#/$defs/gone" })] {
        let error = Tools::new([returning(schema)]).unwrap_err();
        assert!(matches!(error, RegistrationError::BadOutputSchema { .. }), "{error:?}");
    }
}

#[test]
fn roots_other_than_objects_are_fine_for_output() {
    for schema in [json!({}), json!({ "type": "array" }), json!({ "anyOf": [{ "type": "null" }] })] {
        Tools::new([returning(schema)]).unwrap();
    }
}

#[test]
fn header_annotations_are_checked() {
    let with = |property: Value| taking(json!({ "type": "object", "properties": { "p": property } }));
    Tools::new([with(json!({ "type": "string", "x-mcp-header": "Region" }))]).unwrap();
    for property in [
        json!({ "type": "string", "x-mcp-header": "a\r\nb" }),
        json!({ "type": "number", "x-mcp-header": "Region" }),
        json!({ "type": "object", "x-mcp-header": "Region" }),
    ] {
        let error = Tools::new([with(property)]).unwrap_err();
        assert!(matches!(error, RegistrationError::BadDeclaration { .. }), "{error:?}");
    }
}

#[derive(Deserialize, JsonSchema)]
struct Input {
    #[expect(dead_code, reason = "only its schema matters")]
    city: String,
}

/// A wide integer.
#[derive(Serialize, JsonSchema)]
struct Wide {
    /// More digits than a double has.
    count: u128,
    note: Option<String>,
}

#[test]
fn schemas_of_types_carry_no_noise() {
    let tool = Tool::new("t", |_: Input| async { Ok::<_, ToolError>(Wide { count: 0, note: None }) });
    let contract = tool.contract().unwrap();
    assert_eq!(
        Value::Object(contract.fields),
        json!({
            "name": "t",
            "inputSchema": { "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] },
            "outputSchema": {
                "description": "A wide integer.",
                "type": "object",
                "properties": {
                    "count": { "description": "More digits than a double has.", "type": "integer", "minimum": 0 },
                    "note": { "type": ["string", "null"] },
                },
                "required": ["count", "note"],
            },
        }),
    );
}

#[test]
fn an_output_schema_in_writing_must_be_that_of_the_type() {
    let with = |schema: Value| {
        Tool::new("t", |_: Input| async { Ok::<_, ToolError>(Wide { count: 0, note: None }) })
            .output_schema(schema)
    };
    let agreeing = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "required": ["note", "count"],
        "properties": {
            "note": { "type": ["string", "null"] },
            "count": { "minimum": 0, "type": "integer", "description": "More digits than a double has." },
        },
    });
    Tools::new([with(agreeing)]).unwrap();
    check_refused(
        [with(json!({ "type": "object" }))],
        "the output schema given for tool `t` is not that of its output type",
    );
}

#[test]
fn a_typed_tool_whose_input_is_no_object_is_refused() {
    let tool = Tool::new("t", |_: Vec<u8>| async { Ok::<_, ToolError>(Wide { count: 0, note: None }) });
    check_refused([tool], "the input schema of tool `t` must have `\"type\": \"object\"` at its root");
}

#[test]
fn a_failed_change_leaves_the_set_as_it_was() {
    let tools = Tools::new([named("a")]).unwrap();
    assert!(matches!(tools.add(named("a")), Err(RegistrationError::DuplicateName { .. })));
    assert!(matches!(tools.replace(named("b")), Err(RegistrationError::NoSuchTool { .. })));
    assert!(tools.add(returning(json!(true))).is_err());
    assert!(!tools.remove("b"));
    let names = |tools: &Tools| {
        crate::ToolSet::tools(tools).contracts().map(|contract| contract.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&tools), ["a"]);
    tools.add(named("0")).unwrap();
    assert_eq!(names(&tools), ["a", "0"]);
    assert!(tools.remove("a"));
    assert_eq!(names(&tools), ["0"]);
}

/// The schema that a tool declares for its input.
fn declared_input(tool: &Tool) -> Value {
    tool.contract().unwrap().input_schema().unwrap().clone()
}

#[derive(Deserialize, JsonSchema)]
struct UnitStruct;

#[test]
fn tools_without_arguments_take_an_empty_object() {
    async fn none() -> Result<String, ToolError> {
        Ok(String::new())
    }
    async fn unit((): ()) -> Result<String, ToolError> {
        Ok(String::new())
    }
    async fn unit_struct(_: UnitStruct) -> Result<String, ToolError> {
        Ok(String::new())
    }
    for tool in [Tool::new("t", none), Tool::new("t", unit), Tool::new("t", unit_struct)] {
        assert_eq!(declared_input(&tool), json!({ "type": "object", "additionalProperties": false }));
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "snake_case")]
enum Shape {
    Circle {
        #[expect(dead_code, reason = "only its schema matters")]
        radius: f64,
    },
    Point,
}

#[derive(Deserialize, JsonSchema)]
enum Mixed {
    #[expect(dead_code, reason = "only its schema matters")]
    Object {
        field: f64,
    },
    Text,
}

#[test]
fn the_input_may_be_an_enum_whose_variants_are_objects() {
    async fn tagged(_: Shape) -> Result<f64, ToolError> {
        Ok(0.0)
    }
    async fn mixed(_: Mixed) -> Result<f64, ToolError> {
        Ok(0.0)
    }
    let tool = Tool::new("t", tagged);
    assert_eq!(declared_input(&tool)["type"], "object");
    Tools::new([tool]).unwrap();
    check_refused(
        [Tool::new("t", mixed)],
        "the input schema of tool `t` must have `\"type\": \"object\"` at its root",
    );
}
