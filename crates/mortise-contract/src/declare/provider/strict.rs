//! Schemas in the form that strict modes ask for, or why that is not possible.

use serde_json::{Map, Value, json};

use super::arrays::has_kind;
use super::position::{Holds, holds};
use super::rules::Strict;
use crate::declare::loss::{Action, Losses, Severity, Side};
use crate::declare::model::Model;
use crate::excerpt::excerpt;
use crate::json::escape_token;

/// Reasons listed.
const REASONS: usize = 5;
/// Bytes of a key in a reason.
const NAME: usize = 80;
/// Bytes of a definition that is written where it is used.
const SHORT: usize = 512;
/// Enum values from which on their text counts for itself, and how long it may be.
const LONG_ENUM: (usize, usize) = (250, 15_000);

/// The schema as the strict mode takes it; else every reason against it, the first few.
pub(super) fn strict(schema: &Value, rules: &Strict, losses: &mut Losses) -> Result<Value, Vec<String>> {
    let mut work = Work {
        root: schema,
        rules,
        losses,
        reasons: Vec::new(),
        properties: 0,
        characters: 0,
        enum_values: 0,
    };
    let rendered = work.schema(schema, "", 1);
    if !rules.recursion && Model::of(schema, "", Side::Input).is_recursive() {
        work.reason("", "a type is part of itself");
    }
    for (found, allowed, what) in [
        (work.properties, rules.properties, "properties"),
        (work.characters, rules.characters, "characters of names and values"),
        (work.enum_values, rules.enum_values, "enum values"),
    ] {
        if found > allowed {
            work.reason("", &format!("{found} {what}, at most {allowed} are taken"));
        }
    }
    if work.reasons.is_empty() { Ok(rendered) } else { Err(work.reasons) }
}

struct Work<'a> {
    root: &'a Value,
    rules: &'a Strict,
    losses: &'a mut Losses,
    reasons: Vec<String>,
    properties: usize,
    characters: usize,
    enum_values: usize,
}

