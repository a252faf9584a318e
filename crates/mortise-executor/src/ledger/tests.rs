//! Rows for `ledger`.

use serde_json::json;

use super::*;

fn record(tool: &str, error: Option<&str>) -> CallRecord {
    CallRecord {
        tool: tool.to_owned(),
        arguments: "{}".to_owned(),
        started_ms: 0,
        result: String::new(),
        elapsed_ms: 2,
        waited_ms: 0,
        bytes: 100,
        verdict: error.is_none().then(|| "valid".to_owned()),
        notes: Vec::new(),
        left: Vec::new(),
        error: error.map(str::to_owned),
        is_refused: false,
        effect: if error.is_none() { CallEffect::Taken } else { CallEffect::None },
    }
}

#[test]
fn texts_from_outside_stay_on_one_line() {
    let mut ledger = Ledger::default();
    ledger.push(CallRecord {
        notes: vec!["a\u{2028}b".to_owned()],
        ..record("a", Some("line one\nline two\r\u{1b}[31mred\u{202e}\u{7}"))
    });
    let shown = &ledger.records()[0];
    assert_eq!(shown.error.as_deref(), Some("line one\\nline two\\r\\u{1b}[31mred\\u{202e}\\u{7}"));
    assert_eq!(shown.notes, ["a\\u{2028}b"]);
    let trace = ledger.trace(Duration::from_secs(1));
    assert_eq!(trace.lines().count(), 2, "{trace}");
}

fn value(shown: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(shown).unwrap()
}

#[test]
fn refused_calls_count_though_they_are_not_all_recorded() {
    let mut ledger = Ledger::default();
    ledger.push(record("a", None));
    ledger.push(CallRecord { is_refused: true, verdict: None, bytes: 0, ..record("a", Some("no budget")) });
    ledger.not_recorded(40);
    let summary = value(&ledger.summary(0));
    assert_eq!((&summary["calls"], &summary["failed"]), (&json!(42), &json!(41)));
    assert_eq!(summary["refused"], 41);
    assert_eq!(value(&ledger.detail())["omitted"], 40);
    assert_eq!(
        ledger.trace(Duration::from_millis(2300)),
        "[tool calls: 42, 41 failed; 2.3s]\n  failed: a: no budget\n  ... 40 more failures"
    );
}

#[test]
fn a_summary_counts_by_tool() {
    let mut ledger = Ledger::default();
    ledger.push(record("b", None));
    ledger.push(record("a", None));
    ledger.push(record("a", Some("boom")));
    assert_eq!(
        value(&ledger.summary(50)),
        json!({
            "calls": 3, "failed": 1, "bytes_from_tools": 300, "bytes_kept_out": 250,
            "tools": [
                {"tool": "a", "calls": 2, "failed": 1, "ms": 4, "bytes": 200, "verdicts": {"valid": 1}},
                {"tool": "b", "calls": 1, "failed": 0, "ms": 2, "bytes": 100, "verdicts": {"valid": 1}},
            ],
            "failures": [{"tool": "a", "error": "boom"}],
        })
    );
}

#[test]
fn a_summary_stays_small() {
    let mut ledger = Ledger::default();
    for number in 0..1000 {
        ledger.push(record(
            &format!("mcp__server__tool_{number}"),
            (number % 2 == 0).then_some(&"x".repeat(5000)).map(String::as_str),
        ));
    }
    let summary = value(&ledger.summary(0));
    assert!(summary.to_string().len() <= 2048, "{}", summary.to_string().len());
    assert_eq!(summary["failures"].as_array().unwrap().len(), 5);
    let shown = summary["tools"].as_array().unwrap().len();
    assert_eq!(summary["tools_omitted"], json!(1000 - shown));
    let detail = value(&ledger.detail());
    assert!(detail.to_string().len() <= 64 * 1024);
    assert_eq!(detail["calls"].as_array().unwrap().len() as u64 + detail["omitted"].as_u64().unwrap(), 1000);
    assert_eq!(ledger.every_call().len(), 1000);
}

#[test]
fn a_trace_names_five_failures() {
    let mut ledger = Ledger::default();
    for _ in 0..7 {
        ledger.push(record("t", Some("no")));
    }
    assert_eq!(
        ledger.trace(Duration::from_millis(2345)),
        "[tool calls: 7, 7 failed; 2.3s]\n  failed: t: no\n  failed: t: no\n  failed: t: no\n  failed: t: no\n  failed: t: no\n  ... 2 more failures"
    );
}

#[test]
fn arguments_are_sorted_and_cut() {
    assert_eq!(shown_arguments(&RawJson::parse(r#"{"b": 1, "a": 2}"#).unwrap()), r#"{"a":2,"b":1}"#);
    let long = format!(r#"{{"a":"{}"}}"#, "é".repeat(300));
    let shown = shown_arguments(&RawJson::parse(&long).unwrap());
    assert_eq!(shown.chars().count(), 201);
    assert!(shown.ends_with('…'));
}

#[test]
fn parts_that_a_program_did_not_get_are_named_with_the_way_to_them() {
    let mut ledger = Ledger::default();
    ledger.push(record("a", None));
    assert_eq!(ledger.left_behind(), None);
    for _ in 0..2 {
        let left = vec!["text".to_owned(), "image (image/png)\n".to_owned()];
        ledger.push(CallRecord { left, ..record("mcp__s__t", None) });
    }
    assert_eq!(
        ledger.left_behind().unwrap(),
        "Some results held more than the value: mcp__s__t (image (image/png)\\n ×2, text ×2). \
         `value, content = await with_content(mcp__s__t(...))` returns all of a result."
    );
    let calls = value(&ledger.every_call());
    assert_eq!(calls[1]["beside_value"][0], "text");
    for tool in ["u", "v", "w"] {
        ledger.push(CallRecord { left: vec!["text".to_owned()], ..record(tool, None) });
    }
    assert!(ledger.left_behind().unwrap().contains("v (text); …. `value"));
}
