use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};
use serde_json::json;

use super::*;

mod laws;
mod refused;

const EXAMPLE: &str = r"version: 1
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

fn read(text: &str) -> RuleDocument {
    RuleDocument::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// One rule around an `extract` of one line.
fn with_field(field: &str) -> String {
    format!("name: r\nglob: '**/*/*.csv'\nextract:\n  f: {field}\ntag: t\n")
}

fn fits_schema(document: &RuleDocument) -> bool {
    let schema =
        CompiledSchema::compile(&schema(), &SchemaOptions::default()).expect("the shipped schema compiles");
    matches!(schema.validate(&document.to_value()), Validation::Valid)
}

#[test]
fn the_example_reads_as_written() {
    let document = read(EXAMPLE);
    let [turbine, readmes] = document.rules() else { panic!("two rules") };
    let expected = RuleField {
        pattern: Some(Pattern::new(r"^turbine_(\d+)$")),
        field_type: FieldType::integer(),
        ..RuleField::new(FieldSource::Segment(3))
    };
    assert_eq!(turbine.field("turbine_id"), Some(&expected));
    assert_eq!(turbine.field("day").map(|day| &day.field_type), Some(&FieldType::iso_date()));
    let channel = turbine.field("channel").expect("declared");
    assert_eq!(channel.default, Some(DefaultValue::Text("unknown".to_owned())));
    assert_eq!(turbine.tag_conditions[0].condition.to_string(), "turbine_id < 100");
    assert_eq!(
        *readmes,
        ExtractionRule {
            priority: 200,
            ..ExtractionRule::tagging("readmes", "**/README.md", "documentation")
        }
    );
    assert!(fits_schema(&document));
}

#[test]
fn rules_are_written_for_people() {
    insta::assert_snapshot!(read(EXAMPLE).to_yaml().expect("writes"), @r"
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
      - name: readmes
        glob: '**/README.md'
        tag: documentation
        priority: 200
    ");
}

#[test]
fn a_bare_rule_and_a_bare_list_are_documents() {
    let rule = "name: a\nglob: '*.csv'\ntag: t\n";
    let list = "- name: a\n  glob: '*.csv'\n  tag: t\n";
    let canonical = "version: 1\nrules:\n  - {name: a, glob: '*.csv', tag: t}\n";
    assert_eq!(read(rule), read(canonical));
    assert_eq!(read(list), read(canonical));
}

#[test]
fn a_rule_that_only_tags_needs_no_name_and_no_extract() {
    for extract in ["", "extract: null\n", "extract: {}\n", "extract:\n"] {
        let document = read(&format!("glob: '*.md'\ntag: 2 docs\n{extract}"));
        assert_eq!(document.rules(), [ExtractionRule::tagging("_2_docs_rule", "*.md", "2 docs")]);
        assert!(document.to_value()["rules"][0].get("extract").is_none());
    }
}

#[test]
fn nulls_of_optional_keys_are_absent() {
    let nulls = "name: a\nglob: '*.csv'\nextract: {f: {from: filename, pattern: null, type: ~, default: }}\ntag: t\npriority:\n";
    let absent = "name: a\nglob: '*.csv'\nextract: {f: {from: filename}}\ntag: t\n";
    assert_eq!(read(nulls), read(absent));
}

#[test]
fn aliases_become_the_canonical_form() {
    let canonical = |field: &str| read(&with_field(field)).to_value()["rules"][0]["extract"]["f"].clone();
    assert_eq!(
        canonical("{from: segment(-2), type: date_iso}"),
        json!({"from": "segment(-2)", "type": "date", "format": "%Y-%m-%d"})
    );
    assert_eq!(
        canonical("{from: segment(-2), type: date_dmy}"),
        json!({"from": "segment(-2)", "type": "date", "format": "%d-%m-%Y"})
    );
    assert_eq!(
        canonical("{from: segment(-2), type: date, format: iso8601}"),
        json!({"from": "segment(-2)", "type": "date", "format": "%Y-%m-%d"})
    );
    assert_eq!(canonical("{from: 'segment( -2 )', capture: 1, pattern: x}")["from"], "segment(-2)");
}

#[test]
fn positive_segments_count_from_the_front_of_a_fixed_depth() {
    let text = "name: a\nglob: 'data/*/*.csv'\nextract: {f: {from: segment(2)}}\ntag: t\n";
    assert_eq!(read(text).rules()[0].fields[0].1.from, FieldSource::Segment(2));
    let text = "name: a\nglob: 'data/*/*.csv'\nextract: {f: {from: segment(1)}}\ntag: t\n";
    assert_eq!(read(text).rules()[0].fields[0].1.from, FieldSource::Segment(3));
}

#[test]
fn placeholders_in_a_glob_stand_for_declared_fields() {
    let text = "name: a\nglob: '{site}/{day}/{a,b}/[{]*.csv'\nextract:\n  site: {from: segment(-4)}\n  day: {from: segment(-3), type: date_iso}\ntag: t\n";
    assert_eq!(read(text).rules()[0].glob.as_deref(), Some("*/????-??-??/{a,b}/[{]*.csv"));
}

#[test]
fn conditions_are_spaced_and_signed_one_way() {
    let text = "name: a\nglob: '*/*'\nextract: {n: {from: filename, type: integer}, d: {from: segment(-2), type: date}}\ntag: t\ntag_conditions:\n  - {if: 'n==5', tag: x}\n  - {if: 'd.year>=2020', tag: y}\n  - {if: 'd   matches  ^20', tag: z}\n";
    let document = read(text);
    let shown: Vec<String> =
        document.rules()[0].tag_conditions.iter().map(|condition| condition.condition.to_string()).collect();
    assert_eq!(shown, ["n = 5", "d.year >= 2020", "d matches ^20"]);
    assert!(fits_schema(&document));
}

#[test]
fn scalars_of_text_keys_are_texts_however_written() {
    let document = read("name: no\nglob: '*.csv'\ntag: 2024\n");
    assert_eq!((document.rules()[0].name.as_str(), document.rules()[0].tag.as_str()), ("no", "2024"));
    assert!(document.to_yaml().is_ok());
}

#[test]
fn defaults_keep_their_kind() {
    let default = |field: &str| read(&with_field(field)).rules()[0].fields[0].1.default.clone();
    assert_eq!(default("{from: filename, default: 7}"), Some(DefaultValue::Integer(7)));
    assert_eq!(default("{from: filename, default: '7'}"), Some(DefaultValue::Text("7".to_owned())));
    assert_eq!(default("{from: filename, default: true}"), Some(DefaultValue::Boolean(true)));
    assert_eq!(
        default("{from: filename, type: integer, validate: 1..9, default: 9}"),
        Some(DefaultValue::Integer(9))
    );
}

#[test]
fn later_errors_find_the_line_of_a_value_or_of_what_holds_it() {
    let located = RuleDocument::parse_located(EXAMPLE).expect("reads");
    assert_eq!(located.line_of("rules[0].extract.day.from"), Some(7));
    assert_eq!(located.line_of("rules[0].extract.day.default"), Some(7));
    assert_eq!(located.line_of("rules[1].enabled"), Some(12));
    assert_eq!(located.line_of("rules[0].tag_conditions[0].if"), Some(11));
}

#[test]
fn normalising_keeps_one_zero() {
    assert_eq!(Normalize::StripLeadingZeros.apply("000"), "0");
    assert_eq!(Normalize::StripLeadingZeros.apply("042"), "42");
    assert_eq!(Normalize::StripLeadingZeros.apply(""), "");
}

#[test]
fn every_rule_of_the_reference_reads() {
    let page = include_str!("../../../../docs/reference/extraction-rules.md");
    let blocks: Vec<&str> =
        page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 2);
    assert_eq!(read(blocks[0]), read(EXAMPLE));
    assert_eq!(read(blocks[0]).to_yaml().expect("writes"), blocks[0]);
    assert_eq!(read(blocks[1]).rules()[0].name, "invoices_rule");
}
