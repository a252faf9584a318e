//! Constants that are written as text in our own source: JSON documents and regular expressions.
//!
//! One that can't be read is a mistake in this program. The panic names it, since a quiet default
//! would switch off whatever depends on the constant.

use regex::Regex;
use serde_json::Value;

/// The value of a JSON document that is part of the program.
///
/// # Panics
///
/// When `text` is not JSON.
#[track_caller]
pub fn json(text: &str) -> Value {
    #[expect(clippy::panic, reason = "the text is part of the program")]
    serde_json::from_str(text).unwrap_or_else(|error| panic!("an embedded document is not JSON: {error}"))
}

/// A regular expression that is part of the program.
///
/// # Panics
///
/// When `pattern` can't be compiled.
#[track_caller]
pub fn regex(pattern: &str) -> Regex {
    #[expect(clippy::panic, reason = "the pattern is part of the program")]
    Regex::new(pattern).unwrap_or_else(|error| panic!("an embedded pattern can't be compiled: {error}"))
}

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic(expected = "an embedded document is not JSON")]
    fn a_document_that_is_not_json_is_not_passed_over() {
        super::json("{");
    }

    #[test]
    #[should_panic(expected = "an embedded pattern can't be compiled")]
    fn a_pattern_that_does_not_compile_is_not_passed_over() {
        super::regex("(");
    }
}
