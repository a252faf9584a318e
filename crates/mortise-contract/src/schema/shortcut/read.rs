//! From a schema to what the walk understands of it.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::pattern::Pattern;
use super::rules::{ArrayRules, Choices, Limit, Member, Name, NumberRules, ObjectRules, Relation, TextRules};
use super::{
    ALL, ANY, ARRAY, BOOLEAN, Combined, Condition, FRACTION, Kinds, Mixed, NEVER, NULL, NUMBER, NodeId,
    OBJECT, STRING, Shortcut, Target, UNKNOWN, WHOLE,
};
use crate::schema::{Dialect, SchemaOptions};

/// References that are followed one after the other.
const REFERENCES: usize = 32;

/// Patterns of one schema that the walk compiles for itself.
const PATTERNS: usize = 64;

/// The largest divisor of `multipleOf` that every engine divides by exactly.
const DIVISOR: u64 = 1 << 53;

struct Builder<'a> {
    root: &'a Value,
    dialect: Dialect,
    asserts_formats: bool,
    nodes: Vec<Mixed>,
    /// Nodes by the address of their schema, which stays where it is while we read.
    known: HashMap<*const Value, NodeId>,
    open: Vec<(NodeId, &'a Map<String, Value>)>,
    patterns: usize,
}

impl Shortcut {
    /// Reads a schema that compiles. What is not understood makes the walk unsure, never wrong.
    pub(in crate::schema) fn read(schema: &Value, dialect: Dialect, options: &SchemaOptions) -> Self {
        let mut builder = Builder {
            root: schema,
            dialect,
            asserts_formats: options.assert_formats,
            nodes: vec![],
            known: HashMap::new(),
            open: Vec::new(),
            patterns: 0,
        };
        builder.nodes.extend([Mixed::of(ALL), Mixed::of(0), Mixed { unknown: ALL, ..Mixed::of(ALL) }]);
        // Draft 4 has other rules for whole numbers and for some keywords, and is rare.
        let root = match dialect == Dialect::Draft4 || has_inner_address(schema) {
            true => target(UNKNOWN),
            false => builder.node(schema),
        };
        while let Some((node, members)) = builder.open.pop() {
            builder.nodes[node] = builder.read(members);
        }
        Self::assemble(builder.nodes, root)
    }
}

/// A place to go to; what is free there is known when all is read.
fn target(node: NodeId) -> Target {
    Target { node, free: 0, kinds: ALL }
}

/// Whether a part of the document has an address of its own, from which references count.
fn has_inner_address(schema: &Value) -> bool {
    let mut open: Vec<&Value> = inner(schema).collect();
    while let Some(value) = open.pop() {
        if value.get("$id").is_some_and(Value::is_string) {
            return true;
        }
        open.extend(inner(value));
    }
    false
}

fn inner(value: &Value) -> impl Iterator<Item = &Value> {
    let members = value.as_object().into_iter().flat_map(|members| members.values());
    members.chain(value.as_array().into_iter().flatten())
}

/// Keywords that say nothing about a value.
fn is_silent(keyword: &str) -> bool {
    matches!(
        keyword,
        "$schema"
            | "$id"
            | "$comment"
            | "$anchor"
            | "$defs"
            | "definitions"
            | "title"
            | "description"
            | "default"
    )
}

impl<'a> Builder<'a> {
    /// The node of a subschema. One that only refers to another is the other.
    fn node(&mut self, schema: &'a Value) -> Target {
        let mut schema = schema;
        for _ in 0..=REFERENCES {
            let members = match schema {
                Value::Bool(true) => return ANY,
                Value::Bool(false) => return target(NEVER),
                Value::Object(members) => members,
                _ => return target(UNKNOWN),
            };
            let Some(reference) = members.get("$ref") else { return self.reserve(schema, members) };
            if !self.dialect.is_legacy() && members.keys().any(|key| key != "$ref" && !is_silent(key)) {
                return self.reserve(schema, members);
            }
            match self.resolve(reference) {
                Some(other) => schema = other,
                None => return target(UNKNOWN),
            }
        }
        target(UNKNOWN)
    }

    fn reserve(&mut self, schema: &'a Value, members: &'a Map<String, Value>) -> Target {
        target(*self.known.entry(std::ptr::from_ref(schema)).or_insert_with(|| {
            self.nodes.push(Mixed::of(ALL));
            self.open.push((self.nodes.len() - 1, members));
            self.nodes.len() - 1
        }))
    }

