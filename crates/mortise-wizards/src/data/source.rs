//! The bytes of a file as text: uncompressed, decoded, bounded.

use std::io::{self, BufRead, Read};

use flate2::read::MultiGzDecoder;
use tokio_util::sync::CancellationToken;

use super::bounds::{INFLATED_BYTES, INFLATION, RECORD_BYTES, SAMPLE_BYTES};
use super::encoding::{Decoding, Encoding, read_from_buffer};
use super::fault::{DataError, PassedBound};
use super::files::{DataFile, FileCursor};

/// An open file and its first bytes.
#[derive(Debug)]
pub(crate) struct DataSource {
    file: DataFile,
    pub(crate) gzip: bool,
    pub(crate) encoding: Encoding,
    /// The first bytes, uncompressed.
    pub(crate) bytes: Vec<u8>,
    /// The first bytes, decoded.
    pub(crate) sample: String,
    /// Whether these are all bytes of the file.
    pub(crate) complete: bool,
}

impl DataSource {
    pub(crate) fn open(file: DataFile) -> Result<Self, DataError> {
        let shown = file.shown().to_owned();
        let failed = |error| DataError::read(&shown, 0, error);
        let mut magic = Vec::new();
        file.again()?.take(2).read_to_end(&mut magic).map_err(failed)?;
        let gzip = magic == [0x1f, 0x8b];
        let mut bytes = Vec::new();
        let mut inner = inflated(&file, gzip)?;
        inner.by_ref().take(SAMPLE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
        let complete = bytes.len() <= SAMPLE_BYTES;
        bytes.truncate(SAMPLE_BYTES);
        let encoding = Encoding::detect(&bytes, complete);
        let sample = encoding.decode(&bytes, complete);
        Ok(Self { file, gzip, encoding, bytes, sample, complete })
    }

    pub(crate) fn shown(&self) -> &str {
        self.file.shown()
    }

    pub(crate) fn file(&self) -> &DataFile {
        &self.file
    }

    /// The file's name without `.gz`.
    pub(crate) fn name(&self) -> &str {
        let name = self.file.shown().rsplit('/').next().unwrap_or_default();
        name.strip_suffix(".gz").unwrap_or(name)
    }

    /// The ending of its name, in lower case.
    pub(crate) fn ending(&self) -> String {
        self.name().rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default()
    }

    /// All of its text, from the start.
    pub(crate) fn text(&self) -> Result<Guarded<Decoding<Inflated>>, DataError> {
        Ok(Guarded { inner: self.encoding.reader(inflated(&self.file, self.gzip)?), since: 0 })
    }

    /// What the file is, if it is surely no text.
    pub(crate) fn foreign(&self) -> Option<&'static str> {
        const MAGIC: [(&[u8], &str); 9] = [
            (b"PK\x03\x04", "a zip archive or an Office document"),
            (b"\xd0\xcf\x11\xe0", "an old Office document"),
            (b"%PDF", "a PDF"),
            (b"SQLite format 3\0", "a SQLite database"),
            (b"\x89PNG", "an image"),
            (b"\xff\xd8\xff", "an image"),
            (b"BZh", "compressed with bzip2"),
            (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
            (b"\x7fELF", "a program"),
        ];
        let known = MAGIC.iter().find(|(magic, _)| self.bytes.starts_with(magic)).map(|(_, kind)| *kind);
        let control = |it: char| it.is_control() && !matches!(it, '\t' | '\r' | '\n' | '\u{c}');
        known.or(self.is_full_of(control).then_some("binary"))
    }

    /// Whether so much of the file can't be decoded that the rest is not reliable. Replacement characters that are
    /// already in the file do not count, nor does a sample that ends within a character.
    pub(crate) fn is_garbled(&self) -> bool {
        let is_broken = std::str::from_utf8(&self.bytes).is_err_and(|error| error.error_len().is_some());
        is_broken && self.is_full_of(|it| it == '\u{fffd}')
    }

    /// Whether more than every fiftieth character at the beginning is one of these.
    fn is_full_of(&self, wanted: impl Fn(char) -> bool) -> bool {
        let beginning = || self.sample.chars().take(8192);
        beginning().filter(|it| wanted(*it)).count() * 50 > beginning().count()
    }
}

fn inflated(file: &DataFile, gzip: bool) -> Result<Inflated, DataError> {
    let plain = file.again()?;
    let content = match gzip {
        true => SourceContent::Gzip(Box::new(Growing::new(plain, INFLATED_BYTES))),
        false => SourceContent::Plain(plain),
    };
    Ok(Inflated { content, stop: file.stop().clone() })
}

/// Whether a file is compressed and grows too much. Parsers are slower than we are, and would notice it late.
/// A damaged file does not grow. The check ends when `stop` fires.
pub(crate) fn grows_too_much(file: impl Read, unjudged: u64, stop: &CancellationToken) -> bool {
    let mut growing = Growing::new(file, unjudged);
    let mut buffer = vec![0; 64 << 10];
    while !stop.is_cancelled() {
        match growing.read(&mut buffer) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(error) => return error.get_ref().is_some_and(|cause| cause.is::<PassedBound>()),
        }
    }
    false
}

