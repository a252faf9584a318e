use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Applies, Comparison, Holds, KEYWORDS, Keyword, Purpose, broken_bound, implied_kind};
use crate::json::JsonKind;
use crate::schema::Dialect;

#[test]
fn every_keyword_stands_once_and_agrees_with_itself() {
    let mut seen = HashSet::new();
    for row in KEYWORDS {
        assert!(seen.insert(row.name), "{} stands twice", row.name);
        assert!(row.since <= row.until, "{}", row.name);
        let applies = row.applies != Applies::Nowhere;
        let is_stored = row.purpose == Purpose::Definitions || row.name == "contentSchema";
        assert_eq!(row.holds.has_schemas(), applies || is_stored, "{}", row.name);
        let is_amount = matches!(row.holds, Holds::Number | Holds::Count);
        let is_about_contains = row.comparison == Comparison::Algebra { leader: "contains" };
        assert_eq!(row.bound.is_some(), is_amount && !is_about_contains, "{}", row.name);
        assert!(!row.implies_kind || row.concerns.is_some(), "{}", row.name);
    }
}

/// The validator's own meta-schemas name every keyword of their dialect.
#[test]
fn the_table_has_the_keywords_of_the_meta_schemas() {
    for dialect in Dialect::ALL {
        let declared = declared(dialect);
        for name in &declared {
            assert!(Keyword::find(name).is_some(), "{dialect} has `{name}`");
        }
        // The meta-schema of draft 4 leaves `$ref` to the prose.
        let refusing = KEYWORDS.iter().filter(|row| row.can_refuse() && row.name != "$ref");
        for row in refusing.filter(|row| row.is_in(dialect)) {
            assert!(declared.contains(row.name), "{dialect} does not have `{}`", row.name);
        }
    }
}

/// The properties of a meta-schema and of the vocabularies in its `allOf`.
fn declared(dialect: Dialect) -> HashSet<String> {
    let registry = &referencing::SPECIFICATIONS;
    let root = dialect.uri().to_owned();
    let (family, _) = root.rsplit_once('/').unwrap_or_default();
    let mut names = HashSet::new();
    let mut open = vec![root.clone()];
    while let Some(address) = open.pop() {
        let base = referencing::uri::from_str(&address).unwrap();
        let resolver = registry.resolver(base);
        let resolved = resolver.lookup("#").unwrap();
        let schema: &Value = resolved.contents();
        names.extend(schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
        for part in schema["allOf"].as_array().into_iter().flatten() {
            open.push(format!("{family}/{}", part["$ref"].as_str().unwrap()));
        }
    }
    names
}

#[test]
fn a_schema_without_a_type_means_the_kind_of_its_keywords() {
    let check = |schema: Value, expected| {
        assert_eq!(implied_kind(schema.as_object().unwrap()), expected, "{schema}");
    };
    check(json!({"required": [], "properties": {}}), Some((JsonKind::Object, "properties")));
    check(json!({"items": {}, "required": []}), Some((JsonKind::Object, "required")));
    check(json!({"prefixItems": []}), Some((JsonKind::Array, "prefixItems")));
    check(json!({"minItems": 1, "minimum": 1}), None);
}

#[test]
fn the_first_broken_bound_is_found() {
    let schema = json!({"minimum": 1, "exclusiveMaximum": 5, "maxLength": 2});
    let check = |kind, amount, expected: Option<&str>| {
        let found = broken_bound(&schema, kind, amount).map(|(row, number)| format!("{} {number}", row.name));
        assert_eq!(found.as_deref(), expected, "{amount}");
    };
    check(JsonKind::Number, 0.5, Some("minimum 1"));
    check(JsonKind::Number, 5.0, Some("exclusiveMaximum 5"));
    check(JsonKind::Number, 1.0, None);
    check(JsonKind::String, 3.0, Some("maxLength 2"));
    check(JsonKind::Array, 3.0, None);
}

#[test]
fn schemas_are_found_under_every_kind_of_keyword() {
    let check = |holds: Holds, member: Value, expected: &[&str]| {
        let found: Vec<String> = holds
            .schemas(&member)
            .into_iter()
            .map(|(token, schema)| format!("{}{schema}", token.unwrap_or_default()))
            .collect();
        assert_eq!(found, expected, "{member}");
    };
    check(Holds::Schema, json!({}), &["{}"]);
    check(Holds::Schema, json!([{}, true]), &["0{}", "1true"]);
    check(Holds::List, json!([{}]), &["0{}"]);
    check(Holds::List, json!({}), &[]);
    check(Holds::Map, json!({"a": {}, "b": ["c"]}), &["a{}"]);
    check(Holds::Value, json!({}), &[]);
}
