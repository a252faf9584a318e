//! What can happen to a value: a subschema validates it, or collects what was evaluated of it.

use crate::schema::graph::{Graph, NodeId};

/// One node doing one of two things. Collecting for `unevaluatedProperties` and `unevaluatedItems` validates the
/// subschemas once more, at every level of nesting, so it is counted as a state of its own.
pub(in crate::schema) struct SurveyState;

impl SurveyState {
    /// States of a graph: two per node, validating first.
    pub(super) fn count(graph: &Graph) -> usize {
        graph.nodes.len() * 2
    }

    /// The state in which a node validates.
    pub(in crate::schema) fn validating(node: NodeId) -> usize {
        node * 2
    }

    fn collecting(node: NodeId) -> usize {
        node * 2 + 1
    }

    pub(in crate::schema) fn node(state: usize) -> NodeId {
        state / 2
    }

    /// Whether the state validates; otherwise it collects.
    pub(in crate::schema) fn is_validating(state: usize) -> bool {
        state.is_multiple_of(2)
    }

    /// The states that follow at the same value.
    pub(in crate::schema) fn same_value(graph: &Graph, state: usize, into: &mut Vec<usize>) {
        let index = Self::node(state);
        let node = &graph.nodes[index];
        if Self::is_validating(state) {
            into.extend(node.same_value().map(Self::validating));
            into.extend(std::iter::repeat_n(Self::collecting(index), node.collects));
        } else {
            for child in node.in_place.iter().chain(&node.branches) {
                into.extend([Self::validating(*child), Self::collecting(*child)]);
            }
            into.extend(node.references.iter().map(|target| Self::collecting(*target)));
        }
    }

    /// The states that follow at all.
    pub(super) fn successors(graph: &Graph, state: usize, into: &mut Vec<usize>) {
        Self::same_value(graph, state, into);
        let node = &graph.nodes[Self::node(state)];
        if Self::is_validating(state) {
            into.extend(node.inside().map(Self::validating));
        } else {
            let object = node.object.as_ref().and_then(|edges| edges.unevaluated);
            let array = node.array.as_ref().and_then(|edges| edges.unevaluated);
            into.extend(object.into_iter().chain(array).map(Self::validating));
        }
    }
}
