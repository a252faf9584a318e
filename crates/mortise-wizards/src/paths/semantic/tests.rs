use std::collections::BTreeSet;

use mortise_formats::format::{ErrorBody, ErrorCode};
use mortise_formats::rules::RuleDocument;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::primitive::{DayForm, PartitionKind, Separator, VersionForm};
use super::*;
use crate::paths::engine::RuleSet;
use crate::paths::path::RulePath;

fn paths(paths: &[&str]) -> Vec<RulePath> {
    paths.iter().map(|path| RulePath::parse(path).unwrap()).collect()
}

fn recognize(paths: &[RulePath]) -> Recognition {
    of_lattice(&Lattice::knowing(paths, &BTreeSet::new()))
}

/// The expression, and the fields of the first path.
#[track_caller]
fn check(given: &[&str], expression: &str, glob: &str, fields: Value) {
    let parsed = paths(given);
    let recognition = recognize(&parsed);
    assert_eq!(recognition.expression.to_string(), expression);
    let compiled = compile(&recognition.expression).unwrap();
    assert_eq!(compiled.glob, glob);
    let rules = RuleSet::new(&RuleDocument::new(vec![compiled.rule()]).unwrap()).unwrap();
    assert_eq!(Value::Object(rules.extract(given[0]).fields), fields);
}

#[test]
fn missions_by_day_are_recognised_with_the_reference_score() {
    let given = [
        "/data/mission_042/2024-01-15/a.csv",
        "/data/mission_043/2024-01-16/b.csv",
        "/data/mission_044/2024-01-17/c.csv",
    ];
    check(
        &given,
        "entity_folder(mission) > dated_hierarchy(iso) > files(csv)",
        "**/mission_*/????-??-??/*.csv",
        json!({"mission_id": "042", "date": "2024-01-15"}),
    );
    let recognition = recognize(&paths(&given));
    assert_eq!((recognition.confidence, recognition.status), (0.9367, RecognitionStatus::Accept));
    assert_eq!(compile(&recognition.expression).unwrap().tag, "mission_data");
    let scores: Vec<f64> = recognition.segments.iter().map(|segment| segment.score).collect();
    assert_eq!(scores, [0.84, 0.97]);
}

