//! What decides between YAML and Python.

mod settings;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mortise_formats::rules::{MAX_PATTERN_CHARS, MAX_PATTERN_GROUPS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::semantic::{day_order, is_compact_date, is_digits, is_iso_date, month_number};

pub use settings::{DecisionLayers, DecisionLimits, SettingError, VARIABLES};

/// Limits of what a rule in YAML is asked to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionConfig {
    /// Characters of a pattern beyond which Python is recommended.
    pub recommend_regex_chars: usize,
    /// Groups of a pattern beyond which Python is recommended.
    pub recommend_groups: usize,
    /// Characters of a pattern beyond which Python is needed.
    pub force_regex_chars: usize,
    /// Groups of a pattern beyond which Python is needed.
    pub force_groups: usize,
    /// Whether a pattern beyond the recommending limits stays YAML.
    pub prefer_yaml: bool,
    /// Whether recommendations are made at all.
    pub sensitivity: DecisionSensitivity,
}

impl Default for DecisionConfig {
    fn default() -> Self {
        Self {
            recommend_regex_chars: 100,
            recommend_groups: 5,
            force_regex_chars: 200,
            force_groups: 10,
            prefer_yaml: true,
            sensitivity: DecisionSensitivity::Strict,
        }
    }
}

/// How eager recommendations are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DecisionSensitivity {
    /// Recommend Python beyond the recommending limits.
    #[default]
    Strict,
    /// Never recommend.
    Loose,
}

/// What the size of a pattern asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternClass {
    /// A rule says it well.
    Yaml,
    /// A rule says it, and Python would say it better.
    Recommend,
    /// A rule can't say it.
    Force,
}

impl DecisionConfig {
    /// What the size of a pattern asks for.
    pub fn pattern(&self, regex: &str) -> PatternClass {
        let chars = regex.chars().count();
        let groups = regex::Regex::new(regex).map_or(0, |regex| regex.captures_len() - 1);
        // Whatever is wanted, a rule holds no more than this.
        let (most_chars, most_groups) =
            (self.force_regex_chars.min(MAX_PATTERN_CHARS), self.force_groups.min(MAX_PATTERN_GROUPS));
        if chars > most_chars || groups > most_groups {
            return PatternClass::Force;
        }
        match chars > self.recommend_regex_chars || groups > self.recommend_groups {
            true if !self.prefer_yaml => PatternClass::Force,
            true if self.sensitivity == DecisionSensitivity::Strict => PatternClass::Recommend,
            _ => PatternClass::Yaml,
        }
    }
}

/// What the values of a field are that a rule can't convert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Inexpressible {
    /// Several known forms side by side, by name.
    Mixed(Vec<PathValueForm>),
    /// Base64 of readable text.
    Base64,
    UrlEncoded,
    MonthWords,
    /// The name of the field says that it is computed.
    ComputedName(&'static str),
}

/// A form of value that is known on sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PathValueForm {
    /// `2024-01-15`.
    IsoDate,
    /// `15-01-2024`.
    DayMonthYear,
    /// `20240115`.
    CompactDate,
    Integer,
    /// Two or three letters.
    Code,
}

impl PathValueForm {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::IsoDate => "ISO date",
            Self::DayMonthYear => "D-M-Y date",
            Self::CompactDate => "compact date",
            Self::Integer => "integer",
            Self::Code => "letter code",
        }
    }

    fn of(value: &str) -> Option<Self> {
        let is_code = (2..=3).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_alphabetic());
        match value {
            value if is_iso_date(value) => Some(Self::IsoDate),
            value if day_order(value).is_some() => Some(Self::DayMonthYear),
            value if is_compact_date(value) => Some(Self::CompactDate),
            value if is_digits(value) => Some(Self::Integer),
            _ if is_code => Some(Self::Code),
            _ => None,
        }
    }

    pub(crate) fn is_date(self) -> bool {
        matches!(self, Self::IsoDate | Self::DayMonthYear | Self::CompactDate)
    }
}

const COMPUTED: [&str; 6] = ["total", "sum", "average", "diff", "ratio", "percent"];

/// Why a rule can't give a field of this name and these values, if it can't.
pub(crate) fn inexpressible(name: &str, values: &[&str]) -> Option<Inexpressible> {
    if let Some(token) = COMPUTED.iter().find(|token| name.split('_').any(|part| part == **token)) {
        return Some(Inexpressible::ComputedName(token));
    }
    if values.is_empty() {
        return None;
    }
    if values.iter().all(|value| month_number(value).is_some()) {
        return Some(Inexpressible::MonthWords);
    }
    let forms: Option<Vec<PathValueForm>> = values.iter().map(|value| PathValueForm::of(value)).collect();
    if let Some(mut forms) = forms {
        forms.sort_unstable();
        forms.dedup();
        if forms.len() > 1 {
            return Some(Inexpressible::Mixed(forms));
        }
    }
    if values.iter().any(|value| is_base64_text(value)) {
        return Some(Inexpressible::Base64);
    }
    values.iter().any(|value| is_url_encoded(value)).then_some(Inexpressible::UrlEncoded)
}

fn is_base64_text(value: &str) -> bool {
    let decoded = || STANDARD.decode(value).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    value.len() >= 20
        && value.len().is_multiple_of(4)
        && !is_digits(value)
        && decoded().is_some_and(|text| !text.chars().any(char::is_control))
}

fn is_url_encoded(value: &str) -> bool {
    value
        .as_bytes()
        .windows(3)
        .any(|three| three[0] == b'%' && three[1].is_ascii_hexdigit() && three[2].is_ascii_hexdigit())
}

#[cfg(test)]
mod tests;
