//! Words of a hint that decide, whole words only: `different` does not contain `if`.

/// What a word of a hint asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyword {
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

impl Keyword {
    /// The word.
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

const KEYWORDS: &[Keyword] = &[
    Keyword::Compute("compute"),
    Keyword::Compute("calculate"),
    Keyword::Compute("derive"),
    Keyword::Compute("formula"),
    Keyword::Expand("start/end"),
    Keyword::Expand("range"),
    Keyword::Expand("convert to"),
    Keyword::Expand("expand"),
    Keyword::Expand("generate"),
    Keyword::Lookup("lookup"),
    Keyword::Lookup("map"),
    Keyword::Lookup("map to"),
    Keyword::Lookup("translate"),
    Keyword::Lookup("reference"),
    Keyword::Lookup("cross-reference"),
    Keyword::Conditional("if"),
    Keyword::Conditional("when"),
    Keyword::Conditional("otherwise"),
    Keyword::Conditional("depending on"),
    Keyword::Conditional("depends on"),
    Keyword::Conditional("conditional"),
    Keyword::Combine("combine"),
    Keyword::Combine("merge"),
    Keyword::Combine("join"),
    Keyword::Combine("aggregate"),
    Keyword::Combine("concatenate"),
];

/// Words that say how to read a path and ask for nothing that a rule can't do, and words of sentences.
const NO_SUBJECT: &[&str] = &[
    "format", "type", "name", "rename", "ignore", "skip", "extract", "capture", "segment", "column",
    "folder", "field", "should", "must", "is", "are", "has", "have", "use", "please", "get", "from", "to",
    "as",
];

/// The deciding words of a text, in the order of the text.
pub(crate) fn keywords(text: &str) -> Vec<Keyword> {
    let mut found: Vec<(usize, Keyword)> = KEYWORDS
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
