//! The first lines of a file, as they stand in it.

use std::io::{self, BufRead};

use mortise_contract::text::cut;
use tokio_util::sync::CancellationToken;

use super::dialect::{SniffHint, sniff};
use super::fault::DataError;
use super::files::DataFile;
use super::source::DataSource;

/// Lines that are counted one by one; beyond, their number is estimated.
pub(crate) const COUNTED_LINES: u64 = 100_000;
/// Characters of a line that are shown.
const LINE_CHARACTERS: usize = 2_000;
/// Bytes of all lines that are shown.
const SHOWN_BYTES: usize = 64 << 10;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Preview {
    pub total_lines: u64,
    /// Whether `total_lines` is an estimate.
    pub lines_estimated: bool,
    /// The number of the first line shown, from 1.
    pub start_line: u64,
    pub lines: Vec<String>,
    pub has_more: bool,
    /// What separates cells, if it is a table.
    pub delimiter: Option<char>,
    /// Cells of a row, if it is a table.
    pub column_count: Option<usize>,
    /// The names of the columns, if the first row has them.
    pub header: Option<Vec<String>>,
}

/// Reads `lines` lines after the first `offset`.
pub(crate) fn preview(
    file: DataFile,
    lines: u64,
    offset: u64,
    stop: &CancellationToken,
) -> Result<Preview, DataError> {
    let source = DataSource::open(file)?;
    let path = source.shown().to_owned();
    if source.bytes.starts_with(b"PAR1") {
        let kind = "a Parquet file without lines; `read_sample` shows its rows".to_owned();
        return Err(DataError::Unsupported { path, kind });
    }
    if let Some(kind) = source.foreign() {
        return Err(DataError::Unsupported { path, kind: kind.to_owned() });
    }
    if source.is_garbled() {
        return Err(DataError::Undecodable { path, encoding: source.encoding.name() });
    }
    let mut reader = source.text()?;
    let mut counting = LineCounter { count: 0, bytes: 0, line: Vec::new(), ended: false };
    let mut shown = Vec::new();
    let mut room = SHOWN_BYTES;
    while counting.count < COUNTED_LINES.max(offset + lines) {
        let wanted = counting.count >= offset && counting.count < offset + lines && room > 0;
        if counting.count.is_multiple_of(1024) && stop.is_cancelled() {
            return Err(DataError::Canceled);
        }
        if !counting
            .next(&mut reader, wanted)
            .map_err(|error| DataError::read(&path, counting.count, error))?
        {
            break;
        }
        reader.mark();
        if wanted {
            let text = String::from_utf8_lossy(&counting.line);
            let text = text.strip_suffix('\r').unwrap_or(&text);
            let text = cut(text, LINE_CHARACTERS);
            room = room.saturating_sub(text.len());
            shown.push(text);
        }
    }
    let estimated = !counting.ended;
    let total_lines = match estimated {
        true => estimate(&source, &counting),
        false => counting.count,
    };
    let sniffed = sniff(&source.sample, source.complete, SniffHint::default());
    let is_table = sniffed.columns > 1;
    let header =
        (is_table && sniffed.dialect.has_header).then(|| header(&source, &sniffed.dialect)).flatten();
    Ok(Preview {
        total_lines,
        lines_estimated: estimated,
        start_line: offset + 1,
        has_more: offset + (shown.len() as u64) < total_lines,
        lines: shown,
        delimiter: is_table.then_some(sniffed.dialect.delimiter),
        column_count: is_table.then_some(sniffed.columns),
        header,
    })
}

fn header(source: &DataSource, dialect: &super::dialect::CsvDialect) -> Option<Vec<String>> {
    let mut text = source.sample.as_str();
    for _ in 0..dialect.skip_lines {
        let at = text.find('\n').or_else(|| text.find('\r'))?;
        text = &text[at + 1..];
    }
    let mut record = csv::StringRecord::new();
    dialect
        .reader(text.as_bytes())
        .read_record(&mut record)
        .ok()?
        .then(|| record.iter().map(str::to_owned).collect())
}

/// As many lines as the rest of the file has, if they are as long as those counted.
fn estimate(source: &DataSource, lines: &LineCounter) -> u64 {
    let average = lines.bytes as f64 / lines.count.max(1) as f64;
    let size = source.file().size() as f64;
    // How much a compressed file grows is not known; text shrinks to about a quarter.
    let size = if source.gzip { size * 4.0 } else { size };
    ((size / average.max(1.0)) as u64).max(lines.count)
}

struct LineCounter {
    count: u64,
    bytes: u64,
    line: Vec<u8>,
    ended: bool,
}

impl LineCounter {
    /// Reads a line, of which only as much is kept as is shown; false at the end.
    fn next(&mut self, reader: &mut impl BufRead, keep: bool) -> io::Result<bool> {
        self.line.clear();
        let mut any = false;
        loop {
            let available = reader.fill_buf()?;
            if available.is_empty() {
                self.ended = true;
                self.count += u64::from(any);
                return Ok(any);
            }
            any = true;
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            if keep && self.line.len() < LINE_CHARACTERS * 4 {
                self.line.extend_from_slice(&part[..part.len().min(LINE_CHARACTERS * 4)]);
            }
            let used = end.map_or(available.len(), |end| end + 1);
            self.bytes += used as u64;
            reader.consume(used);
            if end.is_some() {
                self.count += 1;
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
mod tests;
