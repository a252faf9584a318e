//! Policies, grants and questions, row by row.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use serde_json::{Value, json};

use super::*;
use crate::{Contract, Glob, RawJson};

fn raw(value: &Value) -> RawJson {
    // A text is JSON that a value can't hold, such as an object with a key that stands twice.
    RawJson::parse(&value.as_str().map_or_else(|| value.to_string(), str::to_owned)).unwrap()
}

fn contract(annotations: &Value) -> Contract {
    let mut tool = json!({ "name": "t", "inputSchema": { "type": "object" } });
    if annotations.is_object() {
        tool["annotations"] = annotations.clone();
    }
    Contract::parse(raw(&tool)).unwrap()
}

fn answer(word: &Value) -> PolicyAnswer {
    serde_json::from_value(word.clone()).unwrap()
}

fn rule(case: &Value) -> PolicyRule {
    let glob = |glob: &Value| Glob::new(glob.as_str().unwrap());
    let hint = case.get("hint").map(|hint| serde_json::from_value(hint.clone()).unwrap());
    let arguments = case.get("arguments").map(|schema| ArgumentSchema::compile(schema.clone()).unwrap());
    let caller = case.get("caller").map(glob);
    let tools = case["tools"].as_array().unwrap().iter().map(glob).collect();
    PolicyRule { hint, arguments, caller, ..PolicyRule::new(answer(&case["answer"]), tools) }
}

#[test]
fn policies_decide_as_the_cases_say() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../tests/cases/approvals.json")).unwrap();
    for case in cases {
        let policy = ApprovalPolicy {
            rules: case["rules"].as_array().unwrap().iter().map(rule).collect(),
            default: answer(&case["default"]),
            no_hints: case.get("no_hints").map(answer),
        };
        for call in case["calls"].as_array().unwrap() {
            let contract = contract(&call[1]);
            let subject = PolicySubject {
                callable: call[0].as_str().unwrap(),
                spellings: &[],
                hints: contract.given_hints(),
                caller: call[3].as_str().unwrap(),
            };
            let decision = policy.decide(&subject, &raw(&call[2]));
            let by = match decision.by {
                DecidedBy::Rule(at) => json!(at),
                other => serde_json::to_value(other).unwrap(),
            };
            let found = json!([decision.answer.as_str(), by]);
            assert_eq!(found, json!([call[4], call[5]]), "{}: {call}", case["name"]);
            let outlook = policy.outlook(&subject);
            let possible = match decision.answer {
                PolicyAnswer::Allow => outlook.allow,
                PolicyAnswer::Ask => outlook.ask,
                PolicyAnswer::Deny => outlook.deny,
            };
            assert!(possible.is_some(), "{}: {call} was not foreseen in {outlook:?}", case["name"]);
        }
    }
}

#[test]
fn a_spelling_of_the_server_withholds_a_tool_and_lets_none_through() {
    let spellings = ["mcp__crm__delete_all".to_owned()];
    let subject =
        PolicySubject { callable: "mcp__crm__delete_all_2", spellings: &spellings, hints: None, caller: "" };
    let rule = |answer| PolicyRule::new(answer, vec![Glob::new("mcp__crm__delete_all")]);
    let decide = |answer, default| {
        let policy = ApprovalPolicy { rules: vec![rule(answer)], default, no_hints: None };
        policy.decide(&subject, &raw(&json!({}))).answer
    };
    assert_eq!(decide(PolicyAnswer::Deny, PolicyAnswer::Allow), PolicyAnswer::Deny);
    assert_eq!(decide(PolicyAnswer::Allow, PolicyAnswer::Deny), PolicyAnswer::Deny);
}

#[test]
fn what_can_be_allowed_outright_is_not_asked_about_before_the_run() {
    let small = json!({ "answer": "allow", "tools": ["*"], "arguments": { "maxProperties": 1 } });
    let large = json!({ "answer": "deny", "tools": ["*"], "arguments": { "minProperties": 9 } });
    let ask = json!({ "answer": "ask", "tools": ["*"] });
    let outlook = |rules: &[&Value]| {
        let rules = rules.iter().copied().map(rule).collect();
        let policy = ApprovalPolicy { rules, ..ApprovalPolicy::default() };
        let subject = PolicySubject { callable: "t", spellings: &[], hints: None, caller: "" };
        policy.outlook(&subject)
    };
    assert_eq!(outlook(&[&small, &ask]).asks(), None);
    assert_eq!(outlook(&[&large, &ask]).asks(), Some(DecidedBy::Rule(1)));
    assert_eq!(outlook(&[&ask]).surely().unwrap().answer, PolicyAnswer::Ask);
    assert_eq!(outlook(&[&large, &ask]).surely(), None);
}

