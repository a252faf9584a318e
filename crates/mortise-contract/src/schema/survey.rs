//! The bounds of a schema, checked before it is compiled.

mod components;
mod state;

use serde_json::Value;

use super::graph::{Graph, limit};
use super::pattern::MatchCost;
use super::{Bounds, Dialect, SchemaError};
use crate::json::{canonical_text, measure};
use crate::limits;
use components::Components;
pub(super) use state::SurveyState;

/// `$ref` targets that the compiler nests on its stack; it defers the rest.
const NESTED_REFERENCES: usize = 8;

/// The state in which the root validates.
pub(super) const ROOT: usize = 0;

/// A schema within its bounds, and what one instance node can cost at most.
#[derive(Debug)]
pub(super) struct Survey {
    pub(super) graph: Graph,
    /// For each state the group of mutually reachable states at the same value; edges lead to lower groups.
    pub(super) groups: Vec<usize>,
    /// Whether a subschema can apply again further inside the value.
    pub(super) is_recursive: bool,
    /// Whether a subschema refers to a meta-schema, whose cost is not known from the graph.
    pub(super) uses_meta: bool,
    /// Subschemas on the longest way through a schema that is not recursive.
    pub(super) longest_way: usize,
    /// The cost of each state with everything below it; for recursive schemas per round.
    pub(super) costs: Vec<Cost>,
}

/// An upper bound of the cost on one value, in visits of subschemas and in matches of patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    /// Subschemas visited; references expanded.
    pub(super) paths: u64,
    /// Subschemas visited, each with its own cost.
    pub(super) units: u64,
    /// States of all linear patterns.
    pub(super) pattern_states: u64,
    /// Patterns with backtracking.
    pub(super) backtracking: u64,
}

impl Survey {
    /// Checks every bound that protects the compiler and the validator.
    pub(super) fn new(schema: &Value, dialect: Dialect, bounds: &Bounds) -> Result<Self, SchemaError> {
        let levels = measure(schema, bounds.schema_depth).levels;
        if levels > bounds.schema_depth {
            return Err(limit("levels", levels, bounds.schema_depth));
        }
        let bytes = canonical_text(schema).len();
        if bytes > bounds.schema_bytes {
            return Err(limit("bytes", bytes, bounds.schema_bytes));
        }
        let graph = Graph::build(schema, dialect, bounds)?;
        check_nesting(&graph)?;
        check_resources(&graph)?;
        let count = SurveyState::count(&graph);
        let all = Components::new(count, [ROOT], |state, into| SurveyState::successors(&graph, state, into));
        let in_place =
            Components::new(count, all.reached(), |state, into| SurveyState::same_value(&graph, state, into));
        check_loops(&graph, &in_place)?;
        check_reference_chains(&graph, &in_place, bounds)?;
        let costs = expand(&graph, &all);
        let paths = costs[ROOT].paths;
        if paths > bounds.expanded_paths {
            return Err(SchemaError::Limit {
                limit: "expanded paths",
                found: paths,
                allowed: bounds.expanded_paths,
            });
        }
        Ok(Self {
            is_recursive: all.has_cycle(),
            uses_meta: graph.nodes.iter().any(|node| node.meta),
            longest_way: longest_way(&graph, &all),
            groups: in_place.of,
            costs,
            graph,
        })
    }

    /// Whether any pattern of the schema, used or not, needs the backtracking engine.
    pub(super) fn uses_backtracking(&self) -> bool {
        let is_backtracking = |cost: &MatchCost| *cost == MatchCost::Backtracking;
        self.graph.nodes.iter().any(|node| {
            let keys = node.object.iter().flat_map(|edges| edges.patterns.iter().map(|(cost, _)| cost));
            node.pattern.iter().chain(keys).any(is_backtracking)
        })
    }

    /// The cost of the whole schema on one value.
    pub(super) fn cost(&self) -> Cost {
        self.costs[ROOT]
    }
}

/// How deep the compiler recurses: nesting, through the references that it compiles on its stack.
fn check_nesting(graph: &Graph) -> Result<(), SchemaError> {
    let mut deepest_first: Vec<usize> = (0..graph.nodes.len()).collect();
    deepest_first.sort_by_key(|node| std::cmp::Reverse(graph.nodes[*node].level));
    let mut depths = vec![0usize; graph.nodes.len()];
    for _ in 0..=NESTED_REFERENCES {
        let mut deeper = vec![0usize; graph.nodes.len()];
        for &index in &deepest_first {
            let node = &graph.nodes[index];
            let children = node.in_place.iter().chain(&node.branches).copied().chain(node.inside());
            let below = children.map(|child| deeper[child]).max().unwrap_or(0);
            let behind = node.references.iter().map(|target| depths[*target]).max().unwrap_or(0);
            deeper[index] = 1 + below.max(behind);
        }
        depths = deeper;
    }
    match depths.first() {
        Some(&depth) if depth > limits::SCHEMA_NESTING => {
            Err(limit("levels with references", depth, limits::SCHEMA_NESTING))
        }
        _ => Ok(()),
    }
}

