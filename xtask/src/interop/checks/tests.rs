use std::path::Path;

use serde_json::json;

use super::normal;

#[test]
fn times_and_excerpts_are_left_out_and_the_folder_has_a_name() {
    let report = json!({
        "about": "a 1", "protocol_version": "2025-11-25", "tools": ["t"], "calls": 1,
        "findings": [{
            "rule": "crashed", "severity": "error", "tool": "t", "message": "no /tmp/x/file", "count": 1, "fix": "f",
            "evidence": {"request": "tools/call t {\"path\":\"/tmp/x\"}", "response": "at 12:03", "pointer": "/a"},
        }],
        "made": [{"tool": "t", "arguments": "{}", "kind": "valid", "verdict": "valid", "ms": 7}],
        "standings": [], "coverage": [],
    });
    assert_eq!(
        normal(&report, Path::new("/tmp/x")),
        json!({
            "about": "a 1", "protocol_version": "2025-11-25", "tools": ["t"],
            "findings": [{
                "rule": "crashed", "severity": "error", "tool": "t", "message": "no {folder}/file", "count": 1,
                "request": "tools/call t {\"path\":\"{folder}\"}", "pointer": "/a",
            }],
            "made": [{"tool": "t", "arguments": "{}", "kind": "valid", "verdict": "valid"}],
            "standings": [], "coverage": [],
        })
    );
}
