//! The search for arguments that a tool accepts, one attempt after the other.

use std::collections::{BTreeMap, BTreeSet};

use mortise_contract::schema::Validation;
use mortise_contract::{CompiledSchema, json::canonical_text};
use serde_json::{Map, Value};

use super::candidates::Sources;
use crate::check::prose;

/// Combinations of values that are looked at for one attempt.
const COMBINATIONS: usize = 2_000;
/// Values that refusals may add for one property.
const LEARNED: usize = 24;

/// What was tried for one tool, and what its refusals said.
#[derive(Debug, Default)]
pub(in crate::check) struct ArgumentSearch {
    /// Whole arguments that are known from elsewhere.
    recorded: Vec<Value>,
    sent: BTreeSet<String>,
    learned: BTreeMap<String, Vec<String>>,
    /// Optional properties that refusals named.
    mentioned: BTreeSet<String>,
}

impl ArgumentSearch {
    /// A search that begins with arguments that worked before.
    pub(in crate::check) fn new(recorded: Vec<Value>) -> Self {
        Self { recorded, ..Self::default() }
    }

    /// Values that refusals named, by property.
    pub(in crate::check) fn learned(&self) -> &BTreeMap<String, Vec<String>> {
        &self.learned
    }

    /// The likeliest arguments that were not sent yet.
    pub(in crate::check) fn next(&self, sources: &Sources<'_>, compiled: &CompiledSchema) -> Option<Value> {
        let is_new = |arguments: &Value| {
            !self.sent.contains(&canonical_text(arguments))
                && compiled.validate(arguments) == Validation::Valid
        };
        let examples = sources.schema.get("examples").and_then(Value::as_array).into_iter().flatten();
        let whole = self.recorded.iter().chain(examples).filter(|whole| whole.is_object());
        if let Some(known) = whole.into_iter().find(|whole| is_new(whole)) {
            return Some(known.clone());
        }
        let lists: Vec<(&str, Vec<Value>)> = self
            .wanted(sources.schema)
            .into_iter()
            .map(|(name, schema)| (name, sources.property(name, schema)))
            .filter(|(_, values)| !values.is_empty())
            .collect();
        combinations(&lists, is_new).or_else(|| {
            let smallest = mortise_contract::sample::sample(sources.schema)?;
            Some(smallest).filter(|smallest| smallest.is_object() && is_new(smallest))
        })
    }

    /// The properties that are set: required ones, and those that refusals named.
    fn wanted<'a>(&self, schema: &'a Value) -> Vec<(&'a str, &'a Value)> {
        let required = required(schema);
        super::properties(schema)
            .into_iter()
            .filter(|(name, _)| required.contains(name) || self.mentioned.contains(*name))
            .collect()
    }

    /// Notes what was sent.
    pub(in crate::check) fn sent(&mut self, arguments: &Value) {
        self.sent.insert(canonical_text(arguments));
    }

    /// Takes in what a refusal says.
    pub(in crate::check) fn refused(&mut self, schema: &Value, arguments: &Value, refusal: &str) {
        let sent: Vec<String> =
            arguments.as_object().into_iter().flatten().map(|(_, value)| spelled(value)).collect();
        let required = required(schema);
        let properties = super::properties(schema);
        let named: Vec<&str> =
            properties.iter().map(|(name, _)| *name).filter(|name| has_word(refusal, name)).collect();
        let is_missing = |name: &&&str| !required.contains(**name) && arguments.get(**name).is_none();
        self.mentioned.extend(named.iter().filter(is_missing).map(|name| (*name).to_owned()));
        let quoted = |name: &&str| {
            let value = arguments.get(name).map(spelled).unwrap_or_default();
            !value.is_empty()
                && ['\'', '"', '`'].iter().any(|mark| refusal.contains(&format!("{mark}{value}{mark}")))
        };
        let mut meant: Vec<&str> =
            named.iter().copied().filter(|name| arguments.get(name).is_some()).collect();
        if meant.is_empty() {
            meant = properties.iter().map(|(name, _)| *name).filter(quoted).collect();
        }
        if meant.is_empty() {
            meant = required.into_iter().collect();
        }
        let values = prose::choices(refusal, &sent);
        for name in meant {
            let known = self.learned.entry(name.to_owned()).or_default();
            let new: Vec<String> = values.iter().filter(|value| !known.contains(value)).cloned().collect();
            known.extend(new);
            known.truncate(LEARNED);
        }
    }
}

/// The first combination in order of likelihood that `is_new` takes.
fn combinations(lists: &[(&str, Vec<Value>)], is_new: impl Fn(&Value) -> bool) -> Option<Value> {
    let most: usize = lists.iter().map(|(_, values)| values.len() - 1).sum();
    let mut left = COMBINATIONS;
    (0..=most).find_map(|distance| pick(lists, distance, &Map::new(), &mut left, &is_new))
}

/// One value of each list, whose places in the lists add up to `distance`.
fn pick(
    lists: &[(&str, Vec<Value>)],
    distance: usize,
    chosen: &Map<String, Value>,
    left: &mut usize,
    is_new: &impl Fn(&Value) -> bool,
) -> Option<Value> {
    let Some(((name, values), rest)) = lists.split_first() else {
        *left = left.saturating_sub(1);
        let arguments = Value::Object(chosen.clone());
        return Some(arguments).filter(|arguments| distance == 0 && is_new(arguments));
    };
    (0..values.len().min(distance + 1)).find_map(|place| {
        if *left == 0 {
            return None;
        }
        let mut chosen = chosen.clone();
        chosen.insert((*name).to_owned(), values[place].clone());
        pick(rest, distance - place, &chosen, left, is_new)
    })
}

fn required(schema: &Value) -> BTreeSet<&str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A value as a message would repeat it.
fn spelled(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.len() == 1 => spelled(&items[0]),
        other => other.to_string(),
    }
}

/// Whether a text holds a word that is not a part of another.
fn has_word(text: &str, word: &str) -> bool {
    let is_part =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    text.match_indices(word).any(|(at, _)| {
        !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests;
