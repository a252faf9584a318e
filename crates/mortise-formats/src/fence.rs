//! Texts as people and models hand them over: with a byte order mark, inside a Markdown fence.

/// The text without a byte order mark and without one Markdown fence around all of it.
pub fn unfenced(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    inside(text).unwrap_or(text)
}

fn inside(text: &str) -> Option<&str> {
    let trimmed = text.trim();
    let rest = trimmed.strip_prefix("```")?;
    let (language, content) = rest.split_once('\n')?;
    let is_word = language.trim().chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '_'));
    let content = content.strip_suffix("```")?;
    // A fence in between means that there are several, and none is around all of it.
    (is_word && (content.is_empty() || content.ends_with('\n')) && !content.contains("\n```"))
        .then_some(content)
}

#[cfg(test)]
mod tests;
