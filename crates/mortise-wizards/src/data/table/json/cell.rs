//! The text of one JSON value in a cell: the same that Python's `json` gives, so that parsers and readers agree.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::value::RawValue;

use crate::data::infer::CellKind;

/// How deep a value may be nested.
const LEVELS: usize = 127;

/// Why a value has no text.
#[derive(Debug, thiserror::Error)]
pub(super) enum CellError {
    /// Nested too deep.
    #[error("the value is nested deeper than {LEVELS} levels")]
    Deep,
    /// A text with an escape that means nothing.
    #[error(transparent)]
    Text(#[from] serde_json::Error),
}

/// The text of a value and its kind; none for null.
pub(super) fn cell(value: &RawValue) -> Result<Option<(String, CellKind)>, CellError> {
    let text = value.get();
    Ok(match text.as_bytes().first() {
        None | Some(b'n') => None,
        Some(b't' | b'f') => Some((text.to_owned(), CellKind::Boolean)),
        Some(b'"') => Some((serde_json::from_str(text)?, CellKind::Text)),
        Some(b'{' | b'[') => {
            let mut compact = String::with_capacity(text.len());
            CellWalk { text, at: 0, level: 0 }.value(&mut compact)?;
            Some((compact, CellKind::Nested))
        }
        Some(_) => Some((number(text), CellKind::Number)),
    })
}

/// A number as Python writes it: integers keep all digits, others are as short as they can be.
fn number(text: &str) -> String {
    if !text.contains(['.', 'e', 'E']) {
        return if text == "-0" { "0".to_owned() } else { text.to_owned() };
    }
    let Ok(value) = text.parse::<f64>() else { return text.to_owned() };
    if value.is_infinite() {
        return if value > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() };
    }
    let short = format!("{value:?}");
    match short.split_once('e') {
        None => short,
        Some((digits, exponent)) => match exponent.strip_prefix('-') {
            Some(exponent) => format!("{digits}e-{exponent:0>2}"),
            None => format!("{digits}e+{exponent:0>2}"),
        },
    }
}

/// Walks over a value that is known to be well formed, but for the escapes in its texts.
struct CellWalk<'a> {
    text: &'a str,
    at: usize,
    level: usize,
}

impl CellWalk<'_> {
    /// Writes the next value without spaces.
    fn value(&mut self, out: &mut String) -> Result<(), CellError> {
        match self.peek() {
            Some(open @ (b'{' | b'[')) => {
                self.level += 1;
                if self.level > LEVELS {
                    return Err(CellError::Deep);
                }
                self.at += 1;
                if open == b'{' { self.object(out) } else { self.array(out) }?;
                self.level -= 1;
            }
            Some(b'"') => out.push_str(&self.string()?),
            _ => {
                let rest = &self.text[self.at..];
                let ends = |byte: u8| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
                let token = &rest[..rest.bytes().position(ends).unwrap_or(rest.len())];
                self.at += token.len();
                match token {
                    "null" | "true" | "false" => out.push_str(token),
                    _ => out.push_str(&number(token)),
                }
            }
        }
        Ok(())
    }

    fn array(&mut self, out: &mut String) -> Result<(), CellError> {
        out.push('[');
        while let Some(byte) = self.peek() {
            match byte {
                b']' => {
                    self.at += 1;
                    break;
                }
                b',' => {
                    self.at += 1;
                    out.push(',');
                }
                _ => self.value(out)?,
            }
        }
        out.push(']');
        Ok(())
    }

    /// The last of several members of one name counts, at the place of the first.
    fn object(&mut self, out: &mut String) -> Result<(), CellError> {
        let mut values: Vec<(String, String)> = Vec::new();
        let mut places = HashMap::new();
        while let Some(byte) = self.peek() {
            if byte == b'"' {
                let name = self.string()?;
                // The colon.
                self.peek();
                self.at += 1;
                let mut value = String::new();
                self.value(&mut value)?;
                match places.entry(name) {
                    Entry::Occupied(place) => {
                        let place: usize = *place.get();
                        values[place].1 = value;
                    }
                    Entry::Vacant(place) => {
                        values.push((place.key().clone(), value));
                        place.insert(values.len() - 1);
                    }
                }
                continue;
            }
            self.at += 1;
            if byte == b'}' {
                break;
            }
        }
        out.push('{');
        for (index, (name, value)) in values.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            out.push_str(name);
            out.push(':');
            out.push_str(value);
        }
        out.push('}');
        Ok(())
    }

    /// The next text, with no more escapes than it needs.
    fn string(&mut self) -> Result<String, CellError> {
        let rest = &self.text[self.at..];
        let mut escaped = true; // the opening quote
        let end = rest.bytes().position(|byte| match byte {
            _ if escaped => {
                escaped = false;
                false
            }
            b'\\' => {
                escaped = true;
                false
            }
            byte => byte == b'"',
        });
        let token = &rest[..end.map_or(rest.len(), |end| end + 1)];
        self.at += token.len();
        let text: String = serde_json::from_str(token)?;
        Ok(serde_json::to_string(&text)?)
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.text.as_bytes().get(self.at).copied()
    }
}

#[cfg(test)]
mod tests;
