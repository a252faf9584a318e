//! Source text without its strings and comments: what a compiler takes for code.

/// Code with every string as `""` and every comment gone; an error if one does not end.
pub(crate) fn typescript(text: &str) -> Result<String, String> {
    let mut code = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(inside) = rest.strip_prefix("/*") {
            rest = after(inside, "*/").ok_or("a comment does not end")?;
        } else if let Some(inside) = rest.strip_prefix('"') {
            rest = after_string(inside).ok_or("a string does not end")?;
            code.push_str("\"\"");
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    Ok(code)
}

/// The same for Python.
pub(crate) fn python(text: &str) -> Result<String, String> {
    let mut code = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(inside) = rest.strip_prefix("\"\"\"") {
            rest = after_docstring(inside).ok_or("a docstring does not end")?;
            code.push_str("\"\"");
        } else if let Some(inside) = rest.strip_prefix('"') {
            rest = after_string(inside).ok_or("a string does not end")?;
            code.push_str("\"\"");
        } else if rest.starts_with('#') {
            let end = rest.find('\n').unwrap_or(rest.len());
            // Nothing else ends a line for Python.
            if rest[..end].contains(['\r', '\u{c}']) {
                return Err("a comment ends early".to_owned());
            }
            rest = &rest[end..];
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    Ok(code)
}

fn after<'a>(text: &'a str, end: &str) -> Option<&'a str> {
    text.find(end).map(|at| &text[at + end.len()..])
}

/// What follows a string on one line.
fn after_string(text: &str) -> Option<&str> {
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some(&text[at + 1..]),
            '\\' => drop(characters.next()),
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => return None,
            _ => {}
        }
    }
    None
}

fn after_docstring(text: &str) -> Option<&str> {
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("\"\"\"") {
            return Some(&text[at + 3..]);
        }
        let step = if text[at..].starts_with('\\') { 1 } else { 0 };
        at += text[at..].chars().take(step + 1).map(char::len_utf8).sum::<usize>();
    }
    None
}
