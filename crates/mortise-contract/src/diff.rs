//! What a change of a contract breaks, with proof.
//!
//! A schema is a set of values. An **input** may only grow: what callers send
//! today must be accepted tomorrow. An **output** may only shrink: what callers
//! are prepared for today must cover what comes tomorrow. A structural walk over
//! both schemas finds and names the changes; set algebra and the validators
//! decide whether they matter. Every break carries a [witness](Change::witness):
//! a value that one side accepts and the other does not, checked with both.

mod array;
mod combine;
mod contract;
mod cost;
mod item;
mod object;
mod prove;
mod rule;
mod scalar;
mod server;
mod side;
mod strictness;
mod text;
mod union;
mod walk;

use serde::Serialize;
use serde_json::Value;

pub use contract::{diff_contracts, diff_tools};
pub use item::{diff_prompts, diff_resources};
pub use rule::Rule;
pub use server::{Declaration, diff_servers};
pub use strictness::{Bump, Strictness};

/// Which way values flow through a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// Callers make the values.
    Input,
    /// The server makes the values.
    Output,
}

/// How much a change matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Level {
    /// Nothing that a program could notice.
    Info,
    /// The surface grew, and everything that worked still works.
    Safe,
    /// Someone should look, or it can't be decided.
    Warning,
    /// Something that worked no longer does.
    Breaking,
}

/// How sure a level is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// The rule alone decides; there is nothing to prove.
    ByRule,
    /// A value shows it.
    Witnessed,
    /// It looks breaking, but the new schema provably admits no surprise.
    ProvenSafe,
    /// It looks breaking, and no value could be found that shows it.
    NotProven,
}

/// One difference between two contracts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Which rule saw it.
    pub rule: Rule,
    /// Whether it is in the input or the output; neither for changes of the tool itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// How much it matters.
    pub level: Level,
    /// JSON pointer to the place: in the new schema, or in the old one for what is gone.
    pub pointer: String,
    /// What changed, for a person.
    pub message: String,
    /// How sure that is.
    pub proof: Proof,
    /// A whole value that shows the break. Input: valid before, invalid now. Output: valid now, invalid before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Value>,
}

/// All differences between two schemas, in the order of the schema; none for equal ones, and none for
/// ones that mean the same.
///
/// ```
/// use mortise_contract::diff::{Level, Role, diff_schemas};
/// use serde_json::json;
///
/// let old = json!({"type": "object", "properties": {"a": {"enum": ["x", "y"]}}});
/// let new = json!({"type": "object", "properties": {"a": {"enum": ["x", "y", "z"]}}});
///
/// assert_eq!(diff_schemas(&old, &new, Role::Input)[0].level, Level::Safe);
/// let change = &diff_schemas(&old, &new, Role::Output)[0];
/// assert_eq!(change.level, Level::Breaking);
/// assert_eq!(change.witness, Some(json!({"a": "z"})));
/// ```
pub fn diff_schemas(old: &Value, new: &Value, role: Role) -> Vec<Change> {
    if old == new {
        return Vec::new();
    }
    prove::prove(old, new, role, walk::walk(old, new, role))
}

impl Change {
    /// A change that no schema is about.
    pub fn of_tool(rule: Rule, level: Level, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            rule,
            role: None,
            level,
            pointer: pointer.into(),
            message: message.into(),
            proof: Proof::ByRule,
            witness: None,
        }
    }
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
