//! Which objects of a union get names.

use serde_json::{Value, json};

use super::*;
use crate::loss::SchemaSide;

fn union_of(variants: usize) -> Model {
    let variant = |at: usize| -> Value {
        json!({"type": "object", "required": ["kind"],
            "properties": {"kind": {"const": format!("kind {at}")}, "value": {"type": "string"}}})
    };
    let schema = json!({"type": "object", "properties": {"op": {"oneOf": (0..variants).map(variant).collect::<Vec<_>>()}}});
    name_variants(Model::of(&schema, "", SchemaSide::Input))
}

#[test]
fn a_long_union_names_its_variants_by_their_tags() {
    let model = union_of(VARIANTS);
    let names: Vec<Option<&str>> =
        model.definitions.iter().map(|definition| definition.wanted.as_deref()).collect();
    assert_eq!(names, [Some("kind 0"), Some("kind 1"), Some("kind 2"), Some("kind 3")]);
}

#[test]
fn a_short_union_stays_in_place() {
    assert_eq!(union_of(VARIANTS - 1).definitions.len(), 0);
}
