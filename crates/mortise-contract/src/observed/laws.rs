//! Laws of observed shapes over generated values.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::ObservedShape;
use crate::RawJson;
use crate::schema::{CompiledSchema, SchemaOptions, Validation};

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no infinity", |number| number.is_finite()).prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        // Few names, so that objects share fields; keys of any kind, so that some are maps.
        let name = prop_oneof![
            8 => prop::sample::select(vec!["a", "b", "c", "total"]).prop_map(str::to_owned),
            1 => "\\PC{0,5}",
        ];
        let wide = (1..300_u32).prop_map(|count| {
            let name = |n: u32| format!("w{}{}", letter(n / 20), letter(n % 20));
            Value::Object((0..count).map(|n| (name(n), json!(n))).collect::<Map<String, Value>>())
        });
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            8 => prop::collection::vec((name, inner), 0..6).prop_map(|members| Value::Object(members.into_iter().collect())),
            1 => wide,
        ]
    })
}

fn letter(n: u32) -> char {
    char::from_u32(u32::from('a') + n).unwrap_or('z')
}

/// A shape of several values, at some days.
fn shape() -> impl Strategy<Value = ObservedShape> {
    prop::collection::vec((value(), 0..1_000_u64), 0..4).prop_map(|seen| {
        let mut shape = ObservedShape::default();
        seen.iter().for_each(|(value, at)| shape.merge(&observed(value, *at)));
        shape
    })
}

fn observed(value: &Value, at: u64) -> ObservedShape {
    ObservedShape::of(&RawJson::from_value(value).unwrap(), at)
}

fn merged(left: &ObservedShape, right: &ObservedShape) -> ObservedShape {
    let mut left = left.clone();
    left.merge(right);
    left
}

proptest! {
    #[test]
    fn merging_is_commutative_and_associative(a in shape(), b in shape(), c in shape()) {
        prop_assert_eq!(merged(&a, &b), merged(&b, &a));
        prop_assert_eq!(merged(&merged(&a, &b), &c), merged(&a, &merged(&b, &c)));
    }

    #[test]
    fn merging_a_shape_with_itself_changes_no_type(a in shape(), b in shape()) {
        prop_assert_eq!(merged(&a, &a).schema(), a.schema());
        // What is already in a shape changes no type of it, so shapes only ever grow.
        let both = merged(&a, &b);
        prop_assert_eq!(merged(&both, &a).schema(), both.schema());
        prop_assert_eq!(merged(&ObservedShape::default(), &a), a);
    }

    #[test]
    fn every_observed_value_holds_to_the_schema(values in prop::collection::vec(value(), 1..6)) {
        let mut shape = ObservedShape::default();
        values.iter().for_each(|value| shape.merge(&observed(value, 0)));
        prop_assert!(shape.is_within_bounds());
        let schema = CompiledSchema::compile(&shape.schema().value, &SchemaOptions::default()).unwrap();
        for value in &values {
            prop_assert!(matches!(schema.validate(value), Validation::Valid), "{} {}", shape.schema().value, value);
        }
        let text = serde_json::to_string(&shape).unwrap();
        prop_assert_eq!(serde_json::from_str::<ObservedShape>(&text).unwrap(), shape);
    }
}
