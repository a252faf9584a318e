//! JSON objects put together as text, so that what a server wrote stays as it wrote it.

use std::borrow::Cow;

use mortise_contract::RawJson;
use mortise_contract::limits::JSON_DEPTH;
use serde::Serialize;
use serde_json::Value;

use crate::exchanges::Exchanges;

/// Levels that an answer of ours puts around what a server wrote.
const ROOM: usize = 16;

/// The members of an object, in the order in which they were set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object(String);

impl Object {
    /// An object without members.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A member whose value is JSON already.
    pub(crate) fn json(mut self, key: &str, json: &str) -> Self {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(&Value::from(key).to_string());
        self.0.push(':');
        self.0.push_str(json);
        self
    }

    /// A member with a value of ours.
    pub(crate) fn set(self, key: &str, value: impl Serialize) -> Self {
        // Only a map with keys that are no strings has no JSON form.
        let json = serde_json::to_string(&value).unwrap_or_else(|_| "null".to_owned());
        self.json(key, &json)
    }

    /// The same, when there is a value.
    pub(crate) fn set_some(self, key: &str, value: Option<impl Serialize>) -> Self {
        match value {
            Some(value) => self.set(key, value),
            None => self,
        }
    }

    /// A member that a server wrote, see [`embedded`].
    pub(crate) fn verbatim(self, key: &str, raw: &RawJson) -> Self {
        self.json(key, &embedded(raw))
    }

    /// A member that is an object.
    pub(crate) fn object(self, key: &str, object: &Object) -> Self {
        self.json(key, &object.text())
    }

    /// A member that is an array of objects.
    pub(crate) fn list(self, key: &str, objects: impl IntoIterator<Item = Object>) -> Self {
        let texts: Vec<String> = objects.into_iter().map(|object| object.text()).collect();
        self.json(key, &format!("[{}]", texts.join(",")))
    }

    /// All members of another object after these.
    pub(crate) fn and(mut self, other: Object) -> Self {
        if !self.0.is_empty() && !other.0.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(&other.0);
        self
    }

    /// The same, with no secret of a connection in any value; the keys are ours.
    pub(crate) fn redacted(&self, exchanges: &Exchanges) -> Self {
        let members = RawJson::parse(&self.text()).and_then(|whole| whole.members());
        let members = members.unwrap_or_default();
        members
            .iter()
            .fold(Self::new(), |object, (key, value)| object.json(key, exchanges.redacted_json(value).text()))
    }

    /// The JSON text.
    pub(crate) fn text(&self) -> String {
        format!("{{{}}}", self.0)
    }
}

/// A text of a server as it can stand in an answer: itself, or, where it nests so deeply or is
/// written so oddly that clients could not read the answer, a string that holds it.
pub(crate) fn embedded(raw: &RawJson) -> Cow<'_, str> {
    let is_readable = raw.value().is_ok_and(|value| levels(&value) + ROOM <= JSON_DEPTH);
    match is_readable {
        true => Cow::Borrowed(raw.text()),
        false => Cow::Owned(Value::from(raw.text()).to_string()),
    }
}

/// Nested containers plus one; parsing has bounded them.
fn levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(levels).max().unwrap_or(0),
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
