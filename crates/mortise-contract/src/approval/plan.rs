//! What a program can call, as far as its source shows it.

use serde::{Deserialize, Serialize};

/// The tools that a program can call. Each call is compared with what was granted when it is made: a plan is what a
/// person is asked about, not what holds the program back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallPlan {
    /// One entry for each tool that the program names, sorted by name.
    pub tools: Vec<PlannedCalls>,
    /// The lines that look names up while the program runs (`globals()[name]`): such a program may call other tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lookups: Vec<u32>,
}

/// The calls of one tool that a program can make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedCalls {
    /// The name that the program uses: `mcp__tickets__update`.
    pub tool: String,
    /// The lines that name it, from 1, sorted.
    pub lines: Vec<u32>,
    /// How often it is called at most; `None` where the source does not show it.
    pub at_most: Option<u64>,
}

impl CallPlan {
    /// The calls of one tool.
    pub fn calls_of(&self, tool: &str) -> Option<&PlannedCalls> {
        self.tools.iter().find(|planned| planned.tool == tool)
    }
}
