//! A backtest: `parse()` really runs on every file, several at a time.
//!
//! The code does not change within a backtest, so a file that failed fails again, unless it only took too long:
//! further rounds repeat those alone. Files come in a fixed order and are judged in that order, so the same files
//! give the same report, however many run at once.

use std::collections::BTreeMap;
use std::future::Future;
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use tokio_util::sync::CancellationToken;

use crate::parsers::category::Category;

pub(crate) const AT_ONCE: usize = 4;

/// When a backtest ends, and what it aims at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BacktestConfig {
    /// A file whose share of passes is below this is a bad file.
    pub(crate) high_failure_threshold: f64,
    /// Whether bad files end the backtest early.
    pub(crate) early_stop: bool,
    /// After how many files that is looked at.
    pub(crate) check_after: usize,
    pub(crate) max_iterations: usize,
    /// The share of files that must pass.
    pub(crate) target: f64,
    pub(crate) max_duration: Duration,
    pub(crate) plateau_gain: f64,
    pub(crate) plateau_rounds: usize,
}

impl Default for BacktestConfig {
    fn default() -> Self {
        Self {
            high_failure_threshold: 0.8,
            early_stop: true,
            check_after: 10,
            max_iterations: 10,
            target: 0.95,
            max_duration: Duration::from_secs(300),
            plateau_gain: 0.01,
            plateau_rounds: 3,
        }
    }
}

/// Bad files that end a backtest early.
const BAD_FILES: usize = 3;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FileResult {
    pub(crate) path: String,
    pub(crate) rows: u64,
    /// Rows that the parser left out.
    pub(crate) rejected: u64,
    /// Whether the rows were counted by another reader too.
    pub(crate) reconciled: bool,
    pub(crate) failure: Option<(Category, String)>,
}

impl FileResult {
    pub(crate) fn passed(&self) -> bool {
        self.failure.is_none()
    }
}

/// Why a backtest ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Termination {
    /// Enough files pass.
    PassRateReached,
    /// All rounds are used up.
    MaxIterations,
    /// The time is up.
    Timeout,
    /// Rounds gain nothing any more.
    Plateau,
    /// Too many bad files.
    EarlyStopped,
    /// What failed fails again.
    NoProgressPossible,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BacktestReport {
    /// Files in the order of their paths; those that an early end left out are missing.
    pub(crate) results: Vec<FileResult>,
    pub(crate) untested: usize,
    pub(crate) iterations: usize,
    pub(crate) termination: Termination,
}

impl BacktestReport {
    /// The share of tested files that pass.
    pub(crate) fn pass_rate(&self) -> f64 {
        rate(self.results.iter())
    }
}

fn rate<'a>(results: impl Iterator<Item = &'a FileResult>) -> f64 {
    let (mut passed, mut all) = (0_u32, 0_u32);
    for result in results {
        passed += u32::from(result.passed());
        all += 1;
    }
    if all == 0 { 0.0 } else { f64::from(passed) / f64::from(all) }
}

/// How files did in earlier backtests of this process.
#[derive(Clone, Debug, Default)]
pub(crate) struct History(BTreeMap<String, Past>);

#[derive(Clone, Copy, Debug, Default)]
struct Past {
    runs: u32,
    passes: u32,
    failed_in_a_row: u32,
}

const REMEMBERED: usize = 100_000;

impl History {
    /// Files that failed most often in a row first, then by path.
    pub(crate) fn order(&self, files: &[String]) -> Vec<String> {
        let mut files = files.to_vec();
        files.sort();
        files.dedup();
        files.sort_by_key(|file| std::cmp::Reverse(self.0.get(file).map_or(0, |past| past.failed_in_a_row)));
        files
    }

    pub(crate) fn note<'a>(&mut self, results: impl IntoIterator<Item = &'a FileResult>) {
        for result in results {
            if self.0.len() >= REMEMBERED && !self.0.contains_key(&result.path) {
                continue;
            }
            let past = self.0.entry(result.path.clone()).or_default();
            past.runs += 1;
            past.passes += u32::from(result.passed());
            past.failed_in_a_row = if result.passed() { 0 } else { past.failed_in_a_row + 1 };
        }
    }

    /// The share of passes of a file, its newest result included.
    fn pass_rate(&self, result: &FileResult) -> f64 {
        let past = self.0.get(&result.path).copied().unwrap_or_default();
        f64::from(past.passes + u32::from(result.passed())) / f64::from(past.runs + 1)
    }
}

/// Runs a backtest. `test` tests one file within the time that is left; `progress` hears how many are done.
pub(crate) async fn backtest<F, Fut>(
    files: &[String],
    config: &BacktestConfig,
    history: &History,
    cancel: CancellationToken,
    test: F,
    mut progress: impl FnMut(usize, usize),
) -> BacktestReport
where
    F: Fn(String, Duration) -> Fut,
    Fut: Future<Output = FileResult>,
{
    let deadline = Instant::now() + config.max_duration;
    let mut results: BTreeMap<String, FileResult> = BTreeMap::new();
    let mut rates: Vec<f64> = Vec::new();
    let mut todo = history.order(files);
    let total = todo.len();
    let mut iterations = 0;
    let termination = loop {
        iterations += 1;
        let left = || deadline.saturating_duration_since(Instant::now());
        let mut running =
            futures::stream::iter(todo.clone()).map(|file| test(file, left())).buffered(AT_ONCE);
        let mut stopped = None;
        while let Some(result) = running.next().await {
            results.insert(result.path.clone(), result);
            progress(results.len(), total);
            if left().is_zero() || cancel.is_cancelled() {
                stopped = Some(Termination::Timeout);
                break;
            }
            if config.early_stop && results.len() >= config.check_after && results.len() < total {
                let bad = |result: &&FileResult| {
                    !result.passed() && history.pass_rate(result) < config.high_failure_threshold
                };
                if results.values().filter(bad).count() >= BAD_FILES {
                    stopped = Some(Termination::EarlyStopped);
                    break;
                }
            }
        }
        drop(running);
        if let Some(stopped) = stopped {
            let all_done = results.len() == total && results.values().all(|result| !is_transient(result));
            if !(all_done && stopped == Termination::Timeout && rate(results.values()) >= config.target) {
                break stopped;
            }
        }
        rates.push(rate(results.values()));
        if rate(results.values()) >= config.target {
            break Termination::PassRateReached;
        }
        todo = results
            .values()
            .filter(|result| is_transient(result))
            .map(|result| result.path.clone())
            .collect();
        if todo.is_empty() {
            break Termination::NoProgressPossible;
        }
        if iterations >= config.max_iterations {
            break Termination::MaxIterations;
        }
        if has_plateau(&rates, config) {
            break Termination::Plateau;
        }
    };
    let untested = total.saturating_sub(results.len());
    BacktestReport { results: results.into_values().collect(), untested, iterations, termination }
}

fn is_transient(result: &FileResult) -> bool {
    result.failure.as_ref().is_some_and(|(category, _)| category.is_transient())
}

fn has_plateau(rates: &[f64], config: &BacktestConfig) -> bool {
    let rounds = config.plateau_rounds.max(1);
    match rates.len().checked_sub(rounds + 1) {
        Some(before) => rates[rates.len() - 1] - rates[before] < config.plateau_gain,
        None => false,
    }
}

#[cfg(test)]
mod tests;
