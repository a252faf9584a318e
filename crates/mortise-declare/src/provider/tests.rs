//! Providers by row: one tool in, one declaration and its losses out.

mod dialects;
mod gemini;
mod limits;
mod outputs;
mod roots;
mod small;
mod strict;
mod texts;

use mortise_contract::unwrap::ShapeRule;
use mortise_contract::{ServerName, ToolName};
use serde_json::{Value, json};

use super::{
    HintForm, Provider, ProviderOptions, ProviderTool, StrictRequest, StrictVerdict, provider_names,
    render_tool, render_tools,
};
use crate::definition::{ResultForm, ToolDefinition};
use crate::{HintStep, OutputForm, Severity};

fn tool(input: Value, output: Option<Value>) -> ToolDefinition {
    ToolDefinition {
        server: ServerName::parse("s").unwrap(),
        tool: ToolName::parse("t").unwrap(),
        description: Some("Does it".to_owned()),
        input_schema: input,
        declares_input_schema: true,
        rounded_numbers: Vec::new(),
        output_schema: output,
        unreadable_output: None,
        forward_output_schema: true,
        shape_rule: ShapeRule::default(),
        is_projected: false,
    }
}

fn render(provider: Provider, tool: &ToolDefinition) -> ProviderTool {
    render_tool(provider, tool, "mcp__s__t", &ProviderOptions::default())
}

fn strictly(provider: Provider, input: Value) -> ProviderTool {
    let options = ProviderOptions { strict: StrictRequest::WherePossible, ..ProviderOptions::default() };
    render_tool(provider, &tool(input, None), "mcp__s__t", &options)
}

fn reasons(rendered: &ProviderTool) -> Vec<String> {
    rendered.losses.iter().map(|loss| format!("{} {}", loss.severity.as_str(), loss.keyword)).collect()
}

