//! `approvals:` read, and refused with the place of the mistake.

use std::time::Duration;

use mortise_contract::Glob;
use mortise_contract::approval::{ApprovalPolicy, PolicyAnswer, PolicyHint};
use serde_json::json;

use super::ApprovalSettings;
use crate::config::tests::load_text;

fn read(text: &str) -> ApprovalSettings {
    load_text(text).unwrap().config.approvals
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let error = load_text(text).unwrap_err();
    let found = error.to_string();
    let found = found.rsplit_once("given.yaml:").map_or(found.as_str(), |(_, rest)| rest);
    let hints: String = error.hints().iter().map(|hint| format!("\nhint: {hint}")).collect();
    assert_eq!(format!("{found}{hints}"), expected);
}

#[test]
fn without_the_key_everything_is_allowed() {
    let settings = read("servers: []\n");
    assert!(settings.policy.allows_all());
    assert_eq!(settings.timeout, Duration::from_secs(300));
    assert_eq!(read("approvals:\n"), settings);
    assert_eq!(read("approvals: allow\n"), settings);
}

#[test]
fn one_word_is_the_default() {
    let ask = ApprovalPolicy { default: PolicyAnswer::Ask, ..ApprovalPolicy::default() };
    assert_eq!(read("approvals: ask\n").policy, ask);
    assert_eq!(read("approvals: deny\n").policy.default, PolicyAnswer::Deny);
}

#[test]
fn every_key_is_read() {
    let text = "
approvals:
  rules:
    - deny: mcp__crm__delete_*
    - allow: [mcp__crm__update, mcp__crm__add]
      hint: writes
      arguments: {properties: {status: {enum: [open, closed]}}}
      caller: nightly-*
    - ask: mcp__*
  default: ask
  no_hints: deny
  timeout_seconds: 60
";
    let settings = read(text);
    assert_eq!(settings.timeout, Duration::from_secs(60));
    assert_eq!(settings.policy.default, PolicyAnswer::Ask);
    assert_eq!(settings.policy.no_hints, Some(PolicyAnswer::Deny));
    let [deny, allow, ask] = settings.policy.rules.as_slice() else { panic!("three rules") };
    assert_eq!((deny.answer, ask.answer), (PolicyAnswer::Deny, PolicyAnswer::Ask));
    assert_eq!(allow.tools, [Glob::new("mcp__crm__update"), Glob::new("mcp__crm__add")]);
    assert_eq!(allow.hint, Some(PolicyHint::Writes));
    assert_eq!(allow.caller, Some(Glob::new("nightly-*")));
    let schema = json!({ "properties": { "status": { "enum": ["open", "closed"] } } });
    assert_eq!(allow.arguments.as_ref().map(|arguments| arguments.schema()), Some(&schema));
}

#[test]
fn mistakes_are_named_with_their_place() {
    check("approvals: sometimes\n", "1:12: unknown value `sometimes`\nhint: known values: allow, ask, deny");
    check("approvals:\n  rule: []\n", "2:3: unknown key `rule`\nhint: did you mean `rules`?");
    check(
        "approvals:\n  rules:\n    - hint: writes\n",
        "3:7: expected one of the keys `allow`, `ask` and `deny`",
    );
    check(
        "approvals:\n  rules:\n    - allow: a\n      deny: b\n",
        "4:13: `allow` and `deny` are mutually exclusive\nhint: keep one of the two",
    );
    check("approvals:\n  rules:\n    - ask: ''\n", "3:12: `pattern` is empty");
    check(
        "approvals:\n  rules:\n    - ask: a\n      hint: harmless\n",
        "4:13: unknown value `harmless`\n\
         hint: known values: read_only, writes, destructive, idempotent, open_world, none",
    );
    check(
        "approvals:\n  rules:\n    - ask: a\n      arguments: {minimum: many}\n",
        "4:18: `arguments` is not a JSON Schema that can be used: invalid schema at `/minimum`: \
         expected number, got \"many\"",
    );
    check(
        "approvals:\n  rules:\n    - ask: a\n      arguments: [1]\n",
        "4:18: `arguments` is not a JSON Schema that can be used: the schema is an array, not an object",
    );
    check("approvals:\n  timeout_seconds: 601\n", "2:20: `timeout_seconds` can be at most 600");
}
