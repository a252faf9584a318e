//! Keys that an object has twice. Parsers keep the last one silently.

use std::collections::HashSet;

use super::pointer::escape_token;
use super::scan::end_of_string;

/// How many are reported per text.
const DUPLICATES_KEPT: usize = 64;

/// A key that an object has more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateKey {
    /// JSON pointer to the object.
    pub pointer: String,
    /// The key.
    pub key: String,
}

enum KeysFrame {
    Array { index: usize },
    Object { seen: HashSet<String>, key: String, expects_key: bool },
}

/// Every key that an object of this well-formed text repeats, in text order, the first 64 of them.
///
/// ```
/// let found = mortise_contract::json::duplicate_keys(r#"{"a": [{"id": 1, "i\u0064": 2}]}"#);
/// assert_eq!((found[0].pointer.as_str(), found[0].key.as_str()), ("/a/0", "id"));
/// ```
pub fn duplicate_keys(text: &str) -> Vec<DuplicateKey> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut frames: Vec<KeysFrame> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = end_of_string(bytes, at);
                if let Some(duplicate) = note_key(&mut frames, text.get(at..end).unwrap_or_default()) {
                    found.push(duplicate);
                    if found.len() == DUPLICATES_KEPT {
                        return found;
                    }
                }
                at = end;
                continue;
            }
            b'{' => {
                frames.push(KeysFrame::Object { seen: HashSet::new(), key: String::new(), expects_key: true })
            }
            b'[' => frames.push(KeysFrame::Array { index: 0 }),
            b'}' | b']' => drop(frames.pop()),
            b',' => match frames.last_mut() {
                Some(KeysFrame::Array { index }) => *index += 1,
                Some(KeysFrame::Object { expects_key, .. }) => *expects_key = true,
                None => {}
            },
            _ => {}
        }
        at += 1;
    }
    found
}

fn note_key(frames: &mut [KeysFrame], token: &str) -> Option<DuplicateKey> {
    let Some(KeysFrame::Object { seen, key, expects_key: expects_key @ true }) = frames.last_mut() else {
        return None;
    };
    *expects_key = false;
    *key = serde_json::from_str(token).unwrap_or_else(|_| token.to_owned());
    if seen.insert(key.clone()) {
        return None;
    }
    let key = key.clone();
    let outer = frames.len() - 1;
    Some(DuplicateKey { pointer: render(&frames[..outer]), key })
}

fn render(frames: &[KeysFrame]) -> String {
    let mut pointer = String::new();
    for frame in frames {
        pointer.push('/');
        match frame {
            KeysFrame::Array { index } => pointer.push_str(&index.to_string()),
            KeysFrame::Object { key, .. } => pointer.push_str(&escape_token(key)),
        }
    }
    pointer
}
