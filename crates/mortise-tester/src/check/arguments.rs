//! Arguments made up from an input schema: small, full, at the bounds, and past them.

mod bounds;
pub(super) mod candidates;
mod random;
pub(super) mod search;

use std::collections::BTreeSet;

use mortise_contract::sample::Sampler;
use mortise_contract::schema::Validation;
use mortise_contract::{CompiledSchema, json::canonical_text};
use serde_json::{Map, Value, json};

use bounds::{inside, outside};
use random::Random;

/// Candidates of each kind that are tried for each of the arguments that are wanted.
const TRIED: usize = 20;

/// What kind of arguments these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ArgumentsKind {
    /// They keep the schema.
    Valid,
    /// They keep it, with a value at one of its bounds.
    Boundary,
    /// They break it; a tool must refuse them.
    Invalid,
}

impl ArgumentsKind {
    /// The name used in JSON and in messages.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Arguments that were made up.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    pub kind: ArgumentsKind,
    /// What is special about them.
    pub about: String,
    pub arguments: Value,
}

/// At most `count` different arguments for a schema. The same seed gives the same ones.
///
/// Each is validated, so that its kind is true. A small one comes first; about a third are invalid.
pub fn generate(schema: &Value, compiled: &CompiledSchema, seed: u64, count: usize) -> Vec<Generated> {
    let Some(Value::Object(smallest)) = Sampler::new(schema).value(&[schema]) else { return Vec::new() };
    let first = generated(ArgumentsKind::Valid, "the smallest arguments", smallest.clone());
    let first = Some(first).filter(|first| compiled.validate(&first.arguments) == Validation::Valid);
    let mut made: Vec<Generated> = first.into_iter().take(count).collect();
    made.extend(vary(schema, compiled, &smallest, seed, count - made.len()));
    made
}

/// At most `count` variations of arguments: with every property, at the bounds, and past them.
pub(super) fn vary(
    schema: &Value,
    compiled: &CompiledSchema,
    base: &Map<String, Value>,
    seed: u64,
    count: usize,
) -> Vec<Generated> {
    let sampler = Sampler::new(schema);
    let mut random = Random::new(seed);
    let properties = properties(schema);
    let mut full = base.clone();
    for (name, property) in &properties {
        if let Some(value) = sampler.value(&[*property]).filter(|_| !full.contains_key(*name)) {
            full.insert((*name).to_owned(), value);
        }
    }
    let mut boundary = Vec::new();
    let mut invalid = Vec::new();
    for (name, property) in &properties {
        boundary.extend(
            inside(property, &mut random).into_iter().map(|(about, value)| Edit::set(name, about, value)),
        );
        invalid.extend(outside(property).into_iter().map(|(about, value)| Edit::set(name, about, value)));
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    invalid.extend(required.filter_map(Value::as_str).map(Edit::without));
    invalid.push(Edit {
        name: "mortise_unknown_property",
        about: "a property that is not declared".to_owned(),
        value: Some(json!(true)),
    });
    random.shuffle(&mut boundary);
    random.shuffle(&mut invalid);
    let mut seen = BTreeSet::from([canonical_text(&Value::Object(base.clone()))]);
    let mut keeps = |candidate: &Generated| {
        let is_valid = compiled.validate(&candidate.arguments) == Validation::Valid;
        is_valid == (candidate.kind != ArgumentsKind::Invalid)
            && seen.insert(canonical_text(&candidate.arguments))
    };
    let every = generated(ArgumentsKind::Valid, "every property", full.clone());
    let mut made: Vec<Generated> = Some(every).into_iter().filter(&mut keeps).take(count).collect();
    let left = count - made.len();
    // One after the other, and not many more than are wanted: a schema may have thousands of properties.
    let tried = count.saturating_mul(TRIED);
    let invalid = invalid.into_iter().take(tried).map(|edit| edit.done(ArgumentsKind::Invalid, base));
    let invalid: Vec<Generated> =
        invalid.filter(&mut keeps).take(left.min((count + 1).div_ceil(3))).collect();
    let boundary = boundary.into_iter().take(tried).map(|edit| edit.done(ArgumentsKind::Boundary, &full));
    made.extend(boundary.filter(&mut keeps).take(left - invalid.len()));
    made.extend(invalid);
    made
}

/// One property that is set, or left out.
struct Edit<'a> {
    name: &'a str,
    about: String,
    value: Option<Value>,
}

impl<'a> Edit<'a> {
    fn set(name: &'a str, about: &str, value: Value) -> Self {
        Self { name, about: format!("{name}: {about}"), value: Some(value) }
    }

    fn without(name: &'a str) -> Self {
        Self { name, about: format!("{name}: missing"), value: None }
    }

    fn done(self, kind: ArgumentsKind, arguments: &Map<String, Value>) -> Generated {
        let mut arguments = arguments.clone();
        match self.value {
            Some(value) => arguments.insert(self.name.to_owned(), value),
            None => arguments.remove(self.name),
        };
        generated(kind, self.about, arguments)
    }
}

fn generated(kind: ArgumentsKind, about: impl Into<String>, arguments: Map<String, Value>) -> Generated {
    Generated { kind, about: about.into(), arguments: Value::Object(arguments) }
}

fn properties(schema: &Value) -> Vec<(&str, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(|(name, property)| (name.as_str(), property)).collect()
}

#[cfg(test)]
mod tests;
