//! Running cases.

use mortise_client::{CallError, RpcError};
use mortise_contract::Contract;
use mortise_contract::json::is_same_value;
use mortise_contract::schema::Validation;
use mortise_contract::text::error_chain;
use mortise_contract::{ToolOutcome, ToolResult};
use serde_json::{Map, Value};

use super::cases::{Case, CaseFile, Expect, ExpectedError, UnknownVariable, filled, filled_words};
use super::{CaseOutcome, Check, CheckFinding, CheckRule, FindingEvidence, calls, judge, withheld};
use crate::moment::Moment;

/// Runs a file: setup, cases, teardown.
pub(super) async fn run_file(check: &mut Check<'_>, file: &CaseFile) {
    let mut variables = file.variables.clone();
    let mut ready = true;
    for case in &file.setup {
        ready = ready && run_case(check, file, case, &mut variables).await;
    }
    for case in &file.cases {
        match ready {
            true => {
                run_case(check, file, case, &mut variables).await;
            }
            false => {
                let problem = Some("not run, since the setup failed".to_owned());
                record(check, file, case, Ran { ms: 0, problem, evidence: FindingEvidence::default() });
            }
        }
    }
    for case in &file.teardown {
        run_case(check, file, case, &mut variables).await;
    }
}

/// What came of a case.
struct Ran {
    ms: u64,
    problem: Option<String>,
    evidence: FindingEvidence,
}

/// Runs one case; whether it came out as expected.
async fn run_case(
    check: &mut Check<'_>,
    file: &CaseFile,
    case: &Case,
    variables: &mut Map<String, Value>,
) -> bool {
    check.plan.say(&format!("case `{}`", case.title()));
    let started = Moment::now();
    let mut evidence = FindingEvidence::default();
    let problems = match attempt(check, case, variables, &mut evidence).await {
        Ok(problems) => problems,
        Err(error) => vec![error_chain(&error)],
    };
    let passed = problems.is_empty();
    let problem = (!passed).then(|| problems.join("; "));
    record(check, file, case, Ran { ms: started.elapsed_ms(), problem, evidence });
    passed
}

fn record(check: &mut Check<'_>, file: &CaseFile, case: &Case, ran: Ran) {
    let secrets = check.upstream.secrets().clone();
    let same =
        check.report.cases.iter().filter(|known| known.file == file.path && known.title == case.title());
    let name = match same.count() {
        0 => case.title().to_owned(),
        before => format!("{} ({})", case.title(), before + 1),
    };
    let problem = ran.problem.map(|problem| secrets.hide(&problem).into_owned());
    let finding = problem.as_ref().map(|problem| {
        let finding =
            CheckFinding::new(CheckRule::CaseFailed, Some(&case.call), format!("{name}: {problem}"));
        let evidence = match ran.evidence.is_empty() {
            true => FindingEvidence {
                request: format!("case `{name}` of {}", file.path),
                ..FindingEvidence::default()
            },
            false => ran.evidence,
        };
        finding.key(format!("{}#{name}", file.path)).evidence(evidence).shown(&secrets)
    });
    check.report.cases.push(CaseOutcome {
        file: file.path.clone(),
        title: case.title().to_owned(),
        name: secrets.hide_certain_in_name(&name).into_owned(),
        tool: case.call.clone(),
        ms: ran.ms,
        problem,
        finding: finding.as_ref().map(CheckFinding::fingerprint),
    });
    if let Some(finding) = finding {
        check.report.findings.add(finding);
    }
}

/// What an answer holds, whether it is a result or an error.
struct StepAnswer {
    text: String,
    value: Value,
    ms: u64,
}

