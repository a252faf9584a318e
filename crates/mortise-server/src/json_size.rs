//! How large a value is as JSON, without writing it down.

use std::io::{self, Write};

use serde::Serialize;

/// Counts what is written to it.
#[derive(Default)]
struct ByteCount(usize);

impl Write for ByteCount {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The length of the value's JSON text; 0 if it has none.
pub(crate) fn json_bytes(value: &impl Serialize) -> usize {
    let mut count = ByteCount::default();
    serde_json::to_writer(&mut count, value).map_or(0, |()| count.0)
}