fn input() -> Value {
    json!({"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]})
}

fn output() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
}

#[test]
fn every_provider_has_its_form() {
    let tool = tool(input(), Some(output()));
    let hinted = "Does it\n\nReturns: { /** integer */ n: number; }";
    let nested = json!({"type": "function", "function": {"name": "mcp__s__t", "description": hinted, "parameters": input()}});
    let rows = [
        (
            Provider::OpenAi,
            json!({"type": "function", "name": "mcp__s__t", "description": "Does it", "parameters": input(),
                "strict": false, "output_schema": output()}),
        ),
        (Provider::OpenAiChat, nested.clone()),
        (Provider::AzureOpenAi, nested.clone()),
        (Provider::Anthropic, json!({"name": "mcp__s__t", "description": hinted, "input_schema": input()})),
        (
            Provider::Gemini,
            json!({"name": "mcp__s__t", "description": "Does it", "parametersJsonSchema": input(),
                "responseJsonSchema": output()}),
        ),
        (
            Provider::Bedrock,
            json!({"toolSpec": {"name": "mcp__s__t", "description": hinted, "inputSchema": {"json": input()}}}),
        ),
        (Provider::Mistral, nested.clone()),
        (Provider::Ollama, nested),
    ];
    for (provider, expected) in rows {
        let rendered = render(provider, &tool);
        assert_eq!(rendered.json, expected, "{}", provider.as_str());
        assert_eq!(reasons(&rendered), Vec::<String>::new(), "{}", provider.as_str());
    }
}

#[test]
fn without_an_output_schema_or_with_forwarding_off_nothing_else_changes() {
    for provider in Provider::ALL {
        let without = render(provider, &tool(input(), None));
        let mut with = tool(input(), Some(output()));
        with.forward_output_schema = false;
        assert_eq!(render(provider, &with).json.to_string(), without.json.to_string());
        assert_eq!(without.output, OutputForm::None);
        assert!(!without.json.to_string().contains("Returns"));
    }
}

#[test]
fn the_request_wraps_tools_as_the_provider_wants_them() {
    let tools = [tool(input(), None)];
    let of = |provider| {
        render_tools(provider, &tools, &provider_names(&tools), &ProviderOptions::default()).to_json()
    };
    assert_eq!(of(Provider::Anthropic)[0]["name"], "mcp__s__t");
    assert_eq!(of(Provider::Gemini)[0]["functionDeclarations"][0]["name"], "mcp__s__t");
    assert_eq!(of(Provider::Bedrock)["tools"][0]["toolSpec"]["name"], "mcp__s__t");
}

#[test]
fn names_are_short_and_can_be_taken_back() {
    let mut long = tool(input(), None);
    long.tool = ToolName::parse(&"x.y".repeat(40)).unwrap();
    let tools = [long, tool(input(), None)];
    let rendered =
        render_tools(Provider::OpenAi, &tools, &provider_names(&tools), &ProviderOptions::default());
    for tool in &rendered.tools {
        assert!(tool.name.len() <= 64);
        assert_eq!(rendered.names.target(&tool.name), Some((&tool.server, &tool.tool)));
    }
    assert!(rendered.tools.iter().any(|tool| reasons(tool) == ["info name"]));
}

#[test]
fn a_chosen_tool_keeps_the_name_that_it_has_among_all() {
    let named = |name: &str| ToolDefinition { tool: ToolName::parse(name).unwrap(), ..tool(input(), None) };
    let tools = [named("a-b"), named("a_b")];
    let names = provider_names(&tools);
    let render = |tools: &[ToolDefinition]| {
        render_tools(Provider::OpenAi, tools, &names, &ProviderOptions::default()).tools
    };
    let name = |tools: &[ToolDefinition]| {
        let dashed = |known: &ProviderTool| known.tool.as_str() == "a-b";
        render(tools).into_iter().find(dashed).map(|tool| tool.name)
    };
    assert_eq!(name(&tools), name(&tools[..1]));
    assert_ne!(name(&tools), Some("mcp__s__a_b".to_owned()));
    let unknown = named("new");
    assert_eq!(render(&[unknown]), []);
}

#[test]
fn combinators_at_the_root_are_lifted_where_they_are_refused() {
    let schema = json!({"type": "object", "properties": {"x": {"type": "string"}}, "oneOf": [
        {"properties": {"a": {"type": "string"}, "c": {"type": "string"}}, "required": ["a", "c"]},
        {"properties": {"b": {"type": "string"}, "c": {"type": "integer"}}, "required": ["b", "c"]}]});
    let rendered = render(Provider::Anthropic, &tool(schema.clone(), None));
    assert_eq!(
        rendered.json["input_schema"],
        json!({"type": "object", "properties": {"x": {"type": "string"}, "a": {"type": "string"},
            "c": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "b": {"type": "string"}}, "required": ["c"]})
    );
    assert_eq!(reasons(&rendered), ["error oneOf", "warn oneOf"]);
    assert_eq!(render(Provider::Gemini, &tool(schema.clone(), None)).json["parametersJsonSchema"], schema);
}

#[test]
fn branches_within_branches_are_lifted_too() {
    let union = json!({"anyOf": [{"properties": {"a": {"type": "string"}}, "required": ["a", "z"]},
        {"properties": {"b": {"type": "string"}}, "required": ["b", "z"]}]});
    let rest = json!({"$ref": "#/$defs/Rest", "properties": {"c": {"type": "string"}}, "required": ["c"]});
    let schema = json!({"type": "object", "allOf": [union, rest],
        "$defs": {"Rest": {"properties": {"d": {"type": "string"}}, "required": ["d"]}}});
    let rendered = render(Provider::Anthropic, &tool(schema, None)).json["input_schema"].clone();
    let keys: Vec<&String> = rendered["properties"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["a", "b", "c", "d"]);
    assert_eq!(rendered["required"], json!(["z", "c", "d"]));
    // Of a branch that takes anything nothing is known.
    let open = json!({"type": "object", "anyOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, true]});
    assert_eq!(render(Provider::Anthropic, &tool(open, None)).json["input_schema"].get("required"), None);
}

#[test]
fn branches_without_end_come_to_one() {
    let schema = json!({"type": "object", "allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}],
        "$defs": {"A": {"properties": {"a": {"type": "string"}}, "allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}]}}});
    let rendered = render(Provider::OpenAi, &tool(schema, None));
    assert_eq!(rendered.json["parameters"]["properties"], json!({"a": {"type": "string"}}));
}

#[test]
fn a_root_that_refers_keeps_what_stands_beside_it() {
    let target = json!({"type": "object", "properties": {"a": {"type": "string"}, "c": {"type": "string"}},
        "required": ["a"], "anyOf": [{"required": ["c"]}, {"required": ["b"]}], "title": "Theirs"});
    let schema = json!({"$ref": "#/$defs/Named", "title": "Ours", "properties": {"b": {"type": "integer"}, "c": {"const": "x"}},
        "required": ["b"], "$defs": {"Named": {"$ref": "#/$defs/T", "minProperties": 1}, "T": target}});
    let rendered = render(Provider::Gemini, &tool(schema.clone(), None));
    let mut root = rendered.json["parametersJsonSchema"].clone();
    root.as_object_mut().unwrap().remove("$defs");
    assert_eq!(
        root,
        json!({"title": "Ours", "properties": {"b": {"type": "integer"}, "c": {"enum": ["x"]}, "a": {"type": "string"}},
            "required": ["b", "a"], "type": "object", "anyOf": [{"required": ["c"]}, {"required": ["b"]}]})
    );
    assert_eq!(
        reasons(&rendered),
        ["info $ref", "warn minProperties", "warn minProperties", "info const", "warn properties"]
    );
    for provider in Provider::ALL {
        let text = render(provider, &tool(schema.clone(), None)).json.to_string();
        for key in [r#""a":{"#, r#""b":{"#, r#""c":{"#] {
            assert!(text.contains(key), "{}: {text}", provider.as_str());
        }
    }
}

#[test]
fn up_to_draft_7_a_root_that_refers_is_what_it_refers_to() {
    let schema = json!({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/T",
        "properties": {"b": {"type": "integer"}}, "required": ["b"],
        "definitions": {"T": {"type": "object", "properties": {"a": {"$ref": "#/definitions/S"}}}, "S": {"type": "string"}}});
    let rendered = render(Provider::OpenAi, &tool(schema, None)).json["parameters"].clone();
    assert_eq!(rendered["properties"], json!({"a": {"$ref": "#/definitions/S"}}));
    assert_eq!(rendered.get("required"), None);
    assert_eq!(rendered["definitions"]["S"], json!({"type": "string"}));
}

#[test]
fn references_out_of_the_schema_are_reported() {
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "https://x.example/a"}, "b": {"$ref": "#/$defs/B"}},
        "$defs": {"B": {"type": "string"}}});
    let rendered = render(Provider::OpenAi, &tool(schema, None));
    assert_eq!(rendered.json["parameters"]["properties"], json!({"a": {}, "b": {"$ref": "#/$defs/B"}}));
    assert_eq!(reasons(&rendered), ["error $ref"]);
    assert_eq!(rendered.losses[0].pointer, "/properties/a");
}

#[test]
fn gemini_is_told_about_parameters_with_odd_names() {
    let schema = json!({"type": "object", "properties": {"a-b": {"type": "string"}}});
    let rendered = render(Provider::Gemini, &tool(schema, None));
    assert_eq!(reasons(&rendered), ["error properties"]);
    assert_eq!(rendered.losses[0].pointer, "/properties/a-b");
}

#[test]
fn ollama_gets_the_structure_and_words_for_its_python_client() {
    let schema = json!({"type": "object", "properties": {
        "when": {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "When", "default": null},
        "filter": {"$ref": "#/$defs/F", "description": "Which rows"},
        "tags": {"type": "array", "items": {"type": "string"}}}, "required": ["filter"],
        "$defs": {"F": {"type": "object", "properties": {"field": {"type": "string"}}, "required": ["field"]}}});
    let rendered = render(Provider::Ollama, &tool(schema, None));
    assert_eq!(
        rendered.json["function"]["parameters"],
        json!({"type": "object", "properties": {
            "when": {"type": ["string", "null"], "description": "Type: string | null @default null"},
            "filter": {"type": "object", "properties": {"field": {"type": "string"}}, "required": ["field"],
                "description": "Which rows Type: { field: string; }"},
            "tags": {"type": "array", "items": {"type": "string"}}}, "required": ["filter"]})
    );
    assert_eq!(reasons(&rendered), ["info $ref", "info properties", "info default", "info title"]);
}

#[test]
fn what_items_refer_to_stands_in_them_for_ollama() {
    for definitions in ["$defs", "definitions"] {
        let list = json!({"type": "array", "items": {"$ref": format!("#/{definitions}/Row")}});
        let nested = json!({"type": "array", "items": {"type": "array", "items": {"$ref": format!("#/{definitions}/Row")}}});
        let row = json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]});
        let schema = json!({"type": "object", "properties": {"list": list, "nested": nested}, definitions: {"Row": row.clone()}});
        let rendered = render(Provider::Ollama, &tool(schema, None));
        assert_eq!(
            rendered.json["function"]["parameters"],
            json!({"type": "object", "properties": {
                "list": {"type": "array", "items": row},
                "nested": {"type": "array", "items": {"type": "array", "items": row}}}})
        );
        assert_eq!(reasons(&rendered), ["info $ref", "info $ref"]);
    }
}

