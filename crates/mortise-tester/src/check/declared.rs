//! What can be found in the declarations alone.

use mortise_contract::Contract;
use mortise_contract::contract::IssueCode;
use mortise_contract::json::duplicate_keys;
use mortise_declare::{
    LintFinding, LintVerdict, Provider, ProviderOptions, SchemaSide, ToolDefinition, lint, provider_names,
};
use serde_json::Value;

use super::{Check, CheckFinding, CheckRule, FindingEvidence, FindingSeverity, listed, readable};

/// Looks at every tool of the list.
pub(super) fn look(check: &mut Check<'_>) {
    let catalog = check.upstream.catalog();
    check.plan.say("looking at the declarations");
    if let Some(reason) = &catalog.stale {
        let evidence = FindingEvidence {
            request: "tools/list".to_owned(),
            response: reason.clone(),
            ..FindingEvidence::default()
        };
        let finding =
            CheckFinding::new(CheckRule::ProtocolFault, None, format!("the tools can't be listed: {reason}"));
        check.found(finding.key("tools/list").evidence(evidence));
    }
    for rejected in &catalog.rejected {
        let message = format!("element {} of the tool list: {}", rejected.position, rejected.reason);
        let finding = CheckFinding::new(CheckRule::RejectedTool, rejected.name.as_deref(), message);
        let evidence = FindingEvidence {
            request: "tools/list".to_owned(),
            response: rejected.raw.text().to_owned(),
            pointer: format!("/tools/{}", rejected.position),
        };
        check.found(finding.key(rejected.position.to_string()).evidence(evidence));
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
        // Reported below, with the reason why it can't be used.
        if matches!(issue.code, IssueCode::InputSchemaShape | IssueCode::OutputSchemaShape) {
            continue;
        }
        let message = format!("{}: {}", issue.pointer, issue.message);
        let key = format!("{} {}", issue.code.as_str(), issue.pointer);
        let evidence = FindingEvidence::of_declaration(contract, &issue.pointer);
        check.found(
            CheckFinding::new(CheckRule::OddDeclaration, Some(name), message).key(key).evidence(evidence),
        );
    }
    for duplicate in duplicate_keys(contract.raw.text()) {
        let message = format!("in the declaration: `{}`", duplicate.key);
        let key = format!("declaration {} {}", duplicate.pointer, duplicate.key);
        // Not the value at the place: of the two it would show only one.
        let response = contract.raw.text().to_owned();
        let evidence =
            FindingEvidence { request: "tools/list".to_owned(), response, pointer: duplicate.pointer };
        check.found(
            CheckFinding::new(CheckRule::DuplicateKey, Some(name), message).key(key).evidence(evidence),
        );
    }
    if let Some(facts) = check.upstream.facts() {
        let version = &facts.protocol_version;
        for problem in readable::problems(contract, facts.era) {
            let place = &problem.instance_path;
            let at = if place.is_empty() { "the tool" } else { place };
            let message = format!("at {at}: {}; clients of {version} refuse the whole list", problem.message);
            let evidence = FindingEvidence::of_declaration(contract, place);
            check.found(
                CheckFinding::new(CheckRule::UnreadableList, Some(name), message)
                    .key(place)
                    .evidence(evidence),
            );
        }
    }
    let unusable_input = contract.compiled_input(&check.options, &check.schemas).and_then(Result::err);
    let unusable_output = contract.compiled_output(&check.options, &check.schemas).map(Result::err);
    let mut add = |rule: CheckRule, key: &str, pointer: &str, message: String| {
        let evidence = FindingEvidence::of_declaration(contract, pointer);
        check.found(CheckFinding::new(rule, Some(name), message).key(key).evidence(evidence));
    };
    if let Some(error) = unusable_input {
        add(CheckRule::SchemaUnusable, "input", "/inputSchema", format!("inputSchema: {error}"));
    }
    match unusable_output {
        None => add(CheckRule::NoOutputSchema, "", "", "the tool has no outputSchema".to_owned()),
        Some(Some(error)) => {
            add(CheckRule::SchemaUnusable, "output", "/outputSchema", format!("outputSchema: {error}"));
        }
        Some(None) => {
            if let Some(why) = contract.output_schema().and_then(looseness) {
                add(CheckRule::LooseSchema, "", "/outputSchema", format!("outputSchema: {why}"));
            }
        }
    }
    unportable(check, contract);
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

/// What providers of models would refuse or weaken, each kind of it once with all its places.
fn unportable(check: &mut Check<'_>, contract: &Contract) {
    let tools = [ToolDefinition::of(check.upstream.name(), contract)];
    let mut kinds: Vec<(LintFinding, Vec<String>)> = Vec::new();
    // Texts that stand out are no matter of portability.
    let is_about_schemas = |finding: &LintFinding| finding.verdict != LintVerdict::Flagged;
    let findings = lint(&tools, &Provider::ALL, &provider_names(&tools), &ProviderOptions::default());
    for finding in findings.into_iter().filter(is_about_schemas) {
        let pointer = pointer_of(&finding);
        let same = |(known, _): &&mut (LintFinding, Vec<String>)| {
            let kind = |finding: &LintFinding| {
                let loss = &finding.loss;
                (loss.side, loss.keyword.clone(), loss.reason.clone(), finding.providers.clone())
            };
            kind(known) == kind(&finding)
        };
        match kinds.iter_mut().find(same) {
            Some((_, places)) => places.push(pointer),
            None => kinds.push((finding, vec![pointer])),
        }
    }
    for (finding, places) in kinds {
        let (severity, verb) = match finding.is_refusal() {
            true => (FindingSeverity::Warning, "refused"),
            false => (FindingSeverity::Info, "weakened"),
        };
        let providers = finding.providers.iter().map(|provider| provider.as_str()).collect::<Vec<_>>();
        let (who, shown) = (providers.join(", "), listed(&places));
        let loss = &finding.loss;
        let message = format!("{verb} by {who}: `{}` at {shown}: {}", loss.keyword, loss.reason);
        let key = format!("{} {} {} {who}", loss.side.as_str(), loss.keyword, loss.reason);
        let evidence = FindingEvidence::of_declaration(contract, &places[0]);
        let found = CheckFinding::new(CheckRule::Portability, Some(contract.name.as_str()), message);
        check.found(found.severity(severity).key(key).fix(loss.fix).evidence(evidence));
    }
}

/// A place of the lint, seen from the tool.
fn pointer_of(finding: &LintFinding) -> String {
    let schema = match (finding.loss.side, finding.loss.keyword.as_str()) {
        (SchemaSide::Input, word @ ("name" | "description")) if finding.loss.pointer.is_empty() => word,
        (SchemaSide::Input, _) => "inputSchema",
        (SchemaSide::Output, _) => "outputSchema",
    };
    format!("/{schema}{}", finding.loss.pointer)
}