    /// The target of a reference by JSON pointer.
    fn resolve(&self, reference: &Value) -> Option<&'a Value> {
        let pointer = reference.as_str()?.strip_prefix('#')?;
        let is_plain = (pointer.is_empty() || pointer.starts_with('/')) && !pointer.contains('%');
        if is_plain { self.root.pointer(pointer) } else { None }
    }

    fn nodes(&mut self, list: &'a Value) -> Vec<Target> {
        list.as_array().into_iter().flatten().map(|schema| self.node(schema)).collect()
    }

    fn read(&mut self, members: &'a Map<String, Value>) -> Mixed {
        let mut node = Mixed::of(ALL);
        for (keyword, content) in members {
            node.unknown |= self.unknown_in(keyword, content);
        }
        if let Some(types) = members.get("type") {
            node.kinds = kinds(types);
        }
        let values = members.get("enum").and_then(Value::as_array);
        match (values, members.get("const")) {
            (Some(values), None) => node.choices = Some(Choices::read(values)),
            (None, Some(value)) => node.choices = Some(Choices::read([value])),
            (None, None) => {}
            (Some(_), Some(_)) => node.unknown = ALL,
        }
        node.number = self.number(members);
        node.text = self.text(members);
        node.array = self.array(members);
        node.object = self.object(members);
        node.combined = self.combined(members);
        node
    }

    /// The kinds of values for which a keyword is not understood.
    fn unknown_in(&mut self, keyword: &str, content: &Value) -> Kinds {
        let unless = |understood: bool, kinds: Kinds| if understood { 0 } else { kinds };
        match keyword {
            "minLength" | "maxLength" => unless(content.is_u64(), STRING),
            "minItems" | "maxItems" => unless(content.is_u64(), ARRAY),
            "minProperties" | "maxProperties" => unless(content.is_u64(), OBJECT),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                unless(Limit::read(content).is_some(), NUMBER)
            }
            "multipleOf" => unless(divisor(content).is_some(), NUMBER),
            "pattern" => {
                self.patterns += 1;
                unless(self.patterns <= PATTERNS, STRING)
            }
            "format" => unless(!self.asserts_formats, STRING),
            "contentEncoding" | "contentMediaType" | "contentSchema" => STRING,
            "items" => unless(!content.is_array(), ARRAY),
            "prefixItems" => unless(self.dialect == Dialect::Draft202012, ARRAY),
            "uniqueItems" => unless(content.as_bool() == Some(false), ARRAY),
            "additionalItems" | "contains" | "minContains" | "maxContains" | "unevaluatedItems" => ARRAY,
            "propertyNames" => unless(admits_names(content), OBJECT),
            "patternProperties" | "dependencies" | "dependentRequired" | "dependentSchemas" => OBJECT,
            "unevaluatedProperties" => OBJECT,
            "if" => unless(self.dialect != Dialect::Draft6, ALL),
            "$ref" => unless(!self.dialect.is_legacy(), ALL),
            keyword => unless(is_silent(keyword) || !keyword.starts_with('$'), ALL),
        }
    }

    fn number(&self, members: &Map<String, Value>) -> Option<NumberRules> {
        let relations = [
            ("minimum", Relation::AtLeast),
            ("maximum", Relation::AtMost),
            ("exclusiveMinimum", Relation::Above),
            ("exclusiveMaximum", Relation::Below),
        ];
        let limits = relations.into_iter().filter_map(|(keyword, relation)| {
            members.get(keyword).and_then(Limit::read).map(|limit| (relation, limit))
        });
        let rules = NumberRules {
            is_whole: false,
            limits: limits.collect(),
            multiple_of: members.get("multipleOf").and_then(divisor),
        };
        let is_empty = rules.limits.is_empty() && rules.multiple_of.is_none();
        (!is_empty).then_some(rules)
    }

    fn text(&self, members: &Map<String, Value>) -> Option<TextRules> {
        let (least, most) = sizes(members, "minLength", "maxLength");
        let pattern = members.get("pattern").and_then(Value::as_str);
        let pattern = pattern.filter(|_| self.patterns <= PATTERNS).map(Pattern::new);
        let is_empty = (least, most) == (0, usize::MAX) && pattern.is_none();
        (!is_empty).then_some(TextRules { least, most, pattern })
    }

    fn array(&mut self, members: &'a Map<String, Value>) -> Option<ArrayRules> {
        let (least, most) = sizes(members, "minItems", "maxItems");
        let items = members.get("items").filter(|items| !items.is_array());
        let prefix = members.get("prefixItems").filter(|_| self.dialect == Dialect::Draft202012);
        if (least, most) == (0, usize::MAX) && items.is_none() && prefix.is_none() {
            return None;
        }
        let prefix = prefix.map(|prefix| self.nodes(prefix)).unwrap_or_default();
        let rest = items.map_or(ANY, |items| self.node(items));
        Some(ArrayRules { least, most, prefix, rest })
    }

    fn object(&mut self, members: &'a Map<String, Value>) -> Option<ObjectRules> {
        let properties = members.get("properties").and_then(Value::as_object);
        let required = members.get("required").and_then(Value::as_array);
        let additional = members.get("additionalProperties");
        let sizes = sizes(members, "minProperties", "maxProperties");
        let is_empty = properties.is_none() && required.is_none() && additional.is_none();
        // What matches a pattern is not additional; with patterns all is left to the full validator.
        if (is_empty && sizes == (0, usize::MAX)) || members.contains_key("patternProperties") {
            return None;
        }
        let additional = additional.map_or(ANY, |schema| self.node(schema));
        let mut named: Vec<Member> = Vec::new();
        for (name, schema) in properties.into_iter().flatten() {
            named.push(Member { name: Name::new(name), target: self.node(schema), is_required: false });
        }
        let places: HashMap<&str, usize> =
            properties.into_iter().flatten().enumerate().map(|(at, (name, _))| (name.as_str(), at)).collect();
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            match places.get(name) {
                Some(at) => named[*at].is_required = true,
                None if named[places.len()..].iter().any(|member| member.name.is(name)) => {}
                None => named.push(Member { name: Name::new(name), target: additional, is_required: true }),
            }
        }
        Some(ObjectRules::new(named, sizes, additional))
    }

    fn combined(&mut self, members: &'a Map<String, Value>) -> Option<Combined> {
        let mut combined = Combined::default();
        for (keyword, content) in members {
            match keyword.as_str() {
                "allOf" => combined.all.extend(self.nodes(content)),
                "anyOf" => combined.any = self.nodes(content),
                "oneOf" => combined.one = self.nodes(content),
                "not" => combined.not = Some(self.node(content)),
                "$ref" => {
                    let other = self.resolve(content).map(|other| self.node(other));
                    combined.all.push(other.unwrap_or(target(UNKNOWN)));
                }
                "if" if self.dialect != Dialect::Draft6 => {
                    let mut branch = |keyword| members.get(keyword).map_or(ANY, |schema| self.node(schema));
                    let (then, otherwise) = (branch("then"), branch("else"));
                    let test = self.node(content);
                    combined.condition = Some(Condition { test, then, otherwise });
                }
                _ => {}
            }
        }
        (!combined.is_empty()).then_some(combined)
    }
}

