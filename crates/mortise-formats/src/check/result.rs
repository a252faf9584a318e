//! From a tool's answer to a report.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::format::{ErrorBody, ErrorCode, FormatKind, ToolOutputFormat, mixed_fields};
use crate::legacy::LEGACY_FIELDS;

use super::nulls;
use super::text::{self, TextFinding};
use super::{FormatReport, FormatRule, RuleOutcome};

/// Tools whose code is a parser.
const PARSER_TOOLS: [&str; 2] = ["generate_parser", "refine_parser"];
/// The only tool with a rule and code.
const HYBRID_TOOL: &str = "generate_extractor";

/// Checks a tool's answer: a `tools/call` result, the response or the `mortise call --json` around it, or the
/// structured value alone.
///
/// With the tool's name, what only that tool must keep is checked too.
///
/// ```
/// use mortise_formats::check::{FormatRule, RuleOutcome, check};
/// use serde_json::json;
///
/// let report = check(&json!({"format": "code", "code": "x = (", "code_language": "python", "code_description": "x"}), None);
/// assert!(matches!(report.outcome(FormatRule::Code), RuleOutcome::Broken(_)));
/// ```
pub fn check(answer: &Value, tool: Option<&str>) -> FormatReport {
    let inner = answer.get("result").filter(|result| result.get("content").is_some_and(Value::is_array));
    let result = inner.filter(|_| answer.get("content").is_none()).unwrap_or(answer);
    // `mortise call --json` says whose result it is.
    let called = answer.get("tool").filter(|_| answer.get("verdict").is_some()).and_then(Value::as_str);
    let tool = tool.or(called);
    let mut findings = ResultFindings { tool, report: ResultFindings::empty() };
    match result.get("content").and_then(Value::as_array) {
        Some(content) => findings.envelope(result, content),
        None => findings.flat(result),
    }
    findings.report
}

struct ResultFindings<'a> {
    tool: Option<&'a str>,
    report: FormatReport,
}

