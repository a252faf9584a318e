//! Rows for added nulls: a schema and what a model sent in, what the tool gets out.

use serde_json::{Value, json};

use super::without_added_nulls;

#[track_caller]
fn check(schema: &Value, sent: Value, expected: Value) {
    assert_eq!(without_added_nulls(schema, sent), expected, "{schema}");
}

/// A closed object of texts, those with a `?` optional.
fn texts(kind: &str, keys: &[&str]) -> Value {
    let plain = |key: &&&str| !key.ends_with('?');
    let mut properties: Value =
        keys.iter().map(|key| (key.trim_end_matches('?').to_owned(), json!({"type": "string"}))).collect();
    properties["kind"] = json!({"const": kind});
    let required: Vec<&str> = keys.iter().filter(plain).copied().chain(["kind"]).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

#[test]
fn keys_of_other_alternatives_are_taken_out() {
    for keyword in ["oneOf", "anyOf"] {
        let schema = json!({keyword: [texts("path", &["path"]), texts("url", &["url", "user?"])]});
        check(
            &schema,
            json!({"kind": "path", "path": "x", "url": null, "user": null}),
            json!({"kind": "path", "path": "x"}),
        );
        check(
            &schema,
            json!({"kind": "url", "path": null, "url": "x", "user": null}),
            json!({"kind": "url", "url": "x"}),
        );
        check(
            &schema,
            json!({"kind": "url", "path": null, "url": "x", "user": "u"}),
            json!({"kind": "url", "url": "x", "user": "u"}),
        );
    }
}

#[test]
fn a_null_that_its_alternative_wants_stays_whatever_others_say() {
    let mut wants = texts("a", &["x"]);
    wants["properties"]["x"] = json!({"type": ["string", "null"]});
    let schema = json!({"oneOf": [wants, texts("b", &["x?"])]});
    check(&schema, json!({"kind": "a", "x": null}), json!({"kind": "a", "x": null}));
    check(&schema, json!({"kind": "b", "x": null}), json!({"kind": "b"}));
    let schema = json!({"oneOf": [texts("b", &["x?"]), schema["oneOf"][0]]});
    check(&schema, json!({"kind": "a", "x": null}), json!({"kind": "a", "x": null}));
    check(&schema, json!({"kind": "b", "x": null}), json!({"kind": "b"}));
}

#[test]
fn keys_that_came_from_an_alternative_further_out_are_taken_out() {
    let outer = |kind: &str, inner: Value| {
        let mut outer = texts(kind, &["d"]);
        outer["properties"]["d"] = inner;
        outer
    };
    let schema = json!({"anyOf": [outer("x", texts("a", &["c"])), outer("y", texts("a", &["b?"]))]});
    check(
        &schema,
        json!({"kind": "y", "d": {"kind": "a", "c": null}}),
        json!({"kind": "y", "d": {"kind": "a"}}),
    );
}

#[test]
fn alternatives_below_the_root_and_beside_properties_count_too() {
    let target = json!({"anyOf": [texts("path", &["path", "mode?"]), texts("url", &["url"])]});
    let schema = json!({"type": "object", "properties": {"to": {"type": "array", "items": target}, "q": {"type": "string"}}});
    check(
        &schema,
        json!({"to": [{"kind": "path", "path": "x", "mode": null}, {"kind": "url", "url": "y"}], "q": null}),
        json!({"to": [{"kind": "path", "path": "x"}, {"kind": "url", "url": "y"}]}),
    );
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
    check(&schema, json!({"a": "x", "b": null, "c": null}), json!({"a": "x"}));
    check(&schema, json!({"a": null, "b": "x", "c": null}), json!({"b": "x"}));
}

#[test]
fn of_alternatives_that_fit_alike_one_counts_as_a_whole() {
    let schema = json!({"anyOf": [
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "string"}}, "required": ["a"]},
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": ["string", "null"]}}, "required": ["b"]},
    ]});
    check(&schema, json!({"a": null, "b": null}), json!({"a": null}));
    check(&schema, json!({"a": "x", "b": null}), json!({"a": "x", "b": null}));
}

#[test]
fn a_wrong_value_does_not_hide_what_the_alternative_is() {
    let schema = json!({"oneOf": [texts("path", &["path"]), texts("url", &["url"])]});
    check(&schema, json!({"kind": "url", "path": null, "url": 1}), json!({"kind": "url", "url": 1}));
    check(&schema, json!({"kind": "url", "path": null, "url": null}), json!({"kind": "url", "url": null}));
}

#[test]
fn nulls_under_keys_that_nobody_names_stay_where_they_are_allowed() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    check(
        &schema,
        json!({"a": null, "other": null, "more": {"x": null}}),
        json!({"other": null, "more": {"x": null}}),
    );
    check(
        &json!({"type": "object", "additionalProperties": {"properties": {"x": {"type": "string"}}}}),
        json!({"other": {"x": null}}),
        json!({"other": {}}),
    );
    check(&texts("x", &["a?"]), json!({"kind": "x", "other": null}), json!({"kind": "x"}));
    check(&json!(true), json!({"a": null}), json!({"a": null}));
}

#[test]
fn a_type_that_is_part_of_itself_is_followed_as_far_as_the_arguments_go() {
    let node = json!({"type": "object", "additionalProperties": false,
        "properties": {"next": {"anyOf": [{"$ref": "#/$defs/node"}, {"$ref": "#/$defs/other"}]}, "v": {"type": "string"}}});
    let mut other = node.clone();
    other["required"] = json!(["v"]);
    let schema = json!({"$defs": {"node": node, "other": other}, "$ref": "#/$defs/node"});
    let (mut sent, mut expected) = (json!({"v": null}), json!({}));
    for _ in 0..60 {
        sent = json!({"next": sent, "v": null});
        expected = json!({"next": expected});
    }
    check(&schema, sent, expected);
}
