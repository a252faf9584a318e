//! Finds the dialect of a text by trying: the delimiter under which the table is most regular wins.

use super::header::{self, HeaderGuess};
use super::{CsvDialect, Escape, LineEnding};
use crate::data::bounds::PREAMBLE_LINES;
use crate::data::dates;
use crate::data::literal;

/// Bytes that are tried with each delimiter.
const TRIED_BYTES: usize = 128 << 10;
/// Lines that are tried even where they are longer than that: a header, and something to compare it with.
const TRIED_LINES: usize = 3;
/// Records that are looked at.
const TRIED_RECORDS: usize = 1_000;
/// The share of records that must have the same number of cells.
const REGULAR: f64 = 0.5;
/// The share for colons, which occur in many texts that are not tables.
const VERY_REGULAR: f64 = 0.95;

const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// What is known before looking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SniffHint {
    /// The caller names the delimiter.
    pub delimiter: Option<char>,
    /// The name of the file speaks for tabs.
    pub tabs: bool,
}

/// A dialect, and how sure it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Sniffed {
    /// The dialect; encoding, mark and compression are as for plain UTF-8.
    pub dialect: CsvDialect,
    /// Cells of a regular row.
    pub columns: usize,
    /// The share of rows that have `columns` cells.
    pub regularity: f64,
    /// The first lines before the table.
    pub preamble: Vec<String>,
}

/// Finds the dialect of a text; unless it is `complete`, its last line may be cut and is not looked at.
///
/// ```
/// use mortise_wizards::data::dialect::{SniffHint, sniff};
///
/// let sniffed = sniff("id;price\n1;2,50\n2;3,75\n", true, SniffHint::default());
/// assert_eq!((sniffed.dialect.delimiter, sniffed.columns), (';', 2));
/// assert!(sniffed.dialect.has_header);
/// ```
pub fn sniff(text: &str, complete: bool, hint: SniffHint) -> Sniffed {
    let text = beginning(text, complete);
    let line_ending = line_ending(text);
    let (declared, offset) = declared_separator(text);
    let declared_line = (offset > 0).then(|| text[..offset].trim_end().to_owned());
    let text = &text[offset..];
    let named = hint.delimiter.and_then(|delimiter| u8::try_from(delimiter).ok()).filter(u8::is_ascii);
    let given = named.or(declared);
    let trials: Vec<DialectTrial> = match given {
        Some(delimiter) => vec![DialectTrial::new(text, delimiter)],
        None => DELIMITERS.iter().map(|delimiter| DialectTrial::new(text, *delimiter)).collect(),
    };
    let score =
        |trial: &DialectTrial| trial.score * if hint.tabs && trial.delimiter == b'\t' { 1.2 } else { 1.0 };
    let mut best: Option<DialectTrial> = None;
    for trial in trials {
        let better = best.as_ref().is_none_or(|own| score(&trial) > score(own));
        if (given.is_some() || trial.is_table(REGULAR)) && better {
            best = Some(trial);
        }
    }
    let best = best.unwrap_or_else(|| without_delimiter(text));
    finish(text, best, line_ending, declared_line)
}

/// What is tried, up to the end of a line.
fn beginning(text: &str, complete: bool) -> &str {
    let lines = text.match_indices('\n').nth(TRIED_LINES - 1).map_or(text.len(), |(at, _)| at + 1);
    let mut end = text.len().min(TRIED_BYTES.max(lines));
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    match text[..end].rfind('\n') {
        _ if complete && end == text.len() => text,
        Some(at) => &text[..=at],
        None => &text[..end],
    }
}

fn line_ending(text: &str) -> LineEnding {
    match text.find(['\r', '\n']) {
        Some(at) if text[at..].starts_with("\r\n") => LineEnding::Crlf,
        Some(at) if text[at..].starts_with('\r') => LineEnding::Cr,
        _ => LineEnding::Lf,
    }
}

/// Spreadsheets may begin with a line `sep=;`.
fn declared_separator(text: &str) -> (Option<u8>, usize) {
    let line = text.split(['\r', '\n']).next().unwrap_or_default();
    match line.strip_prefix("sep=").or(line.strip_prefix("SEP=")).map(str::as_bytes) {
        Some([delimiter]) if delimiter.is_ascii() => {
            let rest = &text[line.len()..];
            let ending = if rest.starts_with("\r\n") { 2 } else { rest.len().min(1) };
            (Some(*delimiter), line.len() + ending)
        }
        _ => (None, 0),
    }
}

