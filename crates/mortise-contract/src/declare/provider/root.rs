//! A schema whose root every provider accepts: an object with its properties in plain sight.

use std::cell::Cell;
use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::members;
use crate::declare::loss::{Action, Losses, Severity};
use crate::json::escape_token;
use crate::schema::Dialect;

/// References followed one after the other.
const REFERENCES: usize = 32;
/// Levels of branches within branches, and branches and properties that are looked at altogether.
const LEVELS: usize = 32;
const PARTS: usize = 50_000;
/// Keywords whose branches bring properties with them.
const COMBINED: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// Keywords that say nothing about values.
const ABOUT: [&str; 10] = [
    "$schema",
    "$id",
    "id",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "$comment",
];

/// The schema with an object at its root and none of the `refused` keywords there.
pub(super) fn object_root(schema: Value, refused: &[&str], losses: &mut Losses) -> Value {
    let whole = schema.clone();
    let document = Document::new(&whole);
    let mut root = members(schema);
    resolve_root(&mut root, &document, losses);
    match root.get("type") {
        Some(Value::String(kind)) if kind == "object" => {}
        Some(other) => {
            let reason = "arguments are always an object";
            losses
                .add("", "type", (Action::Widened, Severity::Error), reason)
                .before(other)
                .after("object")
                .fix("give the input schema the type `object`");
            root.insert("type".to_owned(), "object".into());
        }
        None => drop(root.shift_insert(0, "type".to_owned(), "object".into())),
    }
    if !root.contains_key("properties") && !refused.is_empty() {
        // Some providers refuse an object that has none.
        root.insert("properties".to_owned(), json!({}));
    }
    for keyword in refused {
        if let Some(value) = root.shift_remove(*keyword) {
            lift(&mut root, keyword, &value, &document, losses);
        }
    }
    Value::Object(root)
}

/// A root that refers is joined with what it refers to; up to draft 7 that alone counts.
fn resolve_root(root: &mut Map<String, Value>, document: &Document<'_>, losses: &mut Losses) {
    let Some(reference) = root.get("$ref").and_then(Value::as_str) else { return };
    if document.followed(root).is_none_or(|target| !target.is_object()) {
        return;
    }
    let reason = format!("the root refers to `{reference}`");
    losses.add("", "$ref", (Action::Inlined, Severity::Info), reason);
    while let Some(target) = document.target(root).and_then(Value::as_object) {
        root.shift_remove("$ref");
        if document.is_legacy {
            root.retain(|key, _| ABOUT.contains(&key.as_str()));
        }
        join(root, target, losses);
    }
}

/// Adds to the root what holds beside it.
fn join(root: &mut Map<String, Value>, target: &Map<String, Value>, losses: &mut Losses) {
    for (key, value) in target {
        let is_told_twice = match root.get(key) {
            None => {
                root.insert(key.clone(), value.clone());
                continue;
            }
            Some(own) => own != value && !ABOUT.contains(&key.as_str()),
        };
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                let clashes = clashes(root, properties);
                add_properties(root, properties.iter().map(|(key, schema)| (key.as_str(), schema)));
                for clash in clashes {
                    note_twice(&format!("/properties/{}", escape_token(clash)), "properties", losses);
                }
            }
            ("required", _) => add_required(root, required(target)),
            _ if !is_told_twice => {}
            ("allOf", Value::Array(branches)) => also(root, branches.clone()),
            ("anyOf" | "oneOf", Value::Array(_)) => also(root, vec![json!({ key.as_str(): value })]),
            _ => note_twice("", key, losses),
        }
    }
}

/// The properties of both that are not the same.
fn clashes<'a>(root: &Map<String, Value>, properties: &'a Map<String, Value>) -> Vec<&'a str> {
    let own = root.get("properties");
    let is_other = |(key, schema): &(&String, &Value)| {
        own.and_then(|own| own.get(key.as_str())).is_some_and(|own| own != *schema)
    };
    properties.iter().filter(is_other).map(|(key, _)| key.as_str()).collect()
}

fn note_twice(pointer: &str, keyword: &str, losses: &mut Losses) {
    let reason = "it is said beside `$ref` and where that leads; what is said first is kept";
    losses
        .add(pointer, keyword, (Action::Widened, Severity::Warn), reason)
        .fix("write the definition where it is used");
}

/// Adds to what holds beside everything else.
fn also(root: &mut Map<String, Value>, branches: Vec<Value>) {
    match root.get_mut("allOf") {
        Some(Value::Array(known)) => known.extend(branches),
        _ => drop(root.insert("allOf".to_owned(), branches.into())),
    }
}

/// The schema that references are looked up in.
struct Document<'a> {
    whole: &'a Value,
    /// Whether a reference makes what stands beside it void.
    is_legacy: bool,
    /// Branches and properties that may still be looked at.
    left: Cell<usize>,
}

impl<'a> Document<'a> {
    fn new(whole: &'a Value) -> Self {
        let dialect = Dialect::of(whole, Dialect::default()).unwrap_or_default();
        Self { whole, is_legacy: dialect.is_legacy(), left: Cell::new(PARTS) }
    }

