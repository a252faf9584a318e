//! Finding tools by words.
//!
//! An inverted index with BM25 weights, built once per catalogue. Words are
//! compared by their stems. A word of the query also finds words that begin
//! with it, its synonyms and, when nothing else does, words one typing mistake
//! away.

mod synonyms;
mod words;

use std::collections::{BTreeMap, HashMap};

use mortise_contract::Contract;
use serde_json::Value;

use synonyms::{is_action, synonyms};
use words::{asked, one_edit_apart, words};

/// BM25's saturation of repeated words.
const K1: f32 = 1.2;
/// BM25's weight of a document's length.
const B: f32 = 0.6;
/// What a match counts that is only the beginning of a word.
const PREFIX: f32 = 0.6;
/// What a match counts that is a synonym.
const SYNONYM: f32 = 0.5;
/// The weight of a verb. Verbs weigh less than nouns, which distinguish tools better.
const ACTION: f32 = 0.75;
/// What a match counts that is one typing mistake away.
const FUZZY: f32 = 0.4;
/// Words of a query that are looked at.
const QUERY_WORDS: usize = 32;

/// An index over a catalogue; entries are known by their position in it.
#[derive(Clone, Debug, Default)]
pub struct SearchIndex {
    /// Word to the entries that have it, with how much it weighs there.
    postings: BTreeMap<String, Vec<(u32, f32)>>,
    /// Weighted number of words of each entry.
    lengths: Vec<f32>,
    average_length: f32,
}

impl SearchIndex {
    /// Indexes tools in order: server and tool names, titles, descriptions and argument names.
    pub fn new<'a>(entries: impl IntoIterator<Item = (&'a str, &'a Contract)>) -> Self {
        let mut index = Self::default();
        for (position, (server, contract)) in entries.into_iter().enumerate() {
            let mut weights: HashMap<String, f32> = HashMap::new();
            let mut add = |text: &str, weight: f32| {
                for word in words(text) {
                    *weights.entry(word).or_default() += weight;
                }
            };
            add(contract.name.as_str(), 3.0);
            add(server, 1.5);
            add(contract.title().unwrap_or_default(), 2.0);
            // Servers often repeat further sentences in all their descriptions.
            let (first, further) = first_sentence(contract.description().unwrap_or_default());
            add(first, 1.5);
            add(further, 0.5);
            for name in property_names(contract.input_schema()) {
                add(name, 0.5);
            }
            for name in property_names(contract.output_schema()) {
                add(name, 0.5);
            }
            index.lengths.push(weights.values().sum());
            let position = u32::try_from(position).unwrap_or(u32::MAX);
            for (word, weight) in weights {
                index.postings.entry(word).or_default().push((position, weight));
            }
        }
        index.average_length = index.lengths.iter().sum::<f32>() / index.lengths.len().max(1) as f32;
        index
    }

    /// The best `limit` entries for the query, best first; equal ones in catalogue order. A query without a word, such
    /// as `*`, asks for all of them.
    pub fn find(&self, query: &str, limit: usize) -> Vec<usize> {
        let asked = asked(query);
        if asked.is_empty() {
            return (0..self.lengths.len()).take(limit).collect();
        }
        // By entry: its score, and how many words of the query it has.
        let mut scores: HashMap<u32, (f32, usize)> = HashMap::new();
        let words = asked.len().min(QUERY_WORDS);
        for word in asked.into_iter().take(QUERY_WORDS) {
            let mut best: HashMap<u32, f32> = HashMap::new();
            let importance = if is_action(&word) { ACTION } else { 1.0 };
            for (factor, postings) in self.matches(&word) {
                let rarity = self.rarity(postings.len());
                for &(entry, weight) in postings {
                    let length = self.lengths.get(entry as usize).copied().unwrap_or_default();
                    let norm = K1 * (1.0 - B + B * length / self.average_length.max(1.0));
                    let score = importance * factor * rarity * weight * (K1 + 1.0) / (weight + norm);
                    let slot = best.entry(entry).or_default();
                    *slot = slot.max(score);
                }
            }
            for (entry, score) in best {
                let (sum, having) = scores.entry(entry).or_default();
                *sum += score;
                *having += 1;
            }
        }
        let whole = |(sum, having): (f32, usize)| sum * (having as f32 / words as f32).sqrt();
        let mut ranked: Vec<(u32, f32)> =
            scores.into_iter().map(|(entry, score)| (entry, whole(score))).collect();
        ranked.sort_by(|(a, a_score), (b, b_score)| b_score.total_cmp(a_score).then(a.cmp(b)));
        ranked.into_iter().take(limit).map(|(entry, _)| entry as usize).collect()
    }

    /// The words of the index that a word of the query means, and how sure that is.
    fn matches<'a>(&'a self, word: &str) -> Vec<(f32, &'a Vec<(u32, f32)>)> {
        let mut found = Vec::new();
        if let Some(postings) = self.postings.get(word) {
            found.push((1.0, postings));
        }
        if word.chars().count() >= 3 {
            let beginning = self.postings.range(word.to_owned()..).skip_while(|(known, _)| *known == word);
            let beginning = beginning.take_while(|(known, _)| known.starts_with(word)).take(64);
            found.extend(beginning.map(|(_, postings)| (PREFIX, postings)));
        }
        let meant = synonyms(word).iter().filter_map(|synonym| self.postings.get(synonym));
        found.extend(meant.map(|postings| (SYNONYM, postings)));
        if found.is_empty() && word.chars().count() >= 4 {
            let near = self.postings.iter().filter(|(known, _)| one_edit_apart(word, known)).take(16);
            found.extend(near.map(|(_, postings)| (FUZZY, postings)));
        }
        found
    }

    fn rarity(&self, having: usize) -> f32 {
        let (all, having) = (self.lengths.len() as f32, having as f32);
        (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
    }
}

/// The first sentence or line of a description, and what follows.
fn first_sentence(description: &str) -> (&str, &str) {
    let description = description.trim_start();
    let end = description.find(['\n', '\r']).into_iter().chain(description.find(". ")).min();
    description.split_at(end.unwrap_or(description.len()))
}

fn property_names(schema: Option<&Value>) -> impl Iterator<Item = &str> {
    let schema = schema.and_then(|schema| match schema.get("type").and_then(Value::as_str) {
        Some("array") => schema.get("items"),
        _ => Some(schema),
    });
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str)).take(64)
}

#[cfg(test)]
mod tests;