/// A text that no usual delimiter makes a table: colons, or a single column.
fn without_delimiter(text: &str) -> DialectTrial {
    let lines = || text.lines().filter(|line| !line.trim().is_empty()).take(TRIED_RECORDS);
    let typed = lines().filter(|line| is_typed(line.trim())).count() * 2 > lines().count();
    if !typed && !text.contains("://") {
        let colons = DialectTrial::new(text, b':');
        if colons.is_table(VERY_REGULAR) && colons.counted > 1 {
            return colons;
        }
    }
    let unused = DELIMITERS.into_iter().find(|delimiter| !text.as_bytes().contains(delimiter));
    let mut trial = DialectTrial::new(text, unused.unwrap_or(b'\x1f'));
    if unused.is_none() {
        trial.quote = None;
    }
    trial
}

/// A text read with one delimiter.
struct DialectTrial {
    delimiter: u8,
    quote: Option<u8>,
    escape: Escape,
    comment: bool,
    /// Cells of a regular row.
    columns: usize,
    /// Rows from the first regular one on.
    counted: usize,
    regularity: f64,
    /// Where the table begins.
    start: usize,
    score: f64,
    rows: Vec<csv::StringRecord>,
}

impl DialectTrial {
    fn new(text: &str, delimiter: u8) -> Self {
        let quote = quote(text, delimiter);
        let plain = Self::read(text, delimiter, quote, Escape::Doubled);
        match quote {
            Some(quote) if escapes_with_backslash(text, delimiter, quote) => {
                let escaped = Self::read(text, delimiter, Some(quote), Escape::Backslash);
                if escaped.score >= plain.score { escaped } else { plain }
            }
            _ => plain,
        }
    }

    fn is_table(&self, regular: f64) -> bool {
        self.columns > 1 && self.regularity >= regular && self.score > 0.0
    }

    fn read(text: &str, delimiter: u8, quote: Option<u8>, escape: Escape) -> Self {
        let draft = draft(delimiter, quote, escape);
        let mut reader = draft.reader(text.as_bytes());
        let mut rows: Vec<csv::StringRecord> = Vec::new();
        let mut record = csv::StringRecord::new();
        while rows.len() < TRIED_RECORDS && reader.read_record(&mut record).unwrap_or(false) {
            rows.push(record.clone());
        }
        let is_remark = |row: &csv::StringRecord| row.get(0).is_some_and(|cell| cell.starts_with('#'));
        let columns = most_common_width(&rows, is_remark);
        let comment = rows.iter().any(|row| is_remark(row) && row.len() != columns);
        let rows: Vec<_> = rows.into_iter().filter(|row| !(comment && is_remark(row))).collect();
        let first = first_of_table(&rows, columns);
        let start = rows.get(first).map_or(0, |row| start_of(text, row));
        let (before, table) = rows.split_at(first);
        let regular = table.iter().filter(|row| row.len() == columns).count();
        let regularity = regular as f64 / table.len().max(1) as f64;
        let clean = cleanness(table, columns, delimiter);
        let preamble = before.len() as f64 / rows.len().max(1) as f64;
        let width = columns as f64 / (columns as f64 + 1.0);
        let score = regularity * regularity * clean * width * (1.0 - 0.3 * preamble);
        let (counted, rows) = (table.len(), table.to_vec());
        Self { delimiter, quote, escape, comment, columns, counted, regularity, start, score, rows }
    }
}

fn draft(delimiter: u8, quote: Option<u8>, escape: Escape) -> CsvDialect {
    CsvDialect {
        delimiter: char::from(delimiter),
        quote: quote.map(char::from),
        escape,
        comment: None,
        skip_lines: 0,
        has_header: false,
        header_confidence: 0.0,
        line_ending: LineEnding::Lf,
        encoding: "utf-8".to_owned(),
        bom: false,
        gzip: false,
    }
}

/// The number of cells that most rows have. Of equally common ones that of the first row, else the largest.
fn most_common_width(rows: &[csv::StringRecord], is_remark: impl Fn(&csv::StringRecord) -> bool) -> usize {
    let mut widths: Vec<usize> =
        rows.iter().filter(|row| !is_remark(row)).map(csv::StringRecord::len).collect();
    if widths.is_empty() {
        widths = rows.iter().map(csv::StringRecord::len).collect();
    }
    let first = widths.first().copied();
    widths.sort_unstable();
    let mut best = (0, 1);
    for run in widths.chunk_by(|one, other| one == other) {
        // A table has rows; what comes before it may have as many lines.
        let weight = run.len() * if run[0] > 1 { 2 } else { 1 };
        if weight > best.0 || (weight == best.0 && first != Some(best.1)) {
            best = (weight, run[0]);
        }
    }
    best.1
}

