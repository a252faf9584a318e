//! What there is to know about a JSON text without building it.

/// What a scan of a JSON text found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JsonScan {
    /// The arrays and objects around the innermost value, plus one.
    pub(crate) levels: usize,
    /// Whether a number might not fit a float, or Python's limit on digits.
    pub(crate) wide_numbers: bool,
}

/// Fewer digits than this in a row, and fewer exponent digits than three, always fit.
const MANY_DIGITS: usize = 300;
const EXPONENT_DIGITS: usize = 3;

/// Looks through a text that is JSON; on anything else it just ends.
pub(crate) fn scan_json(text: &str) -> JsonScan {
    let bytes = text.as_bytes();
    let mut found = JsonScan { levels: 1, wide_numbers: false };
    let (mut levels, mut at) = (1_usize, 0);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'[' | b'{' => {
                levels += 1;
                found.levels = found.levels.max(levels);
            }
            b']' | b'}' => levels = levels.saturating_sub(1),
            b'"' => at = after_string(bytes, at),
            b'0'..=b'9' => {
                let end = after_digits(bytes, at);
                found.wide_numbers |= end - at >= MANY_DIGITS;
                at = end;
            }
            b'e' | b'E' => {
                let start = at + usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
                let end = after_digits(bytes, start);
                found.wide_numbers |= end - start >= EXPONENT_DIGITS;
                at = end.max(at);
            }
            _ => {}
        }
    }
    found
}

fn after_digits(bytes: &[u8], start: usize) -> usize {
    start + bytes[start.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn after_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => break,
            b'\\' => at += 1,
            _ => {}
        }
    }
    at
}

#[cfg(test)]
mod tests;
