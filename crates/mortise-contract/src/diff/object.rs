//! Properties: new ones, gone ones, required ones, undeclared ones.

use serde_json::{Map, Value, json};

use super::side::DiffSide;
use super::walk::{DiffPlace, DiffWalk, Doubt, Effect, ValueStep};
use super::{Level, Role, Rule};
use crate::sample::{Sampler, sample};

/// A name that no schema declares.
const UNDECLARED: &str = "undeclared_key";

pub(super) fn compare(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    for (name, schema) in old.properties() {
        let below = place.down("properties").down(name);
        match new.property(name) {
            Some(after) => {
                required(walk, old, new, name, place);
                walk.compare(schema, after, &below.step(ValueStep::Property(name.clone())));
            }
            None => removed(walk, old, new, name, &below),
        }
    }
    for (name, schema) in new.properties() {
        if old.property(name).is_none() {
            added(walk, old, new, name, schema, &place.down("properties").down(name));
        }
    }
    undeclared_required(walk, old, new, place);
    undeclared(walk, old, new, place);
    patterned(walk, old, new, place);
    property_names(walk, old, new, place);
}

/// Properties whose names match a pattern; a pattern that one side lacks says nothing there.
fn patterned(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    let patterns = |side: &DiffSide<'_>| -> Vec<String> {
        let patterns = side.get("patternProperties").and_then(Value::as_object);
        patterns.into_iter().flat_map(|patterns| patterns.keys().cloned()).collect()
    };
    let mut all = patterns(old);
    all.extend(patterns(new));
    all.sort_unstable();
    all.dedup();
    let anything = Value::Bool(true);
    for pattern in all {
        let schema = |side: &DiffSide<'_>| {
            side.get("patternProperties").and_then(|patterns| patterns.get(&pattern)).cloned()
        };
        let (before, after) = (schema(old), schema(new));
        let below = place.down("patternProperties").down(&pattern);
        let name = match sample(&json!({ "pattern": pattern, "type": "string" })) {
            Some(Value::String(name)) => name,
            _ => {
                if before != after {
                    let message = "what is said of properties with such names changed".to_owned();
                    walk.change(Rule::KeywordChanged, Effect::Undecided, &below, message, Vec::new());
                }
                continue;
            }
        };
        let below = below.step(ValueStep::Property(name));
        let [before, after] = [before, after].map(|schema| schema.unwrap_or_else(|| anything.clone()));
        walk.compare(&before, &after, &below);
    }
}

/// `propertyNames` has a schema of names, so a value that shows a change is an object with such a name.
fn property_names(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    if old.get("propertyNames") == new.get("propertyNames") {
        return;
    }
    let effect = match (old.get("propertyNames"), new.get("propertyNames")) {
        (None, _) => Effect::Narrower,
        (_, None) => Effect::Wider,
        _ => Effect::Undecided,
    };
    let accepted = walk.surprising(old, new).get("propertyNames").and_then(sample);
    let names = accepted.iter().filter_map(Value::as_str).chain(["a", "A", "0", "", "undeclared_key", "a b"]);
    let proposals = names
        .map(|name| {
            let mut object = object_of(walk.surprising(old, new)).unwrap_or_default();
            object.insert(name.to_owned(), Value::Null);
            Value::Object(object)
        })
        .collect();
    let message = "`propertyNames` changed".to_owned();
    walk.change(Rule::KeywordChanged, effect, &place.down("propertyNames"), message, proposals);
}

fn required(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, name: &str, place: &DiffPlace) {
    let place = &place.down("required");
    match (old.requires(name), new.requires(name)) {
        (false, true) => {
            let message = format!("`{name}` is required now");
            walk.change(
                Rule::BecameRequired,
                Effect::Narrower,
                place,
                message,
                without(walk, old, new, name),
            );
        }
        (true, false) => {
            let message = format!("`{name}` is optional now");
            walk.change(Rule::BecameOptional, Effect::Wider, place, message, without(walk, old, new, name));
        }
        _ => {}
    }
}

/// `required` can name properties that `properties` does not.
fn undeclared_required(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    let mut names: Vec<&str> = old.required().chain(new.required()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        if old.property(name).is_none() && new.property(name).is_none() {
            required(walk, old, new, name, place);
        }
    }
}

