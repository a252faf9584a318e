//! A quick yes for values that clearly conform.
//!
//! Most schemas of tools use few keywords, and most results conform. For those a walk of our own over schema
//! and value together answers several times faster than the full validator: it takes one pass, allocates
//! nothing, and counts its steps as it goes, so that no work has to be counted before. It answers yes only when
//! it is sure. Any other answer leaves the value to the full validator, which alone finds violations.

mod assemble;
mod pattern;
mod read;
mod rules;
mod tagged;
mod text;

use serde_json::{Map, Value};

use rules::{ArrayRules, Choices, NumberRules, ObjectRules, TextRules, Texts};
use tagged::Tagged;

/// Steps after which the walk gives up: about ten milliseconds.
pub(super) const STEPS: u64 = 2_000_000;

/// Subschemas within each other at which the walk gives up.
const DEPTH: u32 = 512;

/// Steps that finding the alternative of an object takes.
const TAG_STEPS: u64 = 4;

/// A schema as far as the walk understands it.
#[derive(Debug)]
pub(super) struct Shortcut {
    nodes: Vec<Node>,
    root: Target,
    /// Whether texts can be walked over: nowhere does a "no" of a part make a "yes" of the whole.
    reads_text: bool,
}

/// The place of a node in [`Shortcut::nodes`].
type NodeId = usize;

/// Where everything is accepted.
const ANY: Target = Target { node: 0, free: SCALARS, kinds: ALL };
/// Where nothing is accepted.
const NEVER: NodeId = 1;
/// Where nothing is understood.
const UNKNOWN: NodeId = 2;

/// A set of kinds of values, one bit each. A whole number is its own kind.
type Kinds = u8;

const NULL: Kinds = 1;
const BOOLEAN: Kinds = 2;
const WHOLE: Kinds = 4;
const FRACTION: Kinds = 8;
const NUMBER: Kinds = WHOLE | FRACTION;
const STRING: Kinds = 16;
const ARRAY: Kinds = 32;
const OBJECT: Kinds = 64;
const SCALARS: Kinds = NULL | BOOLEAN | NUMBER | STRING;
const ALL: Kinds = SCALARS | ARRAY | OBJECT;

/// One subschema.
#[derive(Debug)]
enum Node {
    /// Objects only, and nothing but the rules for their members: the commonest.
    Object(ObjectRules),
    /// Arrays only, and nothing but the rules for their elements.
    Array(ArrayRules),
    /// Strings only, and nothing but the rules for them.
    Text(TextRules),
    /// Nothing but these strings.
    Texts(Texts),
    /// Numbers only, and nothing but the rules for them.
    Number(NumberRules),
    /// Objects that one member tells apart.
    Tagged(Tagged),
    /// Anything else.
    Mixed(Box<Mixed>),
}

/// A subschema with rules for several kinds.
#[derive(Debug)]
struct Mixed {
    /// The kinds that `type` admits.
    kinds: Kinds,
    /// The kinds for which it has keywords that the walk does not understand.
    unknown: Kinds,
    number: Option<NumberRules>,
    text: Option<TextRules>,
    array: Option<ArrayRules>,
    object: Option<ObjectRules>,
    choices: Option<Choices>,
    combined: Option<Combined>,
}

/// Where a value is checked next.
#[derive(Clone, Copy, Debug)]
struct Target {
    node: NodeId,
    /// Kinds of values without values inside that the node accepts whatever they are.
    free: Kinds,
    /// Kinds of values that the node may accept at all.
    kinds: Kinds,
}

/// Subschemas for the same value.
#[derive(Debug, Default)]
struct Combined {
    all: Vec<Target>,
    any: Vec<Target>,
    one: Vec<Target>,
    not: Option<Target>,
    condition: Option<Condition>,
}

/// `if`, `then` and `else`.
#[derive(Debug)]
struct Condition {
    test: Target,
    then: Target,
    otherwise: Target,
}

/// Why a value is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doubt {
    /// It does not conform.
    No,
    /// The walk can't tell.
    Unsure,
}

/// Whether a value conforms.
type Answer = Result<(), Doubt>;

fn holds(condition: bool) -> Answer {
    if condition { Ok(()) } else { Err(Doubt::No) }
}

/// How deep the walk is.
#[derive(Clone, Copy)]
struct Place {
    /// Levels of the value, this one included.
    level: u32,
    /// Subschemas within each other.
    depth: u32,
}

