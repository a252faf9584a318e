//! What several schemas say together about a value's form.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use serde_json::{Map, Value};

use crate::schema::referred;

/// References followed in a row.
const REFERENCES: usize = 64;
/// The order in which types are tried; the simplest first.
const TYPES: [&str; 7] = ["object", "array", "string", "integer", "number", "boolean", "null"];

/// The conjunction of some schemas, keyword by keyword.
#[derive(Debug, Default)]
pub(super) struct SampleFacts<'a> {
    /// The schemas with references and `allOf` resolved, without their alternatives.
    pub(super) conjunction: Vec<&'a Value>,
    /// `anyOf` and `oneOf` groups that are still open.
    pub(super) alternatives: Vec<Vec<&'a Value>>,
    /// Values of `const` and `enum`.
    pub(super) fixed: Vec<&'a Value>,
    types: Option<BTreeSet<&'a str>>,
    pub(super) required: BTreeSet<&'a str>,
    pub(super) properties: BTreeMap<&'a str, Vec<&'a Value>>,
    patterned: Vec<(Regex, &'a Value)>,
    additional: Vec<(&'a Map<String, Value>, &'a Value)>,
    pub(super) min_properties: u64,
    prefix: Vec<&'a [Value]>,
    items: Vec<(usize, &'a Value)>,
    pub(super) contains: Vec<&'a Value>,
    pub(super) min_items: u64,
    pub(super) unique: bool,
    pub(super) min_length: u64,
    pub(super) max_length: Option<u64>,
    pub(super) patterns: Vec<&'a str>,
    pub(super) format: Option<&'a str>,
    pub(super) minimum: Option<(f64, bool)>,
    pub(super) maximum: Option<(f64, bool)>,
    pub(super) multiple_of: Vec<f64>,
}

impl<'a> SampleFacts<'a> {
    /// Reads the schemas; `None` when one of them is `false` or refers to nothing.
    pub(super) fn collect(root: &'a Value, schemas: &[&'a Value]) -> Option<Self> {
        let mut facts = Self::default();
        let mut waiting: Vec<&'a Value> = schemas.iter().rev().copied().collect();
        let mut references = 0;
        while let Some(schema) = waiting.pop() {
            if facts.conjunction.iter().any(|known| std::ptr::eq(*known, schema)) {
                continue;
            }
            let keywords = match schema {
                Value::Bool(true) => continue,
                Value::Object(keywords) => keywords,
                _ => return None,
            };
            facts.conjunction.push(schema);
            if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
                references += 1;
                if references > REFERENCES {
                    return None;
                }
                waiting.push(referred(root, reference)?);
            }
            waiting.extend(keywords.get("allOf").and_then(Value::as_array).into_iter().flatten());
            facts.read(keywords);
        }
        // Branches already chosen are in the conjunction; their groups are no longer open.
        let chosen = facts.conjunction.clone();
        facts.alternatives.retain(|group| {
            !group.iter().any(|branch| chosen.iter().any(|known| std::ptr::eq(*known, *branch)))
        });
        Some(facts)
    }

    fn read(&mut self, keywords: &'a Map<String, Value>) {
        for (keyword, value) in keywords {
            match keyword.as_str() {
                "const" => self.fix(std::slice::from_ref(value)),
                "enum" => self.fix(value.as_array().map(Vec::as_slice).unwrap_or_default()),
                "type" => self.narrow_types(value),
                "anyOf" | "oneOf" => {
                    self.alternatives.extend(value.as_array().map(|group| group.iter().collect::<Vec<_>>()))
                }
                "required" => {
                    self.required.extend(value.as_array().into_iter().flatten().filter_map(Value::as_str))
                }
                "properties" => {
                    for (name, schema) in value.as_object().into_iter().flatten() {
                        self.properties.entry(name).or_default().push(schema);
                    }
                }
                "patternProperties" => {
                    let patterns = value.as_object().into_iter().flatten();
                    self.patterned.extend(
                        patterns.filter_map(|(pattern, schema)| Some((Regex::new(pattern).ok()?, schema))),
                    );
                }
                "additionalProperties" | "unevaluatedProperties" => self.additional.push((keywords, value)),
                "minProperties" => self.min_properties = self.min_properties.max(value.as_u64().unwrap_or(0)),
                "prefixItems" => self.prefix.extend(value.as_array().map(Vec::as_slice)),
                "items" => match value {
                    Value::Array(prefix) => self.prefix.push(prefix),
                    rest => self.items.push((
                        keywords.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len),
                        rest,
                    )),
                },
                "additionalItems" => {
                    let from = keywords.get("items").and_then(Value::as_array).map_or(usize::MAX, Vec::len);
                    self.items.push((from, value));
                }
                "contains" => self.contains.push(value),
                "minItems" => self.min_items = self.min_items.max(value.as_u64().unwrap_or(0)),
                "uniqueItems" => self.unique |= value == &Value::Bool(true),
                "minLength" => self.min_length = self.min_length.max(value.as_u64().unwrap_or(0)),
                "maxLength" => {
                    self.max_length =
                        value.as_u64().map(|length| self.max_length.map_or(length, |known| known.min(length)))
                }
                "pattern" => self.patterns.extend(value.as_str()),
                "format" => self.format = value.as_str().or(self.format),
                "minimum" => {
                    self.at_least(value, keywords.get("exclusiveMinimum") == Some(&Value::Bool(true)))
                }
                "exclusiveMinimum" if value.is_number() => self.at_least(value, true),
                "maximum" => {
                    self.at_most(value, keywords.get("exclusiveMaximum") == Some(&Value::Bool(true)))
                }
                "exclusiveMaximum" if value.is_number() => self.at_most(value, true),
                "multipleOf" => self.multiple_of.extend(value.as_f64().filter(|step| *step > 0.0)),
                _ => {}
            }
        }
    }

    fn fix(&mut self, values: &'a [Value]) {
        if self.fixed.is_empty() {
            self.fixed.extend(values);
        } else {
            self.fixed.retain(|known| values.contains(known));
        }
    }

    fn narrow_types(&mut self, value: &'a Value) {
        let named: BTreeSet<&str> = match value {
            Value::String(kind) => [kind.as_str()].into(),
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => return,
        };
        self.types = Some(match self.types.take() {
            None => named,
            Some(known) => {
                let integer = known.contains("integer") && named.contains("number")
                    || known.contains("number") && named.contains("integer");
                let mut both: BTreeSet<&str> = known.intersection(&named).copied().collect();
                if integer {
                    both.insert("integer");
                }
                both
            }
        });
    }

    fn at_least(&mut self, value: &Value, exclusive: bool) {
        if let Some(bound) = value.as_f64()
            && self
                .minimum
                .is_none_or(|(known, strict)| bound > known || bound == known && exclusive && !strict)
        {
            self.minimum = Some((bound, exclusive));
        }
    }

    fn at_most(&mut self, value: &Value, exclusive: bool) {
        if let Some(bound) = value.as_f64()
            && self
                .maximum
                .is_none_or(|(known, strict)| bound < known || bound == known && exclusive && !strict)
        {
            self.maximum = Some((bound, exclusive));
        }
    }

    /// The types to try, those that a keyword speaks of first.
    pub(super) fn types(&self) -> impl Iterator<Item = &'static str> {
        let spoken = |kind: &str| match kind {
            "object" => {
                !self.required.is_empty()
                    || !self.properties.is_empty()
                    || !self.additional.is_empty()
                    || self.min_properties > 0
            }
            "array" => {
                !self.items.is_empty()
                    || !self.prefix.is_empty()
                    || self.min_items > 0
                    || !self.contains.is_empty()
            }
            "string" => {
                !self.patterns.is_empty()
                    || self.format.is_some()
                    || self.min_length > 0
                    || self.max_length.is_some()
            }
            "number" => self.minimum.is_some() || self.maximum.is_some() || !self.multiple_of.is_empty(),
            _ => false,
        };
        let allowed = |kind: &&str| self.types.as_ref().is_none_or(|types| types.contains(*kind));
        let (first, rest): (Vec<&str>, Vec<&str>) =
            TYPES.into_iter().filter(allowed).partition(|kind| spoken(kind));
        // With no word about the form, a string is the simplest value there is.
        let rest = if self.types.is_none() && first.is_empty() { vec!["string"] } else { rest };
        first.into_iter().chain(rest)
    }

    /// Whether a fixed value is of an allowed type.
    pub(super) fn admits(&self, value: &Value) -> bool {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        self.types
            .as_ref()
            .is_none_or(|types| types.contains(kind) || kind == "integer" && types.contains("number"))
    }

    /// Everything that is said about the property `name`.
    pub(super) fn property(&self, name: &str) -> Vec<&'a Value> {
        let mut schemas = self.properties.get(name).cloned().unwrap_or_default();
        let patterned = self.patterned.iter().filter(|(pattern, _)| pattern.is_match(name));
        schemas.extend(patterned.map(|(_, schema)| *schema));
        for (keywords, schema) in &self.additional {
            let declared = keywords.get("properties").and_then(|properties| properties.get(name)).is_some();
            if !declared && schemas.is_empty() {
                schemas.push(schema);
            }
        }
        schemas
    }

    /// Everything that is said about the item at `position`.
    pub(super) fn item(&self, position: usize) -> Vec<&'a Value> {
        let positional = self.prefix.iter().filter_map(|prefix| prefix.get(position));
        let rest = self.items.iter().filter(|(from, _)| position >= *from).map(|(_, schema)| *schema);
        positional.chain(rest).collect()
    }
}
