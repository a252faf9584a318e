//! Generated parsers at size: one large file, and many small ones.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::super::Bench;
use super::super::series::{Series, interleave};
use super::super::statistics::median;
use super::write_table;

/// Bytes of the large file. Python in the sandbox takes minutes for a gigabyte, and its speed does not change on the way.
const LARGE: u64 = 100_000_000;
/// Long work is measured a few times only.
const ROUNDS: usize = 3;
const FILES: usize = 200;
const ROWS_PER_FILE: u64 = 1_000;

pub(super) fn run(bench: &Bench<'_>, folder: &Path) -> Result<(String, Vec<Series>)> {
    let parser = generate(bench, folder)?;
    let (pass, mut all) = large(bench, folder, &parser)?;
    let (backtest, series) = many(bench, folder, &parser)?;
    all.extend(series);
    Ok((format!("{pass}\n{backtest}"), all))
}

fn words(bench: &Bench<'_>, command: &str, folder: &Path, rest: &[&str]) -> Vec<String> {
    let mut words = vec![bench.ours("mortise"), "wizards".to_owned(), command.to_owned()];
    words.extend(rest.iter().map(|word| (*word).to_owned()));
    let folder = folder.to_string_lossy();
    words.extend(["--json", "--root", &folder, "--output"].map(str::to_owned));
    words.push(format!("{folder}/out"));
    words
}

fn output(bench: &Bench<'_>) -> Result<Value> {
    let text = fs::read_to_string(bench.folder.join("output"))?;
    serde_json::from_str(&text).context("the wizard printed no JSON")
}

/// The parser for files of this kind, as the wizard writes it.
fn generate(bench: &Bench<'_>, folder: &Path) -> Result<String> {
    let sample = folder.join("sample.csv");
    write_table(&sample, |rows, _| rows >= ROWS_PER_FILE)?;
    bench.measure(&words(bench, "parser", folder, &[&sample.to_string_lossy()]), 0)?;
    let code = output(bench)?["code"].as_str().context("no code")?.to_owned();
    let path = folder.join("parser.py");
    fs::write(&path, code)?;
    Ok(path.to_string_lossy().into_owned())
}

fn large(bench: &Bench<'_>, folder: &Path, parser: &str) -> Result<(String, Vec<Series>)> {
    let table = folder.join("large.csv");
    let rows = write_table(&table, |_, bytes| bytes >= LARGE)?;
    let path = table.to_string_lossy().into_owned();
    let words = words(bench, "run", folder, &[&path, "--parser", parser, "--dry-run"]);
    let series = interleave("generated parser", &["mortise wizards run"], ROUNDS.min(bench.rounds), |_| {
        let sample = bench.measure(&words, 0)?;
        let read = output(bench)?["total_rows"].as_u64();
        ensure!(read == Some(rows), "{read:?} rows were read");
        Ok(sample)
    })?;
    fs::remove_file(&table)?;
    let seconds = median(&series[0].wall()) / 1e3;
    let page = format!(
        "A CSV of {:.0} MB ({rows} rows of 8 columns) by a generated parser in the sandbox, every row checked on the way \
         out: median wall time **{seconds:.1} s**, {:.1} MB/s, {:.0} rows/s, peak resident set {:.0} MiB.\n",
        LARGE as f64 / 1e6,
        LARGE as f64 / 1e6 / seconds,
        rows as f64 / seconds,
        series[0].peak_mib()
    );
    Ok((page, series))
}

fn many(bench: &Bench<'_>, folder: &Path, parser: &str) -> Result<(String, Vec<Series>)> {
    let files = folder.join("backtest");
    fs::create_dir_all(&files)?;
    for number in 0..FILES {
        write_table(&files.join(format!("{number:04}.csv")), |rows, _| rows >= ROWS_PER_FILE)?;
    }
    let path = files.to_string_lossy().into_owned();
    let words = words(bench, "backtest", folder, &[&path, "--parser", parser, "--all"]);
    let series = interleave("backtest", &["mortise wizards backtest"], ROUNDS.min(bench.rounds), |_| {
        let sample = bench.measure(&words, 0)?;
        let passed = output(bench)?["files_passed"].as_u64();
        ensure!(passed == Some(FILES as u64), "{passed:?} files passed");
        Ok(sample)
    })?;
    fs::remove_dir_all(&files)?;
    let seconds = median(&series[0].wall()) / 1e3;
    let page = format!(
        "A backtest over {FILES} files of {ROWS_PER_FILE} rows: median wall time **{seconds:.1} s**, {:.0} files/s, \
         CPU {:.1} s.\n",
        FILES as f64 / seconds,
        median(&series[0].cpu()) / 1e3
    );
    Ok((page, series))
}
