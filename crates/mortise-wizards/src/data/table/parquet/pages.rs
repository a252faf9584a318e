//! The pages of a Parquet file, none of which takes more memory than it may, nor do those open at once.

use std::io::{self, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parquet::basic::{Encoding, Type as PhysicalType};
use parquet::bloom_filter::Sbbf;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, FileReader, Length, RowGroupReader};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::record::reader::RowIter;
use parquet::schema::types::{ColumnDescPtr, Type};

use super::header;
use super::weight::{self, Damage, Dictionary};
use crate::data::bounds::{OPEN_PAGES_BYTES, PAGE_BYTES};
use crate::data::files::FileCursor;

/// What in a Parquet file is larger than it may be, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part} of {bytes} bytes in column `{column}` of row group {group}, more than {limit}")]
pub struct Oversized {
    pub part: &'static str,
    pub bytes: u64,
    /// What it may take.
    pub limit: u64,
    pub column: String,
    /// The row group, counted from one.
    pub group: usize,
}

impl Oversized {
    /// The one behind an error of the library, which passes on what a page or a file answered.
    pub(super) fn behind(error: &ParquetError) -> Option<&Self> {
        let ParquetError::External(cause) = error else { return None };
        let cause = cause.as_ref();
        let inner = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        cause.downcast_ref().or_else(|| inner?.downcast_ref())
    }
}

/// A file whose pages are weighed.
pub(super) struct BoundedFile {
    file: Arc<FileCursor>,
    metadata: ParquetMetaData,
}

impl BoundedFile {
    pub(super) fn new(file: FileCursor, metadata: ParquetMetaData) -> Self {
        Self { file: Arc::new(file), metadata }
    }

    /// All rows. Where a row may take many times the bytes that it has in the file, one is read at a time.
    pub(super) fn rows(self) -> RowIter<'static> {
        let groups = self.metadata.row_groups().iter();
        let grows = groups.flat_map(|group| group.columns()).any(|chunk| {
            chunk.column_descr().max_rep_level() > 0
                || chunk.encodings().any(|encoding| encoding == Encoding::DELTA_BYTE_ARRAY)
        });
        let rows = RowIter::from_file_into(Box::new(self));
        match grows {
            true => rows.with_batch_size(1),
            false => rows,
        }
    }
}

impl Length for FileCursor {
    fn len(&self) -> u64 {
        self.length().unwrap_or(0)
    }
}

impl ChunkReader for FileCursor {
    type T = BufReader<FileCursor>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(self.starting_at(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let mut bytes = Vec::new();
        self.starting_at(start).take(length as u64).read_to_end(&mut bytes)?;
        match bytes.len() == length {
            true => Ok(bytes.into()),
            false => Err(ParquetError::EOF(format!("{length} bytes at {start} end after {}", bytes.len()))),
        }
    }
}

impl FileReader for BoundedFile {
    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }

    fn num_row_groups(&self) -> usize {
        self.metadata.num_row_groups()
    }

    fn get_row_group(&self, index: usize) -> Result<Box<dyn RowGroupReader + '_>> {
        Ok(Box::new(BoundedGroup {
            file: Arc::clone(&self.file),
            number: index + 1,
            metadata: self.metadata.row_group(index),
            open: Arc::default(),
        }))
    }

    fn get_row_iter(&self, projection: Option<Type>) -> Result<RowIter<'_>> {
        RowIter::from_file(projection, self)
    }
}

/// A row group: one page and one dictionary of each column are open at once.
struct BoundedGroup<'a> {
    file: Arc<FileCursor>,
    number: usize,
    metadata: &'a RowGroupMetaData,
    open: Arc<AtomicU64>,
}

