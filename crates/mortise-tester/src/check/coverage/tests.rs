use mortise_contract::SchemaCache;
use serde_json::json;

use super::Coverage;

#[test]
fn fields_values_and_branches_are_told_apart() {
    let schema = json!({
        "type": "object",
        "properties": {
            "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}},
            "kind": {"enum": ["a", "b"]},
            "size": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/row"}]},
        },
        "$defs": {"row": {"type": "object", "properties": {"name": {"type": "string"}, "note": {"type": "string"}}}},
    });
    let mut coverage = Coverage::new(&schema);
    let value = json!({"rows": [{"name": "x", "extra": 1}], "kind": "a", "size": 3, "more": true});
    coverage.see(&schema, &value, &SchemaCache::default());
    let never: Vec<&str> = coverage.never_seen().collect();
    assert_eq!(never, ["/kind = \"b\"", "/rows[]/note", "/size branch 2", "/size/name", "/size/note"]);
    let undeclared: Vec<&str> = coverage.undeclared.iter().map(String::as_str).collect();
    assert_eq!(undeclared, ["/more", "/rows[]/extra"]);
    assert_eq!((coverage.seen(), coverage.results), (6, 1));
}

#[test]
fn a_schema_that_refers_to_itself_comes_to_an_end() {
    let schema = json!({"type": "object", "properties": {"child": {"$ref": "#"}}});
    let mut coverage = Coverage::new(&schema);
    assert!(coverage.declared.len() <= 10);
    coverage.see(&schema, &json!({"child": {"child": {}}}), &SchemaCache::default());
    assert_eq!(coverage.seen(), 2);
    assert_eq!(Coverage::new(&json!({"$ref": "#"})), Coverage::default());
    // Twenty ways back at each of ten levels, by properties and by branches.
    let back = json!({"$ref": "#"});
    let properties: serde_json::Map<_, _> =
        (0..20).map(|number| (format!("p{number}"), back.clone())).collect();
    for schema in [json!({"properties": properties}), json!({"type": "object", "anyOf": vec![back; 20]})] {
        let mut coverage = Coverage::new(&schema);
        coverage.see(&schema, &json!({"p0": {"p1": {}}}), &SchemaCache::default());
        assert!(coverage.declared.len() >= 20, "{}", coverage.declared.len());
    }
}

#[test]
fn what_never_occurs_is_not_known_of_a_result_too_large_to_look_at() {
    let branches: Vec<_> = (0..20).map(|number| json!({"const": number})).collect();
    let schema = json!({"type": "array", "items": {"anyOf": branches}});
    let seen = |items: usize| {
        let mut coverage = Coverage::new(&schema);
        let mut value = vec![json!(0); items];
        // The last one alone is of the last branch.
        value.push(json!(19));
        coverage.see(&schema, &value.into(), &SchemaCache::default());
        (coverage.is_partial, coverage.seen(), coverage.never_seen().count())
    };
    assert_eq!(seen(10), (false, 2, 18));
    assert_eq!(seen(90), (true, 1, 0));
}