#[test]
fn a_policy_names_the_rule_that_decided() {
    let rule = rule(&json!({ "answer": "ask", "tools": ["mcp__a__*", "mcp__b__*"], "hint": "writes",
                             "arguments": {}, "caller": "c*" }));
    let policy = ApprovalPolicy { rules: vec![rule], default: PolicyAnswer::Deny, no_hints: None };
    assert_eq!(
        policy.describe(DecidedBy::Rule(0)),
        "rule 1, `ask: mcp__a__* mcp__b__*, hint: writes, arguments: …, caller: c*`"
    );
    assert_eq!(policy.describe(DecidedBy::Default), "`default: deny`");
    assert!(!policy.allows_all());
    assert!(ApprovalPolicy::default().allows_all());
}

fn grant(tool: &str, at_most: Option<u64>) -> ApprovalGrant {
    ApprovalGrant { tool: tool.to_owned(), arguments: None, at_most, scope: GrantScope::Run }
}

#[test]
fn the_call_after_the_last_granted_one_is_asked_about() {
    let book = GrantBook::default();
    let none = raw(&json!({}));
    assert_eq!(book.admit("mcp__s__t", &none, 0), Admission::Ask(AskReason::NoGrant));
    let id = book.add(&grant("mcp__s__t", Some(50)), 0).unwrap();
    for _ in 0..50 {
        assert_eq!(book.admit("mcp__s__t", &none, 0), Admission::Admitted(id));
    }
    assert_eq!(book.admit("mcp__s__t", &none, 0), Admission::Ask(AskReason::UsedUp { granted: 50 }));
    assert_eq!(book.admit("mcp__s__u", &none, 0), Admission::Ask(AskReason::NoGrant));
    assert_eq!(book.used(id), Some(50));
    let more = book.add(&grant("mcp__s__*", Some(1)), 0).unwrap();
    assert_eq!(book.admit("mcp__s__t", &none, 0), Admission::Admitted(more));
}

#[test]
fn an_argument_outside_the_granted_schema_is_asked_about_and_not_counted() {
    let book = GrantBook::default();
    let schema = json!({ "properties": { "status": { "enum": ["open"] } } });
    let id = book.add(&ApprovalGrant { arguments: Some(schema), ..grant("t", Some(1)) }, 0).unwrap();
    let outside = book.admit("t", &raw(&json!({ "status": "gone" })), 0);
    assert_eq!(outside, Admission::Ask(AskReason::Arguments { pointer: "/status".to_owned() }));
    assert_eq!(book.used(id), Some(0));
    assert_eq!(book.admit("t", &raw(&json!({ "status": "open" })), 0), Admission::Admitted(id));
    let bad = ApprovalGrant { arguments: Some(json!({ "type": 3 })), ..grant("t", None) };
    assert!(matches!(book.add(&bad, 0), Err(GrantError::Schema(_))));
}

#[test]
fn a_refusal_is_stronger_than_any_grant() {
    let book = GrantBook::default();
    book.add(&grant("*", None), 0).unwrap();
    book.refuse("mcp__s__t", "terminal");
    let none = raw(&json!({}));
    assert_eq!(book.admit("mcp__s__t", &none, 0), Admission::Denied { by: "terminal".to_owned() });
    assert!(matches!(book.admit("mcp__s__u", &none, 0), Admission::Admitted(_)));
}

#[test]
fn a_grant_for_a_caller_ends_at_its_time_and_counts_across_runs() {
    let scope = GrantScope::Caller { caller: "c".to_owned(), until: 100 };
    let standing = ApprovalGrant { scope, ..grant("t", Some(2)) };
    let used = Arc::new(AtomicU64::new(0));
    let (one, other) = (GrantBook::default(), GrantBook::default());
    one.add_shared(&standing, used.clone()).unwrap();
    other.add_shared(&standing, used).unwrap();
    let none = raw(&json!({}));
    assert!(one.covers("t", Some(2), 99) && !one.covers("t", Some(3), 99) && !one.covers("t", None, 99));
    assert!(!one.covers("t", Some(1), 100) && !one.covers("u", Some(1), 99));
    assert!(matches!(one.admit("t", &none, 99), Admission::Admitted(_)));
    assert_eq!(one.admit("t", &none, 100), Admission::Ask(AskReason::NoGrant));
    assert!(matches!(other.admit("t", &none, 99), Admission::Admitted(_)));
    assert_eq!(other.admit("t", &none, 99), Admission::Ask(AskReason::UsedUp { granted: 2 }));
}

#[test]
fn calls_at_the_same_time_never_exceed_the_grant() {
    let book = Arc::new(GrantBook::default());
    book.add(&grant("t", Some(100)), 0).unwrap();
    let threads = (0..8).map(|_| {
        let book = book.clone();
        std::thread::spawn(move || {
            let none = RawJson::parse("{}").unwrap();
            (0..50).filter(|_| matches!(book.admit("t", &none, 0), Admission::Admitted(_))).count()
        })
    });
    let threads: Vec<_> = threads.collect();
    let admitted: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert_eq!(admitted, 100);
}

#[test]
fn a_book_is_bounded() {
    let book = GrantBook::default();
    for _ in 0..crate::limits::APPROVAL_GRANTS {
        book.add(&grant("t", Some(1)), 0).unwrap();
    }
    let full = GrantError::Full { limit: crate::limits::APPROVAL_GRANTS };
    assert_eq!(book.add(&grant("t", Some(1)), 0), Err(full));
}