impl RowGroupReader for BoundedGroup<'_> {
    fn metadata(&self) -> &RowGroupMetaData {
        self.metadata
    }

    fn num_columns(&self) -> usize {
        self.metadata.num_columns()
    }

    fn get_column_page_reader(&self, index: usize) -> Result<Box<dyn PageReader>> {
        let metadata = self.metadata.column(index);
        let place = ChunkPlace {
            column: crate::data::bounds::shown(&metadata.column_path().string()),
            group: self.number,
        };
        let chunk = Arc::new(Chunk { file: Arc::clone(&self.file), place: place.clone() });
        let rows = usize::try_from(self.metadata.num_rows())?;
        Ok(Box::new(BoundedPages {
            pages: SerializedPageReader::new(chunk, metadata, rows, None)?,
            place,
            column: metadata.column_descr_ptr(),
            shares_beginnings: metadata.encodings().any(|encoding| encoding == Encoding::DELTA_BYTE_ARRAY),
            open: Arc::clone(&self.open),
            page: 0,
            dictionary: Dictionary::default(),
            dictionary_page: 0,
            open_row: 0,
            most_open: most_open(self.metadata.num_columns()),
        }))
    }

    fn get_column_bloom_filter(&self, _index: usize) -> Option<&Sbbf> {
        None
    }

    fn get_row_iter(&self, projection: Option<Type>) -> Result<RowIter<'_>> {
        RowIter::from_row_group(projection, self)
    }
}

#[derive(Clone, Debug)]
struct ChunkPlace {
    column: String,
    group: usize,
}

impl ChunkPlace {
    fn oversized(&self, part: &'static str, bytes: u64, limit: u64) -> Oversized {
        Oversized { part, bytes, limit, column: self.column.clone(), group: self.group }
    }
}

/// The bytes of one column in one row group. What is read from a place, not taken by its length, is the header of
/// a page.
struct Chunk {
    file: Arc<FileCursor>,
    place: ChunkPlace,
}

impl Chunk {
    fn checked(&self, bytes: u64) -> std::result::Result<(), Oversized> {
        match bytes > PAGE_BYTES {
            true => Err(self.place.oversized("a page", bytes, PAGE_BYTES)),
            false => Ok(()),
        }
    }
}

impl Length for Chunk {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for Chunk {
    type T = HeaderBytes;

    fn get_read(&self, start: u64) -> Result<HeaderBytes> {
        let chunk = Self { file: Arc::clone(&self.file), place: self.place.clone() };
        Ok(HeaderBytes { chunk, start, read: None })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.checked(length as u64).map_err(|oversized| ParquetError::External(Box::new(oversized)))?;
        let mut bytes = Vec::new();
        let read = self.file.starting_at(start).take(length as u64).read_to_end(&mut bytes)?;
        match read == length {
            true => Ok(bytes.into()),
            false => Err(ParquetError::EOF(format!("a page of {length} bytes ends after {read}"))),
        }
    }
}

/// The header at a place, which is read and checked when the first byte is asked for: the library also asks for a
/// reader that it does not read from.
struct HeaderBytes {
    chunk: Chunk,
    start: u64,
    read: Option<Cursor<Vec<u8>>>,
}

impl Read for HeaderBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read.is_none() {
            let header = header::read(BufReader::new(self.chunk.file.starting_at(self.start)))?;
            self.chunk.checked(header.page_bytes).map_err(io::Error::other)?;
            self.read = Some(Cursor::new(header.bytes));
        }
        self.read.as_mut().map_or(Ok(0), |header| header.read(buffer))
    }
}

/// The pages of one column in one row group.
struct BoundedPages {
    pages: SerializedPageReader<Chunk>,
    place: ChunkPlace,
    column: ColumnDescPtr,
    /// Whether the column declares texts that share their beginnings, so that one of them is read at a time.
    shares_beginnings: bool,
    /// What all columns of the row group hold together.
    open: Arc<AtomicU64>,
    page: u64,
    dictionary: Dictionary,
    dictionary_page: u64,
    /// Values of the row that the last page ended in.
    open_row: u64,
    /// What the open pages of all columns may take.
    most_open: u64,
}

/// Bytes that the open pages of `columns` columns may take: programs write pages and dictionaries of a megabyte each, and some
/// tables have thousands of columns.
fn most_open(columns: usize) -> u64 {
    (columns as u64).saturating_mul(4 << 20).clamp(OPEN_PAGES_BYTES, 4 * OPEN_PAGES_BYTES)
}

