use mortise_formats::format::Subcode;
use mortise_formats::rules::RuleDocument;
use serde_json::{Value, json};

use super::field::FailedStep;
use super::*;

const TURBINES: &str = r"
version: 1
rules:
  - name: turbine_daily
    glob: '**/turbine_*/????-??-??/*.csv'
    extract:
      turbine_id: {from: segment(-3), pattern: '^turbine_(\d+)$', type: integer}
      day: {from: segment(-2), type: date, format: '%Y-%m-%d'}
      channel: {from: filename, pattern: '^([a-z]+)_\d+\.csv$', normalize: lowercase, default: unknown}
    tag: turbine_data
    tag_conditions:
      - {if: 'turbine_id < 100', tag: legacy_turbine}
  - {name: readmes, glob: '**/README.md', tag: documentation, priority: 200}
";

fn rules(yaml: &str) -> RuleSet {
    RuleSet::new(&RuleDocument::parse(yaml).unwrap()).unwrap()
}

#[track_caller]
fn check(yaml: &str, path: &str, status: ExtractionStatus, fields: Value, tag: Option<&str>) -> Extraction {
    let extraction = rules(yaml).extract(path);
    assert_eq!(extraction.status, status, "{extraction:?}");
    assert_eq!(Value::Object(extraction.fields.clone()), fields);
    assert_eq!(extraction.tag.as_deref(), tag);
    extraction
}

#[test]
fn the_reference_rule_does_what_the_reference_says() {
    check(
        TURBINES,
        "/d/turbine_042/2024-01-15/rotor_7.csv",
        ExtractionStatus::Complete,
        json!({"turbine_id": 42, "day": "2024-01-15", "channel": "rotor"}),
        Some("legacy_turbine"),
    );
    let partial = check(
        TURBINES,
        "/d/turbine_x/2024-01-15/9.csv",
        ExtractionStatus::Partial,
        json!({"day": "2024-01-15", "channel": "unknown"}),
        Some("turbine_data"),
    );
    assert_eq!(partial.defaulted, ["channel"]);
    assert_eq!(partial.failures.len(), 1);
    assert_eq!(
        (partial.failures[0].field.as_str(), partial.failures[0].step),
        ("turbine_id", FailedStep::Pattern)
    );
    check(TURBINES, "a/README.md", ExtractionStatus::Complete, json!({}), Some("documentation"));
    check(TURBINES, "a/other.md", ExtractionStatus::Unmatched, json!({}), None);
    check(TURBINES, "a/../README.md", ExtractionStatus::Unmatched, json!({}), None);
}

#[test]
fn windows_paths_are_the_same_paths() {
    check(
        TURBINES,
        r"C:\d\turbine_142\2024-01-15\rotor_7.csv",
        ExtractionStatus::Complete,
        json!({"turbine_id": 142, "day": "2024-01-15", "channel": "rotor"}),
        Some("turbine_data"),
    );
}

#[test]
fn a_segment_beyond_the_path_says_so() {
    let yaml =
        "name: r\nglob: '**/*.csv'\nextract:\n  far: {from: segment(-5)}\n  name: {from: filename}\ntag: t\n";
    let extraction =
        check(yaml, "a/b/c/d.csv", ExtractionStatus::Partial, json!({"name": "d.csv"}), Some("t"));
    assert_eq!(extraction.failures[0].reason, "segment(-5) out of range: path has 4 segments");
}

#[test]
fn nothing_valued_is_failed_and_has_no_tag() {
    let yaml = "name: r\nglob: '**/*.csv'\nextract:\n  n: {from: filename, type: integer}\ntag: t\n";
    let extraction = check(yaml, "a/b.csv", ExtractionStatus::Failed, json!({}), None);
    assert_eq!(extraction.failures[0].step, FailedStep::Type);
}

#[test]
fn the_lowest_priority_number_decides_then_the_name() {
    let yaml = "
- {name: zeta, glob: '**/*.csv', tag: z, priority: 1}
- {name: beta, glob: '**/*.csv', tag: b}
- {name: alpha, glob: '**/*.csv', tag: a}
- {name: off, glob: '**/*.csv', tag: o, priority: 0, enabled: false}
";
    let extraction = check(yaml, "x.csv", ExtractionStatus::Complete, json!({}), Some("z"));
    assert_eq!(
        (extraction.rule.as_deref(), extraction.shadowed),
        (Some("zeta"), vec!["alpha".to_owned(), "beta".to_owned()])
    );
}

#[test]
fn stars_stay_within_a_segment_and_case_counts() {
    let yaml = "{name: r, glob: 'a/*.csv', tag: t}";
    check(yaml, "a/b.csv", ExtractionStatus::Complete, json!({}), Some("t"));
    check(yaml, "a/b/c.csv", ExtractionStatus::Unmatched, json!({}), None);
    check(yaml, "A/b.csv", ExtractionStatus::Unmatched, json!({}), None);
}