impl Work<'_> {
    fn reason(&mut self, pointer: &str, reason: &str) {
        if self.reasons.len() < REASONS {
            let place = if pointer.is_empty() { String::new() } else { format!("{pointer}: ") };
            self.reasons.push(format!("{place}{reason}"));
        }
    }

    fn schema(&mut self, schema: &Value, pointer: &str, depth: usize) -> Value {
        let Value::Object(members) = schema else {
            self.reason(pointer, "any value is allowed");
            return schema.clone();
        };
        if depth > self.rules.depth {
            self.reason(pointer, &format!("nests deeper than {} levels", self.rules.depth));
            return schema.clone();
        }
        let bare = self.bare_reference(members, pointer);
        let members = bare.as_ref().unwrap_or(members);
        let mut out = Map::new();
        for (keyword, value) in members {
            let inner = format!("{pointer}/{}", escape_token(keyword));
            match keyword.as_str() {
                word if self.rules.forbidden.contains(&word) => {
                    self.reason(pointer, &format!("`{word}` is not taken"));
                }
                word if self.rules.dropped.contains(&word) => self.drop(pointer, word, value),
                "minItems" if !self.rules.all_required && value.as_f64() > Some(1.0) => {
                    self.drop(pointer, keyword, value);
                }
                "properties" | "$defs" | "definitions" => {
                    let inside = |(key, value): (&String, &Value)| {
                        let pointer = format!("{inner}/{}", escape_token(key));
                        let depth = if keyword == "properties" { depth + 1 } else { 1 };
                        self.characters += key.chars().count();
                        self.properties += usize::from(keyword == "properties");
                        (key.clone(), self.schema(value, &pointer, depth))
                    };
                    let map: Map<String, Value> =
                        value.as_object().into_iter().flatten().map(inside).collect();
                    out.insert(keyword.clone(), map.into());
                }
                "items" if value.is_array() => self.reason(pointer, "tuples are not taken"),
                "items" => drop(out.insert(keyword.clone(), self.schema(value, &inner, depth + 1))),
                "oneOf" if members.contains_key("anyOf") => {
                    self.reason(pointer, "`oneOf` beside `anyOf` is not taken");
                }
                "anyOf" | "oneOf" => {
                    if keyword == "oneOf" {
                        let reason = "strict takes `anyOf` only";
                        self.losses.add(pointer, keyword, (Action::Renamed, Severity::Info), reason);
                    }
                    let branches: Vec<Value> = value
                        .as_array()
                        .into_iter()
                        .flatten()
                        .enumerate()
                        .map(|(at, branch)| self.schema(branch, &format!("{inner}/{at}"), depth))
                        .collect();
                    out.insert("anyOf".to_owned(), branches.into());
                }
                "enum" | "const" => {
                    let values = if keyword == "enum" { value.as_array() } else { None };
                    self.count_values(
                        pointer,
                        keyword,
                        values.map_or(std::slice::from_ref(value), Vec::as_slice),
                    );
                    out.insert(keyword.clone(), value.clone());
                }
                _ => drop(out.insert(keyword.clone(), value.clone())),
            }
        }
        self.finish(members, out, pointer)
    }

    fn drop(&mut self, pointer: &str, keyword: &str, value: &Value) {
        let cosmetic = matches!(keyword, "$schema" | "$id" | "$comment" | "default" | "examples");
        let severity = if cosmetic { Severity::Info } else { Severity::Warn };
        let reason = "strict does not take it; the tool still checks it";
        self.losses
            .add(pointer, keyword, (Action::Dropped, severity), reason)
            .before(value)
            .fix("say it in the description");
    }

    fn count_values(&mut self, pointer: &str, keyword: &str, values: &[Value]) {
        let length = |value: &Value| value.as_str().map_or(1, |text| text.chars().count());
        let characters: usize = values.iter().map(length).sum();
        self.enum_values += values.len();
        self.characters += characters;
        if values.iter().any(|value| value.is_object() || value.is_array()) {
            self.reason(pointer, &format!("`{keyword}` has a value that is no scalar"));
        }
        if self.rules.all_required && values.len() > LONG_ENUM.0 && characters > LONG_ENUM.1 {
            self.reason(pointer, &format!("`{keyword}` is longer than {} characters", LONG_ENUM.1));
        }
    }

    /// A reference with nothing beside it, where strict takes no more: what it leads to, if that is short.
    fn bare_reference(&mut self, members: &Map<String, Value>, pointer: &str) -> Option<Map<String, Value>> {
        let reference = members.get("$ref")?.as_str()?;
        if !self.rules.bare_references || members.len() == 1 || pointer.is_empty() {
            return None;
        }
        let mut beside = members.keys().filter(|keyword| keyword.as_str() != "$ref");
        if let Some(keyword) = beside.find(|keyword| !is_about(keyword)) {
            self.reason(pointer, &format!("`{keyword}` beside `$ref` is not taken"));
            return None;
        }
        let target = self.root.pointer(reference.strip_prefix('#')?).and_then(Value::as_object);
        let text = target.map(|target| Value::Object(target.clone()).to_string()).unwrap_or_default();
        if let Some(target) = target.filter(|_| text.len() <= SHORT && !text.contains("\"$ref\"")) {
            let reason = "strict takes nothing beside it; what it leads to stands here";
            self.losses.add(pointer, "$ref", (Action::Inlined, Severity::Info), reason);
            let mut inlined = target.clone();
            inlined.extend(members.clone());
            ["$ref", "$id", "$anchor", "$dynamicAnchor"]
                .iter()
                .for_each(|name| drop(inlined.shift_remove(*name)));
            return Some(inlined);
        }
        for (keyword, value) in members.iter().filter(|(keyword, _)| keyword.as_str() != "$ref") {
            let reason = "strict takes nothing beside `$ref`";
            self.losses.add(pointer, keyword, (Action::Dropped, Severity::Info), reason).before(value);
        }
        Some(Map::from_iter([("$ref".to_owned(), reference.into())]))
    }

    /// Closes objects and makes every key required, where that is asked for.
    fn finish(&mut self, members: &Map<String, Value>, mut out: Map<String, Value>, pointer: &str) -> Value {
        let says_kind =
            ["type", "$ref", "anyOf", "oneOf", "enum", "const"].iter().any(|key| out.contains_key(*key));
        if !says_kind && !members.keys().any(|key| self.rules.forbidden.contains(&key.as_str())) {
            self.reason(pointer, "any value is allowed");
        }
        if has_kind(out.get("type"), "array")
            && !members.contains_key("items")
            && !members.contains_key("prefixItems")
        {
            self.reason(pointer, "elements of any kind are allowed");
        }
        if !has_kind(out.get("type"), "object") && !out.contains_key("properties") {
            return Value::Object(out);
        }
        match members.get("additionalProperties") {
            Some(Value::Bool(false)) => {}
            None if names_keys(members) => {
                let reason = "strict takes only arguments that are named";
                self.losses.add(pointer, "additionalProperties", (Action::Assumed, Severity::Info), reason);
            }
            _ => self.reason(pointer, "keys that are not named are allowed"),
        }
        out.insert("additionalProperties".to_owned(), Value::Bool(false));
        for keyword in ["anyOf", "$ref"].into_iter().filter(|keyword| out.contains_key(*keyword)) {
            // Either would refuse the keys that the other names.
            self.reason(pointer, &format!("properties beside `{keyword}` can't be closed"));
        }
        self.check_required(&out, pointer);
        if self.rules.all_required {
            self.require_all(&mut out, pointer);
        }
        Value::Object(out)
    }

    /// A key that must be there and has no schema is one that a closed object refuses.
    fn check_required(&mut self, out: &Map<String, Value>, pointer: &str) {
        let properties = out.get("properties").and_then(Value::as_object);
        for name in required(out) {
            if !properties.is_some_and(|properties| properties.contains_key(&name)) {
                let name = excerpt(&name, NAME);
                self.reason(pointer, &format!("`required` names `{name}`, which is no property"));
            }
        }
    }

    fn require_all(&mut self, out: &mut Map<String, Value>, pointer: &str) {
        let required = required(out);
        let Some(Value::Object(properties)) = out.get_mut("properties") else { return };
        let mut names: Vec<Value> = Vec::new();
        for (key, schema) in properties.iter_mut() {
            names.push(key.as_str().into());
            if !required.contains(key) {
                let inner = format!("{pointer}/properties/{}", escape_token(key));
                let reason = "strict wants every key; null stands for leaving it out";
                self.losses.add(&inner, "required", (Action::Widened, Severity::Info), reason);
                *schema = nullable(std::mem::take(schema));
            }
        }
        out.insert("required".to_owned(), names.into());
    }
}

