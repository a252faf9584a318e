//! The data wizards: types beside DuckDB's sniffer, a scan of many files, full passes over large files, backtests.

mod parsers;

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::Bench;
use super::measure::Sample;
use super::series::{Series, interleave, shown};
use super::statistics::{median, ratio};
use crate::process;

/// Rows that both look at: as many as DuckDB's sniffer takes by default.
const ROWS: usize = 20_480;
/// Inferences in one process, of which the median counts.
const LOOPS: usize = 15;
/// Files below the scanned folder.
const FILES: usize = 100_000;
const FOLDERS: usize = 200;
/// Bytes of the large file.
const LARGE: u64 = 1_000_000_000;
const LIMIT: Duration = Duration::from_secs(600);
const EXAMPLE: &str = "examples/data_readers";

pub(super) fn run(bench: &Bench<'_>) -> Result<(String, Vec<Series>)> {
    let folder = bench.folder.join("wizards");
    fs::create_dir_all(&folder)?;
    let (inference, mut all) = inference(bench, &folder)?;
    let (scan, series) = scan(bench, &folder)?;
    all.extend(series);
    let (pass, series) = full_pass(bench, &folder)?;
    all.extend(series);
    let (parsers, series) = parsers::run(bench, &folder)?;
    all.extend(series);
    Ok((format!("{inference}\n{scan}\n{pass}\n{parsers}"), all))
}

/// One row with the columns that files often have.
fn row(number: u64) -> String {
    format!(
        "{number},{:05},{}.{:02},2024-{:02}-{:02},2024-01-15T{:02}:{:02}:00,name {},{},{}\n",
        number * 7919 % 100_000,
        number * 31 % 5_000,
        number % 100,
        number % 12 + 1,
        number % 28 + 1,
        number % 24,
        number % 60,
        number * 104_729 % 10_007,
        if number.is_multiple_of(3) { "yes" } else { "no" },
        number * 1_299_709 % 1_000_003,
    )
}

const HEADER: &str = "id,zip,total,day,at,name,active,amount\n";

fn write_table(path: &Path, enough: impl Fn(u64, u64) -> bool) -> Result<u64> {
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(HEADER.as_bytes())?;
    let (mut rows, mut bytes) = (0, HEADER.len() as u64);
    while !enough(rows, bytes) {
        let row = row(rows);
        file.write_all(row.as_bytes())?;
        bytes += row.len() as u64;
        rows += 1;
    }
    file.into_inner().context("writing the table")?.sync_all()?;
    Ok(rows)
}

/// The times inside of the process, since starting Python would hide everything else.
fn inference(bench: &Bench<'_>, folder: &Path) -> Result<(String, Vec<Series>)> {
    let table = folder.join("sniffed.csv");
    write_table(&table, |rows, _| rows >= 2 * ROWS as u64)?;
    let python = bench.packages.install_python_set(bench.workspace, "wizards")?;
    let script = bench.workspace.root().join("xtask/wizards/time_sniffer.py");
    let systems = ["mortise", "DuckDB sniff_csv"];
    let series = interleave("types of columns", &systems, bench.rounds, |system| {
        let mut command = match system {
            0 => {
                let mut command = Command::new(bench.ours(EXAMPLE));
                command.arg("time").arg(folder).arg("sniffed.csv");
                command
            }
            _ => {
                let mut command = bench.packages.python(&script);
                command.env("PYTHONPATH", &python).arg(&table);
                command
            }
        };
        command.arg(ROWS.to_string()).arg(LOOPS.to_string());
        let finished = process::run_ok(&mut command, LIMIT)?;
        let times: Vec<f64> =
            serde_json::from_str(&finished.stdout).context("the program printed no times")?;
        ensure!(times.len() == LOOPS, "{} times were printed", times.len());
        let wall_ms = median(&times) / 1e6;
        Ok(Sample { wall_ms, cpu_ms: wall_ms, peak_kib: 0 })
    })?;
    let page = format!(
        "Dialect, header and types of {ROWS} rows of 8 columns: mortise takes **{:.1} ms**, with evidence for every type. \
         DuckDB's `sniff_csv` with `sample_size={ROWS}` takes {:.1} ms. The ratio is {} (goal: at most 1.5). The file is \
         opened each time; these are medians of {LOOPS} in one process. DuckDB may use all cores, mortise uses one.\n",
        median(&series[0].wall()),
        median(&series[1].wall()),
        shown(ratio(&series[0].wall(), &series[1].wall()))
    );
    Ok((page, series))
}

fn scan(bench: &Bench<'_>, folder: &Path) -> Result<(String, Vec<Series>)> {
    let root = folder.join("many");
    for index in 0..FILES {
        let below = root.join(format!("{:03}", index % FOLDERS));
        if index < FOLDERS {
            fs::create_dir_all(&below)?;
        }
        let file = below.join(format!("file_{index:06}.csv"));
        if !file.exists() {
            File::create(file)?;
        }
    }
    let words = [bench.ours(EXAMPLE), "scan".to_owned(), root.to_string_lossy().into_owned()];
    let series = interleave("scan", &["mortise scan"], bench.rounds, |_| {
        let sample = bench.measure(&words, 0)?;
        let found = fs::read_to_string(bench.folder.join("output"))?;
        ensure!(found.trim() == FILES.to_string(), "{} files were found", found.trim());
        Ok(sample)
    })?;
    let page = format!(
        "A scan of {FILES} files in {FOLDERS} folders, sorted, with sizes and times: median wall time **{:.2} s** (goal: \
         under 3 s), CPU {:.2} s, peak resident set {:.0} MiB.\n",
        median(&series[0].wall()) / 1e3,
        median(&series[0].cpu()) / 1e3,
        series[0].peak_mib()
    );
    Ok((page, series))
}

fn full_pass(bench: &Bench<'_>, folder: &Path) -> Result<(String, Vec<Series>)> {
    let table = folder.join("large.csv");
    let rows = write_table(&table, |_, bytes| bytes >= LARGE)?;
    let words = [
        bench.ours(EXAMPLE),
        "read".to_owned(),
        folder.to_string_lossy().into_owned(),
        "large.csv".to_owned(),
    ];
    let series = interleave("full pass", &["mortise reader"], bench.rounds, |_| {
        let sample = bench.measure(&words, 0)?;
        let read = fs::read_to_string(bench.folder.join("output"))?;
        ensure!(read.trim() == rows.to_string(), "{} rows were read", read.trim());
        Ok(sample)
    })?;
    let seconds = median(&series[0].wall()) / 1e3;
    let page = format!(
        "Every row of a CSV of {:.1} GB ({rows} rows) by the reader, on one thread: median wall time **{seconds:.2} s**, \
         {:.0} MB/s, peak resident set {:.0} MiB.\n",
        LARGE as f64 / 1e9,
        LARGE as f64 / 1e6 / seconds,
        series[0].peak_mib()
    );
    fs::remove_file(&table)?;
    Ok((page, series))
}
