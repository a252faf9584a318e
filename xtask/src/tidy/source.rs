//! Rust source as tidy sees it: comments and literals blanked out, `use` groups spelled in full.

/// Replaces comments, strings and character literals by spaces; lines stay where they are.
pub(super) fn code_only(source: &str) -> String {
    let mut scanner = Scanner { rest: source, code: String::with_capacity(source.len()) };
    while !scanner.rest.is_empty() {
        scanner.step();
    }
    scanner.code
}

/// Every path that `use` declarations in blanked code bring in, spelled in full, with its line from 1.
pub(super) fn imports(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (start, _) in code.match_indices("use ") {
        let before = code[..start].trim_end();
        let begins =
            before.is_empty() || before.ends_with([';', '}', '{', ']', ')']) || before.ends_with("pub");
        let Some(end) = code[start..].find(';').filter(|_| begins) else { continue };
        let line = code[..start].matches('\n').count() + 1;
        let tree: String = code[start + 4..start + end].split_whitespace().collect::<Vec<_>>().join(" ");
        expand("", &tree, &mut |path| found.push((line, path)));
    }
    found
}

fn expand(prefix: &str, tree: &str, found: &mut impl FnMut(String)) {
    let tree = tree.trim().trim_start_matches("::");
    match tree.split_once('{') {
        Some((head, group)) if group.ends_with('}') => {
            let prefix = format!("{prefix}{}", head.trim());
            for part in split_group(&group[..group.len() - 1]) {
                expand(&prefix, part, found);
            }
        }
        _ if tree.is_empty() => {}
        _ => {
            let path = tree.split(" as ").next().unwrap_or(tree).trim();
            found(format!("{prefix}{}", if path == "self" { "" } else { path }));
        }
    }
}

/// Splits at the commas that are in no inner group.
fn split_group(group: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (index, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&group[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&group[start..]);
    parts
}

struct Scanner<'a> {
    rest: &'a str,
    code: String,
}

impl Scanner<'_> {
    fn step(&mut self) {
        let rest = self.rest;
        if rest.starts_with("//") {
            self.blank(rest.find('\n').unwrap_or(rest.len()));
        } else if rest.starts_with("/*") {
            self.blank(block_comment(rest));
        } else if let Some(length) = raw_string(rest).filter(|_| !self.inside_word()) {
            self.blank(length);
        } else if rest.starts_with('"') {
            self.blank(quoted(rest, '"'));
        } else if let Some(length) = character_literal(rest) {
            self.blank(length);
        } else {
            let length = rest.chars().next().map_or(0, char::len_utf8);
            self.code.push_str(&rest[..length]);
            self.rest = &rest[length..];
        }
    }

    fn blank(&mut self, length: usize) {
        let (text, rest) = self.rest.split_at(length);
        self.code.extend(text.chars().map(|character| if character == '\n' { '\n' } else { ' ' }));
        self.rest = rest;
    }

    /// `r"` ends an identifier in `for"`: no raw string begins there.
    fn inside_word(&self) -> bool {
        self.code.ends_with(|last: char| last.is_alphanumeric() || last == '_')
    }
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut position) = (0usize, 0);
    while position < text.len() {
        let rest = &text.as_bytes()[position..];
        if rest.starts_with(b"/*") {
            depth += 1;
            position += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            position += 2;
            if depth == 0 {
                return position;
            }
        } else {
            position += 1;
        }
    }
    text.len()
}

fn raw_string(text: &str) -> Option<usize> {
    let prefix = ["br", "cr", "r"].into_iter().find(|prefix| text.starts_with(prefix))?.len();
    let hashes = text[prefix..].bytes().take_while(|byte| *byte == b'#').count();
    let body = text[prefix + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let begin = text.len() - body.len();
    Some(body.find(&end).map_or(text.len(), |at| begin + at + end.len()))
}

/// The length of a literal that begins with `quote` and knows backslash escapes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (index, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return index + 1,
            _ => {}
        }
    }
    text.len()
}

/// A character literal, distinguished from a lifetime by its closing quote.
fn character_literal(text: &str) -> Option<usize> {
    let mut characters = text.strip_prefix('\'')?.chars();
    match characters.next()? {
        '\\' => Some(quoted(text, '\'')),
        first => (characters.next()? == '\'').then_some(first.len_utf8() + 2),
    }
}