impl BoundedPages {
    fn weighed(&mut self, page: Option<Page>) -> Result<Option<Page>> {
        if let Some(page) = &page {
            let before = self.held();
            self.hold(page).map_err(|damage| {
                ParquetError::General(format!(
                    "column `{}`, row group {}: {damage}",
                    self.place.column, self.place.group
                ))
            })?;
            let after = self.held();
            let others = self.open.load(Ordering::Relaxed).saturating_sub(before);
            let open = others.saturating_add(after);
            self.open.store(open, Ordering::Relaxed);
            if open > self.most_open {
                let oversized = self.place.oversized("open pages", open, self.most_open);
                return Err(ParquetError::External(Box::new(oversized)));
            }
        }
        Ok(page)
    }

    fn held(&self) -> u64 {
        self.page.saturating_add(self.dictionary_page).saturating_add(self.dictionary.bytes)
    }

    fn hold(&mut self, page: &Page) -> std::result::Result<(), Damage> {
        let bytes = page.buffer().len() as u64;
        let values = page.num_values();
        if page.is_dictionary_page() {
            let (kind, width) = (self.column.physical_type(), self.column.type_length());
            self.dictionary = weight::dictionary(page.buffer(), values, kind, width)?;
            // Texts stay in the page; anything else is taken out of it.
            self.dictionary_page = if kind == PhysicalType::BYTE_ARRAY { bytes } else { 0 };
            return Ok(());
        }
        let lists = match page.encoding() {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            Encoding::DELTA_BYTE_ARRAY if self.shares_beginnings => 2,
            Encoding::DELTA_BYTE_ARRAY => {
                return Err(Damage::Undeclared { encoding: page.encoding().to_string() });
            }
            _ => 0,
        };
        let mut held = bytes;
        let highest = self.column.max_rep_level();
        if lists > 0 || highest > 0 {
            let (repetition, content) = self.parts(page).ok_or(Damage::Levels)?;
            if lists > 0 {
                held += weight::lengths(content, values, lists)?;
            }
            if highest > 0 {
                let longest = weight::longest_row(repetition, values, highest, &mut self.open_row)?;
                let is_from_dictionary = page.encoding() == Encoding::RLE_DICTIONARY
                    || page.encoding() == Encoding::PLAIN_DICTIONARY;
                let text = if is_from_dictionary { self.dictionary.longest } else { 0 };
                held = held.saturating_add(weight::row(longest, text));
            }
        }
        self.page = held;
        Ok(())
    }

    /// The levels that show where rows begin, and the values. `None` where the page is not laid out as expected.
    fn parts<'a>(&self, page: &'a Page) -> Option<(&'a [u8], &'a [u8])> {
        match page {
            Page::DataPageV2 { buf, rep_levels_byte_len, def_levels_byte_len, .. } => {
                let (repetition, rest) = buf.split_at_checked(*rep_levels_byte_len as usize)?;
                Some((repetition, rest.get(*def_levels_byte_len as usize..)?))
            }
            Page::DataPage { buf, def_level_encoding, rep_level_encoding, .. } => {
                let mut rest: &[u8] = buf;
                let mut levels = |encoding: &Encoding, highest: i16| match (encoding, highest) {
                    (_, 0) => Some(&[][..]),
                    (Encoding::RLE, _) => {
                        let (length, after) = rest.split_first_chunk()?;
                        let levels;
                        (levels, rest) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
                        Some(levels)
                    }
                    _ => None,
                };
                let repetition = levels(rep_level_encoding, self.column.max_rep_level())?;
                levels(def_level_encoding, self.column.max_def_level())?;
                Some((repetition, rest))
            }
            Page::DictionaryPage { .. } => None,
        }
    }
}

impl PageReader for BoundedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        self.weighed(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.pages.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>> {
        let page = self.pages.take_deferred_dictionary()?;
        self.weighed(page)
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

impl Iterator for BoundedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

#[cfg(test)]
mod tests;
