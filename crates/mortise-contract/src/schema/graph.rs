//! A schema as a graph: which subschemas apply to a value, and which to the values inside it.
//!
//! Built without recursion and before anything is compiled, so that every
//! bound can be checked on it. Where the dialects differ, the graph has rather
//! an edge too many than one too few.

mod keyword;
mod reference;

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::pattern::{MatchCost, Patterns};
use super::{Bounds, Dialect, SchemaError};
use crate::json::{escape_token, measure};
use keyword::Role;
use reference::{Names, Reference};

/// The place of a node in [`Graph::nodes`].
pub(super) type NodeId = usize;

/// A schema and everything that it refers to within its own document.
#[derive(Debug)]
pub(super) struct Graph {
    /// The root is the first.
    pub(super) nodes: Vec<Node>,
    /// The JSON pointer of each node.
    pub(super) pointers: Vec<String>,
    /// References that lead nowhere in this document.
    pub(super) dangling: Vec<Dangling>,
}

/// A reference that leads nowhere.
#[derive(Debug)]
pub(super) struct Dangling {
    /// JSON pointer to the keyword.
    pub(super) pointer: String,
    /// The reference as written.
    pub(super) reference: String,
}

/// One subschema.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// How many tokens its pointer has.
    pub(super) level: usize,
    /// The embedded resource (`$id`) that it belongs to; 0 is the document.
    pub(super) resource: usize,
    /// What its own keywords cost on one value.
    pub(super) cost: u64,
    /// What its `pattern` costs on a string.
    pub(super) pattern: Option<MatchCost>,
    /// Whether it compares all elements of an array with each other.
    pub(super) unique: bool,
    /// Whether it refers to a meta-schema.
    pub(super) meta: bool,
    /// How often it collects what other keywords evaluated (`unevaluatedItems`, `unevaluatedProperties`).
    pub(super) collects: usize,
    /// Subschemas for the same value, other than `anyOf` and `oneOf`.
    pub(super) in_place: Vec<NodeId>,
    /// Subschemas of `anyOf` and `oneOf`.
    pub(super) branches: Vec<NodeId>,
    /// Targets of references.
    pub(super) references: Vec<NodeId>,
    /// Subschemas for the members of an object.
    pub(super) object: Option<Box<ObjectEdges>>,
    /// Subschemas for the elements of an array.
    pub(super) array: Option<Box<ArrayEdges>>,
}

/// What applies to the members of an object.
#[derive(Debug, Default)]
pub(super) struct ObjectEdges {
    pub(super) properties: HashMap<String, NodeId>,
    pub(super) patterns: Vec<(MatchCost, NodeId)>,
    pub(super) additional: Option<NodeId>,
    pub(super) unevaluated: Option<NodeId>,
    pub(super) names: Option<NodeId>,
}

/// What applies to the elements of an array.
#[derive(Debug, Default)]
pub(super) struct ArrayEdges {
    pub(super) prefix: Vec<NodeId>,
    pub(super) rest: Option<NodeId>,
    pub(super) contains: Option<NodeId>,
    pub(super) unevaluated: Option<NodeId>,
}

impl Node {
    /// Subschemas that apply to the same value, references included.
    pub(super) fn same_value(&self) -> impl Iterator<Item = NodeId> {
        self.in_place.iter().chain(&self.branches).chain(&self.references).copied()
    }

    /// Subschemas that apply to values inside.
    pub(super) fn inside(&self) -> impl Iterator<Item = NodeId> {
        let object = self.object.iter().flat_map(|edges| {
            let patterns = edges.patterns.iter().map(|(_, node)| *node);
            let rest = [edges.additional, edges.unevaluated, edges.names];
            edges.properties.values().copied().chain(patterns).chain(rest.into_iter().flatten())
        });
        let array = self.array.iter().flat_map(|edges| {
            let rest = [edges.rest, edges.contains, edges.unevaluated];
            edges.prefix.iter().copied().chain(rest.into_iter().flatten())
        });
        object.chain(array)
    }
}

/// A subschema that is still to be read.
struct Place<'a> {
    node: NodeId,
    pointer: String,
    value: &'a Value,
    scope: Scope,
}

/// What a subschema inherits from those around it.
#[derive(Clone)]
struct Scope {
    base: Rc<str>,
    resource: usize,
    dialect: Dialect,
}

