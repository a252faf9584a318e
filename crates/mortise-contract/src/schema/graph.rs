//! A schema as a graph: which subschemas apply to a value, and which to the values inside it.
//!
//! Built without recursion and before anything is compiled, so that every
//! bound can be checked on it. Where the dialects differ, the graph has rather
//! an edge too many than one too few.

mod reference;

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::keyword::{Applies, ElementPart, Keyword, MemberPart, Purpose};
use super::pattern::{MatchCost, Patterns};
use super::reference::{SchemaNames, SchemaScope};
use super::{Bounds, Dialect, SchemaError};
use crate::json::{escape_token, measure};
use reference::OpenReference;

/// The place of a node in [`Graph::nodes`].
pub(super) type NodeId = usize;

/// A schema and everything that it refers to within its own document.
#[derive(Debug)]
pub(super) struct Graph {
    /// The root is the first.
    pub(super) nodes: Vec<GraphNode>,
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
pub(super) struct GraphNode {
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

impl GraphNode {
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
struct OpenNode<'a> {
    node: NodeId,
    pointer: String,
    value: &'a Value,
    /// The scope around it.
    scope: SchemaScope,
}

struct GraphBuilder<'a> {
    root: &'a Value,
    dialect: Dialect,
    bounds: &'a Bounds,
    nodes: Vec<GraphNode>,
    /// The JSON pointer of each node.
    pointers: Vec<String>,
    /// Nodes by JSON pointer.
    places: HashMap<String, NodeId>,
    names: SchemaNames,
    patterns: Patterns,
    open: Vec<OpenNode<'a>>,
    references: Vec<OpenReference<'a>>,
    dangling: Vec<Dangling>,
}

/// A member of a subschema, with what is needed to read the schemas in it.
struct Member<'a, 'p> {
    at: &'p OpenNode<'a>,
    /// The scope inside the subschema.
    scope: &'p SchemaScope,
    keyword: &'static Keyword,
    value: &'a Value,
    siblings: &'a Map<String, Value>,
}

impl Graph {
    /// Reads a schema; fails at the first bound that it passes and at the first external reference.
    pub(super) fn build(schema: &Value, dialect: Dialect, bounds: &Bounds) -> Result<Self, SchemaError> {
        let mut builder = GraphBuilder {
            root: schema,
            dialect,
            bounds,
            nodes: Vec::new(),
            pointers: Vec::new(),
            places: HashMap::new(),
            names: SchemaNames::new(),
            patterns: Patterns::default(),
            open: Vec::new(),
            references: Vec::new(),
            dangling: Vec::new(),
        };
        builder.node(String::new(), schema, &SchemaScope::around(dialect))?;
        builder.read_open()?;
        while let Some(reference) = builder.references.pop() {
            builder.follow(&reference)?;
            builder.read_open()?;
        }
        Ok(Self { nodes: builder.nodes, pointers: builder.pointers, dangling: builder.dangling })
    }
}

impl<'a> GraphBuilder<'a> {
    /// The node at a pointer, made if it is not there yet.
    fn node(
        &mut self,
        pointer: String,
        value: &'a Value,
        scope: &SchemaScope,
    ) -> Result<NodeId, SchemaError> {
        if let Some(node) = self.places.get(&pointer) {
            return Ok(*node);
        }
        let node = self.nodes.len();
        if node >= self.bounds.subschemas {
            return Err(limit("subschemas", node + 1, self.bounds.subschemas));
        }
        let level = pointer.bytes().filter(|byte| *byte == b'/').count();
        self.nodes.push(GraphNode { cost: 1, level, resource: self.resource(scope), ..GraphNode::default() });
        self.pointers.push(pointer.clone());
        self.places.insert(pointer.clone(), node);
        self.open.push(OpenNode { node, pointer, value, scope: scope.clone() });
        Ok(node)
    }

    /// The node of the resource that references count from.
    fn resource(&self, scope: &SchemaScope) -> NodeId {
        self.places.get(scope.resource()).copied().unwrap_or(0)
    }

    fn read_open(&mut self) -> Result<(), SchemaError> {
        while let Some(at) = self.open.pop() {
            if let Value::Object(members) = at.value {
                self.read(&at, members)?;
            }
        }
        Ok(())
    }

