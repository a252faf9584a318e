//! The lattice of observed types: which kinds of value stood in one place, and how often.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::field_name::is_field_name;
use crate::limits;

/// What stood in one place of all values: a count for each kind. No count at all is the least type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ObservedType {
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) nulls: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) booleans: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) integers: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) numbers: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) strings: u64,
    /// Values that were not looked into. They may have been anything.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) unread: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) array: Option<Box<ObservedArray>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) object: Option<Box<ObservedObject>>,
}

/// The arrays that stood in one place, and what was in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ObservedArray {
    pub(super) count: u64,
    pub(super) items: ObservedType,
}

/// The objects that stood in one place: with fields, or as a map.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ObservedObject {
    pub(super) count: u64,
    /// Fields by name. The count of a field's type is the number of objects that had it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) fields: BTreeMap<String, ObservedType>,
    /// Values under keys that are data, such as `{"2026-11-18": 3}`. Then there are no fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) map: Option<Box<ObservedType>>,
}

impl ObservedType {
    /// Values that were not looked into.
    pub(super) fn unread(count: u64) -> Self {
        Self { unread: count, ..Self::default() }
    }

    /// How many values stood in this place.
    pub fn count(&self) -> u64 {
        let array = self.array.as_ref().map_or(0, |array| array.count);
        let object = self.object.as_ref().map_or(0, |object| object.count);
        let counts = [
            self.nulls,
            self.booleans,
            self.integers,
            self.numbers,
            self.strings,
            self.unread,
            array,
            object,
        ];
        counts.into_iter().fold(0, u64::saturating_add)
    }

    /// The fields of the objects in this place: each with the number of objects that had it. Nothing for a map.
    pub fn fields(&self) -> impl Iterator<Item = (&str, u64)> {
        let fields = self.object.as_ref().map(|object| &object.fields);
        fields.into_iter().flatten().map(|(name, value)| (name.as_str(), value.count()))
    }

    /// Whether something is known of the values.
    pub(super) fn is_telling(&self) -> bool {
        self.count() > 0 && self.unread == 0
    }

    /// Adds what stood in the same place elsewhere. `levels` of containers are kept below this place. Returns whether the
    /// type has become wider and not only its counts larger.
    pub(super) fn absorb(&mut self, other: &Self, levels: usize) -> bool {
        let mut grew = false;
        let counts = [
            (&mut self.nulls, other.nulls),
            (&mut self.booleans, other.booleans),
            (&mut self.integers, other.integers),
            (&mut self.numbers, other.numbers),
            (&mut self.strings, other.strings),
            (&mut self.unread, other.unread),
        ];
        for (own, more) in counts {
            grew |= *own == 0 && more > 0;
            *own = own.saturating_add(more);
        }
        let Some(below) = levels.checked_sub(1) else {
            let containers = other.count().saturating_sub(other.scalars_and_unread());
            grew |= self.unread == 0 && containers > 0;
            self.unread = self.unread.saturating_add(containers);
            return grew;
        };
        if let Some(array) = &other.array {
            grew |= self.array.is_none();
            let own = self.array.get_or_insert_default();
            own.count = own.count.saturating_add(array.count);
            grew |= own.items.absorb(&array.items, below);
        }
        if let Some(object) = &other.object {
            grew |= self.object.is_none();
            grew |= self.object.get_or_insert_default().absorb(object, below);
        }
        grew
    }

    fn scalars_and_unread(&self) -> u64 {
        let counts = [self.nulls, self.booleans, self.integers, self.numbers, self.strings, self.unread];
        counts.into_iter().fold(0, u64::saturating_add)
    }

    /// Keeps `levels` of containers; those below count as not looked into.
    pub(super) fn truncate(&mut self, levels: usize) {
        let Some(below) = levels.checked_sub(1) else {
            let (array, object) = (self.array.take(), self.object.take());
            let arrays = array.map_or(0, |array| array.count);
            let objects = object.map_or(0, |object| object.count);
            self.unread = self.unread.saturating_add(arrays).saturating_add(objects);
            return;
        };
        if let Some(array) = &mut self.array {
            array.items.truncate(below);
        }
        if let Some(object) = &mut self.object {
            object.values_mut().for_each(|value| value.truncate(below));
        }
    }

    /// Nodes of this type. A map weighs as much as the most fields that it can have been made of, so that merging never
    /// makes a type lighter.
    pub(super) fn weight(&self) -> usize {
        let array = self.array.as_ref().map_or(0, |array| array.items.weight());
        let object = self.object.as_ref().map_or(0, |object| {
            let fields = object.fields.values().map(Self::weight).fold(0, usize::saturating_add);
            let map = object.map.as_ref().map_or(0, |values| values.weight());
            fields.saturating_add(map.saturating_mul(limits::OBSERVED_FIELDS + 1))
        });
        array.saturating_add(object).saturating_add(1)
    }

    pub(super) fn is_within_bounds(&self, levels: usize) -> bool {
        let Some(below) = levels.checked_sub(1) else { return self.array.is_none() && self.object.is_none() };
        let array = self.array.as_ref().is_none_or(|array| array.items.is_within_bounds(below));
        let object = self.object.as_ref().is_none_or(|object| {
            let limit = if object.map.is_some() { 0 } else { limits::OBSERVED_FIELDS };
            object.fields.len() <= limit
                && object.fields.keys().all(|name| is_field_name(name))
                && object.values().all(|value| value.is_within_bounds(below))
        });
        array && object
    }
}

impl ObservedObject {
    fn absorb(&mut self, other: &Self, levels: usize) -> bool {
        self.count = self.count.saturating_add(other.count);
        let mut grew = false;
        for (name, field) in &other.fields {
            let (own, is_new) = self.member(name);
            grew |= own.absorb(field, levels) || is_new;
        }
        if let Some(values) = &other.map {
            grew |= self.map.is_none();
            grew |= self.as_map().absorb(values, levels);
        }
        grew
    }

    /// The type of a member, and whether it is a new one. One field too many, or a key that is data, makes the object a
    /// map.
    pub(super) fn member(&mut self, name: &str) -> (&mut ObservedType, bool) {
        let is_known = self.fields.contains_key(name);
        let has_room = self.map.is_none() && self.fields.len() < limits::OBSERVED_FIELDS;
        if is_known || (has_room && is_field_name(name)) {
            return (self.fields.entry(name.to_owned()).or_default(), !is_known);
        }
        let is_new = self.map.is_none();
        (self.as_map(), is_new)
    }

    /// The type of all values, whatever their keys are.
    fn as_map(&mut self) -> &mut ObservedType {
        let values = self.map.get_or_insert_default();
        for (_, field) in std::mem::take(&mut self.fields) {
            values.absorb(&field, limits::OBSERVED_LEVELS);
        }
        values
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &ObservedType> {
        self.fields.values().chain(self.map.as_deref())
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut ObservedType> {
        self.fields.values_mut().chain(self.map.as_deref_mut())
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}
