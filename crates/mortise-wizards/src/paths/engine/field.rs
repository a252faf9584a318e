//! One field of a path: source, pattern, normalisation, type.

use std::borrow::Cow;

use chrono::NaiveDate;
use mortise_formats::format::{ErrorBody, ErrorCode};
use mortise_formats::rules::{DefaultValue, FieldSource, FieldType, Normalize, RuleField};
use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::paths::path::RulePath;

/// Why a field has no value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldFailure {
    /// Which field
    pub(crate) field: String,
    /// The step that failed
    pub(crate) step: FailedStep,
    /// What was found
    pub(crate) reason: String,
}

/// The steps from a path to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FailedStep {
    /// The part of the path is not there.
    From,
    /// The pattern is not found.
    Pattern,
    /// The text is not a value of the type.
    Type,
    /// The number is out of bounds.
    Validate,
}

type Step<T> = Result<T, (FailedStep, String)>;

#[derive(Debug)]
pub(super) struct CompiledField {
    from: FieldSource,
    pattern: Option<CompiledPattern>,
    normalize: Option<Normalize>,
    field_type: FieldType,
    default: Option<Value>,
}

#[derive(Debug)]
struct CompiledPattern {
    regex: Regex,
    /// 0 is the whole match.
    group: usize,
}

impl CompiledField {
    pub(super) fn new(field: &RuleField) -> Result<Self, ErrorBody> {
        let pattern = field.pattern.as_ref().map(|pattern| {
            let regex = Regex::new(&pattern.regex).map_err(|error| {
                let reason = format!("the pattern does not compile: {error}");
                ErrorBody::new(ErrorCode::RegexInvalid, reason, "correct the pattern")
            })?;
            let group = if regex.captures_len() == 1 { 0 } else { pattern.capture };
            Ok::<_, ErrorBody>(CompiledPattern { regex, group })
        });
        Ok(Self {
            from: field.from,
            pattern: pattern.transpose()?,
            normalize: field.normalize,
            field_type: field.field_type.clone(),
            default: field.default.as_ref().map(|default| match default {
                DefaultValue::Text(text) => json!(text),
                DefaultValue::Integer(number) => json!(number),
                DefaultValue::Boolean(truth) => json!(truth),
            }),
        })
    }

    pub(super) fn default(&self) -> Option<Value> {
        self.default.clone()
    }

    /// The field's value in a path.
    pub(super) fn value(&self, path: &RulePath) -> Step<Value> {
        let text = self.source(path)?;
        let text = self.matched(text)?;
        let text = match self.normalize {
            Some(normalize) => Cow::Owned(normalize.apply(text)),
            None => Cow::Borrowed(text),
        };
        self.typed(&text)
    }

    fn source<'a>(&self, path: &'a RulePath) -> Step<&'a str> {
        match self.from {
            FieldSource::Segment(index) => path.counted_from_end(usize::from(index)).ok_or_else(|| {
                let depth = path.depth();
                let segments = if depth == 1 { "segment" } else { "segments" };
                (FailedStep::From, format!("segment(-{index}) out of range: path has {depth} {segments}"))
            }),
            FieldSource::Filename => Ok(path.filename()),
            // A path below the source's root is what the engine gets in the first place.
            FieldSource::FullPath | FieldSource::RelPath => Ok(path.as_str()),
        }
    }

    fn matched<'a>(&self, text: &'a str) -> Step<&'a str> {
        let Some(CompiledPattern { regex, group }) = &self.pattern else { return Ok(text) };
        let found = match group {
            0 => regex.find(text),
            group => regex.captures(text).and_then(|captures| captures.get(*group)),
        };
        found
            .map(|found| found.as_str())
            .ok_or_else(|| (FailedStep::Pattern, format!("`{}` does not match `{text}`", regex.as_str())))
    }

    fn typed(&self, text: &str) -> Step<Value> {
        let wrong = |what: &str| Err((FailedStep::Type, format!("`{text}` is no {what}")));
        match &self.field_type {
            FieldType::String if text.is_empty() => wrong("value: it is empty"),
            FieldType::String => Ok(json!(text)),
            FieldType::Integer { range } => {
                let Some(number) = integer(text) else { return wrong("integer") };
                match range {
                    Some(range) if !range.contains(number) => {
                        Err((FailedStep::Validate, format!("{number} is not within {range}")))
                    }
                    _ => Ok(json!(number)),
                }
            }
            FieldType::Date { format } => match date(text, format) {
                Some(date) => Ok(json!(date.format("%Y-%m-%d").to_string())),
                None => wrong(&format!("date as `{format}`")),
            },
            FieldType::Uuid if is_uuid(text) => Ok(json!(text.to_ascii_lowercase())),
            FieldType::Uuid => wrong("UUID"),
        }
    }
}

/// Digits with an optional sign that fit 64 bits.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok())?
}

/// A day in a strftime format, digits in their full width.
pub(crate) fn date(text: &str, format: &str) -> Option<NaiveDate> {
    let (date, rest) = NaiveDate::parse_and_remainder(text, format).ok()?;
    // A parser that takes `2024-1-5` for `%Y-%m-%d` would make two texts of one day.
    (rest.is_empty() && date.format(format).to_string() == text).then_some(date)
}

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// The texts that a field is made from, before its type, in the paths that have one.
pub(crate) fn raw_values<'a>(field: &RuleField, paths: &'a [RulePath]) -> Vec<&'a str> {
    let Ok(compiled) = CompiledField::new(field) else { return Vec::new() };
    paths
        .iter()
        .filter_map(|path| compiled.source(path).and_then(|text| compiled.matched(text)).ok())
        .collect()
}

/// The values of a field as texts, one for each path.
pub(crate) fn typed_texts(field: &RuleField, paths: &[RulePath]) -> Vec<Option<String>> {
    let Ok(compiled) = CompiledField::new(field) else { return vec![None; paths.len()] };
    let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    paths.iter().map(|path| compiled.value(path).ok().map(text)).collect()
}
