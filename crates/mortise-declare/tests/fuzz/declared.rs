//! The laws of declarations.

use std::collections::BTreeSet;

use mortise_contract::json::canonical_text;
use mortise_contract::unwrap::ShapeRule;
use mortise_contract::{NameMap, ServerName, ToolName};
use mortise_declare::{
    HintForm, OutputForm, Provider, ProviderOptions, PythonOptions, StrictRequest, ToolDefinition,
    TypeScriptForm, TypeScriptOptions, keyword_signature, lint, provider_names, python_declarations,
    render_tools, typescript_declarations, typescript_signature, typescript_type, without_added_nulls,
};
use mortise_testkit::fuzz_law;
use mortise_testkit::schemas::{schema, value};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::lexed;

const HIDDEN: char = '\u{202e}';

fn failed(error: impl ToString) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

fn definition(name: &str, description: &str, schema: &Value) -> Result<ToolDefinition, TestCaseError> {
    Ok(ToolDefinition {
        server: ServerName::parse("s").map_err(failed)?,
        tool: ToolName::parse(name).map_err(failed)?,
        description: Some(description.to_owned()),
        input_schema: schema.clone(),
        declares_input_schema: true,
        rounded_numbers: Vec::new(),
        output_schema: Some(schema.clone()),
        unreadable_output: None,
        forward_output_schema: true,
        shape_rule: ShapeRule::default(),
        is_projected: false,
    })
}

fn names(tools: &[ToolDefinition]) -> NameMap {
    NameMap::new(tools.iter().map(|tool| (&tool.server, &tool.tool)))
}

/// Every schema can be declared to everyone, within bounds, and the order of its keys makes no difference to types.
#[test]
fn declarations() {
    const DESCRIPTION: &str = "*/ \"\"\" ``` \u{202e}";
    fuzz_law(&(schema(), value()), |(schema, value)| {
        let tools = [definition("t", DESCRIPTION, &schema)?];
        let names = names(&tools);
        let sorted: Value = serde_json::from_str(&canonical_text(&schema)).map_err(failed)?;
        let sorted = [definition("t", DESCRIPTION, &sorted)?];
        let typescript = typescript_declarations(&tools, &names, &TypeScriptOptions::default());
        let again = typescript_declarations(&sorted, &names, &TypeScriptOptions::default());
        prop_assert_eq!(&typescript.text, &again.text);
        let python = python_declarations(&tools, &names, &PythonOptions::default());
        let again = python_declarations(&sorted, &names, &PythonOptions::default());
        prop_assert_eq!(&python.text, &again.text);
        check_typescript(&typescript.text)?;
        check_python(&python.text)?;
        for (hint_bytes, strict) in [(64, StrictRequest::Off), (1_024, StrictRequest::WherePossible)] {
            for hint in [HintForm::Type, HintForm::Schema] {
                let options = ProviderOptions { hint, hint_bytes, strict, ..ProviderOptions::default() };
                for provider in Provider::ALL {
                    let rendered = render_tools(provider, &tools, &provider_names(&tools), &options);
                    prop_assert_eq!(rendered.tools.len(), 1);
                    prop_assert!(!rendered.to_json().to_string().contains(HIDDEN));
                    if let OutputForm::Hint { bytes, whole_bytes, .. } = rendered.tools[0].output {
                        prop_assert!(bytes <= hint_bytes && bytes <= whole_bytes.max(64));
                    }
                }
            }
        }
        lint(&tools, &Provider::ALL, &provider_names(&tools), &ProviderOptions::default());
        without_added_nulls(&schema, value);
        Ok(())
    });
}

/// A type fits its bytes, or is `unknown`, and is a type.
#[test]
fn types_within_bytes() {
    fuzz_law(&(schema(), 1usize..2_000), |(schema, bytes)| {
        let tool = definition("t", "", &schema)?;
        let kind = typescript_type(&schema, bytes);
        prop_assert!(kind.len() <= bytes.max("unknown".len()), "{} of {}: {}", kind.len(), bytes, kind);
        check_typescript(&format!("type T = {kind};\n"))?;
        let signature = typescript_signature(&tool, "f", bytes);
        prop_assert!(signature.len() <= bytes.max(80) + 1, "{}", signature);
        check_typescript(&format!("declare const f: {signature};\n"))?;
        prop_assert!(keyword_signature(&tool, "f", bytes).len() <= bytes.max(64) + 1);
        Ok(())
    });
}

