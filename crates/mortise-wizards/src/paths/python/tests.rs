use std::sync::{Arc, LazyLock};

use mortise_formats::format::{ErrorBody, ErrorCode};
use mortise_formats::python::check_extractor;
use mortise_formats::rules::{ExtractionRule, FieldSource, FieldType, Pattern, RuleField};
use mortise_script::{Engine, EngineOptions};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::literal::literal;
use super::sandbox::SampledCode;
use super::*;
use crate::paths::transform::{ComputedDatePart, Transform};

static ENGINE: LazyLock<Arc<Engine>> =
    LazyLock::new(|| Arc::new(Engine::new(EngineOptions::default()).unwrap()));

async fn report(source: &str) -> Result<SampledCode, ErrorBody> {
    check_code(&ENGINE, source, &["a/b.csv"], &CancellationToken::new()).await
}

#[track_caller]
fn failed(report: &Result<SampledCode, ErrorBody>, code: ErrorCode, line: Option<u32>) {
    let error = report.as_ref().unwrap_err();
    assert_eq!((error.error_code, error.line), (code, line), "{error:?}");
}

#[tokio::test]
async fn each_stage_has_its_code_and_line() {
    use ErrorCode as Code;
    let body = "def extract(path):\n    return {}\n";
    failed(&report(&format!("import subprocess\n{body}")).await, Code::PythonForbidden, Some(1));
    let eval = "def extract(path):\n    return eval(path)\n";
    failed(&report(eval).await, Code::PythonForbidden, Some(2));
    failed(&report("def extract(path:\n    return {}\n").await, Code::PythonSyntax, Some(2));
    failed(&report("x = 1\n").await, Code::PythonSignature, Some(1));
    let report_of_two = report("def extract(a, b):\n    return {}\n").await;
    failed(&report_of_two, Code::PythonSignature, Some(1));
    let without = report("def extract(path):\n    pass\n").await;
    failed(&without, Code::PythonSignature, Some(1));
    let list = report("def extract(path):\n    return [path]\n").await;
    failed(&list, Code::SandboxFailed, Some(1));
    let raising = report("def extract(path):\n    return {'a': path[99]}\n").await;
    failed(&raising, Code::SandboxFailed, Some(2));
    let compiled = report(
        "import re\nDAY = re.compile('a')\ndef extract(path):\n    return {'a': bool(DAY.search(path))}\n",
    )
    .await
    .unwrap();
    assert_eq!(Value::Object(compiled.results[0].clone()), json!({"a": true}));
}

#[tokio::test]
async fn an_endless_loop_ends_at_the_limit() {
    let endless = report("\ndef extract(path):\n    while True:\n        pass\n    return {}\n").await;
    failed(&endless, ErrorCode::SandboxTimeout, Some(2));
    assert_eq!(endless.unwrap_err().reason, "`extract` took longer than 5 s for one path");
}

#[tokio::test]
async fn odd_results_are_warned_of() {
    let empty = report("def extract(path):\n    return {}\n").await;
    assert_eq!(empty.unwrap().warnings[0].code, "WARN_PYTHON_EMPTY");
    let odd = report("def extract(path):\n    return {'a b': 1}\n").await;
    assert_eq!(odd.unwrap().warnings[0].code, "WARN_PYTHON_KEY");
}

fn field(from: FieldSource, regex: Option<&str>, field_type: FieldType) -> RuleField {
    let mut field = RuleField::new(from);
    field.pattern = regex.map(Pattern::new);
    field.field_type = field_type;
    field
}

fn rule(fields: &[(&str, RuleField)]) -> ExtractionRule {
    let mut rule = ExtractionRule::tagging("r", "**/*", "t");
    rule.fields = fields.iter().map(|(name, field)| ((*name).to_owned(), field.clone())).collect();
    rule
}

/// The fields that the generated Python gives for a path.
async fn fields(rule: &ExtractionRule, transforms: &[Transform], path: &str) -> Value {
    let code = module(rule, path, transforms);
    let report = check_code(&ENGINE, &code, &[path], &CancellationToken::new()).await;
    let results = report.unwrap_or_else(|error| panic!("{code}: {error:?}")).results;
    Value::Object(results[0].clone())
}