fn asked(shown: &str, effect: DeclaredEffect, calls: Option<u64>, lines: &[u32]) -> AskedTool {
    AskedTool {
        tool: format!("mcp__{}", shown.replace('.', "__")),
        shown: shown.to_owned(),
        effect,
        lines: lines.to_vec(),
        calls,
        why: None,
        arguments: Vec::new(),
        schema: None,
    }
}

#[test]
fn a_question_about_one_tool_is_a_sentence() {
    let tools = vec![asked("tickets.update", DeclaredEffect::Writes, Some(20), &[14])];
    let question = ApprovalQuestion::new(QuestionStage::BeforeRun, tools);
    assert_eq!(
        question.text(),
        "This program will call tickets.update up to 20 times (line 14).\n\
         It names no tool that says it may destroy something.\nAllow?"
    );
    assert_eq!(question.summary(), "call tickets.update up to 20 times (line 14)");
}

#[test]
fn what_may_destroy_something_comes_first() {
    let mut question = ApprovalQuestion::new(
        QuestionStage::BeforeRun,
        vec![
            asked("a.add", DeclaredEffect::Writes, None, &[1, 2, 3, 4, 5, 6]),
            asked("b.old", DeclaredEffect::Unknown, Some(2), &[7]),
            asked("z.delete", DeclaredEffect::Destructive, Some(1), &[9]),
        ],
    );
    question.lookups = vec![11];
    question.refused = vec!["z.drop".to_owned()];
    assert_eq!(
        question.text(),
        "This program will call:\n\
         - z.delete: once (line 9); may destroy something\n\
         - b.old: up to 2 times (line 7); does not say what it changes\n\
         - a.add: any number of times (lines 1, 2, 3, 4, 5 and 1 more)\n\
         It may call other tools (line 11). You will be asked about those first.\n\
         The configuration refuses its calls of z.drop.\n\
         Allow?"
    );
}

#[test]
fn a_question_in_the_middle_says_why_and_shows_the_arguments() {
    let mut tool = asked("tickets.update", DeclaredEffect::Writes, Some(1), &[]);
    tool.why = Some(AskReason::UsedUp { granted: 50 });
    tool.arguments = vec!["{\"id\":51,\n\"x\":\"\u{202e}\"}".to_owned()];
    let question = ApprovalQuestion::new(QuestionStage::DuringRun, vec![tool]);
    assert_eq!(
        question.text(),
        "The running program wants to call tickets.update once.\n\
         tickets.update was allowed 50 times, and those calls have been made.\n  \
         tickets.update({\"id\":51, \"x\":\"\\u{202e}\"})\n\
         Allow?"
    );
    assert!(!format!("{question:?}").contains("51,"), "{question:?}");
}

#[test]
fn an_answer_grants_what_was_asked_or_what_it_says() {
    let mut tool = asked("s.t", DeclaredEffect::Writes, Some(20), &[1]);
    tool.schema = Some(json!({ "maxProperties": 1 }));
    let question = ApprovalQuestion::new(QuestionStage::BeforeRun, vec![tool]);
    let plain = question.grants(&AllowedCalls::default(), "c");
    let expected =
        ApprovalGrant { arguments: Some(json!({ "maxProperties": 1 })), ..grant("mcp__s__t", Some(20)) };
    assert_eq!(plain, [expected]);
    let wide = AllowedCalls { at_most: Some(3), arguments: Some(json!({})), until: Some(9) };
    let scope = GrantScope::Caller { caller: "c".to_owned(), until: 9 };
    let expected = ApprovalGrant { arguments: Some(json!({})), scope, ..grant("mcp__s__t", Some(3)) };
    assert_eq!(question.grants(&wide, "c"), [expected]);
}

#[test]
fn questions_and_decisions_survive_their_json() {
    let mut tool = asked("s.t", DeclaredEffect::Unknown, None, &[1]);
    tool.why = Some(AskReason::Arguments { pointer: "/a".to_owned() });
    let question = ApprovalQuestion::new(QuestionStage::DuringRun, vec![tool]);
    let text = serde_json::to_string(&question).unwrap();
    assert!(serde_json::from_str::<ApprovalQuestion>(&text).unwrap() == question, "{text}");
    let allow = ApprovalAnswer::Allow(AllowedCalls { at_most: Some(2), ..AllowedCalls::default() });
    let decision = ApprovalDecision { answer: allow, who: "terminal".to_owned(), at_ms: 5 };
    let text = serde_json::to_string(&decision).unwrap();
    assert_eq!(text, r#"{"answer":{"allow":{"at_most":2}},"who":"terminal","at_ms":5}"#);
    assert_eq!(serde_json::from_str::<ApprovalDecision>(&text).unwrap(), decision);
    let deny = r#"{"answer":"deny","who":"--yes","at_ms":5}"#;
    assert_eq!(serde_json::from_str::<ApprovalDecision>(deny).unwrap().answer, ApprovalAnswer::Deny);
}