#[test]
fn each_kind_of_folder_is_recognised() {
    check(
        &["archive/2023/reports/q1.pdf", "archive/2024/reports/q2.pdf"],
        "year_folder > category_folder(reports) > files(pdf)",
        "**/????/reports/*.pdf",
        json!({"year": 2023}),
    );
    check(
        &["client_abc/2024-01-15/invoice.csv", "client_xyz/2024-02-01/invoice.csv"],
        "entity_folder(client) > dated_hierarchy(iso) > files(csv)",
        "**/client_*/????-??-??/*.csv",
        json!({"client_id": "abc", "date": "2024-01-15"}),
    );
    check(
        &["/data/ADT_Inbound/2024/01/msg_001.hl7"],
        "direction_marker > year_folder > month_folder > files(hl7)",
        "**/*_{Inbound,Outbound}/????/??/*.hl7",
        json!({"direction": "Inbound", "type": "ADT", "year": 2024, "month": 1}),
    );
    check(
        &["/data/CLIENT-ABC/2024/Q1/report.csv"],
        "entity_folder(CLIENT, dash) > dated_hierarchy(quarter) > files(csv)",
        "**/CLIENT-*/????/Q?/*.csv",
        json!({"client_id": "ABC", "year": 2024, "quarter": 1}),
    );
    check(
        &["logs/2024/01/31/a.log", "logs/2024/02/29/a.log"],
        "dated_hierarchy(nested) > files(log)",
        "**/????/??/??/*.log",
        json!({"year": 2024, "month": 1, "day": 31}),
    );
    check(
        &["t/year=2024/month=01/x.parquet", "t/year=2025/month=02/x.parquet"],
        "partition(year, integer) > partition(month) > files(parquet)",
        "**/year=*/month=*/*.parquet",
        json!({"year": 2024, "month": "01"}),
    );
    check(
        &["t/dt=2024-01-15/x.csv.gz", "t/dt=2024-01-16/x.csv.gz"],
        "partition(dt, date) > files(csv.gz)",
        "**/dt=*/*.csv.gz",
        json!({"dt": "2024-01-15"}),
    );
    check(
        &["rel/v2.3/a.bin", "rel/v2.4.1/b.bin"],
        "version_folder > files(bin)",
        "**/v*/*.bin",
        json!({"version": "2.3"}),
    );
    check(
        &["data/12345/f.csv", "data/67890/f.csv"],
        "numeric_sequence > files(csv)",
        "**/*/*.csv",
        json!({"id_2": 12345}),
    );
    check(
        &["orders/007/f.csv", "orders/012/f.csv"],
        "numeric_sequence(order, 0) > files(csv)",
        "**/*/*.csv",
        json!({"order_id": "007"}),
    );
    check(
        &["projects/CLIENT-001/data.csv", "projects/CLIENT-002/data.csv"],
        "entity_folder(CLIENT, dash) > files(csv)",
        "**/CLIENT-*/*.csv",
        json!({"client_id": "001"}),
    );
    check(
        &["a/site_1/x.csv", "a/site-2/x.csv"],
        "entity_folder(site, mixed) > files(csv)",
        "**/site[_-]*/*.csv",
        json!({"site_id": "1"}),
    );
    check(
        &["s/prod/x.log", "s/dev/x.log"],
        "env_marker(dev, prod) > files(log)",
        "**/{dev,prod}/*.log",
        json!({"environment": "prod"}),
    );
    check(
        &["clients/acme/x.csv", "clients/zeta/y.csv"],
        "any_folder(client) > files(csv)",
        "**/*/*.csv",
        json!({"client": "acme"}),
    );
    check(
        &["a/FY24/x.csv", "a/FY25/x.csv"],
        "year_folder(FY2) > files(csv)",
        "**/FY??/*.csv",
        json!({"fiscal_code": "FY24"}),
    );
    check(
        &["archive/reports/Jan/2024/s.pdf", "archive/reports/Feb/2024/s.pdf"],
        "month_folder(word) > year_folder > files(pdf)",
        "**/*/????/*.pdf",
        json!({"month_name": "Jan", "year": 2024}),
    );
}

#[test]
fn a_day_beyond_twelve_decides_the_order_and_otherwise_both_are_listed() {
    let decided = recognize(&paths(&["a/31-05-2024/x.csv", "a/05-06-2024/x.csv"]));
    assert_eq!(decided.expression.to_string(), "dated_hierarchy(european) > files(csv)");
    let american = recognize(&paths(&["a/05-31-2024/x.csv", "a/05-06-2024/x.csv"]));
    assert_eq!(american.expression.to_string(), "dated_hierarchy(us) > files(csv)");
    let open = recognize(&paths(&["a/05-06-2024/x.csv", "a/06-06-2024/x.csv"]));
    assert_eq!(open.expression.to_string(), "dated_hierarchy(european) > files(csv)");
    let others: Vec<String> = open.alternatives.iter().map(|other| other.expression.to_string()).collect();
    assert_eq!(others, ["dated_hierarchy(us) > files(csv)"]);
}

#[test]
fn two_digits_without_a_year_may_be_a_day() {
    let recognition = recognize(&paths(&["a/x_1/05/f.csv", "a/x_2/06/f.csv"]));
    assert!(recognition.expression.to_string().contains("month_folder"));
    let others: Vec<String> =
        recognition.alternatives.iter().map(|other| other.expression.to_string()).collect();
    assert!(others.contains(&"entity_folder(x) > day_folder > files(csv)".to_owned()), "{others:?}");
}

