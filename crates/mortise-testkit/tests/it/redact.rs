//! Snapshots without what differs from run to run.

use mortise_testkit::redact;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(redact(text), expected);
}

#[test]
fn what_differs_is_replaced() {
    check("http://127.0.0.1:40213/mcp in 12.5 ms", "http://127.0.0.1:[port]/mcp in [duration]");
    check("at 2026-11-15T10:00:01.25Z, 3s later", "at [time], [duration] later");
    check("9f1b2c3d-0a1b-4c2d-8e3f-001122334455", "[uuid]");
    check(r#"{"request_time_ms": 12}"#, r#"{"request_time_ms": [duration]}"#);
    check("started pid 4711", "started pid [pid]");
}

#[test]
fn what_stays_the_same_is_kept() {
    check("3 servers, 12 tools, line 4:17, 2026-07-28", "3 servers, 12 tools, line 4:17, 2026-07-28");
}
