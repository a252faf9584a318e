use std::path::Path;

use serde_json::json;

use super::calls::CALLS;
use super::redact;

#[test]
fn what_differs_from_run_to_run_is_replaced() {
    let value = json!({"draft_id": "deadbeef", "source_id": "orders", "duration_ms": 17, "created_at": "now",
        "files": [{"path": "/x/y/data/a.csv", "rows": 3}]});
    assert_eq!(
        redact::value(&value, Path::new("/x/y/data")),
        json!({"draft_id": "0a1b2c3d", "source_id": "orders", "duration_ms": 0, "created_at": "2026-11-16T12:00:00Z",
            "files": [{"path": "/data/a.csv", "rows": 3}]})
    );
}

#[test]
fn every_call_has_a_name_of_its_own() {
    let mut names: Vec<&str> = CALLS.iter().map(|call| call.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), CALLS.len());
}
