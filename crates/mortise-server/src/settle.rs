//! From a handler's answer to the result on the wire: check, text, projection.
//!
//! The order is fixed: the natural value is checked, then its JSON text is
//! generated, then both are fitted to what the client's version can carry.

use mortise_contract::Mode;
use mortise_contract::project::{PROJECTED_META, project_value};
use mortise_contract::schema::Validation;
use mortise_contract::verdict::{Status, Verdict};
use mortise_contract::{RawJson, ToolResult};
use serde_json::{Value, json};

use crate::answer::{Answer, Structured};
use crate::client::ResultShape;
use crate::object_text::ObjectText;
use crate::result_text::{ResultText, array};
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
pub(crate) fn settle(entry: &ToolEntry, answer: Answer, client: &Client, rule: Unschematised) -> ResultText {
    let answer = match natural(answer) {
        Ok(answer) => answer,
        Err(reason) => return present(entry, Natural::error(unreadable(entry, &reason)), client),
    };
    let answer = match verdict(entry, &answer, rule) {
        Some(verdict) if verdict.is_violation() => violation(&verdict),
        Some(verdict) => {
            tracing::warn!(tool = verdict.tool, status = ?verdict.status, "output not checked");
            answer.with_meta(CONTRACT_META, &verdict.to_json())
        }
        None => answer,
    };
    present(entry, answer, client)
}

/// A result of another server, changed only where this client's version can't carry it.
pub(crate) fn forward(entry: &ToolEntry, result: &ToolResult, client: &Client) -> ResultText {
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
            content.push(Content::text(compact(raw)));
        }
        if shape == ResultShape::TextOnly {
            text.remove("structuredContent");
        } else if wraps(entry, raw.text().trim_start().starts_with('{')) {
            text.set("structuredContent", wrap(&compact(raw)));
            text.set_meta(PROJECTED_META, &json!(true));
        }
    }
    if has_links {
        content = content.into_iter().map(Content::without_links).collect();
    }
    text.set("content", array(content.iter().map(Content::to_text)));
    text
}

/// An answer whose structured value is known both parsed and as text.
struct Natural {
    content: Vec<Content>,
    structured: Option<(Value, RawJson)>,
    is_error: bool,
    meta: ObjectText,
}

impl Natural {
    fn error(text: String) -> Self {
        Self {
            content: vec![Content::text(text)],
            structured: None,
            is_error: true,
            meta: ObjectText::default(),
        }
    }

    fn with_meta(mut self, key: &str, value: &Value) -> Self {
        self.meta.set(key, value.to_string());
        self
    }
}

fn natural(answer: Answer) -> Result<Natural, String> {
    let structured = match answer.structured {
        None => None,
        Some(Structured::Value(value)) => {
            let raw = RawJson::from_value(&value).map_err(|error| error.to_string())?;
            Some((value, raw))
        }
        Some(Structured::Raw(raw)) => Some((raw.value().map_err(|error| error.to_string())?, raw)),
    };
    Ok(Natural { content: answer.content, structured, is_error: answer.is_error, meta: answer.meta })
}

fn unreadable(entry: &ToolEntry, reason: &str) -> String {
    format!(
        "Output validation error: {}: the structured content can't be read: {reason}",
        entry.contract.name
    )
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

fn report(
    entry: &ToolEntry,
    status: Status,
    errors: Vec<mortise_contract::verdict::Violation>,
    total_errors: usize,
) -> Verdict {
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

fn violation(verdict: &Verdict) -> Natural {
    let cause = match (&verdict.status, verdict.errors.first()) {
        (Status::Missing, _) => "it has an output schema but returned no structured content".to_owned(),
        (Status::Unexpected, _) => {
            "it has no output schema, so it must return content and no structured content".to_owned()
        }
        (_, Some(first)) => {
            let place = if first.instance_path.is_empty() { "the root" } else { &first.instance_path };
            let others = match verdict.total_errors.saturating_sub(1) {
                0 => String::new(),
                others => format!(" (and {others} more)"),
            };
            format!("the structured content breaks the output schema at {place}: {}{others}", first.message)
        }
        (status, None) => format!("the structured content was not accepted: {status:?}"),
    };
    // The message quotes the value at fault; logs must not.
    tracing::warn!(tool = verdict.tool, status = ?verdict.status, violations = verdict.total_errors, "output refused");
    Natural::error(format!("Output validation error: {}: {cause}", verdict.tool))
        .with_meta(CONTRACT_META, &verdict.to_json())
}

fn present(entry: &ToolEntry, mut answer: Natural, client: &Client) -> ResultText {
    if let Some((_, raw)) = &answer.structured
        && !answer.content.iter().any(Content::is_text)
    {
        answer.content.push(Content::text(compact(raw)));
    }
    let shape = client.shape();
    if shape == ResultShape::TextOnly {
        answer.structured = None;
        answer.content = answer.content.into_iter().map(Content::without_links).collect();
    }
    let mut structured = answer.structured.map(|(value, raw)| (value.is_object(), compact(&raw)));
    if shape == ResultShape::ObjectOnly
        && let Some((is_object, text)) = &mut structured
        && wraps(entry, *is_object)
    {
        *text = wrap(text);
        answer.meta.set(PROJECTED_META, json!(true).to_string());
    }
    ResultText::tool(&answer.content, structured.map(|(_, text)| text), answer.is_error, answer.meta)
}

/// The schema decides, so that one tool's values always look alike; without one, the value.
fn wraps(entry: &ToolEntry, is_object: bool) -> bool {
    if entry.contract.output_schema().is_some() { entry.projects } else { !is_object }
}

/// [`project_value`] on the text, which keeps every digit.
fn wrap(text: &str) -> String {
    let frame = project_value(Value::Null).to_string();
    frame.replacen("null", text, 1)
}

/// The text without white space between tokens.
fn compact(raw: &RawJson) -> String {
    let text = raw.text();
    let mut compact = String::with_capacity(text.len());
    let mut in_string = false;
    let mut escaped = false;
    for character in text.chars() {
        if in_string {
            compact.push(character);
            (in_string, escaped) = match character {
                _ if escaped => (true, false),
                '\\' => (true, true),
                '"' => (false, false),
                _ => (true, false),
            };
        } else if !character.is_ascii_whitespace() {
            in_string = character == '"';
            compact.push(character);
        }
    }
    compact
}

#[cfg(test)]
mod tests;
