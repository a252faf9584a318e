//! The checks of what is inside a format's texts.

use crate::format::{EXTRACTION_RULES_V1, ErrorBody, ErrorCode};

use crate::python::{BridgeOptions, Module, check_extractor};
use crate::rules::RuleDocument;
use crate::yaml::{self, Extent};

/// What a text turned out to be.
pub(super) enum TextFinding {
    /// As it should be.
    Good,
    /// Wrong, in these ways.
    Bad(Vec<ErrorBody>),
    /// In a language that is not read here.
    Unread(String),
}

/// Source text: it parses, and a parser keeps the bridge protocol.
pub(super) fn code(language: &str, code: &str, is_parser: bool) -> TextFinding {
    if !language.eq_ignore_ascii_case("python") {
        return TextFinding::Unread(format!("the {language} in `code` was not parsed; only Python is"));
    }
    let module = match Module::parse(code) {
        Ok(module) => module,
        Err(error) => return TextFinding::Bad(vec![error.at_field("code")]),
    };
    let error = is_parser.then(|| module.check_bridge(&BridgeOptions::default()).error()).flatten();
    error.map_or(TextFinding::Good, |error| TextFinding::Bad(vec![error]))
}

/// A rule: it conforms to its schema.
pub(super) fn rule(schema_version: &str, text: &str) -> TextFinding {
    if schema_version == EXTRACTION_RULES_V1 {
        return match RuleDocument::parse(text) {
            Ok(_) => TextFinding::Good,
            Err(error) => TextFinding::Bad(vec![within("yaml_rule", error)]),
        };
    }
    match yaml::parse(text, Extent::Any) {
        Ok(_) => {
            TextFinding::Unread(format!("`{schema_version}` is not known here; only the YAML was parsed"))
        }
        Err(error) => TextFinding::Bad(vec![within("yaml_rule", error)]),
    }
}

/// The code beside a rule.
pub(super) fn fallback(code: &str) -> TextFinding {
    match check_extractor(code) {
        Ok(_) => TextFinding::Good,
        Err(error) => TextFinding::Bad(vec![within("python_code", error)]),
    }
}

/// A text that must say something.
pub(super) fn said(field: &str, text: &str) -> Option<ErrorBody> {
    text.trim().is_empty().then(|| {
        ErrorBody::new(
            ErrorCode::ParamMissing,
            format!("`{field}` is empty"),
            format!("say something in `{field}`"),
        )
        .at_field(field)
    })
}

/// The same error, with its field counted from the result.
fn within(field: &str, error: ErrorBody) -> ErrorBody {
    let field = match &error.field {
        Some(inner) => format!("{field}: {inner}"),
        None => field.to_owned(),
    };
    error.at_field(field)
}
