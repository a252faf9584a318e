//! Strings of a length, a format or a pattern.

use regex::Regex;
use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::Value;

use super::facts::SampleFacts;

/// Characters of a sample at most.
const LENGTH: u64 = 4096;

/// A string that keeps its bounds; a pattern decides first, then the format.
pub(super) fn sample(facts: &SampleFacts<'_>) -> Option<Value> {
    if facts.min_length > LENGTH {
        return None;
    }
    let fits = |text: &String| {
        let length = text.chars().count() as u64;
        length >= facts.min_length
            && facts.max_length.is_none_or(|bound| length <= bound)
            && facts
                .patterns
                .iter()
                .all(|pattern| Regex::new(pattern).is_ok_and(|regex| regex.is_match(text)))
    };
    let padding = "a".repeat(usize::try_from(facts.min_length).ok()?);
    let mut candidates: Vec<String> = facts.patterns.iter().filter_map(|pattern| matching(pattern)).collect();
    for index in 0..candidates.len() {
        let missing = facts.min_length.saturating_sub(candidates[index].chars().count() as u64);
        let missing = "a".repeat(usize::try_from(missing).ok()?);
        candidates.push(format!("{}{missing}", candidates[index]));
        candidates.push(format!("{missing}{}", candidates[index]));
    }
    candidates.extend(facts.format.and_then(formatted).map(str::to_owned));
    candidates.push(if padding.is_empty() { "a".to_owned() } else { padding });
    candidates.push(String::new());
    candidates.into_iter().find(fits).map(Value::from)
}

/// A value of a well-known format.
fn formatted(format: &str) -> Option<&'static str> {
    Some(match format {
        "date" => "2024-01-31",
        "date-time" => "2024-01-31T12:00:00Z",
        "time" => "12:00:00Z",
        "duration" => "P1D",
        "email" | "idn-email" => "a@example.com",
        "hostname" | "idn-hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "iri" | "url" => "https://example.com/",
        "uri-reference" | "iri-reference" => "/a",
        "uri-template" => "/{a}",
        "uuid" => "00000000-0000-4000-8000-000000000000",
        "json-pointer" => "/a",
        "relative-json-pointer" => "1/a",
        "regex" => "a",
        "byte" => "YQ==",
        _ => return None,
    })
}

/// The shortest simple string that a pattern matches.
fn matching(pattern: &str) -> Option<String> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let mut text = String::new();
    write(&hir, &mut text)?;
    Some(text)
}

fn write(hir: &Hir, text: &mut String) -> Option<()> {
    if text.len() as u64 > LENGTH {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(Class::Unicode(class)) => {
            let has = |character: char| {
                class.iter().any(|range| range.start() <= character && character <= range.end())
            };
            let liked = ['a', 'A', '0', '_', '-', ' '].into_iter().find(|character| has(*character));
            text.push(liked.or_else(|| class.iter().next().map(|range| range.start()))?);
        }
        HirKind::Class(Class::Bytes(class)) => text.push(char::from(class.iter().next()?.start())),
        HirKind::Repetition(repetition) => {
            for _ in 0..repetition.min {
                write(&repetition.sub, text)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, text)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, text))?,
        HirKind::Alternation(branches) => write(branches.first()?, text)?,
    }
    Some(())
}
