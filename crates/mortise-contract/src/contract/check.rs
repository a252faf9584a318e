//! What is odd about a tool's declaration.

mod header;
mod hidden;

use serde_json::{Map, Value};

use super::{ContractIssue, IssueCode, IssueSeverity};
use crate::json::JsonKind;
use crate::{RawJson, ToolName};

pub use hidden::hidden_kind;

/// Looks for everything that is not as the protocol wants it.
pub(super) fn check(
    name: &ToolName,
    raw: &RawJson,
    fields: &Map<String, Value>,
    issues: &mut Vec<ContractIssue>,
) {
    let unreadable = |key: &str, issues: &[ContractIssue]| {
        issues
            .iter()
            .any(|issue| issue.code == IssueCode::UnreadableField && issue.pointer == format!("/{key}"))
    };
    if let Some(warning) = name.warning() {
        issues.push(issue("/name", IssueCode::OddName, warning, IssueSeverity::Note));
    }
    if !unreadable("inputSchema", issues) {
        check_input(fields.get("inputSchema"), issues);
        // A glance that spares most tools the walk; the keyword may be spelled with escapes.
        if raw.text().contains(header::ANNOTATION) || raw.text().contains("\\u") {
            header::check(fields.get("inputSchema"), issues);
        }
    }
    check_output(fields, issues);
    check_hidden_output(raw, fields, issues);
}

/// The fields of a tool whose kind the protocol fixes; schemas have checks of their own.
pub(super) const EXPECTED: &[(&str, JsonKind)] = &[
    ("title", JsonKind::String),
    ("description", JsonKind::String),
    ("annotations", JsonKind::Object),
    ("execution", JsonKind::Object),
    ("icons", JsonKind::Array),
    ("_meta", JsonKind::Object),
];

/// Looks for fields of the wrong kind and for texts that hide something.
pub(super) fn check_fields(
    raw: &RawJson,
    fields: &Map<String, Value>,
    expected: &[(&str, JsonKind)],
    issues: &mut Vec<ContractIssue>,
) {
    for (key, expected) in expected {
        if let Some(found) = fields.get(*key).map(JsonKind::of).filter(|found| found != expected) {
            let message = format!("`{key}` is {found}, not {expected}");
            issues.push(issue(&format!("/{key}"), IssueCode::WrongType, message, IssueSeverity::Note));
        }
    }
    hidden::check(raw, fields, issues);
}

fn check_input(schema: Option<&Value>, issues: &mut Vec<ContractIssue>) {
    const POINTER: &str = "/inputSchema";
    let shape = |message: String, severity| issue(POINTER, IssueCode::InputSchemaShape, message, severity);
    match schema {
        None => issues.push(issue(
            POINTER,
            IssueCode::InputSchemaMissing,
            "`inputSchema` is missing; arguments are not checked".to_owned(),
            IssueSeverity::Degraded,
        )),
        Some(Value::Object(members)) => match members.get("type") {
            Some(Value::String(kind)) if kind == "object" => {}
            Some(other) => issues.push(shape(
                format!("the root of `inputSchema` has type `{other}`, not `object`"),
                IssueSeverity::Degraded,
            )),
            None => issues.push(shape(
                "the root of `inputSchema` has no type; the protocol wants `object`".to_owned(),
                IssueSeverity::Note,
            )),
        },
        Some(other) => issues.push(shape(
            format!("`inputSchema` is {}, not an object; arguments are not checked", JsonKind::of(other)),
            IssueSeverity::Degraded,
        )),
    }
}

fn check_output(fields: &Map<String, Value>, issues: &mut Vec<ContractIssue>) {
    let misplaced = fields.get("annotations").and_then(|annotations| annotations.get("outputSchema"));
    let (pointer, schema) = match (fields.get("outputSchema"), misplaced) {
        (Some(schema), _) => ("/outputSchema", schema),
        (None, Some(schema)) => (MISPLACED_OUTPUT, schema),
        (None, None) => return,
    };
    if misplaced.is_some() {
        issues.push(issue(
            MISPLACED_OUTPUT,
            IssueCode::OutputSchemaMisplaced,
            "`outputSchema` is a field of the tool, not of its annotations".to_owned(),
            IssueSeverity::Note,
        ));
    }
    if !schema.is_object() {
        let message =
            format!("`outputSchema` is {}, not an object; results are not checked", JsonKind::of(schema));
        issues.push(issue(pointer, IssueCode::OutputSchemaShape, message, IssueSeverity::Degraded));
    }
}

/// Where some servers put an output schema.
pub(super) const MISPLACED_OUTPUT: &str = "/annotations/outputSchema";

/// A misplaced output schema in annotations that can't be read is declared all the same.
fn check_hidden_output(raw: &RawJson, fields: &Map<String, Value>, issues: &mut Vec<ContractIssue>) {
    let unreadable = issues
        .iter()
        .find(|issue| issue.code == IssueCode::UnreadableField && issue.pointer == "/annotations");
    let Some(message) = unreadable.map(|issue| issue.message.clone()) else { return };
    let is_declared = || raw.member("annotations")?.member("outputSchema");
    if !fields.contains_key("annotations") && is_declared().is_some() {
        issues.push(issue(MISPLACED_OUTPUT, IssueCode::UnreadableField, message, IssueSeverity::Degraded));
    }
}

/// Whether `execution.taskSupport` is `required`.
pub(super) fn requires_task(fields: &Map<String, Value>) -> bool {
    let support = fields.get("execution").and_then(|execution| execution.get("taskSupport"));
    support.and_then(Value::as_str) == Some("required")
}

pub(super) fn issue(
    pointer: &str,
    code: IssueCode,
    message: String,
    severity: IssueSeverity,
) -> ContractIssue {
    ContractIssue { pointer: pointer.to_owned(), code, message, severity }
}
