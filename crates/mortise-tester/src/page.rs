//! HTML pages that need nothing from elsewhere: their frame, their house style, and text from outside as text.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The colours and type of every page.
const STYLE: &str = include_str!("page/house.css");

/// One document. Its policy lets it load nothing and run no script but the one that is given.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The title of the window.
    pub title: &'a str,
    /// Style beyond that of the house.
    pub style: &'a str,
    /// A script that runs once the page is there.
    pub script: Option<&'a str>,
    /// The content, which is HTML already.
    pub body: &'a str,
}

impl Page<'_> {
    /// The whole document.
    pub fn render(&self) -> String {
        let mut page = String::with_capacity(self.body.len() + 16 * 1024);
        page.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        let scripts = self.script.map(|script| format!("; script-src 'sha256-{}'", hash(script)));
        _ = writeln!(
            page,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'{}\">",
            scripts.unwrap_or_default()
        );
        _ = writeln!(page, "<title>{}</title>\n<style>\n{STYLE}{}</style>", escape(self.title), self.style);
        _ = writeln!(page, "</head>\n<body>\n{}", self.body);
        if let Some(script) = self.script {
            _ = writeln!(page, "<script>{script}</script>");
        }
        page.push_str("</body>\n</html>\n");
        page
    }
}

/// What a browser compares a script with before it runs it.
fn hash(script: &str) -> String {
    STANDARD.encode(hmac_sha256::Hash::hash(script.as_bytes()))
}

/// Text from outside as HTML.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => push_visible(&mut escaped, letter),
        }
    }
    escaped
}

/// Text from outside without characters that hide or turn text around, for scripts that show it as text.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    text.chars().for_each(|letter| push_visible(&mut shown, letter));
    shown
}

/// A JSON text that can stand between the tags of a script.
pub fn json_for_script(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => _ = write!(safe, "\\u{:04x}", u32::from(letter)),
            letter => safe.push(letter),
        }
    }
    safe
}

fn push_visible(shown: &mut String, letter: char) {
    match letter {
        '\n' | '\t' => shown.push(letter),
        letter
            if letter.is_control()
                || matches!(letter, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{feff}')
                || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}') =>
        {
            _ = write!(shown, "\\u{{{:x}}}", u32::from(letter));
        }
        letter => shown.push(letter),
    }
}

#[cfg(test)]
mod tests;
