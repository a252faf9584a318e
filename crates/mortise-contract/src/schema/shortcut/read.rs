//! From a schema to what the walk understands of it.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{
    ALL, ANY, ARRAY, ArrayRules, BOOLEAN, Choices, FRACTION, Kinds, MARKS, NULL, NUMBER, NumberRules, OBJECT,
    ObjectRules, QuickId, QuickMember, QuickNode, QuickPattern, STRING, Shortcut, TextRules, UNSURE, WHOLE,
};
use crate::json::JsonKind;
use crate::schema::keyword::{KEYWORDS, Keyword};
use crate::schema::{Dialect, SchemaOptions, referred};

/// References that are followed one after the other.
const REFERENCES: usize = 32;
/// Patterns of one schema that the walk compiles for itself.
const PATTERNS: usize = 64;
/// Branches of one `oneOf` that are compared with each other.
const BRANCHES: usize = 64;
/// The largest integer up to which a double holds all.
const EXACT: f64 = 9_007_199_254_740_992.0;

struct ShortcutReader<'a> {
    root: &'a Value,
    dialect: Dialect,
    asserts_formats: bool,
    nodes: Vec<QuickNode>,
    /// Nodes by the address of their schema, which stays where it is while we read.
    known: HashMap<*const Value, QuickId>,
    open: Vec<(QuickId, &'a Map<String, Value>)>,
    patterns: usize,
}

impl Shortcut {
    /// Reads a schema that compiles. What is not understood makes the walk unsure, never wrong.
    pub(in crate::schema) fn read(schema: &Value, dialect: Dialect, options: &SchemaOptions) -> Self {
        let mut reader = ShortcutReader {
            root: schema,
            dialect,
            asserts_formats: options.assert_formats,
            nodes: vec![QuickNode::of(ALL), QuickNode { sure: 0, ..QuickNode::of(ALL) }],
            known: HashMap::new(),
            open: Vec::new(),
            patterns: 0,
        };
        // Draft 4 has other rules for whole numbers and for some keywords, and is rare.
        let root = match dialect == Dialect::Draft4 || has_inner_address(schema) {
            true => UNSURE,
            false => reader.node(schema),
        };
        while let Some((node, members)) = reader.open.pop() {
            reader.nodes[node] = reader.read(members);
        }
        let mut nodes = reader.nodes;
        for at in 0..nodes.len() {
            let one = std::mem::take(&mut nodes[at].one);
            match one.is_empty() || are_exclusive(&one, &nodes) {
                true => nodes[at].any.extend((!one.is_empty()).then_some(one)),
                false => nodes[at].sure = 0,
            }
            nodes[at].free = nodes[at].free_kinds();
        }
        Self { nodes, root }
    }
}

