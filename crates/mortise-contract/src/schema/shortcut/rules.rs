//! What single keywords ask of one value.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::{Number, Value};

use super::pattern::Pattern;
use super::{ARRAY, Answer, BOOLEAN, Doubt, FRACTION, Kinds, NULL, OBJECT, STRING, Target, WHOLE, holds};

/// The kind of a value.
#[inline]
pub(super) fn kind_of(value: &Value) -> Kinds {
    match value {
        Value::Null => NULL,
        Value::Bool(_) => BOOLEAN,
        Value::Number(number) => {
            match number.is_f64() && number.as_f64().is_none_or(|it| it.fract() != 0.0) {
                true => FRACTION,
                false => WHOLE,
            }
        }
        Value::String(_) => STRING,
        Value::Array(_) => ARRAY,
        Value::Object(_) => OBJECT,
    }
}

/// Whether a number has no fraction, however it is written.
fn is_whole(number: &Number) -> bool {
    !number.is_f64() || number.as_f64().is_some_and(|double| double.fract() == 0.0)
}

/// The kind of a value that holds no others, told quickly: a number with a decimal point may still be whole.
#[inline(always)]
pub(super) fn scalar_kind(value: &Value) -> Kinds {
    match value {
        Value::Null => NULL,
        Value::Bool(_) => BOOLEAN,
        Value::Number(number) => {
            if number.is_f64() {
                FRACTION
            } else {
                WHOLE
            }
        }
        Value::String(_) => STRING,
        Value::Array(_) | Value::Object(_) => 0,
    }
}

/// The largest integer up to which a double holds all.
const EXACT: u64 = 1 << 53;

/// Bounds of a number.
#[derive(Debug)]
pub(super) struct NumberRules {
    /// Whether it must be whole.
    pub(super) is_whole: bool,
    /// What the number must be in relation to a limit.
    pub(super) limits: Vec<(Relation, Limit)>,
    pub(super) multiple_of: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Relation {
    AtLeast,
    AtMost,
    Above,
    Below,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    Integer(i64),
    Double(f64),
}

impl Limit {
    pub(super) fn read(value: &Value) -> Option<Self> {
        let number = value.as_number()?;
        number.as_i64().map(Self::Integer).or_else(|| {
            let double = number.is_f64().then(|| number.as_f64()).flatten();
            double.map(Self::Double)
        })
    }

    /// How a number compares with it; none where a double would have to stand for a larger integer.
    fn compare(self, number: &Number) -> Option<Ordering> {
        let as_double = |integer: i64| {
            #[expect(
                clippy::cast_precision_loss,
                reason = "integers that would lose digits are not converted"
            )]
            (integer.unsigned_abs() <= EXACT).then_some(integer as f64)
        };
        match (number.as_i64(), self) {
            (Some(number), Self::Integer(limit)) => Some(number.cmp(&limit)),
            (Some(number), Self::Double(limit)) => as_double(number)?.partial_cmp(&limit),
            (None, _) if !number.is_f64() => None,
            (None, Self::Integer(limit)) => number.as_f64()?.partial_cmp(&as_double(limit)?),
            (None, Self::Double(limit)) => number.as_f64()?.partial_cmp(&limit),
        }
    }
}

impl NumberRules {
    pub(super) fn check(&self, number: &Number) -> Answer {
        holds(!self.is_whole || is_whole(number))?;
        for (relation, limit) in &self.limits {
            let order = limit.compare(number).ok_or(Doubt::Unsure)?;
            holds(match relation {
                Relation::AtLeast => order != Ordering::Less,
                Relation::AtMost => order != Ordering::Greater,
                Relation::Above => order == Ordering::Greater,
                Relation::Below => order == Ordering::Less,
            })?;
        }
        let Some(multiple) = self.multiple_of else { return Ok(()) };
        let magnitude = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
        holds(magnitude.ok_or(Doubt::Unsure)? % multiple == 0)
    }
}

/// Bytes of a string that count like one step.
const BYTES_PER_STEP: u64 = 64;

/// Length and pattern of a string.
#[derive(Debug)]
pub(super) struct TextRules {
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) pattern: Option<Pattern>,
}

impl TextRules {
    /// What checking a string costs.
    pub(super) fn steps(&self, text: &str) -> u64 {
        let length = text.len() as u64 / BYTES_PER_STEP;
        length + self.pattern.as_ref().map_or(0, |pattern| pattern.steps(text))
    }

    pub(super) fn check(&self, text: &str) -> Answer {
        // A character takes one to four bytes; most lengths are decided by that.
        let bytes = text.len();
        if bytes.div_ceil(4) < self.least || bytes > self.most {
            let characters = text.chars().count();
            holds((self.least..=self.most).contains(&characters))?;
        }
        match &self.pattern {
            Some(pattern) => holds(pattern.matches(text).ok_or(Doubt::Unsure)?),
            None => Ok(()),
        }
    }
}

