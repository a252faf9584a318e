//! Finding a secret in a text, in whatever escapes it is written there.

/// The text with `hidden` in place of every occurrence of `secret`; `None` where there is none.
///
/// A letter of it may stand as itself, behind the backslashes of JSON in JSON, as `\uXXXX`, or as
/// the `%XX` of an address.
pub(super) fn replaced(text: &str, secret: &str, hidden: &str) -> Option<String> {
    let first = *secret.as_bytes().first()?;
    if !text.contains(['\\', '%', '+']) {
        return text.contains(secret).then(|| text.replace(secret, hidden));
    }
    let bytes = text.as_bytes();
    let mut out = String::new();
    // Up to where `text` is in `out`.
    let mut copied = 0;
    let mut at = 0;
    let may_start = |byte: &u8| *byte == first || matches!(byte, b'\\' | b'%' | b'+');
    while let Some(skipped) = bytes[at..].iter().position(may_start) {
        at += skipped;
        match end_of(bytes, at, secret) {
            Some(end) => {
                out.push_str(text.get(copied..at)?);
                out.push_str(hidden);
                (at, copied) = (end, end);
            }
            None => at += 1,
        }
    }
    (copied > 0).then(|| out + &text[copied..])
}

/// Where the secret that starts at `start` ends.
fn end_of(bytes: &[u8], start: usize, secret: &str) -> Option<usize> {
    let mut at = start;
    for letter in secret.chars() {
        at += length(&bytes[at..], letter)?;
    }
    Some(at)
}

/// How many bytes the letter takes at the start of a text; `None` if it does not stand there.
fn length(bytes: &[u8], letter: char) -> Option<usize> {
    let mut buffer = [0; 4];
    let encoded = letter.encode_utf8(&mut buffer).as_bytes();
    match bytes.first()? {
        _ if bytes.starts_with(encoded) => Some(encoded.len()),
        b'+' if letter == ' ' => Some(1),
        b'%' => in_percents(bytes, encoded),
        b'\\' => in_backslashes(bytes, letter, encoded),
        _ => None,
    }
}

fn in_percents(bytes: &[u8], encoded: &[u8]) -> Option<usize> {
    let stands = encoded.iter().enumerate().all(|(position, byte)| {
        let start = 3 * position;
        bytes.get(start) == Some(&b'%') && number(bytes, start + 1..start + 3) == Some(u32::from(*byte))
    });
    stands.then_some(3 * encoded.len())
}

fn in_backslashes(bytes: &[u8], letter: char, encoded: &[u8]) -> Option<usize> {
    let start = backslashes(bytes);
    let rest = &bytes[start..];
    let short = match letter {
        '\n' => Some(b'n'),
        '\r' => Some(b'r'),
        '\t' => Some(b't'),
        '\u{8}' => Some(b'b'),
        '\u{c}' => Some(b'f'),
        _ => None,
    };
    if rest.starts_with(encoded) {
        return Some(start + encoded.len());
    }
    if short.is_some() && rest.first().copied() == short {
        return Some(start + 1);
    }
    let mut at = 0;
    for unit in letter.encode_utf16(&mut [0; 2]) {
        at += backslashes(&bytes[at..]);
        let is_unit = bytes.get(at) == Some(&b'u') && number(bytes, at + 1..at + 5) == Some(u32::from(*unit));
        at += if is_unit { 5 } else { return None };
    }
    Some(at)
}

fn backslashes(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| **byte == b'\\').count()
}

fn number(bytes: &[u8], digits: std::ops::Range<usize>) -> Option<u32> {
    let digits = bytes.get(digits)?;
    digits.iter().try_fold(0, |number, digit| Some(number * 16 + char::from(*digit).to_digit(16)?))
}