#[test]
fn what_is_ambiguous_has_another_reading() {
    for given in [
        &["alpha/mission_1/a.csv", "beta/mission_2/a.csv"][..],
        &["alpha/2024/01/15/a.csv", "beta/2024/02/16/b.csv"],
        &["alpha/prod/x.log", "beta/dev/x.log", "gamma/qa/y.log"],
        &["alpha/k=1/x.log", "beta/k=2/x.log"],
    ] {
        let found = recognize(&paths(given));
        assert_eq!(found.status, RecognitionStatus::Ambiguous, "{given:?}: {}", found.confidence);
        assert!(!found.alternatives.is_empty(), "{given:?}: {}", found.expression);
        assert!(found.alternatives.iter().all(|other| other.expression != found.expression), "{given:?}");
    }
}

#[test]
fn paths_that_do_not_fit_cost_confidence() {
    let mut given: Vec<String> = (0..9).map(|day| format!("m_{day}/2024-01-0{}/x.csv", day + 1)).collect();
    given.push("m_9/latest/x.csv".to_owned());
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    let recognition = recognize(&paths(&given));
    assert_eq!(recognition.expression.to_string(), "entity_folder(m) > dated_hierarchy(iso) > files(csv)");
    assert!(recognition.confidence < 0.93);
}

#[test]
fn errors_of_expressions_name_the_column() {
    #[track_caller]
    fn refused(text: &str, code: ErrorCode, column: u32) -> ErrorBody {
        let body = Expression::parse(text).unwrap_err();
        assert_eq!((body.error_code, body.column), (code, Some(column)), "{body:?}");
        body
    }
    refused("", ErrorCode::ExpressionParse, 1);
    refused("files >", ErrorCode::ExpressionParse, 8);
    refused("year_folder > Files", ErrorCode::ExpressionParse, 15);
    refused("entity_folder(mission > files", ErrorCode::ExpressionParse, 23);
    refused("literal(\"x) > files", ErrorCode::ExpressionParse, 20);
    refused("files > year_folder", ErrorCode::ExpressionParse, 1);
    refused("year_folder > ** > ** > files", ErrorCode::ExpressionParse, 20);
    refused("year_folder > **", ErrorCode::ExpressionParse, 15);
    refused("year_folder", ErrorCode::ExpressionParse, 1);
    refused("dated_hierarchy(isoo) > files", ErrorCode::ExpressionParse, 1);
    let body = refused("year_folder > entity_foldr(a) > files", ErrorCode::PrimitiveUnknown, 15);
    assert_eq!(body.suggestion, "did you mean `entity_folder`?");
}

#[test]
fn depth_that_varies_moves_fields_to_the_whole_path() {
    let expression = Expression::parse("entity_folder(m) > year_folder > ** > day_folder > files").unwrap();
    let compiled = compile(&expression).unwrap();
    assert_eq!(compiled.glob, "**/m_*/????/**/??/*");
    let rules = RuleSet::new(&RuleDocument::new(vec![compiled.rule()]).unwrap()).unwrap();
    let expected = json!({"m_id": "7", "year": 2024, "day": 3});
    assert_eq!(Value::Object(rules.extract("a/m_7/2024/x/y/03/f.csv").fields), expected);
    assert_eq!(Value::Object(rules.extract("a/m_7/2024/03/f.csv").fields), expected);
}

#[test]
fn sources_of_one_structure_share_a_class() {
    let one = Expression::parse("entity_folder(a) > dated_hierarchy(iso) > files(csv)").unwrap();
    let two = Expression::parse("entity_folder(b, dash) > dated_hierarchy(us) > files").unwrap();
    assert_eq!(abstract_structure(&one), "entity_folder > dated_hierarchy > files");
    assert_eq!(equivalence_class(&one), equivalence_class(&two));
    assert_eq!(equivalence_class(&one).len(), 12);
}

#[test]
fn every_example_of_the_table_parses() {
    for entry in primitives() {
        let expression = Expression::parse(entry.example_expression).unwrap();
        assert!(compile(&expression).is_ok(), "{expression}");
    }
}

fn word() -> impl Strategy<Value = String> {
    "[a-z]{1,6}"
}

