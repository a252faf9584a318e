//! The structural walk over two schemas.

use std::collections::HashSet;

use serde_json::Value;

use super::side::DiffSide;
use super::{Level, Role, Rule, array, combine, object, scalar, text, union};
use crate::json::escape_token;

/// Nesting that is compared.
const DEPTH: usize = 64;
/// Changes that are kept.
const CHANGES: usize = 2_000;
/// Places that are compared.
const PLACES: usize = 50_000;

/// What a change does to the set of valid values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Some values are no longer valid.
    Narrower,
    /// More values are valid.
    Wider,
    /// Some of both.
    Other,
    /// Only set algebra can decide.
    Undecided,
}

/// What set algebra may still change about a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// Nothing: the rule table fixes it.
    None,
    /// It takes a witness to be a break; proven harmless it is not worth more than a note.
    Undecided,
    /// It takes a witness to be a break; proven harmless it is still a visible change.
    UndecidedOrSafe,
}

/// How to get from the root of a value to a place in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ValueStep {
    /// Into a property.
    Property(String),
    /// Into an item.
    Item(usize),
    /// Into a branch of a combination: the same value.
    Branch { keyword: &'static str, index: usize },
}

/// A change that the walk found, with proposals for values at that place that show it.
#[derive(Clone, Debug)]
pub(super) struct FoundChange {
    pub(super) rule: Rule,
    pub(super) level: Level,
    pub(super) doubt: Doubt,
    pub(super) pointer: String,
    pub(super) message: String,
    pub(super) path: Vec<ValueStep>,
    pub(super) proposals: Vec<Value>,
}

/// Walks over both schemas.
pub(super) fn walk(old: &Value, new: &Value, role: Role) -> Vec<FoundChange> {
    let mut walk = DiffWalk {
        old_root: old,
        new_root: new,
        role,
        found: Vec::new(),
        seen: HashSet::new(),
        places: PLACES,
        is_complete: true,
    };
    let place = DiffPlace { pointer: String::new(), path: Vec::new() };
    if old.get("$schema") != new.get("$schema") {
        let dialect =
            |schema: &Value| schema.get("$schema").and_then(Value::as_str).unwrap_or("none").to_owned();
        let message = format!("`$schema` was {} and is {}", dialect(old), dialect(new));
        walk.report(Rule::DialectChanged, Level::Warning, &place.down("$schema"), message);
    }
    walk.compare(old, new, &place);
    if !walk.is_complete {
        let message = "too deep or too large to be compared completely".to_owned();
        let (rule, path) = (Rule::NotCompared, Vec::new());
        walk.found.push(FoundChange {
            rule,
            level: Level::Warning,
            doubt: Doubt::Undecided,
            pointer: String::new(),
            message,
            path,
            proposals: Vec::new(),
        });
    }
    walk.found
}

/// Where the walk is.
#[derive(Clone, Debug)]
pub(super) struct DiffPlace {
    pub(super) pointer: String,
    pub(super) path: Vec<ValueStep>,
}

impl DiffPlace {
    /// A keyword at this place; the value stays the same.
    pub(super) fn down(&self, keyword: &str) -> Self {
        Self { pointer: format!("{}/{}", self.pointer, escape_token(keyword)), path: self.path.clone() }
    }

    /// This place in the schema, one step deeper in the value.
    pub(super) fn step(mut self, step: ValueStep) -> Self {
        self.path.push(step);
        self
    }
}

pub(super) struct DiffWalk<'a> {
    pub(super) old_root: &'a Value,
    pub(super) new_root: &'a Value,
    pub(super) role: Role,
    found: Vec<FoundChange>,
    /// Pairs with a reference, by their text: the values themselves may be copies that come and go.
    seen: HashSet<(String, String)>,
    places: usize,
    is_complete: bool,
}

