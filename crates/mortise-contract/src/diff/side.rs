//! One schema of a pair as the walk reads it: references followed, siblings beside them kept.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::schema::{Dialect, referred};

/// References followed in a row.
const REFERENCES: usize = 64;

/// The keywords in force at one place of a schema.
#[derive(Clone, Debug)]
pub(super) struct DiffSide<'a> {
    /// The document that references are looked up in.
    pub(super) root: &'a Value,
    pub(super) keywords: Cow<'a, Map<String, Value>>,
    /// `false`: nothing is valid here.
    pub(super) never: bool,
}

impl<'a> DiffSide<'a> {
    /// Reads the schema at one place.
    pub(super) fn new(root: &'a Value, schema: &'a Value) -> Self {
        let mut keywords = match schema {
            Value::Object(keywords) => Cow::Borrowed(keywords),
            other => {
                return Self { root, keywords: Cow::Owned(Map::new()), never: other == &Value::Bool(false) };
            }
        };
        for _ in 0..REFERENCES {
            let Some(reference) = keywords.get("$ref").and_then(Value::as_str) else { break };
            let Some(Value::Object(target)) = referred(root, reference) else { break };
            let mut merged = target.clone();
            if !Dialect::of(root, Dialect::default()).is_ok_and(Dialect::is_legacy) {
                merged.extend(
                    keywords
                        .iter()
                        .filter(|(keyword, _)| *keyword != "$ref")
                        .map(|(k, v)| (k.clone(), v.clone())),
                );
            }
            if merged == *keywords {
                break;
            }
            keywords = Cow::Owned(merged);
        }
        Self { root, keywords, never: false }
    }

    pub(super) fn get(&self, keyword: &str) -> Option<&Value> {
        self.keywords.get(keyword)
    }

    pub(super) fn number(&self, keyword: &str) -> Option<f64> {
        self.get(keyword).and_then(Value::as_f64)
    }

    pub(super) fn properties(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.get("properties").and_then(Value::as_object).into_iter().flatten()
    }

    pub(super) fn property(&self, name: &str) -> Option<&Value> {
        self.get("properties").and_then(|properties| properties.get(name))
    }

    pub(super) fn requires(&self, name: &str) -> bool {
        self.required().any(|required| required == name)
    }

    pub(super) fn required(&self) -> impl Iterator<Item = &str> {
        self.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }

    /// Whether undeclared properties are refused.
    pub(super) fn is_closed(&self) -> bool {
        ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .any(|keyword| self.get(keyword) == Some(&Value::Bool(false)))
    }

    /// The schema of undeclared properties, where it says something.
    pub(super) fn additional(&self) -> Option<&Value> {
        self.get("additionalProperties")
            .filter(|schema| schema.as_object().is_some_and(|schema| !schema.is_empty()))
    }

    /// The types, `None` for all of them.
    pub(super) fn types(&self) -> Option<Vec<&str>> {
        match self.get("type")? {
            Value::String(kind) => Some(vec![kind]),
            Value::Array(kinds) => Some(kinds.iter().filter_map(Value::as_str).collect()),
            _ => None,
        }
    }

    /// `const` or `enum` as a list.
    pub(super) fn fixed(&self) -> Option<&[Value]> {
        match (self.get("const"), self.get("enum")) {
            (Some(constant), _) => Some(std::slice::from_ref(constant)),
            (None, Some(Value::Array(values))) => Some(values),
            _ => None,
        }
    }

    /// The positions of a tuple, by either spelling.
    pub(super) fn prefix(&self) -> &[Value] {
        let prefix = self.get("prefixItems").or_else(|| self.get("items").filter(|items| items.is_array()));
        prefix.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    /// The schema of the items behind the tuple, or of all.
    pub(super) fn rest(&self) -> Option<&Value> {
        match self.get("items") {
            Some(Value::Array(_)) => self.get("additionalItems"),
            items => items,
        }
    }
}
