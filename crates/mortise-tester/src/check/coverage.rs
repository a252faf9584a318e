//! How much of an output schema was seen in results: fields, enum values, branches.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use mortise_contract::SchemaCache;
use mortise_contract::schema::{SchemaOptions, Validation, referred};
use serde_json::{Map, Value, json};

/// Levels of a schema that are followed; references may lead back to where they stand.
const DEPTH: usize = 10;
/// Places that are counted; a larger schema is covered as far as that.
const PLACES: usize = 1_000;
/// Items of one array that are looked at.
const ITEMS: usize = 100;
/// CoverageSteps through a schema, or through one value: references that lead back multiply at every level.
const STEPS: usize = 50_000;
/// Branches that one value is held against.
const TRIES: usize = 1_000;

/// What of one tool's output schema occurred.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Declared places, such as `/rows[]/name`, `/kind = "a"` or `/value branch 2`, and whether they occurred.
    pub declared: BTreeMap<String, bool>,
    /// Fields that occurred and are not declared.
    pub undeclared: BTreeSet<String>,
    /// Whether a result was too large to be looked at in full: what never occurs is not known then.
    pub is_partial: bool,
    /// Results that were looked at.
    pub results: usize,
}

impl Coverage {
    /// Nothing seen yet of what `schema` declares.
    pub fn new(schema: &Value) -> Self {
        let mut coverage = Self::default();
        coverage.declare(&CoverageSteps::new(schema), schema, "", DEPTH);
        coverage
    }

    /// Takes one conforming value in.
    pub fn see(&mut self, schema: &Value, value: &Value, schemas: &SchemaCache) {
        self.results += 1;
        let walk = CoverageWalk { steps: CoverageSteps::new(schema), tries: Cell::new(TRIES), schemas };
        self.walk(&walk, schema, value, "", DEPTH);
        self.is_partial |= walk.steps.ended.get();
    }

    /// This coverage with every place as `change` makes it.
    pub(crate) fn renamed(self, change: impl Fn(String) -> String) -> Self {
        let declared = self.declared.into_iter().map(|(place, seen)| (change(place), seen));
        Self {
            declared: declared.collect(),
            undeclared: self.undeclared.into_iter().map(&change).collect(),
            ..self
        }
    }

    /// How many of the declared places occurred.
    pub fn seen(&self) -> usize {
        self.declared.values().filter(|seen| **seen).count()
    }

    /// The declared places that never occurred, if that is known.
    pub fn never_seen(&self) -> impl Iterator<Item = &str> {
        let never = self.declared.iter().filter(|(_, seen)| !**seen && !self.is_partial);
        never.map(|(place, _)| place.as_str())
    }

    fn add(&mut self, place: String) {
        if self.declared.len() < PLACES {
            self.declared.entry(place).or_insert(false);
        }
    }

    fn mark(&mut self, place: &str) {
        if let Some(seen) = self.declared.get_mut(place) {
            *seen = true;
        }
    }

    fn declare<'a>(&mut self, steps: &CoverageSteps<'a>, schema: &'a Value, place: &str, depth: usize) {
        let Some(schema) = steps.step(schema, depth) else { return };
        // All of one level before any below it, which may take all the room there is.
        for (name, _) in members(schema, "properties") {
            self.add(format!("{place}/{name}"));
        }
        for (name, property) in members(schema, "properties") {
            self.declare(steps, property, &format!("{place}/{name}"), depth - 1);
        }
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            self.declare(steps, items, &format!("{place}[]"), depth - 1);
        }
        for value in values(schema, "enum") {
            self.add(format!("{place} = {value}"));
        }
        for (index, branch) in branches(schema) {
            self.add(format!("{place} branch {}", index + 1));
            self.declare(steps, branch, place, depth - 1);
        }
        for branch in values(schema, "allOf") {
            self.declare(steps, branch, place, depth - 1);
        }
    }

    fn walk<'a>(
        &mut self,
        walk: &CoverageWalk<'a>,
        schema: &'a Value,
        value: &Value,
        place: &str,
        depth: usize,
    ) {
        let Some(schema) = walk.steps.step(schema, depth) else { return };
        if values(schema, "enum").contains(value) {
            self.mark(&format!("{place} = {value}"));
        }
        for (index, branch) in branches(schema) {
            if walk.fits(branch, value) {
                self.mark(&format!("{place} branch {}", index + 1));
                self.walk(walk, branch, value, place, depth - 1);
            }
        }
        for branch in values(schema, "allOf") {
            self.walk(walk, branch, value, place, depth - 1);
        }
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    let place = format!("{place}/{name}");
                    match schema.get("properties").and_then(|properties| properties.get(name)) {
                        Some(property) => {
                            self.mark(&place);
                            self.walk(walk, property, field, &place, depth - 1);
                        }
                        None if is_plain(schema) && self.undeclared.len() < PLACES => {
                            self.undeclared.insert(place);
                        }
                        None => {}
                    }
                }
            }
            Value::Array(items) => {
                if let Some(schema) = schema.get("items").filter(|items| items.is_object()) {
                    for item in items.iter().take(ITEMS) {
                        self.walk(walk, schema, item, &format!("{place}[]"), depth - 1);
                    }
                }
            }
            _ => {}
        }
    }
}