#[test]
fn every_type_and_step_has_its_reason() {
    let yaml = r"
name: r
glob: '**/*'
extract:
  day: {from: filename, pattern: '^([^.]+)\.d$', type: date, format: '%d-%m-%Y'}
  month: {from: filename, pattern: '^(\d+)\.m$', type: integer, validate: 1..12}
  id: {from: filename, pattern: '^([^.]+)\.u$', type: uuid}
  bare: {from: filename, pattern: '\d+', normalize: strip_leading_zeros}
tag: t
";
    let one = |name: &str| rules(yaml).extract(&format!("x/{name}"));
    assert_eq!(one("31-05-2024.d").fields["day"], "2024-05-31");
    assert!(one("31-02-2024.d").failures.iter().any(|failure| failure.step == FailedStep::Type));
    assert!(one("1-5-2024.d").failures.iter().any(|failure| failure.field == "day"));
    assert_eq!(one("12.m").fields["month"], 12);
    let beyond = one("13.m");
    assert!(beyond.failures.iter().any(|failure| failure.step == FailedStep::Validate && failure.reason == "13 is not within 1..12"));
    assert_eq!(
        one("123E4567-E89B-12D3-A456-426614174000.u").fields["id"],
        "123e4567-e89b-12d3-a456-426614174000"
    );
    assert_eq!(one("a007").fields["bare"], "7");
    assert_eq!(one("a000").fields["bare"], "0");
}

#[test]
fn conditions_compare_numbers_dates_and_texts_in_order() {
    let yaml = r"
name: r
glob: '**/*'
extract:
  day: {from: segment(-2), type: date, format: '%Y-%m-%d'}
  name: {from: filename}
tag: other
tag_conditions:
  - {if: 'day.year = 2020', tag: old}
  - {if: 'day < 2022-06-01', tag: older}
  - {if: 'name contains err', tag: errors}
  - {if: 'name matches ^x\d', tag: numbered}
  - {if: 'day.month >= 12', tag: december}
";
    let tag = |path: &str| rules(yaml).extract(path).tag.unwrap();
    assert_eq!(tag("2020-07-01/a"), "old");
    assert_eq!(tag("2022-05-31/a"), "older");
    assert_eq!(tag("2023-05-31/stderr"), "errors");
    assert_eq!(tag("2023-05-31/x1"), "numbered");
    assert_eq!(tag("2023-12-31/a"), "december");
    assert_eq!(tag("2023-11-30/a"), "other");
    assert_eq!(tag("nothing/stderr"), "errors");
}

#[test]
fn an_expression_stands_for_glob_and_fields() {
    let yaml = "{name: r, semantic: 'entity_folder(m) > files', tag: t}";
    check(yaml, "a/m_1/x.csv", ExtractionStatus::Complete, json!({"m_id": "1"}), Some("t"));
    let document =
        RuleDocument::parse("{name: r, semantic: 'entity_folder(m) > files', glob: '**/x/*', tag: t}")
            .unwrap();
    let error = RuleSet::new(&document).unwrap_err();
    assert_eq!(
        (error.subcode, error.field.as_deref()),
        (Some(Subcode::YamlSchema), Some("rules[0].semantic"))
    );
}

#[test]
fn rules_that_do_nothing_on_real_paths_are_refused() {
    let paths = [RulePath::parse("a/b.csv").unwrap()];
    let check = |yaml: &str| check_samples(&RuleDocument::parse(yaml).unwrap(), &paths);
    let none = check("{name: r, glob: 'x/*.csv', tag: t}").unwrap_err();
    assert_eq!((none.subcode, none.field.as_deref()), (Some(Subcode::YamlSemantic), Some("rules[0].glob")));
    let empty = check("{name: r, glob: '**/*.csv', tag: t, extract: {n: {from: filename, type: integer}}}")
        .unwrap_err();
    assert_eq!(empty.field.as_deref(), Some("rules[0].extract.n"));
    let unstable = check("{name: r, glob: '**/*.csv', tag: t, extract: {n: {from: segment(-2)}}}").unwrap();
    assert_eq!(unstable[0].code, "WARN_UNSTABLE_SEGMENT");
}

#[test]
fn coverage_counts_paths_and_fields() {
    let paths: Vec<RulePath> = ["d/turbine_1/2024-01-15/a_1.csv", "d/turbine_x/2024-01-15/1.csv", "other"]
        .iter()
        .map(|path| RulePath::parse(path).unwrap())
        .collect();
    let (found, metrics) = coverage(&rules(TURBINES), &paths);
    assert_eq!(found, RuleCoverage { matched: 2, total: 3, complete: 1, partial: 1, failed: 0 });
    let channel = metrics.iter().find(|metric| metric.field == "channel").unwrap();
    assert_eq!((channel.valued, channel.defaulted, channel.failed), (1, 1, 0));
}
