//! Whole programs over tools in the shape of public servers: right ones pass, wrong ones are refused.
//!
//! Every right program prints something over example data of its tools; every wrong one has one mistake.

use std::sync::LazyLock;

use mortise_typecheck::{CheckMode, CheckedTool, TypecheckReport};

use crate::tools::{check, tools};
use crate::wrong::cases;

const RIGHT: [&str; 3] = [
    include_str!("../cases/programs/right_plain.txt"),
    include_str!("../cases/programs/right_models.txt"),
    include_str!("../cases/programs/right_tricky.txt"),
];
const WRONG: &str = include_str!("../cases/programs/wrong.txt");

/// Percent of the wrong programs that must be refused.
const REFUSED: usize = 85;

static TOOLS: LazyLock<Vec<CheckedTool>> =
    LazyLock::new(|| tools(include_str!("../cases/programs/tools.json")));

/// The title and the report of each program of a file.
fn reports(text: &str) -> Vec<(String, TypecheckReport)> {
    let checked = cases(text).into_iter().map(|case| {
        let report = check(&case.source, CheckMode::Guard, &TOOLS);
        assert_eq!(report.unchecked, None, "{}", case.title);
        (case.title, report)
    });
    checked.collect()
}

/// `refuse 2 unknown_key, warn 3 types`.
fn summary(report: &TypecheckReport) -> String {
    let findings = report.findings.iter().map(|finding| {
        let severity = format!("{:?}", finding.severity).to_lowercase();
        format!("{severity} {} {}", finding.line, finding.rule.word())
    });
    findings.collect::<Vec<_>>().join(", ")
}

#[test]
fn right_programs_are_never_refused() {
    let reports: Vec<(String, TypecheckReport)> = RIGHT.into_iter().flat_map(reports).collect();
    assert!(reports.len() >= 150, "{}", reports.len());
    let refusals: Vec<String> = reports
        .iter()
        .filter_map(|(title, report)| Some(format!("{title}: {}", report.refusal()?)))
        .collect();
    assert!(refusals.is_empty(), "{} of {}\n{}", refusals.len(), reports.len(), refusals.join("\n"));
    let warned: Vec<String> = reports
        .iter()
        .filter(|(_, report)| !report.findings.is_empty())
        .map(|(title, report)| format!("{title}: {}", summary(report)))
        .collect();
    insta::assert_snapshot!(warned.join("\n"));
}

#[test]
fn wrong_programs_are_refused_before_any_call() {
    let reports = reports(WRONG);
    assert!(reports.len() >= 100, "{}", reports.len());
    let refused = reports.iter().filter(|(_, report)| report.is_refused()).count();
    let lines: Vec<String> =
        reports.iter().map(|(title, report)| format!("{title}: {}", summary(report))).collect();
    insta::assert_snapshot!(format!("{refused} of {} refused\n\n{}", reports.len(), lines.join("\n")));
    assert!(refused * 100 >= REFUSED * reports.len(), "{refused} of {}", reports.len());
}
