//! Differences between resources, templates and prompts, as their servers list them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::contract::rewritten;
use super::{Change, Level, Rule};
use crate::json::escape_token;

/// Differences between two lists of resources or templates; `key` is `uri` or `uriTemplate`.
pub fn diff_resources(
    old: &[Map<String, Value>],
    new: &[Map<String, Value>],
    key: &str,
) -> Vec<(String, Change)> {
    paired(old, new, key)
        .into_iter()
        .flat_map(|(name, pair)| {
            let changes = match pair {
                (Some(_), None) => vec![Change::of_tool(
                    Rule::ResourceRemoved,
                    Level::Breaking,
                    "",
                    format!("`{name}` is gone"),
                )],
                (None, Some(_)) => {
                    vec![Change::of_tool(Rule::ResourceAdded, Level::Safe, "", format!("`{name}` is new"))]
                }
                (Some(before), Some(after)) => resource(before, after, key),
                (None, None) => Vec::new(),
            };
            changes.into_iter().map(move |change| (name.clone(), change))
        })
        .collect()
}

fn resource(before: &Map<String, Value>, after: &Map<String, Value>, key: &str) -> Vec<Change> {
    let mut changes = Vec::new();
    if before.get("mimeType") != after.get("mimeType") {
        changes.push(Change::of_tool(
            Rule::MimeTypeChanged,
            Level::Warning,
            "/mimeType",
            "`mimeType` changed",
        ));
    }
    changes.extend(other_fields(before, after, &[key, "mimeType"]));
    or_rewritten(before, after, changes)
}

/// Differences between two lists of prompts.
pub fn diff_prompts(old: &[Map<String, Value>], new: &[Map<String, Value>]) -> Vec<(String, Change)> {
    paired(old, new, "name")
        .into_iter()
        .flat_map(|(name, pair)| {
            let changes = match pair {
                (Some(_), None) => vec![Change::of_tool(
                    Rule::PromptRemoved,
                    Level::Breaking,
                    "",
                    format!("the prompt `{name}` is gone"),
                )],
                (None, Some(_)) => vec![Change::of_tool(
                    Rule::PromptAdded,
                    Level::Safe,
                    "",
                    format!("the prompt `{name}` is new"),
                )],
                (Some(before), Some(after)) => prompt(before, after),
                (None, None) => Vec::new(),
            };
            changes.into_iter().map(move |change| (name.clone(), change))
        })
        .collect()
}

fn prompt(before: &Map<String, Value>, after: &Map<String, Value>) -> Vec<Change> {
    let arguments = |prompt: &Map<String, Value>| -> Vec<Map<String, Value>> {
        let list = prompt.get("arguments").and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_object).cloned().collect()
    };
    let (old, new) = (arguments(before), arguments(after));
    let is_required = |argument: &Map<String, Value>| argument.get("required") == Some(&Value::Bool(true));
    let mut changes = Vec::new();
    for (name, pair) in paired(&old, &new, "name") {
        let pointer = format!("/arguments/{}", escape_token(&name));
        let mut push = |rule, level, message: String| {
            changes.push(Change::of_tool(rule, level, pointer.clone(), message))
        };
        match pair {
            (None, Some(argument)) if is_required(argument) => {
                push(
                    Rule::PromptArgumentAdded,
                    Level::Breaking,
                    format!("the required argument `{name}` is new"),
                );
            }
            (None, Some(_)) => {
                push(Rule::PromptArgumentAdded, Level::Safe, format!("the optional argument `{name}` is new"))
            }
            (Some(_), None) => {
                push(Rule::PromptArgumentRemoved, Level::Warning, format!("the argument `{name}` is gone"))
            }
            (Some(before), Some(after)) => {
                match (is_required(before), is_required(after)) {
                    (false, true) => push(
                        Rule::PromptArgumentRequired,
                        Level::Breaking,
                        format!("`{name}` is required now"),
                    ),
                    (true, false) => {
                        push(Rule::PromptArgumentOptional, Level::Safe, format!("`{name}` is optional now"))
                    }
                    _ => {}
                }
                let others = other_fields(before, after, &["required"]);
                if !others.is_empty() {
                    let is_text = others.iter().any(|change| change.rule != Rule::FieldChanged);
                    let rule = if is_text { Rule::TextChanged } else { Rule::FieldChanged };
                    push(rule, Level::Info, format!("the argument `{name}` changed"));
                }
            }
            (None, None) => {}
        }
    }
    changes.extend(other_fields(before, after, &["name", "arguments"]));
    or_rewritten(before, after, changes)
}

fn or_rewritten(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    mut changes: Vec<Change>,
) -> Vec<Change> {
    if changes.is_empty() && before != after {
        changes.push(rewritten());
    }
    changes
}

type Pair<'a> = (Option<&'a Map<String, Value>>, Option<&'a Map<String, Value>>);

/// Items of both lists by the value of `key`. Of several with the same value the first is paired with
/// the first, the second with the second: a server that lists one twice has both compared.
fn paired<'a>(
    old: &'a [Map<String, Value>],
    new: &'a [Map<String, Value>],
    key: &str,
) -> Vec<(String, Pair<'a>)> {
    let mut pairs: BTreeMap<(String, usize), Pair<'a>> = BTreeMap::new();
    for (number, list) in [old, new].into_iter().enumerate() {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for item in list {
            let name = item.get(key).and_then(Value::as_str).unwrap_or_default();
            let before = seen.entry(name).or_default();
            let pair = pairs.entry((name.to_owned(), *before)).or_default();
            *before += 1;
            match number {
                0 => pair.0 = Some(item),
                _ => pair.1 = Some(item),
            }
        }
    }
    pairs.into_iter().map(|((name, _), pair)| (name, pair)).collect()
}

fn other_fields(before: &Map<String, Value>, after: &Map<String, Value>, told: &[&str]) -> Vec<Change> {
    let mut keys: Vec<&String> =
        before.keys().chain(after.keys()).filter(|key| !told.contains(&key.as_str())).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.retain(|key| before.get(*key) != after.get(*key));
    let level = |key: &str| if key == "description" { Level::Warning } else { Level::Info };
    keys.into_iter()
        .map(|key| {
            let rule = match key.as_str() {
                "description" => Rule::DescriptionChanged,
                "title" => Rule::TitleChanged,
                _ => Rule::FieldChanged,
            };
            Change::of_tool(rule, level(key), format!("/{}", escape_token(key)), format!("`{key}` changed"))
        })
        .collect()
}
