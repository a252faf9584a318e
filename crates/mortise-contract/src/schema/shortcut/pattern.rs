//! Regular expressions that strings meet.

use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::schema::pattern::MatchCost;

/// Bytes that a compiled pattern may take here; larger ones are left to the full validator.
const PATTERN_BYTES: [usize; 2] = [2 << 10, 8 << 10];

/// Bytes of the cache with which a pattern is matched.
const PATTERN_CACHE: usize = 128 << 10;

/// Characters that a spelling may have.
const SPELLING_CHARACTERS: usize = 256;

/// A regular expression, compiled when a string first meets it.
#[derive(Debug)]
pub(super) struct Pattern {
    source: String,
    compiled: OnceLock<Option<Compiled>>,
}

#[derive(Debug)]
enum Compiled {
    Spelling(Spelling),
    Regex(Regex, MatchCost),
}

impl Pattern {
    pub(super) fn new(source: &str) -> Self {
        Self { source: source.to_owned(), compiled: OnceLock::new() }
    }

    /// Whether a string matches. None if the pattern is large, or needs more than a regular expression can.
    pub(super) fn matches(&self, text: &str) -> Option<bool> {
        Some(match self.compiled()? {
            Compiled::Spelling(spelling) => spelling.matches(text.as_bytes()),
            Compiled::Regex(regex, _) => regex.is_match(text),
        })
    }

    /// What matching a string costs.
    pub(super) fn steps(&self, text: &str) -> u64 {
        match self.compiled() {
            Some(Compiled::Regex(_, cost)) => cost.units(text.len() as u64),
            Some(Compiled::Spelling(_)) | None => 0,
        }
    }

    fn compiled(&self) -> Option<&Compiled> {
        let compile = || {
            let translated = jsonschema_regex::to_rust_regex(&self.source).ok()?;
            if let Some(spelling) = Spelling::read(&translated) {
                return Some(Compiled::Spelling(spelling));
            }
            PATTERN_BYTES.into_iter().find_map(|bytes| {
                let mut builder = RegexBuilder::new(&translated);
                let regex = builder.size_limit(bytes).dfa_size_limit(PATTERN_CACHE).build().ok()?;
                Some(Compiled::Regex(regex, MatchCost::of_size(bytes)))
            })
        };
        self.compiled.get_or_init(compile).as_ref()
    }
}

/// The whole string, character by character, and at its end perhaps one character several times: dates, hashes
/// and identifiers are spelled like that. ASCII only.
#[derive(Debug, Default)]
struct Spelling {
    characters: Vec<Set>,
    tail: Option<Tail>,
}

#[derive(Debug)]
struct Tail {
    set: Set,
    least: usize,
    most: usize,
}

/// A set of bytes, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Set([u64; 4]);

impl Set {
    fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    fn contains(self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }
}

impl Spelling {
    /// None for a pattern of another form.
    fn read(pattern: &str) -> Option<Self> {
        let hir = regex_syntax::parse(pattern).ok()?;
        let HirKind::Concat(parts) = hir.kind() else { return None };
        let (first, rest) = parts.split_first()?;
        let (last, inner) = rest.split_last()?;
        let is_anchored =
            *first.kind() == HirKind::Look(Look::Start) && *last.kind() == HirKind::Look(Look::End);
        let mut spelling = Self::default();
        (is_anchored && inner.iter().all(|part| spelling.push(part).is_some())).then_some(spelling)
    }

    /// Appends a part. Nothing comes after a tail.
    fn push(&mut self, part: &Hir) -> Option<()> {
        if self.tail.is_some() || self.characters.len() > SPELLING_CHARACTERS {
            return None;
        }
        match part.kind() {
            HirKind::Empty => {}
            HirKind::Capture(capture) => self.push(&capture.sub)?,
            HirKind::Concat(parts) => parts.iter().try_for_each(|part| self.push(part))?,
            HirKind::Literal(literal) => {
                for byte in literal.0.iter().copied() {
                    let mut set = Set::default();
                    byte.is_ascii().then(|| set.insert(byte))?;
                    self.characters.push(set);
                }
            }
            HirKind::Class(class) => self.characters.push(ascii(class)?),
            HirKind::Repetition(repetition) if repetition.max == Some(repetition.min) => {
                (0..repetition.min).try_for_each(|_| self.push(&repetition.sub))?;
            }
            HirKind::Repetition(repetition) => {
                let mut one = Self::default();
                one.push(&repetition.sub)?;
                let ([set], None) = (one.characters.as_slice(), &one.tail) else { return None };
                let most = repetition.max.map_or(usize::MAX, |most| most as usize);
                self.tail = Some(Tail { set: *set, least: repetition.min as usize, most });
            }
            HirKind::Look(_) | HirKind::Alternation(_) => return None,
        }
        Some(())
    }

    fn matches(&self, text: &[u8]) -> bool {
        let Some((text, rest)) = text.split_at_checked(self.characters.len()) else { return false };
        let is_spelled = text.iter().zip(&self.characters).all(|(byte, set)| set.contains(*byte));
        is_spelled
            && match &self.tail {
                None => rest.is_empty(),
                Some(tail) => {
                    (tail.least..=tail.most).contains(&rest.len())
                        && rest.iter().all(|byte| tail.set.contains(*byte))
                }
            }
    }
}

fn ascii(class: &Class) -> Option<Set> {
    let mut set = Set::default();
    let mut insert = |start: u32, end: u32| {
        (start..=end).try_for_each(|code| {
            let byte = u8::try_from(code).ok().filter(u8::is_ascii)?;
            set.insert(byte);
            Some(())
        })
    };
    match class {
        Class::Unicode(class) => {
            class.iter().try_for_each(|it| insert(it.start().into(), it.end().into()))?
        }
        Class::Bytes(class) => class.iter().try_for_each(|it| insert(it.start().into(), it.end().into()))?,
    }
    Some(set)
}

#[cfg(test)]
mod tests;
