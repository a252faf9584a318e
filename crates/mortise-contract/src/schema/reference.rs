//! Where references lead within one document: pointers, anchors, embedded resources.
//!
//! This is the only place that resolves `$ref`, `$dynamicRef`, `$recursiveRef`, `$id` and anchors. A document is
//! never left: a reference to another one leads nowhere.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use referencing::uri;
use serde_json::Value;

use super::Dialect;
use super::keyword::{Holds, holds};
use crate::json::{escape_token, unescape_token};

/// The address of a document that gives itself none.
const DOCUMENT: &str = "json-schema:///";
/// Values that are visited while names are collected.
const VALUES: usize = 200_000;
/// Bytes of a pointer beyond which no names are collected.
const POINTER_BYTES: usize = 16 * 1024;

/// What a subschema inherits from those around it.
#[derive(Clone, Debug)]
pub struct SchemaScope {
    base: Rc<str>,
    resource: Rc<str>,
    /// The dialect in force.
    pub dialect: Dialect,
}

/// A place in a document.
#[derive(Clone, Debug)]
pub struct SchemaPlace<'a> {
    /// The schema that the reference leads to.
    pub value: &'a Value,
    /// Its JSON pointer.
    pub pointer: String,
    /// The scope inside it.
    pub scope: SchemaScope,
    /// Steps from the place where the walk began.
    pub depth: usize,
}

/// One document and the names in it.
#[derive(Debug)]
pub struct SchemaDocument<'a> {
    root: &'a Value,
    names: SchemaNames,
}

/// A reference to another document.
#[derive(Debug)]
pub(super) struct LeavesDocument {
    /// The address, if it is one.
    pub(super) address: Option<Rc<str>>,
}

/// The addresses and anchors of a document, and the pointers of the places that have them.
#[derive(Debug)]
pub(super) struct SchemaNames {
    resources: HashMap<Rc<str>, Rc<str>>,
    anchors: HashMap<(Rc<str>, String), Vec<Rc<str>>>,
    /// By `$dynamicAnchor`; those with `$recursiveAnchor` under the empty name.
    dynamic: HashMap<String, Vec<Rc<str>>>,
}

/// The schema that a reference leads to, counted from the root of a document; `None` if it leads elsewhere.
///
/// ```
/// use mortise_contract::schema::referred;
/// use serde_json::json;
///
/// let schema = json!({"$defs": {"row": {"$anchor": "row", "type": "object"}}});
/// assert_eq!(referred(&schema, "#/$defs/row"), Some(&schema["$defs"]["row"]));
/// assert_eq!(referred(&schema, "#row"), Some(&schema["$defs"]["row"]));
/// assert_eq!(referred(&schema, "https://example.com/row"), None);
/// ```
pub fn referred<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    match reference.strip_prefix('#') {
        Some(pointer) if pointer.is_empty() || pointer.starts_with('/') => {
            root.pointer(&percent_decoded(pointer))
        }
        _ => {
            let document = SchemaDocument::new(root);
            document.target(&document.outermost(), reference).map(|place| place.value)
        }
    }
}

impl<'a> SchemaPlace<'a> {
    /// A place inside this one.
    pub fn inside(&self, tokens: &[&str], value: &'a Value) -> Self {
        let mut pointer = self.pointer.clone();
        for token in tokens {
            pointer.push('/');
            pointer.push_str(&escape_token(token));
        }
        let scope = self.scope.enter(value, &pointer);
        Self { value, pointer, scope, depth: self.depth + 1 }
    }

    /// One place for each element of a list.
    pub fn list(&self, keyword: &str, list: &'a [Value]) -> Vec<Self> {
        let element = |(index, value): (usize, &'a Value)| self.inside(&[keyword, &index.to_string()], value);
        list.iter().enumerate().map(element).collect()
    }
}

impl SchemaScope {
    /// The scope around the root of a document.
    pub(super) fn around(dialect: Dialect) -> Self {
        Self { base: DOCUMENT.into(), resource: "".into(), dialect }
    }

    /// Whether references here count from the root of the document.
    pub fn is_outermost(&self) -> bool {
        self.resource.is_empty()
    }

    /// The pointer of the embedded resource that references here count from.
    pub(super) fn resource(&self) -> &str {
        &self.resource
    }

    /// The scope inside a subschema: of its own dialect, and of its own resource if it has an `$id`.
    pub(super) fn enter(&self, value: &Value, pointer: &str) -> Self {
        let dialect = Dialect::of(value, self.dialect).unwrap_or(self.dialect);
        let mut scope = Self { dialect, ..self.clone() };
        let id = value.get(dialect.id_keyword()).and_then(Value::as_str);
        let address = id.map(|id| id.split_once('#').map_or(id, |(address, _)| address));
        if let Some(address) = address.filter(|_| dialect.starts_resource(value))
            && let Some(base) = self.resolve(address)
        {
            scope.base = base;
            scope.resource = pointer.into();
        }
        scope
    }

    /// An address resolved against the base, without a fragment.
    fn resolve(&self, address: &str) -> Option<Rc<str>> {
        let base = uri::from_str(&self.base).ok()?;
        let resolved = uri::resolve_against(&base.borrow(), address).ok()?;
        Some(resolved.as_str().trim_end_matches('#').into())
    }
}

impl SchemaNames {
    pub(super) fn new() -> Self {
        let resources = HashMap::from([(DOCUMENT.into(), "".into())]);
        Self { resources, anchors: HashMap::new(), dynamic: HashMap::new() }
    }

