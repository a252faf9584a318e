//! The globs of rules: compiling, their depth, and placeholders.

use globset::{Glob, GlobBuilder};

/// Compiles a glob as rules mean it: case counts, and `*` and `?` stay within a segment.
pub fn compile_glob(glob: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(glob).literal_separator(true).backslash_escape(false).build()
}

/// The number of segments that every match has, or `None` if that varies.
///
/// ```
/// use mortise_formats::rules::fixed_depth;
///
/// assert_eq!(fixed_depth("data/*/????-??-??/*.csv"), Some(4));
/// assert_eq!(fixed_depth("**/*.csv"), None);
/// ```
pub fn fixed_depth(glob: &str) -> Option<usize> {
    if glob.split('/').any(|segment| segment == "**") {
        return None;
    }
    let mut depth = 1;
    let mut braces = 0usize;
    for character in glob.chars() {
        match character {
            '{' => braces += 1,
            '}' => braces = braces.saturating_sub(1),
            '/' if braces > 0 => return None,
            '/' => depth += 1,
            _ => {}
        }
    }
    Some(depth)
}

/// A `{name}` in a glob that stands for nothing.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnknownPlaceholder {
    pub(super) name: String,
}

/// The glob with each `{name}` replaced by what `expand` says.
///
/// A group without a comma is a literal for glob engines, so it must never reach one.
pub(super) fn expand_placeholders(
    glob: &str,
    expand: impl Fn(&str) -> Option<&'static str>,
) -> Result<String, UnknownPlaceholder> {
    let mut expanded = String::with_capacity(glob.len());
    let mut rest = glob;
    while let Some(start) = rest.find(['{', '[']) {
        expanded.push_str(&rest[..start]);
        rest = &rest[start..];
        let (length, replacement) = match rest.starts_with('[') {
            true => (class(rest), None),
            false => match group(rest) {
                Some((length, false)) => {
                    let name = &rest[1..length - 1];
                    (length, Some(expand(name).ok_or_else(|| UnknownPlaceholder { name: name.to_owned() })?))
                }
                Some((_, true)) | None => (1, None),
            },
        };
        expanded.push_str(replacement.unwrap_or(&rest[..length]));
        rest = &rest[length..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// The length of the class that the text starts with, or 1 if it is not closed.
fn class(text: &str) -> usize {
    // A `]` directly after the opening, or after its `!`, is a member.
    let members = if text.starts_with("[!") || text.starts_with("[^") { 3 } else { 2 };
    let from = text.floor_char_boundary(members.min(text.len()));
    text[from..].find(']').map_or(1, |at| from + at + 1)
}

/// The length of the group that the text starts with, and whether it has alternatives.
fn group(text: &str) -> Option<(usize, bool)> {
    let mut depth = 0usize;
    let mut alternatives = false;
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        match character {
            // What is in a class is literal.
            '[' => {
                at += class(&text[at..]);
                continue;
            }
            '{' => depth += 1,
            ',' if depth == 1 => alternatives = true,
            '}' if depth == 1 => return Some((at + 1, alternatives)),
            '}' => depth -= 1,
            _ => {}
        }
        at += character.len_utf8();
    }
    None
}
