//! Words of a query against titles and texts.

use std::cmp::Reverse;

use serde::Serialize;

use super::library::{DOCUMENTS, HandbookDocument};

/// A word in the title counts as much as this number of words in the text.
const TITLE_WEIGHT: usize = 3;
/// Characters of the text that a hit shows.
const EXCERPT: usize = 160;

#[derive(Debug, Serialize)]
pub(super) struct Hit {
    title: &'static str,
    content: String,
    score: f64,
    doc_id: &'static str,
}

/// The documents that share words with the query, best first.
pub(super) fn search(query: &str, limit: usize) -> Vec<Hit> {
    let words = words(query);
    let mut found: Vec<_> = DOCUMENTS
        .iter()
        .map(|document| (matches(document, &words), document))
        .filter(|(matches, _)| *matches > 0)
        .collect();
    // Ties keep the order of the handbook.
    found.sort_by_key(|(matches, _)| Reverse(*matches));
    let best = found.first().map_or(1, |(matches, _)| *matches);
    found.into_iter().take(limit).map(|(matches, document)| hit(document, matches, best)).collect()
}

fn matches(document: &HandbookDocument, wanted: &[String]) -> usize {
    let count = |text: &str| words(text).iter().filter(|word| wanted.contains(word)).count();
    TITLE_WEIGHT * count(document.title) + count(document.content)
}

fn hit(document: &'static HandbookDocument, matches: usize, best: usize) -> Hit {
    // Whole hundredths, so that the text is the same everywhere.
    let hundredths = u32::try_from(100 * matches / best).unwrap_or(100);
    Hit {
        title: document.title,
        content: document.content.chars().take(EXCERPT).collect(),
        score: f64::from(hundredths) / 100.0,
        doc_id: document.doc_id,
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| word.len() > 2)
        .map(str::to_lowercase)
        .collect()
}