fn removed(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, name: &str, place: &DiffPlace) {
    let is_required = old.requires(name);
    let (rule, kind) = if is_required {
        (Rule::RequiredPropertyRemoved, "required")
    } else {
        (Rule::OptionalPropertyRemoved, "optional")
    };
    let message = format!("the {kind} property `{name}` is gone");
    if let (Some(other), Some(schema), false) = (new.additional(), old.property(name), new.is_closed()) {
        // Undeclared properties have a schema of their own: it takes the place of the old one for this name.
        if is_required {
            walk.change(rule, Effect::Wider, place, message, without(walk, old, new, name));
        } else {
            walk.report(rule, Level::Warning, place, message);
        }
        walk.compare(schema, other, &place.clone().step(ValueStep::Property(name.to_owned())));
        return;
    }
    let level = match (walk.role, is_required, new.is_closed()) {
        (Role::Input, true, false) => Level::Safe,
        (Role::Input, _, true) | (Role::Output, true, _) => Level::Breaking,
        (Role::Input, false, false) | (Role::Output, false, _) => Level::Warning,
    };
    let proposals = match walk.role {
        Role::Input => with(old, name, old.property(name)),
        Role::Output => without(walk, old, new, name),
    };
    let doubt = if level == Level::Breaking { Doubt::Undecided } else { Doubt::None };
    walk.push(rule, level, doubt, place, message, proposals);
}

fn added(
    walk: &mut DiffWalk<'_>,
    old: &DiffSide<'_>,
    new: &DiffSide<'_>,
    name: &str,
    schema: &Value,
    place: &DiffPlace,
) {
    let is_required = new.requires(name) && !old.requires(name);
    let rule = if is_required { Rule::RequiredPropertyAdded } else { Rule::OptionalPropertyAdded };
    let kind = if is_required { "required" } else { "optional" };
    let message = format!("the {kind} property `{name}` is new");
    if let (Some(other), false) = (old.additional(), old.is_closed()) {
        // Undeclared properties had a schema of their own: the new one takes its place for this name.
        if is_required {
            walk.change(rule, Effect::Narrower, place, message, without(walk, old, new, name));
        } else {
            walk.report(rule, Level::Safe, place, message);
        }
        walk.compare(other, schema, &place.clone().step(ValueStep::Property(name.to_owned())));
        return;
    }
    let (level, proposals) = match (walk.role, is_required, old.is_closed()) {
        (Role::Input, true, _) => (Level::Breaking, without(walk, old, new, name)),
        (Role::Input, false, true) | (Role::Output, _, false) => (Level::Safe, Vec::new()),
        (Role::Input, false, false) => (Level::Warning, Vec::new()),
        (Role::Output, _, true) => (Level::Breaking, with(new, name, Some(schema))),
    };
    let doubt = if level == Level::Breaking { Doubt::Undecided } else { Doubt::None };
    walk.push(rule, level, doubt, place, message, proposals);
}

/// What is said about properties that are not declared.
fn undeclared(walk: &mut DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, place: &DiffPlace) {
    let below = place.down("additionalProperties");
    match (old.is_closed(), new.is_closed()) {
        (false, true) => {
            let message = "undeclared properties are refused now".to_owned();
            let proposals = with(old, UNDECLARED, old.additional());
            walk.change(Rule::Closed, Effect::Narrower, &below, message, proposals);
        }
        (true, false) => {
            let message = "undeclared properties are allowed now".to_owned();
            let level = if walk.role == Role::Input { Level::Safe } else { Level::Warning };
            walk.report(Rule::Opened, level, &below, message);
        }
        (false, false) => {
            let (before, after) = (old.additional(), new.additional());
            if before != after {
                let anything = Value::Bool(true);
                let (before, after) = (before.unwrap_or(&anything), after.unwrap_or(&anything));
                walk.compare(before, after, &below.step(ValueStep::Property(UNDECLARED.to_owned())));
            }
        }
        (true, true) => {}
    }
}

/// Objects of the surprising side that lack `name`.
fn without(walk: &DiffWalk<'_>, old: &DiffSide<'_>, new: &DiffSide<'_>, name: &str) -> Vec<Value> {
    let object = object_of(walk.surprising(old, new));
    let mut object = object.unwrap_or_default();
    object.shift_remove(name);
    vec![Value::Object(object), json!({})]
}

/// Objects of one side that have `name`.
fn with(side: &DiffSide<'_>, name: &str, schema: Option<&Value>) -> Vec<Value> {
    let mut object = object_of(side).unwrap_or_default();
    let value = schema.and_then(|schema| Sampler::new(side.root).value(&[schema])).unwrap_or(Value::Null);
    object.insert(name.to_owned(), value);
    vec![Value::Object(object)]
}

/// A small object that the side accepts.
fn object_of(side: &DiffSide<'_>) -> Option<Map<String, Value>> {
    let keywords = Value::Object(side.keywords.clone().into_owned());
    match Sampler::new(side.root).value(&[&keywords]) {
        Some(Value::Object(object)) => Some(object),
        _ => None,
    }
}
