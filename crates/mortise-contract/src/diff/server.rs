//! Differences between what a server says about itself: protocol, capabilities, instructions.

use serde_json::{Map, Value};

use super::{Change, Level, Rule};
use crate::json::escape_token;

/// What a server says about itself, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Declaration<'a> {
    /// The protocol version in use.
    pub protocol_version: Option<&'a str>,
    /// `capabilities`.
    pub capabilities: Option<&'a Map<String, Value>>,
    /// `instructions`; an empty text for none.
    pub instructions: Option<&'a str>,
}

/// Differences between two declarations of a server. What only one side knows is not compared.
pub fn diff_servers(old: Declaration<'_>, new: Declaration<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    if let (Some(before), Some(after)) = (old.protocol_version, new.protocol_version) {
        protocol(before, after, &mut changes);
    }
    if let (Some(before), Some(after)) = (old.capabilities, new.capabilities) {
        capabilities(before, after, "/capabilities", &mut changes);
    }
    if let (Some(before), Some(after)) = (old.instructions, new.instructions)
        && before != after
    {
        changes.push(Change::of_tool(
            Rule::InstructionsChanged,
            Level::Warning,
            "/instructions",
            "`instructions` changed",
        ));
    }
    changes
}

/// Versions are dates, so the order of their texts is theirs.
fn protocol(before: &str, after: &str, changes: &mut Vec<Change>) {
    let (rule, level, message) = match before.cmp(after) {
        std::cmp::Ordering::Equal => return,
        std::cmp::Ordering::Greater => (
            Rule::CapabilityDropped,
            Level::Breaking,
            format!("the protocol version {before} is gone, {after} is the newest now"),
        ),
        std::cmp::Ordering::Less => (
            Rule::CapabilityAdded,
            Level::Safe,
            format!("the protocol version is {after} now, after {before}"),
        ),
    };
    changes.push(Change::of_tool(rule, level, "/protocol_version", message));
}

fn capabilities(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    at: &str,
    changes: &mut Vec<Change>,
) {
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let pointer = format!("{at}/{}", escape_token(name));
        let mut push = |rule, level, message: String| {
            changes.push(Change::of_tool(rule, level, pointer.clone(), message))
        };
        match (offered(name, before.get(name)), offered(name, after.get(name))) {
            (Some(_), None) => {
                push(Rule::CapabilityDropped, Level::Breaking, format!("the capability `{name}` is gone"));
            }
            (None, Some(_)) => {
                push(Rule::CapabilityAdded, Level::Safe, format!("the capability `{name}` is new"));
            }
            (Some(Value::Object(before)), Some(Value::Object(after))) => {
                capabilities(before, after, &pointer, changes);
            }
            (Some(before), Some(after)) if before != after => {
                push(Rule::FieldChanged, Level::Info, format!("the capability `{name}` changed"));
            }
            _ => {}
        }
    }
}

/// `false` is the same as nothing, and so is a list of further capabilities with none in it.
fn offered<'a>(name: &str, capability: Option<&'a Value>) -> Option<&'a Value> {
    let lists_others = ["experimental", "extensions"].contains(&name);
    capability.filter(|value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::Object(members) => !(lists_others && members.is_empty()),
        _ => true,
    })
}