#[tokio::test]
async fn every_conversion_of_the_library_computes_what_it_says() {
    let name = |name: &str| name.to_owned();
    let text = |from| field(FieldSource::Segment(from), None, FieldType::String);
    let week = rule(&[
        ("year", field(FieldSource::Segment(3), Some(r"^(\d{4})$"), FieldType::integer())),
        ("week", field(FieldSource::Segment(2), Some(r"^W(\d{2})$"), FieldType::integer())),
    ]);
    let transform = [Transform::Week { from: name("week"), year: name("year") }];
    assert_eq!(
        fields(&week, &transform, "2024/W05/x").await,
        json!({"year": 2024, "week": 5, "start_date": "2024-01-29", "end_date": "2024-02-04"})
    );
    assert_eq!(fields(&week, &transform, "2024/W53/x").await, json!({"year": 2024, "week": 53}));

    let half = rule(&[("half", field(FieldSource::Segment(2), Some("^H([12])$"), FieldType::integer()))]);
    let months = fields(&half, &[Transform::Half { from: name("half") }], "H2/x").await;
    assert_eq!(months, json!({"half": 2, "start_month": 7, "end_month": 12}));

    let fiscal =
        rule(&[("fiscal_code", field(FieldSource::Segment(2), Some(r"^(FY\d{2})$"), FieldType::String))]);
    let april = [Transform::Fiscal { from: name("fiscal_code"), is_code: true, start_month: 4 }];
    let year = fields(&fiscal, &april, "FY24/x").await;
    assert_eq!(
        (&year["fiscal_year"], &year["start_date"], &year["end_date"]),
        (&json!(2024), &json!("2023-04-01"), &json!("2024-03-31"))
    );

    let raw = rule(&[("note_raw", text(2))]);
    let base64 = [Transform::Base64 { from: name("note_raw"), into: name("note") }];
    assert_eq!(fields(&raw, &base64, "aGVsbG8gd29ybGQgb2YgZGF0YQ==/x").await["note"], "hello world of data");
    let url = [Transform::Url { from: name("note_raw"), into: name("note") }];
    assert_eq!(fields(&raw, &url, "North%20Sea/x").await["note"], "North Sea");

    let two = rule(&[("a", text(3)), ("b", text(2))]);
    let concat =
        [Transform::Concat { fields: vec![name("a"), name("b")], separator: name("\"-"), into: name("c") }];
    assert_eq!(fields(&two, &concat, "x/y/z").await["c"], "x\"-y");
    let pairs = vec![(name("x"), name("ex\n\""))];
    let map = |otherwise| {
        [Transform::LiteralMap { from: name("a"), pairs: pairs.clone(), otherwise, into: name("l") }]
    };
    assert_eq!(fields(&two, &map(None), "x/y/z").await["l"], "ex\n\"");
    assert!(fields(&two, &map(None), "q/y/z").await.get("l").is_none());
    assert_eq!(fields(&two, &map(Some(name("other"))), "q/y/z").await["l"], "other");

    let day = rule(&[("date", field(FieldSource::Segment(2), None, FieldType::iso_date()))]);
    let parts = [Transform::DateParts {
        from: name("date"),
        parts: vec![ComputedDatePart::Month, ComputedDatePart::Weekday],
    }];
    assert_eq!(
        fields(&day, &parts, "2024-01-15/x").await,
        json!({"date": "2024-01-15", "date_month": 1, "date_weekday": 1})
    );
    assert_eq!(fields(&day, &parts, "2024-02-31/x").await, json!({}));
}

#[tokio::test]
async fn literals_are_the_texts_they_stand_for() {
    let texts =
        ["", "\"", "\\", "a\nb", "\u{0}\u{7f}\u{85}", "é 漢 🦀", "'''\"\"\"", "{x}", "\\N{DASH}", "$(rm)"];
    for text in texts {
        let source = format!("def extract(path):\n    return {{'t': {}}}\n", literal(text));
        let report = report(&source).await;
        assert_eq!(
            report.unwrap().results.first().map(|fields| &fields["t"]),
            Some(&json!(text)),
            "{source}"
        );
    }
}

#[test]
fn generated_code_reads_like_written_code() {
    let rule = rule(&[
        ("client_id", field(FieldSource::Segment(4), Some("^CLIENT[_-](.+)$"), FieldType::String)),
        ("quarter", field(FieldSource::Segment(2), Some("^Q([1-4])$"), FieldType::integer())),
    ]);
    let code =
        module(&rule, "CLIENT-ABC/2024/Q1/report.csv", &[Transform::Quarter { from: "quarter".to_owned() }]);
    let expected = r##""""Reads fields from paths such as CLIENT-ABC/2024/Q1/report.csv."""

import re

# field: (segment from the end, pattern, type)
FIELDS = {
    "client_id": (-4, r"^CLIENT[_-](.+)\Z", str),
    "quarter": (-2, r"^Q([1-4])\Z", int),
}


def extract(path: str) -> dict:
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    fields = {}
    for name, (segment, pattern, kind) in FIELDS.items():
        if len(parts) < -segment:
            continue
        text = parts[segment]
        match = re.search(pattern, text)
        if not match:
            continue
        fields[name] = kind(match.group(1))
    if "quarter" in fields:
        # A quarter is three months: the first is January to March.
        fields["start_month"] = fields["quarter"] * 3 - 2
        fields["end_month"] = fields["quarter"] * 3
    return fields
"##;
    assert_eq!(code, expected);
}

proptest! {
    #[test]
    fn no_text_breaks_out_of_the_code(
        name in "[a-z_]{1,8}", path in "\\PC{0,40}", from in "\\PC{0,12}", to in "\\PC{0,12}", separator in "(?s).{0,6}",
    ) {
        let rule = rule(&[(&name, field(FieldSource::Segment(2), None, FieldType::String))]);
        let transforms = [
            Transform::LiteralMap { from: name.clone(), pairs: vec![(from, to)], otherwise: None, into: "into".to_owned() },
            Transform::Concat { fields: vec![name], separator, into: "joined".to_owned() },
        ];
        let code = module(&rule, &path, &transforms);
        prop_assert!(check_extractor(&code).is_ok(), "{}", code);
        let is_seen = |c: char| c == '\n' || (' '..='~').contains(&c) || c.is_alphanumeric();
        prop_assert!(code.chars().all(is_seen), "{}", code);
        // One function, whatever the texts are.
        prop_assert_eq!(code.matches("\ndef ").count(), 1);
        prop_assert_eq!(module(&rule, &path, &transforms), code);
    }
}