    /// Notes the names that a subschema gives itself; `scope` is the one inside it.
    pub(super) fn note(&mut self, value: &Value, pointer: &str, scope: &SchemaScope) {
        if scope.dialect.has_only_reference(value) {
            return;
        }
        if scope.resource() == pointer {
            self.resources.entry(Rc::clone(&scope.base)).or_insert_with(|| pointer.into());
        }
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let fragment = text(scope.dialect.id_keyword()).and_then(|id| id.split_once('#'));
        let is_modern = |_: &&str| !scope.dialect.is_legacy();
        let dynamic = text("$dynamicAnchor").filter(is_modern);
        let names = [fragment.map(|(_, anchor)| anchor), text("$anchor").filter(is_modern), dynamic];
        for name in names.into_iter().flatten().filter(|name| !name.is_empty()) {
            let places = self.anchors.entry((Rc::clone(&scope.base), name.to_owned())).or_default();
            places.push(pointer.into());
        }
        let is_recursive = value.get("$recursiveAnchor") == Some(&Value::Bool(true));
        for name in dynamic.into_iter().chain((is_recursive && is_modern(&"")).then_some("")) {
            self.dynamic.entry(name.to_owned()).or_default().push(pointer.into());
        }
    }

    /// The pointers of the places with a dynamic anchor.
    pub(super) fn dynamic(&self, name: &str) -> &[Rc<str>] {
        self.dynamic.get(name).map_or(&[], Vec::as_slice)
    }

    /// The pointers that a reference names. A pointer may lead to no value; several places may have one anchor.
    pub(super) fn targets(
        &self,
        from: &SchemaScope,
        reference: &str,
    ) -> Result<Vec<Cow<'_, str>>, LeavesDocument> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let base = match address {
            "" => Some(Rc::clone(&from.base)),
            address => from.resolve(address),
        };
        let resource = base.as_ref().and_then(|base| self.resources.get(base));
        let (Some(base), Some(resource)) = (&base, resource) else {
            return Err(LeavesDocument { address: base });
        };
        let fragment = percent_decoded(fragment);
        if fragment.is_empty() {
            return Ok(vec![Cow::Borrowed(resource)]);
        }
        if fragment.starts_with('/') {
            return Ok(vec![Cow::Owned(format!("{resource}{fragment}"))]);
        }
        let places = self.anchors.get(&(Rc::clone(base), fragment.into_owned()));
        Ok(places.into_iter().flatten().map(|pointer| Cow::Borrowed(&**pointer)).collect())
    }
}

impl<'a> SchemaDocument<'a> {
    /// Collects the names of a document.
    pub fn new(root: &'a Value) -> Self {
        let mut document = Self { root, names: SchemaNames::new() };
        document.collect();
        document
    }

    fn outermost(&self) -> SchemaScope {
        let dialect = Dialect::of(self.root, Dialect::default()).unwrap_or_default();
        SchemaScope::around(dialect).enter(self.root, "")
    }

    /// Works at any depth. A keyword that JSON Schema does not have may hold schemas, since a reference can lead there.
    fn collect(&mut self) {
        let mut open: Vec<(&'a Value, String, SchemaScope)> =
            vec![(self.root, String::new(), self.outermost())];
        let mut left = VALUES;
        while let Some((value, pointer, scope)) = open.pop() {
            left = left.saturating_sub(1);
            if left == 0 {
                return;
            }
            if pointer.len() > POINTER_BYTES {
                continue;
            }
            let mut push = |pointer: String, value: &'a Value| {
                if value.is_object() || value.is_array() {
                    let scope = scope.enter(value, &pointer);
                    open.push((value, pointer, scope));
                }
            };
            match value {
                Value::Object(members) => {
                    self.names.note(value, &pointer, &scope);
                    for (key, member) in members {
                        let inner = format!("{pointer}/{}", escape_token(key));
                        match (holds(key), member) {
                            (Some(held), _) if held.has_values() => {}
                            (Some(Holds::Map), Value::Object(named)) => {
                                for (name, schema) in named {
                                    push(format!("{inner}/{}", escape_token(name)), schema);
                                }
                            }
                            (_, member) => push(inner, member),
                        }
                    }
                }
                Value::Array(items) => {
                    for (index, item) in items.iter().enumerate() {
                        push(format!("{pointer}/{index}"), item);
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a dynamic reference can mean another place than the one it names.
    pub fn is_overridden(&self, reference: &str) -> bool {
        let name = reference.rsplit('#').next().unwrap_or_default();
        self.names.dynamic(name).len() > 1
    }

    /// The place that a reference in `from` leads to, if it is in this document.
    pub fn target(&self, from: &SchemaScope, reference: &str) -> Option<SchemaPlace<'a>> {
        self.place(self.names.targets(from, reference).ok()?.first()?)
    }

    /// The place at a pointer, with the scope that it has there.
    pub fn place(&self, pointer: &str) -> Option<SchemaPlace<'a>> {
        let mut place =
            SchemaPlace { value: self.root, pointer: String::new(), scope: self.outermost(), depth: 0 };
        for token in pointer.split('/').skip(1) {
            let key = unescape_token(token);
            place = place.inside(&[&key], member(place.value, &key)?);
        }
        place.depth = 0;
        Some(place)
    }
}

/// What stands in a value under one token of a pointer.
pub(super) fn member<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) => members.get(key),
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => None,
    }
}

/// The fragment of a reference, without percent escapes.
pub(super) fn fragment(reference: &str) -> Cow<'_, str> {
    percent_decoded(reference.split_once('#').map_or("", |(_, fragment)| fragment))
}

fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let hex = text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match hex.filter(|_| byte == b'%') {
            Some(decoded_byte) => {
                decoded.push(decoded_byte);
                at += 3;
            }
            None => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests;
