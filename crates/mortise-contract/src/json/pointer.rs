//! JSON pointers: escaping, and which one belongs to an offset in a text.

use std::borrow::Cow;

use super::scan::{end_of_number, end_of_string};

/// One reference token with `~` and `/` escaped.
pub fn escape_token(token: &str) -> Cow<'_, str> {
    if token.contains(['~', '/']) {
        Cow::Owned(token.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(token)
    }
}

/// One reference token as the key it stands for.
pub fn unescape_token(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(token)
    }
}

enum PointerFrame {
    Array(usize),
    Object(String),
}

/// The pointers to the values that start at the given offsets (ascending) of a well-formed text.
pub(super) fn pointers_at(text: &str, offsets: &[usize]) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut frames: Vec<PointerFrame> = Vec::new();
    let mut wanted = offsets.iter().copied().peekable();
    let mut pointers = Vec::with_capacity(offsets.len());
    let mut expects_key = false;
    let mut at = 0;
    while let (Some(&byte), Some(&next)) = (bytes.get(at), wanted.peek()) {
        if at == next {
            pointers.push(render(&frames));
            wanted.next();
        }
        match byte {
            b'"' => {
                let end = end_of_string(bytes, at);
                if let (true, Some(PointerFrame::Object(key))) = (expects_key, frames.last_mut()) {
                    *key = serde_json::from_str(&text[at..end]).unwrap_or_default();
                    expects_key = false;
                }
                at = end;
                continue;
            }
            b'-' | b'0'..=b'9' => {
                at = end_of_number(bytes, at);
                continue;
            }
            b'{' => {
                frames.push(PointerFrame::Object(String::new()));
                expects_key = true;
            }
            b'[' => {
                frames.push(PointerFrame::Array(0));
                expects_key = false;
            }
            b'}' | b']' => {
                frames.pop();
                expects_key = false;
            }
            b',' => match frames.last_mut() {
                Some(PointerFrame::Array(index)) => *index += 1,
                Some(PointerFrame::Object(_)) => expects_key = true,
                None => {}
            },
            _ => {}
        }
        at += 1;
    }
    pointers
}

fn render(frames: &[PointerFrame]) -> String {
    let mut pointer = String::new();
    for frame in frames {
        pointer.push('/');
        match frame {
            PointerFrame::Array(index) => pointer.push_str(&index.to_string()),
            PointerFrame::Object(key) => pointer.push_str(&escape_token(key)),
        }
    }
    pointer
}
