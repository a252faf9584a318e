//! Rules that are refused, with the words that say why.

use crate::format::{ErrorCode, Subcode};

use super::*;

#[track_caller]
fn check(text: &str, expected: &str, suggestion: &str) {
    let error = RuleDocument::parse(text).expect_err("must be refused");
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.suggestion, suggestion);
}

#[track_caller]
fn check_field(field: &str, code: ErrorCode, at: &str, reason: &str) {
    let error = RuleDocument::parse(&with_field(field)).expect_err("must be refused");
    assert_eq!((error.error_code, error.field.as_deref(), error.line), (code, Some(at), Some(4)));
    assert_eq!(error.subcode, Some(Subcode::YamlSchema));
    assert_eq!(error.reason, reason);
}

#[test]
fn an_unknown_source_lists_the_valid_ones() {
    check(
        &with_field("{from: segment-3}"),
        "ERR_YAML_INVALID (ERR_YAML_SCHEMA) at `rules[0].extract.f.from` on line 4, column 13: `from` is `segment-3`; expected `segment(-N)` with N from 1, `filename`, `full_path` or `rel_path`",
        "write `segment(-3)`",
    );
    for (field, suggestion) in [
        ("{from: segment(0)}", "write `segment(-1)` for the last segment"),
        ("{from: filenam}", "write `filename`, or `segment(-1)` for the last segment"),
        ("{from: segment(2)}", "count from the end: `segment(-1)` is the last"),
        ("{from: segment(-1000)}", "count from the end of the path"),
    ] {
        let error = RuleDocument::parse(&with_field(field)).expect_err(field);
        assert_eq!(error.suggestion, suggestion, "{field}");
    }
}

#[test]
fn unknown_keys_ask_what_was_meant() {
    check(
        &with_field("{from: filename, patern: x}"),
        "ERR_YAML_INVALID (ERR_YAML_SCHEMA) at `rules[0].extract.f.patern` on line 4, column 23: unknown key `patern`; expected one of `from`, `pattern`, `capture`, `normalize`, `type`, `format`, `validate`, `default`",
        "did you mean `pattern`?",
    );
    check(
        "name: a\nglob: '*'\ntag: t\nprioriy: 1\n",
        "ERR_YAML_INVALID (ERR_YAML_SCHEMA) at `rules[0].prioriy` on line 4, column 1: unknown key `prioriy`; expected one of `name`, `glob`, `semantic`, `extract`, `tag`, `tag_conditions`, `priority`, `enabled`, `source`",
        "did you mean `priority`?",
    );
}

