//! Programs that are wrong, and what must be said about each.
//!
//! A case is a title, a program, and what must be said: every finding as `refuse LINE:COLUMN RULE` or
//! `warn LINE:COLUMN RULE`, and texts that the refusal or the warning must hold.

use mortise_typecheck::{CheckMode, TypecheckSeverity};
use serde_json::json;

use crate::tools::{TOOLS, check, tool};

const FILES: [(&str, &str); 5] = [
    ("keys", include_str!("../cases/wrong/keys.txt")),
    ("calls", include_str!("../cases/wrong/calls.txt")),
    ("awaits", include_str!("../cases/wrong/awaits.txt")),
    ("names", include_str!("../cases/wrong/names.txt")),
    ("types", include_str!("../cases/wrong/types.txt")),
];

pub(crate) struct Case {
    pub(crate) title: String,
    pub(crate) source: String,
    findings: Vec<String>,
    says: Vec<String>,
}

pub(crate) fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            let (findings, says) = (Vec::new(), Vec::new());
            cases.push(Case { title: title.to_owned(), source: String::new(), findings, says });
            continue;
        }
        let case = cases.last_mut().expect("a title comes first");
        match line.strip_prefix("#> ") {
            Some(says) if says.starts_with("says ") => case.says.push(says[5..].to_owned()),
            Some(finding) => case.findings.push(finding.to_owned()),
            None => case.source.push_str(&format!("{line}\n")),
        }
    }
    cases
}

#[test]
fn wrong_programs_are_told_what_is_wrong() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (file, text) in FILES {
        for case in cases(text) {
            count += 1;
            let report = check(&case.source, CheckMode::Guard, &TOOLS);
            let findings: Vec<String> = report
                .findings
                .iter()
                .map(|finding| {
                    let severity =
                        if finding.severity == TypecheckSeverity::Refuse { "refuse" } else { "warn" };
                    format!("{severity} {}:{} {}", finding.line, finding.column, finding.rule.word())
                })
                .collect();
            let text =
                format!("{}\n{}", report.refusal().unwrap_or_default(), report.warning().unwrap_or_default());
            let unsaid: Vec<&String> =
                case.says.iter().filter(|says| !text.contains(says.as_str())).collect();
            if findings != case.findings || !unsaid.is_empty() || case.says.is_empty() {
                wrong.push(format!(
                    "{file}: {}\n{}expected {:?}\nfound {findings:?}\nnot said {unsaid:?}\n{:?} {text}",
                    case.title, case.source, case.findings, report.unchecked
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n----\n"));
    assert!(count >= 60, "{count}");
}

#[test]
fn a_refusal_shows_the_line_the_shape_and_the_way_out() {
    let source =
        "rows = await mcp__market__history(ticker=\"ACME\")\nprint(sum(row[\"revenu\"] for row in rows))\n";
    insta::assert_snapshot!(check(source, CheckMode::Guard, &TOOLS).refusal().unwrap());
}

#[test]
fn a_null_character_is_refused_where_it_stands() {
    for (source, place) in [("x = 1\nprint('a\0b')\n", (2, 9)), ("# \0", (1, 3)), ("\u{feff}\0", (1, 1))] {
        let report = check(source, CheckMode::Guard, &TOOLS);
        let found: Vec<_> = report.findings.iter().map(|finding| (finding.line, finding.column)).collect();
        assert_eq!(found, [place], "{source:?}");
        let refusal = report.refusal().unwrap();
        assert!(refusal.contains("SyntaxError: source code cannot contain null bytes"), "{refusal}");
    }
}

#[test]
fn strict_refuses_what_guard_warns_about() {
    let source = "quote = await mcp__market__quote(ticker=\"ACME\")\nprint(quote.get(\"dividend\"))\n";
    assert!(!check(source, CheckMode::Guard, &TOOLS).is_refused());
    assert!(check(source, CheckMode::Strict, &TOOLS).is_refused());
    assert_eq!(check(source, CheckMode::Off, &TOOLS).findings, []);
}

#[test]
fn without_validation_or_schema_fields_are_free() {
    let source =
        "rows = await mcp__market__history(ticker=\"ACME\")\nprint(rows[0][\"revenu\"], rows[0].date)\n";
    let tools: Vec<_> = TOOLS
        .iter()
        .cloned()
        .map(|tool| mortise_typecheck::CheckedTool { outputs: mortise_typecheck::Outputs::Unknown, ..tool })
        .collect();
    for mode in [CheckMode::Guard, CheckMode::Strict] {
        assert_eq!(check(source, mode, &tools).findings, []);
        assert_eq!(
            check("x = await mcp__notes__search(query=\"\")\nx[\"y\"].z\n", mode, &TOOLS).findings,
            []
        );
    }
    assert!(check(source, CheckMode::Guard, &TOOLS).is_refused());
}

#[test]
fn a_tool_that_declares_something_else_is_judged_by_that() {
    let declares = |key: &str| {
        let output = json!({"type": "object", "properties": {key: {"type": "string"}}, "required": [key],
            "additionalProperties": false});
        tool("clock", &json!({"name": "now", "inputSchema": {"type": "object"}, "outputSchema": output}))
    };
    let (old, new) = ([declares("local")], [declares("locale")]);
    let reads = |key: &str| format!("now = await mcp__clock__now()\nprint(now[\"{key}\"])\n");
    for _ in 0..2 {
        assert!(!check(&reads("local"), CheckMode::Guard, &old).is_refused());
        assert!(check(&reads("locale"), CheckMode::Guard, &old).is_refused());
        assert!(check(&reads("local"), CheckMode::Guard, &new).is_refused());
        assert!(!check(&reads("locale"), CheckMode::Guard, &new).is_refused());
    }
}
