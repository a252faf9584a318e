//! Values that prose names: samples in a description, choices in a refusal, pairs and paths in a text.

use std::sync::LazyLock;

use regex::Regex;

/// Longest value taken from prose, in bytes.
const VALUE: usize = 200;
/// Longest choice without quotes, in words.
const WORDS: usize = 4;
/// Values taken from one text.
const VALUES: usize = 12;
/// How much of a text is read, in bytes.
const TEXT: usize = 20_000;

struct Forms {
    sample: Regex,
    choice: Regex,
    quoted: Regex,
    pair: Regex,
    path: Regex,
    file: Regex,
}

static FORMS: LazyLock<Option<Forms>> = LazyLock::new(|| {
    Some(Forms {
        sample: Regex::new(r"(?i)(?:\be\.g\.|\beg\.|\bfor example\b|\bfor instance\b|\bsuch as\b|\bexamples?\s*:|\blike\b)[,:]?\s*([^\n]+)").ok()?,
        choice: Regex::new(
            r"(?i)\b(?:one of|known|available|allowed|valid|expected|options?|supported|possible|choices?|accepted|did you mean|instead|not in)\b([^:\n\[({]{0,40})[:\[({]\s*([^\n]+)",
        )
        .ok()?,
        quoted: Regex::new(r#"(?:^|[^\w'"`])(?:'([^'\n]+)'|"([^"\n]+)"|`([^`\n]+)`)"#).ok()?,
        pair: Regex::new(r#"['"]?\b([A-Za-z][A-Za-z0-9_-]*)['"]?\s*[:=]\s*(?:'([^'\n]+)'|"([^"\n]+)"|([^\s'",;{}\[\]()<>]+))"#).ok()?,
        path: Regex::new(r#"(?:^|[\s'"`(=:])(/[^\s'"`,;:)]+|[A-Za-z]:\\[^\s'"`,;)]+)"#).ok()?,
        file: Regex::new(r"(?m)^\[FILE\]\s+(\S[^\n]*?)(?:\s{2,}[^\n]*)?$").ok()?,
    })
});

/// Samples that a description names: after "e.g." and the like, then in quotes.
pub(super) fn samples(description: &str) -> Vec<String> {
    let Some(forms) = FORMS.as_ref() else { return Vec::new() };
    let text = start(description);
    let mut found = Values::default();
    for captures in forms.sample.captures_iter(text) {
        let rest = &captures[1];
        match rest.starts_with(['\'', '"', '`']) {
            true => found.extend(quotes(forms, sentence(rest))),
            false => found.extend(listed(sentence(rest))),
        }
    }
    found.extend(quotes(forms, text));
    found.0
}

/// Values that a refusal names: choices, quoted words, paths. What was sent is left out.
pub(super) fn choices(refusal: &str, sent: &[String]) -> Vec<String> {
    let Some(forms) = FORMS.as_ref() else { return Vec::new() };
    let text = start(refusal);
    let mut found = Values::default();
    for captures in forms.choice.captures_iter(text) {
        let rest = &captures[2];
        found.extend(quotes(forms, rest));
        found.extend(listed(rest.trim_end_matches([']', ')', '}'])));
    }
    found.extend(quotes(forms, text));
    found.extend(paths(text));
    found.0.retain(|value| !sent.contains(value));
    found.0
}

/// `key: value` and `'key': 'value'` in a text that is not JSON.
pub(super) fn pairs(text: &str) -> Vec<(String, String)> {
    let Some(forms) = FORMS.as_ref() else { return Vec::new() };
    let pairs = forms.pair.captures_iter(start(text)).filter_map(|captures| {
        let value = captures.get(2).or(captures.get(3)).or(captures.get(4))?.as_str();
        (value.len() <= VALUE).then(|| (captures[1].to_owned(), value.to_owned()))
    });
    pairs.take(VALUES * VALUES).collect()
}

/// Absolute paths in a text.
pub(super) fn paths(text: &str) -> Vec<String> {
    let Some(forms) = FORMS.as_ref() else { return Vec::new() };
    let mut found = Values::default();
    let paths = forms.path.captures_iter(start(text)).map(|captures| captures[1].to_owned());
    found.extend(paths.map(|path| path.trim_end_matches('.').to_owned()).filter(|path| path.len() > 1));
    found.0
}

/// Names of files in a listing such as `[FILE] note.txt`.
pub(super) fn files(text: &str) -> Vec<String> {
    let Some(forms) = FORMS.as_ref() else { return Vec::new() };
    let mut found = Values::default();
    found.extend(forms.file.captures_iter(start(text)).map(|captures| captures[1].to_owned()));
    found.0
}

/// Values in the order found, each once.
#[derive(Default)]
struct Values(Vec<String>);

impl Values {
    fn extend(&mut self, values: impl IntoIterator<Item = String>) {
        for value in values {
            let fits = !value.is_empty() && value.len() <= VALUE && self.0.len() < VALUES;
            if fits && !self.0.contains(&value) {
                self.0.push(value);
            }
        }
    }
}

fn quotes<'t>(forms: &'t Forms, text: &'t str) -> impl Iterator<Item = String> + 't {
    forms.quoted.captures_iter(text).filter_map(|captures| {
        let quoted = captures.get(1).or(captures.get(2)).or(captures.get(3))?;
        Some(quoted.as_str().trim().to_owned())
    })
}

/// The part of a list that ends with its sentence or bracket.
fn sentence(text: &str) -> &str {
    let end = [". ", ") ", "; ", " -- ", " — "].iter().filter_map(|end| text.find(end)).min();
    let text = &text[..end.unwrap_or(text.len())];
    // A bracket that was opened before the list closes it.
    match text.rfind(')') {
        Some(at) if !text[..at].contains('(') => &text[..at],
        _ => text,
    }
}

/// `a, b or c` as its elements, without quotes and brackets around them.
fn listed(text: &str) -> impl Iterator<Item = String> {
    let text =
        [" or ", " and ", " not in "].iter().fold(text.to_owned(), |text, word| text.replace(word, ","));
    let elements: Vec<String> = text
        .split([',', '|', ';'])
        .map(|element| element.trim().trim_matches(['\'', '"', '`', '[', ']', '.', '?', '!', ' ']).to_owned())
        .filter(|element| element.split_whitespace().count() <= WORDS)
        .collect();
    elements.into_iter()
}

/// The part of a text that is read.
fn start(text: &str) -> &str {
    let mut end = text.len().min(TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests;
