//! Text without what differs from run to run.

use std::sync::LazyLock;

use regex::Regex;

/// Replaces ports, durations, points in time, UUIDs, hashes and process ids by their names in brackets.
///
/// `http://127.0.0.1:40213/mcp in 12.5 ms` becomes `http://127.0.0.1:[port]/mcp in [duration]`.
pub fn redact(text: &str) -> String {
    let mut text = text.to_owned();
    for (pattern, replacement) in PATTERNS.iter() {
        text = pattern.replace_all(&text, *replacement).into_owned();
    }
    text
}

// Order matters: a time or a UUID holds digits that a later rule would take.
static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let rules = [
        (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", "[time]"),
        (r"\b[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b", "[uuid]"),
        (r"\b[0-9a-f]{64}\b", "[hash]"),
        (r"(127\.0\.0\.1|localhost|\[::1\]|0\.0\.0\.0):\d{1,5}\b", "$1:[port]"),
        (r"\b\d+(\.\d+)? ?(ns|µs|us|ms|s|seconds?|minutes?)\b", "[duration]"),
        (r#"("[a-z_]*(_ms|Ms)": ?)\d+(\.\d+)?"#, "$1[duration]"),
        (r"\bpid( |=|: )\d+\b", "pid$1[pid]"),
    ];
    rules.into_iter().filter_map(|(rule, name)| Regex::new(rule).ok().map(|rule| (rule, name))).collect()
});
