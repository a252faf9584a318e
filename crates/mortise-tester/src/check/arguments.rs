//! Arguments made up from an input schema: small, full, at the bounds, and past them.

mod bounds;
mod random;

use mortise_contract::sample::Sampler;
use mortise_contract::schema::Validation;
use mortise_contract::{CompiledSchema, json::canonical_text};
use serde_json::{Map, Value, json};

use bounds::{inside, outside};
use random::Random;

/// What kind of arguments these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// They keep the schema.
    Valid,
    /// They keep it, with a value at one of its bounds.
    Boundary,
    /// They break it; a tool must refuse them.
    Invalid,
}

impl Kind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Boundary => "boundary",
            Self::Invalid => "invalid",
        }
    }
}

/// Arguments that were made up.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    /// What kind.
    pub kind: Kind,
    /// What is special about them.
    pub about: String,
    /// The arguments.
    pub arguments: Value,
}

/// At most `count` different arguments for a schema. The same seed gives the same ones.
///
/// Each is validated, so that its kind is true. A small one comes first; about a third are invalid.
pub fn generate(schema: &Value, compiled: &CompiledSchema, seed: u64, count: usize) -> Vec<Generated> {
    let sampler = Sampler::new(schema);
    let Some(Value::Object(smallest)) = sampler.value(&[schema]) else { return Vec::new() };
    let mut random = Random::new(seed);
    let properties = properties(schema);
    let mut valid = vec![generated(Kind::Valid, "the smallest arguments", smallest.clone())];
    let mut full = smallest.clone();
    for (name, property) in &properties {
        if let Some(value) = sampler.value(&[*property]).filter(|_| !full.contains_key(*name)) {
            full.insert((*name).to_owned(), value);
        }
    }
    valid.push(generated(Kind::Valid, "every property", full.clone()));
    let mut boundary = Vec::new();
    let mut invalid = Vec::new();
    for (name, property) in &properties {
        for (about, value) in inside(property, &mut random) {
            boundary.push(generated(Kind::Boundary, format!("{name}: {about}"), with(&full, name, value)));
        }
        for (about, value) in outside(property) {
            invalid.push(generated(Kind::Invalid, format!("{name}: {about}"), with(&smallest, name, value)));
        }
    }
    for name in
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        let mut without = smallest.clone();
        without.remove(name);
        invalid.push(generated(Kind::Invalid, format!("{name}: missing"), without));
    }
    let unknown = with(&smallest, "mortise_unknown_property", json!(true));
    invalid.push(generated(Kind::Invalid, "a property that is not declared", unknown));
    random.shuffle(&mut boundary);
    random.shuffle(&mut invalid);
    let mut seen = Vec::new();
    let mut keep = |candidate: &Generated| {
        let is_valid = compiled.validate(&candidate.arguments) == Validation::Valid;
        let text = canonical_text(&candidate.arguments);
        let keeps = is_valid == (candidate.kind != Kind::Invalid) && !seen.contains(&text);
        seen.push(text);
        keeps
    };
    valid.retain(&mut keep);
    boundary.retain(&mut keep);
    invalid.retain(&mut keep);
    valid.truncate(count);
    let left = count - valid.len();
    invalid.truncate(left.min(count.div_ceil(3)));
    boundary.truncate(left - invalid.len());
    valid.into_iter().chain(boundary).chain(invalid).collect()
}

fn generated(kind: Kind, about: impl Into<String>, arguments: Map<String, Value>) -> Generated {
    Generated { kind, about: about.into(), arguments: Value::Object(arguments) }
}

fn with(arguments: &Map<String, Value>, name: &str, value: Value) -> Map<String, Value> {
    let mut arguments = arguments.clone();
    arguments.insert(name.to_owned(), value);
    arguments
}

fn properties(schema: &Value) -> Vec<(&str, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(|(name, property)| (name.as_str(), property)).collect()
}

#[cfg(test)]
mod tests;
