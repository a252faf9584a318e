//! Every keyword of JSON Schema: what it holds, what it is for, and what the rest of the code does with it.
//!
//! [`KEYWORDS`] is the only list of keywords. Code that treats one keyword in its own way names it; code that treats
//! a group of them asks the table.

mod table;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::Dialect;
use crate::json::JsonKind;

pub use table::KEYWORDS;

/// One row of [`KEYWORDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keyword {
    /// As a schema spells it.
    pub name: &'static str,
    /// What stands under it.
    pub holds: Holds,
    /// What it is for.
    pub purpose: Purpose,
    /// To which values the schemas in it apply.
    pub applies: Applies,
    /// The only kind of values that it says something about; `None` for all.
    pub concerns: Option<JsonKind>,
    /// Whether a schema without `type` that has it means values of the kind that it concerns.
    pub implies_kind: bool,
    /// The number that it compares a value with.
    pub bound: Option<Bound>,
    /// The first dialect that knows it.
    pub since: Dialect,
    /// The last dialect that knows it.
    pub until: Dialect,
    /// How a change of it is reported.
    pub comparison: Comparison,
    /// What it is called in the comment of a declared type, which can't express it.
    pub tag: Option<&'static str>,
}

/// What stands under a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// One schema; `items` also a list of them, up to 2019-09.
    Schema,
    /// A list of schemas.
    List,
    /// Schemas by name. In `dependencies` also lists of names.
    Map,
    /// Any value.
    Value,
    /// A list of values.
    Values,
    /// A type or a list of types.
    Types,
    /// A list of names.
    Names,
    /// Lists of names, by name.
    NamesByName,
    /// A number.
    Number,
    /// A number above zero.
    Divisor,
    /// A whole number, not negative.
    Count,
    /// `true` or `false`.
    Boolean,
    /// A string.
    Text,
    /// A URI, which may have an anchor as its fragment.
    Address,
    /// The name of a place.
    Anchor,
    /// A URI that leads to a schema.
    Reference,
    /// An object that holds no schema.
    Object,
}

/// What a keyword is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Says which schema this is, and in which dialect.
    Identity,
    /// Keeps schemas that apply only where they are referred to.
    Definitions,
    /// Applies a schema that stands elsewhere.
    Reference,
    /// Refuses values.
    Assertion,
    /// Refuses values only where the dialect or the caller asks for it.
    Format,
    /// Informs readers.
    Annotation,
}

/// To which values the schemas in a keyword apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applies {
    /// It holds no schemas, or only schemas that apply where they are referred to.
    Nowhere,
    /// To the same value.
    InPlace,
    /// To the same value, as alternatives.
    Alternatives,
    /// To members of an object.
    Members(MemberPart),
    /// To elements of an array.
    Elements(ElementPart),
}

/// Which members of an object a keyword is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberPart {
    /// Those with the listed names.
    Named,
    /// Those whose names match a pattern.
    Patterned,
    /// Those that neither of the former is about.
    Other,
    /// Those that no other keyword evaluated.
    Unevaluated,
    /// Their names instead of their values.
    Keys,
}

/// Which elements of an array a keyword is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementPart {
    /// The first ones, each with its own schema.
    Prefix,
    /// All, or those behind the prefix.
    Items,
    /// Those behind a list in `items`.
    Additional,
    /// Some items of an array.
    Contained,
    /// Those that no other keyword evaluated.
    Unevaluated,
}

/// How a number, a length or a count is compared with the number under a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It must not be less.
    Least,
    /// It must not be more.
    Most,
    /// It must be more.
    Above,
    /// It must be less.
    Below,
}

/// How `crate::diff()` reports a change of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// By a rule of its own, or not at all where it only names or stores schemas.
    Rule,
    /// Only set algebra can decide its effect. Keywords with the same leader work together and are reported as one.
    Algebra {
        /// The first keyword of the group.
        leader: &'static str,
    },
    /// As a change of words, like a keyword that the table does not have.
    Words,
}

impl Keyword {
    /// The row of a keyword; `None` for one that JSON Schema does not have.
    pub fn find(name: &str) -> Option<&'static Self> {
        static BY_NAME: LazyLock<HashMap<&'static str, &'static Keyword>> =
            LazyLock::new(|| KEYWORDS.iter().map(|keyword| (keyword.name, keyword)).collect());
        BY_NAME.get(name).copied()
    }

    /// Whether a value can break it. A format counts.
    pub fn can_refuse(&self) -> bool {
        matches!(self.purpose, Purpose::Assertion | Purpose::Reference | Purpose::Format)
    }

    /// Whether a dialect knows it.
    pub fn is_in(&self, dialect: Dialect) -> bool {
        (self.since..=self.until).contains(&dialect)
    }
}

impl Holds {
    /// Whether schemas stand in it.
    pub fn has_schemas(self) -> bool {
        matches!(self, Self::Schema | Self::List | Self::Map)
    }

    /// Whether it holds values that may look like schemas and are none.
    pub fn has_values(self) -> bool {
        matches!(self, Self::Value | Self::Values)
    }

    /// The schemas under a keyword, each with its key or index below the keyword. A list under a keyword that holds
    /// one schema counts as several, as `items` has it in older dialects.
    pub fn schemas(self, member: &Value) -> Vec<(Option<Cow<'_, str>>, &Value)> {
        match (self, member) {
            (Self::Map, Value::Object(named)) => {
                let schemas = named.iter().filter(|(_, schema)| !schema.is_array());
                schemas.map(|(name, schema)| (Some(Cow::Borrowed(name.as_str())), schema)).collect()
            }
            (Self::List | Self::Schema, Value::Array(list)) => {
                list.iter().enumerate().map(|(at, schema)| (Some(at.to_string().into()), schema)).collect()
            }
            (Self::Schema, schema) => vec![(None, schema)],
            _ => Vec::new(),
        }
    }
}

impl Bound {
    /// The words before the number: `at least`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Least => "at least",
            Self::Most => "at most",
            Self::Above => "more than",
            Self::Below => "less than",
        }
    }

    /// Whether an amount keeps the bound.
    pub fn admits(self, amount: f64, bound: f64) -> bool {
        match self {
            Self::Least => amount >= bound,
            Self::Most => amount <= bound,
            Self::Above => amount > bound,
            Self::Below => amount < bound,
        }
    }
}

/// What a keyword of any name holds; `None` for one that JSON Schema does not have.
pub fn holds(keyword: &str) -> Option<Holds> {
    Keyword::find(keyword).map(|keyword| keyword.holds)
}

/// The kind of values that a schema without `type` is about, and the keyword that says so.
pub fn implied_kind(keywords: &Map<String, Value>) -> Option<(JsonKind, &'static str)> {
    let implying = |kind: JsonKind| {
        let row = KEYWORDS
            .iter()
            .find(|row| row.implies_kind && row.concerns == Some(kind) && keywords.contains_key(row.name));
        row.map(|row| (kind, row.name))
    };
    implying(JsonKind::Object).or_else(|| implying(JsonKind::Array))
}

/// The first bound on values of one kind that an amount breaks: the number itself, the length of a string, the
/// elements of an array or the members of an object.
pub fn broken_bound(
    keywords: &Value,
    kind: JsonKind,
    amount: f64,
) -> Option<(&'static Keyword, &serde_json::Number)> {
    KEYWORDS.iter().filter(|row| row.concerns == Some(kind)).find_map(|row| {
        let number = keywords.get(row.name)?.as_number()?;
        (!row.bound?.admits(amount, number.as_f64()?)).then_some((row, number))
    })
}

#[cfg(test)]
mod tests;