/// A file, uncompressed where it must be. Reading fails once `stop` fires.
pub(crate) struct Inflated {
    content: SourceContent,
    stop: CancellationToken,
}

enum SourceContent {
    Plain(FileCursor),
    Gzip(Box<Growing<FileCursor>>),
}

/// A compressed file that is judged by what it becomes, all the way.
pub(crate) struct Growing<R> {
    inner: MultiGzDecoder<CountedReader<R>>,
    /// Bytes that it has become so far.
    read: u64,
    /// Bytes that it may become whatever its compressed size is.
    unjudged: u64,
}

impl<R: Read> Growing<R> {
    fn new(file: R, unjudged: u64) -> Self {
        Self { inner: MultiGzDecoder::new(CountedReader { file, taken: 0 }), read: 0, unjudged }
    }
}

impl<R: Read> Read for Growing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.read += length as u64;
        let taken = self.inner.get_ref().taken;
        match self.read > self.unjudged.max(taken.saturating_mul(INFLATION)) {
            true => Err(io::Error::other(PassedBound::Inflated)),
            false => Ok(length),
        }
    }
}

struct CountedReader<R> {
    file: R,
    taken: u64,
}

impl<R: Read> Read for CountedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.taken += length as u64;
        Ok(length)
    }
}

impl Read for Inflated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_cancelled() {
            return Err(io::Error::other(PassedBound::Canceled));
        }
        match &mut self.content {
            SourceContent::Plain(file) => file.read(buffer),
            SourceContent::Gzip(growing) => growing.read(buffer),
        }
    }
}

/// Fails when more than one record's worth of bytes is read without a mark.
pub(crate) struct Guarded<R> {
    inner: R,
    since: u64,
}

impl<R> Guarded<R> {
    /// A record has ended.
    pub(crate) fn mark(&mut self) {
        self.since = 0;
    }

    pub(crate) fn inner(&self) -> &R {
        &self.inner
    }
}

impl<R: BufRead> BufRead for Guarded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.since > RECORD_BYTES {
            return Err(io::Error::other(PassedBound::Record));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.since += amount as u64;
        self.inner.consume(amount);
    }
}

impl<R: BufRead> Read for Guarded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        read_from_buffer(self, buffer)
    }
}

/// Drops lines from the front: `\n`, `\r\n` and a lone `\r` end one.
pub(crate) fn skip_lines<R: BufRead>(reader: &mut Guarded<R>, lines: u64) -> io::Result<()> {
    let mut left = lines;
    let mut after_return = false;
    while left > 0 || after_return {
        let available = reader.fill_buf()?;
        let Some(&byte) = available.first() else { return Ok(()) };
        if left == 0 {
            if byte == b'\n' {
                reader.consume(1);
            }
            return Ok(());
        }
        let mut used = 0;
        for byte in available {
            used += 1;
            match byte {
                b'\n' if after_return => after_return = false,
                b'\n' => left -= 1,
                b'\r' => {
                    left -= 1;
                    after_return = true;
                }
                _ => after_return = false,
            }
            if left == 0 {
                break;
            }
        }
        reader.consume(used);
        reader.mark();
    }
    Ok(())
}

#[cfg(test)]
mod tests;