/// The first row that belongs to the table.
fn first_of_table(rows: &[csv::StringRecord], columns: usize) -> usize {
    let first = rows.iter().position(|row| row.len() == columns).unwrap_or(0);
    if first as u64 > PREAMBLE_LINES { 0 } else { first }
}

/// Where a record begins, without empty lines before it.
fn start_of(text: &str, row: &csv::StringRecord) -> usize {
    let at =
        row.position().map_or(0, |position| usize::try_from(position.byte()).unwrap_or(0)).min(text.len());
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count()
}

/// How many cells look like one value: what has another delimiter in it may be several.
fn cleanness(rows: &[csv::StringRecord], columns: usize, delimiter: u8) -> f64 {
    let (mut clean, mut all) = (0.0, 0usize);
    for row in rows.iter().filter(|row| row.len() == columns).take(200) {
        for cell in row {
            all += 1;
            let suspicious = cell.bytes().any(|byte| byte != delimiter && DELIMITERS.contains(&byte));
            clean += if !suspicious || is_typed(cell.trim()) { 1.0 } else { 0.3 };
        }
    }
    clean / all.max(1) as f64
}

/// Whether a cell is something else than free text.
fn is_typed(cell: &str) -> bool {
    let decimal_comma = || literal::number(&cell.replacen(',', ".", 1)).is_some();
    cell.is_empty()
        || literal::number(cell).is_some()
        || dates::fitting(cell) != 0
        || dates::moment(cell).is_some()
        || literal::is_time(cell)
        || decimal_comma()
}

/// The quote that encloses cells: the one that stands at both ends of cells more often.
fn quote(text: &str, delimiter: u8) -> Option<u8> {
    let enclosing = |quote: u8| {
        let bytes = text.as_bytes();
        let edge =
            |byte: Option<&u8>| byte.is_none_or(|byte| *byte == delimiter || matches!(byte, b'\r' | b'\n'));
        let (mut opening, mut closing) = (0usize, 0usize);
        for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == quote) {
            opening += usize::from(edge(at.checked_sub(1).and_then(|before| bytes.get(before))));
            closing += usize::from(edge(bytes.get(at + 1)));
        }
        opening.min(closing)
    };
    match (enclosing(b'"'), enclosing(b'\'')) {
        (double, single) if single > double => Some(b'\''),
        (0, _) if !text.contains('"') => None,
        _ => Some(b'"'),
    }
}

/// Whether quotes after a backslash stand inside of cells rather than at their ends.
fn escapes_with_backslash(text: &str, delimiter: u8, quote: u8) -> bool {
    let bytes = text.as_bytes();
    let (mut inside, mut ending) = (0usize, 0usize);
    for at in 1..bytes.len() {
        if bytes[at] == quote && bytes[at - 1] == b'\\' {
            match bytes.get(at + 1) {
                Some(next) if *next != delimiter && !matches!(next, b'\r' | b'\n') => inside += 1,
                _ => ending += 1,
            }
        }
    }
    inside > 0 && inside >= ending
}

fn finish(
    text: &str,
    trial: DialectTrial,
    line_ending: LineEnding,
    declared_line: Option<String>,
) -> Sniffed {
    let before = &text[..trial.start];
    let lines = before.replace("\r\n", "\n").replace('\r', "\n");
    let all_remarks = trial.comment && lines.lines().all(|line| line.is_empty() || line.starts_with('#'));
    let skipped = if all_remarks { 0 } else { lines.matches('\n').count() as u64 };
    let declared_lines = u64::from(declared_line.is_some());
    let before = declared_line.as_deref().into_iter().chain(lines.lines().filter(|line| !line.is_empty()));
    let preamble = before.take(5).map(crate::data::bounds::shown).collect();
    let HeaderGuess { has_header, confidence } = header::guess(&trial.rows, trial.columns);
    let dialect = CsvDialect {
        comment: trial.comment.then_some('#'),
        skip_lines: skipped + declared_lines,
        has_header,
        header_confidence: confidence,
        line_ending,
        ..draft(trial.delimiter, trial.quote, trial.escape)
    };
    Sniffed { dialect, columns: trial.columns, regularity: trial.regularity, preamble }
}

#[cfg(test)]
mod tests;
