//! The same walk over the text of a value, which then need not be parsed at all.
//!
//! The text is known to be JSON. Whatever would need more than a look at it (escapes in a text that has rules, long
//! numbers, keys that come twice) makes the walk unsure, and so do schemas in which a "no" can lead to a "yes":
//! with keys that come twice, only a "yes" is certain.

use serde_json::{Number, Value};

use super::rules::{ArrayRules, Choices, ObjectRules};
use super::tagged::Tagged;
use super::{
    ARRAY, Answer, BOOLEAN, Combined, DEPTH, Doubt, FRACTION, Kinds, Mixed, NULL, Node, OBJECT, Place,
    STRING, Shortcut, TAG_STEPS, Target, WHOLE, holds,
};

/// Characters of a number that every double holds, whatever they are.
const SAFE_DIGITS: usize = 15;
/// Bytes of a text that count like one step.
const BYTES_PER_STEP: usize = 64;
/// Members that can be marked as seen.
const MARKS: usize = 128;

impl Shortcut {
    /// Whether the value of a well-formed JSON text surely conforms, nests no deeper than `levels`, and holds only
    /// numbers that a double holds too. The walk gives up after `steps`.
    pub(in crate::schema) fn accepts_text(&self, text: &str, levels: usize, steps: u64) -> bool {
        let levels = u32::try_from(levels).unwrap_or(u32::MAX);
        let mut walk =
            TextWalk { nodes: &self.nodes, text, bytes: text.as_bytes(), at: 0, levels, left: steps };
        self.reads_text && walk.check(self.root, Place { level: 1, depth: 0 }).is_ok()
    }
}

/// Whether a "no" of a part can make a node say "yes".
pub(super) fn is_certain(node: &Node) -> bool {
    let Node::Mixed(node) = node else { return true };
    node.combined.as_ref().is_none_or(|combined| {
        combined.one.is_empty() && combined.not.is_none() && combined.condition.is_none()
    })
}

struct TextWalk<'a> {
    nodes: &'a [Node],
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    levels: u32,
    left: u64,
}

impl<'a> TextWalk<'a> {
    /// Yes means that the value conforms and that the walk stands behind it.
    fn check(&mut self, target: Target, place: Place) -> Answer {
        let kind = match self.peek() {
            b'"' if target.free & STRING != 0 => return self.skip_string(),
            b'"' => STRING,
            b'{' => OBJECT,
            b'[' => ARRAY,
            b't' | b'f' => BOOLEAN,
            b'n' => NULL,
            _ => return self.check_number(target, place),
        };
        if target.free & kind != 0 {
            self.skip_word();
            return Ok(());
        }
        match (&self.nodes[target.node], kind) {
            (Node::Object(rules), OBJECT) => self.check_object(rules, place),
            (Node::Array(rules), ARRAY) => self.check_array(rules, place),
            (Node::Tagged(tagged), OBJECT) => self.check_tagged(tagged, place),
            (Node::Text(rules), STRING) => {
                let text = self.plain_string()?;
                self.spend(rules.steps(text))?;
                rules.check(text)
            }
            (Node::Texts(texts), STRING) => {
                let text = self.plain_string()?;
                holds(texts.contain(text))
            }
            (Node::Mixed(node), kind) => self.check_mixed(node, kind, place),
            _ => Err(Doubt::No),
        }
    }

    fn check_number(&mut self, target: Target, place: Place) -> Answer {
        let start = self.at;
        let (token, kind) = self.number()?;
        if target.free & kind != 0 {
            return Ok(());
        }
        match &self.nodes[target.node] {
            Node::Number(rules) => rules.check(&number_of(token)?),
            Node::Mixed(node) => {
                self.at = start;
                self.check_mixed(node, kind, place)
            }
            _ => Err(Doubt::No),
        }
    }

    fn check_object(&mut self, rules: &'a ObjectRules, place: Place) -> Answer {
        let inside = self.enter(place)?;
        if rules.members.len() > MARKS {
            return Err(Doubt::Unsure);
        }
        let mut missing = rules.required;
        let mut seen = 0u128;
        let (mut next, mut others) = (0, 0usize);
        self.at += 1;
        loop {
            match self.peek() {
                b'}' => break,
                b',' => {
                    self.at += 1;
                    self.peek();
                }
                _ => {}
            }
            let key = self.plain_string()?;
            self.peek();
            self.at += 1;
            self.spend(1)?;
            let known = match rules.members.get(next) {
                Some(member) if member.name.is(key) => Some((next, member)),
                _ => rules.search(key).and_then(|at| Some((at, rules.members.get(at)?))),
            };
            let target = match known {
                Some((at, _)) if seen >> at & 1 == 1 => return Err(Doubt::Unsure),
                Some((at, member)) => {
                    seen |= 1 << at;
                    next = at + 1;
                    missing -= usize::from(member.is_required);
                    member.target
                }
                None => {
                    others += 1;
                    rules.additional
                }
            };
            self.check(target, inside)?;
        }
        self.at += 1;
        holds(missing == 0)?;
        // Keys without a name may be the same one several times.
        let named = seen.count_ones() as usize;
        let (least, most) = (named + others.min(1), named + others);
        holds(most >= rules.least && least <= rules.most)?;
        if least >= rules.least && most <= rules.most { Ok(()) } else { Err(Doubt::Unsure) }
    }

