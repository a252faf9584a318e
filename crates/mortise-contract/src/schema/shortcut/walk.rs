//! The walk over the text of a value.
//!
//! The text is known to be JSON. Whatever would need parsing (escapes in a string that has rules, long numbers, keys
//! that come twice) makes the walk unsure.

use serde_json::Value;

use super::{
    ARRAY, ArrayRules, BOOLEAN, Choices, FRACTION, Kinds, NULL, NumberRules, OBJECT, ObjectRules, QuickId,
    QuickNode, QuickPattern, STRING, Shortcut, TextRules, WHOLE,
};

/// Subschemas within each other at which the walk gives up.
const DEPTH: u32 = 512;
/// Characters of a number that every double holds, whatever they are.
const SAFE_DIGITS: usize = 15;
/// Bytes of a text that count like one step.
const BYTES_PER_STEP: usize = 64;

impl Shortcut {
    /// Whether the value of a well-formed JSON text surely conforms, nests no deeper than `levels`, and holds only
    /// numbers that a double holds too. The walk gives up after `steps`.
    pub(in crate::schema) fn accepts_text(&self, text: &str, levels: usize, steps: u64) -> bool {
        let levels = u32::try_from(levels).unwrap_or(u32::MAX);
        let mut walk =
            TextWalk { nodes: &self.nodes, text, bytes: text.as_bytes(), at: 0, levels, left: steps };
        walk.check(self.root, Nesting { level: 1, depth: 0 }).is_some()
    }
}

/// How deep the walk is.
#[derive(Clone, Copy)]
struct Nesting {
    /// Levels of the value, this one included.
    level: u32,
    /// Subschemas within each other.
    depth: u32,
}

/// `Some` is a yes: the value conforms, and the walk stands behind it. `None` says nothing.
type Yes = Option<()>;

fn sure(condition: bool) -> Yes {
    condition.then_some(())
}

struct TextWalk<'a> {
    nodes: &'a [QuickNode],
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    levels: u32,
    left: u64,
}

impl<'a> TextWalk<'a> {
    fn check(&mut self, node: QuickId, nesting: Nesting) -> Yes {
        let node = &self.nodes[node];
        let kind = match self.peek() {
            b'"' => STRING,
            b'{' => OBJECT,
            b'[' => ARRAY,
            b't' | b'f' => BOOLEAN,
            b'n' => NULL,
            _ => self.ahead(Self::number)?.1,
        };
        sure(node.sure & kind != 0)?;
        if node.free & kind != 0 {
            return self.skip_scalar(kind);
        }
        let nesting = self.deeper(nesting)?;
        let start = self.at;
        match kind {
            STRING if node.text.is_none() && node.choices.is_none() => self.skip_string()?,
            STRING => {
                let text = self.plain_string()?;
                sure(node.choices.as_ref().is_none_or(|choices| choices.texts.contains(text)))?;
                node.text.as_ref().map_or(Some(()), |rules| self.check_text(rules, text))?;
            }
            NULL | BOOLEAN => {
                let word = self.word();
                sure(node.choices.as_ref().is_none_or(|choices| choices.words.contains(&word)))?;
            }
            ARRAY | OBJECT if node.choices.is_some() => return None,
            ARRAY | OBJECT => self.check_container(node, kind, nesting)?,
            _ => {
                let (token, _) = self.number()?;
                node.number.as_ref().map_or(Some(()), |rules| rules.check(token))?;
                node.choices.as_ref().map_or(Some(()), |choices| choices.check_number(token))?;
            }
        }
        self.check_combined(node, start, nesting)
    }

    fn check_container(&mut self, node: &'a QuickNode, kind: Kinds, nesting: Nesting) -> Yes {
        match (&node.array, &node.object) {
            (Some(rules), _) if kind == ARRAY => self.check_array(rules, nesting),
            (_, Some(rules)) if kind == OBJECT => self.check_object(rules, nesting),
            // A yes of the subschemas for the same value means that one of them visited what is inside.
            _ if !node.all.is_empty() || !node.any.is_empty() => Some(()),
            _ => self.skip_value(nesting),
        }
    }

    /// Every subschema goes over the same value, from its start.
    fn check_combined(&mut self, node: &'a QuickNode, start: usize, nesting: Nesting) -> Yes {
        for &part in &node.all {
            self.at = start;
            self.check(part, nesting)?;
        }
        for branches in &node.any {
            let is_accepted = branches.iter().any(|&branch| {
                self.at = start;
                self.check(branch, nesting).is_some()
            });
            sure(is_accepted)?;
        }
        Some(())
    }

    fn check_text(&mut self, rules: &TextRules, text: &str) -> Yes {
        let steps = rules.pattern.as_ref().map_or(0, |_| QuickPattern::steps(text));
        self.spend(steps + (text.len() / BYTES_PER_STEP) as u64)?;
        // A character takes one to four bytes; most lengths are decided by that.
        if text.len().div_ceil(4) < rules.least || text.len() > rules.most {
            sure((rules.least..=rules.most).contains(&text.chars().count()))?;
        }
        sure(rules.pattern.as_ref().is_none_or(|pattern| pattern.matches(text)))
    }