#[test]
fn strict_openai_requires_every_key_and_closes_objects() {
    let schema = json!({"type": "object", "properties": {
        "q": {"type": "string"}, "n": {"type": "integer", "default": 3},
        "kind": {"enum": ["a", "b"]}, "r": {"$ref": "#/$defs/R"}}, "required": ["q"],
        "$defs": {"R": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}}});
    let rendered = strictly(Provider::OpenAi, schema);
    assert_eq!(rendered.strict, StrictVerdict::Possible);
    assert_eq!(rendered.json["strict"], true);
    assert_eq!(
        rendered.json["parameters"],
        json!({"type": "object", "properties": {
            "q": {"type": "string"}, "n": {"type": ["integer", "null"]},
            "kind": {"type": ["string", "null"], "enum": ["a", "b", null]}, "r": {"anyOf": [{"$ref": "#/$defs/R"}, {"type": "null"}]}},
            "required": ["q", "n", "kind", "r"],
            "$defs": {"R": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"],
                "additionalProperties": false}},
            "additionalProperties": false})
    );
}

#[test]
fn an_optional_key_of_strict_openai_allows_null_whatever_else_is_said() {
    let nothing = json!({"type": "null"});
    let union = json!([{"type": "string"}, {"type": "integer"}]);
    let rows = [
        json!({"type": "string", "const": "x"}),
        json!({"type": ["string", "integer"], "anyOf": union}),
        json!({"enum": ["x"], "anyOf": union}),
    ];
    for row in rows {
        let schema = json!({"type": "object", "properties": {"a": row}, "$defs": {"R": {"type": "string"}}});
        let rendered = strictly(Provider::OpenAi, schema);
        assert_eq!(rendered.strict, StrictVerdict::Possible, "{row}");
        assert_eq!(rendered.json["parameters"]["properties"]["a"], json!({"anyOf": [row, nothing]}));
    }
    let schema =
        json!({"type": "object", "properties": {"a": {"type": ["string", "integer"], "oneOf": union}}});
    assert_eq!(
        strictly(Provider::OpenAi, schema).json["parameters"]["properties"]["a"],
        json!({"anyOf": [{"type": ["string", "integer"], "anyOf": union}, nothing]})
    );
}

