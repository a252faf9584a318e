//! How pages are written: phrases that readers stumble over, and sentences that are too long.

use std::fmt;

use super::Finding;
use super::files::{Tree, TreeFile};

mod sentences;

use sentences::{Sentence, sentences};

const READ: &str = "CONTRIBUTING.md, \"Prose\"";
/// A sentence with more words fails.
const MOST_WORDS: usize = 40;
/// The share of sentences with more words is reported.
const MANY_WORDS: usize = 25;

/// A phrase that pages do without.
struct Phrase {
    /// Its words in lower case; `*` is any word.
    words: &'static [&'static str],
    /// It is fine after these words.
    after: &'static [&'static str],
    /// It is fine when its last word, or the word behind it, is one of these.
    with: &'static [&'static str],
    instead: &'static str,
}

const fn phrase(words: &'static [&'static str], instead: &'static str) -> Phrase {
    Phrase { words, after: &[], with: &[], instead }
}

const IS_NO: &[&str] =
    &["longer", "more", "other", "less", "fewer", "slower", "faster", "larger", "need", "such"];
const A_TEXT: &[&str] = &["block", "blocks", "file", "editor", "field", "form"];

/// Checked in order; the first that fits is reported.
const PHRASES: &[Phrase] = &[
    phrase(&["nobody"], "name the component, or write \"no client\", \"no one\""),
    phrase(&["whoever"], "name the component"),
    phrase(&["somebody"], "name the component or the person"),
    phrase(&["anybody"], "name the component or the person"),
    phrase(&["those", "who"], "name them"),
    phrase(&["for", "whom"], "name the reader"),
    phrase(&["told"], "write \"reported\", \"shown\" or \"distinguished\""),
    phrase(&["tells"], "write \"shows\", \"reports\" or \"distinguishes\""),
    phrase(&["so", "many"], "write the number, or `N`"),
    phrase(&["so", "long"], "write the time, or `N`"),
    phrase(&["goes", "along"], "write \"is sent with\""),
    phrase(&["go", "along"], "write \"are sent with\""),
    phrase(&["by", "itself"], "write \"automatically\", or name the cause"),
    phrase(&["a", "look"], "write \"a pass\" or \"a check\""),
    phrase(&["the", "word", "for"], "write \"the name of\""),
    phrase(&["own", "making"], "write \"created by\" and the creator"),
    phrase(&["the", "same", "but"], "name the difference"),
    Phrase { words: &["is", "no", "*"], after: &["there"], with: IS_NO, instead: "write \"is not a\"" },
    Phrase { words: &["are", "no", "*"], after: &["there"], with: IS_NO, instead: "write \"are not\"" },
    Phrase { words: &["a", "text"], after: &[], with: A_TEXT, instead: "write \"a string\" or \"text\"" },
];

impl Phrase {
    /// Whether the phrase begins at `at`.
    fn stands_at(&self, words: &[String], at: usize) -> bool {
        let end = at + self.words.len();
        let Some(here) = words.get(at..end) else { return false };
        let same = here.iter().zip(self.words).all(|(word, wanted)| *wanted == "*" || word == wanted);
        let is_fine =
            |word: Option<&String>, list: &[&str]| word.is_some_and(|word| list.contains(&word.as_str()));
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        same && !is_fine(before, self.after)
            && !is_fine(here.last(), self.with)
            && !is_fine(words.get(end), self.with)
    }
}

/// How long the sentences of all pages are.
#[derive(Default)]
pub struct SentenceLengths {
    sentences: usize,
    long: usize,
}

impl SentenceLengths {
    pub(super) fn read(tree: &Tree) -> Self {
        let mut lengths = Self::default();
        for sentence in tree.files.iter().filter(is_page).flat_map(|page| sentences(&page.text)) {
            lengths.sentences += 1;
            lengths.long += usize::from(sentence.words.len() > MANY_WORDS);
        }
        lengths
    }
}

impl fmt::Display for SentenceLengths {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = 100.0 * self.long as f64 / self.sentences.max(1) as f64;
        write!(out, "{share:.1} % of {} sentences have over {MANY_WORDS} words", self.sentences)
    }
}

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let pages = tree.files.iter().filter(is_page);
    pages
        .flat_map(|page| {
            sentences(&page.text).into_iter().flat_map(|sentence| in_sentence(&page.path, &sentence))
        })
        .collect()
}

fn in_sentence(path: &str, sentence: &Sentence) -> Vec<Finding> {
    let place = format!("{path}:{}", sentence.line);
    let mut findings = Vec::new();
    for at in 0..sentence.words.len() {
        if let Some(phrase) = PHRASES.iter().find(|phrase| phrase.stands_at(&sentence.words, at)) {
            let found = sentence.words[at..at + phrase.words.len()].join(" ");
            findings.push(Finding::new(&place, format!("\"{found}\": {}", phrase.instead), READ));
        }
    }
    let count = sentence.words.len();
    if count > MOST_WORDS {
        let start = sentence.words[..6].join(" ");
        let problem = format!("a sentence of {count} words (\"{start} …\"); split it, {MOST_WORDS} at most");
        findings.push(Finding::new(place, problem, READ));
    }
    findings
}

/// Pages that people read; not the licences of others.
fn is_page(file: &&TreeFile) -> bool {
    let path = file.path.as_str();
    let at_root = !path.contains('/') && path != "THIRD_PARTY.md";
    path.ends_with(".md") && (at_root || path.starts_with("docs/") || path.starts_with("crates/"))
}

#[cfg(test)]
mod tests;
