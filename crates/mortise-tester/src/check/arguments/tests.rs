use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};
use serde_json::{Value, json};

use super::{ArgumentsKind, Generated, generate};

fn made(schema: &Value, seed: u64, count: usize) -> Vec<Generated> {
    let compiled = CompiledSchema::compile(schema, &SchemaOptions::default()).unwrap();
    let made = generate(schema, &compiled, seed, count);
    for one in &made {
        let is_valid = compiled.validate(&one.arguments) == Validation::Valid;
        assert_eq!(is_valid, one.kind != ArgumentsKind::Invalid, "{one:?}");
    }
    made
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "city": {"type": "string", "maxLength": 5},
            "days": {"type": "integer", "minimum": 1, "maximum": 14},
            "units": {"enum": ["metric", "imperial"]},
        },
        "required": ["city"],
        "additionalProperties": false,
    })
}

#[test]
fn a_seed_gives_the_same_arguments_again_and_another_gives_others() {
    assert_eq!(made(&schema(), 7, 12), made(&schema(), 7, 12));
    assert_ne!(made(&schema(), 7, 12), made(&schema(), 8, 12));
}

#[test]
fn there_are_valid_boundary_and_invalid_ones_each_once() {
    let made = made(&schema(), 0, 100);
    let about: Vec<&str> = made.iter().map(|one| one.about.as_str()).collect();
    for wanted in [
        "the smallest arguments",
        "every property",
        "days: the maximum",
        "days: above the maximum",
        "city: missing",
        "city: a text that is too long",
        "a property that is not declared",
    ] {
        assert!(about.contains(&wanted), "{wanted} is not among {about:?}");
    }
    let mut texts: Vec<String> = made.iter().map(|one| one.arguments.to_string()).collect();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), made.len());
}

#[test]
fn no_more_are_made_than_asked_for() {
    for count in 0..9 {
        assert!(made(&schema(), 1, count).len() <= count);
    }
    assert_eq!(made(&schema(), 1, 1)[0].kind, ArgumentsKind::Valid);
}

#[test]
fn a_schema_that_nothing_fits_gets_none() {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "string", "enum": [7]}}, "required": ["a"]});
    assert_eq!(made(&schema, 0, 5), []);
}

#[test]
fn a_schema_with_thousands_of_properties_gets_no_more_than_are_asked_for() {
    let properties: serde_json::Map<String, Value> =
        (0..2_000).map(|number| (format!("p{number}"), json!({"type": "string"}))).collect();
    let schema = json!({"type": "object", "properties": properties});
    let made = made(&schema, 0, 12);
    assert_eq!(made.len(), 12);
    assert_eq!(made.iter().filter(|one| one.kind == ArgumentsKind::Invalid).count(), 4);
}