/// Texts that try to become code.
fn hostile() -> impl Strategy<Value = String> + Clone {
    const PIECES: [&str; 26] = [
        "*/",
        "/*",
        "*//*",
        "*",
        "/",
        "\"",
        "\"\"\"",
        "'''",
        "\\",
        "\n",
        "\r",
        "\u{2028}",
        "\u{2029}",
        "\u{85}",
        "\u{c}",
        "`",
        "```",
        "${x}",
        "}; import x",
        "#",
        "//",
        "\u{202e}",
        "\u{e0041}",
        "\0",
        "a",
        "é",
    ];
    prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..6).prop_map(|pieces| pieces.concat())
}

fn hostile_schema() -> impl Strategy<Value = Value> {
    let leaf = (hostile(), hostile(), hostile()).prop_map(|(description, value, default)| {
        json!({"description": description, "enum": [value, 1], "default": default, "pattern": description})
    });
    leaf.prop_recursive(3, 12, 3, |inner| {
        let members = prop::collection::vec((hostile(), inner.clone()), 1..4);
        prop_oneof![
            (members.clone(), hostile(), hostile()).prop_map(|(members, title, description)| {
                let required: Vec<String> = members.iter().step_by(2).map(|(key, _)| key.clone()).collect();
                let properties: Map<String, Value> = members.into_iter().collect();
                json!({"type": "object", "title": title, "description": description, "properties": properties,
                    "required": required, "patternProperties": {description: true}})
            }),
            (members, hostile()).prop_map(|(members, key)| {
                let pointer = key.replace('~', "~0").replace('/', "~1").replace('%', "%25");
                let kinds: Vec<Value> = members.into_iter().map(|(_, kind)| kind).collect();
                json!({"$defs": {key: {"anyOf": kinds}}, "$ref": format!("#/$defs/{pointer}"), "const": {pointer: "x"}})
            }),
            inner.prop_map(|items| json!({"type": "array", "items": items, "not": {"const": "*/"}})),
        ]
    })
}

/// No text of a server becomes code, whatever it is made of.
#[test]
fn hostile_texts() {
    fuzz_law(&(hostile(), hostile_schema(), any::<bool>()), |(description, schema, is_module)| {
        let tools = [definition("t", &description, &schema)?];
        let names = names(&tools);
        let form = if is_module { TypeScriptForm::Module } else { TypeScriptForm::Ambient };
        let options = TypeScriptOptions { form, ..TypeScriptOptions::default() };
        check_typescript(&typescript_declarations(&tools, &names, &options).text)?;
        let options = PythonOptions { extra_items: is_module, ..PythonOptions::default() };
        check_python(&python_declarations(&tools, &names, &options).text)?;
        for bytes in [64, 256, 4_096] {
            check_typescript(&format!("type T = {};\n", typescript_type(&schema, bytes)))?;
        }
        tools[0].flags();
        Ok(())
    });
}

/// Only what we write ourselves is code, and every statement is one of ours.
fn check_typescript(text: &str) -> Result<(), TestCaseError> {
    prop_assert!(!text.contains(['\u{2028}', '\u{2029}', HIDDEN, '\r', '\0']), "{:?}", text);
    prop_assert!(!text.contains("```"), "{}", text);
    let code = lexed::typescript(text).map_err(|error| failed(format!("{error}\n{text}")))?;
    let is_ours = |character: char| {
        character.is_ascii_alphanumeric() || " \n_$\"{}[]()<>:;,.|&?=-+…".contains(character)
    };
    prop_assert!(code.chars().all(is_ours), "{}\n{}", code, text);
    let statements = top_level(&code, ";").map_err(|error| failed(format!("{error}\n{text}")))?;
    for statement in statements {
        let starts =
            ["type ", "export type ", "export interface Tools", "declare const ", "export declare const "];
        prop_assert!(starts.iter().any(|start| statement.starts_with(start)), "{}\n{}", statement, text);
    }
    Ok(())
}

