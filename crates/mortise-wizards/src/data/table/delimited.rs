//! Tables with cells between delimiters.

use super::{
    DataSource, FileFormat, Ragged, ReadOptions, Row, Table, sniff, sniffed_hint, too_wide, usable_names,
};
use crate::data::dialect::CsvDialect;
use crate::data::encoding::Decoding;
use crate::data::fault::DataError;
use crate::data::source::{Guarded, Inflated, skip_lines};

type Reader = csv::Reader<Guarded<Decoding<Inflated>>>;

pub(super) fn open(source: DataSource, options: &ReadOptions) -> Result<Table, DataError> {
    let sniffed = sniff(&source.sample, source.complete, sniffed_hint(&source, options));
    let mut dialect = CsvDialect {
        encoding: source.encoding.name(),
        bom: source.encoding.bom,
        gzip: source.gzip,
        ..options.dialect.clone().unwrap_or(sniffed.dialect)
    };
    if let Some(lines) = options.skip_lines {
        dialect.skip_lines = lines;
    }
    let format = if dialect.delimiter == '\t' { FileFormat::Tsv } else { FileFormat::Csv };
    let mut table = Table {
        format,
        header: Vec::new(),
        columns: Vec::new(),
        schema: Vec::new(),
        preamble: sniffed.preamble,
        regularity: sniffed.regularity,
        dialect: Some(dialect.clone()),
        source,
    };
    let mut columns = sniffed.columns;
    let mut record = csv::StringRecord::new();
    let mut reader = reader(&table, &dialect)?;
    let found = reader.read_record(&mut record).map_err(|error| failed(&table, 0, error))?;
    // A line that is longer than the sample was not seen to its end.
    let is_cut = !table.source.complete && !table.source.sample.contains('\n');
    if options.dialect.is_some() || options.skip_lines.is_some() || is_cut {
        columns = record.len();
    }
    if found && dialect.has_header {
        table.header = record.iter().map(str::to_owned).collect();
        columns = columns.max(record.len());
    }
    if !found {
        columns = 0;
    }
    too_wide(&table.source, columns)?;
    table.columns = usable_names(&table.header, columns);
    Ok(table)
}

fn reader(table: &Table, dialect: &CsvDialect) -> Result<Reader, DataError> {
    let mut text = table.source.text()?;
    skip_lines(&mut text, dialect.skip_lines).map_err(|error| DataError::read(table.shown(), 0, error))?;
    Ok(dialect.reader(text))
}

fn failed(table: &Table, row: u64, error: csv::Error) -> DataError {
    read_error(table.shown(), row, error)
}

fn read_error(path: &str, row: u64, error: csv::Error) -> DataError {
    let error = match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    };
    DataError::read(path, row, error)
}

pub(super) fn rows(table: &Table) -> Result<DelimitedRows, DataError> {
    let Some(dialect) = &table.dialect else {
        return Err(super::mismatch(&table.source, "delimited file", "it has no dialect"));
    };
    let mut reader = reader(table, dialect)?;
    if dialect.has_header {
        let mut header = csv::StringRecord::new();
        reader.read_record(&mut header).map_err(|error| failed(table, 0, error))?;
    }
    let (path, width) = (table.shown().to_owned(), table.columns.len());
    Ok(DelimitedRows { reader, path, width, ragged: Ragged::default() })
}

pub(super) struct DelimitedRows {
    reader: Reader,
    path: String,
    width: usize,
    ragged: Ragged,
}

impl DelimitedRows {
    pub(super) fn read(&mut self, row: &mut Row, before: u64) -> Result<bool, DataError> {
        row.clear(self.width);
        let read = self.reader.read_record(&mut row.record);
        if !read.map_err(|error| read_error(&self.path, before, error))? {
            return Ok(false);
        }
        self.reader.get_mut().mark();
        let cells = row.record.len();
        if cells != self.width {
            self.ragged.short += u64::from(cells < self.width);
            self.ragged.long += u64::from(cells > self.width);
            self.ragged.first_row.get_or_insert(before + 1);
        }
        Ok(true)
    }

    pub(super) fn ragged(&self) -> Ragged {
        self.ragged
    }

    pub(super) fn malformed(&self) -> u64 {
        self.reader.get_ref().inner().malformed()
    }
}
