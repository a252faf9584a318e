//! A small value that conforms to a schema.
//!
//! Deterministic and bounded. The sampler reads the keywords that describe a
//! value's form; what it can't follow (`not`, `if`, dynamic references) it
//! leaves to the caller's validator, so a sample is a proposal until validated.

mod facts;
mod number;
mod text;

use std::cell::Cell;

use serde_json::{Map, Value};

pub(crate) use number::json_number;

use facts::SampleFacts;

/// Subschemas looked at before giving up.
const STEPS: usize = 20_000;
/// Nesting of a sample.
const DEPTH: usize = 32;
/// Items put into an array at most.
const ITEMS: u64 = 64;

/// A small value of `schema`, whose references are looked up in `schema` itself.
///
/// ```
/// use mortise_contract::sample::sample;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]});
/// assert_eq!(sample(&schema), Some(json!({"n": 3})));
/// ```
pub fn sample(schema: &Value) -> Option<Value> {
    Sampler::new(schema).value(&[schema])
}

/// Makes values of the subschemas of one document.
#[derive(Debug)]
pub struct Sampler<'a> {
    root: &'a Value,
    steps: Cell<usize>,
}

impl<'a> Sampler<'a> {
    /// A sampler for the document `root`.
    pub fn new(root: &'a Value) -> Self {
        Self { root, steps: Cell::new(STEPS) }
    }

    /// A small value that satisfies all of `schemas` at once.
    pub fn value(&self, schemas: &[&'a Value]) -> Option<Value> {
        self.at(schemas, DEPTH)
    }

    fn at(&self, schemas: &[&'a Value], depth: usize) -> Option<Value> {
        if depth == 0 || self.steps.get() == 0 {
            return None;
        }
        self.steps.set(self.steps.get() - 1);
        let mut facts = SampleFacts::collect(self.root, schemas)?;
        if let Some(branches) = facts.alternatives.pop() {
            return branches.into_iter().find_map(|branch| {
                let mut with_branch = facts.conjunction.clone();
                with_branch.push(branch);
                self.with_alternatives(&with_branch, &facts.alternatives, depth)
            });
        }
        if !facts.fixed.is_empty() {
            return facts.fixed.iter().find(|value| facts.admits(value)).map(|value| (*value).clone());
        }
        facts.types().find_map(|kind| match kind {
            "object" => self.object(&facts, depth),
            "array" => self.array(&facts, depth),
            "string" => text::sample(&facts),
            "integer" | "number" => number::sample(&facts, kind),
            "boolean" => Some(Value::Bool(true)),
            "null" => Some(Value::Null),
            _ => None,
        })
    }

    /// Goes on with the groups of alternatives that are still open.
    fn with_alternatives(
        &self,
        schemas: &[&'a Value],
        open: &[Vec<&'a Value>],
        depth: usize,
    ) -> Option<Value> {
        match open.split_last() {
            None => self.at(schemas, depth - 1),
            Some((branches, rest)) => branches.iter().find_map(|branch| {
                let mut schemas = schemas.to_vec();
                schemas.push(branch);
                self.with_alternatives(&schemas, rest, depth)
            }),
        }
    }

    fn object(&self, facts: &SampleFacts<'a>, depth: usize) -> Option<Value> {
        let mut object = Map::new();
        for name in &facts.required {
            object.insert((*name).to_owned(), self.at(&facts.property(name), depth - 1)?);
        }
        let optional = facts.properties.keys().filter(|name| !facts.required.contains(*name));
        let mut spare: Vec<String> = optional.map(|name| (*name).to_owned()).collect();
        spare.extend((1..=facts.min_properties).map(|number| format!("key{number}")));
        for name in spare {
            if object.len() as u64 >= facts.min_properties {
                break;
            }
            if let Some(value) = self.at(&facts.property(&name), depth - 1) {
                object.insert(name, value);
            }
        }
        (object.len() as u64 >= facts.min_properties).then_some(Value::Object(object))
    }

    fn array(&self, facts: &SampleFacts<'a>, depth: usize) -> Option<Value> {
        let wanted = facts.min_items.max(facts.contains.len() as u64);
        if wanted > ITEMS {
            return None;
        }
        let mut items: Vec<Value> = Vec::new();
        for position in 0..usize::try_from(wanted).ok()? {
            let mut schemas = facts.item(position);
            // A `contains` is met by its own position counted from the front.
            schemas.extend(facts.contains.get(position));
            let mut item = self.at(&schemas, depth - 1)?;
            if facts.unique && items.contains(&item) {
                item = number::another(&item, &items)?;
            }
            items.push(item);
        }
        Some(Value::Array(items))
    }
}

#[cfg(test)]
mod tests;
