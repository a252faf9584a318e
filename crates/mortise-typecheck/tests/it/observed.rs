//! Programs over tools that declare no result, of which results were observed.

use mortise_contract::RawJson;
use mortise_contract::observed::ObservedShape;
use mortise_typecheck::{
    CheckMode, CheckRequest, ObservedOutput, ShapeBasis, TypecheckReport, TypecheckRule, TypecheckSeverity,
};
use serde_json::{Value, json};

use crate::tools::{CHECKER, tool};

const SALES: &str = "mcp__shop__sales";

/// Checks a program whose tool `mcp__shop__sales` gave these results, each a number of times.
fn check_over(source: &str, mode: CheckMode, results: &[Value], times: u64) -> TypecheckReport {
    let mut shape = ObservedShape::default();
    for value in results {
        let seen = ObservedShape::of(&RawJson::from_value(value).unwrap(), 0);
        (0..times).for_each(|_| shape.merge(&seen));
    }
    let mut request = CheckRequest::new(source, mode);
    request.tools.push(tool("shop", &json!({"name": "sales", "inputSchema": {"type": "object"}})));
    if shape.calls() > 0 {
        let observed = ObservedOutput { schema: shape.schema().value, results: shape.calls() };
        request.observed.insert(SALES.to_owned(), observed);
    }
    CHECKER.check(request)
}

fn rows() -> Value {
    json!({"rows": [{"revenue": 3, "day": "2026-11-18"}, {"revenue": 4.5, "day": "2026-11-19", "note": "x"}], "next": null})
}

#[track_caller]
fn check_warning(source: &str, expected: &str) {
    for mode in [CheckMode::Guard, CheckMode::Strict] {
        let report = check_over(source, mode, &[rows()], 37);
        assert!(!report.is_refused(), "{report:?}");
        let shown: Vec<String> = report.warnings().map(|finding| finding.message.clone()).collect();
        assert_eq!(shown, [expected], "{mode:?}");
        assert!(report.findings.iter().all(|finding| finding.basis == ShapeBasis::Observed));
    }
    // Of nothing that was observed nothing is known.
    assert_eq!(check_over(source, CheckMode::Strict, &[], 0).findings, []);
}

#[test]
fn a_field_that_was_never_seen_is_a_warning() {
    let source = "page = await mcp__shop__sales()\nfor row in page['rows']:\n    print(row['revenu'])\n";
    check_warning(source, "observed in 37 results, never had `revenu`");
    let report = check_over(source, CheckMode::Guard, &[rows()], 37);
    let finding = &report.findings[0];
    assert_eq!((finding.rule, finding.severity), (TypecheckRule::UnknownKey, TypecheckSeverity::Warn));
    let text = finding.to_string();
    assert!(
        text.starts_with(
            "line 3, column 15: observed in 37 results, never had `revenu`; did you mean `revenue`?\n"
        ),
        "{text}"
    );
    assert!(text.contains("\n  observed: ") && !text.contains("declared"), "{text}");
}

#[test]
fn a_field_read_as_an_attribute_is_a_warning() {
    check_warning(
        "page = await mcp__shop__sales()\nprint(page.rows)\n",
        "values of tools are dicts: write [\"rows\"] instead of .rows (by observed results; nothing is declared)",
    );
}

#[test]
fn a_field_that_was_not_always_there_is_a_warning() {
    check_warning(
        "page = await mcp__shop__sales()\nprint([row['note'] for row in page['rows']])\n",
        "\"note\" was not always there in 37 observed results: read it with `.get(\"note\")`, or test for it first",
    );
}

#[test]
fn right_programs_have_no_warning() {
    for source in [
        "page = await mcp__shop__sales()\nprint(sum(row['revenue'] for row in page['rows']), page.get('next'))\n",
        "page = await mcp__shop__sales()\nfor row in page['rows']:\n    print(row.get('note', ''), row['day'].upper())\n",
        "page = await mcp__shop__sales()\nif 'error' in page:\n    print(page['error'])\n",
        "try:\n    page = await mcp__shop__sales()\n    print(page['rows'])\nexcept KeyError:\n    pass\n",
    ] {
        let report = check_over(source, CheckMode::Strict, &[rows()], 37);
        assert_eq!(report.findings, [], "{source}");
    }
}

#[test]
fn a_map_has_any_key() {
    let prices = json!({"2026-11-18": 3, "2026-11-19": 4});
    let source = "prices = await mcp__shop__sales()\nprint(prices['2026-12-24'] + 1, prices['x'])\n";
    assert_eq!(check_over(source, CheckMode::Guard, &[prices], 5).findings, []);
}

#[test]
fn what_is_declared_is_refused_as_before() {
    let source =
        "page = await mcp__shop__sales(limit=3)\nprint(page['rows'], undefined)\nprint(page['revenu'])\n";
    let report = check_over(source, CheckMode::Guard, &[rows()], 4);
    let refusals: Vec<usize> = report.refusals().map(|finding| finding.line).collect();
    let warnings: Vec<usize> = report.warnings().map(|finding| finding.line).collect();
    assert_eq!((refusals, warnings), (vec![2], vec![3]));
    // A broken program has nothing else to say.
    let broken =
        check_over("page = await mcp__shop__sales(\nprint(page['x'])\n", CheckMode::Guard, &[rows()], 4);
    assert!(broken.findings.iter().all(|finding| finding.rule == TypecheckRule::Syntax));
}

#[test]
fn shapes_that_grow_are_read_anew() {
    let source = "page = await mcp__shop__sales()\nprint(page['late'])\n";
    assert_eq!(check_over(source, CheckMode::Guard, &[rows()], 3).findings.len(), 1);
    assert_eq!(check_over(source, CheckMode::Guard, &[json!({"late": 1, "rows": []})], 3).findings, []);
    let more = check_over(source, CheckMode::Guard, &[rows()], 4);
    assert_eq!(more.findings[0].message, "observed in 4 results, never had `late`");
}
