//! Schemas of many files: which are the same, and where files that belong together part.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::schema::DiscoveredSchema;
use crate::answer::DecisionQuestion;
use crate::hex::sha256_hex;

/// Files with the same columns, in the same order, of the same types.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SchemaGroup {
    /// The same for the same columns
    pub group_id: String,
    /// The name of its first file
    pub name: String,
    /// The proposals that belong to it
    pub schema_ids: Vec<String>,
    /// The names of its columns
    pub common_columns: Vec<String>,
    /// A file of it
    pub sample_file: String,
}

/// How a column differs between files that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DriftKind {
    /// Only these files have it.
    Added,
    /// These files lack it.
    Removed,
    /// It stands elsewhere in these files.
    Reordered,
    /// It has another type in these files.
    Retyped,
}

/// A column that differs between files that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// The column
    pub column: String,
    /// How it differs
    pub kind: DriftKind,
    /// The files that differ from most
    pub files: Vec<String>,
    /// What it is there, and what it is in most files
    pub detail: String,
}

/// Groups in the order of their first files.
pub(crate) fn groups(schemas: &[DiscoveredSchema]) -> Vec<SchemaGroup> {
    let mut groups: Vec<SchemaGroup> = Vec::new();
    for schema in schemas {
        let columns: Vec<String> =
            schema.columns.iter().map(|column| format!("{}\u{0}{}", column.name, column.data_type)).collect();
        let group_id = format!("group_{}", &sha256_hex(&columns.join("\u{1}"))[..8]);
        match groups.iter_mut().find(|group| group.group_id == group_id) {
            Some(group) => group.schema_ids.push(schema.discovery_id.clone()),
            None => groups.push(SchemaGroup {
                group_id,
                name: schema.name.clone(),
                schema_ids: vec![schema.discovery_id.clone()],
                common_columns: schema.columns.iter().map(|column| column.name.clone()).collect(),
                sample_file: schema.source_file.clone(),
            }),
        }
    }
    groups
}

/// What differs between files that belong together: their names differ in digits alone, or they share most columns.
pub(crate) fn drift(schemas: &[DiscoveredSchema]) -> Vec<Drift> {
    let mut drift = Vec::new();
    for family in families(schemas) {
        let Some(usual) = usual(&family) else { continue };
        let mut found: BTreeMap<(String, DriftKind, String), Vec<String>> = BTreeMap::new();
        for schema in &family {
            for (column, kind, detail) in differences(usual, schema) {
                found.entry((column, kind, detail)).or_default().push(schema.source_file.clone());
            }
        }
        drift.extend(found.into_iter().map(|((column, kind, detail), files)| Drift {
            column,
            kind,
            files,
            detail,
        }));
    }
    drift
}

/// The share of columns that files must have in common to belong together by their columns.
const ALIKE: f64 = 0.6;

fn families(schemas: &[DiscoveredSchema]) -> Vec<Vec<&DiscoveredSchema>> {
    let mut families: Vec<Vec<&DiscoveredSchema>> = Vec::new();
    for schema in schemas {
        let related = |family: &&mut Vec<&DiscoveredSchema>| {
            family.first().is_some_and(|first| {
                name_pattern(&first.name) == name_pattern(&schema.name) || likeness(first, schema) >= ALIKE
            })
        };
        match families.iter_mut().find(related) {
            Some(family) => family.push(schema),
            None => families.push(vec![schema]),
        }
    }
    families
}

/// The name with `#` for every run of digits.
fn name_pattern(name: &str) -> String {
    let mut pattern = String::new();
    for character in name.chars() {
        match character.is_ascii_digit() {
            true if pattern.ends_with('#') => {}
            true => pattern.push('#'),
            false => pattern.extend(character.to_lowercase()),
        }
    }
    pattern
}

fn likeness(one: &DiscoveredSchema, other: &DiscoveredSchema) -> f64 {
    let shared = one.columns.iter().filter(|column| position(other, &column.name).is_some()).count();
    let all = one.columns.len() + other.columns.len() - shared;
    shared as f64 / all.max(1) as f64
}

