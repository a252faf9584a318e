//! The keys of a type, as a sentence: what is left of one that is too long.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Model, Type};
use crate::typescript::key;

/// Definitions that are looked at; where there are more, nothing is said.
const DEFINITIONS: usize = 200;

/// `object with keys a, b, … (+3)`, on one line; of a union the keys that all its objects have come first.
pub(super) fn keys(model: &Model, bytes: usize) -> Option<String> {
    let mut found =
        FoundObjects { model, objects: 0, is_nullable: false, keys: BTreeMap::new(), seen: BTreeSet::new() };
    let mut root = &model.root;
    if let Type::Named(name) = root {
        root = &model.definitions.get(*name)?.kind;
    }
    let start = match root {
        Type::Array(item) => {
            found.look(item)?;
            "array of objects with keys ".to_owned()
        }
        root => {
            found.look(root)?;
            found.start()
        }
    };
    let keys = found.keys();
    let mut text = start;
    for (at, key) in keys.iter().enumerate() {
        let separator = if at == 0 { "" } else { ", " };
        let left = keys.len() - at - 1;
        let tail = if left > 0 { format!(", … (+{left})") } else { String::new() };
        if text.len() + separator.len() + key.len() + tail.len() > bytes {
            let tail = format!(", … (+{})", keys.len() - at);
            return (at > 0).then(|| text + &tail);
        }
        text.push_str(separator);
        text.push_str(key);
    }
    (!keys.is_empty()).then_some(text)
}

/// The objects that a value can be.
struct FoundObjects<'a> {
    model: &'a Model,
    objects: usize,
    is_nullable: bool,
    /// Every key, and in how many of the objects it is.
    keys: BTreeMap<&'a str, usize>,
    /// Definitions that were looked at: each counts once, also one that is part of itself.
    seen: BTreeSet<usize>,
}

impl<'a> FoundObjects<'a> {
    /// Adds what a type is; nothing if it is also something else than objects and null.
    fn look(&mut self, kind: &'a Type) -> Option<()> {
        match kind {
            Type::Null => self.is_nullable = true,
            Type::Named(_) if self.seen.len() > DEFINITIONS => return None,
            Type::Named(name) if self.seen.insert(*name) => {
                self.look(&self.model.definitions.get(*name)?.kind)?;
            }
            Type::Named(_) => {}
            Type::Union(members) => members.iter().try_for_each(|member| self.look(member))?,
            Type::Object(_) | Type::Intersection(_) => {
                let mut keys = BTreeSet::new();
                self.parts(kind, &mut keys)?;
                self.objects += 1;
                keys.into_iter().for_each(|key| *self.keys.entry(key).or_default() += 1);
            }
            _ => return None,
        }
        Some(())
    }

    /// The keys of everything that an object is made of.
    fn parts(&mut self, kind: &'a Type, keys: &mut BTreeSet<&'a str>) -> Option<()> {
        match kind {
            Type::Object(object) => keys.extend(object.fields.iter().map(|field| field.key.as_str())),
            Type::Named(_) if self.seen.len() > DEFINITIONS => return None,
            Type::Named(name) if self.seen.insert(*name) => {
                self.parts(&self.model.definitions.get(*name)?.kind, keys)?;
            }
            Type::Named(_) => {}
            Type::Union(members) | Type::Intersection(members) => {
                members.iter().try_for_each(|member| self.parts(member, keys))?;
            }
            _ => return None,
        }
        Some(())
    }

    fn start(&self) -> String {
        let null = if self.is_nullable { "null or " } else { "" };
        match self.objects {
            0 | 1 => format!("{null}object with keys "),
            objects => format!("{null}one of {objects} objects with keys "),
        }
    }

    /// As they are written in types: nothing in a key ends the line or a fence of code.
    fn keys(&self) -> Vec<String> {
        let (shared, others): (Vec<_>, Vec<_>) =
            self.keys.iter().partition(|(_, objects)| **objects == self.objects);
        shared.into_iter().chain(others).map(|(name, _)| key(name)).collect()
    }
}

#[cfg(test)]
mod tests;
