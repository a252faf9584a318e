//! Bounds of reading.

use mortise_contract::schema::keyword::{KEYWORDS, Purpose};
use serde_json::{Value, json};

use super::{Model, read};
use crate::loss::SchemaSide;

fn doubling(levels: usize) -> Value {
    let mut definitions = serde_json::Map::new();
    for level in 0..levels {
        let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
        definitions
            .insert(format!("L{level}"), json!({"type": "object", "properties": {"a": next, "b": next}}));
    }
    definitions.insert(format!("L{levels}"), json!({"type": "string"}));
    json!({"$defs": definitions, "$ref": "#/$defs/L0"})
}

#[test]
fn a_schema_that_doubles_at_every_level_has_one_type_per_level() {
    let model = Model::of(&doubling(60), "", SchemaSide::Output);
    assert!(model.definitions.len() <= 60, "{}", model.definitions.len());
}

#[test]
fn a_long_chain_of_references_is_read_without_recursion() {
    let mut definitions = serde_json::Map::new();
    for level in 0..4_000 {
        let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
        definitions.insert(format!("L{level}"), json!({"type": "object", "properties": {"next": next}}));
    }
    definitions.insert("L4000".to_owned(), json!({"type": "string"}));
    let model = Model::of(&json!({"$defs": definitions, "$ref": "#/$defs/L0"}), "", SchemaSide::Output);
    assert!(model.root.depth() <= 30);
    assert!(!model.definitions.is_empty());
}

#[test]
fn nesting_is_cut_with_a_loss() {
    let mut schema = json!({"type": "string"});
    for _ in 0..100 {
        schema = json!({"type": "array", "items": schema});
    }
    let model = Model::of(&schema, "", SchemaSide::Output);
    assert!(model.root.depth() <= 70);
    assert_eq!(model.losses[0].reason, "the schema nests deeper than 64 levels");
}

/// A keyword that is new in the table of keywords must not get lost in types without a word.
#[test]
fn every_assertion_is_a_part_of_a_type_or_is_reported() {
    const TYPED: [&str; 13] = [
        "type",
        "enum",
        "const",
        "properties",
        "additionalProperties",
        "required",
        "patternProperties",
        "items",
        "prefixItems",
        "additionalItems",
        "allOf",
        "anyOf",
        "oneOf",
    ];
    for row in KEYWORDS.iter().filter(|row| row.purpose == Purpose::Assertion) {
        let is_reported = read::UNSAID.iter().any(|(keyword, ..)| *keyword == row.name);
        assert!(TYPED.contains(&row.name) || row.tag.is_some() || is_reported, "`{}` is lost", row.name);
    }
}