#[test]
fn losses_of_a_strict_schema_keep_their_details() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}}});
    let rendered = strictly(Provider::OpenAi, schema);
    let loss = rendered.losses.iter().find(|loss| loss.keyword == "uniqueItems").unwrap();
    assert_eq!((loss.fix, loss.before_excerpt.as_deref()), (Some("say it in the description"), Some("true")));
}

#[test]
fn where_strict_is_not_possible_the_schema_stays_and_says_why() {
    let rows = [
        (
            json!({"a": {"type": "object", "additionalProperties": {"type": "string"}}}),
            "/properties/a: keys that are not named are allowed",
        ),
        (json!({"a": {}}), "/properties/a: any value is allowed"),
        (json!({"a": {"type": "string", "not": {"const": ""}}}), "/properties/a: `not` is not taken"),
        (
            json!({"a": {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "null"}}}),
            "/properties/a: `prefixItems` is not taken",
        ),
        (
            json!({"a": {"anyOf": [{"type": "string"}], "oneOf": [{"type": "string"}]}}),
            "/properties/a: `oneOf` beside `anyOf` is not taken",
        ),
        (
            json!({"a": {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b", "z"]}}),
            "/properties/a: `required` names `z`, which is not a property",
        ),
        (
            json!({"a": {"type": "object", "properties": {"b": {"type": "string"}},
                "anyOf": [{"type": "object", "properties": {"c": {"type": "string"}}}]}}),
            "/properties/a: properties beside `anyOf` can't be closed",
        ),
    ];
    for (properties, reason) in rows {
        let schema = json!({"type": "object", "properties": properties});
        let rendered = strictly(Provider::OpenAi, schema.clone());
        assert_eq!(rendered.strict, StrictVerdict::Impossible(vec![reason.to_owned()]));
        assert_eq!((&rendered.json["strict"], &rendered.json["parameters"]), (&json!(false), &schema));
        assert_eq!(reasons(&rendered), ["warn strict"]);
    }
}

#[test]
fn strict_anthropic_takes_no_recursion_and_drops_bounds() {
    let recursive = json!({"type": "object", "properties": {"child": {"$ref": "#"}}});
    let rendered = strictly(Provider::Anthropic, recursive.clone());
    assert_eq!(rendered.strict, StrictVerdict::Impossible(vec!["a type is part of itself".to_owned()]));
    assert_eq!(strictly(Provider::OpenAi, recursive).strict, StrictVerdict::Possible);
    let bounds = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}});
    let rendered = strictly(Provider::Anthropic, bounds);
    assert_eq!(rendered.json["input_schema"]["properties"]["n"], json!({"type": "integer"}));
    assert_eq!(reasons(&rendered), ["info additionalProperties", "warn minimum"]);
}

