//! Rows for `report`.

use super::*;
use crate::ledger::CallRecord;

const QUIET: RunText<'static> =
    RunText { output: "", truncated: false, emitted: None, error: None, called: None, trace: None };

/// Calls of three tools, with and without effect.
fn called() -> Ledger {
    let mut ledger = Ledger::default();
    let effects = [
        ("b", CallEffect::Taken),
        ("a", CallEffect::Taken),
        ("b", CallEffect::Taken),
        ("a", CallEffect::None),
        ("c", CallEffect::Unknown),
        ("b", CallEffect::Taken),
    ];
    for (tool, effect) in effects {
        ledger.push(CallRecord {
            tool: tool.to_owned(),
            arguments: String::new(),
            started_ms: 0,
            result: String::new(),
            elapsed_ms: 0,
            waited_ms: 0,
            bytes: 0,
            verdict: None,
            notes: Vec::new(),
            left: Vec::new(),
            error: None,
            is_refused: false,
            effect,
        });
    }
    ledger
}

#[track_caller]
fn check(report: RunText<'_>, expected: &str) {
    assert_eq!(report.text(), expected);
}

#[test]
fn output_follows_the_first_line() {
    check(RunText { output: "170\n165\n", ..QUIET }, "[Script executed successfully]\n170\n165\n");
    check(QUIET, "[Script executed successfully]\n(no output)");
    check(RunText { output: " \n", ..QUIET }, "[Script executed successfully]\n(no output)");
}

#[test]
fn what_was_left_out_is_marked() {
    check(
        RunText { output: "abc", truncated: true, ..QUIET },
        "[Script executed successfully]\nabc\n... (truncated)",
    );
}

#[test]
fn an_emitted_value_has_its_own_part() {
    let emitted = RawJson::parse(r#"{"a":1.10}"#).unwrap();
    check(
        RunText { output: "x\n", emitted: Some(&emitted), ..QUIET },
        "[Script executed successfully]\nx\n--- result ---\n{\"a\":1.10}",
    );
    check(
        RunText { emitted: Some(&emitted), ..QUIET },
        "[Script executed successfully]\n(no output)\n--- result ---\n{\"a\":1.10}",
    );
}

#[test]
fn a_failure_keeps_what_was_printed() {
    check(
        RunText { error: Some("TimeoutError: Execution exceeded 120s limit"), ..QUIET },
        "[Script execution failed]\nTimeoutError: Execution exceeded 120s limit",
    );
    check(
        RunText { output: "before\n", error: Some("ValueError: x\n"), called: Some(&called()), ..QUIET },
        "[Script execution failed]\nValueError: x\nCalls that had already succeeded: a, b ×3\nCalls that got no answer and may have taken effect: c\n\n--- output before the error ---\nbefore\n",
    );
    let emitted = RawJson::parse("[1]").unwrap();
    check(
        RunText { output: "before\n", emitted: Some(&emitted), error: Some("ValueError: x"), ..QUIET },
        "[Script execution failed]\nValueError: x\n\n--- output before the error ---\nbefore\n--- result before the error ---\n[1]",
    );
    check(
        RunText { error: Some("ValueError: x"), called: Some(&Ledger::default()), ..QUIET },
        "[Script execution failed]\nValueError: x",
    );
}

#[test]
fn a_trace_comes_last() {
    check(
        RunText { output: "x\n", trace: Some("[tool calls: 1, 0 failed; 0.1s]"), ..QUIET },
        "[Script executed successfully]\nx\n[tool calls: 1, 0 failed; 0.1s]",
    );
}
