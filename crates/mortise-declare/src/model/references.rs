//! Where references lead within one document: pointers, anchors, embedded resources.

use std::collections::HashMap;
use std::rc::Rc;

use mortise_contract::json::{escape_token, unescape_token};
use mortise_contract::schema::Dialect;
use referencing::uri;
use serde_json::Value;

/// The address of a document that gives itself none.
const DOCUMENT: &str = "json-schema:///";
/// Values looked at while names are collected.
const VALUES: usize = 200_000;

/// Bytes of a pointer beyond which nothing is looked for.
const POINTER: usize = 16 * 1024;

/// What a subschema inherits from those around it.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    base: Rc<str>,
    /// The pointer of the resource that it belongs to.
    resource: Rc<str>,
    pub(crate) dialect: Dialect,
}

/// A place in the document.
#[derive(Clone, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) value: &'a Value,
    pub(crate) pointer: String,
    /// The scope inside the place.
    pub(crate) scope: Scope,
    /// Levels of types above it.
    pub(crate) depth: usize,
}

/// One document and the names in it.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    root: &'a Value,
    resources: HashMap<Rc<str>, String>,
    anchors: HashMap<(Rc<str>, String), String>,
    /// How many places carry each dynamic anchor; recursive anchors have no name.
    dynamic: HashMap<String, usize>,
}

impl<'a> Place<'a> {
    /// A place inside this one.
    pub(crate) fn inside(&self, tokens: &[&str], value: &'a Value) -> Self {
        let mut pointer = self.pointer.clone();
        for token in tokens {
            pointer.push('/');
            pointer.push_str(&escape_token(token));
        }
        let scope = self.scope.enter(value, &pointer);
        Self { value, pointer, scope, depth: self.depth + 1 }
    }

    /// One place for each element of a list.
    pub(crate) fn list(&self, keyword: &str, list: &'a [Value]) -> Vec<Self> {
        let element = |(index, value): (usize, &'a Value)| self.inside(&[keyword, &index.to_string()], value);
        list.iter().enumerate().map(element).collect()
    }
}

impl Scope {
    /// Whether references here count from the root of the document.
    pub(crate) fn is_outermost(&self) -> bool {
        self.resource.is_empty()
    }

    fn enter(&self, value: &Value, pointer: &str) -> Self {
        let dialect = Dialect::of(value, self.dialect).unwrap_or(self.dialect);
        let mut scope = Self { dialect, ..self.clone() };
        let id = value.get(dialect.id_keyword()).and_then(Value::as_str);
        let address = id.map(|id| id.split_once('#').map_or(id, |(address, _)| address));
        if let Some(address) = address.filter(|_| dialect.starts_resource(value))
            && let Some(base) = resolve(&self.base, address)
        {
            scope.base = base;
            scope.resource = pointer.into();
        }
        scope
    }
}

impl<'a> Document<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        let mut document =
            Self { root, resources: HashMap::new(), anchors: HashMap::new(), dynamic: HashMap::new() };
        document.resources.insert(DOCUMENT.into(), String::new());
        document.collect();
        document
    }

    fn outermost(&self) -> Scope {
        let dialect = Dialect::of(self.root, Dialect::default()).unwrap_or_default();
        Scope { base: DOCUMENT.into(), resource: "".into(), dialect }.enter(self.root, "")
    }

    /// Notes every name in the document; works at any depth.
    fn collect(&mut self) {
        let mut open: Vec<(&'a Value, String, Scope)> = vec![(self.root, String::new(), self.outermost())];
        let mut left = VALUES;
        while let Some((value, pointer, scope)) = open.pop() {
            left = left.saturating_sub(1);
            if left == 0 {
                return;
            }
            if pointer.len() > POINTER {
                continue;
            }
            match value {
                Value::Object(members) => {
                    self.note(value, &pointer, &scope);
                    for (key, member) in members {
                        let is_value = matches!(key.as_str(), "const" | "enum" | "default" | "examples");
                        // Under the name of a property such a word is no keyword, and its value a schema.
                        if member.is_object() || (member.is_array() && !is_value) {
                            let pointer = format!("{pointer}/{}", escape_token(key));
                            let scope = scope.enter(member, &pointer);
                            open.push((member, pointer, scope));
                        }
                    }
                }
                Value::Array(items) => {
                    for (index, item) in items.iter().enumerate().filter(|(_, item)| item.is_object()) {
                        let pointer = format!("{pointer}/{index}");
                        let scope = scope.enter(item, &pointer);
                        open.push((item, pointer, scope));
                    }
                }
                _ => {}
            }
        }
    }

    fn note(&mut self, value: &Value, pointer: &str, scope: &Scope) {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        if *scope.resource == *pointer {
            self.resources.entry(Rc::clone(&scope.base)).or_insert_with(|| pointer.to_owned());
        }
        let mut anchor = |name: &str| {
            let name = (Rc::clone(&scope.base), name.to_owned());
            self.anchors.entry(name).or_insert_with(|| pointer.to_owned());
        };
        if let Some((_, fragment)) = text(scope.dialect.id_keyword()).and_then(|id| id.split_once('#'))
            && !fragment.is_empty()
        {
            anchor(fragment);
        }
        if let Some(name) = text("$anchor") {
            anchor(name);
        }
        if let Some(name) = text("$dynamicAnchor") {
            anchor(name);
            *self.dynamic.entry(name.to_owned()).or_default() += 1;
        }
        if value.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
            *self.dynamic.entry(String::new()).or_default() += 1;
        }
    }

    /// Whether a dynamic reference can mean another place than the one it names.
    pub(crate) fn is_overridden(&self, reference: &str) -> bool {
        let name = reference.rsplit('#').next().unwrap_or_default();
        self.dynamic.get(name).is_some_and(|places| *places > 1)
    }

    /// The place that a reference in `from` leads to, if it is in this document.
    pub(crate) fn target(&self, from: &Scope, reference: &str) -> Option<Place<'a>> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let base = match address {
            "" => Rc::clone(&from.base),
            address => resolve(&from.base, address)?,
        };
        let resource = self.resources.get(&base)?;
        let fragment = percent_decoded(fragment);
        let pointer = match fragment.as_str() {
            "" => resource.clone(),
            pointer if pointer.starts_with('/') => format!("{resource}{pointer}"),
            anchor => self.anchors.get(&(base, anchor.to_owned()))?.clone(),
        };
        self.place(&pointer)
    }

    /// The place at a pointer, with the scope that it has there.
    pub(crate) fn place(&self, pointer: &str) -> Option<Place<'a>> {
        let mut place = Place { value: self.root, pointer: String::new(), scope: self.outermost(), depth: 0 };
        for token in pointer.split('/').skip(1) {
            let key = unescape_token(token);
            let inner = match place.value {
                Value::Object(members) => members.get(key.as_ref())?,
                Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
                _ => return None,
            };
            place = place.inside(&[&key], inner);
        }
        place.depth = 0;
        Some(place)
    }
}

/// An address resolved against a base, without a fragment.
fn resolve(base: &str, address: &str) -> Option<Rc<str>> {
    let base = uri::from_str(base).ok()?;
    let resolved = uri::resolve_against(&base.borrow(), address).ok()?;
    Some(resolved.as_str().trim_end_matches('#').into())
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        let hex = text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match hex.filter(|_| byte == b'%') {
            Some(decoded) => {
                bytes.push(decoded);
                at += 3;
            }
            None => {
                bytes.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}
