//! Members of a server's objects, taken over where they are of the type that our own answer promises.

use mortise_contract::schema::{SchemaOptions, Validation};
use mortise_contract::{RawJson, SchemaCache};
use serde_json::Value;

use crate::object::{Object, embedded};

/// Takes members over into an object whose properties have these schemas.
pub(crate) struct Fitting<'a> {
    properties: &'a Value,
    schemas: &'a SchemaCache,
    object: Object,
    notes: Vec<String>,
}

impl<'a> Fitting<'a> {
    /// An object without members; `properties` is the `properties` of its schema.
    pub(crate) fn new(properties: Option<&'a Value>, schemas: &'a SchemaCache) -> Self {
        let properties = properties.unwrap_or(&Value::Null);
        Self { properties, schemas, object: Object::new(), notes: Vec::new() }
    }

    /// A member as the server wrote it. One of another type than promised is named in the notes
    /// instead; it is still in what is shown raw.
    pub(crate) fn take(&mut self, key: &str, raw: &RawJson) {
        let text = embedded(raw);
        if self.fits(key, &text) {
            self.object = std::mem::take(&mut self.object).json(key, &text);
        } else {
            self.notes.push(format!("`{key}` is {}, see raw", raw.kind()));
        }
    }

    /// A member of ours.
    pub(crate) fn put(&mut self, change: impl FnOnce(Object) -> Object) {
        self.object = change(std::mem::take(&mut self.object));
    }

    /// Something to say about the object.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Whether something of the server's object is not shown as it was sent.
    pub(crate) fn has_notes(&self) -> bool {
        !self.notes.is_empty()
    }

    /// The object, with its notes if there are any.
    pub(crate) fn finish(self) -> Object {
        match self.notes.is_empty() {
            true => self.object,
            false => self.object.set("notes", self.notes),
        }
    }

    fn fits(&self, key: &str, text: &str) -> bool {
        let Some(schema) = self.properties.get(key).filter(|schema| schema.is_object()) else { return true };
        let Ok(compiled) = self.schemas.get(schema, &SchemaOptions::default()) else { return true };
        let value = RawJson::parse(text).and_then(|raw| raw.value());
        value.is_ok_and(|value| compiled.validate(&value) == Validation::Valid)
    }
}

#[cfg(test)]
mod tests;
