//! From a handler's answer to the result on the wire: check, text, projection.
//!
//! The order is fixed: the natural value is checked, then its JSON text is
//! generated, then both are fitted to what the client's version can carry.

use mortise_contract::Mode;
use mortise_contract::json::{JsonError, JsonKind, RawObject};
use mortise_contract::project::{PROJECTED_META, project_raw};
use mortise_contract::schema::Validation;
use mortise_contract::verdict::{Status, Verdict, Violation};
use mortise_contract::{RawJson, ToolResult};
use serde_json::Value;

use crate::answer::{Answer, Structured};
use crate::client::ResultShape;
use crate::result_text::{ResultText, content_array};
use crate::tool_list::ToolEntry;
use crate::{Client, Content};

/// The key of `_meta` under which a contract report travels.
pub const CONTRACT_META: &str = "mortise/contract";

/// Whether a tool without output schema may return structured content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Unschematised {
    /// It may, and it need not return content either.
    #[default]
    Allowed,
    /// It must return content and no structured content.
    Forbidden,
}

/// The result to send for `answer`, ready for this client.
pub(crate) fn settle_answer(
    entry: &ToolEntry,
    answer: Answer,
    client: &Client,
    rule: Unschematised,
) -> ResultText {
    let answer = match natural(answer) {
        Ok(answer) => answer,
        Err(error) => return present(entry, Natural::error(unreadable(entry, &error)), client),
    };
    let answer = match verdict(entry, &answer, rule) {
        Some(verdict) if verdict.is_violation() => refused_output(&verdict),
        Some(verdict) => {
            tracing::warn!(tool = verdict.tool, status = ?verdict.status, "output not checked");
            answer.with_report(&verdict)
        }
        None => answer,
    };
    present(entry, answer, client)
}

/// A result of another server, changed only where this client's version can't carry it.
pub(crate) fn forward_result(entry: &ToolEntry, result: &ToolResult, client: &Client) -> ResultText {
    let mut text = ResultText::verbatim(&result.raw);
    let shape = client.shape();
    if shape == ResultShape::AnyJson {
        return text;
    }
    let mut content: Vec<Content> =
        result.content.iter().map(|block| Content::raw(block.raw.clone())).collect();
    let has_links = shape == ResultShape::TextOnly && content.iter().any(Content::is_link);
    if result.structured.is_none() && !has_links {
        return text;
    }
    if let Some(raw) = &result.structured {
        if !content.iter().any(Content::is_text) {
            content.push(Content::text(raw.compact().text()));
        }
        if shape == ResultShape::TextOnly {
            text.members.remove("structuredContent");
        } else if wraps(entry, raw.kind() == JsonKind::Object) {
            text.members.set("structuredContent", project_raw(&raw.compact()));
            text.meta.set(PROJECTED_META, projected());
        }
    }
    if has_links {
        content = content.into_iter().map(Content::without_links).collect();
    }
    text.members.set("content", content_array(&content));
    text
}

/// An answer whose structured value is known both parsed and as text.
struct Natural {
    content: Vec<Content>,
    structured: Option<(Value, RawJson)>,
    is_error: bool,
    meta: RawObject,
}

impl Natural {
    fn error(text: String) -> Self {
        Self {
            content: vec![Content::text(text)],
            structured: None,
            is_error: true,
            meta: RawObject::default(),
        }
    }

    fn with_report(mut self, verdict: &Verdict) -> Self {
        self.meta.set(CONTRACT_META, RawJson::from(&verdict.to_json()));
        self
    }
}

fn natural(answer: Answer) -> Result<Natural, JsonError> {
    let structured = match answer.structured {
        None => None,
        Some(Structured::Value(value)) => {
            let raw = RawJson::from_value(&value)?;
            Some((value, raw))
        }
        Some(Structured::Raw(raw)) => Some((raw.value()?, raw)),
    };
    Ok(Natural { content: answer.content, structured, is_error: answer.is_error, meta: answer.meta })
}

