//! Rows on phrases and sentences.

use super::*;
use crate::tidy::files::TreeFile;

fn page(text: &str) -> Tree {
    Tree { files: vec![TreeFile { path: "docs/a.md".to_owned(), text: text.to_owned() }] }
}

fn problems(text: &str) -> Vec<String> {
    findings(&page(text)).iter().map(ToString::to_string).collect()
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    let problems = problems(text);
    assert!(problems.len() == 1 && problems[0].contains(expected), "{text}: {problems:?}");
}

#[track_caller]
fn accepted(text: &str) {
    assert_eq!(problems(text), Vec::<String>::new(), "{text}");
}

#[test]
fn phrases_of_the_list_are_refused() {
    refused("It works, and Nobody notices.", "docs/a.md:1: \"nobody\"");
    refused("One line.\n\nThis is no file.", "docs/a.md:3: \"is no file\": write \"is not a\"");
    refused("| a | waits so long |", "\"so long\"");
    refused("Told apart by name.", "\"told\"");
    refused("It is a text.", "\"a text\"");
}

#[test]
fn what_only_looks_like_one_is_accepted() {
    accepted("There is no file. It is no longer there. A call is no slower.");
    accepted("It is a text block.");
    accepted("Write `nobody` or [a name](nobody.md).");
    accepted("```\nnobody\n```\n\n    nobody told me\n");
}

#[test]
fn a_sentence_has_forty_words_at_most() {
    let words = |count: usize| format!("{}end.", "word ".repeat(count - 1));
    accepted(&words(40));
    refused(&words(41), "a sentence of 41 words (\"word word word word word word …\")");
    accepted(&format!("{} {}", words(30).replacen('w', "W", 1), words(30).replacen('w', "W", 1)));
    refused(&format!("{}\n{}", words(30).replace('.', ","), words(30)), "of 60 words");
    accepted(&format!("- {}\n- {}", words(30), words(30)));
}

#[test]
fn a_point_inside_a_word_or_before_a_small_letter_ends_no_sentence() {
    let found = sentences("Version 1.2 of e.g. this. \"Then.\" Now");
    let lengths: Vec<usize> = found.iter().map(|sentence| sentence.words.len()).collect();
    assert_eq!(lengths, [5, 1, 1]);
}

#[test]
fn the_share_of_long_sentences_is_reported() {
    let text = format!("Short. {}end.", "Word ".repeat(25));
    assert_eq!(SentenceLengths::read(&page(&text)).to_string(), "50.0 % of 2 sentences have over 25 words");
}
