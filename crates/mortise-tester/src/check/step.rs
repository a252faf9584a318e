//! Running cases.

use mortise_contract::json::is_same_value;
use mortise_contract::schema::Validation;
use mortise_contract::{Contract, ToolOutcome};
use mortise_upstream::CallError;
use serde_json::{Map, Value};

use super::cases::{Case, CaseFile, Expect, ExpectedError, filled};
use super::{CaseOutcome, Check, Finding, Rule, calls};
use crate::moment::Moment;

/// Runs a file: setup, cases, teardown.
pub(super) async fn run_file(check: &mut Check<'_>, file: &CaseFile) {
    let server = check.upstream.name().as_str();
    if file.server.as_ref().is_some_and(|wanted| wanted != server) {
        return;
    }
    let mut variables = file.variables.clone();
    let mut ready = true;
    for case in &file.setup {
        ready = ready && run(check, file, case, &mut variables).await;
    }
    for case in &file.cases {
        match ready {
            true => {
                run(check, file, case, &mut variables).await;
            }
            false => record(check, file, case, 0, Some("not run, since the setup failed".to_owned())),
        }
    }
    for case in &file.teardown {
        run(check, file, case, &mut variables).await;
    }
}

/// Runs one case; whether it came out as expected.
async fn run(
    check: &mut Check<'_>,
    file: &CaseFile,
    case: &Case,
    variables: &mut Map<String, Value>,
) -> bool {
    check.plan.say(&format!("case `{}`", case.title()));
    let started = Moment::now();
    let problem = attempt(check, case, variables).await.err();
    let took = started.elapsed_ms();
    let passed = problem.is_none();
    record(check, file, case, took, problem);
    passed
}

fn record(check: &mut Check<'_>, file: &CaseFile, case: &Case, ms: u64, problem: Option<String>) {
    if let Some(problem) = &problem {
        let finding =
            Finding::new(Rule::CaseFailed, Some(&case.call), format!("{}: {problem}", case.title()));
        check.report.findings.add(finding.key(format!("{}#{}", file.path, case.title())));
    }
    check.report.cases.push(CaseOutcome {
        file: file.path.clone(),
        name: case.title().to_owned(),
        tool: case.call.clone(),
        ms,
        problem,
    });
}

async fn attempt(
    check: &mut Check<'_>,
    case: &Case,
    variables: &mut Map<String, Value>,
) -> Result<(), String> {
    let arguments = filled(&Value::Object(case.arguments.clone()), variables)?;
    if !calls::revive(check).await {
        return Err("the server ended before and does not come back".to_owned());
    }
    let catalog = check.upstream.catalog();
    let contract = catalog.get(&case.call).ok_or_else(|| format!("there is no tool `{}`", case.call))?;
    let outcome = calls::send(check, contract, &arguments).await;
    check.report.calls += 1;
    let outcome = match (outcome, &case.expect.error) {
        (Ok(outcome), None) => outcome,
        (Ok(outcome), Some(expected)) => return as_tool_error(&outcome, expected),
        (Err(CallError::Rpc { error, .. }), Some(expected)) => {
            let same = expected.code.is_none_or(|code| code == error.code);
            return match same && holds(&error.message, expected.text.as_deref()) {
                true => Ok(()),
                false => Err(format!("another error was expected than {error}")),
            };
        }
        (Err(error), _) => return Err(crate::failure::in_full(&error)),
    };
    let evidence = || format!("arguments {arguments} gave {}", outcome.result.raw.text());
    calls::judge(check, contract, &outcome, &evidence);
    compare(check, contract, &outcome, &case.expect, variables)?;
    let value = value_of(&outcome);
    for (name, pointer) in &case.save {
        let saved = value.as_ref().and_then(|value| value.pointer(pointer));
        let saved = saved.ok_or_else(|| format!("there is nothing at `{pointer}` to save as `{name}`"))?;
        variables.insert(name.clone(), saved.clone());
    }
    Ok(())
}

fn as_tool_error(outcome: &ToolOutcome, expected: &ExpectedError) -> Result<(), String> {
    if !outcome.result.is_error {
        return Err("an error was expected, and it succeeded".to_owned());
    }
    if let Some(code) = expected.code {
        return Err(format!("the JSON-RPC error {code} was expected, and it is a tool error"));
    }
    let text = outcome.result.texts().collect::<Vec<_>>().join("\n");
    match holds(&text, expected.text.as_deref()) {
        true => Ok(()),
        false => Err(format!("another error was expected than `{text}`")),
    }
}

fn holds(text: &str, wanted: Option<&str>) -> bool {
    wanted.is_none_or(|wanted| text.contains(wanted))
}

fn compare(
    check: &Check<'_>,
    contract: &Contract,
    outcome: &ToolOutcome,
    expect: &Expect,
    variables: &Map<String, Value>,
) -> Result<(), String> {
    if outcome.result.is_error {
        let said = outcome.result.texts().next().unwrap_or("it gave no text");
        return Err(format!("`{}` returned an error: {said}", contract.name));
    }
    if outcome.verdict.is_violation() {
        return Err("the result breaks the tool's contract".to_owned());
    }
    let took = outcome.elapsed.as_millis();
    if let Some(limit) = expect.within_ms.filter(|limit| took > u128::from(*limit)) {
        return Err(format!("it took {took} ms, more than {limit} ms"));
    }
    let text = outcome.result.texts().collect::<Vec<_>>().join("\n");
    if !holds(&text, expect.text.as_deref()) {
        return Err(format!("the text does not hold `{}`", expect.text.as_deref().unwrap_or_default()));
    }
    let value = value_of(outcome);
    let value = value.as_ref().unwrap_or(&Value::Null);
    if let Some(wanted) = &expect.value {
        let wanted = filled(wanted, variables)?;
        if !is_same_value(value, &wanted) {
            return Err(format!("{wanted} was expected and {value} came"));
        }
    }
    for (pointer, wanted) in &expect.at {
        let wanted = filled(wanted, variables)?;
        match value.pointer(pointer) {
            Some(found) if is_same_value(found, &wanted) => {}
            Some(found) => return Err(format!("{wanted} was expected at `{pointer}` and {found} came")),
            None => return Err(format!("{wanted} was expected at `{pointer}` and nothing is there")),
        }
    }
    if let Some(schema) = &expect.schema {
        let compiled =
            check.schemas.get(schema, &check.options).map_err(|error| format!("`expect.schema`: {error}"))?;
        if let Validation::Invalid { violations, .. } = compiled.validate(value) {
            let first = violations.first();
            let first = first.map(|found| format!("at `{}`: {}", found.instance_path, found.message));
            return Err(format!("the value does not fit the expected schema: {}", first.unwrap_or_default()));
        }
    }
    Ok(())
}

/// The structured content, or the text as JSON.
fn value_of(outcome: &ToolOutcome) -> Option<Value> {
    if let Some(Ok(reading)) = outcome.result.structured_reading() {
        return Some(reading.value.clone());
    }
    let mut texts = outcome.result.texts();
    let text = texts.next().filter(|_| outcome.result.structured.is_none())?;
    Some(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)))
}
