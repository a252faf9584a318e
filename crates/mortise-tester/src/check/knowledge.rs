//! Values from the results of a server's tools, for the arguments of its other tools.
//!
//! `list_tickets` answers with `{"tickets": [{"id": "T-1"}]}`. That is a `ticket_id` for `get_ticket`.

use std::collections::BTreeSet;

use mortise_contract::ToolResult;
use serde_json::Value;

use super::prose;

/// Values kept of one server.
const FACTS: usize = 1_000;
/// Elements of one array that are read.
const ELEMENTS: usize = 3;
/// Levels of a result that are read.
const DEPTH: usize = 8;
/// Longest value, in bytes.
const VALUE: usize = 200;
/// Keys that say which of several things is meant.
const IDENTIFIERS: [&str; 8] = ["id", "name", "key", "code", "slug", "uri", "path", "number"];

/// What a server's results showed so far.
#[derive(Debug, Default)]
pub(super) struct Knowledge {
    facts: Vec<Fact>,
}

/// One value and the words that stand around it.
#[derive(Debug, PartialEq)]
struct Fact {
    key: Vec<String>,
    /// The words of the keys above it and of the tool.
    context: BTreeSet<String>,
    value: Value,
}

impl Knowledge {
    pub(super) fn len(&self) -> usize {
        self.facts.len()
    }

    /// Takes a result in. `arguments` are what it was asked with: names in a listing lie below its path.
    pub(super) fn learn(&mut self, tool: &str, arguments: &Value, result: &ToolResult) {
        let context: BTreeSet<String> = words(tool).into_iter().collect();
        let folder = folder(arguments);
        // What one tool takes, another tool's property of the same name may take too.
        for (name, argument) in arguments.as_object().into_iter().flatten() {
            if argument.as_str().is_some_and(|text| text.len() > 1) {
                self.add(words(name), &context, argument.clone());
            }
        }
        if let Some(Ok(reading)) = result.structured_reading() {
            self.read(&reading.value, &[], &context, folder, DEPTH);
            return;
        }
        for text in result.texts() {
            match serde_json::from_str::<Value>(text) {
                Ok(value) if value.is_object() || value.is_array() => {
                    self.read(&value, &[], &context, folder, DEPTH);
                }
                _ => self.read_text(text, &context, folder),
            }
        }
    }

    fn read(
        &mut self,
        value: &Value,
        key: &[String],
        context: &BTreeSet<String>,
        folder: Option<&str>,
        depth: usize,
    ) {
        match value {
            _ if depth == 0 => {}
            Value::Object(members) => {
                let mut context = context.clone();
                context.extend(key.iter().cloned());
                for (name, member) in members {
                    self.read(member, &words(name), &context, folder, depth - 1);
                }
            }
            Value::Array(elements) => {
                for element in elements.iter().take(ELEMENTS) {
                    self.read(element, key, context, folder, depth - 1);
                }
            }
            Value::String(text) if text.contains('\n') || text.starts_with("[FILE]") => {
                self.read_text(text, context, folder);
            }
            Value::String(text) => {
                if let (Some(folder), true) = (folder, key == ["name"]) {
                    self.add_path(format!("{folder}/{text}"));
                }
                for path in prose::paths(text) {
                    self.add_path(path);
                }
                self.add(key.to_vec(), context, value.clone());
            }
            Value::Number(number) if number.is_i64() || number.is_u64() => {
                self.add(key.to_vec(), context, value.clone());
            }
            _ => {}
        }
    }

    fn read_text(&mut self, text: &str, context: &BTreeSet<String>, folder: Option<&str>) {
        for path in prose::paths(text) {
            self.add_path(path);
        }
        for file in prose::files(text).iter().filter_map(|file| Some(format!("{}/{file}", folder?))) {
            self.add_path(file);
        }
        for (key, value) in prose::pairs(text) {
            self.add(words(&key), context, Value::from(value));
        }
    }

    fn add_path(&mut self, path: String) {
        if path.starts_with("/dev/") {
            return;
        }
        self.add(vec!["path".to_owned()], &BTreeSet::new(), Value::from(path));
    }