fn check_python(text: &str) -> Result<(), TestCaseError> {
    prop_assert!(!text.contains(['\u{2028}', HIDDEN, '\r', '\0', '\u{c}']), "{:?}", text);
    let code = lexed::python(text).map_err(|error| failed(format!("{error}\n{text}")))?;
    let is_ours =
        |character: char| character.is_alphanumeric() || " \n_\"{}[]():;,.|*=->".contains(character);
    prop_assert!(code.chars().all(is_ours), "{}\n{}", code, text);
    top_level(&code, "").map_err(|error| failed(format!("{error}\n{text}")))?;
    for line in code.lines().filter(|line| !line.is_empty() && !line.starts_with([' ', '"', '}'])) {
        let starts = ["from typing", "class ", "type ", "async def "];
        let is_ours =
            starts.iter().any(|start| line.starts_with(start)) || line.contains(" = TypedDict(\"\", {");
        prop_assert!(is_ours, "{}\n{}", line, text);
    }
    Ok(())
}

/// The parts of a text outside of all brackets, at `end` or where an interface closes; an error if brackets do not match.
fn top_level(code: &str, end: &str) -> Result<Vec<String>, String> {
    let mut open = Vec::new();
    let mut parts = vec![String::new()];
    let mut previous = ' ';
    for character in code.chars() {
        match character {
            '{' | '[' | '(' | '<' => open.push(character),
            '>' if previous == '-' => {}
            '}' | ']' | ')' | '>' => {
                let matching = match character {
                    '}' => '{',
                    ']' => '[',
                    ')' => '(',
                    _ => '<',
                };
                if open.pop() != Some(matching) {
                    return Err(format!("`{character}` closes nothing"));
                }
            }
            _ => {}
        }
        let is_end = !end.is_empty() && open.is_empty() && end.contains(character);
        let is_interface = character == '}'
            && open.is_empty()
            && parts.last().is_some_and(|part| part.trim_start().starts_with("export interface"));
        if let Some(part) = parts.last_mut().filter(|_| !is_end) {
            part.push(character);
        }
        if is_end || is_interface {
            parts.push(String::new());
        }
        previous = character;
    }
    if !open.is_empty() {
        return Err("a bracket does not close".to_owned());
    }
    Ok(parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect())
}

fn tool_name() -> impl Strategy<Value = String> + Clone {
    let piece =
        prop::sample::select(vec!["a", "A", "b", "_", "-", ".", " ", "é", "а", "1", "__", "\u{200b}"]);
    prop_oneof![
        8 => prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat()),
        1 => (40usize..200).prop_map(|length| "n".repeat(length)),
        1 => (40usize..200).prop_map(|length| "n.".repeat(length)),
    ]
}

/// Names are unique for every reader and lead back, and a tool that is added changes only names that it looks like.
#[test]
fn names_lead_back() {
    let server = prop::sample::select(vec!["s", "s_", "S", "a.b", "a:b", "a_b", "1"]);
    let entry = (server, tool_name());
    fuzz_law(&(prop::collection::btree_set(entry.clone(), 1..12), entry), |(entries, added)| {
        let tool = |(server, tool): &(&str, String)| {
            let mut tool = definition(tool, "", &json!({"type": "object"}))?;
            tool.server = ServerName::parse(server).map_err(failed)?;
            Ok::<_, TestCaseError>(tool)
        };
        let tools = entries.iter().map(tool).collect::<Result<Vec<_>, _>>()?;
        for provider in [Provider::OpenAi, Provider::Gemini] {
            let rendered =
                render_tools(provider, &tools, &provider_names(&tools), &ProviderOptions::default());
            let unique: BTreeSet<&str> = rendered.tools.iter().map(|tool| tool.name.as_str()).collect();
            prop_assert_eq!(unique.len(), tools.len());
            for tool in &rendered.tools {
                let is_plain = |character: char| character.is_ascii_alphanumeric() || character == '_';
                prop_assert!(tool.name.len() <= 64 && tool.name.chars().all(is_plain), "{}", tool.name);
                prop_assert_eq!(rendered.names.target(&tool.name), Some((&tool.server, &tool.tool)));
            }
        }
        let before = names(&tools);
        let unique: BTreeSet<&str> = before.iter().map(|(_, _, callable)| callable.as_str()).collect();
        prop_assert_eq!(unique.len(), tools.len());
        let mut more = tools.clone();
        more.push(tool(&added)?);
        let after = names(&more);
        for tool in &tools {
            let old = before.callable(&tool.server, &tool.tool);
            let new = after.callable(&tool.server, &tool.tool);
            let is_renamed = after.renamed().iter().any(|renamed| Some(&renamed.callable) == new);
            prop_assert!(old == new || is_renamed, "{:?} became {:?}", old, new);
        }
        Ok(())
    });
}
