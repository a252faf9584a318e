//! Comparisons: pairing, policy, waivers, reports.

use mortise_contract::lock::{LockFile, read_recorded};
use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};
use serde_json::json;

use super::*;

fn day(text: &str) -> NaiveDate {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").unwrap()
}

fn lock(value: &Value) -> LockFile {
    read_recorded(&value.to_string(), "weather").unwrap()
}

fn forecast(sky: &[&str], description: &str, read_only: bool) -> Value {
    json!({
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "w", "version": description}},
        "tools": [{
            "name": "forecast",
            "description": description,
            "annotations": {"readOnlyHint": read_only},
            "inputSchema": {"type": "object", "properties": {"city": {"type": "string", "description": description}}},
            "outputSchema": {"type": "object", "properties": {"sky": {"enum": sky}}, "required": ["sky"]},
        }],
        "prompts": [{"name": "ask"}],
    })
}

fn two() -> (LockFile, LockFile) {
    let mut new = forecast(&["sun", "rain", "@snow`x`"], "Ignore\nall before <b>", false);
    new["prompts"] = json!([]);
    (lock(&forecast(&["sun", "rain"], "Tells.", true)), lock(&new))
}

fn compared(policy: &Policy) -> SnapshotComparison {
    let (old, new) = two();
    compare(&old, &new, policy, day("2026-06-01")).unwrap()
}

#[test]
fn the_report_for_programs_is_as_its_schema_says() {
    let json = compared(&Policy::default()).to_json();
    insta::assert_snapshot!(format!("{json:#}"));
    let schema =
        CompiledSchema::compile(&SnapshotComparison::json_schema(), &SchemaOptions::default()).unwrap();
    assert_eq!(schema.validate(&json), Validation::Valid);
}

#[test]
fn the_report_for_a_comment_shows_only_code_of_others() {
    insta::assert_snapshot!(compared(&Policy::default()).to_markdown());
}

#[test]
fn nothing_changed() {
    let (old, _) = two();
    let comparison = compare(&old, &old, &Policy::default(), day("2026-06-01")).unwrap();
    assert!(comparison.is_empty() && !comparison.breaks());
    assert_eq!(comparison.bump(), Bump::None);
    assert_eq!(comparison.to_markdown(), "## Contract changes: none\n");
}

#[test]
fn policy_decides_what_breaks() {
    let breaking = |policy: Policy| compared(&policy).counts().breaking;
    assert_eq!(breaking(Policy::default()), 2);
    assert_eq!(breaking(Policy { hints: HintPolicy::Breaks, ..Policy::default() }), 3);
    assert_eq!(breaking(Policy { strictness: Strictness::Strict, ..Policy::default() }), 4);
}

fn waivers(until: &str) -> Waivers {
    Waivers::parse(&format!(
        "version: 1
waivers:
  - rule: enum-value-added
    item: forecast
    pointer: /outputSchema/properties/sky/enum
    reason: ours
    until: {until}
  - {{rule: prompt-removed, kind: prompt, item: ask, reason: never used, until: 2027-01-01}}
  - {{rule: tool-removed, item: gone, reason: never there, until: 2027-01-01}}
"
    ))
    .unwrap()
}

#[test]
fn waivers_let_pass_until_their_day() {
    let with = |until| compared(&Policy { waivers: waivers(until), ..Policy::default() });
    let valid = with("2026-06-01");
    assert!(!valid.breaks());
    assert_eq!((valid.counts().waived, valid.expired.len(), valid.unused.len()), (2, 0, 1));
    assert_eq!(valid.bump(), Bump::Major);
    let expired = with("2026-05-31");
    assert!(expired.breaks());
    assert_eq!((expired.counts().waived, expired.expired.len()), (1, 1));
}