fn unreadable(entry: &ToolEntry, error: &JsonError) -> String {
    format!("Output validation error: {}: the structured content can't be read: {error}", entry.contract.name)
}

/// `None` when there is nothing to report: the answer is valid, an error, or needs no schema.
fn verdict(entry: &ToolEntry, answer: &Natural, rule: Unschematised) -> Option<Verdict> {
    if answer.is_error {
        return None;
    }
    let Some(schema) = &entry.output else {
        // A forwarded tool's unusable schema is its own server's affair.
        let has_schema = entry.contract.output_schema().is_some();
        let breaks = answer.structured.is_some() || answer.content.is_empty();
        let unexpected = rule == Unschematised::Forbidden && !has_schema && breaks;
        return unexpected.then(|| report(entry, Status::Unexpected, Vec::new(), 0));
    };
    let Some((value, _)) = &answer.structured else {
        return Some(report(entry, Status::Missing, Vec::new(), 0));
    };
    match schema.validate(value) {
        Validation::Valid => None,
        Validation::Invalid { violations, total, is_complete } => {
            let is_truncated = !is_complete || violations.len() < total;
            Some(Verdict { is_truncated, ..report(entry, Status::Invalid, violations, total) })
        }
        Validation::Unchecked { reason } => Some(report(entry, Status::Unchecked { reason }, Vec::new(), 0)),
    }
}

fn report(entry: &ToolEntry, status: Status, errors: Vec<Violation>, total_errors: usize) -> Verdict {
    Verdict {
        status,
        tool: entry.contract.name.to_string(),
        schema_hash: entry.output.as_ref().map(|schema| schema.hash().to_owned()),
        dialect: entry.output.as_ref().map(|schema| schema.dialect().as_str()),
        mode: Mode::Strict,
        errors,
        total_errors,
        is_truncated: false,
        notes: Vec::new(),
        recovered: None,
        era: None,
        ms: None,
    }
}

fn refused_output(verdict: &Verdict) -> Natural {
    let cause = match (&verdict.status, verdict.errors.first()) {
        (Status::Missing, _) => "it has an output schema but returned no structured content".to_owned(),
        (Status::Unexpected, _) => {
            "it has no output schema, so it must return content and no structured content".to_owned()
        }
        (_, Some(first)) => {
            format!(
                "the structured content breaks the output schema {}",
                first.sentence(verdict.total_errors)
            )
        }
        (status, None) => format!("the structured content was not accepted: {status:?}"),
    };
    // The message quotes the value at fault; logs must not.
    tracing::warn!(tool = verdict.tool, status = ?verdict.status, violations = verdict.total_errors, "output refused");
    Natural::error(format!("Output validation error: {}: {cause}", verdict.tool)).with_report(verdict)
}

fn present(entry: &ToolEntry, mut answer: Natural, client: &Client) -> ResultText {
    if let Some((_, raw)) = &answer.structured
        && !answer.content.iter().any(Content::is_text)
    {
        answer.content.push(Content::text(raw.compact().text()));
    }
    let shape = client.shape();
    if shape == ResultShape::TextOnly {
        answer.structured = None;
        answer.content = answer.content.into_iter().map(Content::without_links).collect();
    }
    let structured = answer.structured.map(|(value, raw)| {
        if shape == ResultShape::ObjectOnly && wraps(entry, value.is_object()) {
            answer.meta.set(PROJECTED_META, projected());
            return project_raw(&raw.compact());
        }
        raw.compact()
    });
    ResultText::tool(&answer.content, structured, answer.is_error, answer.meta)
}

fn projected() -> RawJson {
    RawJson::from(&Value::Bool(true))
}

/// The schema decides, so that one tool's values always look alike; without one, the value.
fn wraps(entry: &ToolEntry, is_object: bool) -> bool {
    if entry.contract.output_schema().is_some() { entry.projects } else { !is_object }
}

#[cfg(test)]
mod tests;