/// A way through a schema that comes to an end.
struct CoverageSteps<'a> {
    root: &'a Value,
    left: Cell<usize>,
    /// Whether there was more to go through.
    ended: Cell<bool>,
}

impl<'a> CoverageSteps<'a> {
    fn new(root: &'a Value) -> Self {
        Self { root, left: Cell::new(STEPS), ended: Cell::new(false) }
    }

    /// The next schema, or what it refers to; `None` where the way ends.
    fn step(&self, schema: &'a Value, depth: usize) -> Option<&'a Map<String, Value>> {
        if !self.spend(&self.left) {
            return None;
        }
        resolved(self.root, schema).filter(|_| depth > 0)
    }

    /// Takes one from a budget, if there is one left.
    fn spend(&self, budget: &Cell<usize>) -> bool {
        let left = budget.get();
        self.ended.set(self.ended.get() || left == 0);
        budget.set(left.saturating_sub(1));
        left > 0
    }
}

struct CoverageWalk<'a> {
    steps: CoverageSteps<'a>,
    tries: Cell<usize>,
    schemas: &'a SchemaCache,
}

impl CoverageWalk<'_> {
    /// Whether a value fits one branch, whose references lead into the whole document.
    fn fits(&self, branch: &Value, value: &Value) -> bool {
        if !self.steps.spend(&self.tries) {
            return false;
        }
        let mut alone = branch.as_object().cloned().unwrap_or_default();
        for key in ["$defs", "definitions", "$schema"] {
            if let Some(shared) = self.steps.root.get(key) {
                alone.entry(key).or_insert_with(|| shared.clone());
            }
        }
        let compiled = self.schemas.get(&Value::Object(alone), &SchemaOptions::default());
        compiled.is_ok_and(|compiled| compiled.validate(value) == Validation::Valid)
    }
}

/// Whether `properties` is all there is to say about an object's fields.
fn is_plain(schema: &Map<String, Value>) -> bool {
    const OTHERS: [&str; 8] = [
        "additionalProperties",
        "patternProperties",
        "anyOf",
        "oneOf",
        "allOf",
        "if",
        "$dynamicRef",
        "dependentSchemas",
    ];
    let says = |keyword: &&str| schema.get(*keyword).is_some_and(|value| *value != json!(true));
    schema.contains_key("properties") && !OTHERS.iter().any(says)
}

/// The schema itself, or what it refers to inside the document.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Map<String, Value>> {
    let mut schema = schema.as_object()?;
    for _ in 0..DEPTH {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
            return Some(schema);
        };
        schema = referred(root, reference)?.as_object()?;
    }
    None
}

fn members<'a>(schema: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    schema.get(key).and_then(Value::as_object).into_iter().flatten()
}

fn values<'a>(schema: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn branches(schema: &Map<String, Value>) -> impl Iterator<Item = (usize, &Value)> {
    values(schema, "anyOf").iter().chain(values(schema, "oneOf")).enumerate()
}

#[cfg(test)]
mod tests;