    fn add(&mut self, key: Vec<String>, context: &BTreeSet<String>, value: Value) {
        let is_short = value.as_str().is_none_or(|text| !text.is_empty() && text.len() <= VALUE);
        let fact = Fact { key, context: context.clone(), value };
        if is_short && self.facts.len() < FACTS && !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
    }

    /// Values that a property may want, the likeliest first, each with how well its words fit.
    pub(super) fn values(&self, tool: &str, property: &str, description: &str) -> Vec<(u8, Value)> {
        let wanted = WantedArgument {
            property: words(property),
            tool: words(tool).into_iter().collect(),
            description: words(description).into_iter().collect(),
        };
        let mut found: Vec<(u8, Value)> = Vec::new();
        for fact in &self.facts {
            let Some(score) = wanted.score(fact) else { continue };
            match found.iter_mut().find(|(_, value)| *value == fact.value) {
                Some((known, _)) => *known = score.max(*known),
                None => found.push((score, fact.value.clone())),
            }
        }
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found
    }
}

/// The words around a property.
struct WantedArgument {
    property: Vec<String>,
    tool: BTreeSet<String>,
    description: BTreeSet<String>,
}

impl WantedArgument {
    /// How well a value fits, from 1 to 4: `ticket_id` and `tickets[].id` 4, any two ids 1.
    fn score(&self, fact: &Fact) -> Option<u8> {
        let last = self.property.last()?;
        let around = |word: &String| fact.context.contains(word) || fact.key.contains(word);
        let is_identifier = |words: &[String]| words.iter().all(|word| IDENTIFIERS.contains(&word.as_str()));
        let own = fact.key.last()?;
        if fact.key == self.property {
            let is_same_thing = self.tool.iter().any(|word| fact.context.contains(word) && !is_verb(word));
            return Some(if !is_identifier(&fact.key) || is_same_thing { 4 } else { 2 });
        }
        if own == last && self.property.iter().all(around) {
            return Some(4);
        }
        if is_identifier(std::slice::from_ref(own)) && self.property.iter().all(around) {
            return Some(3);
        }
        let is_path = |word: &str| PATHS.contains(&word);
        if is_path(own) && self.property.iter().any(|word| is_path(word)) {
            return Some(2);
        }
        if own == last && is_identifier(std::slice::from_ref(own)) {
            return Some(1);
        }
        fact.key.iter().all(|word| self.description.contains(word)).then_some(1)
    }
}

/// Words for places in a file system.
pub(super) const PATHS: [&str; 10] =
    ["path", "file", "dir", "directory", "folder", "repo", "repository", "root", "cwd", "location"];

/// Words that say what a tool does, and not with what.
fn is_verb(word: &str) -> bool {
    matches!(word, "get" | "list" | "read" | "search" | "find" | "show" | "query" | "fetch" | "describe")
}

/// The absolute path among arguments.
fn folder(arguments: &Value) -> Option<&str> {
    let mut texts = arguments.as_object()?.values().filter_map(Value::as_str);
    texts.find(|text| text.starts_with('/')).map(|path| path.trim_end_matches('/'))
}

/// The words of a name: `ticketIds` and `ticket_id` are `ticket`, `id`.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_open = false;
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            is_open = false;
            continue;
        }
        let lower = letter.to_lowercase();
        match words.last_mut().filter(|_| is_open && !(letter.is_uppercase() && was_lower)) {
            Some(word) => word.extend(lower),
            None => words.push(lower.collect()),
        }
        is_open = true;
        was_lower = letter.is_lowercase() || letter.is_numeric();
    }
    words.iter_mut().for_each(singular);
    words
}

/// One of several, as far as English is regular.
fn singular(word: &mut String) {
    let ends = |end: &str| word.ends_with(end) && word.len() > end.len() + 1;
    let cut = match () {
        () if ends("ies") => 3,
        () if ends("sses") || ends("xes") || ends("ches") || ends("shes") => 2,
        () if ends("ss") || ends("us") || ends("is") => 0,
        () if ends("s") => 1,
        () => 0,
    };
    word.truncate(word.len() - cut);
    if cut == 3 {
        word.push('y');
    }
}

#[cfg(test)]
mod tests;
