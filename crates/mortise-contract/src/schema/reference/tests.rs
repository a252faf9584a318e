use serde_json::{Value, json};

use super::{SchemaDocument, referred};

#[track_caller]
fn check(document: &Value, from: &str, reference: &str, expected: Option<&str>) {
    let read = SchemaDocument::new(document);
    let scope = read.place(from).unwrap().scope;
    let found = read.target(&scope, reference).map(|place| place.pointer);
    assert_eq!(found.as_deref(), expected, "{reference} in {from} of {document}");
}

#[test]
fn references_lead_to_pointers_anchors_and_resources() {
    let document = json!({
        "$id": "https://example.com/root",
        "$defs": {
            "a": {"$anchor": "one"},
            "b": {"$id": "inner", "$defs": {"c": {"$anchor": "one"}}},
            "with space": {"$dynamicAnchor": "two"}
        }
    });
    check(&document, "", "#", Some(""));
    check(&document, "", "#/$defs/a", Some("/$defs/a"));
    check(&document, "", "#/$defs/with%20space", Some("/$defs/with space"));
    check(&document, "", "#one", Some("/$defs/a"));
    check(&document, "", "#two", Some("/$defs/with space"));
    check(&document, "", "inner", Some("/$defs/b"));
    check(&document, "", "https://example.com/inner#one", Some("/$defs/b/$defs/c"));
    check(&document, "/$defs/b", "#one", Some("/$defs/b/$defs/c"));
    check(&document, "/$defs/b", "#/$defs/c", Some("/$defs/b/$defs/c"));
    check(&document, "/$defs/b", "root#one", Some("/$defs/a"));
    check(&document, "", "#/$defs/none", None);
    check(&document, "", "#three", None);
    check(&document, "", "other", None);
}

#[test]
fn only_schemas_have_names() {
    let document = json!({
        "const": {"$anchor": "value"},
        "enum": [{"$anchor": "listed"}],
        "properties": {"const": {"$anchor": "property"}, "$anchor": {"$anchor": "odd"}},
        "x-own": {"$anchor": "unknown"}
    });
    check(&document, "", "#value", None);
    check(&document, "", "#listed", None);
    check(&document, "", "#property", Some("/properties/const"));
    check(&document, "", "#odd", Some("/properties/$anchor"));
    check(&document, "", "#unknown", Some("/x-own"));
}

#[test]
fn older_dialects_have_anchors_in_addresses() {
    let id = |dialect: &str, keyword: &str| {
        json!({"$schema": format!("http://json-schema.org/{dialect}/schema#"),
            "definitions": {"a": {keyword: "#one"}, "b": {"$anchor": "two"}, "c": {"$ref": "#", keyword: "#three"}}})
    };
    for (dialect, keyword) in [("draft-04", "id"), ("draft-07", "$id")] {
        let document = id(dialect, keyword);
        check(&document, "", "#one", Some("/definitions/a"));
        check(&document, "", "#two", None);
        check(&document, "", "#three", None);
    }
}

#[test]
fn dynamic_anchors_can_stand_in_several_places() {
    let document = json!({"$defs": {"a": {"$dynamicAnchor": "node"}, "b": {"$dynamicAnchor": "node"}, "c": {"$dynamicAnchor": "leaf"}}});
    let read = SchemaDocument::new(&document);
    assert!(read.is_overridden("#node"));
    assert!(!read.is_overridden("#leaf"));
}

#[test]
fn a_reference_from_the_root_needs_no_document() {
    let schema = json!({"$defs": {"a/b": {"$anchor": "one"}}});
    assert_eq!(referred(&schema, "#/$defs/a~1b"), Some(&schema["$defs"]["a/b"]));
    assert_eq!(referred(&schema, "#/$defs/a%7E1b"), Some(&schema["$defs"]["a/b"]));
    assert_eq!(referred(&schema, "#one"), Some(&schema["$defs"]["a/b"]));
    assert_eq!(referred(&schema, "#"), Some(&schema));
    assert_eq!(referred(&schema, "one"), None);
}