/// The schema that most files of a family have; of equally common ones the first.
fn usual<'a>(family: &[&'a DiscoveredSchema]) -> Option<&'a DiscoveredSchema> {
    let signature = |schema: &DiscoveredSchema| -> Vec<(String, &'static str)> {
        schema.columns.iter().map(|column| (column.name.clone(), column.data_type.as_str())).collect()
    };
    let signatures: Vec<_> = family.iter().map(|schema| signature(schema)).collect();
    let mut best: Option<(usize, &'a DiscoveredSchema)> = None;
    for (schema, own) in family.iter().zip(&signatures) {
        let count = signatures.iter().filter(|other| *other == own).count();
        if best.is_none_or(|(most, _)| count > most) {
            best = Some((count, schema));
        }
    }
    best.map(|(_, schema)| schema)
}

fn position(schema: &DiscoveredSchema, name: &str) -> Option<usize> {
    schema.columns.iter().position(|column| column.name == name)
}

fn differences(usual: &DiscoveredSchema, schema: &DiscoveredSchema) -> Vec<(String, DriftKind, String)> {
    let mut found = Vec::new();
    for column in &usual.columns {
        match schema.columns.iter().find(|own| own.name == column.name) {
            None => found.push((column.name.clone(), DriftKind::Removed, "not there".to_owned())),
            Some(own) if own.data_type != column.data_type => {
                let detail = format!("{} instead of {}", own.data_type, column.data_type);
                found.push((column.name.clone(), DriftKind::Retyped, detail));
            }
            Some(own) if own.format != column.format && own.format.is_some() && column.format.is_some() => {
                let text = |format: &Option<String>| format.clone().unwrap_or_default();
                let detail = format!("`{}` instead of `{}`", text(&own.format), text(&column.format));
                found.push((column.name.clone(), DriftKind::Retyped, detail));
            }
            Some(_) => {}
        }
    }
    for column in schema.columns.iter().filter(|column| position(usual, &column.name).is_none()) {
        found.push((column.name.clone(), DriftKind::Added, column.data_type.to_string()));
    }
    // Among the columns that both have, those that stand elsewhere.
    let shared = |from: &DiscoveredSchema, other: &DiscoveredSchema| -> Vec<String> {
        let names = from.columns.iter().map(|column| column.name.clone());
        names.filter(|name| position(other, name).is_some()).collect()
    };
    let (there, here) = (shared(usual, schema), shared(schema, usual));
    for (index, name) in here.iter().enumerate().filter(|(index, name)| there.get(*index) != Some(*name)) {
        let before = there.iter().position(|other| other == name).map_or(0, |at| at + 1);
        found.push((name.clone(), DriftKind::Reordered, format!("place {} instead of {before}", index + 1)));
    }
    found
}

/// The questions of all files, each once for a column of a group; what another file of the group settles is the default.
pub(crate) fn questions(schemas: &[DiscoveredSchema], groups: &[SchemaGroup]) -> Vec<DecisionQuestion> {
    let mut questions: Vec<DecisionQuestion> = Vec::new();
    let mut asked: Vec<(String, String)> = Vec::new();
    for schema in schemas {
        let group = groups.iter().find(|group| group.schema_ids.contains(&schema.discovery_id));
        for column in &schema.columns {
            let Some(question) = &column.constraint.human_question else { continue };
            let key = (group.map_or_else(String::new, |group| group.group_id.clone()), column.name.clone());
            if asked.contains(&key) {
                continue;
            }
            asked.push(key);
            let mut question = question.clone();
            let settled = schemas.iter().find(|other| {
                group.is_some_and(|group| group.schema_ids.contains(&other.discovery_id))
                    && other.columns.iter().any(|own| {
                        own.name == column.name
                            && !own.constraint.needs_human_decision
                            && question.options.iter().any(|option| Some(&option.id) == own.format.as_ref())
                    })
            });
            if let Some(other) = settled.filter(|_| column.constraint.needs_human_decision) {
                let format = other
                    .columns
                    .iter()
                    .find(|own| own.name == column.name)
                    .and_then(|own| own.format.clone());
                let said =
                    format!("in `{}` only `{}` fits", other.source_file, format.clone().unwrap_or_default());
                question.context = Some(match question.context.take() {
                    Some(context) => format!("{context}; {said}"),
                    None => said,
                });
                question.default_option = format;
            }
            questions.push(question);
        }
    }
    questions
}

#[cfg(test)]
mod tests;
