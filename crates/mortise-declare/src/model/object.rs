//! Objects: fields, required keys, and the keys that are not named.

use std::collections::BTreeSet;

use mortise_contract::schema::SchemaPlace;
use serde_json::{Map, Value};

use super::algebra::union;
use super::read::ModelReader;
use super::{Doc, ObjectField, ObjectType, Rest, Type};
use crate::loss::{Action, Severity};

impl<'a> ModelReader<'a, '_> {
    pub(super) fn object(&mut self, place: &SchemaPlace<'a>, keywords: &'a Map<String, Value>) -> Type {
        let required: BTreeSet<&str> = match keywords.get("required") {
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => BTreeSet::new(),
        };
        let rest = self.rest(place, keywords);
        let mut fields = Vec::new();
        let properties = keywords.get("properties").and_then(Value::as_object);
        for (key, schema) in properties.into_iter().flatten() {
            let inner = place.inside(&["properties", key], schema);
            self.note_misplaced_required(&inner);
            fields.push(ObjectField {
                key: key.clone(),
                required: required.contains(key.as_str()),
                kind: self.kind(&inner),
                doc: self.doc(&inner),
            });
        }
        for key in required {
            if !properties.is_some_and(|properties| properties.contains_key(key)) {
                let kind = match &rest {
                    Rest::Open | Rest::Welcome | Rest::LeftOut(_) => Type::Unknown,
                    Rest::Of(kind) => (**kind).clone(),
                    Rest::Closed => Type::Never,
                };
                fields.push(ObjectField { key: key.to_owned(), required: true, kind, doc: Doc::default() });
            }
        }
        if matches!(rest, Rest::Of(_)) && !fields.is_empty() {
            let reason = "there are named keys beside others of one type; the type of the others is widened";
            self.losses.add(
                &place.pointer,
                "additionalProperties",
                (Action::Widened, Severity::Info),
                reason,
            );
        }
        fields.sort_by(|a, b| a.key.cmp(&b.key));
        let title = keywords.get("title").and_then(Value::as_str).map(str::to_owned);
        Type::Object(ObjectType { fields, rest, title })
    }

    /// `required: true` inside a property is how draft 3 said it; no dialect that is read here knows it.
    fn note_misplaced_required(&mut self, property: &SchemaPlace<'a>) {
        if property.value.get("required") == Some(&Value::Bool(true)) {
            let reason = "`required` is a list of keys beside `properties`; true says nothing";
            self.losses
                .add(&property.pointer, "required", (Action::Dropped, Severity::Warn), reason)
                .fix("list the key under `required` of the object");
        }
    }

    fn rest(&mut self, place: &SchemaPlace<'a>, keywords: &'a Map<String, Value>) -> Rest {
        let additional = match keywords.get("additionalProperties") {
            None => Rest::Open,
            Some(Value::Bool(true)) => Rest::Welcome,
            Some(Value::Bool(false)) => Rest::Closed,
            Some(schema) => match self.kind(&place.inside(&["additionalProperties"], schema)) {
                Type::Unknown => Rest::Welcome,
                Type::Never => Rest::Closed,
                kind => Rest::Of(Box::new(kind)),
            },
        };
        let patterns = match keywords.get("patternProperties") {
            Some(Value::Object(patterns)) if !patterns.is_empty() => patterns,
            _ => return additional,
        };
        let reason = "keys are matched by a pattern; the type allows the values under any key";
        self.losses
            .add(&place.pointer, "patternProperties", (Action::Widened, Severity::Warn), reason)
            .fix("name the keys under `properties`, or use `additionalProperties`");
        let mut patterns: Vec<(&String, &'a Value)> = patterns.iter().collect();
        patterns.sort_unstable_by_key(|(pattern, _)| pattern.as_str());
        let mut kinds: Vec<Type> = patterns
            .into_iter()
            .map(|(pattern, schema)| self.kind(&place.inside(&["patternProperties", pattern], schema)))
            .collect();
        match additional {
            Rest::Open | Rest::Welcome | Rest::LeftOut(_) => kinds.push(Type::Unknown),
            Rest::Of(kind) => kinds.push(*kind),
            Rest::Closed => {}
        }
        match union(kinds) {
            Type::Unknown => Rest::Welcome,
            Type::Never => Rest::Closed,
            kind => Rest::Of(Box::new(kind)),
        }
    }
}
