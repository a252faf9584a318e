//! No rule is left out.

use super::*;

#[test]
fn a_rule_stands_with_its_source_and_its_day() {
    let printed = r#"{"rules": [{"id": "x.tools", "providers": ["a", "b"], "rule": "At most 2.", "limit": 2,
        "evidence": "documented", "read": "2026-11-17", "source": "Tools", "url": "https://x.example/tools"}]}"#;
    let printed: Printed = serde_json::from_str(printed).unwrap();
    let row =
        "| `x.tools` | a, b | At most 2. | documented: [Tools](https://x.example/tools) | 2026-11-17 |\n";
    assert!(page(&printed.rules).unwrap().ends_with(row));
}