impl Shortcut {
    /// Whether a value surely conforms, and nests no deeper than `levels`.
    pub(super) fn accepts(&self, value: &Value, levels: usize) -> bool {
        self.answer(value, levels).is_ok()
    }

    fn answer(&self, value: &Value, levels: usize) -> Answer {
        let levels = u32::try_from(levels).unwrap_or(u32::MAX);
        let mut walk = Walk { nodes: &self.nodes, levels, left: STEPS };
        walk.check(self.root, value, Place { level: 1, depth: 0 })
    }
}

struct Walk<'a> {
    nodes: &'a [Node],
    levels: u32,
    left: u64,
}

impl<'a> Walk<'a> {
    /// Yes means that the value conforms, and that everything inside it was visited and is not too deep.
    #[inline(always)]
    fn check(&mut self, target: Target, value: &Value, place: Place) -> Answer {
        // Strings first: most values are.
        if target.free & STRING != 0 && value.is_string() {
            return Ok(());
        }
        match value {
            Value::Object(members) => match &self.nodes[target.node] {
                Node::Object(rules) => self.check_object(rules, members, place),
                node => self.check_node(node, value, place),
            },
            Value::Array(elements) => match &self.nodes[target.node] {
                Node::Array(rules) => self.check_array(rules, elements, place),
                node => self.check_node(node, value, place),
            },
            scalar if target.free & rules::scalar_kind(scalar) != 0 => Ok(()),
            scalar => self.check_node(&self.nodes[target.node], scalar, place),
        }
    }

    fn check_node(&mut self, node: &'a Node, value: &Value, place: Place) -> Answer {
        match (node, value) {
            (Node::Texts(texts), Value::String(text)) => holds(texts.contain(text)),
            (Node::Text(rules), Value::String(text)) => self.check_text(rules, text),
            (Node::Number(rules), Value::Number(number)) => rules.check(number),
            (Node::Tagged(tagged), Value::Object(members)) => {
                let place = self.deeper(place)?;
                self.spend(TAG_STEPS)?;
                let target = tagged.branch(members).ok_or(Doubt::No)?;
                self.check(target, value, place)
            }
            (Node::Mixed(node), _) => self.check_mixed(node, value, place),
            _ => Err(Doubt::No),
        }
    }

    fn check_text(&mut self, rules: &TextRules, text: &str) -> Answer {
        self.spend(rules.steps(text))?;
        rules.check(text)
    }

    #[inline(never)]
    fn check_object(&mut self, rules: &ObjectRules, members: &Map<String, Value>, place: Place) -> Answer {
        let inside = self.enter(members.len(), place)?;
        holds(members.len() >= rules.least && members.len() <= rules.most)?;
        let mut missing = rules.required;
        let mut next = rules.members.iter();
        for (key, member) in members {
            let known = match next.as_slice().first() {
                Some(known) if known.name.is(key) => {
                    next.next();
                    Some(known)
                }
                _ => rules.search(key).map(|at| {
                    let (known, behind) = (&rules.members[at], &rules.members[at + 1..]);
                    next = behind.iter();
                    known
                }),
            };
            let target = match known {
                Some(known) => {
                    missing -= usize::from(known.is_required);
                    known.target
                }
                None => rules.additional,
            };
            self.check(target, member, inside)?;
        }
        holds(missing == 0)
    }

    #[inline(never)]
    fn check_array(&mut self, rules: &ArrayRules, elements: &[Value], place: Place) -> Answer {
        let inside = self.enter(elements.len(), place)?;
        holds(elements.len() >= rules.least && elements.len() <= rules.most)?;
        let (first, rest) = elements.split_at(rules.prefix.len().min(elements.len()));
        for (element, target) in first.iter().zip(&rules.prefix) {
            self.check(*target, element, inside)?;
        }
        for element in rest {
            self.check(rules.rest, element, inside)?;
        }
        Ok(())
    }