    fn read(&mut self, at: &OpenNode<'a>, members: &'a Map<String, Value>) -> Result<(), SchemaError> {
        let scope = at.scope.enter(at.value, &at.pointer);
        self.names.note(at.value, &at.pointer, &scope);
        // Definitions beside a reference can be referred to even where the siblings of a reference are void.
        let only_reference = scope.dialect.has_only_reference(at.value);
        if !only_reference {
            self.nodes[at.node].resource = self.resource(&scope);
        }
        for (key, value) in members {
            let Some(keyword) = Keyword::find(key) else { continue };
            let member = Member { at, scope: &scope, keyword, value, siblings: members };
            match keyword.purpose {
                Purpose::Definitions => drop(self.children(&member)?),
                Purpose::Reference => self.references.extend(OpenReference::read(&member)),
                _ if !only_reference => self.read_keyword(&member)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Keywords of all dialects are read: one that the dialect does not know adds an edge too many, which is safe.
    fn read_keyword(&mut self, member: &Member<'a, '_>) -> Result<(), SchemaError> {
        let node = member.at.node;
        match member.keyword.applies {
            Applies::Nowhere => self.read_cost(member)?,
            Applies::InPlace => {
                let children = self.children(member)?;
                self.nodes[node].in_place.extend(children.into_iter().map(|(_, child)| child));
            }
            Applies::Alternatives => {
                let children = self.children(member)?;
                self.nodes[node].branches.extend(children.into_iter().map(|(_, child)| child));
            }
            Applies::Members(part) => self.read_members(member, part)?,
            Applies::Elements(part) => self.read_elements(member, part)?,
        }
        Ok(())
    }

    /// What a keyword without schemas costs on every value.
    fn read_cost(&mut self, member: &Member<'a, '_>) -> Result<(), SchemaError> {
        let (node, value) = (member.at.node, member.value);
        match member.keyword.name {
            "enum" => {
                let values = value.as_array().map_or(0, Vec::len);
                if values > self.bounds.enum_values {
                    return Err(limit("values of an enum", values, self.bounds.enum_values));
                }
                self.nodes[node].cost += values as u64 / 8;
            }
            "const" | "required" | "dependentRequired" => {
                self.nodes[node].cost += measure(value, usize::MAX).nodes / 8;
            }
            "pattern" => {
                if let Some(pattern) = value.as_str() {
                    self.nodes[node].pattern = Some(self.patterns.cost(pattern, self.bounds)?);
                }
            }
            "uniqueItems" => self.nodes[node].unique = value.as_bool() == Some(true),
            _ => {}
        }
        Ok(())
    }

    fn read_members(&mut self, member: &Member<'a, '_>, part: MemberPart) -> Result<(), SchemaError> {
        let node = member.at.node;
        let mut edges = self.nodes[node].object.take().unwrap_or_default();
        let children = self.children(member)?;
        let last = children.last().map(|(_, child)| *child);
        match part {
            MemberPart::Named => {
                self.nodes[node].cost += children.len() as u64 / 4;
                edges.properties.extend(children);
            }
            MemberPart::Patterned => {
                for (pattern, child) in children {
                    edges.patterns.push((self.patterns.cost(&pattern, self.bounds)?, child));
                }
            }
            MemberPart::Other => edges.additional = last,
            MemberPart::Keys => edges.names = last,
            MemberPart::Unevaluated => {
                edges.unevaluated = last;
                self.nodes[node].collects += 1;
            }
        }
        self.nodes[node].object = Some(edges);
        Ok(())
    }

    fn read_elements(&mut self, member: &Member<'a, '_>, part: ElementPart) -> Result<(), SchemaError> {
        let node = member.at.node;
        let mut edges = self.nodes[node].array.take().unwrap_or_default();
        let children = self.children(member)?;
        let last = children.last().map(|(_, child)| *child);
        match part {
            ElementPart::Items if !member.value.is_array() => edges.rest = last,
            ElementPart::Prefix | ElementPart::Items => {
                edges.prefix = children.into_iter().map(|(_, child)| child).collect();
            }
            ElementPart::Additional => {
                if member.siblings.get("items").is_some_and(Value::is_array) {
                    edges.rest = last;
                }
            }
            ElementPart::Contained => edges.contains = last,
            ElementPart::Unevaluated => {
                edges.unevaluated = last;
                self.nodes[node].collects += 1;
            }
        }
        self.nodes[node].array = Some(edges);
        Ok(())
    }

    /// The nodes of the schemas in a keyword, with their names.
    fn children(&mut self, member: &Member<'a, '_>) -> Result<Vec<(String, NodeId)>, SchemaError> {
        let pointer = format!("{}/{}", member.at.pointer, member.keyword.name);
        let mut children = Vec::new();
        for (token, schema) in member.keyword.holds.schemas(member.value) {
            let inner = match &token {
                Some(token) => format!("{pointer}/{}", escape_token(token)),
                None => pointer.clone(),
            };
            children.push((token.unwrap_or_default().into_owned(), self.node(inner, schema, member.scope)?));
        }
        Ok(children)
    }
}

pub(super) fn limit(limit: &'static str, found: usize, allowed: usize) -> SchemaError {
    SchemaError::Limit { limit, found: found as u64, allowed: allowed as u64 }
}
