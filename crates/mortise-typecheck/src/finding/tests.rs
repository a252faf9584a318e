//! What people and models read.

use super::{KEPT, ShapeBasis, TypecheckFinding, TypecheckReport, TypecheckRule, TypecheckSeverity};

fn finding(severity: TypecheckSeverity) -> TypecheckFinding {
    TypecheckFinding {
        severity,
        rule: TypecheckRule::UnknownKey,
        line: 3,
        column: 11,
        message: "the value has no key \"revenu\"".to_owned(),
        excerpt: "total += row[\"revenu\"]".to_owned(),
        caret: (13, 8),
        declared: Some("Row = {revenue: int}".to_owned()),
        basis: ShapeBasis::Declared,
        nearest: Some("revenue".to_owned()),
    }
}

#[test]
fn a_refusal_says_where_what_and_how_to_go_on() {
    let report =
        TypecheckReport::of(vec![finding(TypecheckSeverity::Refuse), finding(TypecheckSeverity::Warn)]);
    insta::assert_snapshot!(report.refusal().unwrap(), @r#"
    CheckError: 1 problem found; no tool was called

    line 3, column 11: the value has no key "revenu"; did you mean `revenue`?
        total += row["revenu"]
                     ^^^^^^^^
      declared: Row = {revenue: int}

    To run the program as it is, pass check="off" (mortise run: --check off).
    "#);
    insta::assert_snapshot!(report.warning().unwrap(), @r#"
    Warnings of the check before the run:

    line 3, column 11: the value has no key "revenu"; did you mean `revenue`?
        total += row["revenu"]
                     ^^^^^^^^
      declared: Row = {revenue: int}
    "#);
}

#[test]
fn many_findings_are_counted() {
    let report = TypecheckReport::of(vec![finding(TypecheckSeverity::Refuse); 13]);
    let text = report.refusal().unwrap();
    assert_eq!(text.matches("line 3").count(), 10);
    assert!(text.contains("\n… and 3 more\n"), "{text}");
}

#[test]
fn of_very_many_findings_those_that_refuse_are_kept() {
    let mut findings = vec![finding(TypecheckSeverity::Warn); 3 * KEPT];
    findings.extend(vec![finding(TypecheckSeverity::Refuse); 20]);
    let report = TypecheckReport::of(findings);
    assert_eq!((report.findings.len(), report.refusals().count()), (KEPT, 20));
    assert_eq!(report.omitted, 2 * KEPT + 20);
    assert!(report.refusal().unwrap().starts_with("CheckError: 20 problems found"));
    let report = TypecheckReport::of(vec![finding(TypecheckSeverity::Refuse); 3 * KEPT]);
    assert!(report.refusal().unwrap().starts_with("CheckError: at least 100 problems found"));
}

#[test]
fn nothing_found_is_nothing_said() {
    assert_eq!((TypecheckReport::default().refusal(), TypecheckReport::default().warning()), (None, None));
}
