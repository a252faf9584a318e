//! Tool lists in the manner of many servers, declared for everyone.

use std::collections::BTreeMap;

use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};
use mortise_contract::{Contract, NameMap, RawJson, ServerName};
use mortise_declare::{
    HintForm, LintVerdict, OutputForm, Provider, ProviderOptions, PythonOptions, ResultForm, StrictRequest,
    StrictVerdict, ToolDefinition, TypeScriptForm, TypeScriptOptions, keyword_signature, lint,
    provider_names, python_declarations, render_tools, typescript_declarations, typescript_signature,
};
use serde_json::Value;

fn tools() -> Vec<ToolDefinition> {
    let servers: BTreeMap<String, Vec<Value>> =
        serde_json::from_str(include_str!("../cases/toollists.json")).unwrap();
    let of_server = |(server, tools): (String, Vec<Value>)| {
        let server = ServerName::parse(&server).unwrap();
        let tool = move |tool: Value| {
            let contract = Contract::parse(RawJson::parse(&tool.to_string()).unwrap()).unwrap();
            ToolDefinition::of(&server, &contract)
        };
        tools.into_iter().map(tool)
    };
    servers.into_iter().flat_map(of_server).collect()
}

fn names(tools: &[ToolDefinition]) -> NameMap {
    NameMap::new(tools.iter().map(|tool| (&tool.server, &tool.tool)))
}

/// The limits of each provider, written down by hand.
fn provider_limits(provider: Provider) -> CompiledSchema {
    let limits: Value = serde_json::from_str(include_str!("../cases/providers.json")).unwrap();
    CompiledSchema::compile(&limits[provider.as_str()], &SchemaOptions::default()).unwrap()
}

fn options() -> Vec<ProviderOptions> {
    let mut all = Vec::new();
    for strict in [StrictRequest::Off, StrictRequest::WherePossible] {
        for (hint, hint_bytes) in [(HintForm::Type, 64), (HintForm::Type, 4_096), (HintForm::Schema, 1_024)] {
            for results in [ResultForm::AsSent, ResultForm::Unwrapped] {
                all.push(ProviderOptions { hint, hint_bytes, results, strict, ..ProviderOptions::default() });
            }
        }
    }
    all
}

#[test]
fn every_tool_is_within_the_limits_of_every_provider() {
    let tools = tools();
    assert!(tools.len() > 20);
    for provider in Provider::ALL {
        let limits = provider_limits(provider);
        for options in options() {
            let rendered = render_tools(provider, &tools, &provider_names(&tools), &options);
            assert_eq!(rendered.tools.len(), tools.len());
            for tool in &rendered.tools {
                let verdict = limits.validate(&tool.json);
                assert_eq!(verdict, Validation::Valid, "{} {}", provider.as_str(), tool.json);
                assert_eq!(rendered.names.target(&tool.name), Some((&tool.server, &tool.tool)));
            }
        }
    }
}

#[test]
fn no_provider_loses_the_output_shape() {
    let tools = tools();
    for provider in Provider::ALL {
        for tool in render_tools(provider, &tools, &provider_names(&tools), &ProviderOptions::default()).tools
        {
            let declared =
                tools.iter().find(|known| (&known.server, &known.tool) == (&tool.server, &tool.tool));
            let text = tool.json.to_string();
            match (declared.unwrap().output_schema.is_some(), tool.output) {
                (false, OutputForm::None) => assert!(!text.contains("Returns: "), "{text}"),
                (true, OutputForm::Native { .. }) => {
                    assert!(text.contains("output_schema") || text.contains("responseJsonSchema"), "{text}");
                }
                (true, OutputForm::Hint { bytes, .. }) => {
                    assert!(text.contains("Returns: ") && bytes <= 4_096, "{text}");
                }
                other => panic!("{other:?}: {text}"),
            }
        }
    }
}

#[test]
fn strict_is_granted_or_refused_with_a_reason() {
    let tools = tools();
    let options = ProviderOptions { strict: StrictRequest::WherePossible, ..ProviderOptions::default() };
    for provider in Provider::ALL {
        for tool in render_tools(provider, &tools, &provider_names(&tools), &options).tools {
            let said = tool.json.pointer("/strict").or(tool.json.pointer("/function/strict"));
            let said = said.or(tool.json.pointer("/toolSpec/strict")).and_then(Value::as_bool);
            match &tool.strict {
                StrictVerdict::Unknown => assert_eq!(said, None, "{}", tool.json),
                StrictVerdict::Possible => assert_eq!(said, Some(true), "{}", tool.json),
                StrictVerdict::Impossible(reasons) => {
                    assert_eq!((said, reasons.is_empty()), (Some(false), false), "{}", tool.json);
                }
            }
        }
    }
}

#[test]
fn every_tool_has_declarations_in_both_languages() {
    let tools = tools();
    let names = names(&tools);
    let typescript = typescript_declarations(&tools, &names, &TypeScriptOptions::default()).text;
    let module = TypeScriptOptions {
        form: TypeScriptForm::Module,
        results: ResultForm::AsSent,
        index_signatures: true,
        ..TypeScriptOptions::default()
    };
    let module = typescript_declarations(&tools, &names, &module).text;
    let python = python_declarations(&tools, &names, &PythonOptions::default()).text;
    let extra = PythonOptions { extra_items: true, ..PythonOptions::default() };
    let extra = python_declarations(&tools, &names, &extra).text;
    for (_, _, callable) in names.iter() {
        assert!(typescript.contains(&format!("  {callable}(args")), "{callable}");
        assert!(module.contains(&format!("  {callable}(args")), "{callable}");
        assert!(python.contains(&format!("async def {callable}(")), "{callable}");
        assert!(extra.contains(&format!("async def {callable}(")), "{callable}");
    }
    insta::assert_snapshot!("corpus_typescript", typescript);
    insta::assert_snapshot!("corpus_python", python);
}

#[test]
fn signatures_of_all_tools() {
    let tools = tools();
    let names = names(&tools);
    let mut lines = String::new();
    for tool in &tools {
        let callable = names.callable(&tool.server, &tool.tool).unwrap().as_str();
        let typescript = typescript_signature(tool, callable, 400);
        assert!(typescript.len() <= 400 + callable.len(), "{typescript}");
        lines.push_str(&format!("{}\n", keyword_signature(tool, callable, 400)));
    }
    insta::assert_snapshot!("corpus_signatures", lines);
}

#[test]
fn ordinary_tools_are_not_flagged_and_findings_come_with_advice() {
    let tools = tools();
    let findings = lint(&tools, &Provider::ALL, &provider_names(&tools), &ProviderOptions::default());
    for finding in &findings {
        assert_ne!(finding.verdict, LintVerdict::Flagged, "{finding:?}");
        assert!(finding.loss.fix.is_some(), "{finding:?}");
    }
    assert!(findings.iter().any(|finding| finding.verdict == LintVerdict::Refused));
}
