use super::*;

#[track_caller]
fn check(name: &str, values: &[&str], expected: Option<Inexpressible>) {
    assert_eq!(inexpressible(name, values), expected);
}

#[test]
fn size_of_a_pattern_decides_in_two_steps() {
    let strict = DecisionConfig::default();
    let loose = DecisionConfig { sensitivity: DecisionSensitivity::Loose, ..strict };
    let eager = DecisionConfig { prefer_yaml: false, ..strict };
    assert_eq!(strict.pattern(&"a".repeat(100)), PatternClass::Yaml);
    assert_eq!(strict.pattern(&"a".repeat(101)), PatternClass::Recommend);
    assert_eq!(strict.pattern(&"a".repeat(201)), PatternClass::Force);
    assert_eq!(strict.pattern(&"(a)".repeat(11)), PatternClass::Force);
    assert_eq!(strict.pattern(&"(a)".repeat(6)), PatternClass::Recommend);
    assert_eq!(loose.pattern(&"a".repeat(101)), PatternClass::Yaml);
    assert_eq!(loose.pattern(&"a".repeat(201)), PatternClass::Force);
    assert_eq!(eager.pattern(&"a".repeat(101)), PatternClass::Force);
    let patient = DecisionConfig { force_regex_chars: 900, force_groups: 90, ..loose };
    assert_eq!(patient.pattern(&"a".repeat(200)), PatternClass::Yaml);
    assert_eq!(patient.pattern(&"a".repeat(201)), PatternClass::Force);
    assert_eq!(patient.pattern(&"(a)".repeat(11)), PatternClass::Force);
}

#[test]
fn several_known_forms_are_conditional_and_an_unknown_one_is_not() {
    check(
        "x",
        &["2024-01-15", "15-01-2024"],
        Some(Inexpressible::Mixed(vec![PathValueForm::IsoDate, PathValueForm::DayMonthYear])),
    );
    check("x", &["2024-01-15", "latest"], None);
    check("x", &["2024-01-15", "2024-01-16"], None);
    check("x", &["12", "ab"], Some(Inexpressible::Mixed(vec![PathValueForm::Integer, PathValueForm::Code])));
}

#[test]
fn months_are_whole_words() {
    check("x", &["Jan", "february", "SEPT"], Some(Inexpressible::MonthWords));
    check("x", &["Marketing", "Decade"], None);
}

#[test]
fn base64_must_decode_to_readable_text() {
    check("x", &["aGVsbG8gd29ybGQgb2YgZGF0YQ=="], Some(Inexpressible::Base64));
    check("x", &["abcdefghijklmnopqrstuvwx"], None);
    check("x", &["12345678901234567890"], None);
    check("x", &["North%20Sea"], Some(Inexpressible::UrlEncoded));
}

#[test]
fn names_of_computed_values_ask_for_code() {
    check("order_total", &[], Some(Inexpressible::ComputedName("total")));
    check("totality", &[], None);
}

#[test]
fn variables_set_the_limits() {
    let set = |pairs: &[(&str, &str)]| {
        let variable =
            |name: &str| pairs.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned());
        DecisionLimits::from_variables(variable).map_err(|error| error.to_string())
    };
    let all = [
        ("MORTISE_RECOMMEND_REGEX_CHARS", "10"),
        ("MORTISE_RECOMMEND_GROUPS", "1"),
        ("MORTISE_FORCE_REGEX_CHARS", "20"),
        ("MORTISE_FORCE_GROUPS", "2"),
        ("MORTISE_PREFER_YAML", "false"),
        ("MORTISE_SENSITIVITY", "loose"),
    ];
    let expected = DecisionConfig {
        recommend_regex_chars: 10,
        recommend_groups: 1,
        force_regex_chars: 20,
        force_groups: 2,
        prefer_yaml: false,
        sensitivity: DecisionSensitivity::Loose,
    };
    assert_eq!(set(&all).map(|limits| limits.over(DecisionConfig::default())), Ok(expected));
    assert_eq!(set(&[("MORTISE_FORCE_GROUPS", "")]), Ok(DecisionLimits::default()));
    let refused = "`many` is no value for MORTISE_FORCE_GROUPS: expected a whole number";
    assert_eq!(set(&[("MORTISE_FORCE_GROUPS", "many")]), Err(refused.to_owned()));
    let refused = "`yes` is no value for MORTISE_PREFER_YAML: expected `true` or `false`";
    assert_eq!(set(&[("MORTISE_PREFER_YAML", "yes")]), Err(refused.to_owned()));
}

#[test]
fn the_more_specific_layer_wins() {
    let groups =
        |force_groups| DecisionLimits { force_groups: Some(force_groups), ..DecisionLimits::default() };
    let mut layers = DecisionLayers::default();
    assert_eq!(layers.of(None), DecisionConfig::default());
    layers.global = DecisionLimits { force_regex_chars: Some(50), ..groups(1) };
    layers.sources.insert("orders".to_owned(), groups(2));
    assert_eq!((layers.of(None).force_groups, layers.of(Some("others")).force_groups), (1, 1));
    let orders = layers.of(Some("orders"));
    assert_eq!((orders.force_groups, orders.force_regex_chars, orders.recommend_groups), (2, 50, 5));
    layers.environment = groups(3);
    assert_eq!((layers.of(None).force_groups, layers.of(Some("orders")).force_groups), (3, 3));
    assert_eq!(groups(4).over(layers.of(Some("orders"))).force_groups, 4);
}