/// Whether there is a key to name: an object without one takes any.
fn names_keys(members: &Map<String, Value>) -> bool {
    members.get("properties").and_then(Value::as_object).is_some_and(|properties| !properties.is_empty())
}

/// Whether a keyword says nothing about values.
fn is_about(keyword: &str) -> bool {
    matches!(keyword, "default" | "examples" | "$anchor" | "$id")
        || (holds(keyword) == Holds::Annotation && !is_bound(keyword))
}

/// Whether a keyword compares with a number, or with all elements.
fn is_bound(keyword: &str) -> bool {
    ["min", "max", "exclusiveM", "multipleOf", "uniqueItems"].iter().any(|start| keyword.starts_with(start))
}

fn required(schema: &Map<String, Value>) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// The schema with null allowed: by every keyword that says what a value is, or beside all of them.
fn nullable(schema: Value) -> Value {
    let Value::Object(mut members) = schema else { return schema };
    let nothing = json!({"type": "null"});
    let has = |keyword: &str| members.contains_key(keyword);
    match (has("type") || has("enum"), has("anyOf")) {
        _ if has("const") || has("$ref") => json!({"anyOf": [members, nothing]}),
        (true, false) => {
            allow_null(&mut members);
            Value::Object(members)
        }
        (false, true) => {
            if let Some(Value::Array(branches)) = members.get_mut("anyOf")
                && !branches.contains(&nothing)
            {
                branches.push(nothing);
            }
            Value::Object(members)
        }
        _ => json!({"anyOf": [members, nothing]}),
    }
}

/// Null among the types and among the values.
fn allow_null(members: &mut Map<String, Value>) {
    if let Some(Value::Array(values)) = members.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    if let Some(kind) = members.get_mut("type") {
        let mut kinds = match std::mem::take(kind) {
            Value::Array(kinds) => kinds,
            kind => vec![kind],
        };
        if !kinds.iter().any(|kind| kind == "null") {
            kinds.push("null".into());
        }
        *kind = kinds.into();
    }
}
