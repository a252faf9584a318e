//! Members of a server's objects, taken over where they are of the type that our own answer promises.

use std::borrow::Cow;
use std::marker::PhantomData;

use mortise_contract::schema::{SchemaOptions, Validation};
use mortise_contract::{RawJson, RawObject, SchemaCache};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::answer::{AsSent, promised};

// An object of a server, member by member as sent. `Promise` is what its schema promises of the members.
#[derive(Clone, Debug)]
pub(crate) struct Fitted<Promise>(RawJson, PhantomData<fn() -> Promise>);

impl<Promise> Fitted<Promise> {
    pub(crate) fn into_json(self) -> RawJson {
        self.0
    }
}

impl<Promise> Serialize for Fitted<Promise> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<Promise: JsonSchema> JsonSchema for Fitted<Promise> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Promise::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Promise::json_schema(generator)
    }
}

/// The schemas of the members that objects are fitted to.
pub(crate) struct Fitter<'a, Promise> {
    properties: Value,
    schemas: &'a SchemaCache,
    promise: PhantomData<fn() -> Promise>,
}

impl<'a, Promise: JsonSchema> Fitter<'a, Promise> {
    pub(crate) fn new(schemas: &'a SchemaCache) -> Self {
        Self { properties: promised::<Promise>(), schemas, promise: PhantomData }
    }

    pub(crate) fn object(&self) -> Fitting<'_, 'a, Promise> {
        Fitting { fitter: self, object: RawObject::default(), notes: Vec::new() }
    }

    fn fits(&self, key: &str, raw: &RawJson) -> bool {
        let Some(schema) = self.properties.get(key).filter(|schema| schema.is_object()) else { return true };
        let Ok(compiled) = self.schemas.get(schema, &SchemaOptions::default()) else { return true };
        raw.value().is_ok_and(|value| compiled.validate(&value) == Validation::Valid)
    }
}

/// An object whose members are being taken over.
pub(crate) struct Fitting<'f, 'a, Promise> {
    fitter: &'f Fitter<'a, Promise>,
    object: RawObject,
    notes: Vec<String>,
}

impl<Promise: JsonSchema> Fitting<'_, '_, Promise> {
    /// A member as the server wrote it. One of another type than promised is named in the notes
    /// instead; it is still in what is shown raw.
    pub(crate) fn take(&mut self, key: &str, raw: &RawJson) {
        let sent = AsSent::new(raw);
        if self.fitter.fits(key, sent.json()) {
            self.object.set(key, sent.json().clone());
        } else {
            self.notes.push(format!("`{key}` is {}, see raw", raw.kind()));
        }
    }

    pub(crate) fn put(&mut self, key: &str, json: RawJson) {
        self.object.set(key, json);
    }

    /// The whole object as it was sent.
    pub(crate) fn put_raw(&mut self, raw: &RawJson) {
        self.put("raw", AsSent::new(raw).json().clone());
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Whether something of the server's object is not shown as it was sent.
    pub(crate) fn has_notes(&self) -> bool {
        !self.notes.is_empty()
    }

    /// The object, with its notes if there are any.
    pub(crate) fn finish(mut self) -> Fitted<Promise> {
        if self.has_notes() {
            let notes: Vec<RawJson> = self.notes.iter().map(|note| RawJson::string(note)).collect();
            self.object.set("notes", RawJson::array(&notes));
        }
        Fitted(self.object.into_json(), PhantomData)
    }
}

#[cfg(test)]
mod tests;
