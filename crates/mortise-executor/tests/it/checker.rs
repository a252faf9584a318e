//! Programs that the type checker does not survive.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use futures::future::join_all;
use mortise_executor::check::{CheckMode, CheckRequest, TypecheckReport};
use mortise_executor::checker::{CheckerCommand, CheckerOptions, CheckerPool};
use mortise_typecheck::Unchecked;
use mortise_typecheck::wire::{NamedRequest, ToChecker, encode};
use serde_json::json;

use crate::bench::{Setup, checker};

/// Types that the checker follows until its stack is gone.
const DEADLY: [&str; 4] = [
    "class X:\n    type A = X.A | int\ndef f(a: X.A): a.y\n",
    "type A = A | int\ndef f(a: A): a.y\n",
    "class C:\n    def __init__(self): ...\nclass D:\n    match C():\n        case __call__: pass\n    __call__ = __call__\nD()()\n",
    "class C:\n    __call__: 'C'\nC()()\n",
];

/// A type of 2⁶⁰ parts, and a message that speaks of it.
fn growing() -> String {
    format!("a = (1, '')\n{}a.missing\n", "a = (a, a)\n".repeat(60))
}

async fn check(checker: &CheckerPool, source: &str) -> TypecheckReport {
    checker.check_in_process(CheckRequest::new(source, CheckMode::Guard), "session", Duration::MAX).await
}

async fn assert_works(checker: &CheckerPool) {
    let report = check(checker, "print(missing)\n").await;
    assert_eq!((report.unchecked, report.refusals().count()), (None, 1));
}

#[tokio::test]
async fn a_program_that_overflows_the_checker_s_stack_ends_its_process_alone() {
    let checker = CheckerPool::new(checker());
    let mut crashed = 0;
    for source in DEADLY {
        let report = check(&checker, source).await;
        assert!(matches!(report.unchecked, None | Some(Unchecked::Crashed)), "{source}: {report:?}");
        crashed += usize::from(report.unchecked.is_some());
        assert_works(&checker).await;
    }
    assert!(crashed > 0);
}

#[tokio::test]
async fn a_check_that_takes_too_long_is_killed_and_the_next_one_works() {
    let checker = CheckerPool::new(checker());
    let request = CheckRequest::new(growing(), CheckMode::Guard);
    let report = checker.check_in_process(request, "session", Duration::from_secs(4)).await;
    assert_eq!(report.unchecked, Some(Unchecked::Time { milliseconds: 1_000 }));
    assert_works(&checker).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_check_that_needs_more_memory_than_its_process_may_have_ends_it() {
    let checker = CheckerPool::new(CheckerOptions { memory: 1 << 20, ..checker() });
    assert_eq!(check(&checker, "print(1)\n").await.unchecked, Some(Unchecked::Crashed));
}

/// Every start of the process writes a line into this file.
fn counted(options: CheckerOptions, starts: &Path) -> CheckerOptions {
    let script = format!("echo >> {}; exec {}", starts.display(), options.command.program.display());
    let arguments = ["-c".into(), script.into()].into();
    let command = CheckerCommand { program: "/bin/sh".into(), name: "sh".into(), arguments };
    CheckerOptions { command, ..options }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_that_holds_too_much_is_replaced_after_its_check() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let count = || std::fs::read_to_string(&starts).unwrap().lines().count();
    let checker_that_keeps =
        |resident| CheckerPool::new(counted(CheckerOptions { resident, ..checker() }, &starts));

    let kept = checker_that_keeps(checker().resident);
    for _ in 0..3 {
        assert_works(&kept).await;
    }
    assert_eq!(count(), 1);

    let replaced = checker_that_keeps(1);
    for _ in 0..3 {
        assert_works(&replaced).await;
    }
    assert!(count() >= 4, "{}", count());
}

/// 260 KB in which every name depends on all names before it.
fn large() -> String {
    let mut source = String::from("a = [(1, '')]\n");
    while source.len() < 260_000 {
        source.push_str("a = [(x, y) for x in a for y in a] if a else [a]\n");
    }
    source
}

#[tokio::test]
async fn large_programs_of_one_session_leave_the_checks_of_another_alone() {
    let checker = CheckerPool::new(checker());
    assert_works(&checker).await;
    let hostile = (0..5).map(|_| {
        let request = CheckRequest::new(large(), CheckMode::Strict);
        checker.check_in_process(request, "hostile", Duration::from_secs(8))
    });
    let (reports, ()) = tokio::join!(join_all(hostile), async {
        for _ in 0..3 {
            let request = CheckRequest::new("print(missing)\n", CheckMode::Strict);
            let report = checker.check_in_process(request, "other", Duration::MAX).await;
            assert_eq!((report.unchecked, report.refusals().count()), (None, 1));
        }
    });
    assert!(reports.iter().any(|report| report.unchecked.is_some()), "{reports:?}");
}

#[test]
fn a_process_ends_with_its_input_also_during_a_check() {
    let command = checker().command;
    let mut child = Command::new(command.program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut frames = Vec::new();
    let request = NamedRequest::of(CheckRequest::new(growing(), CheckMode::Guard));
    encode(&ToChecker::Check(request), &mut frames).unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(&frames).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[tokio::test]
async fn strict_refuses_what_could_not_be_checked_and_guard_runs_it() {
    let bench = Setup::of([]).check(CheckMode::Guard).start().await;
    let code = format!("print('ran')\n{}", DEADLY[0]);
    let ran = bench.call("execute_program", json!({ "code": code })).await;
    assert_eq!(ran.text, "[Script executed successfully]\nran\n");
    let note = "The program was not checked: the type checker's process ended during the check.";
    assert_eq!(ran.result["content"][1]["text"], note);
    assert_eq!(ran.facts["check"]["note"], note);

    let refused = bench.call("execute_program", json!({ "code": code, "check": "strict" })).await;
    assert!(refused.is_error);
    insta::assert_snapshot!(refused.text, @r#"
    [Script execution failed]
    CheckError: the program could not be checked; no tool was called

    the type checker's process ended during the check

    Simplify the program, or pass check="guard" to run it without a check (mortise run: --check guard).
    "#);
    assert_eq!(refused.facts["output"], "");
    assert_eq!(refused.facts["check"]["note"], note);

    let checked = bench.call("check_program", json!({ "code": code, "check": "strict" })).await;
    assert_eq!(checked.facts["ok"], json!(false));
}
