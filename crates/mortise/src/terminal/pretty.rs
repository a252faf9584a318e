//! JSON texts laid out for reading, digits and key order untouched.

/// Levels that are indented; deeper ones line up, or a deeply nested text would grow by its square.
const INDENTED: usize = 64;

/// Indents a well-formed JSON text by two spaces; every token stays as its sender wrote it.
pub(crate) fn indent(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0;
    let mut characters = json.char_indices().peekable();
    while let Some((start, character)) = characters.next() {
        match character {
            '"' => {
                let mut end = start + 1;
                while let Some((index, character)) = characters.next() {
                    end = index + character.len_utf8();
                    match character {
                        '\\' => _ = characters.next(),
                        '"' => break,
                        _ => {}
                    }
                }
                out.push_str(&json[start..end]);
            }
            '{' | '[' => {
                out.push(character);
                while characters.next_if(|(_, next)| next.is_ascii_whitespace()).is_some() {}
                match characters.next_if(|(_, next)| matches!(next, '}' | ']')) {
                    Some((_, close)) => out.push(close),
                    None => {
                        depth += 1;
                        new_line(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = usize::saturating_sub(depth, 1);
                new_line(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(',');
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            character if character.is_ascii_whitespace() => {}
            character => out.push(character),
        }
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth.min(INDENTED)));
}

#[cfg(test)]
mod tests;
