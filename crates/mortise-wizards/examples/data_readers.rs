//! The readers without a server, for comparisons and benchmarks: `data_readers COMMAND ROOT …`.
//!
//! * `infer ROOT FILE…` prints one line of JSON for each file: dialect, columns, types, formats.
//! * `time ROOT FILE ROWS LOOPS` prints the nanoseconds of each inference, opening and sniffing included.
//! * `scan ROOT` prints how many files there are.
//! * `read ROOT FILE` reads every row and prints how many there are.

use std::error::Error;
use std::io::Write as _;
use std::time::Instant;

use mortise_wizards::data::files::DataFiles;
use mortise_wizards::data::scan::{ScanOptions, scan};
use mortise_wizards::data::schema::{DiscoveredSchema, InferOptions, infer};
use mortise_wizards::data::table::{ReadOptions, Row, Table};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut out = std::io::stdout().lock();
    match words.as_slice() {
        ["infer", root, paths @ ..] => {
            let files = DataFiles::new(&[root.into()], None)?;
            for path in paths {
                let answer = match inferred(&files, path, 20_480) {
                    Ok(schema) => told(&schema),
                    Err(error) => json!({"file": path, "error": error.to_string()}),
                };
                writeln!(out, "{answer}")?;
            }
        }
        ["time", root, path, rows, loops] => {
            let files = DataFiles::new(&[root.into()], None)?;
            let (rows, loops): (u64, usize) = (rows.parse()?, loops.parse()?);
            let mut times = Vec::new();
            for _ in 0..loops {
                let started = Instant::now();
                inferred(&files, path, rows)?;
                times.push(started.elapsed().as_nanos());
            }
            writeln!(out, "{}", json!(times.iter().map(|time| *time as f64).collect::<Vec<_>>()))?;
        }
        ["scan", root] => {
            let files = DataFiles::new(&[root.into()], None)?;
            let options = ScanOptions { max_files: 1_000_000, max_depth: 100, include_hidden: true };
            let found = scan(&files, &files.folder(".")?, options, &CancellationToken::new())?;
            writeln!(out, "{}", found.files.len())?;
        }
        ["read", root, path] => {
            let files = DataFiles::new(&[root.into()], None)?;
            let table = Table::open(files.open(path)?, &ReadOptions::default())?;
            let (mut rows, mut row) = (table.rows()?, Row::default());
            while rows.read(&mut row)? {}
            writeln!(out, "{}", rows.count())?;
        }
        _ => return Err("usage: data_readers infer|time|scan|read ROOT …".into()),
    }
    Ok(())
}

fn inferred(files: &DataFiles, path: &str, max_rows: u64) -> Result<DiscoveredSchema, Box<dyn Error>> {
    let table = Table::open(files.open(path)?, &ReadOptions::default())?;
    let options = InferOptions { max_rows, ..InferOptions::default() };
    Ok(infer(&table, &options, &CancellationToken::new())?)
}

fn told(schema: &DiscoveredSchema) -> Value {
    let columns: Vec<Value> = schema
        .columns
        .iter()
        .map(|column| {
            let constraint = &column.constraint;
            let kind = match constraint.needs_human_decision {
                true => "ambiguous",
                false => constraint.resolved_type.as_str(),
            };
            json!({"name": column.name, "type": kind, "format": column.format})
        })
        .collect();
    json!({
        "file": schema.source_file,
        "delimiter": schema.dialect.as_ref().map(|dialect| dialect.delimiter),
        "has_header": schema.dialect.as_ref().map(|dialect| dialect.has_header),
        "columns": columns,
    })
}
