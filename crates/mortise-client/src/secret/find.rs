//! Finding a secret in a text, in whatever escapes it is written there.

/// Backslashes before one letter that are followed: each JSON in JSON doubles them.
const BACKSLASHES: usize = 64;

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
    // How far before the end of a run of backslashes a secret may start in it.
    let reach = BACKSLASHES + backslashes(secret.as_bytes());
    let mut out = String::new();
    // Up to where `text` is in `out`.
    let mut copied = 0;
    let mut at = 0;
    let may_start = |byte: &u8| *byte == first || matches!(byte, b'\\' | b'%' | b'+');
    while let Some(skipped) = bytes[at..].iter().position(may_start) {
        at += skipped;
        at += backslashes(&bytes[at..]).saturating_sub(reach);
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

/// Which reading of a letter is tried first. `\u0075` is an escaped `u`, or a `u` behind a backslash
/// with `0075` after it; `%25` and `\u005c` begin with what they stand for.
#[derive(Clone, Copy)]
enum First {
    Letter,
    Code,
}

/// Where the secret that starts at `start` ends.
fn end_of(bytes: &[u8], start: usize, secret: &str) -> Option<usize> {
    let end = |first: First| {
        secret.chars().try_fold(start, |at, letter| Some(at + length(&bytes[at..], letter, first)?))
    };
    end(First::Letter).max(end(First::Code))
}

/// How many bytes the letter takes at the start of a text; `None` if it does not stand there.
fn length(bytes: &[u8], letter: char, first: First) -> Option<usize> {
    let mut buffer = [0; 4];
    let encoded = letter.encode_utf8(&mut buffer).as_bytes();
    let as_letter = || as_letter(bytes, letter, encoded);
    let as_code = || match bytes.first()? {
        b'%' => in_percents(bytes, encoded),
        b'\\' => in_units(bytes, letter),
        _ => None,
    };
    match first {
        First::Letter => as_letter().or_else(as_code),
        First::Code => as_code().or_else(as_letter),
    }
}

fn as_letter(bytes: &[u8], letter: char, encoded: &[u8]) -> Option<usize> {
    if bytes.starts_with(encoded) {
        return Some(encoded.len());
    }
    if letter == ' ' && bytes.first() == Some(&b'+') {
        return Some(1);
    }
    let start = few_backslashes(bytes);
    let rest = bytes.get(start..).filter(|_| start > 0)?;
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
    (short.is_some() && rest.first().copied() == short).then_some(start + 1)
}

fn in_percents(bytes: &[u8], encoded: &[u8]) -> Option<usize> {
    let stands = encoded.iter().enumerate().all(|(position, byte)| {
        let start = 3 * position;
        bytes.get(start) == Some(&b'%') && number(bytes, start + 1..start + 3) == Some(u32::from(*byte))
    });
    stands.then_some(3 * encoded.len())
}

fn in_units(bytes: &[u8], letter: char) -> Option<usize> {
    let mut at = 0;
    for unit in letter.encode_utf16(&mut [0; 2]) {
        at += few_backslashes(&bytes[at..]);
        let is_unit = bytes.get(at) == Some(&b'u') && number(bytes, at + 1..at + 5) == Some(u32::from(*unit));
        at += if is_unit { 5 } else { return None };
    }
    Some(at)
}

fn few_backslashes(bytes: &[u8]) -> usize {
    backslashes(&bytes[..bytes.len().min(BACKSLASHES)])
}

fn backslashes(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| **byte == b'\\').count()
}

fn number(bytes: &[u8], digits: std::ops::Range<usize>) -> Option<u32> {
    let digits = bytes.get(digits)?;
    digits.iter().try_fold(0, |number, digit| Some(number * 16 + char::from(*digit).to_digit(16)?))
}