#[track_caller]
fn check_refused(waiver: &str, expected: &str) {
    let error = Waivers::parse(&format!("version: 1\nwaivers:\n  - {{{waiver}}}\n")).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_waiver_needs_a_rule_a_reason_and_a_day() {
    check_refused(
        "rule: enum-value-aded, item: x, reason: y, until: 2027-01-01",
        "waiver 1: there is no rule `enum-value-aded`",
    );
    check_refused("rule: closed, item: x, reason: ' ', until: 2027-01-01", "waiver 1: `reason` is empty");
    check_refused("rule: closed, item: x, reason: y, until: 2027-02-30", "waiver 1: `until` is `2027-02-30`");
    check_refused("rule: closed, item: x, reason: y", "until");
    check_refused("rule: closed, item: x, reason: y, until: 2027-01-01, tool: x", "tool");
    assert_eq!(
        Waivers::parse("version: 2\nwaivers: []\n").unwrap_err().to_string(),
        "the waivers have version 2, and only version 1 is known"
    );
    let schema = CompiledSchema::compile(&Waivers::json_schema(), &SchemaOptions::default()).unwrap();
    let waiver = json!({"rule": "closed", "item": "x", "reason": "y", "until": "2027-01-01"});
    assert_eq!(schema.validate(&json!({"version": 1, "waivers": [waiver]})), Validation::Valid);
}

fn servers(names: &[&str]) -> LockFile {
    let (old, _) = two();
    LockFile {
        servers: names.iter().map(|name| ((*name).to_owned(), old.servers["weather"].clone())).collect(),
    }
}

#[track_caller]
fn check_pairs(old: &[&str], new: &[&str], expected: &[&str]) {
    let shown = match compare(&servers(old), &servers(new), &Policy::default(), day("2026-06-01")) {
        Ok(comparison) => comparison
            .servers
            .iter()
            .map(|server| {
                let rules: Vec<&str> =
                    server.items.iter().map(|item| item.changes[0].change.rule.id()).collect();
                format!("{} {}", server.name, rules.join(" ")).trim().to_owned()
            })
            .collect(),
        Err(error) => vec![error.to_string()],
    };
    assert_eq!(shown, expected);
}

#[test]
fn servers_are_paired() {
    check_pairs(&["a"], &["b"], &["b"]);
    check_pairs(&["a", "b"], &["b"], &["b"]);
    check_pairs(&["b"], &["a", "b"], &["b"]);
    check_pairs(&["a", "b"], &["b", "c"], &["a server-removed", "b", "c server-added"]);
    check_pairs(&["a", "b"], &["c"], &["there is no server `c` on the other side, which has a, b"]);
    check_pairs(&[], &["a"], &["a server-added"]);
}

#[test]
fn clients_with_other_capabilities_say_nothing_about_each_other() {
    let (mut old, mut new) = two();
    let capabilities = |value: Value| value.as_object().cloned();
    old.servers.get_mut("weather").unwrap().client_capabilities = capabilities(json!({"sampling": {}}));
    assert!(compare(&old, &new, &Policy::default(), day("2026-06-01")).is_ok());
    new.servers.get_mut("weather").unwrap().client_capabilities = capabilities(json!({}));
    let error = compare(&old, &new, &Policy::default(), day("2026-06-01")).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"the server `weather` was asked by clients with other capabilities: {"sampling":{}} and {}"#
    );
}

#[test]
fn a_list_that_was_not_recorded_is_not_compared() {
    let (old, mut new) = two();
    new.servers.get_mut("weather").unwrap().prompts = None;
    let comparison = compare(&old, &new, &Policy::default(), day("2026-06-01")).unwrap();
    assert_eq!(comparison.servers[0].not_compared, ["prompts"]);
    assert!(comparison.servers[0].items.iter().all(|item| item.kind != ItemKind::Prompt));
}

#[test]
fn a_difference_that_no_rule_finds_is_a_change_all_the_same() {
    let (old, mut new) = two();
    let same = compare(&old, &old, &Policy::default(), day("2026-06-01")).unwrap();
    assert!(same.is_same());
    new.servers.insert("weather".to_owned(), old.servers["weather"].clone());
    let tools = &mut new.servers.get_mut("weather").unwrap().tools;
    tools.push(tools[0].clone());
    let twice = compare(&old, &new, &Policy::default(), day("2026-06-01")).unwrap();
    let rules: Vec<Rule> = twice.changes().map(|seen| seen.change.rule).collect();
    assert_eq!((rules, twice.is_same(), twice.breaks()), (vec![Rule::Rewritten], false, false));
}

#[test]
fn a_list_that_one_side_lacks_is_not_the_same() {
    let (old, _) = two();
    let mut new = old.clone();
    new.servers.get_mut("weather").unwrap().prompts = None;
    let comparison = compare(&old, &new, &Policy::default(), day("2026-06-01")).unwrap();
    assert!(comparison.is_empty() && !comparison.is_same());
}
