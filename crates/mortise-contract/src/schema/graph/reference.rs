//! Names that a schema gives to its parts, and where references lead.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use referencing::uri;
use serde_json::{Map, Value};

use super::{Builder, Dangling, NodeId, Place, Scope};
use crate::json::{escape_token, unescape_token};
use crate::schema::{Dialect, SchemaError};

/// The address of a document that gives itself none.
pub(super) const DOCUMENT: &str = "json-schema:///";

/// A reference that is still to be followed.
pub(super) struct Reference<'a> {
    from: NodeId,
    pointer: String,
    keyword: Keyword,
    text: &'a str,
    base: Rc<str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    Static,
    Dynamic,
    Recursive,
}

impl<'a> Reference<'a> {
    /// The reference in a keyword, if the dialect has that keyword and the member is a string.
    pub(super) fn read(place: &Place<'a>, key: &str, member: &'a Value, scope: &Scope) -> Option<Self> {
        let keyword = match (key, scope.dialect) {
            ("$ref", _) => Keyword::Static,
            ("$dynamicRef", Dialect::Draft202012) => Keyword::Dynamic,
            ("$recursiveRef", Dialect::Draft201909) => Keyword::Recursive,
            _ => return None,
        };
        Some(Self {
            from: place.node,
            pointer: format!("{}/{key}", place.pointer),
            keyword,
            text: member.as_str()?,
            base: Rc::clone(&scope.base),
        })
    }
}

/// Resources and anchors of one document.
#[derive(Default)]
pub(super) struct Names {
    resources: HashMap<Rc<str>, NodeId>,
    anchors: HashMap<(Rc<str>, String), NodeId>,
    /// Nodes by `$dynamicAnchor`; those with `$recursiveAnchor` under the empty name.
    dynamic: HashMap<String, Vec<NodeId>>,
}

impl Names {
    pub(super) fn add_resource(&mut self, base: &Rc<str>, node: NodeId) {
        self.resources.entry(Rc::clone(base)).or_insert(node);
    }

    /// Notes the names that a subschema gives to itself; `scope` is already its own.
    pub(super) fn read(&mut self, node: NodeId, members: &Map<String, Value>, scope: &Scope) {
        let text = |key: &str| members.get(key).and_then(Value::as_str);
        let named = |name: &str| (Rc::clone(&scope.base), name.to_owned());
        if scope.resource == node {
            self.add_resource(&scope.base, node);
        }
        let fragment =
            text(scope.dialect.id_keyword()).and_then(|id| id.split_once('#')).map(|(_, anchor)| anchor);
        if let Some(anchor) = fragment.filter(|anchor| !anchor.is_empty()) {
            self.anchors.insert(named(anchor), node);
        }
        if scope.dialect.is_legacy() {
            return;
        }
        for (key, is_dynamic) in [("$anchor", false), ("$dynamicAnchor", true)] {
            if let Some(name) = text(key) {
                self.anchors.insert(named(name), node);
                if is_dynamic {
                    self.dynamic.entry(name.to_owned()).or_default().push(node);
                }
            }
        }
        if members.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
            self.dynamic.entry(String::new()).or_default().push(node);
        }
    }
}

impl Scope {
    /// The scope inside a subschema: of its own dialect, and of its own resource if it has an `$id`.
    pub(super) fn enter(mut self, node: NodeId, value: &Value) -> Self {
        self.dialect = Dialect::of(value, self.dialect).unwrap_or(self.dialect);
        let id = value.get(self.dialect.id_keyword()).and_then(Value::as_str);
        let address = id.map(|id| id.split_once('#').map_or(id, |(address, _)| address));
        if let Some(address) = address.filter(|_| self.dialect.starts_resource(value))
            && let Some(base) = resolve(&self.base, address)
        {
            self.base = base;
            self.resource = node;
        }
        self
    }
}

impl<'a> Builder<'a> {
    /// Finds the targets of a reference and adds the edges to them.
    pub(super) fn follow(&mut self, reference: &Reference<'a>) -> Result<(), SchemaError> {
        let (address, fragment) = reference.text.split_once('#').unwrap_or((reference.text, ""));
        let base = match address {
            "" => Some(Rc::clone(&reference.base)),
            _ => resolve(&reference.base, address),
        };
        let Some((base, resource)) = base.and_then(|base| {
            let resource = *self.names.resources.get(&base)?;
            Some((base, resource))
        }) else {
            return self.leave_document(reference, address);
        };
        let fragment = percent_decoded(fragment);
        let mut targets = Vec::new();
        match (reference.keyword, fragment.as_ref()) {
            (Keyword::Recursive, _) => targets.extend(self.names.dynamic.get("").into_iter().flatten()),
            (Keyword::Dynamic, name) if !name.starts_with('/') => {
                targets.extend(self.names.dynamic.get(name).into_iter().flatten());
            }
            _ => {}
        }
        let target = match fragment.as_ref() {
            "" => Some(resource),
            pointer if pointer.starts_with('/') => self.node_at(resource, pointer)?,
            anchor => self.names.anchors.get(&(base, anchor.to_owned())).copied(),
        };
        match target {
            Some(target) if !targets.contains(&target) => targets.push(target),
            None if targets.is_empty() => self
                .dangling
                .push(Dangling { pointer: reference.pointer.clone(), reference: reference.text.to_owned() }),
            _ => {}
        }
        self.nodes[reference.from].references.extend(targets);
        Ok(())
    }

    /// A reference to another document: fine for the meta-schema of the same dialect, which is built in, and refused
    /// otherwise.
    fn leave_document(&mut self, reference: &Reference<'a>, address: &str) -> Result<(), SchemaError> {
        let (family, _) = self.dialect.uri().rsplit_once('/').unwrap_or_default();
        let known = resolve(&reference.base, address).is_some_and(|base| {
            base.starts_with(family) && referencing::SPECIFICATIONS.contains_resource(&base)
        });
        if known {
            self.nodes[reference.from].meta = true;
            return Ok(());
        }
        Err(SchemaError::ExternalReference {
            reference: reference.text.to_owned(),
            pointer: reference.pointer.clone(),
        })
    }

    /// The node that a pointer within a resource leads to; none if there is no such place.
    fn node_at(&mut self, resource: NodeId, pointer: &str) -> Result<Option<NodeId>, SchemaError> {
        let whole = format!("{}{pointer}", self.pointers[resource]);
        if let Some(node) = self.places.get(&whole) {
            return Ok(Some(*node));
        }
        let (mut value, mut walked) = (self.root, String::new());
        let mut scope = Scope { base: DOCUMENT.into(), resource: 0, dialect: self.dialect }.enter(0, value);
        for token in whole.split('/').skip(1) {
            let key = unescape_token(token);
            let Some(inner) = member(value, &key) else { return Ok(None) };
            value = inner;
            walked = format!("{walked}/{}", escape_token(&key));
            if let Some(node) = self.places.get(&walked) {
                scope = scope.enter(*node, value);
            }
        }
        self.node(walked, value, &scope).map(Some)
    }
}

fn member<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) => members.get(key),
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => None,
    }
}

/// An address resolved against a base, without a fragment.
fn resolve(base: &str, address: &str) -> Option<Rc<str>> {
    let base = uri::from_str(base).ok()?;
    let resolved = uri::resolve_against(&base.borrow(), address).ok()?;
    Some(resolved.as_str().trim_end_matches('#').into())
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
        match (byte, hex) {
            (b'%', Some(decoded_byte)) => {
                decoded.push(decoded_byte);
                at += 3;
            }
            _ => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).map_or(Cow::Borrowed(text), Cow::Owned)
}