impl<'a> DiffWalk<'a> {
    /// Compares two subschemas at the same place.
    pub(super) fn compare(&mut self, old: &Value, new: &Value, place: &DiffPlace) {
        if old == new && self.old_root == self.new_root {
            return;
        }
        // Recursive definitions come around again; the pair was or is being compared.
        let recursive = old.get("$ref").is_some() || new.get("$ref").is_some();
        if recursive && !self.seen.insert((old.to_string(), new.to_string())) {
            return;
        }
        if place.path.len() > DEPTH || self.places == 0 {
            self.is_complete = false;
            return;
        }
        self.places -= 1;
        let old = DiffSide::new(self.old_root, old);
        let new = DiffSide::new(self.new_root, new);
        if old.never != new.never {
            let (rule, effect) = if new.never {
                (Rule::TypeNarrowed, Effect::Narrower)
            } else {
                (Rule::TypeWidened, Effect::Wider)
            };
            let message =
                if new.never { "nothing is allowed here any more" } else { "something is allowed here now" };
            return self.change(
                rule,
                effect,
                place,
                message.to_owned(),
                vec![Value::Null, Value::from("a"), Value::from(0)],
            );
        }
        if old.keywords == new.keywords && !self.refers(&old) {
            return;
        }
        if union::compare(self, &old, &new, place) {
            return;
        }
        let found = self.found.len();
        text::compare(self, &old, &new, place);
        if !scalar::types(self, &old, &new, place) {
            return;
        }
        scalar::compare(self, &old, &new, place);
        object::compare(self, &old, &new, place);
        array::compare(self, &old, &new, place);
        combine::compare(self, &old, &new, place);
        if self.found.len() == found {
            scalar::fine_print(self, &old, &new, place);
        }
    }

    /// Whether equal keywords may still mean something else, since references inside lead to changed definitions.
    fn refers(&self, side: &DiffSide<'_>) -> bool {
        fn holds_reference(value: &Value, depth: usize) -> bool {
            depth > 0
                && match value {
                    Value::Object(members) => {
                        members.contains_key("$ref")
                            || members.values().any(|member| holds_reference(member, depth - 1))
                    }
                    Value::Array(items) => items.iter().any(|item| holds_reference(item, depth - 1)),
                    _ => false,
                }
        }
        self.old_root != self.new_root && side.keywords.values().any(|value| holds_reference(value, DEPTH))
    }

    /// Records a change whose level follows from its effect and the role.
    pub(super) fn change(
        &mut self,
        rule: Rule,
        effect: Effect,
        place: &DiffPlace,
        message: String,
        proposals: Vec<Value>,
    ) {
        let level = match (self.role, effect) {
            (_, Effect::Undecided) => Level::Warning,
            (_, Effect::Other) | (Role::Input, Effect::Narrower) | (Role::Output, Effect::Wider) => {
                Level::Breaking
            }
            (Role::Input, Effect::Wider) | (Role::Output, Effect::Narrower) => Level::Safe,
        };
        let doubt = match level {
            Level::Warning | Level::Breaking => Doubt::Undecided,
            Level::Safe | Level::Info => Doubt::None,
        };
        self.push(rule, level, doubt, place, message, proposals);
    }

    /// Records a change whose level the rule table fixes.
    pub(super) fn report(&mut self, rule: Rule, level: Level, place: &DiffPlace, message: String) {
        self.push(rule, level, Doubt::None, place, message, Vec::new());
    }

    pub(super) fn push(
        &mut self,
        rule: Rule,
        level: Level,
        doubt: Doubt,
        place: &DiffPlace,
        message: String,
        proposals: Vec<Value>,
    ) {
        if self.found.len() < CHANGES {
            let (pointer, path) = (place.pointer.clone(), place.path.clone());
            self.found.push(FoundChange { rule, level, doubt, pointer, message, path, proposals });
        } else {
            self.is_complete = false;
        }
    }

    /// The side whose values could surprise the other: callers' old ones, or the server's new ones.
    pub(super) fn surprising<T>(&self, old: T, new: T) -> T {
        match self.role {
            Role::Input => old,
            Role::Output => new,
        }
    }
}