/// Why nothing of a case can be compared.
#[derive(Debug, thiserror::Error)]
enum StepError {
    #[error(transparent)]
    Variable(#[from] UnknownVariable),
    #[error("the server ended before and does not come back")]
    ServerEnded,
    #[error("there is no tool `{tool}`")]
    UnknownTool { tool: String },
    #[error(transparent)]
    Call(CallError),
    #[error("`expect.schema`: {error}")]
    Schema { error: String },
}

/// Everything that is not as expected; an error where nothing can be compared.
async fn attempt(
    check: &mut Check<'_>,
    case: &Case,
    variables: &mut Map<String, Value>,
    evidence: &mut FindingEvidence,
) -> Result<Vec<String>, StepError> {
    let arguments = filled(&Value::Object(case.arguments.clone()), variables)?;
    *evidence = FindingEvidence::of_call(&case.call, &arguments, "");
    if !calls::revive(check.upstream).await {
        return Err(StepError::ServerEnded);
    }
    let catalog = check.upstream.catalog();
    let contract =
        catalog.get(&case.call).ok_or_else(|| StepError::UnknownTool { tool: case.call.clone() })?;
    let started = Moment::now();
    let outcome = calls::send(check, contract, &arguments, None).await;
    if let Err(error) = &outcome {
        let evidence = FindingEvidence::of_call(&case.call, &arguments, judge::said(check.upstream, error));
        judge::is_withheld(check, contract, error, &evidence);
    }
    let mut problems = Vec::new();
    let expected = case.expect.error.as_ref();
    let answered = match outcome {
        Ok(outcome) => {
            *evidence = FindingEvidence::of_outcome(&case.call, &arguments, &outcome);
            match expected {
                Some(expected) => {
                    if withheld::from_result(contract, &outcome.result).is_some() {
                        calls::answered_case(check, contract, &arguments, &outcome, evidence);
                    }
                    problems.extend(as_tool_error(&outcome.result, expected, variables)?);
                }
                None => {
                    calls::answered_case(check, contract, &arguments, &outcome, evidence);
                    problems.extend(as_success(contract, &outcome));
                }
            }
            of_result(&outcome)
        }
        Err(CallError::Rpc { error, .. }) if expected.is_some() => {
            evidence.response = error.to_string();
            if let Some(expected) = expected {
                problems.extend(as_rpc_error(&error, expected, variables)?);
            }
            let value = error.data.as_ref().and_then(|data| data.value().ok()).unwrap_or_default();
            StepAnswer { text: error.message, value, ms: started.elapsed_ms() }
        }
        Err(error) => return Err(StepError::Call(error)),
    };
    if problems.is_empty() {
        problems.extend(compare(check, &answered, &case.expect, variables)?);
    }
    for (name, pointer) in &case.save {
        match answered.value.pointer(pointer) {
            Some(saved) => {
                variables.insert(name.clone(), saved.clone());
            }
            None => problems.push(format!("there is nothing at `{pointer}` to save as `{name}`")),
        }
    }
    Ok(problems)
}

fn of_result(outcome: &ToolOutcome) -> StepAnswer {
    let ms = u64::try_from(outcome.elapsed.as_millis()).unwrap_or(u64::MAX);
    StepAnswer { text: texts(&outcome.result), value: value_of(&outcome.result), ms }
}

fn as_success(contract: &Contract, outcome: &ToolOutcome) -> Option<String> {
    if outcome.result.is_error {
        let said = outcome.result.texts().next().unwrap_or("it gave no text");
        return Some(format!("`{}` returned an error: {said}", contract.name));
    }
    let is_broken = outcome.verdict.is_violation();
    is_broken.then(|| "the result breaks the tool's contract".to_owned())
}

fn as_tool_error(
    result: &ToolResult,
    expected: &ExpectedError,
    variables: &Map<String, Value>,
) -> Result<Option<String>, UnknownVariable> {
    if !result.is_error {
        return Ok(Some("an error was expected, and it succeeded".to_owned()));
    }
    if let Some(code) = expected.code {
        return Ok(Some(format!("the JSON-RPC error {code} was expected, and it is a tool error")));
    }
    let text = texts(result);
    Ok(match expected.text.as_deref() {
        Some(wanted) if !holds(&text, Some(wanted), variables)? => {
            let wanted = filled_words(wanted, variables)?;
            Some(format!("an error that says `{wanted}` was expected, and it says: {text}"))
        }
        _ => None,
    })
}

fn as_rpc_error(
    error: &RpcError,
    expected: &ExpectedError,
    variables: &Map<String, Value>,
) -> Result<Option<String>, UnknownVariable> {
    if let Some(code) = expected.code.filter(|code| *code != error.code) {
        return Ok(Some(format!("the JSON-RPC error {code} was expected, and this came: {error}")));
    }
    Ok(match expected.text.as_deref() {
        Some(wanted) if !holds(&error.message, Some(wanted), variables)? => {
            let wanted = filled_words(wanted, variables)?;
            Some(format!("an error that says `{wanted}` was expected, and this came: {error}"))
        }
        _ => None,
    })
}

fn holds(text: &str, wanted: Option<&str>, variables: &Map<String, Value>) -> Result<bool, UnknownVariable> {
    let wanted = wanted.map(|wanted| filled_words(wanted, variables)).transpose()?;
    Ok(wanted.is_none_or(|wanted| text.contains(&wanted)))
}

/// Everything besides the error that is not as expected.
fn compare(
    check: &Check<'_>,
    answered: &StepAnswer,
    expect: &Expect,
    variables: &Map<String, Value>,
) -> Result<Vec<String>, StepError> {
    let mut problems = Vec::new();
    let StepAnswer { text, value, ms } = answered;
    if let Some(limit) = expect.within_ms.filter(|limit| ms > limit) {
        problems.push(format!("it took {ms} ms, more than {limit} ms"));
    }
    if !holds(text, expect.text.as_deref(), variables)? {
        let wanted = filled_words(expect.text.as_deref().unwrap_or_default(), variables)?;
        problems.push(format!("the text does not hold `{wanted}`"));
    }
    if let Some(wanted) = &expect.value {
        let wanted = filled(wanted, variables)?;
        if !is_same_value(value, &wanted) {
            problems.push(format!("{wanted} was expected and {value} came"));
        }
    }
    for (pointer, wanted) in &expect.at {
        let wanted = filled(wanted, variables)?;
        match value.pointer(pointer) {
            Some(found) if is_same_value(found, &wanted) => {}
            Some(found) => problems.push(format!("{wanted} was expected at `{pointer}` and {found} came")),
            None => problems.push(format!("{wanted} was expected at `{pointer}` and nothing is there")),
        }
    }
    if let Some(schema) = &expect.schema {
        let schema = filled(schema, variables)?;
        let compiled = check
            .schemas
            .get(&schema, &check.options)
            .map_err(|error| StepError::Schema { error: error.to_string() })?;
        if let Validation::Invalid { violations, .. } = compiled.validate(value) {
            problems.extend(violations.iter().map(|found| {
                let at = &found.instance_path;
                format!("the value does not fit the expected schema at `{at}`: {}", found.message)
            }));
        }
    }
    Ok(problems)
}

fn texts(result: &ToolResult) -> String {
    result.texts().collect::<Vec<_>>().join("\n")
}

/// The structured content, or the text as JSON; null if there is neither.
fn value_of(result: &ToolResult) -> Value {
    if let Some(Ok(reading)) = result.structured_reading() {
        return reading.value.clone();
    }
    let text = result.texts().next().filter(|_| result.structured.is_none());
    text.map_or(Value::Null, |text| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)))
}
