//! Text as it may stand in Python source: nothing that comes from a file can become code.

/// A Python string literal that means exactly `text`, on one line.
///
/// Letters and digits of any script stay readable; quotes, backslashes, control characters and everything
/// invisible or direction-changing are escaped.
pub(crate) fn string(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for character in text.chars() {
        match character {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            ' '..='~' => literal.push(character),
            _ if character.is_alphanumeric() => literal.push(character),
            _ => literal.push_str(&escape(u32::from(character))),
        }
    }
    literal.push('"');
    literal
}

fn escape(code: u32) -> String {
    match code {
        0..=0xFF => format!("\\x{code:02x}"),
        0x100..=0xFFFF => format!("\\u{code:04x}"),
        _ => format!("\\U{code:08x}"),
    }
}

/// A set display of string literals, sorted, so that the same values give the same text.
pub(crate) fn set<'a>(values: impl IntoIterator<Item = &'a str>) -> String {
    let mut values: Vec<&str> = values.into_iter().collect();
    values.sort_unstable();
    values.dedup();
    match values.is_empty() {
        true => "set()".to_owned(),
        false => format!("{{{}}}", list(values)),
    }
}

/// String literals with commas between.
pub(crate) fn list<'a>(values: impl IntoIterator<Item = &'a str>) -> String {
    values.into_iter().map(string).collect::<Vec<_>>().join(", ")
}

/// Text for a comment or a docstring: plain characters only, cut to what fits on a line.
pub(crate) fn prose(text: &str) -> String {
    const LONGEST: usize = 60;
    let plain = |character: char| match character {
        '"' | '\\' => '\'',
        ' '..='~' => character,
        _ if character.is_alphanumeric() => character,
        _ => ' ',
    };
    let words: String = text.chars().map(plain).collect();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &words[..end]),
        None => words,
    }
}

/// Whether `name` can be imported: identifiers with dots between.
pub(crate) fn is_module(name: &str) -> bool {
    let identifier = |part: &str| {
        part.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic())
            && part.chars().all(|character| character == '_' || character.is_ascii_alphanumeric())
            && !KEYWORDS.contains(&part)
    };
    name.len() <= 128 && name.split('.').all(identifier)
}

/// Words that are no names in Python.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

#[cfg(test)]
mod tests;
