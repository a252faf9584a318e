//! Schemas in the form that strict modes ask for, or why that is not possible.

use mortise_contract::json::escape_token;
use mortise_contract::text::cut_bytes;
use serde_json::{Map, Value, json};

use super::arrays::has_kind;
use super::bare_reference::{bare_reference, constraint_beside};
use super::rule_table::{OPENAI_STRICT_OBJECTS, ProviderRule};
use super::rules::Strict;
use crate::loss::{Action, Losses, SchemaSide, Severity};
use crate::model::Model;

/// Reasons listed.
const REASONS: usize = 5;
/// Bytes of a key in a reason.
const NAME: usize = 80;
/// Enum values from which on their text counts for itself.
const LONG_ENUM: usize = 250;

/// The schema as the strict mode takes it; else every reason against it, the first few.
pub(super) fn strict(schema: &Value, rules: &Strict, losses: &mut Losses) -> Result<Value, Vec<String>> {
    let mut work = StrictSchema {
        root: schema,
        rules,
        losses,
        reasons: Vec::new(),
        properties: 0,
        characters: 0,
        enum_values: 0,
    };
    let rendered = work.schema(schema, "", 1);
    if rules.recursion.is_some() && Model::of(schema, "", SchemaSide::Input).is_recursive() {
        work.reason("", "a type is part of itself");
    }
    for (found, allowed, what) in [
        (work.properties, rules.properties, "properties"),
        (work.characters, rules.characters, "characters of names and values"),
        (work.enum_values, rules.enum_values, "enum values"),
    ] {
        let Some(allowed) = allowed.map(ProviderRule::most).filter(|allowed| found > *allowed) else {
            continue;
        };
        work.reason("", &format!("{found} {what}, at most {allowed} are taken"));
    }
    if work.reasons.is_empty() { Ok(rendered) } else { Err(work.reasons) }
}

struct StrictSchema<'a> {
    root: &'a Value,
    rules: &'a Strict,
    losses: &'a mut Losses,
    reasons: Vec<String>,
    properties: usize,
    characters: usize,
    enum_values: usize,
}

impl StrictSchema<'_> {
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
        if let Some(most) = self.rules.depth.map(ProviderRule::most).filter(|most| depth > *most) {
            self.reason(pointer, &format!("nests deeper than {most} levels"));
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
                "format" if !self.takes_format(value) => self.drop_format(pointer, value),
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
            .rule(self.rules.keywords)
            .fix("say it in the description");
    }

    fn takes_format(&self, format: &Value) -> bool {
        format.as_str().is_none_or(|format| self.rules.formats.0.contains(&format))
    }

    fn drop_format(&mut self, pointer: &str, value: &Value) {
        let format = cut_bytes(value.as_str().unwrap_or_default(), NAME);
        let reason = format!("strict refuses the format `{format}`; the tool still checks it");
        self.losses
            .add(pointer, "format", (Action::Dropped, Severity::Error), reason)
            .before(value)
            .rule(self.rules.formats.1)
            .fix("leave out the format, and say it in the description");
    }

    /// Fixed values say their types too, where strict asks for that.
    fn add_type(&mut self, out: &mut Map<String, Value>, pointer: &str) {
        let Some(rule) = self.rules.typed_values else { return };
        if ["type", "$ref", "anyOf", "oneOf"].iter().any(|keyword| out.contains_key(*keyword)) {
            return;
        }
        let (keyword, values) = match (out.get("const"), out.get("enum")) {
            (Some(value), _) => ("const", std::slice::from_ref(value)),
            (None, Some(Value::Array(values))) => ("enum", values.as_slice()),
            _ => return,
        };
        if values.iter().any(|value| value.is_object() || value.is_array()) {
            return;
        }
        let mut kinds: Vec<&str> = values.iter().map(kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let kinds: Value = if let [kind] = kinds.as_slice() { (*kind).into() } else { kinds.into() };
        let reason = format!("strict refuses `{keyword}` without `type`; the types of its values are added");
        self.losses
            .add(pointer, keyword, (Action::Assumed, Severity::Error), reason)
            .after(&kinds.to_string())
            .rule(rule)
            .fix("write the `type` beside it");
        out.shift_insert(0, "type".to_owned(), kinds);
    }

    fn count_values(&mut self, pointer: &str, keyword: &str, values: &[Value]) {
        let length = |value: &Value| value.as_str().map_or(1, |text| text.chars().count());
        let characters: usize = values.iter().map(length).sum();
        self.enum_values += values.len();
        self.characters += characters;
        if values.iter().any(|value| value.is_object() || value.is_array()) {
            self.reason(pointer, &format!("`{keyword}` has a value that is not a scalar"));
        }
        let most = self.rules.enum_length.map(ProviderRule::most);
        if let Some(most) = most.filter(|most| values.len() > LONG_ENUM && characters > *most) {
            self.reason(pointer, &format!("`{keyword}` is longer than {most} characters"));
        }
    }

    /// A reference with nothing beside it, where strict takes no more.
    fn bare_reference(&mut self, members: &Map<String, Value>, pointer: &str) -> Option<Map<String, Value>> {
        let rule = self.rules.bare_references?;
        if !members.contains_key("$ref") || members.len() == 1 || pointer.is_empty() {
            return None;
        }
        if let Some(keyword) = constraint_beside(members) {
            self.reason(pointer, &format!("`{keyword}` beside `$ref` is not taken"));
            return None;
        }
        bare_reference(self.root, members, pointer, rule, self.losses)
    }

    /// Closes objects and makes every key required, where that is asked for.
    fn finish(&mut self, members: &Map<String, Value>, mut out: Map<String, Value>, pointer: &str) -> Value {
        self.add_type(&mut out, pointer);
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
                let name = cut_bytes(&name, NAME);
                self.reason(pointer, &format!("`required` names `{name}`, which is not a property"));
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
                self.losses
                    .add(&inner, "required", (Action::Widened, Severity::Info), reason)
                    .rule(&OPENAI_STRICT_OBJECTS);
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

fn required(schema: &Map<String, Value>) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// The type that a fixed value is of.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::String(_) => "string",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
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
