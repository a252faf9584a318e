//! What a person says about paths: structured clauses, a small part of plain language, or a name.

mod clause;
mod words;

use std::collections::BTreeSet;

use mortise_formats::format::{ErrorBody, ErrorCode};

use super::transform::Template;

pub(crate) use clause::{Clause, SegmentPlace, SegmentType};
pub(crate) use words::{HintKeyword, has_word, keywords, noun_phrase};

/// Characters of a hint in free text.
const FREE: usize = 500;
const STRUCTURED: usize = 300;
const TEMPLATE: usize = 100;

/// A hint that was understood as far as it can be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Hint {
    pub(crate) clauses: Vec<Clause>,
    /// The name of what the files are, when the hint is nothing else: `sales reports`.
    pub(crate) subject: Option<String>,
    /// Folders that the operator has named as categories.
    pub(crate) words: BTreeSet<String>,
}

impl Hint {
    /// Reads a hint; clauses are separated by `;` or line breaks outside quotes.
    pub(crate) fn parse(text: &str) -> Result<Self, ErrorBody> {
        let length = text.chars().count();
        if length > FREE {
            return Err(too_long("hint", length, FREE));
        }
        let mut hint = Self::default();
        for part in split(text) {
            let part = part.trim();
            if part.is_empty() {
                continue;
            }
            let length = part.chars().count();
            if part.starts_with('@') && length > TEMPLATE {
                return Err(too_long("template", length, TEMPLATE));
            }
            match clause::parse(part)? {
                Some(_) if length > STRUCTURED => {
                    return Err(too_long("structured hint", length, STRUCTURED));
                }
                Some(clause) => hint.clauses.push(clause),
                None => match noun_phrase(part) {
                    Some(subject) if hint.subject.is_none() && hint.clauses.is_empty() => {
                        hint.subject = Some(subject)
                    }
                    _ => hint.clauses.push(Clause::Free { text: part.to_owned() }),
                },
            }
        }
        hint.without_conflicts()
    }

    /// Two clauses must not give one segment two names or types, or one field two values.
    fn without_conflicts(self) -> Result<Self, ErrorBody> {
        let conflict = |what: String| {
            Err(ErrorBody::new(ErrorCode::HintConflict, what, "keep one of the two clauses").at_field("hint"))
        };
        for (number, clause) in self.clauses.iter().enumerate() {
            for other in &self.clauses[..number] {
                match (clause, other) {
                    (Clause::Name { place, field }, Clause::Name { place: same, field: another })
                        if place == same && field != another =>
                    {
                        return conflict(format!("{place} is called both `{another}` and `{field}`"));
                    }
                    (Clause::Name { place, field }, Clause::Name { place: another, field: same })
                        if field == same && place != another =>
                    {
                        return conflict(format!("`{field}` is the name of both {another} and {place}"));
                    }
                    (Clause::Type { place, kind }, Clause::Type { place: same, kind: another })
                        if place == same && kind != another =>
                    {
                        return conflict(format!("{place} has the types `{another:?}` and `{kind:?}`"));
                    }
                    (Clause::Literal { field, value }, Clause::Literal { field: same, value: another })
                        if field == same && value != another =>
                    {
                        return conflict(format!("`{field}` has two values"));
                    }
                    _ => {}
                }
            }
        }
        Ok(self)
    }

    pub(crate) fn templates(&self) -> impl Iterator<Item = Template> {
        self.clauses.iter().filter_map(|clause| match clause {
            Clause::Template { template } => Some(*template),
            _ => None,
        })
    }
}

fn too_long(what: &str, length: usize, limit: usize) -> ErrorBody {
    let reason = format!("the {what} has {length} characters; at most {limit} are read");
    ErrorBody::new(ErrorCode::HintTooLong, reason, "say it in fewer words").at_field("hint")
}

fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut quoted = false;
    for (at, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            ';' | '\n' if !quoted => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests;