fn primitive() -> impl Strategy<Value = Primitive> {
    fn one_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
        proptest::sample::select(all)
    }
    let sorted = |words: BTreeSet<String>| words.into_iter().collect::<Vec<_>>();
    prop_oneof![
        one_of(DateForm::ALL).prop_map(|form| Primitive::Date { form }),
        Just(Primitive::YearMonth),
        Just(Primitive::NestedDate),
        Just(Primitive::YearQuarter),
        one_of(Period::ALL).prop_map(|period| Primitive::Period { period }),
        one_of(YearForm::ALL).prop_map(|form| Primitive::Year { form }),
        one_of(MonthForm::ALL).prop_map(|form| Primitive::Month { form }),
        one_of(DayForm::ALL).prop_map(|form| Primitive::Day { form }),
        one_of(VersionForm::ALL).prop_map(|form| Primitive::Version { form }),
        (word(), one_of(PartitionKind::ALL)).prop_map(|(key, kind)| Primitive::Partition { key, kind }),
        (word(), one_of(Separator::ALL))
            .prop_map(|(prefix, separator)| Primitive::Entity { prefix, separator }),
        Just(Primitive::Direction),
        proptest::collection::btree_set(word(), 2..4)
            .prop_map(move |names| Primitive::Environment { names: sorted(names) }),
        proptest::collection::btree_set("[a-z,{*\"é]{1,6}", 2..4)
            .prop_map(move |words| Primitive::Category { words: sorted(words) }),
        (proptest::option::of(word()), any::<bool>())
            .prop_map(|(name, is_padded)| Primitive::Numeric { name, is_padded }),
        "[A-Za-z \\[\\]{},*?!\"é.-]{1,8}"
            .prop_filter("a segment", |text| text != "." && text != ".." && !is_category(text))
            .prop_map(|text| Primitive::Literal { text }),
        proptest::option::of(word()).prop_map(|name| Primitive::Any { name }),
    ]
}

fn expression() -> impl Strategy<Value = Expression> {
    let steps = proptest::collection::vec((primitive(), proptest::bool::weighted(0.15)), 1..5);
    (steps, proptest::option::of("[a-z]{1,4}")).prop_map(|(steps, extension)| {
        let steps = steps.into_iter().enumerate().flat_map(|(number, (primitive, deep))| {
            let depth = (deep && number > 0).then_some(ExpressionStep::AnyDepth);
            depth.into_iter().chain([ExpressionStep::Is(primitive)])
        });
        Expression::of(steps, extension)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn printing_and_parsing_are_inverse(expression in expression()) {
        prop_assert_eq!(Expression::parse(&expression.to_string()), Ok(expression));
    }

    #[test]
    fn a_rule_survives_the_way_to_yaml_and_back(expression in expression()) {
        let compiled = compile(&expression).unwrap();
        let document = RuleDocument::new(vec![compiled.rule()]).unwrap();
        prop_assert_eq!(&RuleDocument::parse(&document.to_yaml().unwrap()).unwrap(), &document);
    }

    #[test]
    fn any_paths_give_an_expression_that_compiles(given in proptest::collection::vec("\\PC{1,40}", 1..8)) {
        let parsed: Vec<RulePath> = given.iter().filter_map(|path| RulePath::parse(path)).collect();
        let recognition = recognize(&parsed);
        prop_assert_eq!(&recognize(&parsed).expression, &recognition.expression);
        let is_open = |segment: &Segment| matches!(segment.primitive, Primitive::Any { .. });
        let says_something = !recognition.segments.iter().all(is_open);
        let is_ambiguous = recognition.status == RecognitionStatus::Ambiguous;
        prop_assert!(!(is_ambiguous && says_something && recognition.alternatives.is_empty()));
        let _ = compile(&recognition.expression);
    }

    #[test]
    fn any_text_is_an_expression_or_an_error(text in "\\PC{0,60}") {
        let _ = Expression::parse(&text);
    }
}