struct Builder<'a> {
    root: &'a Value,
    dialect: Dialect,
    bounds: &'a Bounds,
    nodes: Vec<Node>,
    /// The JSON pointer of each node.
    pointers: Vec<String>,
    /// Nodes by JSON pointer.
    places: HashMap<String, NodeId>,
    names: Names,
    patterns: Patterns,
    open: Vec<Place<'a>>,
    references: Vec<Reference<'a>>,
    dangling: Vec<Dangling>,
}

impl Graph {
    /// Reads a schema; fails at the first bound that it passes and at the first external reference.
    pub(super) fn build(schema: &Value, dialect: Dialect, bounds: &Bounds) -> Result<Self, SchemaError> {
        let mut builder = Builder {
            root: schema,
            dialect,
            bounds,
            nodes: Vec::new(),
            pointers: Vec::new(),
            places: HashMap::new(),
            names: Names::default(),
            patterns: Patterns::default(),
            open: Vec::new(),
            references: Vec::new(),
            dangling: Vec::new(),
        };
        let scope = Scope { base: reference::DOCUMENT.into(), resource: 0, dialect };
        let root = builder.node(String::new(), schema, &scope)?;
        builder.names.add_resource(&scope.base, root);
        builder.read_open()?;
        while let Some(reference) = builder.references.pop() {
            builder.follow(&reference)?;
            builder.read_open()?;
        }
        Ok(Self { nodes: builder.nodes, pointers: builder.pointers, dangling: builder.dangling })
    }
}

impl<'a> Builder<'a> {
    /// The node at a pointer, made if it is not there yet.
    fn node(&mut self, pointer: String, value: &'a Value, scope: &Scope) -> Result<NodeId, SchemaError> {
        if let Some(node) = self.places.get(&pointer) {
            return Ok(*node);
        }
        let node = self.nodes.len();
        if node >= self.bounds.subschemas {
            return Err(limit("subschemas", node + 1, self.bounds.subschemas));
        }
        let level = pointer.bytes().filter(|byte| *byte == b'/').count();
        self.nodes.push(Node { cost: 1, level, resource: scope.resource, ..Node::default() });
        self.pointers.push(pointer.clone());
        self.places.insert(pointer.clone(), node);
        self.open.push(Place { node, pointer, value, scope: scope.clone() });
        Ok(node)
    }

    fn read_open(&mut self) -> Result<(), SchemaError> {
        while let Some(place) = self.open.pop() {
            if let Value::Object(members) = place.value {
                self.read(&place, members)?;
            }
        }
        Ok(())
    }

