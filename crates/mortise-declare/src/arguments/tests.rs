//! Arguments by row: an input schema in, keys out. `?` is optional, `~` takes other values too.

use serde_json::{Value, json};

use super::Arguments;
use crate::hint::HintStep;
use crate::loss::SchemaSide;
use crate::model::{Model, Rest};
use crate::typescript::TypeScriptWriter;

fn arguments(schema: &Value) -> Arguments {
    Arguments::of(&Model::of(schema, "", SchemaSide::Input))
}

#[track_caller]
fn check(schema: Value, expected: &str) {
    let found = arguments(&schema);
    let writer = TypeScriptWriter { names: &[], shown: HintStep::NoTags.shown(false) };
    let shown: Vec<String> = found
        .object
        .fields
        .iter()
        .map(|field| {
            let optional = if field.required { "" } else { "?" };
            let open = if found.open.contains(&field.key) { "~" } else { "" };
            format!("{}{optional}{open}: {}", field.key, writer.inline(&field.kind))
        })
        .collect();
    assert_eq!(shown.join(", "), expected);
    assert!(found.is_joined);
    assert_eq!(found.object.rest, Rest::Welcome);
}

#[test]
fn what_branches_require_of_the_same_properties_is_optional() {
    let properties = json!({"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "boolean"}});
    check(
        json!({"type": "object", "properties": properties, "required": ["c"],
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        "a?: string, b?: number, c: boolean",
    );
}

#[test]
fn what_every_branch_requires_is_required() {
    let branch = |tag: &str, key: &str| {
        json!({"type": "object", "properties": {"kind": {"const": tag}, key: {"type": "string"}},
            "required": ["kind", key]})
    };
    check(
        json!({"oneOf": [branch("a", "x"), branch("b", "y")]}),
        r#"kind: "a" | "b", x?~: string, y?~: string"#,
    );
    let mut closed = [branch("a", "x"), branch("b", "y")];
    closed.iter_mut().for_each(|branch| branch["additionalProperties"] = false.into());
    check(json!({"oneOf": closed}), r#"kind: "a" | "b", x?: string, y?: string"#);
}

#[test]
fn an_alternative_that_is_no_object_requires_nothing() {
    let object =
        json!({"type": ["object", "null"], "properties": {"a": {"type": "string"}}, "required": ["a"]});
    check(object, "a?: string");
}

#[test]
fn other_keys_of_a_type_are_among_the_values() {
    let typed = json!({"type": "object", "additionalProperties": {"type": "number"}});
    let named =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false});
    check(json!({"anyOf": [typed, named]}), "a?: string | number");
}

#[test]
fn parts_that_have_names_are_looked_up() {
    let base = json!({"type": "object", "properties": {"id": {"type": "string"}, "again": {"$ref": "#/$defs/Base"}},
        "required": ["id"]});
    let more = json!({"type": "object", "properties": {"id": {"enum": ["x", "y"]}, "n": {"type": "number"}},
        "required": ["n"]});
    let schema = json!({"allOf": [{"$ref": "#/$defs/Base"}, more], "$defs": {"Base": base}});
    let found = arguments(&schema);
    let keys: Vec<(&str, bool)> =
        found.object.fields.iter().map(|field| (field.key.as_str(), field.required)).collect();
    assert_eq!(keys, [("again", false), ("id", true), ("n", true)]);
    assert!(found.open.is_empty());
}

#[test]
fn bounds_hold_only_where_every_alternative_has_them() {
    let branch = |least: u64| {
        json!({"type": "object", "properties": {"a": {"type": "number", "minimum": least, "maximum": 9}},
            "additionalProperties": false, "title": least.to_string()})
    };
    let found = arguments(&json!({"anyOf": [branch(1), branch(2)]}));
    assert_eq!(found.object.fields[0].doc.tags, ["@max 9"]);
}

#[test]
fn one_object_is_taken_as_it_is_and_anything_else_takes_anything() {
    let closed = arguments(&json!({"type": "object", "additionalProperties": false}));
    assert_eq!((closed.object.rest, closed.is_joined), (Rest::Closed, false));
    for schema in [json!({}), json!({"type": "string"})] {
        let found = arguments(&schema);
        assert_eq!(
            (found.object.fields.len(), found.object.rest, found.is_joined),
            (0, Rest::Welcome, false)
        );
    }
}

/// Alternatives that all share a large part would be put together once for each of them.
#[test]
fn a_part_in_thousands_of_alternatives_stays_within_the_bound() {
    let properties: serde_json::Map<String, Value> =
        (0..2_000).map(|at| (format!("k{at:04}"), json!({"type": "string"}))).collect();
    let branch = |at: usize| json!({"allOf": [{"$ref": "#/$defs/Base"}, {"type": "object", "properties": {format!("own{at}"): {"type": "string"}}}]});
    let branches: Vec<Value> = (0..1_000).map(branch).collect();
    let base = json!({"type": "object", "properties": properties, "required": ["k0000"]});
    let found = arguments(&json!({"anyOf": branches, "$defs": {"Base": base}}));
    // Some alternatives say nothing any more, so that nothing is sure.
    assert!(found.object.fields.iter().all(|field| !field.required));
    assert!(found.object.fields.len() > 2_000);
}

#[test]
fn a_long_chain_of_parts_ends() {
    let mut definitions = serde_json::Map::new();
    for level in 0..3_000 {
        let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
        let own = json!({"type": "object", "properties": {format!("k{level}"): {"$ref": "#/$defs/L0"}}});
        definitions.insert(format!("L{level}"), json!({"allOf": [next, own]}));
    }
    definitions.insert("L3000".to_owned(), json!({"type": "object"}));
    let found = arguments(&json!({"$defs": definitions, "$ref": "#/$defs/L0"}));
    assert!(!found.object.fields.is_empty() && found.object.fields.len() < 100);
}