/// Length and elements of an array.
#[derive(Debug)]
pub(super) struct ArrayRules {
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) prefix: Vec<Target>,
    pub(super) rest: Target,
}

/// Size and members of an object.
#[derive(Debug)]
pub(super) struct ObjectRules {
    pub(super) least: usize,
    pub(super) most: usize,
    /// How many of `members` are required.
    pub(super) required: usize,
    pub(super) members: Vec<Member>,
    /// The places of many members by name.
    index: HashMap<Box<str>, usize>,
    pub(super) additional: Target,
}

/// A member that the schema names.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: Name,
    pub(super) target: Target,
    pub(super) is_required: bool,
}

/// So many names are found by looking at each.
const FEW: usize = 12;

impl ObjectRules {
    pub(super) fn new(members: Vec<Member>, sizes: (usize, usize), additional: Target) -> Self {
        let required = members.iter().filter(|member| member.is_required).count();
        let index = match members.len() > FEW {
            true => {
                members.iter().enumerate().map(|(at, member)| (member.name.as_str().into(), at)).collect()
            }
            false => HashMap::new(),
        };
        let (least, most) = (sizes.0.max(required), sizes.1);
        Self { least, most, required, members, index, additional }
    }

    pub(super) fn targets(&mut self) -> impl Iterator<Item = &mut Target> {
        self.members.iter_mut().map(|member| &mut member.target).chain([&mut self.additional])
    }

    /// The place of the member with this name.
    pub(super) fn search(&self, name: &str) -> Option<usize> {
        match self.index.is_empty() {
            true => self.members.iter().position(|member| member.name.is(name)),
            false => self.index.get(name).copied(),
        }
    }
}

/// A text to compare others with: its first and last bytes are at hand, so that short ones need no look at it.
#[derive(Clone, Debug)]
pub(super) struct Name {
    text: Box<str>,
    words: (u64, u64),
}

/// Bytes of a text that its words hold whole.
const WORDS: usize = 16;

impl Name {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.into(), words: words(text.as_bytes()) }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    #[inline(always)]
    pub(super) fn is(&self, other: &str) -> bool {
        other.len() == self.text.len()
            && words(other.as_bytes()) == self.words
            && (other.len() <= WORDS || *self.text == *other)
    }
}

/// The beginning and the end of a text; they overlap in a short one.
#[inline(always)]
fn words(bytes: &[u8]) -> (u64, u64) {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        return (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return (u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into());
    }
    match bytes {
        [] => (0, 0),
        [only] => (u64::from(*only), 0),
        [first, .., last] => (u64::from(*first) | u64::from(bytes[1]) << 8, u64::from(*last)),
    }
}

/// A sorted list of strings.
#[derive(Debug, Default)]
pub(super) struct Texts(Vec<Name>);

impl Texts {
    pub(super) fn contain(&self, text: &str) -> bool {
        match self.0.len() > FEW {
            true => self.0.binary_search_by(|known| known.as_str().cmp(text)).is_ok(),
            false => self.0.iter().any(|known| known.is(text)),
        }
    }

    pub(super) fn names(&self) -> &[Name] {
        &self.0
    }
}

/// The values of `enum` or `const`.
#[derive(Debug, Default)]
pub(super) struct Choices {
    /// The kinds of all of them.
    pub(super) kinds: Kinds,
    /// The kinds that hold values which the walk does not compare.
    pub(super) unknown: Kinds,
    pub(super) texts: Texts,
    /// Sorted.
    pub(super) integers: Vec<i64>,
    pub(super) booleans: [bool; 2],
}

impl Choices {
    pub(super) fn read<'a>(values: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut choices = Self::default();
        for value in values {
            let kind = kind_of(value);
            choices.kinds |= kind;
            match value {
                Value::Null => {}
                Value::Bool(value) => choices.booleans[usize::from(*value)] = true,
                Value::String(text) => choices.texts.0.push(Name::new(text)),
                Value::Number(number) if number.is_i64() => choices.integers.extend(number.as_i64()),
                _ => choices.unknown |= kind,
            }
        }
        choices.texts.0.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
        choices.integers.sort_unstable();
        choices
    }

    /// The same for a string that is not a value.
    pub(super) fn check_text(&self, text: &str) -> Answer {
        holds(self.texts.contain(text))
    }

    pub(super) fn check(&self, kind: Kinds, value: &Value) -> Answer {
        holds(self.kinds & kind != 0)?;
        let is_there = match value {
            Value::Null => true,
            Value::Bool(value) => self.booleans[usize::from(*value)],
            Value::String(text) => self.texts.contain(text),
            Value::Number(number) => match number.as_i64() {
                Some(integer) => self.integers.binary_search(&integer).is_ok(),
                None => return Err(Doubt::Unsure),
            },
            Value::Array(_) | Value::Object(_) => return Err(Doubt::Unsure),
        };
        match is_there {
            true => Ok(()),
            false if self.unknown & kind == 0 => Err(Doubt::No),
            false => Err(Doubt::Unsure),
        }
    }
}
