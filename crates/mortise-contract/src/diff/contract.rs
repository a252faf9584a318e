//! Differences between two declarations of a tool, and between two lists of tools.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::{Change, Level, Role, Rule, diff_schemas};
use crate::{Contract, ToolName};

/// All differences between two declarations of the same tool.
pub fn diff_contracts(old: &Contract, new: &Contract) -> Vec<Change> {
    if old.fields == new.fields {
        return Vec::new();
    }
    let mut changes = Vec::new();
    if old.description() != new.description() {
        changes.push(Change::of_tool(
            Rule::DescriptionChanged,
            Level::Warning,
            "/description",
            "`description` changed",
        ));
    }
    if old.title() != new.title() {
        changes.push(Change::of_tool(Rule::TitleChanged, Level::Info, "/title", "`title` changed"));
    }
    let inputs = [old, new].map(arguments);
    changes.extend(below("/inputSchema", diff_schemas(&inputs[0], &inputs[1], Role::Input)));
    changes.extend(outputs(old, new));
    changes.extend(hints(old, new));
    changes.extend(other_fields(old, new));
    if changes.is_empty() {
        changes.push(rewritten());
    }
    changes
}

/// The input schema as calls meet it: arguments are an object, whether or not the schema says so.
fn arguments(contract: &Contract) -> Cow<'_, Value> {
    match contract.input_schema() {
        None => Cow::Owned(serde_json::json!({ "type": "object" })),
        Some(Value::Object(schema)) if !schema.contains_key("type") => {
            let mut schema = schema.clone();
            schema.insert("type".to_owned(), Value::from("object"));
            Cow::Owned(Value::Object(schema))
        }
        Some(schema) => Cow::Borrowed(schema),
    }
}

/// Said when nothing else is: what differs in a hash differs in the diff too.
pub(super) fn rewritten() -> Change {
    Change::of_tool(Rule::Rewritten, Level::Info, "", "written differently, with the same meaning")
}

/// Differences between two lists of tools, by tool name in order.
pub fn diff_tools(old: &[Contract], new: &[Contract]) -> Vec<(ToolName, Change)> {
    let by_name = |tools: &'_ [Contract]| -> BTreeMap<ToolName, usize> {
        tools.iter().enumerate().map(|(index, contract)| (contract.name.clone(), index)).collect()
    };
    let (before, after) = (by_name(old), by_name(new));
    let mut changes = Vec::new();
    for (name, at) in &before {
        match after.get(name) {
            Some(now) => changes.extend(
                diff_contracts(&old[*at], &new[*now]).into_iter().map(|change| (name.clone(), change)),
            ),
            None => {
                let change = Change::of_tool(
                    Rule::ToolRemoved,
                    Level::Breaking,
                    "",
                    format!("the tool `{name}` is gone"),
                );
                changes.push((name.clone(), change));
            }
        }
    }
    for name in after.keys().filter(|name| !before.contains_key(*name)) {
        let change = Change::of_tool(Rule::ToolAdded, Level::Safe, "", format!("the tool `{name}` is new"));
        changes.push((name.clone(), change));
    }
    changes.sort_by(|(a, _), (b, _)| a.cmp(b));
    changes
}

fn below(pointer: &str, changes: Vec<Change>) -> impl Iterator<Item = Change> {
    changes
        .into_iter()
        .map(move |change| Change { pointer: format!("{pointer}{}", change.pointer), ..change })
}

fn outputs(old: &Contract, new: &Contract) -> Vec<Change> {
    let of_output = |rule, level, message: &str| Change {
        role: Some(Role::Output),
        ..Change::of_tool(rule, level, "/outputSchema", message)
    };
    let unreadable = match (old.unreadable_output(), new.unreadable_output()) {
        (None, Some(why)) => {
            let level = if old.output_schema().is_some() { Level::Breaking } else { Level::Warning };
            Some((level, format!("the output schema can't be read now: {why}")))
        }
        (Some(why), None) if new.output_schema().is_some() => {
            Some((Level::Warning, format!("the output schema could not be read before: {why}")))
        }
        _ => None,
    };
    if let Some((level, message)) = unreadable {
        return vec![of_output(Rule::SchemaUnusable, level, &message)];
    }
    match (old.output_schema(), new.output_schema()) {
        (None, None) => Vec::new(),
        (None, Some(_)) => {
            vec![of_output(Rule::OutputSchemaAdded, Level::Safe, "the tool declares an output schema now")]
        }
        (Some(_), None) => vec![of_output(
            Rule::OutputSchemaRemoved,
            Level::Breaking,
            "the tool declares no output schema any more",
        )],
        (Some(old), Some(new)) => below("/outputSchema", diff_schemas(old, new, Role::Output)).collect(),
    }
}

fn hints(old: &Contract, new: &Contract) -> Vec<Change> {
    let (before, after) = (old.hints(), new.hints());
    // Each hint with whether its true value promises less harm.
    let rows = [
        ("readOnlyHint", before.read_only, after.read_only, true),
        ("destructiveHint", before.destructive, after.destructive, false),
        ("idempotentHint", before.idempotent, after.idempotent, true),
        ("openWorldHint", before.open_world, after.open_world, false),
    ];
    let changed = rows.into_iter().filter(|(_, before, after, _)| before != after);
    changed
        .map(|(hint, before, after, harmless)| {
            let (rule, level) = if after == harmless {
                (Rule::HintImproved, Level::Info)
            } else {
                (Rule::HintWorsened, Level::Warning)
            };
            Change::of_tool(
                rule,
                level,
                format!("/annotations/{hint}"),
                format!("`{hint}` was {before} and is {after}"),
            )
        })
        .collect()
}

/// Every other field, so that what the hash covers and what the diff shows are the same.
fn other_fields(old: &Contract, new: &Contract) -> Vec<Change> {
    const TOLD: [&str; 6] = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];
    const TOLD_HINTS: [&str; 5] =
        ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "title"];
    let mut changes = field_changes(&old.fields, &new.fields, "", &TOLD);
    let empty = serde_json::Map::new();
    let annotations = [old, new]
        .map(|contract| contract.fields.get("annotations").and_then(Value::as_object).unwrap_or(&empty));
    // A second title, behind the one that counts.
    let has_own = |contract: &Contract| contract.fields.get("title").is_some_and(Value::is_string);
    let has_second = old.title() == new.title()
        && ((has_own(old) && has_own(new)) || annotations.iter().all(|hints| hints.contains_key("title")));
    let told = if has_second { &TOLD_HINTS[..4] } else { &TOLD_HINTS[..] };
    changes.extend(field_changes(annotations[0], annotations[1], "/annotations", told));
    changes
}

fn field_changes(
    old: &serde_json::Map<String, Value>,
    new: &serde_json::Map<String, Value>,
    at: &str,
    told: &[&str],
) -> Vec<Change> {
    let mut keys: Vec<&String> =
        old.keys().chain(new.keys()).filter(|key| !told.contains(&key.as_str())).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.retain(|key| old.get(*key) != new.get(*key));
    let pointer = |key: &str| format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
    keys.into_iter()
        .map(|key| Change::of_tool(Rule::FieldChanged, Level::Info, pointer(key), format!("`{key}` changed")))
        .collect()
}