    fn read(&mut self, place: &Place<'a>, members: &'a Map<String, Value>) -> Result<(), SchemaError> {
        let scope = place.scope.clone().enter(place.node, place.value);
        // Definitions beside a reference can be referred to even where the siblings of a reference are void.
        let only_reference = scope.dialect.has_only_reference(place.value);
        if !only_reference {
            self.names.read(place.node, members, &scope);
            self.nodes[place.node].resource = scope.resource;
        }
        for (key, member) in members {
            let role = keyword::role(key);
            match role {
                Some(Role::Definitions) => drop(self.children_of_map(place, key, member, &scope)?),
                Some(Role::Reference) => self.references.extend(Reference::read(place, key, member, &scope)),
                Some(role) if !only_reference => {
                    self.read_keyword(place, &scope, key, member, members, role)?
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn read_keyword(
        &mut self,
        place: &Place<'a>,
        scope: &Scope,
        key: &str,
        member: &'a Value,
        siblings: &'a Map<String, Value>,
        role: Role,
    ) -> Result<(), SchemaError> {
        let node = place.node;
        match role {
            Role::InPlace => {
                let child = self.child(place, key, member, scope)?;
                self.nodes[node].in_place.push(child);
            }
            Role::InPlaceList => {
                let children = self.children_of_list(place, key, member, scope)?;
                self.nodes[node].in_place.extend(children);
            }
            Role::Branches => {
                let children = self.children_of_list(place, key, member, scope)?;
                self.nodes[node].branches.extend(children);
            }
            Role::InPlaceMap => {
                let children = self.children_of_map(place, key, member, scope)?;
                self.nodes[node].in_place.extend(children.into_iter().map(|(_, child)| child));
            }
            Role::Object(_) => self.read_object_keyword(place, scope, key, member, role)?,
            Role::Array(_) => self.read_array_keyword(place, scope, key, member, siblings, role)?,
            Role::Enum => {
                let values = member.as_array().map_or(0, Vec::len);
                if values > self.bounds.enum_values {
                    return Err(limit("values of an enum", values, self.bounds.enum_values));
                }
                self.nodes[node].cost += values as u64 / 8;
            }
            Role::Const => self.nodes[node].cost += measure(member, usize::MAX).nodes / 8,
            Role::Required => self.nodes[node].cost += measure(member, usize::MAX).nodes / 8,
            Role::Pattern => {
                if let Some(pattern) = member.as_str() {
                    self.nodes[node].pattern = Some(self.patterns.cost(pattern, self.bounds)?);
                }
            }
            Role::Unique => self.nodes[node].unique = member.as_bool() == Some(true),
            Role::Definitions | Role::Reference => {}
        }
        Ok(())
    }

    fn read_object_keyword(
        &mut self,
        place: &Place<'a>,
        scope: &Scope,
        key: &str,
        member: &'a Value,
        role: Role,
    ) -> Result<(), SchemaError> {
        let Role::Object(part) = role else { return Ok(()) };
        let mut edges = self.nodes[place.node].object.take().unwrap_or_default();
        match part {
            keyword::Object::Properties => {
                let children = self.children_of_map(place, key, member, scope)?;
                self.nodes[place.node].cost += children.len() as u64 / 4;
                edges.properties.extend(children);
            }
            keyword::Object::Patterns => {
                let children = self.children_of_map(place, key, member, scope)?;
                for (pattern, child) in children {
                    edges.patterns.push((self.patterns.cost(&pattern, self.bounds)?, child));
                }
            }
            keyword::Object::Additional => edges.additional = Some(self.child(place, key, member, scope)?),
            keyword::Object::Names => edges.names = Some(self.child(place, key, member, scope)?),
            keyword::Object::Unevaluated => {
                edges.unevaluated = Some(self.child(place, key, member, scope)?);
                self.nodes[place.node].collects += 1;
            }
        }
        self.nodes[place.node].object = Some(edges);
        Ok(())
    }

    fn read_array_keyword(
        &mut self,
        place: &Place<'a>,
        scope: &Scope,
        key: &str,
        member: &'a Value,
        siblings: &'a Map<String, Value>,
        role: Role,
    ) -> Result<(), SchemaError> {
        let Role::Array(part) = role else { return Ok(()) };
        let mut edges = self.nodes[place.node].array.take().unwrap_or_default();
        match part {
            keyword::Array::Prefix => edges.prefix = self.children_of_list(place, key, member, scope)?,
            keyword::Array::Items if member.is_array() => {
                edges.prefix = self.children_of_list(place, key, member, scope)?;
            }
            keyword::Array::Items => edges.rest = Some(self.child(place, key, member, scope)?),
            keyword::Array::Additional => {
                let child = self.child(place, key, member, scope)?;
                if siblings.get("items").is_some_and(Value::is_array) {
                    edges.rest = Some(child);
                }
            }
            keyword::Array::Contains => edges.contains = Some(self.child(place, key, member, scope)?),
            keyword::Array::Unevaluated => {
                edges.unevaluated = Some(self.child(place, key, member, scope)?);
                self.nodes[place.node].collects += 1;
            }
        }
        self.nodes[place.node].array = Some(edges);
        Ok(())
    }

    fn child(
        &mut self,
        place: &Place<'a>,
        key: &str,
        value: &'a Value,
        scope: &Scope,
    ) -> Result<NodeId, SchemaError> {
        self.node(format!("{}/{}", place.pointer, escape_token(key)), value, scope)
    }

    fn children_of_list(
        &mut self,
        place: &Place<'a>,
        key: &str,
        list: &'a Value,
        scope: &Scope,
    ) -> Result<Vec<NodeId>, SchemaError> {
        let items = list.as_array().map_or(&[][..], Vec::as_slice).iter().enumerate();
        items
            .map(|(index, item)| self.node(format!("{}/{key}/{index}", place.pointer), item, scope))
            .collect()
    }

    fn children_of_map(
        &mut self,
        place: &Place<'a>,
        key: &str,
        map: &'a Value,
        scope: &Scope,
    ) -> Result<Vec<(String, NodeId)>, SchemaError> {
        let mut children = Vec::new();
        // An array in `dependencies` lists names, it is no schema.
        for (name, value) in map.as_object().into_iter().flatten().filter(|(_, value)| !value.is_array()) {
            let pointer = format!("{}/{key}/{}", place.pointer, escape_token(name));
            children.push((name.clone(), self.node(pointer, value, scope)?));
        }
        Ok(children)
    }
}

pub(super) fn limit(limit: &'static str, found: usize, allowed: usize) -> SchemaError {
    SchemaError::Limit { limit, found: found as u64, allowed: allowed as u64 }
}
