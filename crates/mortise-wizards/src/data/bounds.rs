//! How much of a file is looked at, kept or accepted.

/// Bytes of decoded text from which dialect and encoding are sniffed.
pub const SAMPLE_BYTES: usize = 1 << 20;

/// Bytes of one record, line or JSON value; a longer one is no data but a fault or an attack.
pub const RECORD_BYTES: u64 = 16 << 20;

/// Columns of one table.
pub const COLUMNS: usize = 10_000;

/// Lines before the table that are skipped at most.
pub const PREAMBLE_LINES: u64 = 100;

/// Bytes that a compressed file may become before its ratio is judged.
pub const INFLATED_BYTES: u64 = 1 << 30;

/// How many times larger than its compressed form a file may be, once it has passed [`INFLATED_BYTES`].
pub const INFLATION: u64 = 200;

/// Characters of a value that are shown as evidence.
pub const SHOWN_CHARACTERS: usize = 100;

/// Bytes of a Parquet footer.
pub const FOOTER_BYTES: u64 = 64 << 20;

/// A value cut to [`SHOWN_CHARACTERS`], with an ellipsis where something is missing.
pub(crate) fn shown(value: &str) -> String {
    match value.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}
