//! The limits between YAML and Python as they are set: by files, by variables, by a call.

use std::collections::BTreeMap;

use super::{DecisionConfig, DecisionSensitivity};

/// A setting with a value that it can't have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` is no value for {name}: expected {expected}")]
pub struct SettingError {
    pub name: &'static str,
    pub value: String,
    /// What it could hold.
    pub expected: &'static str,
}

/// The variables that set [`DecisionLimits`], each for the field of its name.
pub const VARIABLES: [&str; 6] = [
    "MORTISE_RECOMMEND_REGEX_CHARS",
    "MORTISE_RECOMMEND_GROUPS",
    "MORTISE_FORCE_REGEX_CHARS",
    "MORTISE_FORCE_GROUPS",
    "MORTISE_PREFER_YAML",
    "MORTISE_SENSITIVITY",
];

/// Some of the fields of [`DecisionConfig`]; what is absent changes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecisionLimits {
    /// See [`DecisionConfig::recommend_regex_chars`].
    pub recommend_regex_chars: Option<usize>,
    /// See [`DecisionConfig::recommend_groups`].
    pub recommend_groups: Option<usize>,
    /// See [`DecisionConfig::force_regex_chars`].
    pub force_regex_chars: Option<usize>,
    /// See [`DecisionConfig::force_groups`].
    pub force_groups: Option<usize>,
    /// See [`DecisionConfig::prefer_yaml`].
    pub prefer_yaml: Option<bool>,
    /// See [`DecisionConfig::sensitivity`].
    pub sensitivity: Option<DecisionSensitivity>,
}

impl DecisionLimits {
    /// What `variable` gives for the names of [`VARIABLES`]; what is empty is absent.
    ///
    /// # Errors
    ///
    /// A value that is none.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, SettingError> {
        let mut limits = Self::default();
        for name in VARIABLES {
            let Some(value) = variable(name).filter(|value| !value.is_empty()) else { continue };
            let number = || {
                let number = value.parse::<u32>().ok().and_then(|number| usize::try_from(number).ok());
                number.map(Some).ok_or(SettingError {
                    name,
                    value: value.clone(),
                    expected: "a whole number",
                })
            };
            match name {
                "MORTISE_RECOMMEND_REGEX_CHARS" => limits.recommend_regex_chars = number()?,
                "MORTISE_RECOMMEND_GROUPS" => limits.recommend_groups = number()?,
                "MORTISE_FORCE_REGEX_CHARS" => limits.force_regex_chars = number()?,
                "MORTISE_FORCE_GROUPS" => limits.force_groups = number()?,
                "MORTISE_PREFER_YAML" => {
                    limits.prefer_yaml = Some(match value.as_str() {
                        "true" | "1" => true,
                        "false" | "0" => false,
                        _ => return Err(SettingError { name, value, expected: "`true` or `false`" }),
                    });
                }
                _ => {
                    limits.sensitivity = Some(match value.as_str() {
                        "strict" => DecisionSensitivity::Strict,
                        "loose" => DecisionSensitivity::Loose,
                        _ => return Err(SettingError { name, value, expected: "`strict` or `loose`" }),
                    });
                }
            }
        }
        Ok(limits)
    }

    /// What is set here, and the rest as in `base`.
    #[must_use]
    pub fn over(&self, base: DecisionConfig) -> DecisionConfig {
        DecisionConfig {
            recommend_regex_chars: self.recommend_regex_chars.unwrap_or(base.recommend_regex_chars),
            recommend_groups: self.recommend_groups.unwrap_or(base.recommend_groups),
            force_regex_chars: self.force_regex_chars.unwrap_or(base.force_regex_chars),
            force_groups: self.force_groups.unwrap_or(base.force_groups),
            prefer_yaml: self.prefer_yaml.unwrap_or(base.prefer_yaml),
            sensitivity: self.sensitivity.unwrap_or(base.sensitivity),
        }
    }
}

/// What an operator has set, from the most general to the most specific: for all, for a source, in the environment.
/// A call's own settings go over all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionLayers {
    /// For every call.
    pub global: DecisionLimits,
    /// For calls about a source, by its id.
    pub sources: BTreeMap<String, DecisionLimits>,
    pub environment: DecisionLimits,
}

impl DecisionLayers {
    /// What holds for a call about this source, if it names one.
    pub fn of(&self, source_id: Option<&str>) -> DecisionConfig {
        let source = source_id.and_then(|id| self.sources.get(id)).copied().unwrap_or_default();
        self.environment.over(source.over(self.global.over(DecisionConfig::default())))
    }
}