    fn check_mixed(&mut self, node: &'a Mixed, value: &Value, place: Place) -> Answer {
        let kind = rules::kind_of(value);
        holds(node.kinds & kind != 0)?;
        let place = self.deeper(place)?;
        if let Some(choices) = &node.choices {
            choices.check(kind, value)?;
        }
        match value {
            Value::Number(number) => node.number.as_ref().map_or(Ok(()), |rules| rules.check(number))?,
            Value::String(text) => node.text.as_ref().map_or(Ok(()), |rules| self.check_text(rules, text))?,
            Value::Array(elements) => match &node.array {
                Some(rules) => self.check_array(rules, elements, place)?,
                None if node.visits_all() => {}
                None => self.visit(elements.iter(), place)?,
            },
            Value::Object(members) => match &node.object {
                Some(rules) => self.check_object(rules, members, place)?,
                None if node.visits_all() => {}
                None => self.visit(members.values(), place)?,
            },
            Value::Null | Value::Bool(_) => {}
        }
        if let Some(combined) = &node.combined {
            self.check_combined(combined, value, place)?;
        }
        if node.unknown & kind == 0 { Ok(()) } else { Err(Doubt::Unsure) }
    }

    /// Values that the schema says nothing about must still not be too deep.
    fn visit<'v>(&mut self, values: impl ExactSizeIterator<Item = &'v Value>, place: Place) -> Answer {
        let inside = self.enter(values.len(), place)?;
        for value in values {
            self.check(ANY, value, inside)?;
        }
        Ok(())
    }

    fn check_combined(&mut self, combined: &Combined, value: &Value, place: Place) -> Answer {
        for target in &combined.all {
            self.check(*target, value, place)?;
        }
        if !combined.any.is_empty() {
            self.check_any(&combined.any, value, place)?;
        }
        if !combined.one.is_empty() {
            self.check_one(&combined.one, value, place)?;
        }
        if let Some(target) = combined.not {
            match self.check(target, value, place) {
                Ok(()) => return Err(Doubt::No),
                Err(Doubt::Unsure) => return Err(Doubt::Unsure),
                Err(Doubt::No) => {}
            }
        }
        if let Some(condition) = &combined.condition {
            let branch = match self.check(condition.test, value, place) {
                Ok(()) => condition.then,
                Err(Doubt::No) => condition.otherwise,
                Err(Doubt::Unsure) => return Err(Doubt::Unsure),
            };
            self.check(branch, value, place)?;
        }
        Ok(())
    }

    fn check_any(&mut self, branches: &[Target], value: &Value, place: Place) -> Answer {
        let kind = rules::kind_of(value);
        let mut doubt = Doubt::No;
        for branch in branches.iter().filter(|branch| branch.kinds & kind != 0) {
            match self.check(*branch, value, place) {
                Ok(()) => return Ok(()),
                Err(Doubt::Unsure) => doubt = Doubt::Unsure,
                Err(Doubt::No) => {}
            }
        }
        Err(doubt)
    }

    fn check_one(&mut self, branches: &[Target], value: &Value, place: Place) -> Answer {
        let kind = rules::kind_of(value);
        let mut found = false;
        for branch in branches.iter().filter(|branch| branch.kinds & kind != 0) {
            match self.check(*branch, value, place) {
                Ok(()) if found => return Err(Doubt::No),
                Ok(()) => found = true,
                Err(Doubt::Unsure) => return Err(Doubt::Unsure),
                Err(Doubt::No) => {}
            }
        }
        holds(found)
    }

    /// Goes into a container with so many values.
    fn enter(&mut self, values: usize, place: Place) -> Result<Place, Doubt> {
        self.spend(values as u64 + 1)?;
        let inside = Place { level: place.level + 1, depth: place.depth + 1 };
        if inside.level > self.levels || inside.depth > DEPTH { Err(Doubt::Unsure) } else { Ok(inside) }
    }

    /// Goes into a subschema.
    fn deeper(&mut self, place: Place) -> Result<Place, Doubt> {
        self.spend(1)?;
        let depth = place.depth + 1;
        if depth > DEPTH { Err(Doubt::Unsure) } else { Ok(Place { depth, ..place }) }
    }

    fn spend(&mut self, steps: u64) -> Answer {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(Doubt::Unsure)
            }
        }
    }
}

impl Mixed {
    /// Whether a yes of the subschemas for the same value means that one of them visited what is inside.
    fn visits_all(&self) -> bool {
        let combined = self.combined.as_ref();
        combined.is_some_and(|it| !it.all.is_empty() || !it.any.is_empty() || !it.one.is_empty())
    }
}

#[cfg(test)]
mod tests;
