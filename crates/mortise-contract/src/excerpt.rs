//! Texts cut to a size, at a character, visibly.

/// At most `bytes` bytes of `text`; a cut is at a character and marked with `…`.
pub fn excerpt(text: &str, bytes: usize) -> String {
    const MARK: &str = "…";
    if text.len() <= bytes {
        return text.to_owned();
    }
    let cut = text.floor_char_boundary(bytes.saturating_sub(MARK.len()));
    format!("{}{MARK}", &text[..cut])
}