    fn check_object(&mut self, rules: &'a ObjectRules, nesting: Nesting) -> Yes {
        let inside = self.enter(nesting)?;
        let mut seen = 0u128;
        let (mut next, mut others) = (0, 0usize);
        self.at += 1;
        while self.goes_on(b'}') {
            let key = self.plain_string()?;
            self.peek();
            self.at += 1;
            self.spend(1)?;
            let known = match rules.members.get(next) {
                Some(member) if member.name == key => Some(next),
                _ => rules.places.get(key).copied(),
            };
            let node = match known {
                Some(at) if seen >> at & 1 == 1 => return None,
                Some(at) => {
                    seen |= 1 << at;
                    next = at + 1;
                    rules.members[at].node
                }
                None => {
                    others += 1;
                    rules.additional
                }
            };
            self.check(node, inside)?;
        }
        self.at += 1;
        let mut members = rules.members.iter().enumerate();
        sure(members.all(|(at, member)| !member.is_required || seen >> at & 1 == 1))?;
        // Keys without a name may be the same one several times.
        let named = seen.count_ones() as usize;
        sure(named + others.min(1) >= rules.least && named + others <= rules.most)
    }

    fn check_array(&mut self, rules: &'a ArrayRules, nesting: Nesting) -> Yes {
        let inside = self.enter(nesting)?;
        let mut count = 0;
        self.at += 1;
        while self.goes_on(b']') {
            self.spend(1)?;
            self.check(rules.prefix.get(count).copied().unwrap_or(rules.rest), inside)?;
            count += 1;
        }
        self.at += 1;
        sure((rules.least..=rules.most).contains(&count))
    }

    /// Whether a container has one more value; the walk then stands before it.
    fn goes_on(&mut self, end: u8) -> bool {
        let next = self.peek();
        if next == b',' {
            self.at += 1;
            self.peek();
        }
        next != end
    }

    /// Goes over a value that nothing is said about: it must still not be too deep, and hold only short numbers.
    fn skip_value(&mut self, nesting: Nesting) -> Yes {
        let mut open = 0u32;
        loop {
            match self.peek() {
                b'{' | b'[' => {
                    open += 1;
                    sure(nesting.level + open <= self.levels)?;
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
                b'"' => self.skip_string()?,
                b't' | b'f' | b'n' => drop(self.word()),
                _ => drop(self.number()?),
            }
            if open == 0 {
                return Some(());
            }
        }
    }

    fn skip_scalar(&mut self, kind: Kinds) -> Yes {
        match kind {
            STRING => self.skip_string(),
            NULL | BOOLEAN => {
                self.word();
                Some(())
            }
            _ => self.number().map(drop),
        }
    }

    /// What a reading finds, without moving.
    fn ahead<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<T> {
        let start = self.at;
        let found = read(self);
        self.at = start;
        found
    }

    /// The next byte that is not white space; 0 at the end.
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
    fn skip_string(&mut self) -> Yes {
        let start = self.at;
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.at += 1;
                    return self.spend(((self.at - start) / BYTES_PER_STEP) as u64);
                }
                b'\\' => {
                    // Half of a pair may stand alone, which no string can hold.
                    let is_half = self.bytes.get(self.at + 1) == Some(&b'u')
                        && matches!(self.bytes.get(self.at + 2), Some(b'd' | b'D'));
                    sure(!is_half)?;
                    self.at += 2;
                }
                _ => self.at += 1,
            }
        }
        None
    }

    /// A string without escapes.
    #[inline]
    fn plain_string(&mut self) -> Option<&'a str> {
        let start = self.at + 1;
        let rest = self.bytes.get(start..)?;
        let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        self.at = start + length + 1;
        let is_plain = rest.get(length) == Some(&b'"');
        self.spend((length / BYTES_PER_STEP) as u64)?;
        self.text.get(start..start + length).filter(|_| is_plain)
    }

    /// `true`, `false` or `null`.
    fn word(&mut self) -> Value {
        let (value, length) = match self.bytes.get(self.at) {
            Some(b't') => (Value::Bool(true), 4),
            Some(b'f') => (Value::Bool(false), 5),
            _ => (Value::Null, 4),
        };
        self.at += length;
        value
    }

    /// A number of few characters, and whether it is whole.
    #[inline]
    fn number(&mut self) -> Option<(&'a str, Kinds)> {
        let start = self.at;
        let mut has_point = false;
        let mut kind = WHOLE;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'0' | b'-' => {}
                b'1'..=b'9' if has_point => kind = FRACTION,
                b'1'..=b'9' => {}
                b'.' => has_point = true,
                b'e' | b'E' | b'+' => return None,
                _ => break,
            }
            self.at += 1;
        }
        let token = self.text.get(start..self.at)?;
        (!token.is_empty() && token.len() <= SAFE_DIGITS).then_some((token, kind))
    }

    /// Goes into a container.
    fn enter(&mut self, nesting: Nesting) -> Option<Nesting> {
        self.spend(1)?;
        let level = nesting.level + 1;
        (level <= self.levels).then_some(Nesting { level, ..nesting })
    }

    /// Goes into a subschema.
    fn deeper(&mut self, nesting: Nesting) -> Option<Nesting> {
        self.spend(1)?;
        let depth = nesting.depth + 1;
        (depth <= DEPTH).then_some(Nesting { depth, ..nesting })
    }

    fn spend(&mut self, steps: u64) -> Yes {
        self.left = self.left.checked_sub(steps)?;
        Some(())
    }
}

impl NumberRules {
    /// The token is short, so that it is the double that the parser would read.
    fn check(&self, token: &str) -> Yes {
        let number: f64 = token.parse().ok()?;
        sure(self.bounds.iter().all(|(bound, limit)| bound.admits(number, *limit)))?;
        match self.multiple_of {
            Some(divisor) => sure(token.parse::<i64>().ok()? % divisor == 0),
            None => Some(()),
        }
    }
}

impl Choices {
    fn check_number(&self, token: &str) -> Yes {
        sure(self.integers.contains(&token.parse().ok()?))
    }
}
