//! What can be found in the declarations alone.

use mortise_contract::Contract;
use mortise_contract::contract::IssueCode;
use serde_json::Value;

use super::{Check, Finding, Rule};

/// Longest name that every provider takes.
const NAME: usize = 64;
/// Longest description that every client keeps.
const DESCRIPTION: usize = 2_048;

/// Looks at every tool of the list.
pub(super) fn look(check: &mut Check<'_>) {
    let catalog = check.upstream.catalog();
    check.plan.say("looking at the declarations");
    if let Some(reason) = &catalog.stale {
        check.report.findings.add(Finding::new(Rule::ProtocolFault, None, reason).key("tools/list"));
    }
    for rejected in &catalog.rejected {
        let message = format!("element {} of the tool list: {}", rejected.position, rejected.reason);
        let finding = Finding::new(Rule::RejectedTool, rejected.name.as_deref(), message);
        check.report.findings.add(finding.key(rejected.position.to_string()).evidence(rejected.raw.text()));
    }
    for contract in &catalog.contracts {
        if check.plan.includes(contract.name.as_str()) {
            tool(check, contract);
        }
    }
}

fn tool(check: &mut Check<'_>, contract: &Contract) {
    let name = contract.name.as_str();
    for issue in &contract.issues {
        // Told below, with why it can't be used.
        if matches!(issue.code, IssueCode::InputSchemaShape | IssueCode::OutputSchemaShape) {
            continue;
        }
        let message = format!("{}: {}", issue.pointer, issue.message);
        let finding = Finding::new(Rule::OddDeclaration, Some(name), message).key(issue.code.as_str());
        check.report.findings.add(finding);
    }
    let input = contract.compiled_input(&check.options, &check.schemas);
    if let Some(Err(error)) = input {
        let message = format!("inputSchema: {error}");
        check.report.findings.add(Finding::new(Rule::SchemaUnusable, Some(name), message).key("input"));
    }
    match contract.compiled_output(&check.options, &check.schemas) {
        None => {
            let message = "the tool has no outputSchema";
            check.report.findings.add(Finding::new(Rule::NoOutputSchema, Some(name), message));
        }
        Some(Err(error)) => {
            let message = format!("outputSchema: {error}");
            check.report.findings.add(Finding::new(Rule::SchemaUnusable, Some(name), message).key("output"));
        }
        Some(Ok(_)) => {
            if let Some(why) = contract.output_schema().and_then(looseness) {
                let message = format!("outputSchema: {why}");
                check.report.findings.add(Finding::new(Rule::LooseSchema, Some(name), message));
            }
        }
    }
    for problem in unportable(contract) {
        check.report.findings.add(Finding::new(Rule::Portability, Some(name), problem).key(problem));
    }
}

/// Why a schema says too little to be of use.
fn looseness(schema: &Value) -> Option<&'static str> {
    let members = schema.as_object()?;
    const SAYING: [&str; 10] = [
        "$ref",
        "anyOf",
        "oneOf",
        "allOf",
        "enum",
        "const",
        "items",
        "prefixItems",
        "additionalProperties",
        "patternProperties",
    ];
    if SAYING.iter().any(|keyword| members.get(*keyword).is_some_and(|value| !value.is_boolean())) {
        return None;
    }
    let properties = members.get("properties").and_then(Value::as_object);
    match (members.get("type").and_then(Value::as_str), properties) {
        (Some("object"), None) => Some("it accepts any object"),
        (Some("object"), Some(properties)) if properties.is_empty() => Some("it accepts any object"),
        (Some("array"), _) => Some("it accepts any array"),
        (None, None) => Some("it accepts anything"),
        (_, Some(properties)) if properties.values().all(says_nothing) => {
            Some("none of its properties has a type")
        }
        _ => None,
    }
}

fn says_nothing(schema: &Value) -> bool {
    const SAYING: [&str; 7] = ["type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"];
    schema.as_object().is_none_or(|members| !SAYING.iter().any(|keyword| members.contains_key(*keyword)))
}

fn unportable(contract: &Contract) -> Vec<&'static str> {
    let mut problems = Vec::new();
    let name = contract.name.as_str();
    if name.len() > NAME {
        problems.push("the name has more than 64 characters");
    }
    if !name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')) {
        problems.push("the name has characters other than letters, digits, _ and -");
    }
    if contract.description().is_some_and(|description| description.len() > DESCRIPTION) {
        problems.push("the description has more than 2,048 bytes, which some clients cut");
    }
    let input = contract.input_schema().and_then(Value::as_object);
    if input.is_some_and(|input| ["anyOf", "oneOf", "allOf"].iter().any(|word| input.contains_key(*word))) {
        problems.push("the input schema has anyOf, oneOf or allOf at its root, which some providers refuse");
    }
    problems
}
