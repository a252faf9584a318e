//! How much work a validation is, counted before it is done.
//!
//! The validator can't be interrupted, so what it would do to a value is
//! counted first: how often each subschema meets each part of the value. For
//! most schemas an upper bound is enough and costs one pass over the value; the
//! exact count walks schema and value together, without recursion and without
//! multiplying out what the validator would repeat.

use std::cell::LazyCell;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::graph::{ArrayEdges, ObjectEdges};
use super::pattern::MatchCost;
use super::survey::{ROOT, Survey, SurveyState};
use crate::json::measure;
use crate::limits;

/// Bytes of a string that count like one more value.
const BYTES_PER_NODE: u64 = 64;

/// Visits that a meta-schema needs for each value, at most.
const META_COST: u64 = 64;

/// What validating one value takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ValidationWork {
    /// Visits of subschemas to values, with the cost of each.
    pub(super) units: u64,
    /// Subschemas that are entered within each other at the deepest place.
    pub(super) depth: usize,
    /// Values that the validator would copy into the errors of `anyOf` and `oneOf`.
    pub(super) copies: u64,
}

/// The size of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    /// Values and keys in it.
    pub(super) nodes: u64,
    /// Bytes of its strings and keys.
    pub(super) bytes: u64,
}

impl Survey {
    /// An upper bound of the work on a value of this size; none for a recursive schema, where it depends on the shape.
    pub(super) fn bound(&self, size: Size) -> Option<u64> {
        if self.is_recursive || self.uses_meta || self.longest_way > limits::VALIDATION_DEPTH {
            return None;
        }
        let cost = self.cost();
        let linear = MatchCost::Linear { states: cost.pattern_states }.units(size.bytes);
        let backtracking = MatchCost::Backtracking.units(size.bytes).saturating_mul(size.nodes);
        let patterns = linear.saturating_add(cost.backtracking.saturating_mul(backtracking));
        Some(cost.units.saturating_mul(size.nodes).saturating_add(patterns))
    }

    /// Counts the work on a value exactly, up to `enough` units or copies.
    pub(super) fn count(&self, value: &Value, enough: ValidationWork) -> ValidationWork {
        Counter { survey: self, work: ValidationWork::default(), enough }.count(value)
    }
}

/// How often a subschema meets a value.
#[derive(Clone, Copy, Default)]
struct Meeting {
    times: u64,
    /// Those of them that happen inside a branch of `anyOf` or `oneOf`.
    in_branches: u64,
    depth: usize,
}

impl Meeting {
    fn join(&mut self, other: Self) {
        self.times = self.times.saturating_add(other.times);
        self.in_branches = self.in_branches.saturating_add(other.in_branches);
        self.depth = self.depth.max(other.depth);
    }

    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

/// Meetings with one value, the group that everything else of it leads to last, last.
type Meetings = BTreeMap<(usize, usize), Meeting>;

struct Counter<'a> {
    survey: &'a Survey,
    work: ValidationWork,
    enough: ValidationWork,
}

/// A container whose values are being visited, and the states that met it.
struct WorkFrame<'v> {
    inside: Inside<'v>,
    met: Vec<(usize, Meeting)>,
}

enum Inside<'v> {
    Members(serde_json::map::Iter<'v>),
    Elements(std::iter::Enumerate<std::slice::Iter<'v, Value>>),
}

enum InsideKey<'v> {
    Member(&'v str),
    Element(usize),
}

impl<'v> Iterator for Inside<'v> {
    type Item = (InsideKey<'v>, &'v Value);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Members(members) => {
                members.next().map(|(key, value)| (InsideKey::Member(key.as_str()), value))
            }
            Self::Elements(elements) => {
                elements.next().map(|(index, value)| (InsideKey::Element(index), value))
            }
        }
    }
}