impl ResultFindings<'_> {
    fn empty() -> FormatReport {
        let rules = FormatRule::ALL.into_iter().map(|rule| (rule, RuleOutcome::NotApplicable)).collect();
        FormatReport { format: None, is_error: false, rules, notes: Vec::new() }
    }

    /// A result with content blocks.
    fn envelope(&mut self, result: &Value, content: &[Value]) {
        let structured = result.get("structuredContent").filter(|value| !value.is_null());
        let text = content.first().and_then(|block| block.get("text")).and_then(Value::as_str);
        if result.get("isError").and_then(Value::as_bool) == Some(true) {
            return self.error(text, structured);
        }
        let parsed = text.map(serde_json::from_str::<Value>);
        match (structured, parsed) {
            (Some(structured), Some(Ok(mirror))) => {
                let same = (mirror != *structured).then(|| {
                    ErrorBody::new(
                        ErrorCode::InternalContract,
                        "the first text block and `structuredContent` differ",
                        "send the same JSON in both",
                    )
                    .at_field("content[0]")
                });
                self.settle(FormatRule::Transport, same.into_iter().collect());
                self.flat(structured);
            }
            (Some(structured), _) => {
                let error = ErrorBody::new(
                    ErrorCode::InternalContract,
                    "the first content block is not a text with the JSON of `structuredContent`",
                    "put the same JSON into the first text block",
                );
                self.settle(FormatRule::Transport, vec![error.at_field("content[0]")]);
                self.flat(structured);
            }
            (None, Some(Ok(value))) => {
                let error = ErrorBody::new(
                    ErrorCode::InternalContract,
                    "`structuredContent` is absent",
                    "send the object of the first text block as `structuredContent` too",
                );
                self.settle(FormatRule::Transport, vec![error.at_field("structuredContent")]);
                self.flat(&value);
            }
            (None, _) => {
                let reason = "the result is neither structured nor JSON in its first text block";
                let error =
                    ErrorBody::new(ErrorCode::FormatUnknown, reason, "return an object with `format`");
                self.settle(FormatRule::OneFormat, vec![error.at_field("content[0]")]);
            }
        }
    }

    /// Rule 5.
    fn error(&mut self, text: Option<&str>, structured: Option<&Value>) {
        self.report.is_error = true;
        let mut errors = Vec::new();
        match text.map(ErrorBody::parse) {
            None => errors.push(ErrorBody::new(
                ErrorCode::ParamMissing,
                "the error has no text block",
                "put the error body as JSON into the first text block",
            )),
            Some(Err(error)) => errors.push(ErrorBody::new(
                ErrorCode::FormatMismatch,
                format!("the first text block is not an error body: {error}"),
                "send `error_code`, `reason` and `suggestion` as JSON",
            )),
            Some(Ok(body)) => {
                errors.extend(text::said("reason", &body.reason));
                errors.extend(text::said("suggestion", &body.suggestion));
            }
        }
        if structured.is_some() {
            let reason =
                "an error has `structuredContent`, which would have to match the tool's success schema";
            errors.push(
                ErrorBody::new(ErrorCode::InternalContract, reason, "leave it out of errors")
                    .at_field("structuredContent"),
            );
        }
        let errors = errors.into_iter().map(|error| match error.field {
            Some(_) => error,
            None => error.at_field("content[0]"),
        });
        self.settle(FormatRule::Errors, errors.collect());
    }

    /// A structured value.
    fn flat(&mut self, value: &Value) {
        if let Some(members) = value.as_object() {
            self.presence(members);
            if let Some(mixed) = mixed_fields(members) {
                self.report.format =
                    members.get("format").and_then(Value::as_str).and_then(FormatKind::parse);
                return self.settle(FormatRule::OneFormat, vec![mixed]);
            }
        }
        let old = old_text(value);
        match ToolOutputFormat::parse(value) {
            Ok(format) => {
                self.report.format = Some(format.kind());
                self.settle(FormatRule::OneFormat, Vec::new());
                self.format(value, &format, old);
            }
            Err(error) => {
                let named = value.get("format").and_then(Value::as_str).and_then(FormatKind::parse);
                self.report.format = named;
                let rule = match (named, error.error_code) {
                    (Some(kind), _) => rule_of(kind),
                    (None, ErrorCode::FormatUnknown) if old.is_some() => FormatRule::Code,
                    (None, _) => FormatRule::OneFormat,
                };
                self.settle(rule, vec![old.unwrap_or(error)]);
            }
        }
    }

    fn presence(&mut self, members: &Map<String, Value>) {
        let errors = nulls::places(members).into_iter().map(|(place, name)| {
            let reason = format!("`{place}` is null");
            ErrorBody::new(ErrorCode::ParamType, reason, format!("leave `{name}` out")).at_field(place)
        });
        self.settle(FormatRule::Presence, errors.collect());
    }

    fn format(&mut self, value: &Value, format: &ToolOutputFormat, old: Option<ErrorBody>) {
        // While the old field is announced as deprecated, it may be there beside the new one.
        let announced = value.get("deprecation").is_some_and(Value::is_object);
        let mut errors: Vec<ErrorBody> = old.filter(|_| !announced).into_iter().collect();
        match format {
            ToolOutputFormat::Code { code, language, description } => {
                errors.extend(text::said("code_language", language));
                errors.extend(text::said("code_description", description));
                let is_parser = self.tool.is_some_and(|tool| PARSER_TOOLS.contains(&tool))
                    || value.pointer("/validation_results/bridge/valid") == Some(&Value::Bool(true));
                self.look(text::code(language, code, is_parser), &mut errors);
            }
            ToolOutputFormat::YamlRule { yaml, schema_version, .. } => {
                self.look(text::rule(schema_version, yaml), &mut errors);
                if value.get("yaml_rule").is_none()
                    && value.get("schema_version").is_some()
                    && value.get("yaml").is_none()
                {
                    let reason = "the rule is in a field with an older name";
                    errors.push(
                        ErrorBody::new(ErrorCode::ParamUnknown, reason, "call the field `yaml_rule`")
                            .at_field("yaml_rule"),
                    );
                }
            }
            ToolOutputFormat::Hybrid { yaml_rule, python_code, decision_reason, .. } => {
                let version = value.get("schema_version").and_then(Value::as_str);
                let version = version.unwrap_or(crate::format::EXTRACTION_RULES_V1);
                self.look(text::rule(version, yaml_rule), &mut errors);
                errors.extend(text::said("decision_reason", decision_reason));
                if let Some(code) = python_code {
                    self.look(text::fallback(code), &mut errors);
                }
                if let Some(tool) = self.tool.filter(|tool| *tool != HYBRID_TOOL) {
                    let reason = format!("`{tool}` returns a rule with code; only `{HYBRID_TOOL}` does");
                    errors.push(
                        ErrorBody::new(ErrorCode::FormatMixed, reason, "return `yaml_rule` or `code`")
                            .at_field("format"),
                    );
                }
            }
            ToolOutputFormat::Metadata { format_version, .. } => {
                errors.extend(self.version(format_version));
                errors.extend(value.as_object().into_iter().flatten().filter_map(text_in_text));
            }
        }
        self.settle(rule_of(format.kind()), errors);
    }

    fn look(&mut self, inside: TextFinding, errors: &mut Vec<ErrorBody>) {
        match inside {
            TextFinding::Good => {}
            TextFinding::Bad(found) => errors.extend(found),
            TextFinding::Unread(note) => self.report.notes.push(note),
        }
    }

    /// `<tool>.v1`.
    fn version(&self, format_version: &str) -> Option<ErrorBody> {
        let (name, number) = format_version.rsplit_once(".v").unwrap_or((format_version, ""));
        let shaped =
            !name.is_empty() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let fits = shaped && self.tool.is_none_or(|tool| tool == name);
        let expected = match self.tool {
            Some(tool) => Cow::Owned(format!("`{tool}.v1`")),
            None => Cow::Borrowed("`<tool>.v1`"),
        };
        (!fits).then(|| {
            let reason = format!("`format_version` is `{format_version}`; expected {expected}");
            ErrorBody::new(ErrorCode::ParamRange, reason, "name the tool and a version")
                .at_field("format_version")
        })
    }

    fn settle(&mut self, rule: FormatRule, errors: Vec<ErrorBody>) {
        let outcome = match errors.is_empty() {
            true => RuleOutcome::Holds,
            false => RuleOutcome::Broken(errors),
        };
        if let Some((_, slot)) = self.report.rules.iter_mut().find(|(known, _)| *known == rule) {
            *slot = outcome;
        }
    }
}

