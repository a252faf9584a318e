//! What decides between YAML and Python.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    pub sensitivity: Sensitivity,
}

impl Default for DecisionConfig {
    fn default() -> Self {
        Self {
            recommend_regex_chars: 100,
            recommend_groups: 5,
            force_regex_chars: 200,
            force_groups: 10,
            prefer_yaml: true,
            sensitivity: Sensitivity::Strict,
        }
    }
}

/// How eager recommendations are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sensitivity {
    /// Recommend Python beyond the recommending limits.
    #[default]
    Strict,
    /// Never recommend.
    Loose,
}