#[test]
fn the_schema_itself_stands_in_the_description_where_that_is_asked_for() {
    let with = |hint_bytes: usize| {
        let options = ProviderOptions { hint: HintForm::Schema, hint_bytes, ..ProviderOptions::default() };
        render_tool(Provider::Anthropic, &tool(input(), Some(output())), "mcp__s__t", &options)
    };
    let whole = with(200);
    assert_eq!(whole.json["description"], format!("Does it\n\nReturns: {}", output()));
    assert_eq!(reasons(&whole), Vec::<String>::new());
    let short = with(64);
    assert_eq!(short.json["description"], "Does it\n\nReturns: { /** integer */ n: number; }");
    assert_eq!(reasons(&short), ["info budget"]);
}

#[test]
fn a_shape_that_is_too_long_is_shortened_by_structure() {
    let mut properties = serde_json::Map::new();
    for at in 0..40 {
        properties.insert(
            format!("field_{at:02}"),
            json!({"type": "object", "description": "Something to know about it, at some length",
                "properties": {"left": {"type": "integer", "minimum": 0}, "right": {"type": "array", "items": {"type": "string"}}}}),
        );
    }
    let tool = tool(input(), Some(json!({"type": "object", "properties": properties})));
    let rows = [
        (32_000, HintStep::Full),
        (5_000, HintStep::NoDescriptions),
        (2_900, HintStep::NoTags),
        (1_024, HintStep::Repeated),
        (256, HintStep::Keys),
        (64, HintStep::Keys),
    ];
    for (bytes, expected) in rows {
        let options = ProviderOptions { hint_bytes: bytes, ..ProviderOptions::default() };
        let rendered = render_tool(Provider::Anthropic, &tool, "mcp__s__t", &options);
        let description = rendered.json["description"].as_str().unwrap();
        let hint = description.strip_prefix("Does it\n\n").unwrap();
        assert!(hint.len() <= bytes, "{} of {bytes}: {hint}", hint.len());
        let OutputForm::Hint { step, bytes: found, whole_bytes } = rendered.output else { panic!("{hint}") };
        assert_eq!((step, found), (expected, hint.len()), "{bytes}: {hint}");
        assert!(whole_bytes >= found && (whole_bytes == found) == (expected == HintStep::Full));
        let lost =
            rendered.losses.iter().any(|loss| loss.keyword == "budget" && loss.severity >= Severity::Info);
        assert_eq!(lost, expected != HintStep::Full);
    }
}

#[test]
fn the_form_of_results_decides_which_schema_is_sent() {
    let wrapped = json!({"type": "object", "properties": {"result": {"type": "array", "items": {"$ref": "#/$defs/R"}}},
        "required": ["result"], "x-fastmcp-wrap-result": true, "$defs": {"R": {"type": "string"}}});
    let tool = tool(input(), Some(wrapped.clone()));
    assert_eq!(render(Provider::OpenAi, &tool).json["output_schema"], wrapped);
    let options = ProviderOptions { results: ResultForm::Unwrapped, ..ProviderOptions::default() };
    let unwrapped = render_tool(Provider::OpenAi, &tool, "mcp__s__t", &options);
    assert_eq!(
        unwrapped.json["output_schema"],
        json!({"type": "array", "items": {"$ref": "#/$defs/R"}, "$defs": {"R": {"type": "string"}}})
    );
    let hinted = render_tool(Provider::Anthropic, &tool, "mcp__s__t", &options);
    assert_eq!(hinted.json["description"], "Does it\n\nReturns: Array<string>");
}

#[test]
fn hidden_characters_and_endless_texts_do_not_reach_a_model() {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "string", "description": "x\u{202e}y"}}});
    let mut tool = tool(schema, None);
    tool.description = Some("é".repeat(5_000) + "\u{e0041}");
    let rendered = render(Provider::Anthropic, &tool);
    let description = rendered.json["description"].as_str().unwrap();
    assert!(description.len() <= 4_096 && description.ends_with('…'));
    assert_eq!(rendered.json["input_schema"]["properties"]["a"]["description"], "xy");
    assert_eq!(reasons(&rendered), ["warn description", "info description", "info description"]);
}
