//! The settings of the data wizards.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The settings of the data wizards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wizards {
    /// What decides between a rule in YAML and Python.
    pub decision: Decision,
    /// What decides for single sources, by their ids.
    pub sources: BTreeMap<String, Decision>,
    /// Folders that are known as categories, by what they are: at least one each.
    pub words: BTreeMap<String, BTreeSet<String>>,
    /// How long a pipeline, a backtest or a discovery may take.
    pub timeout: Option<Duration>,
    /// Bytes of all tables that one pipeline may write.
    pub max_output_bytes: Option<u64>,
}

/// What decides between a rule in YAML and Python; what is absent is as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Characters of a pattern beyond which Python is recommended.
    pub recommend_regex_chars: Option<usize>,
    /// Groups of a pattern beyond which Python is recommended.
    pub recommend_groups: Option<usize>,
    /// Characters of a pattern beyond which Python is needed.
    pub force_regex_chars: Option<usize>,
    /// Groups of a pattern beyond which Python is needed.
    pub force_groups: Option<usize>,
    /// Whether a pattern that is only recommended against stays YAML.
    pub prefer_yaml: Option<bool>,
    /// Whether Python is recommended for long patterns.
    pub sensitivity: Option<Sensitivity>,
}

impl Decision {
    /// The largest limit there is.
    pub const MAX: usize = 10_000;
}

/// Whether Python is recommended for long patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sensitivity {
    /// Python is recommended.
    Strict,
    /// Patterns stay YAML.
    Loose,
}
