use insta::assert_snapshot;

use super::*;
use crate::format::{BridgeResults, ErrorBody, ErrorCode, TestCases};

fn results(passed: usize, failed: usize) -> ValidationResults {
    ValidationResults {
        is_valid: failed == 0,
        execution: if failed == 0 { ParserExecution::Passed } else { ParserExecution::Failed },
        skip_reason: None,
        syntax_errors: Vec::new(),
        import_errors: Vec::new(),
        runtime_errors: Vec::new(),
        warnings: Vec::new(),
        bridge: BridgeResults { valid: true, topic: None, sink: None, errors: Vec::new() },
        test_cases: TestCases { passed, failed, skipped: 0, items: Vec::new() },
        row_count: None,
        test_output: None,
        reconciliation: None,
    }
}

#[test]
fn a_rule_is_ready_or_has_questions() {
    let rule = RuleFeedback {
        schema_version: "extraction_rules.v1",
        complexity: Complexity::Simple,
        open_questions: 0,
    };
    assert_snapshot!(rule.render(Marks::Unicode), @r"
    ✓ Generated YAML Extraction Rule
      Schema: extraction_rules.v1
      Complexity: Simple
      Ready to approve and use immediately
    ");
    let open = |open_questions| RuleFeedback { open_questions, ..rule }.render(Marks::Ascii);
    assert_snapshot!(open(1), @r"
    [ok] Generated YAML Extraction Rule
      Schema: extraction_rules.v1
      Complexity: Simple
      Review 1 open question before approving
    ");
    assert!(open(2).ends_with("  Review 2 open questions before approving"));
}

#[test]
fn a_rule_with_code_says_why() {
    let mut hybrid = HybridFeedback {
        rule_is_valid: true,
        fallback_summary: "quarter expansion (start_month, end_month)",
        decision_reason: "`quarter` is to be computed\nfrom a hint",
    };
    assert_snapshot!(hybrid.render(Marks::Unicode), @r"
    ⚠ Generated Rule with Code Fallback
      Primary (YAML): Extraction Rule ✓
      Fallback (Python): quarter expansion (start_month, end_month)
      Reason: `quarter` is to be computed from a hint
      → Use YAML rule first; enable Python if rule fails
    ");
    hybrid.rule_is_valid = false;
    assert_snapshot!(hybrid.render(Marks::Ascii), @r"
    [!] Generated Rule with Code Fallback
      Primary (YAML): Extraction Rule [x]
      Fallback (Python): quarter expansion (start_month, end_month)
      Reason: `quarter` is to be computed from a hint
      -> Use YAML rule first; enable Python if rule fails
    ");
}

#[test]
fn a_parser_that_passed() {
    assert_snapshot!(CodeFeedback::python(Version(3, 10), &results(3, 0)).render(Marks::Unicode), @r"
    Generated Python Parser
      Language: Python 3.10+
      Bridge Protocol: ✓ Valid
      Validation: 3 test cases passed
      → Ready for backtest
    ");
}

#[test]
fn a_parser_that_failed() {
    let mut failed = results(1, 2);
    failed.bridge.valid = false;
    failed.bridge.errors = vec![ErrorBody::new(
        ErrorCode::BridgeProtocol,
        "`SINK` is not set at the top of the module",
        "set it",
    )];
    assert_snapshot!(CodeFeedback::python(Version(3, 12), &failed).render(Marks::Ascii), @r"
    Generated Python Parser
      Language: Python 3.12+
      Bridge Protocol: [x] `SINK` is not set at the top of the module
      Validation: 1 test case passed, 2 failed
      -> Fix 3 problems before backtest
    ");
}

#[test]
fn a_parser_that_did_not_run_says_so() {
    let mut skipped = results(0, 0);
    skipped.execution = ParserExecution::Skipped;
    skipped.skip_reason = Some("polars is not part of the embedded interpreter".to_owned());
    assert_snapshot!(CodeFeedback::python(Version(3, 10), &skipped).render(Marks::Unicode), @r"
    Generated Python Parser
      Language: Python 3.10+
      Bridge Protocol: ✓ Valid
      Validation: skipped (polars is not part of the embedded interpreter)
      → Ready for backtest
    ");
    let mut raised = results(0, 0);
    raised.execution = ParserExecution::Failed;
    raised.runtime_errors = vec![crate::format::RuntimeFault {
        class: "ValueError".to_owned(),
        message: String::new(),
        line: None,
    }];
    let text = CodeFeedback::python(Version(3, 10), &raised).render(Marks::Unicode);
    assert!(text.ends_with("  Validation: 0 test cases passed\n  → Fix 1 problem before backtest"), "{text}");
}
