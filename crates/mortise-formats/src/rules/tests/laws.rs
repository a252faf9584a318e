//! Laws: what is written reads back, and what is read fits the shipped schema.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// Texts with everything that YAML could trip over.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{1,30}",
        "\\PC{1,20}",
        select(vec![
            "no",
            "null",
            "~",
            "2024",
            "1e5",
            "- a",
            "a: b",
            "#x",
            "'",
            "\"",
            "{a",
            "[a]",
            "&a",
            "*a",
            "!t",
            "%",
            "@",
            "`",
            "a #b",
            " a ",
            "true",
            "0x1f",
            "1_000",
            "<<",
            "=",
            "---",
            "2024-01-15",
            "a\tb",
            "x\ny"
        ])
        .prop_map(str::to_owned),
    ]
}

fn field() -> impl Strategy<Value = RuleField> {
    let source = prop_oneof![
        (1u16..=3).prop_map(FieldSource::Segment),
        select(vec![FieldSource::Filename, FieldSource::FullPath, FieldSource::RelPath]),
    ];
    let pattern = select(vec![
        r"^(\d+)$",
        r"'",
        r#""(.)"#,
        r"a:\s#b",
        r"[{}\[\],&*!|>%@`]",
        r"(?:x)(y)",
        "\t",
        r"\\",
        " a ",
    ]);
    let format = select(vec!["%Y-%m-%d", "%d.%m.%y", "%F", "%Y%m%d %H:%M", "%B %d, %Y"]);
    let kind = prop_oneof![
        (
            Just(FieldType::String),
            option::of(prop_oneof![
                text().prop_map(DefaultValue::Text),
                any::<i64>().prop_map(DefaultValue::Integer),
                any::<bool>().prop_map(DefaultValue::Boolean),
            ])
        ),
        (any::<i64>(), any::<i64>()).prop_map(|(a, b)| {
            let range = IntegerRange { low: a.min(b), high: a.max(b) };
            (FieldType::Integer { range: Some(range) }, Some(DefaultValue::Integer(a)))
        }),
        format.prop_map(|format| {
            (FieldType::Date { format: format.to_owned() }, Some(DefaultValue::Text("2024-02-29".to_owned())))
        }),
        Just((FieldType::Uuid, None)),
    ];
    let normalize = option::of(select(Normalize::ALL.to_vec()));
    (source, option::of(pattern), normalize, kind).prop_map(
        |(from, pattern, normalize, (field_type, default))| RuleField {
            from,
            pattern: pattern.map(Pattern::new),
            normalize,
            field_type,
            default,
        },
    )
}

fn rule() -> impl Strategy<Value = ExtractionRule> {
    let glob = select(vec![
        "**/a b/*.csv",
        "*/{x,y}/[!a]?/*",
        "**/year=*/#/'q'/*",
        "a: b/c/d",
        "- x/*/*",
        "&a/*/**",
    ]);
    let name = "[A-Za-z_][A-Za-z0-9_-]{0,10}";
    let fields = vec(("[a-z_][a-z0-9_]{0,8}", field()), 0..5);
    let source = option::of(select(RuleSource::ALL.to_vec()));
    let conditions = vec((select(vec!["= 5", "!= x: y", "contains '#'", "matches ^a.b$"]), text()), 0..3);
    (name, glob, option::of(text()), fields, text(), conditions, any::<i64>(), any::<bool>(), source)
        .prop_map(|(name, glob, semantic, mut fields, tag, conditions, priority, enabled, source)| {
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            fields.dedup_by(|a, b| a.0 == b.0);
            // Conditions that any text field can have.
            fields.push(("zz_text".to_owned(), RuleField::new(FieldSource::Filename)));
            let tag_conditions = conditions.into_iter().filter_map(|(condition, tag)| {
                Some(TagCondition { condition: Condition::parse(&format!("zz_text {condition}"))?, tag })
            });
            let tag_conditions = tag_conditions.collect();
            ExtractionRule {
                name,
                glob: Some(glob.to_owned()),
                semantic,
                fields,
                tag,
                tag_conditions,
                priority,
                enabled,
                source,
            }
        })
}

proptest! {
    #[test]
    fn what_is_written_reads_back(mut rules in vec(rule(), 1..4)) {
        for (index, rule) in rules.iter_mut().enumerate() {
            rule.name = format!("{}_{index}", rule.name);
        }
        let document = RuleDocument::new(rules).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let yaml = document.to_yaml().map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(RuleDocument::parse(&yaml), Ok(document.clone()), "{}", yaml);
        prop_assert!(fits_schema(&document), "{}", yaml);
        // Writing is a function of the rules alone.
        prop_assert_eq!(document.to_yaml(), Ok(yaml));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[ -~\n]{0,200}") {
        _ = RuleDocument::parse(&text);
    }

    #[test]
    fn what_is_read_fits_the_schema_and_is_written(
        key in select(vec!["name", "glob", "semantic", "tag", "priority", "enabled", "source", "extract", "tag_conditions"]),
        value in prop_oneof![text(), Just("{f: {from: filename}}".to_owned()), Just("[]".to_owned())],
    ) {
        let start = format!("{key}:");
        let lines = ["name: a", "glob: '*/*'", "extract: {f: {from: filename}}", "tag: t"];
        let mut text: String =
            lines.iter().filter(|line| !line.starts_with(&start)).map(|line| format!("{line}\n")).collect();
        text.push_str(&format!("{start} {value}\n"));
        if let Ok(document) = RuleDocument::parse(&text) {
            prop_assert!(fits_schema(&document), "{}", text);
            prop_assert!(document.to_yaml().is_ok(), "{}", text);
        }
    }
}
