//! Values that one property may want, the likeliest first.

use std::collections::BTreeMap;

use mortise_contract::Contract;
use mortise_contract::sample::Sampler;
use mortise_contract::schema::referred;
use serde_json::{Map, Value};

use crate::check::knowledge::{Knowledge, PATHS, words};
use crate::check::prose;

/// Values tried for one property.
const VALUES: usize = 12;
/// Levels of a schema that are followed.
const DEPTH: usize = 6;

/// Where values for one tool's arguments come from.
pub(in crate::check) struct Sources<'a> {
    pub(in crate::check) contract: &'a Contract,
    pub(in crate::check) schema: &'a Value,
    /// Results of other tools; `None` where their ids may do harm.
    pub(in crate::check) knowledge: Option<&'a Knowledge>,
    /// Paths that the server was started with.
    pub(in crate::check) paths: &'a [String],
    /// Values that refusals named, by property.
    pub(in crate::check) learned: &'a BTreeMap<String, Vec<String>>,
}

/// Words of a name or description, and a value that is customary for them.
const CUSTOMARY: [(&str, &str); 14] = [
    ("hh:mm:ss", "12:00:00"),
    ("hh:mm", "12:00"),
    ("yyyy-mm-dd", "2024-01-31"),
    ("iso 8601", "2024-01-31T12:00:00Z"),
    ("iso8601", "2024-01-31T12:00:00Z"),
    ("timezone", "UTC"),
    ("time zone", "UTC"),
    ("select", "SELECT 1"),
    ("sql", "SELECT 1"),
    ("commit", "HEAD"),
    ("revision", "HEAD"),
    ("glob", "*"),
    ("pattern", "*"),
    ("email", "a@example.com"),
];

impl<'a> Sources<'a> {
    /// Values for a property of the arguments.
    pub(in crate::check) fn property(&self, name: &str, schema: &'a Value) -> Vec<Value> {
        let mut values = Candidates(Vec::new());
        self.collect(name, schema, DEPTH, &mut values);
        values.0
    }

    fn collect(&self, name: &str, schema: &'a Value, depth: usize, values: &mut Candidates) {
        if depth == 0 {
            return;
        }
        let parts = self.parts(schema);
        let all = |key: &'static str| parts.iter().filter_map(move |part| part.get(key));
        let texts = all("description").chain(all("title")).filter_map(Value::as_str);
        let description = texts.collect::<Vec<_>>().join(". ");
        let listed = |key: &'static str| all(key).filter_map(Value::as_array).flatten().cloned();
        let form = CandidateForm::of(&parts);
        values.learned(self.learned.get(name), &form);
        for part in &parts {
            values.extend(["const", "default", "example"].iter().filter_map(|key| part.get(*key)).cloned());
        }
        values.0.retain(|value| !value.is_null());
        values.extend(listed("examples"));
        values.extend(listed("enum"));
        if parts.iter().any(|part| part.contains_key("enum") || part.contains_key("const")) {
            return;
        }
        match form {
            CandidateForm::Array => {
                let items = parts.iter().filter_map(|part| part.get("items")).find(|items| items.is_object());
                if let Some(items) = items {
                    let mut inner = Candidates(Vec::new());
                    inner.learned(self.learned.get(name), &CandidateForm::of(&self.parts(items)));
                    self.collect(name, items, depth - 1, &mut inner);
                    values.extend(inner.0.into_iter().map(|item| Value::Array(vec![item])));
                }
            }
            CandidateForm::Object => values.extend(self.object(&parts, depth)),
            CandidateForm::Text | CandidateForm::Number | CandidateForm::Other => {
                self.scalars(name, &description, &form, values)
            }
        }
        values.extend(Sampler::new(self.schema).value(&[schema]));
    }

