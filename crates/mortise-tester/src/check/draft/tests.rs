use serde_json::json;

use crate::check::report::tests::report;
use crate::check::{CaseFile, ServerReport};

fn drafted(working: &[(&str, serde_json::Value)]) -> Option<String> {
    let working = working.iter().map(|(tool, arguments)| ((*tool).to_owned(), arguments.clone())).collect();
    ServerReport { working, ..report().servers.remove(0) }.drafted_cases()
}

#[test]
fn every_call_is_read_back_as_it_was() {
    let odd = json!({"n": "no", "y": "1.10", "é: \"#": ["- a\n", {"k": null}], "big": 1e300});
    let text = drafted(&[("get", odd.clone()), ("list", json!({}))]).unwrap();
    let file = CaseFile::parse(&text, "c.yaml").unwrap();
    assert_eq!(file.server.as_deref(), Some("a<b"));
    assert_eq!(file.cases.iter().map(|case| case.call.as_str()).collect::<Vec<_>>(), ["get", "list"]);
    assert_eq!(serde_json::Value::Object(file.cases[0].arguments.clone()), odd);
}

#[test]
fn a_call_that_a_case_file_can_not_hold_is_left_out() {
    let text = drafted(&[("a", json!({"text": "${name}"})), ("b", json!({}))]).unwrap();
    assert_eq!(CaseFile::parse(&text, "c.yaml").unwrap().cases.len(), 1);
    assert_eq!(drafted(&[("a", json!({"text": "${name}"}))]), None);
    assert_eq!(drafted(&[]), None);
}
