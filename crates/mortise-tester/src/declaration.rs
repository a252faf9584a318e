//! The tools of the tester as they are advertised: names, descriptions, inputs and return schemas.
//!
//! Nine of them are fixed: what `seed.json` says of them stays as it is, word for word. More
//! inputs and more returned fields are laid over it and never take anything away.

use mortise_contract::embedded;
use serde_json::{Map, Value};

/// The nine fixed tools.
const SEED: &str = include_str!("seed.json");
/// A line of a fixed description that is out of date, and what stands there instead.
const OUTDATED: (&str, &str) = (
    "For local servers, this will be implemented in Phase 2.",
    "For local servers, provide the command with its arguments, environment and working directory.",
);

/// What is advertised of one tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The tool's name, without the prefix that a client puts before it.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it takes.
    pub input: Value,
    /// What it returns, failures included.
    pub returns: Value,
}

/// The nine fixed tools, in the order in which they are described.
pub fn fixed() -> Vec<Declaration> {
    let seed = embedded::json(SEED);
    let text = |tool: &Value, key: &str| tool[key].as_str().unwrap_or_default().to_owned();
    seed.as_array()
        .into_iter()
        .flatten()
        .map(|tool| Declaration {
            name: text(tool, "name"),
            description: text(tool, "description").replace(OUTDATED.0, OUTDATED.1),
            input: tool["input"].clone(),
            returns: tool["returns"].clone(),
        })
        .collect()
}

/// Lays `more` over `schema`: objects are merged, what is there already stays.
pub fn lay_over(schema: &mut Value, more: Value) {
    match (schema, more) {
        (Value::Object(schema), Value::Object(more)) => merge(schema, more),
        (schema @ Value::Null, more) => *schema = more,
        _ => {}
    }
}

fn merge(schema: &mut Map<String, Value>, more: Map<String, Value>) {
    for (key, value) in more {
        lay_over(schema.entry(key).or_insert(Value::Null), value);
    }
}

#[cfg(test)]
mod tests;
