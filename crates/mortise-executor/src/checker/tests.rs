//! Who gets a process, by the clock of the tests: these processes read everything and never answer.

use std::time::Duration;

use futures::future::join_all;
use mortise_typecheck::{CheckMode, CheckRequest, Unchecked};

use super::{CheckerCommand, CheckerOptions, CheckerPool};

const TIME: Duration = Duration::from_secs(20);
const TURN: Duration = Duration::from_secs(10);
const LATE: Option<Unchecked> = Some(Unchecked::Time { milliseconds: 20_000 });
const NO_TURN: Option<Unchecked> = Some(Unchecked::Turn { milliseconds: 10_000 });

fn shell(script: &str) -> CheckerOptions {
    let arguments = ["-c".into(), script.into()].into();
    let command = CheckerCommand { program: "/bin/sh".into(), name: "sh".into(), arguments };
    CheckerOptions { time: TIME, turn: TURN, processes: 2, ..CheckerOptions::new(command) }
}

fn silent() -> CheckerPool {
    CheckerPool::new(shell("cat > /dev/null"))
}

async fn check(checker: &CheckerPool, session: &str) -> Option<Unchecked> {
    let request = CheckRequest::new("print(1)\n", CheckMode::Guard);
    checker.check_in_process(request, session, Duration::MAX).await.unchecked
}

/// What came of checks that all begin now.
async fn together(checker: &CheckerPool, sessions: &[&str]) -> Vec<Option<Unchecked>> {
    join_all(sessions.iter().map(|session| check(checker, session))).await
}

#[tokio::test(start_paused = true)]
async fn a_check_without_an_answer_ends_at_its_time() {
    assert_eq!(check(&silent(), "a").await, LATE);
}

#[tokio::test(start_paused = true)]
async fn a_session_with_many_slow_checks_leaves_a_process_to_others() {
    let checker = silent();
    let reports = together(&checker, &["slow", "slow", "slow", "slow", "other"]).await;
    assert_eq!(reports, [LATE, NO_TURN, NO_TURN, NO_TURN, LATE]);
}

#[tokio::test(start_paused = true)]
async fn sessions_that_lost_a_process_share_what_the_others_leave() {
    let checker = silent();
    assert_eq!(together(&checker, &["slow", "late"]).await, [LATE, LATE]);
    assert_eq!(together(&checker, &["slow", "late", "other"]).await, [LATE, NO_TURN, LATE]);
}

#[tokio::test(start_paused = true)]
async fn a_program_s_own_time_bounds_its_check() {
    let request = CheckRequest::new("print(1)\n", CheckMode::Guard);
    let report = silent().check_in_process(request, "a", Duration::from_secs(2)).await;
    assert_eq!(report.unchecked, Some(Unchecked::Time { milliseconds: 500 }));
}

#[tokio::test]
async fn a_process_that_ends_or_does_not_start_leaves_programs_unchecked() {
    let gone = CheckerPool::new(shell("exit 0"));
    assert_eq!(check(&gone, "a").await, Some(Unchecked::Crashed));
    assert_eq!(check(&gone, "a").await, Some(Unchecked::Crashed));
    let babbling = CheckerPool::new(shell("echo this is not an answer; cat > /dev/null"));
    assert_eq!(check(&babbling, "a").await, Some(Unchecked::Crashed));
    let missing = CheckerCommand { program: "/does/not/exist".into(), ..CheckerCommand::default() };
    let missing = CheckerPool::new(CheckerOptions::new(missing));
    assert_eq!(check(&missing, "a").await, Some(Unchecked::NotStarted));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_gets_neither_our_environment_nor_our_directory() {
    let directory = tempfile::tempdir().unwrap();
    let found = directory.path().join("found");
    // A process that ended is replaced at once, and the next one writes too: the file is there whole or not at all.
    let path = found.display();
    let script = format!(
        "(readlink /proc/$$/cwd; tr '\\0' '\\n' < /proc/$$/environ) > {path}.$$; mv {path}.$$ {path}; exit 0"
    );
    check(&CheckerPool::new(shell(&script)), "a").await;
    assert_eq!(std::fs::read_to_string(found).unwrap(), "/\n");
}
