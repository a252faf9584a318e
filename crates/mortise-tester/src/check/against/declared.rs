//! What a server declares, beside what it declared when it was recorded.

use mortise_client::CallOptions;
use mortise_contract::diff::{Change, Level, Rule, diff_prompts, diff_resources, diff_tools};
use mortise_contract::listing::parse_tool_list;
use mortise_contract::recording::{RecordedAnswer, RecordedRequest};
use mortise_contract::{Contract, RawJson};
use serde_json::{Map, Value};

use crate::check::{Check, CheckFinding, CheckRule, FindingEvidence, FindingSeverity};

/// The tools of the last whole list in the recording; `None` without one.
pub(super) fn recorded_tools(requests: &[RecordedRequest]) -> Option<Vec<Contract>> {
    let pages = last_list(requests, "tools/list")?;
    Some(pages.iter().filter_map(|page| parse_tool_list(page).ok()).flat_map(|page| page.items).collect())
}

/// Reports what is declared in another way than it was.
pub(super) async fn compare(check: &mut Check<'_>, tools: Option<&[Contract]>, requests: &[RecordedRequest]) {
    if let Some(tools) = tools {
        let now: Vec<Contract> =
            check.upstream.catalog().contracts.iter().map(|contract| Contract::clone(contract)).collect();
        for (name, change) in diff_tools(tools, &now) {
            if check.plan.includes(name.as_str()) {
                report(check, Some(name.as_str()), "tools/list", name.as_str(), &change);
            }
        }
    }
    if !check.plan.only.is_empty() {
        return;
    }
    let options = CallOptions { timeout: Some(check.plan.timeout), ..CallOptions::default() };
    if let Some(before) = recorded_items(requests, "prompts/list", "prompts")
        && let Ok(now) = check.upstream.prompts(options.clone()).await
    {
        for (name, change) in diff_prompts(&before, &objects(&now)) {
            report(check, None, "prompts/list", &name, &change);
        }
    }
    if let Some(before) = recorded_items(requests, "resources/list", "resources")
        && let Ok(now) = check.upstream.resources(options.clone()).await
    {
        for (name, change) in diff_resources(&before, &objects(&now), "uri") {
            report(check, None, "resources/list", &name, &change);
        }
    }
    if let Some(before) = recorded_items(requests, "resources/templates/list", "resourceTemplates")
        && let Ok(now) = check.upstream.resource_templates(options).await
    {
        for (name, change) in diff_resources(&before, &objects(&now), "uriTemplate") {
            report(check, None, "resources/templates/list", &name, &change);
        }
    }
}

fn report(check: &mut Check<'_>, tool: Option<&str>, method: &str, name: &str, change: &Change) {
    let (rule, severity) = match (change.rule, change.level) {
        (Rule::ToolRemoved, _) => (CheckRule::MissingTool, FindingSeverity::Error),
        (_, Level::Breaking) => (CheckRule::DeclarationDrift, FindingSeverity::Error),
        (_, Level::Warning) => (CheckRule::DeclarationDrift, FindingSeverity::Warning),
        (_, Level::Safe | Level::Info) => (CheckRule::DeclarationDrift, FindingSeverity::Info),
    };
    let message = match (tool, change.role) {
        (_, Some(role)) => format!("{role}: {}", change.message),
        (None, None) if !change.message.contains(name) => format!("`{name}`: {}", change.message),
        (_, None) => change.message.clone(),
    };
    let evidence = FindingEvidence {
        request: method.to_owned(),
        response: change
            .witness
            .as_ref()
            .map(|witness| format!("a value that shows it: {witness}"))
            .unwrap_or_default(),
        pointer: change.pointer.clone(),
    };
    let key =
        format!("{name} {} {}", change.role.map(|role| role.to_string()).unwrap_or_default(), change.pointer);
    check.found(CheckFinding::new(rule, tool, message).severity(severity).key(key).evidence(evidence));
}

/// The pages of the last list that was recorded from its first page to its last.
fn last_list(requests: &[RecordedRequest], method: &str) -> Option<Vec<RawJson>> {
    let mut whole = None;
    let mut pages: Vec<RawJson> = Vec::new();
    for request in requests.iter().filter(|request| request.method == method) {
        let Some(RecordedAnswer::Result(page)) = &request.answer else { continue };
        let cursor = |raw: Option<RawJson>| raw.filter(|cursor| cursor.text() != "null");
        let is_first = cursor(request.params.as_ref().and_then(|params| params.member("cursor"))).is_none();
        if is_first {
            pages.clear();
        }
        pages.push(page.clone());
        if cursor(page.member("nextCursor")).is_none() {
            whole = Some(std::mem::take(&mut pages));
        }
    }
    whole
}

fn recorded_items(requests: &[RecordedRequest], method: &str, list: &str) -> Option<Vec<Map<String, Value>>> {
    let pages = last_list(requests, method)?;
    let elements = pages.iter().filter_map(|page| page.member(list)?.elements().ok()).flatten();
    Some(objects(&elements.collect::<Vec<_>>()))
}

fn objects(elements: &[RawJson]) -> Vec<Map<String, Value>> {
    let object = |element: &RawJson| match element.value() {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    };
    elements.iter().filter_map(object).collect()
}
