//! What a branch at the root says about keys.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashSet};

use mortise_contract::schema::{SchemaDocument, SchemaPlace};
use serde_json::{Map, Value};

use super::{required, says_nothing};

/// Levels of branches within branches, and branches and properties that are looked at altogether.
const LEVELS: usize = 32;
const PARTS: usize = 50_000;
/// Keywords whose branches bring properties with them.
const COMBINED: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// Keywords that may bring in keys that are read nowhere else.
const BRINGS_KEYS: [&str; 9] = [
    "additionalProperties",
    "patternProperties",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependencies",
    "$dynamicRef",
    "$recursiveRef",
];

/// What a branch says about keys, with what it is made of.
#[derive(Default)]
pub(super) struct Branch<'a> {
    pub(super) properties: Vec<(&'a str, &'a Value)>,
    pub(super) required: Vec<&'a str>,
    /// Keys that one of its alternatives neither names nor refuses: other values than those of the schemas fit too.
    pub(super) open: HashSet<&'a str>,
    /// Whether no other keys are allowed.
    is_closed: bool,
}

/// Reads branches, within bounds, and notes what they hold beside properties.
pub(super) struct BranchReader<'a, 'd> {
    document: &'d SchemaDocument<'a>,
    /// Branches and properties that may still be looked at.
    left: Cell<usize>,
    /// References that are being followed.
    following: RefCell<Vec<String>>,
    /// Whether a branch was out of bounds, or no schema, or refers to none.
    pub(super) is_lost: Cell<bool>,
    /// Keywords that were passed over.
    pub(super) unsaid: RefCell<BTreeSet<String>>,
}

impl<'a, 'd> BranchReader<'a, 'd> {
    pub(super) fn new(document: &'d SchemaDocument<'a>) -> Self {
        Self {
            document,
            left: Cell::new(PARTS),
            following: RefCell::default(),
            is_lost: Cell::new(false),
            unsaid: RefCell::default(),
        }
    }

    /// Whether keys may be allowed that were not read.
    pub(super) fn may_miss_keys(&self) -> bool {
        let unsaid = self.unsaid.borrow();
        self.is_lost.get() || BRINGS_KEYS.iter().any(|keyword| unsaid.contains(*keyword))
    }

    /// All parts of a combinator; none if no object fits them.
    pub(super) fn together(
        &self,
        keyword: &str,
        parts: Vec<SchemaPlace<'a>>,
        level: usize,
    ) -> Option<Branch<'a>> {
        let branches: Vec<Option<Branch<'a>>> = parts.iter().map(|part| self.branch(part, level)).collect();
        match keyword {
            "allOf" => branches.into_iter().collect::<Option<Vec<_>>>().map(all),
            _ => any(branches.into_iter().flatten().collect()),
        }
    }

    fn branch(&self, place: &SchemaPlace<'a>, level: usize) -> Option<Branch<'a>> {
        let members = match place.value {
            Value::Object(members) if takes_objects(members) => members,
            Value::Object(_) | Value::Bool(false) => return None,
            Value::Bool(true) => return Some(Branch::default()),
            _ => return Some(self.lost()),
        };
        let properties = members.get("properties").and_then(Value::as_object);
        let names = members.get("required").and_then(Value::as_array).map_or(0, Vec::len);
        if level > LEVELS || !self.has_room(1 + names + properties.map_or(0, Map::len)) {
            return Some(self.lost());
        }
        let mut parts = Vec::new();
        let reference = members.get("$ref").and_then(Value::as_str);
        parts.push(self.own(members));
        for keyword in COMBINED {
            if let Some(Value::Array(branches)) = members.get(keyword) {
                parts.push(self.together(keyword, place.list(keyword, branches), level + 1)?);
            }
        }
        if let Some(reference) = reference {
            parts.push(self.referred(place, reference, level)?);
        }
        Some(all(parts))
    }

    fn own(&self, members: &'a Map<String, Value>) -> Branch<'a> {
        let properties = members.get("properties").and_then(Value::as_object).into_iter().flatten();
        let is_closed = members.get("additionalProperties") == Some(&Value::Bool(false));
        for keyword in members.keys() {
            let is_said = match keyword.as_str() {
                "type" | "properties" | "required" | "$ref" => true,
                "additionalProperties" => is_closed,
                keyword => COMBINED.contains(&keyword) || says_nothing(keyword),
            };
            if !is_said {
                self.unsaid.borrow_mut().insert(keyword.clone());
            }
        }
        Branch {
            properties: properties.map(|(key, schema)| (key.as_str(), schema)).collect(),
            required: required(members),
            open: HashSet::new(),
            is_closed: is_closed && !members.contains_key("patternProperties"),
        }
    }

    /// What a reference leads to. As a part of itself it says nothing new.
    fn referred(&self, place: &SchemaPlace<'a>, reference: &str, level: usize) -> Option<Branch<'a>> {
        let Some(target) = self.document.target(&place.scope, reference) else { return Some(self.lost()) };
        if self.following.borrow().contains(&target.pointer) {
            return Some(Branch::default());
        }
        self.following.borrow_mut().push(target.pointer.clone());
        let branch = self.branch(&target, level + 1);
        self.following.borrow_mut().pop();
        branch
    }

    fn lost(&self) -> Branch<'a> {
        self.is_lost.set(true);
        Branch::default()
    }

    fn has_room(&self, parts: usize) -> bool {
        let left = self.left.get().checked_sub(parts);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }
}

fn takes_objects(members: &Map<String, Value>) -> bool {
    match members.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        _ => true,
    }
}

/// All parts at once: what one of them requires or refuses, all do.
fn all(parts: Vec<Branch<'_>>) -> Branch<'_> {
    let mut whole = Branch::default();
    let mut held = HashSet::new();
    for part in parts {
        held.extend(part.properties.iter().map(|(key, _)| *key).filter(|key| !part.open.contains(key)));
        whole.properties.extend(part.properties);
        whole.required.extend(part.required);
        whole.open.extend(part.open);
        whole.is_closed |= part.is_closed;
    }
    whole.open.retain(|key| !held.contains(key));
    whole
}

/// One of the parts: what all of them require or refuse, the whole does.
fn any(parts: Vec<Branch<'_>>) -> Option<Branch<'_>> {
    let mut whole = Branch { is_closed: true, ..Branch::default() };
    let named: Vec<HashSet<&str>> =
        parts.iter().map(|part| part.properties.iter().map(|(key, _)| *key).collect()).collect();
    let required: Vec<HashSet<&str>> =
        parts.iter().map(|part| part.required.iter().copied().collect()).collect();
    let first = parts.first()?.required.clone();
    whole.required =
        first.into_iter().filter(|name| required.iter().all(|names| names.contains(name))).collect();
    let takes_others: Vec<&HashSet<&str>> =
        parts.iter().zip(&named).filter(|(part, _)| !part.is_closed).map(|(_, named)| named).collect();
    let keys: HashSet<&str> = named.iter().flatten().copied().collect();
    whole.open.extend(keys.iter().filter(|key| takes_others.iter().any(|named| !named.contains(*key))));
    for part in parts {
        whole.open.extend(part.open);
        whole.is_closed &= part.is_closed;
        whole.properties.extend(part.properties);
    }
    Some(whole)
}
