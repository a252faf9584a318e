//! A quick yes for results that clearly conform, read off their text.
//!
//! Most schemas of tools use few keywords, and most results conform. A walk over schema and text together then makes
//! parsing the value unnecessary, which costs several times as much as the walk. The walk says yes only when it is
//! sure. Otherwise the value is parsed, and the full validator decides: it alone finds violations.

mod read;
mod walk;

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::keyword::Bound;
use super::pattern::MatchCost;

/// Steps after which the walk gives up: about ten milliseconds.
pub(super) const STEPS: u64 = 2_000_000;

/// Members that the walk can mark as seen.
const MARKS: usize = 128;

/// Bytes that a compiled pattern may take; larger ones are left to the full validator.
const PATTERN_BYTES: usize = 8 << 10;
/// Bytes of the cache with which a pattern is matched.
const PATTERN_CACHE: usize = 128 << 10;

/// A schema as far as the walk understands it.
#[derive(Debug)]
pub(super) struct Shortcut {
    nodes: Vec<QuickNode>,
    root: QuickId,
}

/// The place of a node in [`Shortcut::nodes`].
type QuickId = usize;

/// The node that accepts everything.
const ANY: QuickId = 0;
/// The node for which the walk never says yes.
const UNSURE: QuickId = 1;

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
const ALL: Kinds = NULL | BOOLEAN | NUMBER | STRING | ARRAY | OBJECT;

/// One subschema.
#[derive(Debug, Default)]
struct QuickNode {
    /// The kinds that `type` admits.
    types: Kinds,
    /// Those of them whose keywords the walk understands.
    sure: Kinds,
    /// Kinds without values inside that are accepted whatever they are.
    free: Kinds,
    choices: Option<Choices>,
    number: Option<NumberRules>,
    text: Option<TextRules>,
    array: Option<ArrayRules>,
    object: Option<ObjectRules>,
    /// Subschemas that must all accept the value.
    all: Vec<QuickId>,
    /// Groups of subschemas of which one must accept the value.
    any: Vec<Vec<QuickId>>,
    /// The branches of `oneOf`, until it is known whether they exclude each other.
    one: Vec<QuickId>,
}

/// The values of `enum` or `const`. The walk compares only values that hold no others.
#[derive(Debug, Default)]
struct Choices {
    texts: HashSet<String>,
    integers: HashSet<i64>,
    words: Vec<Value>,
    has_only_texts: bool,
}

/// Bounds of a number.
#[derive(Debug)]
struct NumberRules {
    bounds: Vec<(Bound, f64)>,
    multiple_of: Option<i64>,
}

/// Length and pattern of a string.
#[derive(Debug)]
struct TextRules {
    least: usize,
    most: usize,
    pattern: Option<QuickPattern>,
}

/// Length and elements of an array.
#[derive(Debug)]
struct ArrayRules {
    least: usize,
    most: usize,
    prefix: Vec<QuickId>,
    rest: QuickId,
}

/// Size and members of an object.
#[derive(Debug)]
struct ObjectRules {
    least: usize,
    most: usize,
    /// In the order of the schema, which results mostly have too.
    members: Vec<QuickMember>,
    places: HashMap<String, usize>,
    additional: QuickId,
}

/// A member that the schema names.
#[derive(Debug)]
struct QuickMember {
    name: String,
    node: QuickId,
    is_required: bool,
}

/// A regular expression, compiled when a string first meets it.
#[derive(Debug)]
struct QuickPattern {
    source: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Choices {
    fn read<'a>(values: impl Iterator<Item = &'a Value>) -> Self {
        let mut choices = Self { has_only_texts: true, ..Self::default() };
        for value in values {
            choices.has_only_texts &= value.is_string();
            match value {
                Value::String(text) => drop(choices.texts.insert(text.clone())),
                Value::Number(number) => choices.integers.extend(number.as_i64()),
                Value::Null | Value::Bool(_) => choices.words.push(value.clone()),
                Value::Array(_) | Value::Object(_) => {}
            }
        }
        choices
    }
}

impl ObjectRules {
    /// The texts that a required member can have, if it can have nothing else.
    fn tags<'a>(&self, name: &str, nodes: &'a [QuickNode]) -> Option<&'a HashSet<String>> {
        let member = self.members.get(*self.places.get(name)?).filter(|member| member.is_required)?;
        let choices = nodes.get(member.node)?.choices.as_ref();
        choices.filter(|choices| choices.has_only_texts).map(|choices| &choices.texts)
    }
}

impl QuickNode {
    fn of(kinds: Kinds) -> Self {
        Self { types: kinds, sure: kinds, ..Self::default() }
    }

    /// Whether no value conforms to both: their types differ, or a member that both require has different values.
    fn excludes(&self, other: &Self, nodes: &[Self]) -> bool {
        if self.types & other.types == 0 {
            return true;
        }
        let (Some(own), Some(theirs)) = (&self.object, &other.object) else { return false };
        self.types & other.types == OBJECT
            && own.members.iter().any(|member| {
                let tags = own.tags(&member.name, nodes).zip(theirs.tags(&member.name, nodes));
                tags.is_some_and(|(own, theirs)| own.is_disjoint(theirs))
            })
    }
}

impl QuickPattern {
    fn new(source: &str) -> Self {
        Self { source: source.to_owned(), compiled: OnceLock::new() }
    }

    /// Whether a string surely matches.
    fn matches(&self, text: &str) -> bool {
        let compile = || {
            let translated = jsonschema_regex::to_rust_regex(&self.source).ok()?;
            let mut builder = RegexBuilder::new(&translated);
            builder.size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_CACHE).build().ok()
        };
        self.compiled.get_or_init(compile).as_ref().is_some_and(|regex| regex.is_match(text))
    }

    /// What matching a string costs.
    fn steps(text: &str) -> u64 {
        MatchCost::of_size(PATTERN_BYTES).units(text.len() as u64)
    }
}

#[cfg(test)]
mod tests;
