//! The sentences of a Markdown page: paragraphs, list items and cells of tables, without code.

/// One sentence.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    /// The line where its paragraph begins, from 1.
    pub(super) line: usize,
    /// In lower case and without punctuation; a piece of code is one word.
    pub(super) words: Vec<String>,
}

/// What stands for code in a sentence.
const CODE: &str = "`";

pub(super) fn sentences(page: &str) -> Vec<Sentence> {
    paragraphs(page).into_iter().flat_map(|(line, text)| split(line, &text)).collect()
}

/// Paragraphs with the line at which each begins. A list item and a cell of a table is one.
fn paragraphs(page: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    let mut fence = None;
    for (index, line) in page.lines().enumerate() {
        let text = line.trim();
        let mark = text.get(..3).filter(|mark| matches!(*mark, "```" | "~~~"));
        if fence.is_some() || mark.is_some() {
            let ends = fence.is_some() && mark == fence;
            fence = if ends { None } else { fence.or(mark) };
            is_open = false;
            continue;
        }
        let is_indented_code = line.starts_with("    ") && !is_open;
        if text.is_empty() || text.starts_with('#') || text.starts_with('<') || is_indented_code {
            is_open = false;
        } else if text.starts_with('|') {
            found.extend(text.split('|').map(|cell| (index + 1, cell.trim().to_owned())));
            is_open = false;
        } else if let Some(item) = item(text) {
            found.push((index + 1, item.to_owned()));
            is_open = true;
        } else if let (true, Some((_, paragraph))) = (is_open, found.last_mut()) {
            paragraph.push(' ');
            paragraph.push_str(text);
        } else {
            found.push((index + 1, text.to_owned()));
            is_open = true;
        }
    }
    found
}

/// The text of a list item or a quotation.
fn item(text: &str) -> Option<&str> {
    let digits = text.trim_start_matches(|character: char| character.is_ascii_digit());
    let numbered = digits.strip_prefix(". ").filter(|_| digits.len() < text.len());
    numbered.or_else(|| ["- ", "* ", "> "].iter().find_map(|mark| text.strip_prefix(mark)))
}

fn split(line: usize, paragraph: &str) -> Vec<Sentence> {
    let text = without_code_and_addresses(paragraph);
    let mut found = Vec::new();
    let mut words = Vec::new();
    let mut tokens = text.split_whitespace().peekable();
    while let Some(token) = tokens.next() {
        let word = token.trim_matches(|character: char| !character.is_alphanumeric() && character != '`');
        if !word.is_empty() {
            words.push(word.to_lowercase());
        }
        let bare = token.trim_end_matches(['"', '\'', ')', '*', '_', '”']);
        let starts_sentence = |next: &&str| !next.starts_with(char::is_lowercase);
        if bare.ends_with(['.', '!', '?']) && tokens.peek().is_none_or(starts_sentence) {
            found.push(Sentence { line, words: std::mem::take(&mut words) });
        }
    }
    found.push(Sentence { line, words });
    found.retain(|sentence| !sentence.words.is_empty());
    found
}

/// Code becomes one mark, a link its text.
fn without_code_and_addresses(paragraph: &str) -> String {
    let parts = paragraph.split('`').enumerate();
    let text: String = parts.map(|(index, part)| if index % 2 == 1 { CODE } else { part }).collect();
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some((before, address)) = rest.split_once("](") {
        out.push_str(before);
        rest = address.split_once(')').map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out.replace(['[', ']'], "")
}
