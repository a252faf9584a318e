use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

fn files(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{number:03}.csv")).collect()
}

fn result(path: String, failure: Option<Category>) -> FileResult {
    FileResult {
        path,
        rows: 1,
        rejected: 0,
        reconciled: true,
        failure: failure.map(|category| (category, "so".to_owned())),
    }
}

async fn run(
    count: usize,
    config: &BacktestConfig,
    verdict: impl Fn(&str) -> Option<Category>,
) -> BacktestReport {
    let test = |path: String, _| {
        let failure = verdict(&path);
        async move { result(path, failure) }
    };
    backtest(&files(count), config, &History::default(), CancellationToken::new(), test, |_, _| {}).await
}

#[tokio::test]
async fn files_that_pass_end_it_at_once() {
    let report = run(20, &BacktestConfig::default(), |_| None).await;
    assert_eq!((report.termination, report.iterations), (Termination::PassRateReached, 1));
    assert_eq!((report.pass_rate(), report.results.len()), (1.0, 20));
}

#[tokio::test]
async fn what_fails_for_good_is_not_repeated() {
    let report =
        run(5, &BacktestConfig::default(), |path| (path < "001").then_some(Category::ParseError)).await;
    assert_eq!((report.termination, report.iterations), (Termination::NoProgressPossible, 1));
    assert_eq!(report.pass_rate(), 0.8);
}

#[tokio::test]
async fn three_bad_files_of_ten_end_it_early() {
    let bad = |path: &str| (path < "003").then_some(Category::TypeMismatch);
    let report = run(50, &BacktestConfig::default(), bad).await;
    assert_eq!((report.termination, report.results.len()), (Termination::EarlyStopped, 10));
    assert_eq!(report.untested, 40);
    let patient = BacktestConfig { early_stop: false, ..BacktestConfig::default() };
    assert_eq!(run(50, &patient, bad).await.results.len(), 50);
    assert_eq!(run(10, &BacktestConfig::default(), bad).await.results.len(), 10);
}

#[tokio::test]
async fn only_timeouts_are_repeated() {
    let calls = AtomicUsize::new(0);
    let report = run(4, &BacktestConfig::default(), |path| {
        let call = calls.fetch_add(1, Ordering::Relaxed);
        (path == "000.csv" && call < 5).then_some(Category::Timeout)
    })
    .await;
    assert_eq!((report.termination, report.iterations), (Termination::PassRateReached, 3));
    assert_eq!(calls.load(Ordering::Relaxed), 6);
}

#[tokio::test]
async fn rounds_without_gain_are_a_plateau() {
    let report = run(2, &BacktestConfig::default(), |_| Some(Category::Timeout)).await;
    assert_eq!((report.termination, report.iterations), (Termination::Plateau, 4));
    let quick = BacktestConfig { max_iterations: 2, ..BacktestConfig::default() };
    let report = run(2, &quick, |_| Some(Category::Timeout)).await;
    assert_eq!((report.termination, report.iterations), (Termination::MaxIterations, 2));
}

#[tokio::test]
async fn no_time_is_a_timeout() {
    let config = BacktestConfig { max_duration: Duration::ZERO, ..BacktestConfig::default() };
    let report = run(9, &config, |_| Some(Category::Timeout)).await;
    assert_eq!((report.termination, report.results.len()), (Termination::Timeout, 1));
    assert_eq!(report.untested, 8);
}

#[test]
fn files_that_failed_before_come_first() {
    let mut history = History::default();
    history.note([&result("b".to_owned(), Some(Category::Unknown)), &result("a".to_owned(), None)]);
    history.note([
        &result("b".to_owned(), Some(Category::Unknown)),
        &result("c".to_owned(), Some(Category::Unknown)),
    ]);
    let files = ["a", "b", "c", "d", "d"].map(str::to_owned);
    assert_eq!(history.order(&files), ["b", "c", "a", "d"]);
    history.note([&result("b".to_owned(), None)]);
    assert_eq!(history.order(&files), ["c", "a", "b", "d"]);
}