impl Counter<'_> {
    fn count(mut self, value: &Value) -> ValidationWork {
        let mut meetings = Meetings::new();
        self.arrive(&mut meetings, ROOT, Meeting { times: 1, in_branches: 0, depth: 1 });
        let mut frames: Vec<WorkFrame<'_>> = self.meet(value, meetings).into_iter().collect();
        while let Some(frame) = frames.last_mut() {
            if self.work.units > self.enough.units
                || self.work.copies > self.enough.copies
                || self.work.depth > self.enough.depth
            {
                break;
            }
            let Some((key, value)) = frame.inside.next() else {
                frames.pop();
                continue;
            };
            let mut meetings = Meetings::new();
            for (state, meeting) in &frame.met {
                self.descend(*state, *meeting, &key, &mut meetings);
            }
            frames.extend(self.meet(value, meetings));
        }
        self.work
    }

    fn arrive(&self, meetings: &mut Meetings, state: usize, meeting: Meeting) {
        meetings.entry((self.survey.groups[state], state)).or_default().join(meeting);
    }

    /// Counts everything that meets one value; the frame to visit what is inside, if anything goes on there.
    fn meet<'v>(&mut self, value: &'v Value, mut meetings: Meetings) -> Option<WorkFrame<'v>> {
        let size = LazyCell::new(|| size_of(value));
        let mut met = Vec::new();
        let mut successors = Vec::new();
        while let Some(((group, first), meeting)) = meetings.pop_last() {
            // A loop at the same value is run through once; it has one way only.
            let mut state = first;
            loop {
                self.visit(value, &size, state, meeting);
                let node = &self.survey.graph.nodes[SurveyState::node(state)];
                if matches!(value, Value::Object(_)) && node.object.is_some()
                    || matches!(value, Value::Array(_)) && node.array.is_some()
                {
                    met.push((state, meeting));
                }
                successors.clear();
                SurveyState::same_value(&self.survey.graph, state, &mut successors);
                let branches = node.in_place.len()..node.in_place.len() + node.branches.len();
                let mut back = None;
                for (position, &successor) in successors.iter().enumerate() {
                    if self.survey.groups[successor] == group {
                        back = Some(successor);
                        continue;
                    }
                    let mut next = meeting.deeper();
                    if !SurveyState::is_validating(state) {
                        // Collecting asks whether a subschema holds, and copies nothing.
                        next.in_branches = 0;
                    } else if branches.contains(&position) {
                        next.in_branches = next.times;
                    }
                    self.arrive(&mut meetings, successor, next);
                }
                match back {
                    Some(successor) if successor != first => state = successor,
                    _ => break,
                }
            }
        }
        let inside = match value {
            Value::Object(members) if !met.is_empty() => Inside::Members(members.iter()),
            Value::Array(elements) if !met.is_empty() => Inside::Elements(elements.iter().enumerate()),
            _ => return None,
        };
        Some(WorkFrame { inside, met })
    }

    /// Counts one state meeting one value.
    fn visit(
        &mut self,
        value: &Value,
        size: &LazyCell<u64, impl FnOnce() -> u64>,
        state: usize,
        meeting: Meeting,
    ) {
        let node = &self.survey.graph.nodes[SurveyState::node(state)];
        self.work.depth = self.work.depth.max(meeting.depth);
        let own = match (value, node.pattern, &node.object) {
            (Value::String(text), Some(pattern), _) => pattern.units(text.len() as u64),
            (Value::Object(members), _, Some(edges)) => self.key_units(edges, members),
            (Value::Array(_), ..) if node.unique => **size,
            _ => 0,
        };
        let meta = if node.meta { META_COST.saturating_mul(**size) } else { 0 };
        let units = node.cost.saturating_add(own).saturating_add(meta);
        self.work.units = self.work.units.saturating_add(units.saturating_mul(meeting.times));
        if meeting.in_branches > 0 {
            self.work.copies = self.work.copies.saturating_add(meeting.in_branches.saturating_mul(**size));
        }
    }

    /// What patterns and `propertyNames` cost on the keys of an object.
    fn key_units(&self, edges: &ObjectEdges, members: &Map<String, Value>) -> u64 {
        if edges.patterns.is_empty() && edges.names.is_none() {
            return 0;
        }
        let names =
            edges.names.map(|node| self.survey.costs[SurveyState::validating(node)]).unwrap_or_default();
        let mut units = 0u64;
        for key in members.keys() {
            let bytes = key.len() as u64;
            for (pattern, _) in &edges.patterns {
                units = units.saturating_add(pattern.units(bytes));
            }
            let linear = MatchCost::Linear { states: names.pattern_states }.units(bytes);
            let backtracking = MatchCost::Backtracking.units(bytes).saturating_mul(names.backtracking);
            units = units.saturating_add(names.units).saturating_add(linear).saturating_add(backtracking);
        }
        units
    }

    /// The subschemas that a state hands on to one value inside.
    fn descend(&self, state: usize, meeting: Meeting, key: &InsideKey<'_>, meetings: &mut Meetings) {
        let node = &self.survey.graph.nodes[SurveyState::node(state)];
        let next = meeting.deeper();
        let mut hand_on = |child: Option<usize>| {
            if let Some(child) = child {
                self.arrive(meetings, SurveyState::validating(child), next);
            }
        };
        match (key, &node.object, &node.array) {
            (InsideKey::Member(_), Some(edges), _) if !SurveyState::is_validating(state) => {
                hand_on(edges.unevaluated)
            }
            (InsideKey::Element(_), _, Some(edges)) if !SurveyState::is_validating(state) => {
                hand_on(edges.unevaluated)
            }
            (InsideKey::Member(name), Some(edges), _) => edges.for_member(name, hand_on),
            (InsideKey::Element(index), _, Some(edges)) => edges.for_element(*index, hand_on),
            _ => {}
        }
    }
}

