//! The limits of the data wizards.

use std::time::Duration;

use mortise_contract::limits::MIB;

mortise_contract::limits! {
    /// One call of a wizard that answers while its caller waits.
    WIZARD_TIME: Duration = Duration::from_secs(300), "wizards", "one call", "300 s", None;
    /// One call that reads or writes whole files: a pipeline, a backtest, a discovery.
    WIZARD_LONG_TIME: Duration = Duration::from_secs(900), "wizards", "one pipeline, backtest or discovery", "900 s", Some("wizards.timeout_seconds");
    /// One query of a table.
    WIZARD_QUERY_TIME: Duration = Duration::from_secs(30), "wizards", "one query", "30 s", None;
    /// Bytes of all tables that one pipeline writes.
    WIZARD_OUTPUT_BYTES: u64 = 4096 * MIB as u64, "wizards", "tables of one pipeline", "4 GiB", Some("wizards.max_output_bytes");
    /// Decoded text from which the dialect and the encoding of a file are sniffed.
    WIZARD_SAMPLE_BYTES: usize = MIB, "wizards", "beginning of a file that is sniffed", "1 MiB", None;
    /// One record, line or JSON value of a file; a longer one is a fault or an attack.
    WIZARD_RECORD_BYTES: u64 = 16 * MIB as u64, "wizards", "one record of a file", "16 MiB", None;
    /// Columns of one table.
    WIZARD_COLUMNS: usize = 10_000, "wizards", "columns of a table", "10,000", None;
    /// Lines before a table that are skipped at most.
    WIZARD_PREAMBLE_LINES: u64 = 100, "wizards", "lines before a table", "100", None;
    /// What a compressed file may become before its ratio is judged.
    WIZARD_INFLATED_BYTES: u64 = 64 * MIB as u64, "wizards", "uncompressed file whose growth is not judged", "64 MiB", None;
    /// How many times larger than its compressed form a larger file may be.
    WIZARD_INFLATION: u64 = 200, "wizards", "growth of a larger compressed file, on the way", "200 times", None;
    /// The footer of a Parquet file.
    WIZARD_FOOTER_BYTES: u64 = 64 * MIB as u64, "wizards", "footer of a Parquet file", "64 MiB", None;
    /// One page of a Parquet file, before and after it is uncompressed. DuckDB writes up to 100 MB.
    WIZARD_PAGE_BYTES: u64 = 128 * MIB as u64, "wizards", "page of a Parquet file", "128 MiB", None;
    /// The pages of a row group that are open at once, one of each column, and what is decoded of them.
    WIZARD_OPEN_PAGES_BYTES: u64 = 512 * MIB as u64, "wizards", "open pages of a Parquet file, together", "512 MiB", None;
    /// An SQLite database that is queried: it is held in memory.
    WIZARD_DATABASE_BYTES: u64 = 256 * MIB as u64, "wizards", "SQLite database that is queried", "256 MiB", None;
    /// What SQLite holds in memory for all queries at once: databases, and rows that are sorted, grouped or joined.
    WIZARD_QUERY_BYTES: u64 = 1024 * MIB as u64, "wizards", "memory of SQLite for all queries together", "1 GiB", None;
    /// Rows of a scan's listing; more files are counted.
    WIZARD_LISTED_FILES: usize = 10_000, "wizards", "files listed by a scan", "10,000", None;
    /// Tables of a database.
    WIZARD_TABLES: u32 = 10_000, "wizards", "tables of a database", "10,000", None;
}
