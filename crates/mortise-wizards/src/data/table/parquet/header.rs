//! The header of a Parquet page: how long it is, and what size it declares.
//!
//! The library reads a header and takes the memory it asks for in one step, so the sizes are read here before.
//! Only what the library understands in the same way is let through: a field with another type than it has, a
//! number that does not fit and a list, which no header has, are damage.

use std::io::{self, Read};

/// A header longer than this holds something else: writers cut the statistics in it to some bytes.
const HEADER_BYTES: usize = 1 << 20;
/// Structures in structures. A header has two levels.
const DEPTH: usize = 8;

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const INT32: u8 = 5;
const STRUCT: u8 = 12;

/// The header of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) bytes: Vec<u8>,
    /// The bytes of the page, before or after it is uncompressed, whichever are more.
    pub(super) page_bytes: u64,
}

/// Reads the header that `input` begins with.
pub(super) fn read(input: impl Read) -> io::Result<Header> {
    let mut fields = ThriftFields { input, bytes: Vec::new() };
    let mut page_bytes = 0;
    let mut last = 0;
    while let Some((field, kind)) = fields.next(last)? {
        match (field, kind) {
            (2 | 3, INT32) => {
                let size = fields.int()?;
                page_bytes = page_bytes.max(u64::try_from(size).map_err(|_| damaged())?);
            }
            (1 | 4, INT32) => {
                fields.int()?;
            }
            // Of a data page, a dictionary page, and a data page of the second version.
            (5, STRUCT) => fields.page(1..=4, None)?,
            (7, STRUCT) => fields.page(1..=2, Some(3))?,
            (8, STRUCT) => fields.page(1..=6, Some(7))?,
            (1..=8, _) => return Err(damaged()),
            (_, kind) => fields.skip(kind, 0)?,
        }
        last = field;
    }
    Ok(Header { bytes: fields.bytes, page_bytes })
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the header of a page is damaged")
}

/// The fields of a struct in Thrift's compact protocol.
struct ThriftFields<R> {
    input: R,
    bytes: Vec<u8>,
}

impl<R: Read> ThriftFields<R> {
    /// The number and the kind of the next field of a structure.
    fn next(&mut self, last: i16) -> io::Result<Option<(i16, u8)>> {
        let byte = self.byte()?;
        let (step, kind) = (byte >> 4, byte & 0x0f);
        match (step, kind) {
            (_, 0) => Ok(None),
            (0, _) => Ok(Some((i16::try_from(self.zigzag()?).map_err(|_| damaged())?, kind))),
            (step, _) => Ok(Some((last.checked_add(i16::from(step)).ok_or_else(damaged)?, kind))),
        }
    }

    /// Reads the fields of one kind of page: numbers, and perhaps a boolean.
    fn page(&mut self, numbers: std::ops::RangeInclusive<i16>, boolean: Option<i16>) -> io::Result<()> {
        let mut last = 0;
        while let Some((field, kind)) = self.next(last)? {
            match kind {
                INT32 if numbers.contains(&field) => {
                    self.int()?;
                }
                TRUE | FALSE if boolean == Some(field) => {}
                _ if numbers.contains(&field) || boolean == Some(field) => return Err(damaged()),
                kind => self.skip(kind, 1)?,
            }
            last = field;
        }
        Ok(())
    }

    fn skip(&mut self, kind: u8, depth: usize) -> io::Result<()> {
        match kind {
            TRUE | FALSE => Ok(()),
            3 => self.skip_bytes(1),
            4..=6 => self.varint().map(drop),
            7 => self.skip_bytes(8),
            8 => {
                let length = self.varint()?;
                self.skip_bytes(usize::try_from(length).map_err(|_| damaged())?)
            }
            STRUCT if depth < DEPTH => {
                while let Some((_, kind)) = self.next(0)? {
                    self.skip(kind, depth + 1)?;
                }
                Ok(())
            }
            _ => Err(damaged()),
        }
    }

    fn int(&mut self) -> io::Result<i32> {
        i32::try_from(self.zigzag()?).map_err(|_| damaged())
    }

    fn zigzag(&mut self) -> io::Result<i64> {
        let number = self.varint()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(damaged())
    }

    fn byte(&mut self) -> io::Result<u8> {
        self.skip_bytes(1)?;
        self.bytes.last().copied().ok_or_else(damaged)
    }

    fn skip_bytes(&mut self, count: usize) -> io::Result<()> {
        let start = self.bytes.len();
        let end = start.checked_add(count).filter(|end| *end <= HEADER_BYTES).ok_or_else(damaged)?;
        self.bytes.resize(end, 0);
        self.input.read_exact(&mut self.bytes[start..])
    }
}

#[cfg(test)]
mod tests;
