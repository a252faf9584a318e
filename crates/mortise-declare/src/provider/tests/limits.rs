//! Limits of providers: of one tool, and of all tools of a request.

use mortise_contract::ToolName;
use serde_json::{Map, Value, json};

use super::{
    OutputForm, Provider, ProviderOptions, ProviderTool, StrictRequest, StrictVerdict, input, output,
    provider_names, reasons, render, render_tools, tool,
};
use crate::provider::ProviderTools;
use crate::{LintSubject, LintVerdict, Severity, ToolDefinition, lint};

fn tools(count: usize, input: &Value) -> Vec<ToolDefinition> {
    let named = |at: usize| ToolDefinition {
        tool: ToolName::parse(&format!("t{at:03}")).unwrap(),
        ..tool(input.clone(), None)
    };
    (0..count).map(named).collect()
}

fn strict() -> ProviderOptions {
    ProviderOptions { strict: StrictRequest::WherePossible, ..ProviderOptions::default() }
}

fn rendered(provider: Provider, tools: &[ToolDefinition], options: &ProviderOptions) -> ProviderTools {
    render_tools(provider, tools, &provider_names(tools), options)
}

fn described(characters: usize) -> ProviderTool {
    let mut tool = tool(input(), Some(output()));
    tool.description = Some("é".repeat(characters));
    render(Provider::AzureOpenAi, &tool)
}

fn description(rendered: &ProviderTool) -> &str {
    rendered.json["function"]["description"].as_str().unwrap()
}

#[test]
fn a_hint_never_pushes_a_description_over_the_limit() {
    let hint = "\n\nReturns: { /** integer */ n: number; }";
    let whole = described(1_024 - hint.len());
    assert!(description(&whole).ends_with(hint));
    assert_eq!(reasons(&whole), Vec::<String>::new());
    let shorter = described(1_024 - hint.len() + 1);
    assert!(description(&shorter).ends_with("Returns: { n: number; }"), "{}", description(&shorter));
    assert_eq!(
        (reasons(&shorter), shorter.losses[0].rule),
        (vec!["info budget".to_owned()], Some("azure-openai.description"))
    );
    let without = described(1_020);
    assert_eq!(description(&without), "é".repeat(1_020));
    assert_eq!((without.output, reasons(&without)), (OutputForm::None, vec!["warn budget".to_owned()]));
    for characters in 0..1_100 {
        let rendered = described(characters);
        assert!(description(&rendered).chars().count() <= 1_024, "{characters}");
    }
}

#[test]
fn a_description_over_the_limit_is_refused_and_cut() {
    let long = described(1_025);
    assert_eq!(description(&long).chars().count(), 1_024);
    assert!(description(&long).ends_with('…'));
    assert_eq!(
        (long.losses[0].severity, long.losses[0].rule),
        (Severity::Error, Some("azure-openai.description"))
    );
}

#[test]
fn a_request_takes_so_many_tools() {
    let all = tools(129, &input());
    for (provider, is_refused) in [
        (Provider::OpenAi, true),
        (Provider::OpenAiChat, true),
        (Provider::AzureOpenAi, true),
        (Provider::Anthropic, false),
        (Provider::Gemini, false),
    ] {
        let rendered = rendered(provider, &all, &ProviderOptions::default());
        assert_eq!(rendered.tools.len(), 129);
        let beyond: Vec<_> = rendered.request_losses.iter().flat_map(|loss| &loss.tools).collect();
        assert_eq!(beyond, [&"mcp__s__t128".to_owned()][..usize::from(is_refused)], "{}", provider.as_str());
    }
    assert_eq!(rendered(Provider::OpenAi, &all[1..], &ProviderOptions::default()).request_losses, []);
    let many = tools(513, &input());
    assert_eq!(rendered(Provider::Gemini, &many, &ProviderOptions::default()).request_losses.len(), 1);
}

#[test]
fn of_more_than_twenty_strict_tools_the_others_are_not_strict() {
    let all = tools(22, &input());
    for provider in [Provider::Anthropic, Provider::Bedrock] {
        let rendered = rendered(provider, &all, &strict());
        let is_strict = |tool: &ProviderTool| tool.json.to_string().contains("\"strict\":true");
        assert_eq!(rendered.tools.iter().filter(|tool| is_strict(tool)).count(), 20);
        let [loss] = rendered.request_losses.as_slice() else { panic!("{:?}", rendered.request_losses) };
        assert_eq!(loss.tools, ["mcp__s__t020", "mcp__s__t021"]);
        assert_eq!(loss.loss.rule, Some("anthropic.strict.tools"));
        let reason = "a request takes 20 strict tools".to_owned();
        assert_eq!(rendered.tools[20].strict, StrictVerdict::Impossible(vec![reason]));
        assert!(rendered.tools[20].json.to_string().contains("\"strict\":false"));
    }
    assert_eq!(rendered(Provider::Anthropic, &all, &ProviderOptions::default()).request_losses, []);
    assert_eq!(rendered(Provider::OpenAi, &all, &strict()).request_losses, []);
}

#[test]
fn strict_tools_have_so_many_optional_parameters_and_unions_together() {
    let object = |optional: usize, property: &Value| {
        let properties: Map<String, Value> =
            (0..optional).map(|at| (format!("p{at}"), property.clone())).collect();
        json!({"type": "object", "properties": {"inner": {"type": "object", "properties": properties, "required": []}},
            "required": ["inner"]})
    };
    let optional =
        rendered(Provider::Anthropic, &tools(4, &object(8, &json!({"type": "string"}))), &strict());
    let [loss] = optional.request_losses.as_slice() else { panic!("{:?}", optional.request_losses) };
    assert_eq!(
        (loss.tools.as_slice(), loss.loss.rule),
        (&["mcp__s__t003".to_owned()][..], Some("anthropic.strict.optional"))
    );
    assert!(loss.loss.reason.starts_with("32 optional parameters"), "{}", loss.loss.reason);
    let union = json!({"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "required": ["a"]});
    let unions = rendered(Provider::Anthropic, &tools(17, &union), &strict());
    let [loss] = unions.request_losses.as_slice() else { panic!("{:?}", unions.request_losses) };
    assert_eq!(
        (loss.tools.as_slice(), loss.loss.rule),
        (&["mcp__s__t016".to_owned()][..], Some("anthropic.strict.unions"))
    );
}

#[test]
fn lint_names_the_tools_that_are_too_much_first() {
    let all = tools(130, &input());
    let findings = lint(&all, &Provider::ALL, &provider_names(&all), &ProviderOptions::default());
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    let names = ["mcp__s__t128".to_owned(), "mcp__s__t129".to_owned()];
    assert_eq!(finding.subject, LintSubject::Request(names.to_vec()));
    assert_eq!((finding.verdict, finding.rules.as_slice()), (LintVerdict::Refused, &["openai.tools"][..]));
    assert_eq!(finding.providers, [Provider::OpenAi, Provider::OpenAiChat, Provider::AzureOpenAi]);
}
