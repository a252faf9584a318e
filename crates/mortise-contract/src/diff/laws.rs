//! Laws of the diff over generated schemas.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Level, Proof, Role, Rule, diff_schemas};
use crate::sample::sample;
use crate::schema::{CompiledSchema, SchemaOptions, Validation};

fn leaf() -> impl Strategy<Value = Value> {
    let small = 0..4_i32;
    prop_oneof![
        Just(json!({})),
        Just(json!({"type": "null"})),
        Just(json!({"type": "boolean"})),
        small.clone().prop_map(|n| json!({"type": "integer", "minimum": n})),
        small.clone().prop_map(|n| json!({"type": "number", "maximum": n})),
        small.clone().prop_map(|n| json!({"type": "string", "minLength": n})),
        small.clone().prop_map(|n| json!({"type": "string", "maxLength": n})),
        small.clone().prop_map(|n| json!({"type": ["string", "null"], "maxLength": n + 1})),
        prop::sample::subsequence(vec!["x", "y", "z"], 1..=3).prop_map(|values| json!({"enum": values})),
        small.prop_map(|n| json!({ "const": n })),
    ]
}

/// Small schemas of the kind that tools declare.
fn schema() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 16, 3, |inner| {
        let properties = prop::collection::btree_map(prop::sample::select(vec!["a", "b", "c"]), inner.clone(), 0..3);
        let required = prop::sample::subsequence(vec!["a", "b", "c"], 0..=2);
        prop_oneof![
            (properties, required, any::<bool>()).prop_map(|(properties, required, open)| {
                let required: Vec<&str> =
                    required.into_iter().filter(|name| open || properties.contains_key(name)).collect();
                json!({"type": "object", "properties": properties, "required": required, "additionalProperties": open})
            }),
            (inner.clone(), 0..3_u8).prop_map(|(items, n)| json!({"type": "array", "items": items, "maxItems": n})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|branches| json!({ "anyOf": branches })),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|branches| json!({ "oneOf": branches })),
            inner.prop_map(|of| json!({"type": "object", "properties": {"r": {"$ref": "#/$defs/T"}}, "$defs": {"T": of}})),
        ]
    })
}

/// References only mean something at the root, so only roots that keep them there are used.
fn root() -> impl Strategy<Value = Value> {
    schema().prop_filter("a nested definition can't be reached", |schema| {
        CompiledSchema::compile(schema, &SchemaOptions::default()).is_ok()
    })
}

fn accepts(schema: &Value, value: &Value) -> bool {
    CompiledSchema::compile(schema, &SchemaOptions::default()).unwrap().validate(value) == Validation::Valid
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn nothing_differs_from_itself(schema in root()) {
        for role in [Role::Input, Role::Output] {
            prop_assert_eq!(diff_schemas(&schema, &schema, role), []);
        }
    }

    #[test]
    fn every_break_has_a_real_witness(old in root(), new in root()) {
        for (role, from, into) in [(Role::Input, &old, &new), (Role::Output, &new, &old)] {
            for change in diff_schemas(&old, &new, role) {
                prop_assert_eq!(change.level == Level::Breaking, change.proof == Proof::Witnessed, "{:?}", change);
                prop_assert_eq!(change.proof == Proof::Witnessed, change.witness.is_some(), "{:?}", change);
                if let Some(witness) = &change.witness {
                    prop_assert!(accepts(from, witness), "{:?}", change);
                    prop_assert!(!accepts(into, witness), "{:?}", change);
                }
            }
        }
    }

    #[test]
    fn what_narrows_forwards_widens_backwards(old in root(), new in root()) {
        // The table is not symmetric for undeclared properties: there a warning stands for a break.
        let lenient = [Rule::Opened, Rule::Closed, Rule::OptionalPropertyAdded, Rule::OptionalPropertyRemoved];
        let (input, output) = (diff_schemas(&old, &new, Role::Input), diff_schemas(&new, &old, Role::Output));
        prop_assume!(!input.iter().chain(&output).any(|change| lenient.contains(&change.rule)));
        let broken = |changes: &[super::Change]| changes.iter().any(|change| change.level == Level::Breaking);
        prop_assert_eq!(broken(&input), broken(&output), "{:?} {:?}", input, output);
    }

    #[test]
    fn a_value_that_is_refused_never_goes_unnoticed(old in root(), new in root()) {
        let quiet = diff_schemas(&old, &new, Role::Input).iter().all(|change| change.level < Level::Warning);
        if let (true, Some(value)) = (quiet, sample(&old)) {
            prop_assert!(!accepts(&old, &value) || accepts(&new, &value), "{value}");
        }
    }
}