#[test]
fn a_regular_expression_in_double_quotes_is_a_syntax_error_with_its_place() {
    let error = RuleDocument::parse(&with_field(r#"{from: filename, pattern: "\d"}"#)).expect_err("escape");
    assert_eq!((error.error_code, error.subcode), (ErrorCode::YamlInvalid, Some(Subcode::YamlSyntax)));
    assert_eq!((error.line, error.column), (Some(4), Some(32)));
}

#[test]
fn a_key_that_is_there_twice_is_a_syntax_error() {
    let error = RuleDocument::parse("name: a\nname: b\nglob: '*'\ntag: t\n").expect_err("duplicate");
    assert_eq!((error.subcode, error.line), (Some(Subcode::YamlSyntax), Some(2)));
}

#[test]
fn all_errors_are_told_at_once() {
    let error = RuleDocument::parse("version: 2\nrules:\n  - {name: 1a, glob: '*'}\n  - 5\nextra: 1\n")
        .expect_err("wrong");
    let told: Vec<&str> = std::iter::once(&error)
        .chain(&error.details)
        .map(|error| error.field.as_deref().unwrap_or(""))
        .collect();
    assert_eq!(told, ["extra", "version", "rules[0].tag", "rules[1]"]);
}

#[test]
fn what_is_no_rule_is_refused() {
    check(
        "hello",
        "ERR_YAML_INVALID (ERR_YAML_SCHEMA) on line 1, column 1: the document is a scalar; expected a mapping with `version` and `rules`",
        "give a mapping with `version` and `rules`",
    );
    check(
        "version: 1\nrules: []\n",
        "ERR_YAML_INVALID (ERR_YAML_SCHEMA) at `rules` on line 2: 0 rules; expected 1 to 1000",
        "keep the number of rules within the limits",
    );
    check(
        "name: a\ntag: t\n",
        "ERR_YAML_INVALID (ERR_YAML_SCHEMA) at `rules[0].glob` on line 1: neither `glob` nor `semantic`; a rule says which paths it is for",
        "add `glob`",
    );
    check(
        "- {name: a, glob: '*', tag: t}\n- {name: a, glob: '*', tag: t}\n",
        "ERR_YAML_INVALID (ERR_YAML_SCHEMA) at `rules[1].name` on line 2: the name `a` is there twice",
        "give every rule a name of its own",
    );
}

#[test]
fn globs_that_match_nothing_or_not_what_they_say_are_refused() {
    let refuse = |glob: &str| {
        let error = RuleDocument::parse(&format!("name: a\nglob: '{glob}'\ntag: t\n")).expect_err(glob);
        assert_eq!((error.error_code, error.line), (ErrorCode::GlobInvalid, Some(2)), "{glob}");
        error.reason
    };
    assert_eq!(refuse("data/{day}/*.csv"), "the placeholder `{day}` names no field under `extract`");
    assert_eq!(refuse("a\\b"), "a backslash; segments are separated by `/` and nothing is escaped");
    for glob in ["/data/*", "./*.csv", "a/../b", "[a", "{a,b"] {
        refuse(glob);
    }
}

#[test]
fn patterns_must_compile_within_their_limits() {
    let at = "rules[0].extract.f.pattern";
    check_field(
        "{from: filename, pattern: '('}",
        ErrorCode::RegexInvalid,
        at,
        "the pattern does not compile: unclosed group",
    );
    let long = format!("{{from: filename, pattern: '{}'}}", "a".repeat(MAX_PATTERN_CHARS + 1));
    check_field(&long, ErrorCode::RegexTooLarge, at, "the pattern has 201 characters; at most 200");
    let groups = format!("{{from: filename, pattern: '{}'}}", "(a)".repeat(MAX_PATTERN_GROUPS + 1));
    check_field(&groups, ErrorCode::RegexTooLarge, at, "the pattern has 11 groups; at most 10");
    check_field(
        "{from: filename, pattern: '\\w{999}{999}'}",
        ErrorCode::RegexTooLarge,
        at,
        "the pattern needs more than 1048576 bytes",
    );
    read(&with_field(&format!("{{from: filename, pattern: '{}'}}", "a".repeat(MAX_PATTERN_CHARS))));
    read(&with_field(&format!("{{from: filename, pattern: '{}'}}", "(a)".repeat(MAX_PATTERN_GROUPS))));
}

#[test]
fn what_only_goes_together_is_kept_together() {
    let invalid = ErrorCode::YamlInvalid;
    let f = "rules[0].extract.f";
    check_field(
        "{from: filename, capture: 1}",
        invalid,
        &format!("{f}.capture"),
        "`capture` without `pattern`",
    );
    check_field(
        "{from: filename, pattern: 'a', capture: 2}",
        invalid,
        &format!("{f}.capture"),
        "group 2 of a pattern with 0",
    );
    check_field(
        "{from: filename, pattern: 'a', capture: 0}",
        invalid,
        &format!("{f}.capture"),
        "`capture` is `0`; expected the number of a group, from 1",
    );
    check_field(
        "{from: filename, format: '%Y'}",
        invalid,
        &format!("{f}.format"),
        "`format` goes with `type: date` only",
    );
    check_field(
        "{from: filename, type: date, format: '%Y-%m'}",
        invalid,
        &format!("{f}.format"),
        "`%Y-%m` does not say year, month and day with %Y %y %m %b %B %d %F %H %M %S",
    );
    check_field(
        "{from: filename, type: uuid, validate: 1..2}",
        invalid,
        &format!("{f}.validate"),
        "`validate` goes with `type: integer` only",
    );
    check_field(
        "{from: filename, type: integer, validate: 9..1}",
        invalid,
        &format!("{f}.validate"),
        "`9..1` is empty; expected `lo..hi` with lo at most hi",
    );
    check_field(
        "{from: filename, type: integer, validate: 1-9}",
        invalid,
        &format!("{f}.validate"),
        "`validate` is `1-9`; expected `lo..hi`",
    );
    check_field(
        "{from: filename, type: integr}",
        invalid,
        &format!("{f}.type"),
        "`type` is `integr`; expected one of `string`, `integer`, `date`, `uuid`",
    );
}

#[test]
fn a_default_must_be_a_value_of_its_field() {
    for field in [
        "{from: filename, type: integer, default: x}",
        "{from: filename, type: integer, validate: 1..9, default: 10}",
        "{from: filename, type: date, default: '2024-02-30'}",
        "{from: filename, type: uuid, default: none}",
        "{from: filename, type: date, default: 5}",
    ] {
        let error = RuleDocument::parse(&with_field(field)).expect_err(field);
        assert_eq!(error.field.as_deref(), Some("rules[0].extract.f.default"), "{field}");
    }
}

#[test]
fn segments_lie_within_a_fixed_depth() {
    let text = "name: a\nglob: '*/*.csv'\nextract: {f: {from: segment(-3)}}\ntag: t\n";
    check(
        text,
        "ERR_YAML_INVALID (ERR_YAML_SCHEMA) at `rules[0].extract.f.from` on line 3: `segment(-3)` is out of range: the glob has 2 segments",
        "write `segment(-1)` to `segment(-2)`",
    );
}

#[test]
fn conditions_speak_of_declared_fields_of_the_right_type() {
    let refuse = |condition: &str| {
        let text = format!(
            "name: a\nglob: '*/*'\nextract: {{kind: {{from: filename}}, n: {{from: filename, type: integer}}, d: {{from: segment(-2), type: date}}}}\ntag: t\ntag_conditions:\n  - {{if: '{condition}', tag: x}}\n"
        );
        let error = RuleDocument::parse(&text).expect_err(condition);
        assert_eq!(error.line, Some(6), "{condition}");
        error.reason
    };
    assert_eq!(refuse("m = 5"), "the condition names `m`, which is no field");
    assert_eq!(refuse("kind < 5"), "`<` compares numbers and dates, and `kind` is a string");
    assert_eq!(refuse("n.year = 5"), "`n` is a integer; only dates have `.year`, `.month` and `.day`");
    assert_eq!(refuse("n = five"), "`five` is compared with a number");
    assert_eq!(refuse("d > 2024"), "`2024` is compared with a date");
    assert_eq!(refuse("kind matches ("), "`(` is not a regular expression");
    assert!(refuse("kind ~ x").starts_with("`kind ~ x` is not a condition; expected"));
    assert!(refuse("d.hour = 1").starts_with("`d.hour = 1` is not a condition; expected"));
    let text = "name: a\nglob: '*'\ntag: t\ntag_conditions: [{if: 'a = 1', tag: x}]\n";
    let error = RuleDocument::parse(text).expect_err("no fields");
    assert_eq!(error.reason, "conditions without `extract`; they speak of fields");
}

#[test]
fn too_many_rules_or_fields_are_refused() {
    let rules = |count: usize| {
        (0..count).map(|i| format!("- {{name: r{i}, glob: '*', tag: t}}\n")).collect::<String>()
    };
    read(&rules(MAX_RULES));
    assert!(RuleDocument::parse(&rules(MAX_RULES + 1)).is_err());
    let fields = |count: usize| {
        let fields: String = (0..count).map(|i| format!("  f{i}: {{from: filename}}\n")).collect();
        format!("name: a\nglob: '*'\nextract:\n{fields}tag: t\n")
    };
    read(&fields(MAX_FIELDS));
    assert!(RuleDocument::parse(&fields(MAX_FIELDS + 1)).is_err());
}
