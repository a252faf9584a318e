//! Does a tool's result keep the rules of the output formats?
//!
//! Takes what a tool answered, whole or only its structured value, and says for each rule whether it holds. A rule
//! that the result has nothing to do with does not apply.

mod nulls;
mod result;
mod text;

use std::fmt;

use serde_json::{Value, json};

use crate::format::{ErrorBody, FormatKind};

pub use result::check;

/// A rule of the output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FormatRule {
    /// FormatRule 1: source text is in `code`, has a language and a description, and parses.
    Code,
    /// FormatRule 2: a rule is in `yaml_rule`, and conforms to its schema.
    YamlRule,
    /// Rule 3: a valid rule always, code only beside it, and the reason.
    Hybrid,
    /// Rule 4: structured data with a version.
    Metadata,
    /// Rule 5: an error has a code, a place, a reason and a suggestion.
    Errors,
    /// One result has one format.
    OneFormat,
    /// What is absent is left out, not null.
    Presence,
    /// The text block says the same as the structured value.
    Transport,
}

impl FormatRule {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 8] = [
        Self::Code,
        Self::YamlRule,
        Self::Hybrid,
        Self::Metadata,
        Self::Errors,
        Self::OneFormat,
        Self::Presence,
        Self::Transport,
    ];

    /// Its word in a report.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Its number among the five rules of formats; the others are about all of them.
    pub fn number(self) -> Option<u8> {
        match self {
            Self::Code => Some(1),
            Self::YamlRule => Some(2),
            Self::Hybrid => Some(3),
            Self::Metadata => Some(4),
            Self::Errors => Some(5),
            Self::OneFormat | Self::Presence | Self::Transport => None,
        }
    }

    /// What it demands, in a sentence.
    pub fn demand(self) -> &'static str {
        match self {
            Self::Code => "source text is in `code`, with a language and a description, and parses",
            Self::YamlRule => "the rule is in `yaml_rule` and conforms to its `schema_version`",
            Self::Hybrid => {
                "a valid `yaml_rule` always, `python_code` only beside it, a reason and a complexity"
            }
            Self::Metadata => "structured values in slots of their own, with a `format_version`",
            Self::Errors => "an error has a code, a reason and a suggestion, and no structured value",
            Self::OneFormat => "a result has the fields of one format",
            Self::Presence => "what is absent is left out, not null",
            Self::Transport => "the first text block is the same JSON as the structured value",
        }
    }
}

/// Whether one rule holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleOutcome {
    Holds,
    /// It does not; every way in which.
    Broken(Vec<ErrorBody>),
    /// The result is of another kind.
    NotApplicable,
}

/// What was found about a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatReport {
    /// Its format; none for an error, or if there is none to be seen.
    pub format: Option<FormatKind>,
    /// Whether the tool reported an error.
    pub is_error: bool,
    /// Every rule, in the order of [`FormatRule::ALL`].
    pub rules: Vec<(FormatRule, RuleOutcome)>,
    /// What could not be looked into.
    pub notes: Vec<String>,
}

impl FormatReport {
    /// Whether no rule is broken.
    pub fn holds(&self) -> bool {
        !self.rules.iter().any(|(_, outcome)| matches!(outcome, RuleOutcome::Broken(_)))
    }

    pub fn outcome(&self, rule: FormatRule) -> &RuleOutcome {
        self.rules
            .iter()
            .find(|(known, _)| *known == rule)
            .map_or(&RuleOutcome::NotApplicable, |(_, outcome)| outcome)
    }

    /// The report as JSON.
    pub fn to_value(&self) -> Value {
        let rules = self.rules.iter().map(|(rule, outcome)| {
            let mut value = json!({"rule": rule.as_str(), "status": outcome.as_str()});
            if let (Some(members), Some(number)) = (value.as_object_mut(), rule.number()) {
                members.insert("number".to_owned(), json!(number));
            }
            if let (Some(members), RuleOutcome::Broken(errors)) = (value.as_object_mut(), outcome) {
                members.insert("errors".to_owned(), errors.iter().map(ErrorBody::to_value).collect());
            }
            value
        });
        let mut value =
            json!({"ok": self.holds(), "is_error": self.is_error, "rules": rules.collect::<Vec<_>>()});
        if let Some(members) = value.as_object_mut() {
            if let Some(format) = self.format {
                members.insert("format".to_owned(), json!(format));
            }
            if !self.notes.is_empty() {
                members.insert("notes".to_owned(), json!(self.notes));
            }
        }
        value
    }
}

impl RuleOutcome {
    /// The word in a report.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Holds => "ok",
            Self::Broken(_) => "broken",
            Self::NotApplicable => "not_applicable",
        }
    }
}

impl fmt::Display for FormatRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number() {
            Some(number) => write!(formatter, "rule {number} ({})", self.as_str()),
            None => formatter.write_str(self.as_str()),
        }
    }
}

#[cfg(test)]
mod tests;
