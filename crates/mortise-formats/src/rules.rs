//! Extraction rules: which files, what to read from their paths, and how to tag them.
//!
//! A [`RuleDocument`] is read from YAML ([`RuleDocument::parse`]), or put together in code and checked
//! ([`RuleDocument::new`]), and written as YAML ([`RuleDocument::to_yaml`]). Whatever holds one has rules that keep
//! `extraction_rules.v1`: globs and patterns compile, captures exist, conditions speak of declared fields. What
//! needs paths or the meaning of semantic expressions is for the rule engine to check.

mod check;
mod condition;
mod date;
mod emit;
mod field;
mod glob;
mod json;
mod read;
mod schema;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::format::ErrorBody;
use crate::limits;

pub use condition::{Condition, DatePart, Operator, TagCondition};
pub use date::{is_date_format, is_iso_date};
pub use field::{DefaultValue, FieldSource, FieldType, IntegerRange, Normalize, Pattern, RuleField};
pub use glob::{compile_glob, fixed_depth};
pub use schema::{schema, schema_text};

/// The most rules of a document.
pub const MAX_RULES: usize = limits::RULES;
/// The most fields of a rule.
pub const MAX_FIELDS: usize = limits::RULE_FIELDS;
/// The longest pattern, in characters.
pub const MAX_PATTERN_CHARS: usize = limits::RULE_PATTERN_CHARS;
/// The most groups of a pattern.
pub const MAX_PATTERN_GROUPS: usize = limits::RULE_PATTERN_GROUPS;
/// The priority of a rule that names none.
pub const DEFAULT_PRIORITY: i64 = 100;

/// A set of rules that keeps `extraction_rules.v1`.
///
/// ```
/// use mortise_formats::rules::{FieldSource, RuleDocument};
///
/// let document = RuleDocument::parse(
///     "name: readings\nglob: '**/????-??-??/*.csv'\nextract:\n  day: {from: segment(-2), type: date_iso}\ntag: readings\n",
/// )?;
/// let rule = &document.rules()[0];
/// assert_eq!(rule.fields[0].1.from, FieldSource::Segment(2));
/// assert_eq!(RuleDocument::parse(&document.to_yaml()?)?, document);
/// # Ok::<(), mortise_formats::format::ErrorBody>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RuleDocument {
    rules: Vec<ExtractionRule>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ExtractionRule {
    /// Its name, unique in the document.
    pub name: String,
    /// Which paths it is for; absent only where `semantic` says it.
    pub glob: Option<String>,
    /// The semantic expression that it comes from, or that stands for glob and fields.
    pub semantic: Option<String>,
    /// What it reads from a path, in order; nothing for a rule that only tags.
    pub fields: Vec<(String, RuleField)>,
    /// The tag of its files.
    pub tag: String,
    /// Other tags; the first whose condition holds wins over `tag`.
    pub tag_conditions: Vec<TagCondition>,
    /// Lower goes first; then by name.
    pub priority: i64,
    /// Whether it is used at all.
    pub enabled: bool,
    /// Where it comes from.
    pub source: Option<RuleSource>,
}

/// Where a rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RuleSource {
    Template,
    /// Inferred from paths.
    Inferred,
    /// Written by hand.
    Manual,
    /// Inferred, then changed by hand or by a hint.
    Hybrid,
}

impl RuleSource {
    pub const ALL: [Self; 4] = [Self::Template, Self::Inferred, Self::Manual, Self::Hybrid];

    /// The word in a document.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl ExtractionRule {
    /// A rule that tags what a glob matches.
    pub fn tagging(name: impl Into<String>, glob: impl Into<String>, tag: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            glob: Some(glob.into()),
            semantic: None,
            fields: Vec::new(),
            tag: tag.into(),
            tag_conditions: Vec::new(),
            priority: DEFAULT_PRIORITY,
            enabled: true,
            source: None,
        }
    }

    pub fn field(&self, name: &str) -> Option<&RuleField> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, field)| field)
    }

    /// The rule as in a canonical document.
    pub fn to_value(&self) -> Value {
        json::rule(self)
    }
}

/// A document with the places of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedRules {
    pub document: RuleDocument,
    lines: BTreeMap<String, u32>,
}

impl LocatedRules {
    /// The line of a value, from 1: `rules[0].extract.day.from`; that of what encloses it if it is not written.
    pub fn line_of(&self, field: &str) -> Option<u32> {
        line_of(&self.lines, field)
    }
}

impl RuleDocument {
    /// Rules put together in code, checked as those of a text.
    pub fn new(rules: Vec<ExtractionRule>) -> Result<Self, ErrorBody> {
        match ErrorBody::of_many(check::document(&rules)) {
            None => Ok(Self { rules }),
            Some(error) => Err(error),
        }
    }

    /// Reads a YAML text: a canonical document, one bare rule, or a bare list of rules.
    ///
    /// The first error is returned, with the others as its details. Each has the field and the line.
    pub fn parse(text: &str) -> Result<Self, ErrorBody> {
        Self::parse_located(text).map(|located| located.document)
    }

    /// As [`parse`](Self::parse), and keeps the lines for errors that are found later.
    pub fn parse_located(text: &str) -> Result<LocatedRules, ErrorBody> {
        let (rules, lines) = read::document(text)?;
        let located = |mut error: ErrorBody| {
            error.line = error.line.or_else(|| line_of(&lines, error.field.as_deref()?));
            error
        };
        match ErrorBody::of_many(check::document(&rules).into_iter().map(located)) {
            Some(error) => Err(error),
            None => Ok(LocatedRules { document: Self { rules }, lines }),
        }
    }

    /// The rules, in the order of the document.
    pub fn rules(&self) -> &[ExtractionRule] {
        &self.rules
    }

    /// The rules, to keep.
    pub fn into_rules(self) -> Vec<ExtractionRule> {
        self.rules
    }

    /// The canonical document as JSON; it fits [`schema`].
    pub fn to_value(&self) -> Value {
        json::document(&self.rules)
    }

    /// The canonical document as YAML, which reads back as the same rules.
    ///
    /// An error is a bug of the emitter: the text was read back and is not the same.
    pub fn to_yaml(&self) -> Result<String, ErrorBody> {
        emit::document(self)
    }
}

fn line_of(lines: &BTreeMap<String, u32>, field: &str) -> Option<u32> {
    let mut field = field;
    loop {
        if let Some(line) = lines.get(field) {
            return Some(*line);
        }
        field = match field.rfind(['.', '[']) {
            Some(end) => &field[..end],
            // The document as a whole.
            None => return lines.get("").copied(),
        };
    }
}

#[cfg(test)]
mod tests;