/// Whether a value conforms to at most one of the branches. Then one of them is any of them.
fn are_exclusive(branches: &[QuickId], nodes: &[QuickNode]) -> bool {
    branches.len() <= BRANCHES
        && branches.iter().enumerate().all(|(at, branch)| {
            branches[at + 1..].iter().all(|other| nodes[*branch].excludes(&nodes[*other], nodes))
        })
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

impl QuickNode {
    fn free_kinds(&self) -> Kinds {
        if self.choices.is_some() || !self.all.is_empty() || !self.any.is_empty() {
            return 0;
        }
        let ruled = [(self.text.is_some(), STRING), (self.number.is_some(), NUMBER), (true, ARRAY | OBJECT)];
        let ruled =
            ruled.into_iter().filter(|(is_ruled, _)| *is_ruled).fold(0, |all, (_, kinds)| all | kinds);
        self.sure & !ruled
    }
}

impl<'a> ShortcutReader<'a> {
    /// The node of a subschema. One that only refers to another is the other.
    fn node(&mut self, schema: &'a Value) -> QuickId {
        let mut schema = schema;
        for _ in 0..=REFERENCES {
            let members = match schema {
                Value::Bool(true) => return ANY,
                Value::Object(members) => members,
                _ => return UNSURE,
            };
            let says_more =
                |key: &String| key != "$ref" && Keyword::find(key).is_some_and(Keyword::can_refuse);
            let is_alone = self.dialect.is_legacy() || !members.keys().any(says_more);
            let Some(reference) = members.get("$ref").filter(|_| is_alone) else {
                return self.reserve(schema, members);
            };
            match self.resolve(reference) {
                Some(other) => schema = other,
                None => return UNSURE,
            }
        }
        UNSURE
    }

    fn reserve(&mut self, schema: &'a Value, members: &'a Map<String, Value>) -> QuickId {
        *self.known.entry(std::ptr::from_ref(schema)).or_insert_with(|| {
            self.nodes.push(QuickNode::of(ALL));
            self.open.push((self.nodes.len() - 1, members));
            self.nodes.len() - 1
        })
    }

    /// The target of a reference by JSON pointer; looking for an anchor takes too long.
    fn resolve(&self, reference: &Value) -> Option<&'a Value> {
        let reference = reference.as_str()?;
        (reference == "#" || reference.starts_with("#/")).then(|| referred(self.root, reference))?
    }

    fn list(&mut self, list: &'a Value) -> Vec<QuickId> {
        list.as_array().into_iter().flatten().map(|schema| self.node(schema)).collect()
    }

    fn read(&mut self, members: &'a Map<String, Value>) -> QuickNode {
        let mut node = QuickNode::of(members.get("type").map_or(ALL, kinds));
        for (key, content) in members {
            let Some(keyword) = Keyword::find(key) else { continue };
            match key.as_str() {
                "allOf" => node.all.extend(self.list(content)),
                "anyOf" => node.any.push(self.list(content)),
                "oneOf" => node.one = self.list(content),
                "$ref" => {
                    let target = self.resolve(content).map_or(UNSURE, |target| self.node(target));
                    node.all.push(target);
                }
                _ if keyword.can_refuse() && !self.understands(key, content) => {
                    node.sure &= !concerned(keyword);
                }
                _ => {}
            }
        }
        let values = members.get("enum").and_then(Value::as_array);
        match (values, members.get("const")) {
            (Some(values), None) => node.choices = Some(Choices::read(values.iter())),
            (None, Some(value)) => node.choices = Some(Choices::read([value].into_iter())),
            (None, None) => {}
            (Some(_), Some(_)) => node.sure = 0,
        }
        node.number = number(members);
        node.text = self.text(members);
        node.array = self.array(members);
        node.object = self.object(members);
        if node.object.as_ref().is_some_and(|rules| rules.members.len() > MARKS) {
            node.sure &= !OBJECT;
        }
        node
    }

    /// Whether the walk checks a keyword that can refuse values.
    fn understands(&mut self, keyword: &str, content: &Value) -> bool {
        match keyword {
            "type" | "enum" | "const" | "properties" | "required" | "additionalProperties" => true,
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                content.is_u64()
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => exact(content).is_some(),
            "multipleOf" => divisor(content).is_some(),
            "pattern" => {
                self.patterns += 1;
                self.patterns <= PATTERNS
            }
            "format" => !self.asserts_formats,
            "items" => !content.is_array(),
            "prefixItems" => self.dialect == Dialect::Draft202012,
            "uniqueItems" => content.as_bool() == Some(false),
            "propertyNames" => admits_names(content),
            _ => false,
        }
    }

    fn text(&self, members: &Map<String, Value>) -> Option<TextRules> {
        let (least, most) = sizes(members, "minLength", "maxLength");
        let pattern = members.get("pattern").and_then(Value::as_str).map(QuickPattern::new);
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
        let prefix = prefix.map(|prefix| self.list(prefix)).unwrap_or_default();
        let rest = items.map_or(ANY, |items| self.node(items));
        Some(ArrayRules { least, most, prefix, rest })
    }

    fn object(&mut self, members: &'a Map<String, Value>) -> Option<ObjectRules> {
        let properties = members.get("properties").and_then(Value::as_object);
        let required = members.get("required").and_then(Value::as_array);
        let additional = members.get("additionalProperties");
        let (least, most) = sizes(members, "minProperties", "maxProperties");
        let is_empty = properties.is_none() && required.is_none() && additional.is_none();
        // What matches a pattern is not additional; with patterns all is left to the full validator.
        if (is_empty && (least, most) == (0, usize::MAX)) || members.contains_key("patternProperties") {
            return None;
        }
        let additional = additional.map_or(ANY, |schema| self.node(schema));
        let mut named: Vec<QuickMember> = Vec::new();
        for (name, schema) in properties.into_iter().flatten() {
            named.push(QuickMember { name: name.clone(), node: self.node(schema), is_required: false });
        }
        let mut places: HashMap<String, usize> =
            named.iter().enumerate().map(|(at, member)| (member.name.clone(), at)).collect();
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            let at = *places.entry(name.to_owned()).or_insert_with(|| {
                named.push(QuickMember { name: name.to_owned(), node: additional, is_required: true });
                named.len() - 1
            });
            named[at].is_required = true;
        }
        Some(ObjectRules { least, most, members: named, places, additional })
    }
}

/// The kinds of values that a keyword is about.
fn concerned(keyword: &Keyword) -> Kinds {
    match keyword.concerns {
        None => ALL,
        Some(JsonKind::Null) => NULL,
        Some(JsonKind::Boolean) => BOOLEAN,
        Some(JsonKind::Number) => NUMBER,
        Some(JsonKind::String) => STRING,
        Some(JsonKind::Array) => ARRAY,
        Some(JsonKind::Object) => OBJECT,
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

fn number(members: &Map<String, Value>) -> Option<NumberRules> {
    let numbers = KEYWORDS.iter().filter(|keyword| keyword.concerns == Some(JsonKind::Number));
    let bounds: Vec<_> = numbers
        .filter_map(|keyword| Some((keyword.bound?, members.get(keyword.name).and_then(exact)?)))
        .collect();
    let multiple_of = members.get("multipleOf").and_then(divisor);
    (!bounds.is_empty() || multiple_of.is_some()).then_some(NumberRules { bounds, multiple_of })
}

fn sizes(members: &Map<String, Value>, least: &str, most: &str) -> (usize, usize) {
    let size = |keyword: &str| members.get(keyword)?.as_u64();
    let least = usize::try_from(size(least).unwrap_or(0)).unwrap_or(usize::MAX);
    (least, size(most).and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX))
}

/// A number as a double, if that is the same number.
fn exact(content: &Value) -> Option<f64> {
    let number = content.as_number()?;
    number.as_f64().filter(|double| number.is_f64() || double.abs() < EXACT)
}

fn divisor(content: &Value) -> Option<i64> {
    content.as_i64().filter(|divisor| *divisor > 0)
}

/// Whether a schema for names of properties admits all, as every name is a string.
fn admits_names(schema: &Value) -> bool {
    match schema {
        Value::Bool(admits) => *admits,
        Value::Object(members) => members.iter().all(|(key, value)| key == "type" && value == "string"),
        _ => false,
    }
}