fn rule_of(kind: FormatKind) -> FormatRule {
    match kind {
        FormatKind::Code => FormatRule::Code,
        FormatKind::YamlRule => FormatRule::YamlRule,
        FormatKind::Hybrid => FormatRule::Hybrid,
        FormatKind::Metadata => FormatRule::Metadata,
    }
}

/// The error for a text in a field of the time before formats.
fn old_text(value: &Value) -> Option<ErrorBody> {
    let field = LEGACY_FIELDS.into_iter().find(|field| value.get(field).is_some_and(Value::is_string))?;
    let reason = format!("`{field}` does not say what it holds");
    let suggestion = "use `code`, or `yaml_rule` with an optional `python_code`";
    Some(ErrorBody::new(ErrorCode::ParamUnknown, reason, suggestion).at_field(field))
}

/// The error for structure that is hidden in a text.
fn text_in_text((name, value): (&String, &Value)) -> Option<ErrorBody> {
    let text = value.as_str()?.trim_start();
    let hidden = text.starts_with(['{', '[']) && serde_json::from_str::<Value>(text).is_ok();
    hidden.then(|| {
        let reason = format!("`{name}` is JSON inside a string");
        ErrorBody::new(ErrorCode::ParamType, reason, "give the value itself").at_field(name.as_str())
    })
}
