//! Text taken apart into comparable words.

/// Longest text that is looked at, in bytes; descriptions beyond it add nothing to a search.
const TEXT: usize = 4096;

/// Words that say nothing about a tool, however rare they are in a catalogue.
const FILLERS: &[&str] = &[
    "a", "all", "an", "and", "are", "as", "at", "by", "can", "for", "from", "how", "i", "in", "into", "is",
    "it", "me", "my", "of", "on", "or", "that", "the", "this", "to", "what", "which", "with", "you",
];

/// The words of a query that are worth looking for; all of them, if there are no others.
pub(super) fn asked(query: &str) -> Vec<String> {
    let all = words(query);
    let telling: Vec<String> = all.iter().filter(|word| !FILLERS.contains(&word.as_str())).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

/// The stems of the words of a text: lower case, `camelCase` and `snake_case` taken apart.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut before_lower = false;
    let end = text.char_indices().map(|(at, _)| at).find(|at| *at > TEXT).unwrap_or(text.len());
    for character in text[..end].chars() {
        let hump = character.is_uppercase() && before_lower;
        if (hump || !character.is_alphanumeric()) && !word.is_empty() {
            found.push(stem(&std::mem::take(&mut word)));
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        before_lower = character.is_lowercase() || character.is_numeric();
    }
    if !word.is_empty() {
        found.push(stem(&word));
    }
    found
}

/// What the forms of an English word share: `creat` of `create`, `creates`, `created`, `creating` and `creation`.
fn stem(word: &str) -> String {
    if !word.is_ascii() {
        return word.to_owned();
    }
    let singular = singular(word);
    let base = without_ending(&singular).unwrap_or(&singular);
    match base.strip_suffix('e') {
        Some(stem) if stem.len() > 2 => stem.to_owned(),
        _ => base.to_owned(),
    }
}

/// `company` of `companies`, `price` of `prices`.
fn singular(word: &str) -> String {
    match (word.strip_suffix("ies"), word.strip_suffix('s')) {
        (Some(base), _) if base.len() > 1 => format!("{base}y"),
        (_, Some(base)) if base.len() > 2 && !base.ends_with(['s', 'u', 'i']) => base.to_owned(),
        _ => word.to_owned(),
    }
}

/// The word without `-ing`, `-ed` or `-ion`, where what is left can be a word.
fn without_ending(word: &str) -> Option<&str> {
    let is_word = |base: &&str| base.len() > 2 && base.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    if let Some(base) = word.strip_suffix("ing").or_else(|| word.strip_suffix("ed")).filter(is_word) {
        let bytes = base.as_bytes();
        // `committing` doubles the last letter of `commit`, `listing` and `adding` don't.
        let doubles = bytes.len() > 4 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
        return Some(if doubles && !base.ends_with(['l', 's']) { &base[..base.len() - 1] } else { base });
    }
    word.strip_suffix("ion").filter(|base| base.len() > 4 && base.ends_with('t'))
}

/// Whether one letter was left out, added, changed, or two were swapped.
pub(super) fn one_edit_apart(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let same = short.iter().zip(long.iter()).take_while(|(x, y)| x == y).count();
    let (short, long) = (&short[same..], &long[same..]);
    match long.len() - short.len() {
        1 => *short == long[1..],
        _ if short.is_empty() => true,
        _ => {
            short[1..] == long[1..]
                || (short.len() > 1 && short[0] == long[1] && short[1] == long[0] && short[2..] == long[2..])
        }
    }
}