    /// Where the reference of a schema leads.
    fn target(&self, schema: &Map<String, Value>) -> Option<&'a Value> {
        self.whole.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
    }

    /// Where it leads in the end.
    fn followed(&self, schema: &Map<String, Value>) -> Option<&'a Value> {
        let mut target = self.target(schema)?;
        for _ in 0..REFERENCES {
            match target.as_object().filter(|members| members.get("$ref").is_some_and(Value::is_string)) {
                Some(members) => target = self.target(members)?,
                None => return Some(target),
            }
        }
        None
    }

    fn has_room(&self, parts: usize) -> bool {
        let left = self.left.get().checked_sub(parts);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// What a branch says about keys, with what it is made of.
#[derive(Default)]
struct Branch<'a> {
    properties: Vec<(&'a str, &'a Value)>,
    required: Vec<&'a str>,
}

impl<'a> Branch<'a> {
    /// Reads a branch; one that is out of bounds says nothing.
    fn of(schema: &'a Value, document: &Document<'a>, level: usize) -> Self {
        let mut branch = Self::default();
        let Some(members) = schema.as_object() else { return branch };
        let properties = members.get("properties").and_then(Value::as_object);
        let names = members.get("required").and_then(Value::as_array).map_or(0, Vec::len);
        if level > LEVELS || !document.has_room(1 + names + properties.map_or(0, Map::len)) {
            return branch;
        }
        let target = document.target(members);
        if target.is_none() || !document.is_legacy {
            let named = properties.into_iter().flatten();
            branch.properties.extend(named.map(|(key, schema)| (key.as_str(), schema)));
            branch.required.extend(required(members));
            for keyword in COMBINED {
                if let Some(Value::Array(parts)) = members.get(keyword) {
                    branch.add(Self::together(keyword, parts, document, level + 1));
                }
            }
        }
        if let Some(target) = target {
            branch.add(Self::of(target, document, level + 1));
        }
        branch
    }

    /// All parts of a combinator: what is required in one of `allOf`, in every one of the others.
    fn together(keyword: &str, parts: &'a [Value], document: &Document<'a>, level: usize) -> Self {
        let mut whole = Self::default();
        let mut names: Vec<Vec<&str>> = Vec::new();
        for part in parts {
            let part = Self::of(part, document, level);
            whole.properties.extend(part.properties);
            names.push(part.required);
        }
        whole.required = match (keyword, names.split_first()) {
            ("allOf", _) => names.concat(),
            (_, Some((first, rest))) => {
                let rest: Vec<HashSet<&str>> =
                    rest.iter().map(|names| names.iter().copied().collect()).collect();
                first.iter().copied().filter(|name| rest.iter().all(|names| names.contains(name))).collect()
            }
            (_, None) => Vec::new(),
        };
        whole
    }

    fn add(&mut self, other: Self) {
        self.properties.extend(other.properties);
        self.required.extend(other.required);
    }
}

/// Brings the properties of branches up to the root.
fn lift(
    root: &mut Map<String, Value>,
    keyword: &str,
    value: &Value,
    document: &Document<'_>,
    losses: &mut Losses,
) {
    const FIX: &str = "put the properties at the root, and say in the description which go together";
    let branches = match value {
        Value::Array(branches) if keyword != "enum" => branches,
        _ => {
            let reason = "the provider refuses the whole request over this keyword at the root";
            losses.add("", keyword, (Action::Dropped, Severity::Error), reason).before(value).fix(FIX);
            return;
        }
    };
    let (action, what) = match keyword {
        "allOf" => (Action::Inlined, "its properties stand at the root now"),
        _ => (Action::Widened, "the properties of all branches stand at the root now, each optional"),
    };
    let reason = format!("the provider refuses the whole request over this keyword at the root; {what}");
    losses.add("", keyword, (action, Severity::Error), reason).before(value).fix(FIX);
    let branch = Branch::together(keyword, branches, document, 0);
    add_properties(root, branch.properties);
    add_required(root, branch.required);
}

/// Adds the properties that the root does not have, each with every schema that it is given.
fn add_properties<'a>(root: &mut Map<String, Value>, added: impl IntoIterator<Item = (&'a str, &'a Value)>) {
    let mut properties = root.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut found: Map<String, Value> = Map::new();
    for (key, schema) in added.into_iter().filter(|(key, _)| !properties.contains_key(*key)) {
        let list = found.entry(key).or_insert_with(|| json!([]));
        if let Value::Array(list) = list
            && !list.contains(schema)
        {
            list.push(schema.clone());
        }
    }
    for (key, schemas) in found {
        let schema = match schemas {
            Value::Array(mut one) if one.len() == 1 => one.remove(0),
            several => json!({ "anyOf": several }),
        };
        properties.insert(key, schema);
    }
    root.insert("properties".to_owned(), properties.into());
}

fn add_required<'a>(root: &mut Map<String, Value>, added: impl IntoIterator<Item = &'a str>) {
    let mut names: Vec<Value> = root.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for name in added {
        if !names.iter().any(|known| known == name) {
            names.push(name.into());
        }
    }
    if !names.is_empty() {
        root.insert("required".to_owned(), names.into());
    }
}

fn required(schema: &Map<String, Value>) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}