impl Mixed {
    fn of(kinds: Kinds) -> Self {
        Self {
            kinds,
            unknown: 0,
            number: None,
            text: None,
            array: None,
            object: None,
            choices: None,
            combined: None,
        }
    }
}

impl Combined {
    pub(super) fn is_empty(&self) -> bool {
        let lists = [&self.all, &self.any, &self.one];
        lists.iter().all(|list| list.is_empty()) && self.not.is_none() && self.condition.is_none()
    }
}

fn kinds(types: &Value) -> Kinds {
    let names = types.as_array().map_or(std::slice::from_ref(types), Vec::as_slice);
    let kind = |name: &Value| match name.as_str() {
        Some("null") => NULL,
        Some("boolean") => BOOLEAN,
        Some("integer") => WHOLE,
        Some("number") => WHOLE | FRACTION,
        Some("string") => STRING,
        Some("array") => ARRAY,
        Some("object") => OBJECT,
        _ => 0,
    };
    names.iter().map(kind).fold(0, |all, kind| all | kind)
}

fn sizes(members: &Map<String, Value>, least: &str, most: &str) -> (usize, usize) {
    let size = |keyword: &str| members.get(keyword)?.as_u64();
    let least = usize::try_from(size(least).unwrap_or(0)).unwrap_or(usize::MAX);
    (least, size(most).and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX))
}

fn divisor(content: &Value) -> Option<u64> {
    content.as_u64().filter(|divisor| (1..=DIVISOR).contains(divisor))
}

/// Whether a schema for names of properties admits all, as every name is a string.
fn admits_names(schema: &Value) -> bool {
    match schema {
        Value::Bool(admits) => *admits,
        Value::Object(members) => members.iter().all(|(key, value)| key == "type" && value == "string"),
        _ => false,
    }
}