    fn check_array(&mut self, rules: &'a ArrayRules, place: Place) -> Answer {
        let inside = self.enter(place)?;
        let mut count = 0;
        self.at += 1;
        loop {
            match self.peek() {
                b']' => break,
                b',' => self.at += 1,
                _ => {}
            }
            self.spend(1)?;
            let target = rules.prefix.get(count).copied().unwrap_or(rules.rest);
            self.check(target, inside)?;
            count += 1;
        }
        self.at += 1;
        holds(count >= rules.least && count <= rules.most)
    }

    /// Finds the member that tells the alternatives apart, then goes through the object as the one that it names.
    fn check_tagged(&mut self, tagged: &'a Tagged, place: Place) -> Answer {
        let place = self.deeper(place)?;
        let start = self.at;
        let tag = self.member(tagged, place)?;
        self.at = start;
        let target = tagged.with_tag(tag).ok_or(Doubt::No)?;
        self.check(target, place)
    }

    /// The text under the name that a tag has.
    fn member(&mut self, tagged: &Tagged, place: Place) -> Result<&'a str, Doubt> {
        self.spend(TAG_STEPS)?;
        self.at += 1;
        loop {
            match self.peek() {
                b'}' => return Err(Doubt::No),
                b',' => {
                    self.at += 1;
                    self.peek();
                }
                _ => {}
            }
            let key = self.plain_string()?;
            self.peek();
            self.at += 1;
            if tagged.is_tag(key) {
                return match self.peek() {
                    b'"' => self.plain_string(),
                    _ => Err(Doubt::No),
                };
            }
            self.skip_value(place)?;
        }
    }

    fn check_mixed(&mut self, node: &'a Mixed, kind: Kinds, place: Place) -> Answer {
        holds(node.kinds & kind != 0)?;
        let place = self.deeper(place)?;
        let start = self.at;
        match kind {
            STRING => self.check_mixed_text(node)?,
            ARRAY => match &node.array {
                Some(rules) => self.check_array(rules, place)?,
                None if node.visits_all() => {}
                None => self.skip_value(place)?,
            },
            OBJECT => match &node.object {
                Some(rules) => self.check_object(rules, place)?,
                None if node.visits_all() => {}
                None => self.skip_value(place)?,
            },
            NULL | BOOLEAN => {
                let value = self.word();
                node.choices.as_ref().map_or(Ok(()), |choices| choices.check(kind, &value))?;
            }
            _ => {
                let (token, _) = self.number()?;
                self.check_mixed_number(node, kind, token)?;
            }
        }
        if matches!(kind, ARRAY | OBJECT)
            && let Some(choices) = &node.choices
        {
            return Err(if choices.kinds & kind == 0 { Doubt::No } else { Doubt::Unsure });
        }
        if let Some(combined) = &node.combined {
            self.check_combined(combined, start, kind, place)?;
        }
        if node.unknown & kind == 0 { Ok(()) } else { Err(Doubt::Unsure) }
    }

    fn check_mixed_text(&mut self, node: &Mixed) -> Answer {
        if node.choices.is_none() && node.text.is_none() {
            return self.skip_string();
        }
        let text = self.plain_string()?;
        node.choices.as_ref().map_or(Ok(()), |choices| choices.check_text(text))?;
        let Some(rules) = &node.text else { return Ok(()) };
        self.spend(rules.steps(text))?;
        rules.check(text)
    }

    fn check_mixed_number(&self, node: &Mixed, kind: Kinds, token: &str) -> Answer {
        if node.choices.is_none() && node.number.is_none() {
            return Ok(());
        }
        let number = number_of(token)?;
        node.number.as_ref().map_or(Ok(()), |rules| rules.check(&number))?;
        let check = |choices: &Choices| choices.check(kind, &Value::Number(number.clone()));
        node.choices.as_ref().map_or(Ok(()), check)
    }

    /// Every subschema goes over the same value, from its start.
    fn check_combined(&mut self, combined: &'a Combined, start: usize, kind: Kinds, place: Place) -> Answer {
        for target in &combined.all {
            self.at = start;
            self.check(*target, place)?;
        }
        if combined.any.is_empty() {
            return Ok(());
        }
        let mut doubt = Doubt::No;
        for branch in combined.any.iter().filter(|branch| branch.kinds & kind != 0) {
            self.at = start;
            match self.check(*branch, place) {
                Ok(()) => return Ok(()),
                Err(Doubt::Unsure) => doubt = Doubt::Unsure,
                Err(Doubt::No) => {}
            }
        }
        Err(doubt)
    }

    /// Goes over a value that nothing is said about: it must still not be too deep, and hold only short numbers.
    fn skip_value(&mut self, place: Place) -> Answer {
        let mut open = 0u32;
        loop {
            match self.peek() {
                b'"' => self.skip_string()?,
                b'{' | b'[' => {
                    open += 1;
                    if place.level + open > self.levels {
                        return Err(Doubt::Unsure);
                    }
                    self.at += 1;
                    self.spend(1)?;
                    continue;
                }
                b'}' | b']' => {
                    open = open.saturating_sub(1);
                    self.at += 1;
                }
                b',' => {
                    self.at += 1;
                    // Every branch of a choice may pass over the same parts again.
                    self.spend(1)?;
                    continue;
                }
                b':' => {
                    self.at += 1;
                    continue;
                }
                b't' | b'f' | b'n' => self.skip_word(),
                _ => drop(self.number()?),
            }
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// The next byte that is no white space; 0 at the end.
    #[inline(always)]
    fn peek(&mut self) -> u8 {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|byte| *byte <= b' ') {
            self.at += 1;
        }
        self.left = self.left.saturating_sub(((self.at - start) / BYTES_PER_STEP) as u64);
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    /// Goes behind a string, which may have escapes as long as they are characters.
    #[inline]
    fn skip_string(&mut self) -> Answer {
        let start = self.at;
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.at += 1;
                    return self.spend(((self.at - start) / BYTES_PER_STEP) as u64);
                }
                b'\\' => {
                    // Half of a pair may stand alone, which is no text.
                    let is_half = self.bytes.get(self.at + 1) == Some(&b'u')
                        && matches!(self.bytes.get(self.at + 2), Some(b'd' | b'D'));
                    if is_half {
                        return Err(Doubt::Unsure);
                    }
                    self.at += 2;
                }
                _ => self.at += 1,
            }
        }
        Err(Doubt::Unsure)
    }

    /// A string without escapes.
    #[inline]
    fn plain_string(&mut self) -> Result<&'a str, Doubt> {
        let start = self.at + 1;
        let rest = self.bytes.get(start..).ok_or(Doubt::Unsure)?;
        let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).ok_or(Doubt::Unsure)?;
        self.at = start + length + 1;
        let is_plain = rest.get(length) == Some(&b'"');
        self.spend((length / BYTES_PER_STEP) as u64)?;
        self.text.get(start..start + length).filter(|_| is_plain).ok_or(Doubt::Unsure)
    }

    /// `true`, `false` or `null`.
    fn skip_word(&mut self) {
        self.at += if self.bytes.get(self.at) == Some(&b'f') { 5 } else { 4 };
    }

    fn word(&mut self) -> Value {
        let value = match self.bytes.get(self.at) {
            Some(b't') => Value::Bool(true),
            Some(b'f') => Value::Bool(false),
            _ => Value::Null,
        };
        self.skip_word();
        value
    }

    /// A number of few characters, and whether it is whole.
    #[inline]
    fn number(&mut self) -> Result<(&'a str, Kinds), Doubt> {
        let start = self.at;
        let mut point = None;
        let mut kind = WHOLE;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'0' | b'-' => {}
                b'1'..=b'9' if point.is_some() => kind = FRACTION,
                b'1'..=b'9' => {}
                b'.' => point = Some(self.at),
                b'e' | b'E' | b'+' => return Err(Doubt::Unsure),
                _ => break,
            }
            self.at += 1;
        }
        let token =
            self.text.get(start..self.at).filter(|token| !token.is_empty() && token.len() <= SAFE_DIGITS);
        token.map(|token| (token, kind)).ok_or(Doubt::Unsure)
    }

    /// Goes into a container.
    fn enter(&mut self, place: Place) -> Result<Place, Doubt> {
        self.spend(1)?;
        let inside = Place { level: place.level + 1, depth: place.depth + 1 };
        if inside.level > self.levels || inside.depth > DEPTH { Err(Doubt::Unsure) } else { Ok(inside) }
    }

    fn deeper(&mut self, place: Place) -> Result<Place, Doubt> {
        self.spend(1)?;
        let depth = place.depth + 1;
        if depth > DEPTH { Err(Doubt::Unsure) } else { Ok(Place { depth, ..place }) }
    }

    fn spend(&mut self, steps: u64) -> Answer {
        self.left = self.left.checked_sub(steps).ok_or(Doubt::Unsure)?;
        Ok(())
    }
}

/// The number as it would be read.
fn number_of(token: &str) -> Result<Number, Doubt> {
    if let Ok(integer) = token.parse::<i64>() {
        return Ok(Number::from(integer));
    }
    token.parse().ok().and_then(Number::from_f64).ok_or(Doubt::Unsure)
}

#[cfg(test)]
mod tests;