/// Embedded resources that refer to each other in circles are compiled once per way of getting there.
fn check_resources(graph: &Graph) -> Result<(), SchemaError> {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for node in &graph.nodes {
        for target in &node.references {
            let resource = graph.nodes[*target].resource;
            if resource != node.resource && !neighbours[node.resource].contains(&resource) {
                neighbours[node.resource].push(resource);
            }
        }
    }
    let root = graph.nodes.first().map_or(0, |node| node.resource);
    let mut ways = 0usize;
    let mut path: Vec<(usize, usize)> = vec![(root, 0)];
    while let Some((resource, next)) = path.last_mut() {
        let Some(&neighbour) = neighbours[*resource].get(*next) else {
            path.pop();
            continue;
        };
        *next += 1;
        if path.iter().any(|(on_path, _)| *on_path == neighbour) {
            continue;
        }
        ways += 1;
        if ways > limits::SCHEMA_RESOURCE_WAYS {
            return Err(limit("ways through embedded resources", ways, limits::SCHEMA_RESOURCE_WAYS));
        }
        path.push((neighbour, 0));
    }
    Ok(())
}

/// A schema may lead back to itself at the same value in one way; in two, the ways multiply.
fn check_loops(graph: &Graph, in_place: &Components) -> Result<(), SchemaError> {
    let mut successors = Vec::new();
    for (group, members) in in_place.groups.iter().enumerate() {
        for &state in members {
            successors.clear();
            SurveyState::same_value(graph, state, &mut successors);
            let back = successors.iter().filter(|successor| in_place.of[**successor] == group);
            if back.count() > 1 {
                return Err(SchemaError::EndlessReference {
                    pointer: graph.pointers[SurveyState::node(state)].clone(),
                });
            }
        }
    }
    Ok(())
}

/// How many references are followed at one value.
fn check_reference_chains(graph: &Graph, in_place: &Components, bounds: &Bounds) -> Result<(), SchemaError> {
    let mut chains = vec![0usize; in_place.groups.len()];
    let mut successors = Vec::new();
    for (group, members) in in_place.groups.iter().enumerate() {
        let mut within = 0;
        let mut beyond = 0;
        for &state in members {
            successors.clear();
            SurveyState::same_value(graph, state, &mut successors);
            let references = &graph.nodes[SurveyState::node(state)].references;
            for &successor in &successors {
                let step = usize::from(references.contains(&SurveyState::node(successor)));
                if in_place.of[successor] == group {
                    within += step;
                } else {
                    beyond = beyond.max(step + chains[in_place.of[successor]]);
                }
            }
        }
        chains[group] = within + beyond;
        if chains[group] > bounds.ref_depth {
            return Err(limit("references in a chain", chains[group], bounds.ref_depth));
        }
    }
    Ok(())
}

/// The cost of every state. States that reach each other count once each: how often they really apply depends on the
/// value, and is counted with it.
fn expand(graph: &Graph, all: &Components) -> Vec<Cost> {
    let mut totals = vec![Cost::default(); all.groups.len()];
    let mut successors = Vec::new();
    for (group, members) in all.groups.iter().enumerate() {
        let mut total = Cost::default();
        for &state in members {
            total.add(Cost::of(graph, state));
            successors.clear();
            SurveyState::successors(graph, state, &mut successors);
            for &successor in successors.iter().filter(|successor| all.of[**successor] != group) {
                total.add(totals[all.of[successor]]);
            }
        }
        totals[group] = total;
    }
    all.of.iter().map(|group| totals.get(*group).copied().unwrap_or_default()).collect()
}

/// How many states follow each other at most, each group counted whole.
fn longest_way(graph: &Graph, all: &Components) -> usize {
    let mut longest = vec![0usize; all.groups.len()];
    let mut successors = Vec::new();
    for (group, members) in all.groups.iter().enumerate() {
        let mut beyond = 0;
        for &state in members {
            successors.clear();
            SurveyState::successors(graph, state, &mut successors);
            let others =
                successors.iter().map(|successor| all.of[*successor]).filter(|other| *other != group);
            beyond = beyond.max(others.map(|other| longest[other]).max().unwrap_or(0));
        }
        longest[group] = members.len() + beyond;
    }
    all.of.first().and_then(|group| longest.get(*group)).copied().unwrap_or(0)
}

impl Cost {
    fn of(graph: &Graph, state: usize) -> Self {
        let node = &graph.nodes[SurveyState::node(state)];
        let mut cost = Self { paths: 1, units: node.cost, pattern_states: 0, backtracking: 0 };
        let keys = node.object.iter().flat_map(|edges| edges.patterns.iter().map(|(cost, _)| *cost));
        for pattern in node.pattern.into_iter().chain(keys) {
            match pattern {
                MatchCost::Linear { states } => cost.pattern_states += states,
                MatchCost::Backtracking => cost.backtracking += 1,
            }
        }
        cost
    }

    fn add(&mut self, other: Self) {
        self.paths = self.paths.saturating_add(other.paths);
        self.units = self.units.saturating_add(other.units);
        self.pattern_states = self.pattern_states.saturating_add(other.pattern_states);
        self.backtracking = self.backtracking.saturating_add(other.backtracking);
    }
}