impl ObjectEdges {
    /// What applies to a member. Patterns are not matched here: each of them might apply.
    fn for_member(&self, name: &str, mut hand_on: impl FnMut(Option<usize>)) {
        let property = self.properties.get(name).copied();
        hand_on(property);
        for (_, pattern) in &self.patterns {
            hand_on(Some(*pattern));
        }
        if property.is_none() {
            hand_on(self.additional);
        }
        hand_on(self.unevaluated);
    }
}

impl ArrayEdges {
    fn for_element(&self, index: usize, mut hand_on: impl FnMut(Option<usize>)) {
        match self.prefix.get(index) {
            Some(child) => hand_on(Some(*child)),
            None => hand_on(self.rest),
        }
        hand_on(self.contains);
        hand_on(self.unevaluated);
    }
}

/// Values in a value, long strings counted as several.
fn size_of(value: &Value) -> u64 {
    match value {
        Value::String(text) => 1 + text.len() as u64 / BYTES_PER_NODE,
        Value::Array(_) | Value::Object(_) => {
            let size = Size::of(value);
            size.nodes + size.bytes / BYTES_PER_NODE
        }
        _ => 1,
    }
}

impl Size {
    /// The size of a value.
    pub(super) fn of(value: &Value) -> Self {
        let measured = measure(value, usize::MAX);
        Self { nodes: measured.nodes, bytes: measured.bytes }
    }

    /// The most that the value of a JSON text can be: before every value and key but the outermost stands one of
    /// four marks, which may also stand in strings.
    pub(super) fn at_most(text: &str) -> Self {
        let marks = text.bytes().filter(|byte| matches!(byte, b'[' | b'{' | b',' | b':')).count();
        Self { nodes: 1 + marks as u64, bytes: text.len() as u64 }
    }

    /// Both together.
    pub(super) fn and(self, other: Self) -> Self {
        Self { nodes: self.nodes + other.nodes, bytes: self.bytes + other.bytes }
    }
}