    /// Values that the words around a property lead to.
    fn scalars(&self, name: &str, description: &str, form: &CandidateForm, values: &mut Candidates) {
        let known = self.knowledge.map(|known| known.values(self.contract.name.as_str(), name, description));
        let known = known.unwrap_or_default();
        let of = |score: std::ops::RangeInclusive<u8>| {
            known.iter().filter(move |(found, _)| score.contains(found)).map(|(_, value)| value)
        };
        values.extend(of(3..=4).filter_map(|value| form.fit(value)).take(VALUES / 2));
        let samples = prose::samples(description);
        values.extend(samples.iter().filter_map(|sample| form.parse(sample)));
        values.extend(of(2..=2).filter_map(|value| form.fit(value)).take(VALUES / 2));
        if *form != CandidateForm::Text {
            return;
        }
        if words(name).iter().any(|word| PATHS.contains(&word.as_str())) {
            values.extend(self.paths.iter().map(|path| Value::from(path.as_str())));
        }
        values.extend(customary(&format!("{} {description}", words(name).join(" "))));
        values.extend(of(1..=1).filter_map(|value| form.fit(value)).take(VALUES / 3));
        let of_tool = self.contract.description().unwrap_or_default();
        values.extend(prose::samples(of_tool).into_iter().take(VALUES / 3).map(Value::from));
        values.extend(customary(of_tool));
    }

    /// An object with the likeliest value of each property that it must have.
    fn object(&self, parts: &[&'a Map<String, Value>], depth: usize) -> Option<Value> {
        let properties = parts.iter().find_map(|part| part.get("properties")?.as_object())?;
        let required = parts.iter().find_map(|part| part.get("required")?.as_array())?;
        let mut object = Map::new();
        for name in required.iter().filter_map(Value::as_str) {
            let mut values = Candidates(Vec::new());
            self.collect(name, properties.get(name)?, depth - 1, &mut values);
            object.insert(name.to_owned(), values.0.into_iter().next()?);
        }
        Some(Value::Object(object))
    }

    /// The schema, what it refers to, and the first branch that is not null.
    fn parts(&self, schema: &'a Value) -> Vec<&'a Map<String, Value>> {
        let mut parts = Vec::new();
        let mut next = Some(schema);
        for _ in 0..DEPTH {
            let Some(part) = next.and_then(Value::as_object) else { break };
            parts.push(part);
            let target = part.get("$ref").and_then(Value::as_str);
            let branches = ["anyOf", "oneOf", "allOf"].iter().find_map(|key| part.get(*key)?.as_array());
            next = match (target, branches) {
                (Some(reference), _) => referred(self.schema, reference),
                (None, Some(branches)) => branches.iter().find(|branch| branch["type"] != "null"),
                (None, None) => None,
            };
        }
        parts
    }
}

/// What is customary for the words of a text.
fn customary(text: &str) -> impl Iterator<Item = Value> {
    let text = text.to_lowercase();
    let known = CUSTOMARY.iter().filter(move |(word, _)| text.contains(word));
    known.take(2).map(|(_, value)| Value::from(*value))
}

#[derive(PartialEq)]
enum CandidateForm {
    Text,
    Number,
    Array,
    Object,
    Other,
}

impl CandidateForm {
    fn of(parts: &[&Map<String, Value>]) -> Self {
        let mut kinds = parts.iter().filter_map(|part| part.get("type")).flat_map(|kind| match kind {
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>(),
            kind => kind.as_str().into_iter().collect(),
        });
        match kinds.find(|kind| *kind != "null") {
            Some("string") => Self::Text,
            Some("integer" | "number") => Self::Number,
            Some("array") => Self::Array,
            Some("object") => Self::Object,
            _ => Self::Other,
        }
    }

    /// A value of this form that a text stands for.
    fn parse(&self, text: &str) -> Option<Value> {
        match self {
            Self::Text => Some(Value::from(text)),
            Self::Number => serde_json::from_str(text).ok().filter(Value::is_number),
            Self::Array | Self::Object | Self::Other => serde_json::from_str(text).ok(),
        }
    }

    fn fit(&self, value: &Value) -> Option<Value> {
        match (self, value) {
            (Self::Text, Value::String(_)) | (Self::Number, Value::Number(_)) => Some(value.clone()),
            (Self::Text, Value::Number(number)) => Some(Value::from(number.to_string())),
            (Self::Number, Value::String(text)) => self.parse(text),
            _ => None,
        }
    }
}

/// Values in order of likelihood, each once.
struct Candidates(Vec<Value>);

impl Candidates {
    fn extend(&mut self, values: impl IntoIterator<Item = Value>) {
        for value in values {
            if self.0.len() < VALUES && !self.0.contains(&value) {
                self.0.push(value);
            }
        }
    }

    fn learned(&mut self, values: Option<&Vec<String>>, form: &CandidateForm) {
        self.extend(values.into_iter().flatten().filter_map(|text| form.parse(text)));
    }
}
