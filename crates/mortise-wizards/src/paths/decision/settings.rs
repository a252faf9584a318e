//! The limits between YAML and Python as an operator sets them.

use super::{DecisionConfig, Sensitivity};

/// A setting with a value that it can't have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` is no value for {name}: expected {expected}")]
pub struct SettingError {
    /// The variable.
    pub name: &'static str,
    /// What it holds.
    pub value: String,
    /// What it could hold.
    pub expected: &'static str,
}

/// The variables that set [`DecisionConfig`], each for the field of its name.
pub const VARIABLES: [&str; 6] = [
    "MORTISE_RECOMMEND_REGEX_CHARS",
    "MORTISE_RECOMMEND_GROUPS",
    "MORTISE_FORCE_REGEX_CHARS",
    "MORTISE_FORCE_GROUPS",
    "MORTISE_PREFER_YAML",
    "MORTISE_SENSITIVITY",
];

impl DecisionConfig {
    /// With what `variable` gives for the names of [`VARIABLES`]; what is absent or empty changes nothing.
    ///
    /// # Errors
    ///
    /// A value that is none.
    pub fn with_variables(mut self, variable: impl Fn(&str) -> Option<String>) -> Result<Self, SettingError> {
        for name in VARIABLES {
            let Some(value) = variable(name).filter(|value| !value.is_empty()) else { continue };
            let number = || {
                let number = value.parse::<u32>().ok().and_then(|number| usize::try_from(number).ok());
                number.ok_or(SettingError { name, value: value.clone(), expected: "a whole number" })
            };
            match name {
                "MORTISE_RECOMMEND_REGEX_CHARS" => self.recommend_regex_chars = number()?,
                "MORTISE_RECOMMEND_GROUPS" => self.recommend_groups = number()?,
                "MORTISE_FORCE_REGEX_CHARS" => self.force_regex_chars = number()?,
                "MORTISE_FORCE_GROUPS" => self.force_groups = number()?,
                "MORTISE_PREFER_YAML" => {
                    self.prefer_yaml = match value.as_str() {
                        "true" | "1" => true,
                        "false" | "0" => false,
                        _ => return Err(SettingError { name, value, expected: "`true` or `false`" }),
                    }
                }
                _ => {
                    self.sensitivity = match value.as_str() {
                        "strict" => Sensitivity::Strict,
                        "loose" => Sensitivity::Loose,
                        _ => return Err(SettingError { name, value, expected: "`strict` or `loose`" }),
                    }
                }
            }
        }
        Ok(self)
    }
}
