//! Words of a hint that decide, whole words only: `different` does not contain `if`.

/// What a word of a hint asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HintKeyword {
    /// A value that is computed.
    Compute(&'static str),
    /// A value that becomes several.
    Expand(&'static str),
    /// A value that stands for another.
    Lookup(&'static str),
    /// A value that depends on something.
    Conditional(&'static str),
    /// Values that become one.
    Combine(&'static str),
}

impl HintKeyword {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Compute(word)
            | Self::Expand(word)
            | Self::Lookup(word)
            | Self::Conditional(word)
            | Self::Combine(word) => word,
        }
    }
}

const KEYWORDS: &[HintKeyword] = &[
    HintKeyword::Compute("compute"),
    HintKeyword::Compute("calculate"),
    HintKeyword::Compute("derive"),
    HintKeyword::Compute("formula"),
    HintKeyword::Expand("start/end"),
    HintKeyword::Expand("range"),
    HintKeyword::Expand("convert to"),
    HintKeyword::Expand("expand"),
    HintKeyword::Expand("generate"),
    HintKeyword::Lookup("lookup"),
    HintKeyword::Lookup("map"),
    HintKeyword::Lookup("map to"),
    HintKeyword::Lookup("translate"),
    HintKeyword::Lookup("reference"),
    HintKeyword::Lookup("cross-reference"),
    HintKeyword::Conditional("if"),
    HintKeyword::Conditional("when"),
    HintKeyword::Conditional("otherwise"),
    HintKeyword::Conditional("depending on"),
    HintKeyword::Conditional("depends on"),
    HintKeyword::Conditional("conditional"),
    HintKeyword::Combine("combine"),
    HintKeyword::Combine("merge"),
    HintKeyword::Combine("join"),
    HintKeyword::Combine("aggregate"),
    HintKeyword::Combine("concatenate"),
];

/// Words that say how to read a path and ask for nothing that a rule can't do, and words of sentences.
const NO_SUBJECT: &[&str] = &[
    "format", "type", "name", "rename", "ignore", "skip", "extract", "capture", "segment", "column",
    "folder", "field", "should", "must", "is", "are", "has", "have", "use", "please", "get", "from", "to",
    "as",
];

/// The deciding words of a text, in the order of the text.
pub(crate) fn keywords(text: &str) -> Vec<HintKeyword> {
    let mut found: Vec<(usize, HintKeyword)> = KEYWORDS
        .iter()
        .filter_map(|keyword| position(text, keyword.word()).map(|at| (at, *keyword)))
        .collect();
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, keyword)| keyword).collect()
}

/// Whether a text has a word, or several in a row, in any case.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    position(text, word).is_some()
}

fn position(text: &str, word: &str) -> Option<usize> {
    let text = text.to_lowercase();
    let is_inside =
        |character: Option<char>| character.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        let after = text[at + word.len()..].chars().next();
        !is_inside(text[..at].chars().next_back()) && !is_inside(after)
    })
}

/// The words of a hint that only names what the files are.
pub(crate) fn noun_phrase(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_plain =
        |word: &&str| word.chars().all(|letter| letter.is_alphanumeric() || letter == '-' || letter == '_');
    let is_name = (1..=5).contains(&words.len())
        && words.iter().all(is_plain)
        && text.starts_with(char::is_alphabetic)
        && keywords(text).is_empty()
        && !NO_SUBJECT.iter().any(|word| has_word(text, word));
    is_name.then(|| words.join(" "))
}
